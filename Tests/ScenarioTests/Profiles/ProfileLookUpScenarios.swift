import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Who people are, asked over HTTP.
struct ProfileLookUpScenarios {
    private func lookUp(_ server: TestServer, _ token: String?, _ json: String) throws -> (status: Int, json: JSONValue)
    {
        try server.http("POST", "/api/v1/profiles", token: token, json: json)
    }

    private func error(_ answer: (status: Int, json: JSONValue)) -> String {
        #expect(answer.json["status"]?.integer == Int64(answer.status))
        return answer.json["error"]?.string ?? ""
    }

    @Test("who is not known, and what can be nobody's id, is answered beside who is known, in the order asked for")
    func batch() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        try server.name("romeo", "Romeo Montague")
        let long = String(repeating: "x", count: 65)
        let rows = try server.profiles(["nobody", "romeo", long, "", "a\u{7}b", "ann", "romeo"], token: ann)
        #expect(
            rows.map { $0["id"]?.string } == ["nobody", "romeo", long, "", "a\u{7}b", "ann", "romeo"])
        #expect(
            rows.map { $0["name"]?.string }
                == ["nobody", "Romeo Montague", long, "", "a\u{7}b", "ann", "Romeo Montague"])
        #expect(rows.map { $0["is_known"]?.boolean } == [false, true, false, false, false, true, true])
        #expect(rows[1]["display_name"]?.string == "Romeo Montague" && rows[5]["display_name"] == .null)
        #expect(try server.shownNames([long], token: ann) == [long])
    }

    @Test("an empty list is refused in the words that apps know, a wrong or too long one says what is wrong")
    func bounds() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        for body in [#"{"ids":[]}"#, "{}", #"{"ids":null}"#] {
            let answer = try self.lookUp(server, ann, body)
            #expect(answer.status == 400 && self.error(answer) == "User ids is nil", "\(body)")
        }
        let ids = (0..<200).map { "person\($0)" }
        #expect(try server.shownNames(ids, token: ann) == ids)
        let most = JSONValue.object([JSONValue.Member("ids", .array((ids + ["one"]).map { .string($0) }))])
        let tooMany = try self.lookUp(server, ann, String(decoding: most.serialized(), as: UTF8.self))
        #expect(tooMany.status == 400 && self.error(tooMany) == "ids has more than 200 elements")
        for (body, what) in [
            (#"{"ids":"ann"}"#, "ids must be an array"), (#"{"ids":["ann",7]}"#, "ids[1] must be a text"),
            ("[]", "expected a JSON object as the body"),
            (#"{"ids":["ann"],"conversation":"tea"}"#, "conversation must be an object"),
            (#"{"ids":["ann"],"conversation":{"kind":"group"}}"#, "conversation.id is missing"),
            (
                #"{"ids":["ann"],"conversation":{"kind":"direct","id":"tea"}}"#,
                "kind is none of group, room, community"
            ),
        ] {
            let answer = try self.lookUp(server, ann, body)
            #expect(answer.status == 400 && self.error(answer) == what, "\(body)")
        }
    }

    @Test("nobody asks without a token; the manager may ask")
    func callers() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        let body = #"{"ids":["ann"]}"#
        for token in [nil, "wrong"] {
            #expect(try self.lookUp(server, token, body).status == 401)
            #expect(try server.http("GET", "/api/v1/profiles/ann", token: token).status == 401)
            #expect(try server.http("GET", "/api/v1/avatars/ann", token: token).status == 401)
            #expect(try server.http("PUT", "/api/v1/profiles/me", token: token, json: "{}").status == 401)
        }
        let manager = try server.managerToken()
        #expect(try server.shownNames(["ann", "nobody"], token: manager) == ["ann", "nobody"])
        #expect(try server.profile("ann", token: manager)["is_known"]?.boolean == true)
        let bearer = try server.http(
            "POST", "/api/v1/profiles", headers: [("Authorization", "Bearer \(ann)")], body: Array(body.utf8))
        #expect(bearer.status == 200)
    }

    @Test("a name in a team is told to its members, what somebody calls a friend to that person alone")
    func names() throws {
        let server = try TestServer.withFiles()
        let tea = try server.group("tea", ["ann", "bob", "cat"])
        let (ann, bob, eve) = (try server.token("ann"), try server.token("bob"), try server.token("eve"))
        try server.name("cat", "Catherine")
        let (one, cat) = (try server.id("ann"), try server.id("cat"))
        try server.write { store throws(StoreError) in
            try store.conversations.setNickname(of: cat, "keeper of the pot", in: tea, by: .operator)
            try store.friends.make(one, cat)
            try store.friends.setRemark(cat, of: one, "kitty")
        }
        #expect(try server.shownNames(["cat"], token: bob) == ["Catherine"])
        #expect(try server.shownNames(["cat"], token: bob, in: "tea") == ["keeper of the pot"])
        #expect(try server.shownNames(["cat"], token: eve, in: "tea") == ["Catherine"])
        #expect(try server.shownNames(["cat"], token: bob, in: "no such group") == ["Catherine"])
        #expect(try server.shownNames(["cat"], token: try server.managerToken(), in: "tea") == ["keeper of the pot"])
        let seen = try server.profiles(["cat"], token: ann, in: "tea")[0]
        #expect(seen["name"]?.string == "kitty" && seen["alias"]?.string == "kitty")
        #expect(seen["team_name"]?.string == "keeper of the pot" && seen["display_name"]?.string == "Catherine")
        #expect(try server.profile("cat", token: ann)["name"]?.string == "kitty")
        let other = try server.profile("cat", token: bob)
        #expect(other["name"]?.string == "Catherine" && other["alias"] == .null && other["team_name"] == .null)
    }

    @Test("one person by id, also with an id that has to be encoded; nobody is 404")
    func one() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        try server.name("\u{8336} a/b?", "Tea")
        let found = try server.profile("\u{8336} a/b?", token: ann)
        #expect(found["id"]?.string == "\u{8336} a/b?" && found["name"]?.string == "Tea")
        for id in ["nobody", String(repeating: "x", count: 65), "%C2%85"] {
            let reply = try server.http("GET", "/api/v1/profiles/\(id)", token: ann)
            #expect(reply.status == 404 && reply.json["error"]?.string == "there is no such person", "\(id)")
        }
        #expect(try server.http("GET", "/api/v1/profiles/%ZZ", token: ann).status == 400)
    }

    @Test("where only acquaintances see each other, a stranger looks like nobody")
    func acquainted() throws {
        let server = try TestServer.withFiles { $0.profiles.service.visibility = .acquainted }
        try server.group("tea", ["ann", "bob"])
        let ann = try server.token("ann")
        try server.name("bob", "Robert")
        try server.name("eve", "Evelyn")
        let rows = try server.profiles(["bob", "eve"], token: ann)
        #expect(rows.map { $0["name"]?.string } == ["Robert", "eve"])
        #expect(rows.map { $0["is_known"]?.boolean } == [true, false])
        #expect(try server.http("GET", "/api/v1/profiles/eve", token: ann).status == 404)
        let eve = try server.http("GET", "/api/v1/avatars/eve", token: ann).text
        #expect(eve.contains(">E</text>"))
        #expect(try server.shownNames(["eve"], token: try server.managerToken()) == ["Evelyn"])
    }
}
