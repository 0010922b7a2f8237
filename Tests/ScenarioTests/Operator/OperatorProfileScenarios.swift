import ByteCodec
import CommandLineKit
import Localization
import TeahouseTesting
import Testing

/// What an operator does with profiles, against a whole server.
struct OperatorProfileScenarios {
    /// What a person sees of another one.
    private func seen(_ name: String, by token: String, in server: TestServer) throws -> JSONValue {
        let reply = try server.http("GET", "/api/v1/profiles/\(name)", token: token)
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json
    }

    @Test("what is set is what people see at once, also the picture")
    func set() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        try server.add("bob")
        // In memory before it is changed.
        #expect(try self.seen("bob", by: ann, in: server)["name"]?.string == "bob")
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Sample.noise(1000)
        let picture = try server.hand(png, as: "小明.png")
        let done = server.ctl(
            "profile", "set", "bob", "--display-name", "小明", "--external-id", "4711", "--avatar", picture,
            "--attributes", #"{"部门":"茶"}"#)
        #expect(done.code == .done && done.output == "profile of bob set\n", "\(done.error)")
        let profile = try self.seen("bob", by: ann, in: server)
        #expect(profile["name"]?.string == "小明" && profile["display_name"]?.string == "小明")
        let avatar = try #require(profile["avatar"]?.string, "\(profile)")
        #expect(try server.http("GET", avatar, token: ann).body == png)
        let shown = server.ctl("profile", "show", "bob")
        #expect(shown.output.contains("SHOWN AS   小明\n") && shown.output.contains("4711"))
        let json = server.ctl("profile", "show", "bob", "--json").json
        #expect(json["shownName"]?.string == "小明" && json["known"]?.boolean == true)
        #expect(json["fields"]?.array?.contains { $0["name"]?.string == "displayName" } == true)
        let again = server.ctl("profile", "set", "bob", "--display-name", "", "--json")
        #expect(again.code == .done)
        #expect(try self.seen("bob", by: ann, in: server)["name"]?.string == "bob")
    }

    @Test("a name does nothing to the terminal; wrong people and words have their exit codes")
    func refused() throws {
        let server = try TestServer.withFiles()
        try server.group("tea", ["ann", "bob"])
        _ = server.ctl("profile", "set", "ann", "--attributes", #"{"x":"\u001b[2J\u202e"}"#)
        for words in [["profile", "show", "ann"], ["profile", "show", "ann", "--json"]] {
            let run = server.ctl(words)
            #expect(run.code == .done && run.isHarmless, "\(run.output.debugDescription)")
        }
        #expect(server.ctl("profile", "set", "ann", "--display-name", "a\u{1B}[2J").isHarmless)
        #expect(server.ctl("profile", "show", "ann").isHarmless)
        #expect(server.ctl("profile", "show", "ann", "--by", "nobody").code == .notFound)
        #expect(server.ctl("profile", "show", "ann", "--by", "bob", "--in", "nowhere").code == .notFound)
        #expect(server.ctl("profile", "set", "nobody", "--display-name", "x").code == .notFound)
        #expect(server.ctl("profile", "set", "ann", "--attributes", "no").code == .refused)
        #expect(server.ctl("profile", "set", "ann").code == .usage)
        let none = server.ctl("profile", "set", "ann", "--avatar", server.folder.path + "/none.png")
        #expect(none.code == .inputOutput)
        #expect(server.ctl("profile", "invalidate").code == .usage)
        #expect(server.ctl("profile", "invalidate", "--team", "nowhere").code == .notFound)
        for more in [["ann"], ["--team", "tea"], ["--all"]] {
            #expect(server.ctl(["profile", "invalidate"] + more).code == .done)
            #expect(server.ctl(["profile", "invalidate", "--json"] + more).code == .done)
        }
    }

    @Test("a profile that was thrown out is looked up anew, and the figures say so")
    func invalidated() throws {
        let server = try TestServer.withFiles()
        let ann = try server.token("ann")
        try server.add("bob")
        _ = try self.seen("bob", by: ann, in: server)
        #expect(server.ctl("profile", "show", "bob", "--json").json["entry"] != nil)
        #expect(server.ctl("profile", "invalidate", "bob").code == .done)
        let metrics = server.ctl("profile", "stats", "--json")
        #expect(metrics.code == .done)
        let named = try #require(metrics.json["figures"]?.array, "\(metrics.output)")
        #expect(named.allSatisfy { $0["name"]?.string != nil && $0["value"]?.integer != nil } && !named.isEmpty)
        for language in Language.allCases {
            let stats = server.ctl("profile", "stats", language: language)
            #expect(stats.code == .done && !stats.output.contains("figure."))
        }
    }
}
