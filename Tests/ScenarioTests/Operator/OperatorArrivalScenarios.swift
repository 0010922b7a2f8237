import Accounts
import ByteCodec
import ChatModel
import CommandLineKit
import Server
import Store
import TeahouseTesting
import Testing

/// People of an app that was with LeanCloud, from its export to their first sign-in here.
struct OperatorArrivalScenarios {
    /// The password of both is "password". Source: LeanCloud data export guide, "Passwords of _User".
    private static let export = #"""
        #filetype:JSON-streaming {"type":"Class","class":"_User"}
        {"salt":"h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2","email":"tom@verona.it","sessionToken":"s3ss10n","password":"tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==","objectId":"5512602ae4b01608686c3e0e","username":"tom","createdAt":"2014-05-13T16:53:20.000Z","updatedAt":"2015-03-25T08:00:00.000Z","emailVerified":false,"mobilePhoneVerified":false,"nickname":"小明","age":17}
        {"objectId":"5512602ae4b01608686c3e0f","username":"汤姆","createdAt":{"__type":"Date","iso":"2014-05-13T16:53:20.000Z"}}
        {"username":"nobody"}
        {"objectId":"5512602ae4b01608686c3e10","username":"tom"}

        """#

    private func post(_ server: TestServer, _ path: String, _ body: String) throws -> HTTPReply {
        let app = try #require(server.server.accounts.app.application)
        return try HTTPTestClient.ask(
            port: server.port, "POST", path,
            headers: [("X-LC-Id", app.appID), ("X-LC-Key", app.appKey), ("Content-Type", "application/json")],
            body: Array(body.utf8))
    }

    @Test("people are imported from the export and sign in with the password they know")
    func life() throws {
        let server = try TestServer()
        let path = try server.hand(Array(Self.export.utf8), as: "_User.0.jsonl")
        let tried = server.ctl("user", "import", path, "--leancloud", "--dry-run")
        #expect(tried.code == .refused && tried.isHarmless && tried.output.hasPrefix("3 new, 0 there already"))
        #expect(server.ctl("user", "list").output.contains("5512602a") == false)
        let done = server.ctl("user", "import", path, "--leancloud")
        #expect(done.code == .refused)
        #expect(done.output == "5512602ae4b01608686c3e0e\ttom\n5512602ae4b01608686c3e0f\t汤姆\n")
        #expect(done.error.contains("line 3: 5512602ae4b01608686c3e0f has no password here"))
        #expect(done.error.contains("line 4: no objectId"))
        #expect(done.error.contains("line 5: 5512602ae4b01608686c3e10: somebody else has the username tom"))
        #expect(done.error.contains("2 people were not imported, 2 were"))
        let reply = try self.post(server, "/1.1/login", #"{"username":"tom","password":"password"}"#)
        #expect(reply.status == 200 && reply.json["objectId"]?.string == "5512602ae4b01608686c3e0e")
        #expect(reply.json["nickname"]?.string == "小明" && reply.json["age"]?.integer == 17)
        #expect(reply.json["email"]?.string == "tom@verona.it")
        #expect(reply.json["createdAt"]?.string == "2014-05-13T16:53:20.000Z")
        #expect(reply.json["sessionToken"]?.string != "s3ss10n" && reply.json["salt"] == nil)
        #expect(server.ctl("user", "show", "5512602ae4b01608686c3e0e").output.contains("小明"))
        let email = try self.post(server, "/1.1/login", #"{"email":"tom@verona.it","password":"password"}"#)
        #expect(email.status == 200)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("importing again changes nothing, and a new password stays")
    func again() throws {
        let server = try TestServer()
        let path = try server.hand(Array(Self.export.utf8), as: "_User.0.jsonl")
        _ = server.ctl("user", "import", path, "--leancloud")
        let name = UserName("5512602ae4b01608686c3e0e")!
        let new = "a cup of longjing"
        _ = try server.server.accounts.wait { server.server.accounts.setPassword(of: name, to: new, then: $0) }
        let before = try server.server.store.readAndWait { store throws(StoreError) in
            try store.apps.appUser(named: name)
        }
        let second = server.ctl("user", "import", path, "--leancloud")
        #expect(second.output == "5512602ae4b01608686c3e0e\ttom\n5512602ae4b01608686c3e0f\t汤姆\n")
        let after = try server.server.store.readAndWait { store throws(StoreError) in
            try store.apps.appUser(named: name)
        }
        #expect(before == after)
        #expect(try self.post(server, "/1.1/login", #"{"username":"tom","password":"password"}"#).status == 400)
        #expect(try self.post(server, "/1.1/login", #"{"username":"tom","password":"\#(new)"}"#).status == 200)
        let entries = try server.server.store.readAndWait { store throws(StoreError) in
            try store.audit.entries(AuditQuery())
        }
        #expect(entries.filter { $0.word == "user.bring" }.count == 2)
        let noted = entries.map { "\($0.asked)\($0.before ?? "")\($0.after ?? "")" }.joined()
        for secret in ["tA7BLW", "h60d8x", "leancloud$", "s3ss10n"] { #expect(!noted.contains(secret)) }
    }

    @Test("options for other files are refused, and a list of people is taken too")
    func options() throws {
        let server = try TestServer()
        let list = #"{"results":[{"objectId":"a","username":"ann"},{"objectId":"b","username":"bob"}],"count":2}"#
        let path = try server.hand(Array(list.utf8), as: "users.json")
        #expect(server.ctl("user", "import", path, "--leancloud", "--device", "web").code == .usage)
        #expect(server.ctl("user", "import", path, "--leancloud", "--csv").code == .usage)
        let done = server.ctl("user", "import", path, "--leancloud", "--json")
        #expect(done.code == .done)
        let users = try #require(done.json["users"]?.array)
        #expect(users.map { $0["username"]?.string } == ["ann", "bob"])
        #expect(users.allSatisfy { $0["password"]?.string == "none" && $0["token"] == nil })
        let tried = server.ctl("user", "import", path, "--leancloud", "--dry-run", "--json")
        #expect(tried.json["users"]?.array?.allSatisfy { $0["existed"]?.boolean == true } == true)
    }
}
