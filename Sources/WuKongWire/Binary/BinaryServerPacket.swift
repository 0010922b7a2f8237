/// One packet from a server that speaks the binary encoding, as a client reads it: for tests and load generators.
package enum BinaryServerPacket: Hashable, Sendable {
    case connectAcknowledge(BinaryConnectAcknowledge)
    case sendAcknowledge(BinarySendAcknowledge)
    case receive(BinaryReceive)
    case pong
    case disconnect(reason: UInt8, text: String)
    case subscribeAcknowledge(BinarySubscribeAcknowledge)
    /// - Parameter data: JSON text.
    case event(id: String, type: String, timestampMilliseconds: Int64, data: [UInt8])
}

package struct BinaryConnectAcknowledge: Hashable, Sendable {
    /// `nil` when the server did not say.
    package var serverVersion: UInt8?
    package var timeDifferenceMilliseconds: Int64
    package var reason: UInt8
    package var serverKey: String
    package var salt: String
    /// `nil` below version 4.
    package var nodeID: UInt64?

    package init(
        serverVersion: UInt8?, timeDifferenceMilliseconds: Int64, reason: UInt8, serverKey: String, salt: String,
        nodeID: UInt64?
    ) {
        self.serverVersion = serverVersion
        self.timeDifferenceMilliseconds = timeDifferenceMilliseconds
        self.reason = reason
        self.serverKey = serverKey
        self.salt = salt
        self.nodeID = nodeID
    }
}

package struct BinarySendAcknowledge: Hashable, Sendable {
    package var header: WuKongHeader
    package var messageID: Int64
    package var clientSequence: UInt32
    package var sequence: UInt32
    package var reason: UInt8

    package init(
        header: WuKongHeader, messageID: Int64, clientSequence: UInt32, sequence: UInt32, reason: UInt8
    ) {
        self.header = header
        self.messageID = messageID
        self.clientSequence = clientSequence
        self.sequence = sequence
        self.reason = reason
    }
}

/// A message as a client gets it, still encrypted.
package struct BinaryReceive: Hashable, Sendable {
    package var header: WuKongHeader
    package var setting: WuKongSetting
    /// 32 hexadecimal digits that prove the fields of `BinarySignature`.
    package var messageKey: [UInt8]
    package var fromUID: String
    package var channelID: String
    package var channelType: UInt8
    /// 0 in version 2.
    package var expire: UInt32
    package var clientMessageNumber: String
    package var messageID: Int64
    package var sequence: UInt32
    package var timestampSeconds: Int32
    package var topic: String?
    /// Base64 text.
    package var payload: [UInt8]

    package init(
        header: WuKongHeader, setting: WuKongSetting, messageKey: [UInt8], fromUID: String, channelID: String,
        channelType: UInt8, expire: UInt32, clientMessageNumber: String, messageID: Int64, sequence: UInt32,
        timestampSeconds: Int32, topic: String?, payload: [UInt8]
    ) {
        self.header = header
        self.setting = setting
        self.messageKey = messageKey
        self.fromUID = fromUID
        self.channelID = channelID
        self.channelType = channelType
        self.expire = expire
        self.clientMessageNumber = clientMessageNumber
        self.messageID = messageID
        self.sequence = sequence
        self.timestampSeconds = timestampSeconds
        self.topic = topic
        self.payload = payload
    }

    /// What its message key signs, before the payload.
    package var signature: [UInt8] {
        BinarySignature.receive(
            messageID: self.messageID, sequence: self.sequence, clientMessageNumber: self.clientMessageNumber,
            timestampSeconds: self.timestampSeconds, fromUID: self.fromUID, channelID: self.channelID,
            channelType: self.channelType)
    }
}

package struct BinarySubscribeAcknowledge: Hashable, Sendable {
    package var number: String
    package var channelID: String
    package var channelType: UInt8
    package var action: UInt8
    package var reason: UInt8

    package init(
        number: String, channelID: String, channelType: UInt8, action: UInt8, reason: UInt8
    ) {
        self.number = number
        self.channelID = channelID
        self.channelType = channelType
        self.action = action
        self.reason = reason
    }
}
