/// Bytes that a message key signs, without the encrypted payload that follows them: fields as text, nothing between
/// them.
///
/// The key is the MD5 of the encrypted whole, in lower case hexadecimal digits. Topic, setting and expire are not part
/// of it. Source: `VerityString` of SEND and RECV in WuKongIMGoProto, and the same in the SDKs.
package enum BinarySignature {
    /// Bytes to sign for SEND.
    package static func send(
        clientSequence: UInt32, clientMessageNumber: String, channelID: String, channelType: UInt8
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(16 + clientMessageNumber.utf8.count + channelID.utf8.count)
        text.append(decimal: Int64(clientSequence))
        text.append(contentsOf: clientMessageNumber.utf8)
        text.append(contentsOf: channelID.utf8)
        text.append(decimal: Int64(channelType))
        return text
    }

    /// Bytes to sign for RECV.
    package static func receive(
        messageID: Int64, sequence: UInt32, clientMessageNumber: String, timestampSeconds: Int32, fromUID: String,
        channelID: String, channelType: UInt8
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(48 + clientMessageNumber.utf8.count + fromUID.utf8.count + channelID.utf8.count)
        text.append(decimal: messageID)
        text.append(decimal: Int64(sequence))
        text.append(contentsOf: clientMessageNumber.utf8)
        text.append(decimal: Int64(timestampSeconds))
        text.append(contentsOf: fromUID.utf8)
        text.append(contentsOf: channelID.utf8)
        text.append(decimal: Int64(channelType))
        return text
    }
}

extension BinarySend {
    /// Bytes that the message key signs, before the payload.
    package var signature: [UInt8] {
        BinarySignature.send(
            clientSequence: self.clientSequence, clientMessageNumber: self.clientMessageNumber,
            channelID: self.channelID, channelType: self.channelType)
    }
}

extension [UInt8] {
    fileprivate mutating func append(decimal value: Int64) {
        self.append(contentsOf: String(value).utf8)
    }
}
