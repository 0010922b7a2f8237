import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// Receipts, reactions, pins and reminders.
struct BusinessReceiptScenarios {
    private func furnished() throws -> (House, romeo: App, juliet: App, nurse: App) {
        let house = try House()
        try house.group("verona", ["romeo", "juliet", "nurse"])
        return (house, try App(house, "romeo"), try App(house, "juliet"), try App(house, "nurse"))
    }

    private let channel = #""channel_id":"verona","channel_type":2"#

    @Test("readers of a message whose sender asked for it: counted, listed, told to the sender")
    func receipts() throws {
        let (house, romeo, juliet, _) = try self.furnished()
        let sender = try romeo.connect()
        let asked = try sender.publishWithReceipt("read me", to: "verona", group: true)
        let unasked = try sender.publish("do not mind me", to: "verona", group: true).messageID
        try juliet.does("POST", "message/readed", "{\(self.channel),\"message_ids\":[\"\(asked)\",\"\(unasked)\"]}")
        try sender.command("syncMessageExtra")
        let rows = try romeo.history("verona")
        #expect(rows[0]["readed_count"]?.integer == 1 && rows[0]["unread_count"]?.integer == 1)
        #expect(rows[1]["readed_count"]?.integer == 0)
        #expect(try juliet.history("verona")[0]["readed"]?.integer == 1)
        let readers = try romeo.does("GET", "messages/\(asked)/receipt?readed=1&page_index=1&page_size=10").array ?? []
        #expect(readers.map { $0["uid"]?.string } == ["juliet"])
        let others =
            try romeo.does(
                "GET", "messages/\(asked)/receipt?readed=0&channel_id=verona&channel_type=2"
            ).array ?? []
        #expect(others.map { $0["uid"]?.string } == ["nurse"])
        #expect(try romeo.does("GET", "messages/\(asked)/receipt?page_index=2&page_size=1") == .array([]))

        // Nobody reads for others, and nobody learns of readers elsewhere.
        let tybalt = try App(house, "tybalt")
        try tybalt.isRefused("POST", "message/readed", "{\(self.channel),\"message_ids\":[\"\(asked)\"]}")
        try tybalt.isRefused("GET", "messages/\(asked)/receipt?readed=1")
        try romeo.does("POST", "message/readed", "{\(self.channel),\"message_ids\":[\"\(asked)\"]}")
        #expect(try romeo.history("verona")[0]["readed_count"]?.integer == 1)
        try juliet.isRefused("POST", "message/readed", "{\(self.channel),\"message_ids\":[\"1\"]}")
        house.stop()
        #expect(try house.findings() == [])
    }

    @Test("a reaction is added, and cancelled by the same one; devices that were away follow by number")
    func reactions() throws {
        let (house, romeo, juliet, nurse) = try self.furnished()
        let sender = try romeo.connect()
        let id = try sender.publish("star-crossed", to: "verona", group: true).messageID
        let body = "{\(self.channel),\"message_id\":\"\(id)\",\"emoji\":\"❤️\"}"
        let added = try juliet.does("POST", "reactions", body)
        #expect(added["emoji"]?.string == "❤️" && added["is_deleted"]?.integer == 0)
        try sender.command("syncMessageReaction")
        #expect(try romeo.history("verona")[0]["reactions"]?.array?.map { $0["uid"]?.string } == ["juliet"])
        let first = try nurse.does("POST", "reaction/sync", "{\(self.channel),\"seq\":0,\"limit\":100}").array ?? []
        #expect(first.map { $0["message_id"]?.string } == [id] && first[0]["uid"]?.string == "juliet")
        let seq = try #require(first.last?["seq"]?.integer)
        try juliet.does("POST", "reactions", body)
        let second = try nurse.does("POST", "reaction/sync", "{\(self.channel),\"seq\":\(seq)}").array ?? []
        #expect(second.map { $0["is_deleted"]?.integer } == [1])
        #expect(try romeo.history("verona")[0]["reactions"] == .array([]))
        let tybalt = try App(house, "tybalt")
        try tybalt.isRefused("POST", "reactions", body)
        #expect(try tybalt.does("POST", "reaction/sync", "{\(self.channel),\"seq\":0}") == .array([]))
    }

