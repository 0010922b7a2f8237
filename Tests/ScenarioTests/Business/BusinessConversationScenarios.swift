import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// The list of conversations over devices.
struct BusinessConversationScenarios {
    private func list(_ app: App, since version: Int64 = 0, known: String = "", count: Int = 20) throws -> JSONValue {
        try app.does(
            "POST", "conversation/sync",
            #"{"version":\#(version),"last_msg_seqs":"\#(known)","msg_count":\#(count),"device_uuid":"d"}"#)
    }

    private func line(_ list: JSONValue, _ channel: String) -> JSONValue? {
        list["conversations"]?.array?.first { $0["channel_id"]?.string == channel }
    }

    @Test("the list has each conversation with its newest messages, its people and groups, and then what changed")
    func sync() throws {
        let server = try TestServer()
        try server.group("verona", ["romeo", "juliet"])
        let (romeo, juliet) = (try App(server, "romeo"), try App(server, "juliet"))
        let client = try romeo.connect()
        for number in 1...3 { _ = try client.publish("group \(number)", to: "verona", group: true) }
        _ = try client.publish("direct", to: "juliet")
        let first = try self.list(juliet, count: 2)
        #expect(first["uid"]?.string == "juliet" && first["conversations"]?.array?.count == 2)
        let group = try #require(self.line(first, "verona"))
        #expect(group["unread"]?.integer == 3 && group["last_msg_seq"]?.integer == 3)
        #expect(group["recents"]?.array?.map(\.text) == ["group 3", "group 2"])
        #expect(group["extra"]?["channel_id"]?.string == "verona")
        #expect(first["users"]?.array?.map { $0["uid"]?.string } == ["romeo"])
        #expect(first["users"]?.array?.first?["online"]?.integer == 1)
        #expect(first["groups"]?.array?.map { $0["group_no"]?.string } == ["verona"])
        let version = first["conversations"]?.array?.compactMap { $0["version"]?.integer }.max() ?? 0
        #expect(try self.list(juliet, since: version)["conversations"] == .array([]))
        _ = try client.publish("later", to: "juliet")
        let later = try self.list(juliet, since: version, known: "romeo:1:1|verona:2:3")
        #expect(later["conversations"]?.array?.count == 1)
        #expect(self.line(later, "romeo")?["recents"]?.array?.map(\.text) == ["later"])
        try juliet.does("POST", "conversation/syncack", #"{"cmd_version":0,"device_uuid":"d"}"#)
        try juliet.does("POST", "conversation/syncack", #"{"cmd_version":1,"device_uuid":"d"}"#)
    }

    @Test(
        "reading on one device clears the number on the other", arguments: ["coversation", "conversation"])
    func unread(word: String) throws {
        let server = try TestServer()
        let (romeo, phone) = (try App(server, "romeo"), try App(server, "juliet"))
        let computer = try phone.other(.desktop)
        let online = try computer.connect()
        let client = try romeo.connect()
        for number in 1...3 { _ = try client.publish("\(number)", to: "juliet") }
        let channel = #""channel_id":"romeo","channel_type":1"#
        try phone.does("PUT", "\(word)/clearUnread", "{\(channel),\"unread\":1}")
        #expect(try online.command("unreadClear")["unread"]?.integer == 1)
        #expect(self.line(try self.list(computer), "romeo")?["unread"]?.integer == 1)
        try phone.does("PUT", "\(word)/clearUnread", "{\(channel),\"unread\":0}")
        #expect(self.line(try self.list(computer), "romeo")?["unread"]?.integer == 0)
        try phone.does("PUT", "\(word)/clearUnread", "{\(channel),\"unread\":5}")
        #expect(self.line(try self.list(computer), "romeo")?["unread"]?.integer == 3)
        // The other devices are told the number that counts, not the one that was asked for.
        #expect(try online.command("unreadClear")["unread"]?.integer == 0)
        #expect(try online.command("unreadClear")["unread"]?.integer == 3)
        try phone.isRefused("PUT", "\(word)/clearUnread", #"{"channel_id":"tybalt","channel_type":1,"unread":0}"#)
    }

    @Test("a conversation that was deleted comes back with its next message, and its history stays")
    func delete() throws {
        let server = try TestServer()
        let (romeo, phone) = (try App(server, "romeo"), try App(server, "juliet"))
        let client = try romeo.connect()
        _ = try client.publish("one", to: "juliet")
        let online = try phone.other(.desktop).connect()
        try phone.does("DELETE", "conversations/romeo/1")
        #expect(try online.command("conversationDelete")["channel_id"]?.string == "romeo")
        #expect(try online.command("conversationDeleted")["channel_id"]?.string == "romeo")
        #expect(try self.list(phone)["conversations"] == .array([]))
        _ = try client.publish("two", to: "juliet")
        #expect(self.line(try self.list(phone), "romeo")?["unread"]?.integer == 1)
        #expect(try phone.history("romeo", type: 1).map(\.text) == ["one", "two"])
        try phone.does("DELETE", "conversations/nobody/1")
        try phone.isRefused("DELETE", "conversations/romeo/x")
    }

    @Test("drafts and reading places reach the other device by version, also before the first message")
    func extras() throws {
        let server = try TestServer()
        try server.add("juliet")
        let phone = try App(server, "romeo")
        let computer = try phone.other(.desktop)
        let online = try computer.connect()
        let made = try phone.does("POST", "conversations/juliet/1/extra", #"{"draft":"but soft","keep_offset_y":7}"#)
        let version = try #require(made["version"]?.integer)
        try online.command("syncConversationExtra")
        let rows = try computer.does("POST", "conversation/extra/sync", #"{"version":0}"#).array ?? []
        #expect(rows.map { $0["draft"]?.string } == ["but soft"] && rows[0]["keep_offset_y"]?.integer == 7)
        #expect(rows[0]["channel_id"]?.string == "juliet" && rows[0]["version"]?.integer == version)
        #expect(try computer.does("POST", "conversation/extra/sync", #"{"version":\#(version)}"#) == .array([]))
        try phone.isRefused("POST", "conversations/verona/2/extra", #"{"draft":"x"}"#)
    }
}
