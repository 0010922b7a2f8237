/// How many messages wait in which conversations.
package struct UnreadCommand: ProtobufMessage {
    /// Conversations, one entry each.
    package var convs: [UnreadTuple] = []
    /// UTC milliseconds; the client names it when it signs in again.
    package var notifTime: Int64?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.repeated(1, "convs", &self.convs)
        try fields.optional(2, "notifTime", &self.notifTime)
    }
}

/// How many messages wait in one conversation, and the last of them.
package struct UnreadTuple: ProtobufMessage {
    /// Conversation ID.
    package var cid: String = ""
    /// 0 clears what an app shows.
    package var unread: Int32 = 0
    /// Message ID.
    package var mid: String?
    /// Time of the message, UTC milliseconds.
    package var timestamp: Int64?
    /// Client ID of the sender.
    package var from: String?
    /// Content as text.
    package var data: String?
    /// Time of the last edit or recall, UTC milliseconds.
    package var patchTimestamp: Int64?
    /// True when one of the messages mentions the client.
    package var mentioned: Bool?
    /// Content of the last message when it is binary.
    package var binaryMsg: [UInt8]?
    /// Kind of the conversation.
    package var convType: Int32?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.required(1, "cid", &self.cid)
        try fields.required(2, "unread", &self.unread)
        try fields.optional(3, "mid", &self.mid)
        try fields.optional(4, "timestamp", &self.timestamp)
        try fields.optional(5, "from", &self.from)
        try fields.optional(6, "data", &self.data)
        try fields.optional(7, "patchTimestamp", &self.patchTimestamp)
        try fields.optional(8, "mentioned", &self.mentioned)
        try fields.optional(9, "binaryMsg", &self.binaryMsg)
        try fields.optional(10, "convType", &self.convType)
    }
}
