import ByteCodec
import ChatModel
import HTTPClient
import Hooks
import Server
import TeahouseTesting
import Testing

/// An app's cloud functions are asked before messages are taken, and told what happened.
@Suite("LeanCloud's hooks")
struct LeanCloudHookScenarios {
    private static func server(
        _ receiver: HTTPReceiver, _ functions: Set<String>, _ change: (inout LeanCloudHookOptions) -> Void = { _ in }
    ) throws -> TestServer {
        var hooks = try LeanCloudHookOptions(base: "http://127.0.0.1:\(receiver.port)", functions: functions)
        hooks.key = "a key of the app"
        change(&hooks)
        return try TestServer { options in options.leanCloudHooks = hooks }
    }

    private static func parameters(_ request: ReceivedRequest) -> JSONValue {
        (try? JSONValue(parsing: request.body)) ?? .null
    }

    @Test("a message is dropped, changed, or restricted as the function says, and the order of a conversation holds")
    func received() throws {
        let receiver = HTTPReceiver { request in
            let content = Self.parameters(request)["content"]?.string ?? ""
            if content.contains("bad") { return .body(#"{"result":{"drop":true,"code":7,"detail":"no"}}"#) }
            if content.contains("tea") {
                return .body(#"{"result":{"content":"{\"type\":1,\"content\":\"coffee\"}"}}"#)
            }
            if content.contains("secret") { return .body(#"{"result":{"toPeers":["juliet"]}}"#) }
            return .body(#"{"result":{}}"#)
        }
        let server = try Self.server(receiver, ["_messageReceived"])
        try server.group("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        let tybalt = try server.connect("tybalt")
        #expect(try romeo.publish("bad", to: "verona", group: true).reason == 11, "not allowed to send")
        #expect(try romeo.publish("tea", to: "verona", group: true).reason == 1)
        #expect(try romeo.publish("secret", to: "verona", group: true).reason == 1)
        #expect(try romeo.publish("plain", to: "juliet").reason == 1)
        #expect(try juliet.receive(3) == ["coffee", "secret", "plain"])
        #expect(try tybalt.receive(2) == ["coffee", "这是群定向消息，仅部分群成员可见"])
        let asked = try #require(receiver.wait { $0.count == 4 })
        #expect(asked.allSatisfy { $0.target == "/1.1/functions/_messageReceived" })
        #expect(asked[0].fields["x-lc-hook-key"] == "a key of the app")
        let parameters = Self.parameters(asked[0])
        #expect(parameters["fromPeer"]?.string == "romeo")
        #expect(parameters["toPeers"]?.array?.map(\.string) == ["juliet", "tybalt"])
        #expect(parameters["convId"]?.string?.count == 24 && parameters["bin"]?.boolean == false)
        // Who writes as a business server is one.
        let answer = try server.manage(
            "/message/send",
            #"{"from_uid":"romeo","channel_id":"juliet","channel_type":1,"payload":"eyJ0eXBlIjoxLCJjb250ZW50IjoiYmFkIn0="}"#
        )
        #expect(answer.status == 200)
        #expect(try juliet.receive().text == "bad")
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("who a message is not for is not named among its receivers, and no function can add them")
    func restricted() throws {
        let receiver = HTTPReceiver { request in
            request.target.hasSuffix("_messageReceived")
                ? .body(#"{"result":{"toPeers":["juliet","tybalt"]}}"#) : .body(#"{"result":{}}"#)
        }
        let server = try Self.server(receiver, ["_messageReceived", "_messageSent", "_receiversOffline"])
        try server.group("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try server.connect("romeo")
        // Ends the text, and goes on with the list.
        try romeo.publish(#"at the balcony","onlyVisibleTo":["juliet"],"more":""#, to: "verona", group: true)
        let told = try #require(receiver.wait { $0.count == 3 })
        #expect(Self.parameters(told[0])["toPeers"]?.array?.map(\.string) == ["juliet"])
        for parameters in told.dropFirst().map(Self.parameters) {
            #expect(parameters["offlinePeers"]?.array?.map(\.string) == ["juliet"])
        }
        #expect(try server.connect("tybalt").receive().text == "这是群定向消息，仅部分群成员可见")
        #expect(try server.connect("juliet").receive().text == "at the balcony")
        server.stop()
        #expect(try server.findings() == [])
    }

    @Test("a function that does not answer holds up its own conversation alone, and then the policy decides")
    func silence() throws {
        let receiver = HTTPReceiver { request in
            (Self.parameters(request)["content"]?.string ?? "").contains("slow")
                ? .silence : .body(#"{"result":{}}"#)
        }
        for policy in LeanCloudHookOptions.FailurePolicy.allCases {
            let server = try Self.server(receiver, ["_messageReceived"]) { hooks in
                // Long beside the answer to the quick one, also on a machine that is busy.
                hooks.timeoutMilliseconds = 2_000
                hooks.onFailure = policy
            }
            let romeo = try server.connect("romeo")
            let tybalt = try server.connect("tybalt")
            let juliet = try server.connect("juliet")
            let slow = TestClient.sendParameters("slow", to: "juliet", group: false, number: nil, header: "")
            try romeo.send(raw: #"{"id":"s","method":"send","params":\#(slow)}"#)
            #expect(try tybalt.publish("quick", to: "juliet").reason == 1)
            #expect(try juliet.receive().text == "quick")
            let answer = try romeo.answer(to: "s")
            #expect(answer["result"]?["reasonCode"]?.integer == (policy == .ignore ? 1 : 11))
            server.stop()
        }
    }

    @Test("what happened is told in its order")
    func told() throws {
        let receiver = HTTPReceiver { _ in .body(#"{"result":{}}"#) }
        let server = try Self.server(
            receiver, ["_messageSent", "_receiversOffline", "_clientOnline", "_clientOffline", "_conversationStarted"])
        try server.group("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try server.connect("romeo")
        let juliet = try server.connect("juliet")
        try romeo.publish("hello", to: "verona", group: true)
        #expect(try juliet.receive().text == "hello")
        let told = try #require(receiver.wait { $0.contains { $0.target.hasSuffix("_receiversOffline") } })
        let functions = told.map { String($0.target.split(separator: "/").last ?? "") }
        #expect(
            functions == [
                "_conversationStarted", "_clientOnline", "_clientOnline", "_messageSent", "_receiversOffline",
            ])
        let sent = Self.parameters(told[3])
        #expect(sent["onlinePeers"]?.array?.map(\.string) == ["juliet"])
        #expect(sent["offlinePeers"]?.array?.map(\.string) == ["tybalt"])
        juliet.drop()
        let all = try #require(receiver.wait { $0.contains { $0.target.hasSuffix("_clientOffline") } })
        let last = try #require(all.last)
        #expect(Self.parameters(last)["peerId"]?.string == "juliet")
        #expect(Self.parameters(last)["closeCode"]?.integer == 2)
        server.stop()
    }
}
