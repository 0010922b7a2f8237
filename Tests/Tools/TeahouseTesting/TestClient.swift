package import ByteCodec
package import ChatModel

/// A client of the JSON encoding over raw TCP. It waits for what must come and gives up loudly.
package final class TestClient {
    private let socket: ClientSocket
    private var splitter = JSONStreamSplitter(maximumBytes: 1 << 24)
    private var inbox: [JSONValue] = []
    private var hasEnded = false
    private var lastID = 0
    /// Answer receives with `recvack`.
    package var acknowledges = true

    init(port: UInt16, receiveBufferBytes: Int32? = nil) throws {
        self.socket = try ClientSocket(port: port, receiveBufferBytes: receiveBufferBytes)
    }

    /// Drops the connection.
    package func drop() { self.socket.drop() }

    // MARK: Bytes

    /// Sends bytes as they are.
    package func send(raw bytes: [UInt8]) throws { try self.socket.send(bytes) }

    /// Sends text as it is.
    package func send(raw text: String) throws { try self.send(raw: Array(text.utf8)) }

    /// Waits for one more JSON object; `nil` when the server has closed.
    package func next() throws -> JSONValue? {
        while self.inbox.isEmpty {
            if self.hasEnded { return nil }
            guard let bytes = try self.socket.receive() else {
                self.hasEnded = true
                continue
            }
            var objects: [JSONValue] = []
            try bytes.withUnsafeBytes { bytes in
                try self.splitter.append(bytes) { object in
                    if let value = try? JSONValue(parsing: Array(object)) { objects.append(value) }
                }
            }
            self.inbox += objects
        }
        return self.inbox.removeFirst()
    }

    /// Everything until the server closes, as text: for other protocols than JSON.
    package func everything() throws -> String { String(decoding: try self.allBytes(), as: UTF8.self) }

    /// Everything until the server closes.
    package func allBytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try self.socket.receive() { bytes += more }
        return bytes
    }

    // MARK: Requests

    /// Sends a request and waits for its answer; notifications that come meanwhile stay for `receive`.
    package func request(_ method: String, _ parameters: String) throws -> JSONValue {
        self.lastID += 1
        let id = "r\(self.lastID)"
        try self.send(raw: "{\"id\":\"\(id)\",\"method\":\"\(method)\",\"params\":\(parameters)}")
        return try self.answer(to: id)
    }

    /// Waits for the answer to a request that was sent.
    package func answer(to id: String) throws -> JSONValue {
        var others: [JSONValue] = []
        defer { self.inbox = others + self.inbox }
        while let value = try self.next() {
            if value["id"]?.string == id { return value }
            others.append(value)
        }
        throw TestClientError(description: "the server closed before it answered \(id)")
    }

    /// Signs in and expects success.
    package func signIn(_ name: String, token: String, _ deviceClass: DeviceClass, device: String? = nil) throws {
        let answer = try self.tryToSignIn(name, token: token, deviceClass, device: device)
        guard answer["result"]?["reasonCode"]?.integer == 1 else {
            throw TestClientError(description: "sign-in of \(name) refused: \(answer)")
        }
    }

    /// Signs in and returns the answer.
    package func tryToSignIn(
        _ name: String, token: String, _ deviceClass: DeviceClass = .desktop, device: String? = nil
    ) throws -> JSONValue {
        let flag = [DeviceClass.app: 0, .web: 1, .desktop: 2][deviceClass] ?? 2
        let device = device.map { ",\"deviceId\":\"\($0)\"" } ?? ""
        return try self.request(
            "connect", "{\"uid\":\"\(name)\",\"token\":\"\(token)\",\"deviceFlag\":\(flag)\(device)}")
    }

    /// Sends a text and waits for the acknowledgement.
    ///
    /// - Parameter to: a uid, or with `group` a channel id.
    @discardableResult
    package func publish(
        _ text: String, to channel: String, group: Bool = false, number: String? = nil,
        header: String = "\"redDot\":true"
    ) throws -> Acknowledgement {
        let answer = try self.request(
            "send", Self.sendParameters(text, to: channel, group: group, number: number, header: header))
        guard let result = answer["result"] else { throw TestClientError(description: "no result: \(answer)") }
        return Acknowledgement(
            reason: Int(result["reasonCode"]?.integer ?? -1), messageID: result["messageId"]?.string ?? "",
            sequence: result["messageSeq"]?.integer ?? -1)
    }

    package static func sendParameters(
        _ text: String, to channel: String, group: Bool, number: String?, header: String
    ) -> String {
        let payload = String(decoding: Base64.encode(Array("{\"type\":1,\"content\":\"\(text)\"}".utf8)), as: UTF8.self)
        let number = number.map { ",\"clientMsgNo\":\"\($0)\"" } ?? ""
        return "{\"channelId\":\"\(channel)\",\"channelType\":\(group ? 2 : 1),\"payload\":\"\(payload)\","
            + "\"header\":{\(header)}\(number)}"
    }

    /// Waits for the next received message, and acknowledges it unless `acknowledges` is off.
    package func receive() throws -> Received {
        while let value = try self.next() {
            guard value["method"]?.string == "recv", let parameters = value["params"] else { continue }
            let received = Received(parameters)
            if self.acknowledges {
                try self.send(
                    raw: "{\"method\":\"recvack\",\"params\":{\"header\":{},\"messageId\":\"\(received.messageID)\","
                        + "\"messageSeq\":\(received.sequence)}}")
            }
            return received
        }
        throw TestClientError(description: "the server closed before a message came")
    }

    /// Texts of the next messages.
    package func receive(_ count: Int) throws -> [String] { try (0..<count).map { _ in try self.receive().text } }

    /// Waits until everything the server did before now has arrived, by a ping. Messages stay for `receive`.
    package func settle() throws { _ = try self.request("ping", "{}") }

    /// Messages that have arrived and were not taken.
    package var waiting: [Received] {
        self.inbox.filter { $0["method"]?.string == "recv" }.compactMap { $0["params"].map(Received.init) }
    }

    /// Waits for the server to close; returns what came before, without messages.
    package func waitForEnd() throws -> [JSONValue] {
        var values: [JSONValue] = []
        while let value = try self.next() { values.append(value) }
        return values
    }
}

/// The answer to a send.
package struct Acknowledgement: Hashable {
    /// Reason code.
    package var reason: Int
    /// Message ID.
    package var messageID: String
    /// Sequence of the message.
    package var sequence: Int64
}

/// A message as a client gets it.
package struct Received {
    /// Parameters of the frame.
    package var parameters: JSONValue
    /// Message ID.
    package var messageID: String
    /// Sequence of the message.
    package var sequence: Int64
    /// User ID of the sender.
    package var from: String
    /// Channel ID.
    package var channel: String
    /// Kind of the channel.
    package var channelType: Int
    /// Text of the message.
    package var text: String

    init(_ parameters: JSONValue) {
        self.parameters = parameters
        self.messageID = parameters["messageId"]?.string ?? ""
        self.sequence = parameters["messageSeq"]?.integer ?? -1
        self.from = parameters["fromUid"]?.string ?? ""
        self.channel = parameters["channelId"]?.string ?? ""
        self.channelType = Int(parameters["channelType"]?.integer ?? 0)
        self.text = parameters["payload"]?["content"]?.string ?? ""
    }
}
