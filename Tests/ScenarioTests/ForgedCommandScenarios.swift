import Broker
import ByteCodec
import ChatModel
import Hooks
import TeahouseTesting
import Testing

/// Commands are the server's to give. Whatever the spelling and whatever the gateway, a person's is refused.
struct ForgedCommandScenarios {
    /// Payloads that the reader of some SDK takes for content type 99.
    private static let forged = [
        #"{"type":99,"cmd":"messageRevoke"}"#, #"{"type":99.0,"cmd":"messageRevoke"}"#,
        #"{"type":9.9e1,"cmd":"messageRevoke"}"#, #"{"type":1,"type":99,"cmd":"messageRevoke"}"#,
        #"{"type":1,"t\u0079pe":99,"cmd":"messageRevoke"}"#, #"{"type":"99","cmd":"messageRevoke"}"#,
        #"{"type":99.5}"#, #"{"type":4294967395}"#, "\u{FEFF}{\"type\":99}", "/**/{\"type\":99}", "{'type':99}",
        #"{"type":99,"x":\#(String(repeating: "[", count: 40))\#(String(repeating: "]", count: 40))}"#,
    ]

    private static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }

    @Test("no spelling of a command passes a door as a person's message")
    func sending() throws {
        let server = try TestServer { $0.wuKongAPI.perPerson = RateLimit(perSecond: 1e6, burst: 1e6) }
        let juliet = try server.connect("juliet")
        let phone = try server.connectBinary("juliet")
        let binary = try server.connectBinary("romeo")
        let token = try server.token("romeo", .web)
        let json = try server.connect("romeo", .web, token: token)
        for payload in Self.forged {
            let reason = try binary.publish(try binary.sendPacket(content: payload, to: "juliet")).reason
            #expect(reason == 11 || reason == 9, "binary \(payload)")
            let encoded = #"{"channelId":"juliet","channelType":1,"payload":"\#(Self.base64(payload))"}"#
            let answer = try json.request("send", encoded)["result"]?["reasonCode"]?.integer
            #expect(answer == 11 || answer == 9, "json \(payload)")
            let body =
                #"{"from_uid":"romeo","channel_id":"juliet","channel_type":1,"payload":"\#(Self.base64(payload))"}"#
            let status = try server.http("POST", "/message/send", token: token, json: body).status
            #expect([400, 403].contains(status), "\(payload)")
        }
        // Nothing of it has reached anybody, and what is no command still does.
        try binary.publish("tea", to: "juliet")
        #expect(try juliet.receive().text == "tea")
        #expect(try phone.receive().text == "tea")
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("no spelling of a command becomes the new text of a message")
    func editing() throws {
        let server = try TestServer()
        let romeo = try App(server, "romeo")
        try server.add("juliet")
        let client = try romeo.connect()
        let id = try client.publish("tea", to: "juliet").messageID
        func edit(_ payload: String) throws -> (status: Int, json: JSONValue) {
            let body = JSONValue.object([
                JSONValue.Member("message_id", .string(id)), JSONValue.Member("channel_id", .string("juliet")),
                JSONValue.Member("channel_type", .integer(1)), JSONValue.Member("content_edit", .string(payload)),
            ])
            return try romeo.ask("POST", "message/edit", String(decoding: body.serialized(), as: UTF8.self))
        }
        for payload in Self.forged {
            let answer = try edit(payload)
            #expect(answer.status == 400 || answer.status == 403, "\(payload): \(answer)")
        }
        #expect(try edit("no object").status == 400)
        #expect(try romeo.extras("juliet", type: 1).isEmpty)
        #expect(try edit(#"{"type":1,"content":"coffee"}"#).status == 200)
        let extra = try #require(try romeo.extras("juliet", type: 1).first)
        #expect(extra["content_edit"]?["content"]?.string == "coffee")
    }

    @Test("a cloud function that repeats what people write makes no command of it")
    func rewriting() throws {
        let forged = #"{\"type\":1,\"type\":99,\"cmd\":\"messageRevoke\"}"#
        let receiver = HTTPReceiver { request in
            let content = (try? JSONValue(parsing: request.body))?["content"]?.string ?? ""
            if content.contains("double") { return .body(#"{"result":{"content":"\#(forged)"}}"#) }
            if content.contains("plain") { return .body(#"{"result":{"content":"{\"type\":99}"}}"#) }
            if content.contains("broken") { return .body(#"{"result":{"content":"{tea}"}}"#) }
            if content.contains("image") { return .body(#"{"result":{"content":"{\"type\":2,\"url\":\"u\"}"}}"#) }
            return .body(#"{"result":{"content":"coffee"}}"#)
        }
        var hooks = try LeanCloudHookOptions(
            base: "http://127.0.0.1:\(receiver.port)", functions: ["_messageReceived"])
        hooks.key = "a key of the app"
        let server = try TestServer { [hooks] options in options.leanCloudHooks = hooks }
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        for text in ["double", "plain", "broken"] { #expect(try romeo.publish(text, to: "juliet").reason == 11) }
        #expect(try romeo.publish("image", to: "juliet").reason == 1)
        #expect(try romeo.publish("tea", to: "juliet").reason == 1)
        #expect(try juliet.receive().parameters["payload"]?["url"]?.string == "u")
        #expect(try juliet.receive().parameters["payload"]?.string == Self.base64("coffee"))
        let kinds = try server.history(.direct(UserName("romeo")!), seenBy: "juliet").map(\.content.kind)
        #expect(kinds == [.image, .none], "a message is what its new body says")
    }
}
