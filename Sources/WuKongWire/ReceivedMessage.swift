/// A message on its way to a client.
package struct ReceivedMessage: Hashable, Sendable {
    /// Header flags.
    package var header: WuKongHeader
    /// Setting bits.
    package var setting: WuKongSetting
    /// Unique on this server.
    package var messageID: Int64
    /// Its position in the conversation from 1; 0 for one that is not stored.
    package var sequence: Int64
    /// Seconds since 1970.
    package var timestampSeconds: Int64
    /// The peer's UID in a person channel, as the receiver sees it.
    package var channelID: String
    /// Kind of the channel.
    package var channelType: WuKongChannelType
    /// User ID of the sender.
    package var fromUID: String
    /// Message body, as the sender gave it.
    package var payload: [UInt8]
    /// True when `payload` is one well-formed JSON object, as `SendParameters` found it. It goes out as it is then.
    package var payloadIsJSONObject: Bool
    /// Sender's key for spotting a resend.
    package var clientMessageNumber: String?
    /// Topic within the channel.
    package var topic: String?
    /// Seconds until clients hide the message; 0 is never.
    package var expire: UInt32

    package init(
        header: WuKongHeader, setting: WuKongSetting, messageID: Int64, sequence: Int64, timestampSeconds: Int64,
        channelID: String, channelType: WuKongChannelType, fromUID: String, payload: [UInt8],
        payloadIsJSONObject: Bool, clientMessageNumber: String?, topic: String?, expire: UInt32
    ) {
        self.header = header
        self.setting = setting
        self.messageID = messageID
        self.sequence = sequence
        self.timestampSeconds = timestampSeconds
        self.channelID = channelID
        self.channelType = channelType
        self.fromUID = fromUID
        self.payload = payload
        self.payloadIsJSONObject = payloadIsJSONObject
        self.clientMessageNumber = clientMessageNumber
        self.topic = topic
        self.expire = expire
    }
}
