import ByteCodec
import ChatModel
import HTTPClient
import Server
import Store
import TeahouseTesting
import Testing

/// Channels that only the business server knows.
struct DatasourceScenarios {
    private static let answers = [
        "getSubscribers": #"["romeo","juliet"]"#, "getChannelInfo": "{}", "getBlacklist": "[]", "getWhitelist": "[]",
        "getSystemUIDs": #"["prince"]"#,
    ]

    /// A datasource that knows the channel `verona` and nothing else.
    private static func source() -> HTTPReceiver {
        HTTPReceiver { request in
            guard let json = try? JSONValue(parsing: request.body), let command = json["cmd"]?.string else {
                return .status(400)
            }
            let channel = json["data"]?["channel_id"]?.string
            return .body(channel == nil || channel == "verona" ? Self.answers[command] ?? "null" : "null")
        }
    }

    private static func server(_ source: HTTPReceiver) throws -> TestServer {
        let address = try HTTPAddress(source.address)
        return try TestServer { $0.datasource = address }
    }

    @Test("messages to a channel that is not known here wait while it is asked for, and arrive in order")
    func imported() throws {
        let source = Self.source()
        let server = try Self.server(source)
        let (romeo, juliet) = (try server.connect("romeo"), try server.connect("juliet"))
        for text in ["one", "two", "three"] {
            let parameters = TestClient.sendParameters(text, to: "verona", group: true, number: nil, header: "")
            try romeo.send(raw: "{\"id\":\"\(text)\",\"method\":\"send\",\"params\":\(parameters)}")
        }
        let sequences = try ["one", "two", "three"].map { id in
            try romeo.answer(to: id)["result"]?["messageSeq"]?.integer
        }
        #expect(sequences == [1, 2, 3])
        // Apps that are online are told of the new group by a command as well.
        var said: [String] = []
        while said.count < 3 {
            let received = try juliet.receive()
            if received.parameters["payload"]?["cmd"] == nil { said.append(received.text) }
        }
        #expect(said == ["one", "two", "three"])
        #expect(source.requests.count { $0.text.contains("getSubscribers") } == 1)
        let stranger = try server.connect("tybalt")
        #expect(try stranger.publish("me too", to: "verona", group: true).reason == 3)
    }

    @Test("a channel that nobody knows is refused, and not asked for again at once")
    func unknown() throws {
        let source = Self.source()
        let server = try Self.server(source)
        let romeo = try server.connect("romeo")
        #expect(try romeo.publish("hello?", to: "mantua", group: true).reason == 5)
        #expect(try romeo.publish("hello?", to: "mantua", group: true).reason == 5)
        #expect(source.requests.count { $0.text.contains("mantua") } == 1)
    }

    @Test("a datasource that fails leaves everything as it was")
    func fails() throws {
        let server = try Self.server(HTTPReceiver { _ in .status(500) })
        let romeo = try server.connect("romeo")
        #expect(try romeo.publish("hello?", to: "verona", group: true).reason == 5)
        try server.group("tea", ["romeo"])
        #expect(try romeo.publish("hello", to: "tea", group: true).reason == 1)
    }
}
