import ByteCodec

/// Writes packets of the binary encoding as a server does, one after another into one buffer that can be kept.
///
/// Strings must have at most 32767 bytes: whoever lets text in bounds it before it comes here.
package struct BinaryPacketWriter: Sendable {
    private var output: ByteWriter

    package init(capacity: Int = 0) {
        self.output = ByteWriter(capacity: capacity)
    }

    /// The frames written since the last `removeAll`.
    package var bytes: [UInt8] { self.output.bytes }

    /// Forgets what was written and keeps the memory.
    package mutating func removeAll() { self.output.removeAll() }

    /// The answer to CONNECT, with the same fields when it refuses: then key and salt are empty.
    ///
    /// - Parameters:
    ///   - version: what the session speaks from now on; told to clients that asked for 4 or more.
    ///   - timeDifferenceMilliseconds: the server's clock minus the client's.
    ///   - serverKey: the server's X25519 public key in base64.
    ///   - salt: the 16 characters that are the initialisation vector.
    package mutating func connectAcknowledge(
        version: BinaryVersion, timeDifferenceMilliseconds: Int64, reason: WuKongReason, serverKey: String,
        salt: String, nodeID: UInt64
    ) {
        let hasVersion = version.connectAcknowledgeHasVersion
        let count = 9 + Self.field(serverKey) + Self.field(salt) + (hasVersion ? 9 : 0)
        self.output.binaryHeader(.connectAcknowledge, flags: hasVersion ? 1 : 0, bodyBytes: count)
        if hasVersion { self.output.u8(version.number) }
        self.output.i64(timeDifferenceMilliseconds)
        self.output.u8(UInt8(reason.rawValue))
        self.output.binaryString(serverKey)
        self.output.binaryString(salt)
        if hasVersion { self.output.u64(nodeID) }
    }

    /// The answer to SEND, whose flags it repeats. A message without an ID has 0, one that was not stored sequence 0.
    package mutating func sendAcknowledge(
        messageID: Int64, clientSequence: UInt32, sequence: UInt32, reason: WuKongReason, header: WuKongHeader
    ) {
        self.output.binaryHeader(.sendAcknowledge, flags: header.flags, bodyBytes: 17)
        self.output.i64(messageID)
        self.output.u32(clientSequence)
        self.output.u32(sequence)
        self.output.u8(UInt8(reason.rawValue))
    }

    /// A message for one receiver: what it shares with the other receivers, then what is encrypted for this one.
    package mutating func receive(_ shared: BinaryReceiveTemplate, messageKey: [UInt8], payload: [UInt8]) {
        messageKey.withUnsafeBytes { key in
            payload.withUnsafeBytes { self.receive(shared, messageKey: key, payload: $0) }
        }
    }

    /// A message for one receiver: what it shares with the other receivers, then what is encrypted for this one.
    package mutating func receive(
        _ shared: BinaryReceiveTemplate, messageKey: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer
    ) {
        let count = 3 + messageKey.count + shared.middle.count + payload.count
        self.output.binaryHeader(.receive, flags: shared.flags, bodyBytes: count)
        self.output.u8(shared.setting)
        self.output.binaryField(messageKey)
        self.output.raw(shared.middle)
        self.output.raw(payload)
    }

    /// Writes PONG.
    package mutating func pong() {
        self.output.binaryHeader(.pong, flags: 0, bodyBytes: 0)
    }

    /// The session is over and the client shall not come back by itself: that is how all SDKs take it.
    package mutating func disconnect(_ reason: WuKongReason, text: String) {
        self.output.binaryHeader(.disconnect, flags: 0, bodyBytes: 1 + Self.field(text))
        self.output.u8(UInt8(reason.rawValue))
        self.output.binaryString(text)
    }

    /// The answer to SUB, whose fields it repeats.
    package mutating func subscribeAcknowledge(_ subscribe: BinarySubscribe, reason: WuKongReason) {
        let count = 3 + Self.field(subscribe.number) + Self.field(subscribe.channelID)
        self.output.binaryHeader(.subscribeAcknowledge, flags: 0, bodyBytes: count)
        self.output.binaryString(subscribe.number)
        self.output.binaryString(subscribe.channelID)
        self.output.u8(subscribe.channelType)
        self.output.u8(subscribe.action.rawValue)
        self.output.u8(UInt8(reason.rawValue))
    }

    /// Something that happened to a message, to a session of version 5 or newer: see `BinaryVersion.hasEvents`.
    ///
    /// - Parameter data: JSON text, which the JS SDK parses whatever it is. It is not encrypted.
    package mutating func event(
        id: String, type: String, timestampMilliseconds: Int64, data: [UInt8], version: BinaryVersion
    ) {
        precondition(version.hasEvents, "an EVENT in version \(version.number)")
        let count = Self.field(id) + Self.field(type) + 8 + data.count
        self.output.binaryHeader(.event, flags: 0, bodyBytes: count)
        self.output.binaryString(id)
        self.output.binaryString(type)
        self.output.i64(timestampMilliseconds)
        self.output.raw(data)
    }

    /// Bytes of a string with its length.
    private static func field(_ text: String) -> Int { 2 + text.utf8.count }
}
