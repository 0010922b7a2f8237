/// Command for the place up to which a client has read.
package struct ReadCommand: ProtobufMessage {
    /// Conversation ID.
    package var cid: String?
    /// Conversation IDs.
    package var cids: [String] = []
    /// Conversations, one entry each.
    package var convs: [ReadTuple] = []

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "cid", &self.cid)
        try fields.repeated(2, "cids", &self.cids)
        try fields.repeated(3, "convs", &self.convs)
    }
}

/// Up to where a client has read one conversation; all of it when only `cid` is there.
package struct ReadTuple: ProtobufMessage {
    /// Conversation ID.
    package var cid: String = ""
    /// Time of the message, UTC milliseconds.
    package var timestamp: Int64?
    /// Message ID.
    package var mid: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.required(1, "cid", &self.cid)
        try fields.optional(2, "timestamp", &self.timestamp)
        try fields.optional(3, "mid", &self.mid)
    }
}

/// Up to where a member got and read the messages of a conversation.
package struct MaxReadTuple: ProtobufMessage {
    /// Client ID.
    package var pid: String?
    /// Time of the newest message that was delivered, UTC milliseconds.
    package var maxAckTimestamp: Int64?
    /// Time of the newest message that was read, UTC milliseconds.
    package var maxReadTimestamp: Int64?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "pid", &self.pid)
        try fields.optional(2, "maxAckTimestamp", &self.maxAckTimestamp)
        try fields.optional(3, "maxReadTimestamp", &self.maxReadTimestamp)
    }
}
