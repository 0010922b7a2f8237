/// What a client has read.
package struct ReadCommand: ProtobufMessage {
    package var cid: String?
    package var cids: [String] = []
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
    package var cid: String = ""
    package var timestamp: Int64?
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
    package var pid: String?
    package var maxAckTimestamp: Int64?
    package var maxReadTimestamp: Int64?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "pid", &self.pid)
        try fields.optional(2, "maxAckTimestamp", &self.maxAckTimestamp)
        try fields.optional(3, "maxReadTimestamp", &self.maxReadTimestamp)
    }
}
