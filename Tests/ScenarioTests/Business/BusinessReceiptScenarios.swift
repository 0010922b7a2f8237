import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// Receipts, reactions, pins and reminders.
struct BusinessReceiptScenarios {
    private func furnished() throws -> (TestServer, romeo: App, juliet: App, nurse: App) {
        let server = try TestServer()
        try server.group("verona", ["romeo", "juliet", "nurse"])
        return (server, try App(server, "romeo"), try App(server, "juliet"), try App(server, "nurse"))
    }

    private let channel = #""channel_id":"verona","channel_type":2"#

    @Test("readers of a message whose sender asked for it: counted, listed, told to the sender")
    func receipts() throws {
        let (server, romeo, juliet, _) = try self.furnished()
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
        let tybalt = try App(server, "tybalt")
        try tybalt.isRefused("POST", "message/readed", "{\(self.channel),\"message_ids\":[\"\(asked)\"]}")
        try tybalt.isRefused("GET", "messages/\(asked)/receipt?readed=1")
        try romeo.does("POST", "message/readed", "{\(self.channel),\"message_ids\":[\"\(asked)\"]}")
        #expect(try romeo.history("verona")[0]["readed_count"]?.integer == 1)
        try juliet.isRefused("POST", "message/readed", "{\(self.channel),\"message_ids\":[\"1\"]}")
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a reaction is added, and cancelled by the same one; devices that were away follow by number")
    func reactions() throws {
        let (server, romeo, juliet, nurse) = try self.furnished()
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
        let tybalt = try App(server, "tybalt")
        try tybalt.isRefused("POST", "reactions", body)
        #expect(try tybalt.does("POST", "reaction/sync", "{\(self.channel),\"seq\":0}") == .array([]))
    }

    @Test("only reactions that are allowed are added; one of before may be cancelled, but not added again")
    func allowedReactions() throws {
        let (server, romeo, juliet, _) = try self.furnished()
        let id = try romeo.connect().publish("star-crossed", to: "verona", group: true).messageID
        func body(_ name: String) -> String { "{\(self.channel),\"message_id\":\"\(id)\",\"emoji\":\"\(name)\"}" }
        #expect(try juliet.isRefused("POST", "reactions", body("<script>")).contains("messages.reactions"))
        try juliet.does("POST", "reactions", body("[微笑]"))
        var rules = MessageRules()
        rules.reactions = ["👍"]
        server.server.store.setRules(rules)
        try juliet.isRefused("POST", "reactions", body("👎"))
        try juliet.does("POST", "reactions", body("👍"))
        try juliet.does("POST", "reactions", body("[微笑]"))
        try juliet.isRefused("POST", "reactions", body("[微笑]"))
        let rows = try romeo.history("verona")[0]["reactions"]?.array ?? []
        #expect(rows.map { $0["emoji"]?.string } == ["👍"])
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("an app keeps a dictionary with a message: replaced or patched, by version, synchronised, gone with it")
    func messageExtras() throws {
        let (server, romeo, juliet, nurse) = try self.furnished()
        let sender = try romeo.connect()
        let id = try sender.publish("star-crossed", to: "verona", group: true).messageID
        func body(_ extra: String, _ more: String = "") -> String {
            "{\(self.channel),\"message_id\":\"\(id)\",\"extra\":\(extra)\(more)}"
        }
        let first = try juliet.does("PUT", "message/extra", body(#"{"star":1,"tags":["a"]}"#, #","extra_version":0"#))
        try sender.command("syncMessageExtra")
        let version = try #require(first["extra_version"]?.integer)
        #expect(first["extra"]?["star"]?.integer == 1 && version > 0)
        // Who knew an older version is told how it stands, and changes nothing.
        let late = try nurse.ask("PUT", "message/extra", body(#"{"star":9}"#, #","extra_version":\#(version - 1)"#))
        #expect(late.status == 409 && late.json["message_extra"]?["extra"]?["star"]?.integer == 1)
        #expect(late.json["msg"]?.string?.isEmpty == false)
        let second = try nurse.does(
            "PATCH", "message/extra", body(#"{"star":null,"by":"nurse"}"#, #","extra_version":\#(version)"#))
        #expect(second["extra"]?.object?.map(\.name) == ["tags", "by"])
        let synced = try romeo.extras("verona", after: version)
        #expect(synced.map { $0["extra"]?["by"]?.string } == ["nurse"])
        #expect(try romeo.history("verona")[0]["message_extra"]?["extra"]?["by"]?.string == "nurse")
        try juliet.does("PUT", "message/extra", body("{}"))
        #expect(try romeo.extras("verona").first?["extra"] == nil)

        let tybalt = try App(server, "tybalt")
        try tybalt.isRefused("PUT", "message/extra", body("{}"))
        for wrong in ["1", "[]", "\"{}\"", "null"] { try juliet.isRefused("PATCH", "message/extra", body(wrong)) }
        let big = "{\"x\":\"\(String(repeating: "x", count: MessageLimits.attributeBytes))\"}"
        try juliet.isRefused("PATCH", "message/extra", body(big))
        try juliet.does("PATCH", "message/extra", body(#"{"secret":1}"#))
        try romeo.does("POST", "message/revoke?channel_id=verona&channel_type=2&message_id=\(id)")
        #expect(try nurse.extras("verona").allSatisfy { $0["extra"] == nil })
        try juliet.isRefused("PATCH", "message/extra", body("{}"))
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("an app keeps fields of its own with a channel, beside those of the server")
    func channelExtra() throws {
        let (server, romeo, juliet, _) = try self.furnished()
        let online = try juliet.connect()
        let changed = try romeo.does("PATCH", "channels/verona/2/extra", #"{"colour":"red","level":3}"#)
        #expect(changed["colour"]?.string == "red" && changed["group_no"]?.string == "verona")
        #expect(try online.command("channelUpdate")["channel_id"]?.string == "verona")
        let card = try juliet.does("GET", "channels/verona/2")
        #expect(card["extra"]?["level"]?.integer == 3 && card["extra"]?["name"] != nil)
        try romeo.does("PATCH", "channels/verona/2/extra", #"{"level":null}"#)
        #expect(try juliet.does("GET", "channels/verona/2")["extra"]?["level"] == nil)
        for taken in ["name", "role", "forbidden_add_friend"] {
            #expect(try romeo.isRefused("PATCH", "channels/verona/2/extra", "{\"\(taken)\":1}").contains(taken))
        }
        try romeo.isRefused("PATCH", "channels/juliet/1/extra", #"{"colour":"red"}"#)
        let tybalt = try App(server, "tybalt")
        try tybalt.isRefused("PATCH", "channels/verona/2/extra", #"{"colour":"red"}"#)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a business server makes reminders of every kind, and ends them; nobody else does")
    func businessReminders() throws {
        let (server, romeo, juliet, nurse) = try self.furnished()
        let online = try juliet.connect()
        let id = try romeo.connect().publish("read this", to: "verona", group: true).messageID
        let join =
            "{\(self.channel),\"reminder_type\":2,"
            + #""text":"tybalt","publisher":"romeo","uids":["juliet"]}"#
        let made = try server.manage("/reminders/add", join)
        #expect(made.status == 200 && made.json["data"]?["ids"]?.array?.count == 1)
        try online.command("syncReminders")
        let confirm =
            "{\(self.channel),\"reminder_type\":3,\"message_id\":\"\(id)\",\"is_locate\":1,\"data\":{\"page\":7}}"
        #expect(try server.manage("/reminders/add", confirm).json["data"]?["ids"]?.array?.count == 3)
        func rows(_ app: App) throws -> [JSONValue] {
            try app.does("POST", "message/reminder/sync", #"{"version":0,"limit":100}"#).array ?? []
        }
        let hers = try rows(juliet)
        #expect(hers.map { $0["reminder_type"]?.integer } == [2, 3])
        #expect(hers[0]["publisher"]?.string == "romeo" && hers[0]["text"]?.string == "tybalt")
        #expect(hers[1]["message_seq"]?.integer == 1 && hers[1]["data"]?["page"]?.integer == 7)
        #expect(try rows(nurse).map { $0["reminder_type"]?.integer } == [3])
        let ids = try #require(made.json["data"]?["ids"]).serialized()
        #expect(
            try server.manage("/reminders/done", "{\"ids\":\(String(decoding: ids, as: UTF8.self))}").status == 200)
        try online.command("syncReminders")
        #expect(try rows(juliet).map { $0["done"]?.integer }.sorted { ($0 ?? 0) < ($1 ?? 0) } == [0, 1])

        for wrong in [#""reminder_type":4"#, #""reminder_type":2,"uids":["tybalt"]"#, #""reminder_type":2,"data":[1]"#]
        {
            #expect([400, 403, 404].contains(try server.manage("/reminders/add", "{\(self.channel),\(wrong)}").status))
        }
        let token = try server.token("romeo")
        #expect(try server.http("POST", "/reminders/add", token: token, json: join).status == 401)
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("managers pin and unpin, everybody synchronises it")
    func pins() throws {
        let (server, romeo, juliet, _) = try self.furnished()
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
            try App(server, "tybalt").does("POST", "message/pinned/sync", "{\(self.channel)}")["messages"] == .array([])
        )
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
