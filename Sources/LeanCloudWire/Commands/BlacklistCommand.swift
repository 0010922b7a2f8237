/// Who is blocked in conversations.
package struct BlacklistCommand: ProtobufMessage {
    package var srcCid: String?
    package var toPids: [String] = []
    package var srcPid: String?
    package var toCids: [String] = []
    package var limit: Int32?
    package var next: String?
    package var blockedPids: [String] = []
    package var blockedCids: [String] = []
    package var allowedPids: [String] = []
    package var failedPids: [ErrorCommand] = []
    package var t: Int64?
    package var n: String?
    package var s: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "srcCid", &self.srcCid)
        try fields.repeated(2, "toPids", &self.toPids)
        try fields.optional(3, "srcPid", &self.srcPid)
        try fields.repeated(4, "toCids", &self.toCids)
        try fields.optional(5, "limit", &self.limit)
        try fields.optional(6, "next", &self.next)
        try fields.repeated(8, "blockedPids", &self.blockedPids)
        try fields.repeated(9, "blockedCids", &self.blockedCids)
        try fields.repeated(10, "allowedPids", &self.allowedPids)
        try fields.repeated(11, "failedPids", &self.failedPids)
        try fields.optional(12, "t", &self.t)
        try fields.optional(13, "n", &self.n)
        try fields.optional(14, "s", &self.s)
    }
}
