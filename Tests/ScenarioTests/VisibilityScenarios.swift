import ByteCodec
import ChatModel
import CommandLineKit
import Store
import TeahouseTesting
import Testing

/// Parts of a message that each person is shown, through the whole server.
struct VisibilityScenarios {
    private let placeholder = "这是群定向消息，仅部分群成员可见"

    @Test(
        "a message for some: they and the sender's devices get it, the others its placeholder, live, later and by HTTP",
        arguments: ["onlyVisibleTo", "OnlyVisiableForPartClientIds"])
    func restricted(_ key: String) throws {
        let server = try TestServer()
        try server.group("verona", ["romeo", "juliet", "tybalt", "benvolio"])
        let romeo = try server.connect("romeo")
        let phone = try server.connect("romeo", .app)
        let juliet = try server.connect("juliet")
        let tybalt = try server.connect("tybalt")
        // Ends the text, and goes on with the list.
        let text = #"at the balcony","\#(key)":["juliet"],"more":""#
        let sent = try romeo.publish(text, to: "verona", group: true)
        #expect(sent.reason == 1)
        #expect(try juliet.receive().text == "at the balcony")
        #expect(try phone.receive().text == "at the balcony")
        let shown = try tybalt.receive()
        #expect(shown.text == self.placeholder && shown.from == "romeo" && shown.sequence == sent.sequence)
        let benvolio = try server.connect("benvolio")
        #expect(try benvolio.receive().text == self.placeholder, "so when it is caught up with")
        let history = try server.manage(
            "/channel/messagesync",
            #"{"login_uid":"tybalt","channel_id":"verona","channel_type":2,"limit":10,"pull_mode":1}"#)
        let words = try #require(history.json["messages"]?.array?.first?["payload"]?.string)
        let payload = String(decoding: try #require(Base64.decode(Array(words.utf8))), as: UTF8.self)
        #expect(payload.contains(self.placeholder) && !payload.contains("balcony"))
        // The operator sees the message, and who may.
        let seen = server.ctl("conversation", "messages", "verona", "--json").json["messages"]?.array?.first
        #expect(seen?["text"]?.string == "at the balcony" && seen?["visibleCount"]?.integer == 1)
        #expect(seen?["visibleTo"]?.array?.map(\.string) == ["juliet"])
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("rules hold for the next message, live and in the history; the sender sees what they said")
    func filter() throws {
        let server = try TestServer()
        try server.group("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let tybalt = try server.connect("tybalt")
        #expect(server.ctl("filter", "add", "--for", "juliet", "--from", "tybalt", "--drop").code == .done)
        #expect(server.ctl("filter", "add", "--word", "sword", "--text", "flower").code == .done)
        try tybalt.publish("sword", to: "verona", group: true)
        #expect(try romeo.receive().text == "flower")
        try romeo.publish("peace", to: "verona", group: true)
        #expect(try juliet.receive().text == "peace", "she was not told of the other")
        #expect(try tybalt.receive().text == "peace")
        let test = server.ctl("filter", "test", "--for", "juliet", "--from", "tybalt", "hello", "--json")
        #expect(test.json["rules"]?.array?.count == 1)
        #expect(server.ctl("filter", "list", "--json").json["rules"]?.array?.count == 2)
        let own = try server.history(.channel(.group, ChannelName("verona")!), seenBy: "tybalt")
        #expect(own.first.map { String(decoding: $0.content.body, as: UTF8.self).contains("sword") } == true)
        #expect(server.ctl("filter", "remove", "1").code == .done)
        try tybalt.publish("hello", to: "verona", group: true)
        #expect(try juliet.receive().text == "hello")
        #expect(server.ctl("filter", "remove", "1").code != .done)
        server.stop()
        #expect(try server.findings() == [])
    }
}
