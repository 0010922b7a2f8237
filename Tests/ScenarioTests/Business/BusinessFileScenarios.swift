import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Files in chats, as WuKongIM's apps send and read them.
struct BusinessFileScenarios {
    /// Where the app may upload, as a path of this server.
    private func place(_ app: App, _ query: String = "") throws -> String {
        let url = try #require(try app.does("GET", "file/upload\(query)")["url"]?.string)
        let base = "http://127.0.0.1:\(app.server.port)"
        #expect(url.hasPrefix(base + "/f/th-l"))
        return String(url.dropFirst(base.count))
    }

    @Test("asked for, uploaded, named in a message, read by a member; gone with the message, and never an outsider's")
    func wholeWay() throws {
        let server = try TestServer.withFiles()
        try server.group("tea", ["romeo", "juliet"])
        let (romeo, juliet, eve) = (try App(server, "romeo"), try App(server, "juliet"), try App(server, "eve"))
        let content = Sample.png(7)
        let place = try self.place(romeo, "?path=/2/tea/a.png&type=chat")
        let uploaded = try LinkScenarios.form(server, place, content, name: "a.png")
        #expect(uploaded.status == 200)
        // Whole, so that apps of other SDKs open it too; WuKongIM's apps put nothing before an address.
        let address = try #require(uploaded.json["path"]?.string)
        let path = try LinkScenarios.path(of: address, server)
        let file = try #require(uploaded.json["url"]?.string)
        // Before a message has it, it is its owner's alone.
        #expect(try server.http("GET", file, token: juliet.token).status == 404)
        let (his, hers) = (try romeo.connect(), try juliet.connect())
        let sent = try his.publish(address, to: "tea", group: true)
        #expect(sent.reason == 1)
        let received = try hers.receive()
        #expect(received.text == address)
        #expect(try server.http("GET", path).body == content)
        #expect(try server.http("GET", file, token: juliet.token).body == content)
        #expect(try server.http("GET", file, token: eve.token).status == 404)
        #expect(try server.http("GET", file).status == 401)
        let recalled = try server.http(
            "POST", "/v1/message/revoke?channel_id=tea&channel_type=2&message_id=\(sent.messageID)", token: romeo.token)
        #expect(recalled.status == 200)
        for token in [juliet.token, eve.token] {
            #expect(try server.http("GET", file, token: token).status == 404)
        }
        #expect(try server.http("GET", path).status == 404)
        #expect(try server.http("GET", path, token: juliet.token).status == 404)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("between two people it is the same, and who leaves a group does not read its files any more")
    func leaving() throws {
        let server = try TestServer.withFiles()
        let tea = try server.group("tea", ["romeo", "juliet"])
        let (romeo, juliet, eve) = (try App(server, "romeo"), try App(server, "juliet"), try App(server, "eve"))
        let his = try romeo.connect()
        var files: [String] = []
        for (channel, isGroup) in [("juliet", false), ("tea", true)] {
            let place = try self.place(romeo, "?path=/\(isGroup ? 2 : 1)/\(channel)/a.png&type=chat")
            let uploaded = try LinkScenarios.form(server, place, Sample.png(isGroup ? 1 : 2), name: "a.png")
            #expect(try his.publish(uploaded.json["path"]?.string ?? "", to: channel, group: isGroup).reason == 1)
            files.append(try #require(uploaded.json["url"]?.string))
        }
        for file in files {
            #expect(try server.http("GET", file, token: juliet.token).status == 200)
            #expect(try server.http("GET", file, token: eve.token).status == 404)
        }
        let other = try server.id("juliet")
        try server.write { store throws(StoreError) in
            _ = try store.conversations.removeMembers([other], from: tea, by: .operator)
        }
        #expect(try files.map { try server.http("GET", $0, token: juliet.token).status } == [200, 404])
    }

    @Test("a place is good for one file, and for who asked: it needs a session to be given one")
    func places() throws {
        let server = try TestServer.withFiles()
        let romeo = try App(server, "romeo")
        #expect(try server.http("GET", "/v1/file/upload?path=/1/juliet/a.png&type=chat").status == 401)
        let one = try self.place(romeo, "?path=/1/juliet/a.png&type=chat")
        let other = try self.place(romeo, "?type=common")
        #expect(one != other)
        let first = try LinkScenarios.form(server, one, Sample.png(1), name: "a.png")
        #expect(first.status == 200 && first.json["owner"]?.string == "romeo")
        #expect(try LinkScenarios.form(server, one, Sample.png(2), name: "b.png").status == 404)
        #expect(try LinkScenarios.form(server, other, Sample.png(2), name: "b.png").status == 200)
    }

    @Test(
        "whatever the path is, somebody gets a place: it only says for which chat",
        arguments: [
            "", "?path=", "?path=/2/no%20such%20group/a.png", "?path=/1/nobody/a.png", "?path=a.png", "?path=/x/y/z",
            "?path=/2/%3Cscript%3E/a.png&type=chat", "?path=/99999999999999999999/a/b",
        ])
    func paths(_ query: String) throws {
        let server = try TestServer.withFiles()
        let romeo = try App(server, "romeo")
        let place = try self.place(romeo, query)
        #expect(try LinkScenarios.form(server, place, Sample.png(1), name: "a.png").status == 200)
    }

    @Test("a path for a group that somebody is not in brings nothing into it")
    func foreignPath() throws {
        let server = try TestServer.withFiles()
        try server.group("tea", ["romeo", "juliet"])
        let (juliet, eve) = (try App(server, "juliet"), try App(server, "eve"))
        let place = try self.place(eve, "?path=/2/tea/a.png&type=chat")
        let uploaded = try LinkScenarios.form(server, place, Sample.png(1), name: "a.png")
        #expect(uploaded.status == 200)
        let file = try #require(uploaded.json["url"]?.string)
        #expect(try server.http("GET", file, token: juliet.token).status == 404)
        #expect(try eve.connect().publish(uploaded.json["path"]?.string ?? "", to: "tea", group: true).reason != 1)
        #expect(try server.http("GET", file, token: juliet.token).status == 404)
    }

    @Test("the address that is given out is the configured one, where there is one")
    func publicURL() throws {
        let server = try TestServer.withFiles { $0.publicURL = "https://chat.lan:7677" }
        let romeo = try App(server, "romeo")
        let url = try romeo.does("GET", "file/upload?path=/1/juliet/a.png&type=chat")["url"]?.string
        #expect(url?.hasPrefix("https://chat.lan:7677/f/th-l") == true)
        let place = try #require(url).dropFirst("https://chat.lan:7677".count)
        let uploaded = try LinkScenarios.form(server, String(place), Sample.png(1), name: "a.png")
        let path = uploaded.json["path"]?.string
        #expect(path?.hasPrefix("https://chat.lan:7677/v1/file/preview/th-l") == true)
    }
}
