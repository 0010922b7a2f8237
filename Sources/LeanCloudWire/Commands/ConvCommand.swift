/// About a conversation: its making, members, attributes, marks.
package struct ConvCommand: ProtobufMessage {
    /// Members.
    package var m: [String] = []
    /// True for a chat room.
    package var transient: Bool?
    /// True when the same members share one conversation.
    package var unique: Bool?
    /// Conversation ID.
    package var cid: String?
    /// When it was made: ISO 8601, UTC, milliseconds.
    package var cdate: String?
    /// Client that caused the change.
    package var initBy: String?
    /// Keys of a query's order, such as `-lm,name`.
    package var sort: String?
    /// Most results wanted.
    package var limit: Int32?
    /// Results to leave out at the start.
    package var skip: Int32?
    /// Form of a query's answer: 1 compact, 2 with the last message.
    package var flag: Int32?
    /// Number of results or members.
    package var count: Int32?
    /// When it was changed: ISO 8601, UTC, milliseconds.
    package var udate: String?
    /// When the signature was made.
    package var t: Int64?
    /// The signature's nonce.
    package var n: String?
    /// The signature.
    package var s: String?
    /// No SDK uses it.
    package var statusSub: Bool?
    /// No SDK uses it.
    package var statusPub: Bool?
    /// No SDK uses it.
    package var statusTTL: Int32?
    /// Identifier that the same members share.
    package var uniqueId: String?
    /// Client that the command is about.
    package var targetClientId: String?
    /// Time of the newest message that was read, UTC milliseconds.
    package var maxReadTimestamp: Int64?
    /// Time of the newest message that was delivered, UTC milliseconds.
    package var maxAckTimestamp: Int64?
    /// True when the answer names every member.
    package var queryAllMembers: Bool?
    /// Read and delivered times by member.
    package var maxReadTuples: [MaxReadTuple] = []
    /// Asked about by `is_member`.
    package var cids: [String] = []
    /// Role of a member.
    package var info: ConvMemberInfo?
    /// True for a temporary conversation.
    package var tempConv: Bool?
    /// Seconds that a temporary one lives.
    package var tempConvTTL: Int32?
    /// IDs of temporary conversations.
    package var tempConvIds: [String] = []
    /// For whom the request was met.
    package var allowedPids: [String] = []
    /// For whom not, and why.
    package var failedPids: [ErrorCommand] = []
    /// True when the conversation existed before.
    package var existing: Bool?
    /// Where the next page begins.
    package var next: String?
    /// Rows of the answer, a JSON array.
    package var results: JsonObjectMessage?
    /// Condition, a JSON object.
    package var `where`: JsonObjectMessage?
    /// Properties, a JSON object.
    package var attr: JsonObjectMessage?
    /// Changed properties, a JSON object.
    package var attrModified: JsonObjectMessage?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.repeated(1, "m", &self.m)
        try fields.optional(2, "transient", &self.transient)
        try fields.optional(3, "unique", &self.unique)
        try fields.optional(4, "cid", &self.cid)
        try fields.optional(5, "cdate", &self.cdate)
        try fields.optional(6, "initBy", &self.initBy)
        try fields.optional(7, "sort", &self.sort)
        try fields.optional(8, "limit", &self.limit)
        try fields.optional(9, "skip", &self.skip)
        try fields.optional(10, "flag", &self.flag)
        try fields.optional(11, "count", &self.count)
        try fields.optional(12, "udate", &self.udate)
        try fields.optional(13, "t", &self.t)
        try fields.optional(14, "n", &self.n)
        try fields.optional(15, "s", &self.s)
        try fields.optional(16, "statusSub", &self.statusSub)
        try fields.optional(17, "statusPub", &self.statusPub)
        try fields.optional(18, "statusTTL", &self.statusTTL)
        try fields.optional(19, "uniqueId", &self.uniqueId)
        try fields.optional(20, "targetClientId", &self.targetClientId)
        try fields.optional(21, "maxReadTimestamp", &self.maxReadTimestamp)
        try fields.optional(22, "maxAckTimestamp", &self.maxAckTimestamp)
        try fields.optional(23, "queryAllMembers", &self.queryAllMembers)
        try fields.repeated(24, "maxReadTuples", &self.maxReadTuples)
        try fields.repeated(25, "cids", &self.cids)
        try fields.optional(26, "info", &self.info)
        try fields.optional(27, "tempConv", &self.tempConv)
        try fields.optional(28, "tempConvTTL", &self.tempConvTTL)
        try fields.repeated(29, "tempConvIds", &self.tempConvIds)
        try fields.repeated(30, "allowedPids", &self.allowedPids)
        try fields.repeated(31, "failedPids", &self.failedPids)
        try fields.optional(32, "existing", &self.existing)
        try fields.optional(40, "next", &self.next)
        try fields.optional(100, "results", &self.results)
        try fields.optional(101, "where", &self.where)
        try fields.optional(103, "attr", &self.attr)
        try fields.optional(104, "attrModified", &self.attrModified)
    }
}

/// JSON as text.
package struct JsonObjectMessage: ProtobufMessage {
    /// Content as text.
    package var data: String = ""

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.required(1, "data", &self.data)
    }
}

/// The role of a member.
package struct ConvMemberInfo: ProtobufMessage {
    /// Client ID.
    package var pid: String?
    /// Role of the member.
    package var role: String?
    /// ID of the member's role.
    package var infoId: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "pid", &self.pid)
        try fields.optional(2, "role", &self.role)
        try fields.optional(3, "infoId", &self.infoId)
    }
}
