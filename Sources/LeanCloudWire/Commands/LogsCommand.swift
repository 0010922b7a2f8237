/// A page of a conversation's history: what is asked for, or the answer.
package struct LogsCommand: ProtobufMessage {
    /// Conversation ID.
    package var cid: String?
    /// How many messages; one SDK writes it here, the others in `limit`.
    package var l: Int32?
    /// Most results wanted.
    package var limit: Int32?
    /// UTC milliseconds to start at.
    package var t: Int64?
    /// UTC milliseconds to end at.
    package var tt: Int64?
    /// The message to end at.
    package var tmid: String?
    /// The message to start at.
    package var mid: String?
    /// Checksum of the page; legacy.
    package var checksum: String?
    /// True for stored messages; legacy.
    package var stored: Bool?
    /// Absent is `old`.
    package var direction: QueryDirection?
    /// True when the message at the start belongs to the page.
    package var tIncluded: Bool?
    /// True when the message at the end belongs to the page.
    package var ttIncluded: Bool?
    /// Only typed messages of this `_lctype`.
    package var lctype: Int32?
    /// Messages of the page.
    package var logs: [LogItem] = []

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "cid", &self.cid)
        try fields.optional(2, "l", &self.l)
        try fields.optional(3, "limit", &self.limit)
        try fields.optional(4, "t", &self.t)
        try fields.optional(5, "tt", &self.tt)
        try fields.optional(6, "tmid", &self.tmid)
        try fields.optional(7, "mid", &self.mid)
        try fields.optional(8, "checksum", &self.checksum)
        try fields.optional(9, "stored", &self.stored)
        try fields.optional(10, "direction", &self.direction)
        try fields.optional(11, "tIncluded", &self.tIncluded)
        try fields.optional(12, "ttIncluded", &self.ttIncluded)
        try fields.optional(13, "lctype", &self.lctype)
        try fields.repeated(105, "logs", &self.logs)
    }
}

/// A message in the history.
package struct LogItem: ProtobufMessage {
    /// Client ID of the sender.
    package var from: String?
    /// The content, base64 when `bin`.
    package var data: String?
    /// Time of the message, UTC milliseconds.
    package var timestamp: Int64?
    /// Message ID.
    package var msgId: String?
    /// UTC milliseconds at which the other one of two members got it.
    package var ackAt: Int64?
    /// UTC milliseconds at which the other one of two members read it.
    package var readAt: Int64?
    /// Time of the last edit or recall, UTC milliseconds.
    package var patchTimestamp: Int64?
    /// True when all members are mentioned.
    package var mentionAll: Bool?
    /// Clients mentioned.
    package var mentionPids: [String] = []
    /// True when the content is binary, base64 here.
    package var bin: Bool?
    /// Kind of the conversation.
    package var convType: Int32?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "from", &self.from)
        try fields.optional(2, "data", &self.data)
        try fields.optional(3, "timestamp", &self.timestamp)
        try fields.optional(4, "msgId", &self.msgId)
        try fields.optional(5, "ackAt", &self.ackAt)
        try fields.optional(6, "readAt", &self.readAt)
        try fields.optional(7, "patchTimestamp", &self.patchTimestamp)
        try fields.optional(8, "mentionAll", &self.mentionAll)
        try fields.repeated(9, "mentionPids", &self.mentionPids)
        try fields.optional(10, "bin", &self.bin)
        try fields.optional(11, "convType", &self.convType)
    }
}
