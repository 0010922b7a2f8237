import ByteCodec
import TeahouseTesting
import Testing

/// Search by the native API.
struct NativeSearchScenarios {
    /// 下雨.
    private static let rain = "%E4%B8%8B%E9%9B%A8"

    private static func texts(_ answer: JSONValue) -> [String] {
        (answer["items"]?.array ?? []).map { $0["message"]?["text"]?.string ?? "?" }
    }

    @Test("finds what the person may see, with what was found marked, and goes on by the cursor")
    func search() throws {
        let server = try TestServer()
        let (romeo, juliet) = (try NativeClient(server, "romeo"), try NativeClient(server, "juliet"))
        let tybalt = try NativeClient(server, "tybalt")
        let made = try romeo.done("POST", "/conversations", #"{"kind":"direct","with":"juliet"}"#, status: 201)
        let id = try #require(made["id"]?.string)
        for (number, text) in ["今天下雨", "the lark", "明天下雨"].enumerated() {
            try romeo.done(
                "POST", "/conversations/\(id)/messages",
                #"{"clientToken":"t\#(number)","kind":"text","text":"\#(text)"}"#,
                status: 201)
        }
        server.server.search.catchUp()
        let found = try juliet.get("/search?q=\(Self.rain)")
        #expect(Self.texts(found) == ["明天下雨", "今天下雨"])
        let first = try #require(found["items"]?.array?.first)
        #expect(first["conversation"]?.string == id && first["snippet"]?.string == "明天下雨")
        #expect(first["matches"]?.array?.first?.array?.compactMap(\.integer) == [2, 2])
        #expect(found["next"] == nil && (found["indexedTo"]?.integer ?? 0) > 0)
        let page = try juliet.get("/search?q=\(Self.rain)&limit=1")
        let next = try #require(page["next"]?.string)
        #expect(Self.texts(page) == ["明天下雨"])
        #expect(Self.texts(try juliet.get("/search?q=\(Self.rain)&limit=1&cursor=\(next)")) == ["今天下雨"])
        #expect(Self.texts(try juliet.get("/search?q=LAR&conversation=\(id)")) == ["the lark"])
        #expect(Self.texts(try juliet.get("/search?q=lark&sender=juliet")) == [])
        #expect(Self.texts(try juliet.get("/search?kind=text")).count == 3)
        #expect(Self.texts(try tybalt.get("/search?q=lark")) == [])
        try romeo.done("POST", "/messages/\(id)-2/recall")
        #expect(Self.texts(try juliet.get("/search?q=lark")) == [])
    }

    @Test("refuses what it cannot look for")
    func refusals() throws {
        let romeo = try NativeClient(try TestServer(), "romeo")
        #expect(try romeo.refused("GET", "/search") == "unusable_field")
        #expect(try romeo.refused("GET", "/search?q=!!!") == "unusable_field")
        #expect(try romeo.refused("GET", "/search?q=a&cursor=x") == "unusable_field")
        #expect(try romeo.refused("GET", "/search?q=a&kind=none") == "invalid_field")
        #expect(try romeo.refused("GET", "/search?q=a&from=2&to=1") == "unusable_field")
        #expect(try romeo.refused("GET", "/search?q=a&sender=nobody") == "no_such_user")
    }
}
