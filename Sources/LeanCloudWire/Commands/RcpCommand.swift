/// A receipt for a message.
package struct RcpCommand: ProtobufMessage {
    package var id: String?
    package var cid: String?
    /// UTC milliseconds.
    package var t: Int64?
    /// Whether it was read. One SDK takes its mere presence for that, so it is absent on delivery.
    package var read: Bool?
    /// Who got or read it.
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
