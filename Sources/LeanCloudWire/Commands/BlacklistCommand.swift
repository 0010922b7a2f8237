/// Command about people who are blocked in conversations.
package struct BlacklistCommand: ProtobufMessage {
    /// Conversation that the list belongs to.
    package var srcCid: String?
    /// Clients to block or release.
    package var toPids: [String] = []
    /// Client that the list belongs to.
    package var srcPid: String?
    /// Conversations to block or release.
    package var toCids: [String] = []
    /// Most results wanted.
    package var limit: Int32?
    /// Cursor of the next page.
    package var next: String?
    /// Clients that are blocked.
    package var blockedPids: [String] = []
    /// Conversations that are blocked.
    package var blockedCids: [String] = []
    /// Clients for which the request succeeded.
    package var allowedPids: [String] = []
    /// Clients for which the request failed, by reason.
    package var failedPids: [ErrorCommand] = []
    /// Time of the signature, UTC; the unit is as the SDK sent it.
    package var t: Int64?
    /// Nonce of the signature.
    package var n: String?
    /// Signature, hexadecimal.
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
