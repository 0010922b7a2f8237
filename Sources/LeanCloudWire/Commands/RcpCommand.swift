/// A receipt for a message.
package struct RcpCommand: ProtobufMessage {
    /// Message ID.
    package var id: String?
    /// Conversation ID.
    package var cid: String?
    /// UTC milliseconds.
    package var t: Int64?
    /// True when the message was read. One SDK takes its mere presence for that, so it is absent on delivery.
    package var read: Bool?
    /// Client that received or read the message.
    package var from: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "id", &self.id)
        try fields.optional(2, "cid", &self.cid)
        try fields.optional(3, "t", &self.t)
        try fields.optional(4, "read", &self.read)
        try fields.optional(5, "from", &self.from)
    }
}
