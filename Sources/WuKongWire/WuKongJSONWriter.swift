import ByteCodec

/// Writes what the server tells a client in WuKongIM's JSON-RPC encoding.
///
/// Each method appends one whole JSON text to `bytes`; a WebSocket takes one text a message, so send and `removeAll()`
/// after each. The shapes are those that the Easy SDKs for Python 0.1.0 and JS accept, which is narrower than what
/// WuKongIM itself sends.
package struct WuKongJSONWriter: Sendable {
    /// The newest protocol version, which a JSON client always gets.
    package static let serverVersion: Int64 = 5

    private var json = JSONWriter(capacity: 512)

    package init() {}

    /// JSON text written so far.
    package var bytes: [UInt8] { self.json.bytes }

    /// Forgets the texts and keeps the memory.
    package mutating func removeAll() { self.json.removeAll() }

    // MARK: Answers

    /// - Parameter timeDifference: server clock minus client clock, milliseconds.
    package mutating func connectResult(id: WuKongRequestID, timeDifference: Int64, nodeID: Int64) {
        self.beginResult(to: id)
        self.member("serverVersion", Self.serverVersion)
        self.member("timeDiff", timeDifference)
        self.member("reasonCode", Int64(WuKongReason.success.rawValue))
        self.member("nodeId", nodeID)
        self.endBoth()
    }

    /// An error object rather than a result with a reason: the JS SDK takes any result for success.
    package mutating func connectFailure(id: WuKongRequestID, reason: WuKongReason, message: String) {
        self.error(id: id, code: reason.rawValue, message)
    }

    /// Always a result, also when the message is refused: the SDKs look for the reason there.
    package mutating func sendResult(
        id: WuKongRequestID, messageID: Int64, sequence: Int64, reason: WuKongReason, header: WuKongHeader
    ) {
        self.beginResult(to: id)
        if !header.isEmpty { self.header(header) }
        self.json.key("messageId")
        self.json.decimalString(messageID)
        self.member("messageSeq", sequence)
        self.member("reasonCode", Int64(reason.rawValue))
        self.endBoth()
    }

    /// The answer to a ping, with an empty result: the Python SDK disconnects without one.
    package mutating func pong(to id: WuKongRequestID) {
        self.beginResult(to: id)
        self.endBoth()
    }

    /// `id` is `null` on the wire when the request's could not be read (JSON-RPC 2.0, section 5). The Python SDK
    /// disconnects at a `null` one, so this must not answer a notification.
    package mutating func error(id: WuKongRequestID?, code: JSONRPCErrorCode, message: String) {
        self.error(id: id, code: code.rawValue, message)
    }

    // MARK: Notifications, which have no `id`: the JS SDK takes anything with one for an answer

    /// A message. `header` is always there, even empty: the Python, iOS and Flutter SDKs refuse a message without it.
    ///
    /// A payload that is a JSON object goes out as one, because the iOS SDK reads nothing else; any other as base64.
    package mutating func receive(_ message: ReceivedMessage) {
        self.beginNotification("recv")
        self.header(message.header)
        self.setting(message.setting)
        self.json.key("messageId")
        self.json.decimalString(message.messageID)
        self.member("messageSeq", message.sequence)
        self.member("timestamp", message.timestampSeconds)
        self.member("channelId", message.channelID)
        self.member("channelType", Int64(message.channelType.rawValue))
        self.member("fromUid", message.fromUID)
        self.json.key("payload")
        if message.payloadIsJSONObject {
            self.json.raw(message.payload)
        } else {
            self.json.base64(of: message.payload)
        }
        if let number = message.clientMessageNumber, !number.isEmpty { self.member("clientMsgNo", number) }
        if let topic = message.topic, !topic.isEmpty { self.member("topic", topic) }
        if message.expire > 0 { self.member("expire", Int64(message.expire)) }
        self.endBoth()
    }

    /// The last text on a connection. The SDKs do not connect again after it: close without it when they should.
    package mutating func disconnect(reason: WuKongReason, text: String) {
        self.beginNotification("disconnect")
        self.member("reasonCode", Int64(reason.rawValue))
        self.member("reason", text)
        self.endBoth()
    }

    /// `id` and `type` must not be empty: the Python SDK disconnects when they are.
    package mutating func event(id: String, type: String, timestampMilliseconds: Int64, data: String) {
        precondition(!id.isEmpty && !type.isEmpty, "an event without id or type")
        self.beginNotification("event")
        self.member("id", id)
        self.member("type", type)
        self.member("timestamp", timestampMilliseconds)
        self.member("data", data)
        self.endBoth()
    }

    // MARK: Pieces

    private mutating func beginFrame() {
        self.json.beginObject()
        self.member("jsonrpc", "2.0")
    }

    private mutating func beginResult(to id: WuKongRequestID) {
        self.beginFrame()
        self.json.key("id")
        self.json.raw(id.token)
        self.json.key("result")
        self.json.beginObject()
    }

    private mutating func beginNotification(_ method: String) {
        self.beginFrame()
        self.member("method", method)
        self.json.key("params")
        self.json.beginObject()
    }

    /// Closes the inner object and the frame.
    private mutating func endBoth() {
        self.json.endObject()
        self.json.endObject()
    }

    private mutating func error(id: WuKongRequestID?, code: Int, _ message: String) {
        self.beginFrame()
        self.json.key("id")
        if let id { self.json.raw(id.token) } else { self.json.null() }
        self.json.key("error")
        self.json.beginObject()
        self.member("code", Int64(code))
        self.member("message", message)
        self.endBoth()
    }

    private mutating func header(_ header: WuKongHeader) {
        self.json.key("header")
        self.json.beginObject()
        self.flag("noPersist", header.noPersist)
        self.flag("redDot", header.redDot)
        self.flag("syncOnce", header.syncOnce)
        self.flag("dup", header.dup)
        self.json.endObject()
    }

    /// Left out when no flag is set that has a name here.
    private mutating func setting(_ setting: WuKongSetting) {
        guard !setting.isDisjoint(with: [.receipt, .signal, .stream, .topic]) else { return }
        self.json.key("setting")
        self.json.beginObject()
        self.flag("receipt", setting.contains(.receipt))
        self.flag("signal", setting.contains(.signal))
        self.flag("stream", setting.contains(.stream))
        self.flag("topic", setting.contains(.topic))
        self.json.endObject()
    }

    /// Written only when set.
    private mutating func flag(_ name: StaticString, _ isSet: Bool) {
        guard isSet else { return }
        self.json.key(name)
        self.json.boolean(true)
    }

    private mutating func member(_ name: StaticString, _ value: Int64) {
        self.json.key(name)
        self.json.integer(value)
    }

    private mutating func member(_ name: StaticString, _ value: String) {
        self.json.key(name)
        self.json.string(value)
    }
}
