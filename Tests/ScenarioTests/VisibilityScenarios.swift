import ByteCodec
import ChatModel
import CommandLineKit
import Store
import TeahouseTesting
import Testing

/// Who is shown what of a message, through the whole server.
struct VisibilityScenarios {
    private let placeholder = "这是群定向消息，仅部分群成员可见"

    @Test(
        "a message for some: they and the sender's devices get it, the others its placeholder, live, later and by HTTP",
        arguments: ["onlyVisibleTo", "OnlyVisiableForPartClientIds"])
    func restricted(_ key: String) throws {
        let house = try House()
        try house.group("verona", ["romeo", "juliet", "tybalt", "benvolio"])
        let romeo = try house.connect("romeo")
        let phone = try house.connect("romeo", .app)
        let juliet = try house.connect("juliet")
        let tybalt = try house.connect("tybalt")
        // Ends the text, and goes on with the list.
        let text = #"at the balcony","\#(key)":["juliet"],"more":""#
        let sent = try romeo.publish(text, to: "verona", group: true)
        #expect(sent.reason == 1)
        #expect(try juliet.receive().text == "at the balcony")
        #expect(try phone.receive().text == "at the balcony")
        let shown = try tybalt.receive()
        #expect(shown.text == self.placeholder && shown.from == "romeo" && shown.sequence == sent.sequence)
        let benvolio = try house.connect("benvolio")
        #expect(try benvolio.receive().text == self.placeholder, "so when it is caught up with")
        let history = try house.manage(
            "/channel/messagesync",
            #"{"login_uid":"tybalt","channel_id":"verona","channel_type":2,"limit":10,"pull_mode":1}"#)
        let words = try #require(history.json["messages"]?.array?.first?["payload"]?.string)
        let payload = String(decoding: try #require(Base64.decode(Array(words.utf8))), as: UTF8.self)
        #expect(payload.contains(self.placeholder) && !payload.contains("balcony"))
        // The operator sees the message, and who may.
        let seen = house.ctl("conversation", "messages", "verona", "--json").json["messages"]?.array?.first
        #expect(seen?["text"]?.string == "at the balcony" && seen?["visibleCount"]?.integer == 1)
        #expect(seen?["visibleTo"]?.array?.map(\.string) == ["juliet"])
        house.stop()
        #expect(try house.findings() == [])
    }

    @Test("rules hold for the next message, live and in the history; the sender sees what they said")
    func filter() throws {
        let house = try House()
        try house.group("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try house.connect("romeo")
        let juliet = try house.connect("juliet")
        let tybalt = try house.connect("tybalt")
        #expect(house.ctl("filter", "add", "--for", "juliet", "--from", "tybalt", "--drop").code == .done)
        #expect(house.ctl("filter", "add", "--word", "sword", "--text", "flower").code == .done)
        try tybalt.publish("sword", to: "verona", group: true)
        #expect(try romeo.receive().text == "flower")
        try romeo.publish("peace", to: "verona", group: true)
        #expect(try juliet.receive().text == "peace", "she was not told of the other")
        #expect(try tybalt.receive().text == "peace")
        let test = house.ctl("filter", "test", "--for", "juliet", "--from", "tybalt", "hello", "--json")
        #expect(test.json["rules"]?.array?.count == 1)
        #expect(house.ctl("filter", "list", "--json").json["rules"]?.array?.count == 2)
        let own = try house.history(.channel(.group, ChannelName("verona")!), seenBy: "tybalt")
        #expect(own.first.map { String(decoding: $0.content.body, as: UTF8.self).contains("sword") } == true)
        #expect(house.ctl("filter", "remove", "1").code == .done)
        try tybalt.publish("hello", to: "verona", group: true)
        #expect(try juliet.receive().text == "hello")
        #expect(house.ctl("filter", "remove", "1").code != .done)
        house.stop()
        #expect(try house.findings() == [])
    }
}
