import ByteCodec

/// A message for all receivers that see it alike: the same channel ID and flags, and the same version.
///
/// Each receiver has its own key, so payload and message key differ; everything between them is written here once.
package struct BinaryReceiveTemplate: Hashable, Sendable {
    let flags: UInt8
    let setting: UInt8
    /// The fields between message key and payload.
    let middle: [UInt8]
    /// Bytes that the message key signs, before the encrypted payload.
    package let signature: [UInt8]

    /// - Parameters:
    ///   - message: its strings have at most 32767 bytes; its payload is not looked at.
    ///   - version: what the receivers' sessions speak.
    ///
    /// Sequences above 4294967295 and times after 2038-01-19 do not fit the fields of these versions and are told as
    /// the largest that do. Source: WuKongIMGoProto, `recv.go`; `expire` from version 3 on, stream fields never.
    package init(_ message: ReceivedMessage, version: BinaryVersion) {
        let sequence = UInt32(clamping: message.sequence)
        let timestamp = Int32(clamping: message.timestampSeconds)
        let number = message.clientMessageNumber ?? ""
        self.flags = message.header.flags
        self.setting = message.setting.forReceive(version, hasTopic: message.topic != nil).rawValue
        self.signature = BinarySignature.receive(
            messageID: message.messageID, sequence: sequence, clientMessageNumber: number, timestampSeconds: timestamp,
            fromUID: message.fromUID, channelID: message.channelID, channelType: message.channelType.rawValue)

        var fields = ByteWriter(capacity: 64 + message.fromUID.utf8.count + message.channelID.utf8.count)
        fields.binaryString(message.fromUID)
        fields.binaryString(message.channelID)
        fields.u8(message.channelType.rawValue)
        if version.hasExpire { fields.u32(message.expire) }
        fields.binaryString(number)
        fields.i64(message.messageID)
        fields.u32(sequence)
        fields.u32(UInt32(bitPattern: timestamp))
        if let topic = message.topic { fields.binaryString(topic) }
        self.middle = fields.bytes
    }

    /// The whole packet for an encrypted payload of so many bytes, with zeros where that and the message key go.
    ///
    /// The payload is the end of the packet; the message key has 32 bytes from the offset on.
    package func packet(payloadBytes: Int) -> (bytes: [UInt8], messageKeyOffset: Int) {
        let messageKeyBytes = 32
        var writer = BinaryPacketWriter(capacity: 64 + self.middle.count + payloadBytes)
        writer.receive(
            self, messageKey: [UInt8](repeating: 0, count: messageKeyBytes),
            payload: [UInt8](repeating: 0, count: payloadBytes))
        let bytes = writer.bytes
        return (bytes, bytes.count - payloadBytes - self.middle.count - messageKeyBytes)
    }
}
