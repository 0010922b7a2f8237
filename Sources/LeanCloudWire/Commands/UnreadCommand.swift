/// How many messages wait in which conversations.
package struct UnreadCommand: ProtobufMessage {
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
    package var cid: String = ""
    /// 0 clears what an app shows.
    package var unread: Int32 = 0
    package var mid: String?
    package var timestamp: Int64?
    package var from: String?
    package var data: String?
    package var patchTimestamp: Int64?
    /// Whether one of them mentions the client.
    package var mentioned: Bool?
    package var binaryMsg: [UInt8]?
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
