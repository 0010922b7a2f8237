import Accounts
import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// People who were imported, as their installed apps and the app's own server meet them.
@Suite struct ImportedPeopleTests {
    private static let name = UserName("5512602ae4b01608686c3e0e")!
    private static let token = "pgk9e8orv8l9coak1rjht1avt"

    private static func person(_ email: String = "tom@verona.it") -> ArrivingPerson {
        var app = AppUserPatch(username: "tom", email: email, phone: "+8613800000000")
        app.isEmailVerified = true
        app.authData = Array(#"{"weixin":{"openid":"o"}}"#.utf8)
        var person = ArrivingPerson(name: Self.name, app: app)
        person.sessionToken = SignInToken(Self.token)
        return person
    }

    @discardableResult
    private func bring(_ person: ArrivingPerson = person(), to app: LeanCloudApp) throws -> ArrivalOutcome {
        try app.server.server.store.writeAndWait { store throws(StoreError) in try Accounts.bring(person, in: store) }
    }

    private func me(_ app: LeanCloudApp) throws -> HTTPReply {
        try app.ask("GET", "/1.1/users/me", app.asClient + [("X-LC-Session", Self.token)])
    }

    @Test("an installed app goes on with the session that it has, over HTTP and by a signature")
    func sessions() throws {
        let app = try LeanCloudApp()
        try self.bring(to: app)
        #expect(try self.me(app).json["objectId"]?.string == Self.name.text)
        let signed = try app.ask(
            "POST", "/1.1/rtm/sign", app.asClient, .of(#"{"session_token":"\#(Self.token)"}"#))
        #expect(signed.status == 200 && signed.json["client_id"]?.string == Self.name.text, "\(signed.text)")
        let client = try app.server.leanCloudSocket()
        _ = try client.open(Self.name.text, token: Self.token)
        // Nothing of it stands in the database.
        let found = try app.server.server.store.readAndWait { store throws(StoreError) in
            guard let user = try store.people.user(named: Self.name)?.id else { return 0 }
            return try store.people.tokens(of: user).count
        }
        #expect(found == 1)
        app.server.stop()
        #expect(try app.server.findings() == [])
    }

    @Test("a session that ended here does not come back with the next import")
    func ended() throws {
        let app = try LeanCloudApp()
        try self.bring(to: app)
        guard case .arrived(let again) = try self.bring(to: app) else {
            throw TestClientError(description: "no arrival")
        }
        #expect(again.existed && !again.hasChanged)
        let made = try app.master("PUT", "/1.1/users/\(Self.name.text)/refreshSessionToken")
        #expect(made.status == 200)
        #expect(try self.me(app).status == 401)
        try self.bring(to: app)
        #expect(try self.me(app).status == 401)
    }

    @Test("what was verified and sign-ins elsewhere are told to the person and the app's server alone")
    func verified() throws {
        let app = try LeanCloudApp()
        try self.bring(to: app)
        let own = try self.me(app).json
        #expect(own["emailVerified"]?.boolean == true && own["mobilePhoneVerified"]?.boolean == false)
        #expect(own["authData"]?["weixin"]?["openid"]?.string == "o")
        let path = "/1.1/users/\(Self.name.text)"
        let known = try app.master("GET", path).json
        #expect(known["emailVerified"]?.boolean == true && known["authData"]?["weixin"] != nil)
        let other = try app.master(
            "POST", "/1.1/users", .of(#"{"username":"ann","password":"correct horse battery"}"#)
        ).json
        let token = try #require(other["sessionToken"]?.string)
        let seen = try app.ask("GET", path, app.asClient + [("X-LC-Session", token)])
        #expect(seen.status == 200 && seen.json["authData"] == nil && seen.json["emailVerified"] == nil)
        // Another address is not verified, and an import does not say that it is.
        #expect(try app.master("PUT", path, .of(#"{"email":"new@verona.it"}"#)).status == 200)
        #expect(try app.master("GET", path).json["emailVerified"]?.boolean == false)
        try self.bring(to: app)
        #expect(try app.master("GET", path).json["emailVerified"]?.boolean == false)
        #expect(try app.master("PUT", path, .of(#"{"age":5}"#)).status == 200)
        #expect(try app.master("GET", path).json["authData"]?["weixin"]?["openid"]?.string == "o")
    }
}
