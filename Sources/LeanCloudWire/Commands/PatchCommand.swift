import ByteCodec

/// Edits and recalls of messages.
package struct PatchCommand: ProtobufMessage {
    /// Changes of messages.
    package var patches: [PatchItem] = []
    /// UTC milliseconds; the client names it when it signs in again.
    package var lastPatchTime: Int64?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.repeated(1, "patches", &self.patches)
        try fields.optional(2, "lastPatchTime", &self.lastPatchTime)
    }
}

/// One message edited or recalled.
package struct PatchItem: ProtobufMessage {
    /// Conversation ID.
    package var cid: String?
    /// Message ID.
    package var mid: String?
    /// UTC milliseconds at which the message was sent.
    package var timestamp: Int64?
    /// True for a recall, false for an edit.
    package var recall: Bool?
    /// The new content. The schema has text here.
    // COMPAT(LeanCloud Java 8.2): writes binary content here too, which is no text.
    /// New content.
    package var content: [UInt8]?
    /// UTC milliseconds of the edit.
    package var patchTimestamp: Int64?
    /// Client ID of the sender.
    package var from: String?
    /// The new content when it is no text.
    package var binaryMsg: [UInt8]?
    /// True when all members are mentioned.
    package var mentionAll: Bool?
    /// Clients mentioned.
    package var mentionPids: [String] = []
    /// Why the server edited it: below 0 ours, above 0 the app's.
    package var patchCode: Int64?
    /// Reason of the change, for people.
    package var patchReason: String?

    package init() {}

    /// The new content when it is text.
    package var data: String? {
        get {
            self.content.flatMap { content in
                content.withUnsafeBytes(UTF8Check.isValid) ? String(decoding: content, as: UTF8.self) : nil
            }
        }
        set { self.content = newValue.map { Array($0.utf8) } }
    }

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "cid", &self.cid)
        try fields.optional(2, "mid", &self.mid)
        try fields.optional(3, "timestamp", &self.timestamp)
        try fields.optional(4, "recall", &self.recall)
        try fields.optional(5, "data", &self.content)
        try fields.optional(6, "patchTimestamp", &self.patchTimestamp)
        try fields.optional(7, "from", &self.from)
        try fields.optional(8, "binaryMsg", &self.binaryMsg)
        try fields.optional(9, "mentionAll", &self.mentionAll)
        try fields.repeated(10, "mentionPids", &self.mentionPids)
        try fields.optional(11, "patchCode", &self.patchCode)
        try fields.optional(12, "patchReason", &self.patchReason)
    }
}
