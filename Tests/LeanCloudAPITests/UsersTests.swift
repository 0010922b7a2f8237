import Accounts
import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// The life of an account in an app that keeps its people here.
@Suite struct UsersTests {
    private let password = "correct horse battery"

    private func open() throws -> LeanCloudApp { try LeanCloudApp { $0.accounts.app.registrationIsOpen = true } }

    private func signUp(_ app: LeanCloudApp, _ more: String = "") throws -> HTTPReply {
        try app.ask(
            "POST", "/1.1/users", app.asClient,
            .of(#"{"username":"romeo","password":"\#(self.password)"\#(more.isEmpty ? "" : ",\(more)")}"#))
    }

    private func session(_ app: LeanCloudApp, _ token: String) -> [(String, String)] {
        app.asClient + [("X-LC-Session", token)]
    }

    private func signIn(_ app: LeanCloudApp, _ body: String) throws -> HTTPReply {
        try app.ask("POST", "/1.1/login", app.asClient, .of(body))
    }

    @Test func nobodySignsUpWhereThatIsClosed() throws {
        let app = try LeanCloudApp()
        let reply = try self.signUp(app)
        #expect(reply.status == 403 && reply.code == 1)
        // The app's own server may.
        let made = try app.master(
            "POST", "/1.1/users", .of(#"{"username":"romeo","password":"\#(self.password)"}"#))
        #expect(made.status == 201)
    }

    @Test func signsUpInAndIsWhoTheTokenSays() throws {
        let app = try self.open()
        let made = try self.signUp(app, #""email":"romeo@verona.it","nickname":"Romeo M.","age":17"#)
        #expect(made.status == 201)
        let id = try #require(made.json["objectId"]?.string)
        let token = try #require(made.json["sessionToken"]?.string)
        #expect(id.utf8.count == 24)
        #expect(made.json["username"]?.string == "romeo" && made.json["age"]?.integer == 17)
        #expect(made.json["password"] == nil)
        let me = try app.ask("GET", "/1.1/users/me", self.session(app, token))
        #expect(me.json["objectId"]?.string == id && me.json["email"]?.string == "romeo@verona.it")
        let became = try app.ask("GET", "/1.1/users/me?session_token=\(token)", app.asClient)
        #expect(became.json["sessionToken"]?.string == token)
        for body in [
            #"{"username":"romeo","password":"\#(self.password)"}"#,
            #"{"email":"romeo@verona.it","password":"\#(self.password)"}"#,
        ] {
            let reply = try self.signIn(app, body)
            #expect(reply.status == 200 && reply.json["objectId"]?.string == id)
            #expect(reply.json["sessionToken"]?.string != token)
        }
        // The id is who the server knows, with the name that others are shown.
        let profile = try app.server.server.store.readAndWait { store throws(StoreError) in
            try store.people.profile(named: UserName(id)!)
        }
        #expect(profile?.displayName == "Romeo M.")
    }

    @Test(
        "passwords cross a private network in plain text only where the operator says so, and the refusal names the setting",
        arguments: [false, true])
    func plainPasswords(areTaken: Bool) throws {
        let app = try LeanCloudApp { options in
            options.transport.proxies = ["127.0.0.1"]
            options.accounts.app.registrationIsOpen = true
            options.accounts.takesPlainPasswords = areTaken
            options.business.registrationIsOpen = true
        }
        let made = try self.signUp(app)
        let id = try #require(made.json["objectId"]?.string)
        let session = self.session(app, try #require(made.json["sessionToken"]?.string))
        let requests: [(String, String, [(String, String)], String)] = [
            ("POST", "/1.1/login", app.asClient, #"{"username":"romeo","password":"\#(self.password)"}"#),
            ("POST", "/1.1/users", app.asClient, #"{"username":"juliet","password":"\#(self.password)"}"#),
            (
                "POST", "/v1/user/usernamelogin", [],
                #"{"username":"\#(id)","password":"\#(self.password)","flag":0}"#
            ),
            (
                "POST", "/v1/user/usernameregister", [],
                #"{"username":"tybalt","password":"\#(self.password)","flag":0}"#
            ),
            ("PUT", "/1.1/users/\(id)", session, #"{"password":"\#(self.password) again"}"#),
        ]
        for (method, path, headers, body) in requests {
            let reply = try app.askFromElsewhere(method, path, headers, .of(body))
            #expect((200...201).contains(reply.status) == areTaken, "\(path): \(reply.text)")
            guard !areTaken else { continue }
            #expect(reply.text.contains("server.plain_passwords"), "\(path): \(reply.text)")
        }
    }

    @Test func whatIsWrongHasLeanCloudsNumbers() throws {
        let app = try self.open()
        #expect(try self.signUp(app, #""email":"romeo@verona.it","mobilePhoneNumber":"+39055""#).status == 201)
        let sentence = self.password
        let attempts: [(String, Int64)] = [
            (#"{"password":"\#(sentence)"}"#, 200), (#"{"username":"juliet"}"#, 201),
            (#"{"username":"romeo","password":"\#(sentence)"}"#, 202),
            (#"{"username":"juliet","password":"\#(sentence)","email":"romeo@verona.it"}"#, 203),
            (#"{"username":"juliet","password":"\#(sentence)","mobilePhoneNumber":"+39055"}"#, 214),
            (#"{"username":"juliet","password":"short"}"#, 218),
            (#"{"username":"juliet","password":"\#(sentence)","email":"nowhere"}"#, 125),
            (#"{"username":"juliet","password":"\#(sentence)","authData":{"weixin":{}}}"#, 252),
        ]
        for (body, code) in attempts {
            #expect(try app.ask("POST", "/1.1/users", app.asClient, .of(body)).code == code, "\(body)")
        }
        #expect(try self.signIn(app, #"{"username":"romeo","password":"wrong"}"#).code == 210)
        #expect(try self.signIn(app, #"{"username":"paris","password":"wrong"}"#).code == 211)
        #expect(try self.signIn(app, #"{"username":"romeo"}"#).code == 201)
        #expect(try app.ask("GET", "/1.1/users/me", app.asClient).code == 206)
        #expect(try app.ask("GET", "/1.1/users/me", self.session(app, "tea_wrong")).code == 211)
    }

    @Test func whereNobodySignsUpASignInDoesNotTellWhoIsHere() throws {
        let app = try LeanCloudApp()
        try app.server.add("romeo")
        #expect(try self.signIn(app, #"{"username":"romeo","password":"wrong"}"#).code == 210)
        #expect(try self.signIn(app, #"{"username":"paris","password":"wrong"}"#).code == 210)
    }

    @Test func tooManyWrongPasswordsHaveToWait() throws {
        let app = try self.open()
        #expect(try self.signUp(app).status == 201)
        var codes: Set<Int64> = []
        for _ in 0..<20 { codes.insert(try self.signIn(app, #"{"username":"romeo","password":"wrong"}"#).code ?? 0) }
        #expect(codes == [210, 219])
    }

    @Test func fieldsChangeByTheirOwnerAndTheOperatorsNameStays() throws {
        let app = try self.open()
        let made = try self.signUp(app, #""nickname":"Romeo","score":1"#)
        let id = try #require(made.json["objectId"]?.string)
        let mine = self.session(app, try #require(made.json["sessionToken"]?.string))
        let reply = try app.ask(
            "PUT", "/1.1/users/\(id)", mine,
            .of(#"{"score":{"__op":"Increment","amount":2},"nickname":"Montague","email":"r@verona.it"}"#))
        #expect(reply.status == 200 && reply.json["score"]?.integer == 3)
        let shown = { () throws -> String? in
            try app.server.server.store.readAndWait { store throws(StoreError) in
                try store.people.profile(named: UserName(id)!)?.displayName
            }
        }
        #expect(try shown() == "Montague")
        let user = try app.server.id(id)
        try app.server.write { store throws(StoreError) in try store.people.setDisplayName(user, "R. Montague, Verona")
        }
        #expect(try app.ask("PUT", "/1.1/users/\(id)", mine, .of(#"{"nickname":"Night"}"#)).status == 200)
        #expect(try shown() == "R. Montague, Verona")
        // Nobody else changes it, and others do not see the address.
        try app.server.add("juliet")
        let juliet = self.session(app, try app.server.token("juliet", .app))
        #expect(try app.ask("PUT", "/1.1/users/\(id)", juliet, .of(#"{"score":9}"#)).code == 206)
        let seen = try app.ask("GET", "/1.1/users/\(id)", juliet)
        #expect(seen.json["nickname"]?.string == "Night" && seen.json["email"] == nil)
        #expect(try app.ask("GET", "/1.1/users/\(id)", app.asClient).code == 206)
        #expect(try app.master("GET", "/1.1/users/\(id)").json["email"]?.string == "r@verona.it")
    }

    @Test func queriesShowWhatTheAskerMaySee() throws {
        let app = try self.open()
        let made = try self.signUp(app, #""email":"romeo@verona.it","city":"Verona""#)
        let id = try #require(made.json["objectId"]?.string)
        let token = try #require(made.json["sessionToken"]?.string)
        try app.server.add("juliet")
        let juliet = self.session(app, try app.server.token("juliet", .app))
        let query = #"/1.1/users?where=%7B%22objectId%22%3A%7B%22%24in%22%3A%5B%22\#(id)%22%2C%22juliet%22%5D%7D%7D"#
        let rows = try #require(try app.ask("GET", query, juliet).json["results"]?.array)
        #expect(rows.count == 2 && rows.allSatisfy { $0["email"] == nil })
        let own = try app.ask("GET", "/1.1/users", self.session(app, token)).json["results"]?.array
        #expect(own?.compactMap { $0["objectId"]?.string } == [id])
        let city = "/1.1/users?where=%7B%22city%22%3A%22Verona%22%7D&count=1"
        #expect(try app.ask("GET", city, juliet).json["results"]?.array?.isEmpty == true)
        let all = try app.master("GET", city).json
        #expect(all["count"]?.integer == 1 && all["results"]?.array?.first?["email"]?.string == "romeo@verona.it")
        #expect(try app.ask("GET", "/1.1/users", app.asClient).code == 206)
    }

    @Test func nobodyIsDeletedUnderALegalHoldAndTheAppIsNotToldWhy() throws {
        let app = try self.open()
        let made = try self.signUp(app)
        let id = try #require(made.json["objectId"]?.string)
        let session = self.session(app, try #require(made.json["sessionToken"]?.string))
        let romeo = try app.server.id(id)
        let number = try app.server.server.store.writeAndWait { store throws(StoreError) in
            try store.holds.add(LegalHold(subject: .person(romeo), reason: "case 7", asker: "anna")).number
        }
        let refused = try app.ask("DELETE", "/1.1/users/\(id)", session)
        #expect(refused.status == 403)
        #expect(refused.json["error"]?.string == "the operator has switched this off")
        #expect(try app.ask("GET", "/1.1/users/me", session).status == 200)
        try app.server.write { store throws(StoreError) in _ = try store.holds.remove(number) }
        #expect(try app.ask("DELETE", "/1.1/users/\(id)", session).status == 200)
        app.server.stop()
        #expect(try app.server.findings() == [])
    }

    @Test func aNewPasswordEndsEverySession() throws {
        let app = try self.open()
        let made = try self.signUp(app)
        let id = try #require(made.json["objectId"]?.string)
        let old = self.session(app, try #require(made.json["sessionToken"]?.string))
        let path = "/1.1/users/\(id)/updatePassword"
        let wrong = try app.ask("PUT", path, old, .of(#"{"old_password":"wrong","new_password":"what light 1597"}"#))
        #expect(wrong.code == 210)
        let done = try app.ask(
            "PUT", path, old, .of(#"{"old_password":"\#(self.password)","new_password":"what light 1597"}"#))
        #expect(done.status == 200)
        let new = self.session(app, try #require(done.json["sessionToken"]?.string))
        #expect(try app.ask("GET", "/1.1/users/me", old).code == 211)
        #expect(try app.ask("GET", "/1.1/users/me", new).status == 200)
        #expect(try self.signIn(app, #"{"username":"romeo","password":"\#(self.password)"}"#).code == 210)
        let refreshed = try app.ask("PUT", "/1.1/users/\(id)/refreshSessionToken", new, .of("{}"))
        #expect(refreshed.status == 200)
        #expect(try app.ask("GET", "/1.1/users/me", new).code == 211)
        let newest = self.session(app, try #require(refreshed.json["sessionToken"]?.string))
        #expect(try app.ask("GET", "/1.1/users/me", newest).status == 200)
        #expect(try app.ask("DELETE", "/1.1/users/\(id)", newest).status == 200)
        #expect(try app.ask("GET", "/1.1/users/me", newest).status == 401)
        #expect(try app.master("GET", "/1.1/users/\(id)").code == 211)
        // The username may be had again, under another id.
        let again = try self.signUp(app)
        #expect(again.status == 201 && again.json["objectId"]?.string != id)
        app.server.stop()
        #expect(try app.server.findings() == [])
    }

    @Test func anImportedHashBecomesOursAtTheFirstSignIn() throws {
        let app = try LeanCloudApp()
        let imported = try #require(
            ImportedPassword(
                salt: "h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2",
                hash: "tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug=="))
        let name = UserName("5512602ae4b01608686c3e0e")!
        let user = try app.server.write { store throws(StoreError) in
            let user = try store.people.createUser(name, passwordHash: imported.stored)
            try store.apps.setAppUser(user, AppUserPatch(username: "tom", createdAtMilliseconds: 1_400_000_000_000))
            return user
        }
        #expect(try self.signIn(app, #"{"username":"tom","password":"passwort"}"#).code == 210)
        let reply = try self.signIn(app, #"{"username":"tom","password":"password"}"#)
        #expect(reply.status == 200 && reply.json["objectId"]?.string == name.text)
        #expect(reply.json["createdAt"]?.string == "2014-05-13T16:53:20.000Z")
        // The next request is answered after the hash was replaced: one writer does one after the other.
        try app.server.write { (_) throws(StoreError) in }
        let hash = try app.server.server.store.readAndWait { store throws(StoreError) in
            try store.people.passwordHash(of: user)
        }
        #expect(hash?.hasPrefix("$argon2id$") == true)
        #expect(try self.signIn(app, #"{"username":"tom","password":"password"}"#).status == 200)
    }

    @Test func peopleOfTheOperatorSignInByTheirName() throws {
        let app = try LeanCloudApp()
        let accounts = app.server.server.accounts
        let password = self.password
        _ = try accounts.wait { accounts.addUser(UserName("mercutio")!, password: password, then: $0) }
        let reply = try self.signIn(app, #"{"username":"mercutio","password":"\#(password)"}"#)
        #expect(reply.status == 200 && reply.json["objectId"]?.string == "mercutio")
        let taken = try app.master(
            "POST", "/1.1/users", .of(#"{"username":"mercutio","password":"\#(password)"}"#))
        #expect(taken.code == 202)
    }
}
