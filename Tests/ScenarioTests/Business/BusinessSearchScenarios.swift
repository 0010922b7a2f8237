import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// Searching messages, as TangSengDaoDao's apps do.
struct BusinessSearchScenarios {
    private func furnished() throws -> (TestServer, romeo: App, juliet: App, ids: [String]) {
        let server = try TestServer()
        try server.group("verona", ["romeo", "juliet", "nurse"])
        try server.group("mantua", ["romeo"])
        let romeo = try App(server, "romeo")
        let client = try romeo.connect()
        let ids = [
            try client.publish("今天下雨了", to: "verona", group: true, number: "n1").messageID,
            try client.publish("the lark sings", to: "verona", group: true, number: "n2").messageID,
            try client.publish("明天也下雨", to: "verona", group: true, number: "n3").messageID,
            try client.publish("下雨 in mantua", to: "mantua", group: true, number: "n4").messageID,
            try client.publish("下雨 for you", to: "juliet", group: false, number: "n5").messageID,
        ]
        server.server.search.catchUp()
        return (server, romeo, try App(server, "juliet"), ids)
    }

    private static func inVerona(_ app: App, _ keyword: String, _ more: String = "") throws -> [Int64] {
        let answer = try app.does(
            "POST", "message/search", #"{"channel_id":"verona","channel_type":2,"keyword":"\#(keyword)"\#(more)}"#)
        return (answer.array ?? []).map(\.sequence)
    }

    private static func everywhere(_ app: App, _ fields: String) throws -> JSONValue {
        try app.does("POST", "search/global", "{\(fields)}")
    }

    private static func messages(_ answer: JSONValue) -> [String] {
        (answer["messages"]?.array ?? []).map { $0["payload"]?["content"]?.string ?? "?" }
    }

    @Test("finds in one channel the newest first, by words, by content type, below a sequence, also at once")
    func oneChannel() throws {
        let (server, romeo, juliet, _) = try self.furnished()
        #expect(try Self.inVerona(juliet, "下雨") == [3, 1])
        #expect(try Self.inVerona(juliet, "LARK") == [2])
        #expect(try Self.inVerona(juliet, "下雨", #","content_type":1"#) == [3, 1])
        #expect(try Self.inVerona(juliet, "下雨", #","content_type":2"#) == [])
        #expect(try Self.inVerona(juliet, "下雨", #","before_message_seq":3"#) == [1])
        #expect(try Self.inVerona(juliet, "!!!") == [])
        let refusal = try juliet.isRefused(
            "POST", "message/search",
            #"{"channel_id":"verona","channel_type":2,"keyword":"\#(String(repeating: "字", count: 101))"}"#)
        #expect(refusal == "keyword has at most 100 characters")
        server.server.search.stop()
        _ = try romeo.connect().publish("下雨 again", to: "verona", group: true, number: "n6")
        #expect(try Self.inVerona(juliet, "下雨") == [4, 3, 1])
    }

    @Test("finds everywhere what the asker may see, with its channels, page by page")
    func global() throws {
        let (_, romeo, juliet, _) = try self.furnished()
        let found = try Self.everywhere(juliet, #""keyword":"下雨","only_message":1"#)
        #expect(Self.messages(found) == ["下雨 for you", "明天也下雨", "今天下雨了"])
        let first = try #require(found["messages"]?.array?.first)
        #expect(first["channel"]?["channel_id"]?.string == "romeo")
        #expect(first["channel"]?["channel_type"]?.integer == 1)
        #expect(first["from_channel"]?["channel_id"]?.string == "romeo")
        #expect(first["message_seq"]?.integer == 1 && first["is_deleted"]?.integer == 0)
        #expect(found["friends"] == .array([]) && found["groups"] == .array([]))
        let all = try Self.everywhere(romeo, #""keyword":"下雨""#)
        #expect(Self.messages(all) == ["下雨 for you", "下雨 in mantua", "明天也下雨", "今天下雨了"])
        let second = try Self.everywhere(romeo, #""keyword":"下雨","limit":2,"page":2"#)
        #expect(Self.messages(second) == ["明天也下雨", "今天下雨了"])
        let channel = try Self.everywhere(romeo, #""keyword":"下雨","channel_id":"mantua","channel_type":2"#)
        #expect(Self.messages(channel) == ["下雨 in mantua"])
        #expect(Self.messages(try Self.everywhere(juliet, #""keyword":"下雨","from_uid":"juliet""#)) == [])
        #expect(Self.messages(try Self.everywhere(juliet, #""keyword":"下雨","end_time":1000"#)) == [])
        #expect(Self.messages(try Self.everywhere(juliet, #""content_type":[1],"from_uid":"romeo""#)).count == 4)
        #expect(Self.messages(try Self.everywhere(juliet, "")) == [])
        try juliet.isRefused("POST", "search/global", #"{"keyword":"下雨","limit":100,"page":11}"#)
        try juliet.isRefused("POST", "search/global", #"{"keyword":"下雨","start_time":20,"end_time":10}"#)
    }

    @Test("finds no more what was recalled, and an edited message by its new words")
    func changed() throws {
        let (server, romeo, juliet, ids) = try self.furnished()
        try romeo.does("POST", "message/revoke?channel_id=verona&channel_type=2&message_id=\(ids[0])&client_msg_no=n1")
        #expect(try Self.inVerona(juliet, "下雨") == [3])
        #expect(Self.messages(try Self.everywhere(juliet, #""keyword":"今天""#)) == [])
        let edited = #"{\"type\":1,\"content\":\"the nightingale\"}"#
        try romeo.does(
            "POST", "message/edit",
            #"{"channel_id":"verona","channel_type":2,"message_id":"\#(ids[1])","message_seq":2,"content_edit":"\#(edited)"}"#
        )
        server.server.search.catchUp()
        #expect(try Self.inVerona(juliet, "lark") == [])
        #expect(try Self.inVerona(juliet, "nightingale") == [2])
        #expect(Self.messages(try Self.everywhere(juliet, #""keyword":"nightingale""#)) == ["the nightingale"])
    }

    @Test("finds groups by their names")
    func names() throws {
        let (_, romeo, juliet, _) = try self.furnished()
        let found = try Self.everywhere(romeo, #""keyword":"veron""#)
        #expect((found["groups"]?.array ?? []).map { $0["channel_id"]?.string } == ["verona"])
        let others = try Self.everywhere(juliet, #""keyword":"mantu""#)
        #expect(others["groups"] == .array([]))
    }
}
