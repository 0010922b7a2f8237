/// One frame from a client that speaks WuKongIM's JSON-RPC encoding.
///
/// Source: WuKongIM v2.2.5 JSON protocol and the Easy SDKs. Members may come in any order, `jsonrpc` may be missing (the
/// Python and JS SDKs omit it), unknown members are passed over, and `null` counts as absent.
package enum WuKongRequest: Hashable, Sendable {
    case connect(WuKongRequestID, ConnectParameters)
    case send(WuKongRequestID, SendParameters)
    /// The client has a message; nothing answers this.
    case receiveAcknowledge(messageID: Int64)
    case ping(WuKongRequestID)
    /// The client is about to leave; answered only when it gave an ID.
    case disconnect(WuKongRequestID?)
    case subscribe(WuKongRequestID)
    case unsubscribe(WuKongRequestID)
    case unknown(WuKongRequestID?, method: String)
}

/// The `id` of a request: a JSON string or integer, kept as it was written so that the answer echoes it exactly.
package struct WuKongRequestID: Hashable, Sendable {
    /// The longest accepted token, quotes included. SDKs send a UUID.
    package static let maximumBytes = 256

    /// The JSON token.
    let token: [UInt8]
}

/// Parameters of `connect`: the client's description of itself.
package struct ConnectParameters: Hashable, Sendable {
    /// User ID of the client.
    package var uid: String
    /// Empty when absent.
    package var token: String
    /// Empty when absent.
    package var deviceID: String
    /// 0 app, 1 web, 2 desktop, 99 system; 0 when absent.
    package var deviceFlag: Int
    /// The client's clock, milliseconds since 1970.
    package var clientTimestamp: Int64?
    /// The protocol version; 0 when absent, which means the latest.
    package var version: Int

    package init(
        uid: String, token: String, deviceID: String, deviceFlag: Int, clientTimestamp: Int64?, version: Int
    ) {
        self.uid = uid
        self.token = token
        self.deviceID = deviceID
        self.deviceFlag = deviceFlag
        self.clientTimestamp = clientTimestamp
        self.version = version
    }
}

/// A message as a client sends it.
package struct SendParameters: Hashable, Sendable {
    /// The sender's key for spotting a resend; empty when absent.
    package var clientMessageNumber: String
    /// ID of the channel, or the user ID of the receiver.
    package var channelID: String
    /// As sent: it may be no `WuKongChannelType`.
    package var channelType: Int
    /// The decoded payload: what the base64 stood for, or the bytes of the object.
    package var payload: [UInt8]
    /// Facts about the payload, found while it was read.
    package var facts: PayloadFacts
    /// Header flags.
    package var header: WuKongHeader
    /// Setting bits.
    package var setting: WuKongSetting
    /// Topic within the channel.
    package var topic: String?
    /// Seconds until clients hide the message; 0 is never.
    package var expire: UInt32

    package init(
        clientMessageNumber: String, channelID: String, channelType: Int, payload: [UInt8], facts: PayloadFacts,
        header: WuKongHeader, setting: WuKongSetting, topic: String?, expire: UInt32
    ) {
        self.clientMessageNumber = clientMessageNumber
        self.channelID = channelID
        self.channelType = channelType
        self.payload = payload
        self.facts = facts
        self.header = header
        self.setting = setting
        self.topic = topic
        self.expire = expire
    }
}

/// Why a frame is no request, in the terms of the JSON-RPC error that answers it.
package struct WuKongRequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The frame's ID, when one could be read.
    package let id: WuKongRequestID?
    /// Error code of the answer.
    package let code: JSONRPCErrorCode
    /// For the peer's developer. Holds names of members and positions, never their values.
    package let message: String

    package init(id: WuKongRequestID?, code: JSONRPCErrorCode, message: String) {
        self.id = id
        self.code = code
        self.message = message
    }

    package var description: String { "\(self.message) (JSON-RPC \(self.code.rawValue))" }
}
