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

/// CONNACK.
package struct BinaryConnectAcknowledge: Hashable, Sendable {
    /// `nil` when the server did not say.
    package var serverVersion: UInt8?
    /// Server clock minus client clock, milliseconds.
    package var timeDifferenceMilliseconds: Int64
    /// Reason code; 1 is success.
    package var reason: UInt8
    /// Public key of the server, base64.
    package var serverKey: String
    /// Initialisation vector of the session's encryption.
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

/// SENDACK.
package struct BinarySendAcknowledge: Hashable, Sendable {
    /// Header flags.
    package var header: WuKongHeader
    /// Identifies the message in the whole server.
    package var messageID: Int64
    /// Client's number of the message, from SEND.
    package var clientSequence: UInt32
    /// Position of the message in its channel.
    package var sequence: UInt32
    /// Reason code; 1 is success.
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
    /// Header flags.
    package var header: WuKongHeader
    /// Setting bits.
    package var setting: WuKongSetting
    /// 32 hexadecimal digits that prove the fields of `BinarySignature`.
    package var messageKey: [UInt8]
    /// User ID of the sender.
    package var fromUID: String
    /// ID of the channel, or the user ID of the other person.
    package var channelID: String
    /// Kind of the channel, as sent.
    package var channelType: UInt8
    /// 0 in version 2.
    package var expire: UInt32
    /// Sender's key for spotting a resend.
    package var clientMessageNumber: String
    /// Identifies the message in the whole server.
    package var messageID: Int64
    /// Position of the message in its channel.
    package var sequence: UInt32
    /// Time of the message, UTC seconds.
    package var timestampSeconds: Int32
    /// Topic within the channel.
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

    /// Bytes that the message key signs, before the payload.
    package var signature: [UInt8] {
        BinarySignature.receive(
            messageID: self.messageID, sequence: self.sequence, clientMessageNumber: self.clientMessageNumber,
            timestampSeconds: self.timestampSeconds, fromUID: self.fromUID, channelID: self.channelID,
            channelType: self.channelType)
    }
}

/// SUBACK.
package struct BinarySubscribeAcknowledge: Hashable, Sendable {
    /// Number of the subscription, from SUB.
    package var number: String
    /// ID of the channel.
    package var channelID: String
    /// Kind of the channel, as sent.
    package var channelType: UInt8
    /// Subscribe (0) or unsubscribe (1).
    package var action: UInt8
    /// Reason code; 1 is success.
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
