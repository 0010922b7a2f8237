/// One packet from a client that speaks the binary encoding.
///
/// Source: WuKongIMGoProto and the SDKs for JS, iOS, Android and Flutter.
package enum BinaryClientPacket: Hashable, Sendable {
    case connect(BinaryConnect)
    case send(BinarySend)
    /// The client has a message. JS, iOS and Android repeat the flags of its RECV, the Go SDK sends none.
    case receiveAcknowledge(messageID: Int64, sequence: UInt32, header: WuKongHeader)
    case ping
    /// The client is about to leave.
    case disconnect(reason: UInt8, text: String)
    case subscribe(BinarySubscribe)
}

/// CONNECT: the client's description of itself. The layout is the same in every version.
package struct BinaryConnect: Hashable, Sendable {
    /// The newest version that the client speaks, as sent.
    package var version: UInt8
    /// 0 app, 1 web, 2 desktop, 99 system.
    package var deviceFlag: UInt8
    /// Identifier that the device gives itself.
    package var deviceID: String
    /// User ID of the client.
    package var uid: String
    /// Sign-in token.
    package var token: String
    /// The client's clock, milliseconds since 1970; the Go SDK sends seconds.
    package var clientTimestamp: Int64
    /// The client's X25519 public key in base64; not looked at here.
    package var clientKey: String

    package init(
        version: UInt8, deviceFlag: UInt8, deviceID: String, uid: String, token: String, clientTimestamp: Int64,
        clientKey: String
    ) {
        self.version = version
        self.deviceFlag = deviceFlag
        self.deviceID = deviceID
        self.uid = uid
        self.token = token
        self.clientTimestamp = clientTimestamp
        self.clientKey = clientKey
    }
}

/// A message as a client sends it.
package struct BinarySend: Hashable, Sendable {
    /// Header flags.
    package var header: WuKongHeader
    /// As sent, unknown bits included.
    package var setting: WuKongSetting
    /// The connection's own number of the message, which its SENDACK repeats.
    package var clientSequence: UInt32
    /// The sender's key for spotting a resend.
    package var clientMessageNumber: String
    /// Below version 5 when the setting announces it, else `nil`.
    package var streamNumber: String?
    /// ID of the channel, or the user ID of the receiver.
    package var channelID: String
    /// As sent: it may be no `WuKongChannelType`.
    package var channelType: UInt8
    /// Seconds until clients hide the message; 0 is never, and what version 2 sends.
    package var expire: UInt32
    /// 32 hexadecimal digits that prove the fields of `BinarySignature`, as sent.
    package var messageKey: [UInt8]
    /// `nil` unless the setting announces it.
    package var topic: String?
    /// The encrypted payload, base64 text, as sent.
    package var payload: [UInt8]

    package init(
        header: WuKongHeader, setting: WuKongSetting, clientSequence: UInt32, clientMessageNumber: String,
        streamNumber: String? = nil, channelID: String, channelType: UInt8, expire: UInt32, messageKey: [UInt8],
        topic: String? = nil, payload: [UInt8]
    ) {
        self.header = header
        self.setting = setting
        self.clientSequence = clientSequence
        self.clientMessageNumber = clientMessageNumber
        self.streamNumber = streamNumber
        self.channelID = channelID
        self.channelType = channelType
        self.expire = expire
        self.messageKey = messageKey
        self.topic = topic
        self.payload = payload
    }
}

/// A wish to follow a channel, which only the JS SDK can send, or to leave it.
package struct BinarySubscribe: Hashable, Sendable {
    /// Action of a subscription packet.
    package enum Action: UInt8, Hashable, Sendable, CaseIterable {
        case subscribe = 0
        case unsubscribe = 1
    }

    /// Setting bits.
    package var setting: WuKongSetting
    /// The client's number of the wish, which its SUBACK repeats.
    package var number: String
    /// ID of the channel.
    package var channelID: String
    /// Kind of the channel, as sent.
    package var channelType: UInt8
    /// Subscribe or unsubscribe.
    package var action: Action
    /// JSON text or empty.
    package var parameter: String

    package init(
        setting: WuKongSetting, number: String, channelID: String, channelType: UInt8, action: Action,
        parameter: String
    ) {
        self.setting = setting
        self.number = number
        self.channelID = channelID
        self.channelType = channelType
        self.action = action
        self.parameter = parameter
    }
}
