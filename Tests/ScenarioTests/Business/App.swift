import ByteCodec
import ChatModel
import TeahouseTesting
import Testing

/// One device of a person: its token over HTTP, and a connection when it is online.
final class App {
    let server: TestServer
    let name: String
    let token: String
    private let deviceClass: DeviceClass

    init(_ server: TestServer, _ name: String, _ deviceClass: DeviceClass = .app) throws {
        self.server = server
        self.name = name
        self.deviceClass = deviceClass
        self.token = try server.token(name, deviceClass)
    }

    /// Another device of the same person.
    func other(_ deviceClass: DeviceClass) throws -> App { try App(self.server, self.name, deviceClass) }

    /// Goes online.
    func connect() throws -> TestClient {
        try self.server.connect(self.name, self.deviceClass, token: self.token)
    }

    // MARK: Asking

    func ask(_ method: String, _ path: String, _ json: String = "") throws -> (status: Int, json: JSONValue) {
        let reply = try self.server.http(method, "/v1/\(path)", token: self.token, body: Array(json.utf8))
        return (reply.status, reply.json)
    }

    /// Sends a request that must be answered with 200.
    @discardableResult
    func does(
        _ method: String, _ path: String, _ json: String = "", _ location: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        let answer = try self.ask(method, path, json)
        try #require(answer.status == 200, "\(method) \(path): \(answer)", sourceLocation: location)
        return answer.json
    }

    /// The text with which something is refused.
    @discardableResult
    func isRefused(
        _ method: String, _ path: String, _ json: String = "", _ location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let answer = try self.ask(method, path, json)
        #expect(answer.status == 400 && answer.json["status"]?.integer == 400, "\(answer)", sourceLocation: location)
        return answer.json["msg"]?.string ?? ""
    }

    // MARK: Messages

    /// The newest messages of a channel, as the device would show them.
    func history(_ channel: String, type: Int = 2, limit: Int = 50) throws -> [JSONValue] {
        let page = try self.does(
            "POST", "message/channel/sync",
            #"{"channel_id":"\#(channel)","channel_type":\#(type),"limit":\#(limit),"pull_mode":0}"#)
        return page["messages"]?.array ?? []
    }

    func extras(_ channel: String, type: Int = 2, after version: Int64 = 0) throws -> [JSONValue] {
        try self.does(
            "POST", "message/extra/sync",
            #"{"channel_id":"\#(channel)","channel_type":\#(type),"extra_version":\#(version),"limit":100}"#
        ).array ?? []
    }
}

extension JSONValue {
    var text: String? { self["payload"]?["content"]?.string }
    var number: String { self["message_idstr"]?.string ?? self["message_id_str"]?.string ?? "" }
    var sequence: Int64 { self["message_seq"]?.integer ?? -1 }
}

extension TestClient {
    /// Waits for the next command with this name; what comes before it is let pass.
    @discardableResult
    func command(_ name: String) throws -> JSONValue {
        while true {
            let payload = try self.receive().parameters["payload"] ?? .null
            guard payload["cmd"]?.string == name else { continue }
            #expect(payload["type"]?.integer == 99)
            return payload["param"] ?? .null
        }
    }

    /// Sends a text that asks for receipts.
    ///
    /// - Returns: the message's number.
    func publishWithReceipt(_ text: String, to channel: String, group: Bool = false) throws -> String {
        try self.publish(
            body: #"{"type":1,"content":"\#(text)"}"#, to: channel, group: group, more: #","setting":{"receipt":true}"#)
    }

    /// Sends a text that calls people by name.
    func publish(_ text: String, mentioning uids: String, to channel: String) throws {
        _ = try self.publish(
            body: #"{"type":1,"content":"\#(text)","mention":{"uids":[\#(uids)]}}"#, to: channel, group: true, more: "")
    }

    private func publish(body: String, to channel: String, group: Bool, more: String) throws -> String {
        let payload = String(decoding: Base64.encode(Array(body.utf8)), as: UTF8.self)
        let answer = try self.request(
            "send",
            #"{"channelId":"\#(channel)","channelType":\#(group ? 2 : 1),"payload":"\#(payload)","#
                + #""header":{"redDot":true}\#(more)}"#)
        return try #require(answer["result"]?["messageId"]?.string)
    }
}
