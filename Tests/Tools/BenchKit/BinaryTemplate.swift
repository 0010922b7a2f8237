import WuKongWire

/// A SEND of the generator, but for what differs from one message to the next.
///
/// Its end is: clientSequence 4, clientMessageNumber, channelID, channelType 1, expire 4, messageKey, payload.
enum BinaryTemplate {
    static let messageKeyCount = 32
    /// base64 of `MessageBody`, padded to whole blocks of 16 bytes.
    static let payloadCount = 172

    static func make(to destination: Destination) -> MessageTemplate {
        let (channel, type): (String, UInt8) =
            switch destination {
            case .person(let user): (user, 1)
            case .group(let name): (name, 2)
            }
        var writer = BinaryClientWriter()
        writer.send(
            BinarySend(
                header: WuKongHeader(redDot: true), setting: [], clientSequence: 0,
                clientMessageNumber: String(repeating: "0", count: Stamp.numberCount), channelID: channel,
                channelType: type, expire: 0, messageKey: [UInt8](repeating: 0, count: self.messageKeyCount),
                payload: [UInt8](repeating: 0, count: self.payloadCount)),
            version: .latest)
        let frame = WebSocketFrame.bytes(2, writer.bytes)
        let payloadOffset = frame.count - self.payloadCount
        let channelOffset = payloadOffset - self.messageKeyCount - 2 - 4 - 1 - channel.utf8.count
        let numberOffset = channelOffset - 2 - Stamp.numberCount
        return MessageTemplate(
            bytes: frame, slotOffset: numberOffset - 2 - 4, counterOffset: numberOffset, stampOffset: payloadOffset,
            signatureEnd: Array(channel.utf8) + Array(String(type).utf8))
    }
}