    @Test("only reactions that are allowed are added; one of before may be cancelled, but not added again")
    func allowedReactions() throws {
        let (house, romeo, juliet, _) = try self.furnished()
        let id = try romeo.connect().publish("star-crossed", to: "verona", group: true).messageID
        func body(_ name: String) -> String { "{\(self.channel),\"message_id\":\"\(id)\",\"emoji\":\"\(name)\"}" }
        #expect(try juliet.isRefused("POST", "reactions", body("<script>")).contains("messages.reactions"))
        try juliet.does("POST", "reactions", body("[微笑]"))
        var rules = MessageRules()
        rules.reactions = ["👍"]
        house.server.store.setRules(rules)
        try juliet.isRefused("POST", "reactions", body("👎"))
        try juliet.does("POST", "reactions", body("👍"))
        try juliet.does("POST", "reactions", body("[微笑]"))
        try juliet.isRefused("POST", "reactions", body("[微笑]"))
        let rows = try romeo.history("verona")[0]["reactions"]?.array ?? []
        #expect(rows.map { $0["emoji"]?.string } == ["👍"])
        house.stop()
        #expect(try house.findings() == [])
    }

    @Test("managers pin and unpin, everybody synchronises it")
    func pins() throws {
        let (house, romeo, juliet, _) = try self.furnished()
        let sender = try romeo.connect()
        let ids = try ["one", "two"].map { try sender.publish($0, to: "verona", group: true).messageID }
        let online = try juliet.connect()
        for id in ids { try romeo.does("POST", "message/pinned", "{\(self.channel),\"message_id\":\"\(id)\"}") }
        try online.command("syncPinnedMessage")
        try juliet.isRefused("POST", "message/pinned", "{\(self.channel),\"message_id\":\"\(ids[0])\"}")
        let first = try juliet.does("POST", "message/pinned/sync", "{\(self.channel),\"version\":0}")
        #expect(first["pinned_messages"]?.array?.map { $0["message_id"]?.string } == ids)
        #expect(first["messages"]?.array?.map(\.text) == ["one", "two"])
        let version = try #require(first["pinned_messages"]?.array?.last?["version"]?.integer)
        try romeo.does("POST", "message/pinned", "{\(self.channel),\"message_id\":\"\(ids[0])\"}")
        let second = try juliet.does("POST", "message/pinned/sync", "{\(self.channel),\"version\":\(version)}")
        #expect(second["pinned_messages"]?.array?.map { $0["is_deleted"]?.integer } == [1])
        try juliet.isRefused("POST", "message/pinned/clear", "{\(self.channel)}")
        try romeo.does("POST", "message/pinned/clear", "{\(self.channel)}")
        let third = try juliet.does("POST", "message/pinned/sync", "{\(self.channel),\"version\":0}")
        #expect(third["pinned_messages"]?.array?.allSatisfy { $0["is_deleted"]?.integer == 1 } == true)
        #expect(
            try App(house, "tybalt").does("POST", "message/pinned/sync", "{\(self.channel)}")["messages"] == .array([]))
    }

    @Test("who is called by name has a reminder on every device until it is done; others cannot end it")
    func reminders() throws {
        let (_, romeo, juliet, nurse) = try self.furnished()
        let called = try juliet.other(.web).connect()
        try romeo.connect().publish("where are you", mentioning: #""juliet""#, to: "verona")
        try called.command("syncReminders")
        let first = try juliet.does("POST", "message/reminder/sync", #"{"version":0,"limit":100,"channel_ids":[]}"#)
        let reminder = try #require(first.array?.first)
        #expect(reminder["reminder_type"]?.integer == 1 && reminder["text"]?.string == "[有人@我]")
        #expect(reminder["channel_id"]?.string == "verona" && reminder["publisher"]?.string == "romeo")
        #expect(reminder["message_seq"]?.integer == 1 && reminder["done"]?.integer == 0)
        #expect(try nurse.does("POST", "message/reminder/sync", #"{"version":0}"#) == .array([]))
        let elsewhere = #"{"version":0,"channel_ids":["mantua"]}"#
        #expect(try juliet.does("POST", "message/reminder/sync", elsewhere) == .array([]))
        let id = try #require(reminder["id"]?.integer)
        try nurse.does("POST", "message/reminder/done", "[\(id)]")
        let version = try #require(reminder["version"]?.integer)
        #expect(try juliet.does("POST", "message/reminder/sync", #"{"version":\#(version)}"#) == .array([]))
        let online = try juliet.other(.desktop).connect()
        try juliet.does("POST", "message/reminder/done", "[\(id)]")
        try online.command("syncReminders")
        let done = try juliet.does("POST", "message/reminder/sync", #"{"version":\#(version)}"#).array ?? []
        #expect(done.map { $0["done"]?.integer } == [1])
    }
}
