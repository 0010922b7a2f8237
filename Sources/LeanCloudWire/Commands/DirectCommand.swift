/// A message, from its sender or to a receiver.
package struct DirectCommand: ProtobufMessage {
    /// The content: the JSON of a typed message, or any text.
    package var msg: String?
    /// Legacy.
    package var uid: String?
    /// The sender.
    package var fromPeerId: String?
    /// UTC milliseconds at which the server took it.
    package var timestamp: Int64?
    /// True when the message was sent while the receiver was away; version 1.
    package var offline: Bool?
    /// True when the history holds more that was missed; version 1.
    package var hasMore: Bool?
    /// Legacy.
    package var toPeerIds: [String] = []
    /// True when the sender wants a receipt.
    package var r: Bool?
    /// The conversation.
    package var cid: String?
    /// The message's ID, given by the server.
    package var id: String?
    /// True when only members who are online receive the message.
    package var transient: Bool?
    /// The sender's token, the same when it sends again.
    package var dt: String?
    /// Legacy.
    package var roomId: String?
    /// JSON for the offline push.
    package var pushData: String?
    /// True when the message is to be sent when the sender's connection breaks.
    package var will: Bool?
    /// UTC milliseconds of the last edit, when there was one before delivery.
    package var patchTimestamp: Int64?
    /// The content when it is no text, instead of `msg`.
    package var binaryMsg: [UInt8]?
    /// Clients mentioned.
    package var mentionPids: [String] = []
    /// True when all members are mentioned.
    package var mentionAll: Bool?
    /// 1 normal, 2 chat room, 3 system, 4 temporary.
    package var convType: Int32?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "msg", &self.msg)
        try fields.optional(2, "uid", &self.uid)
        try fields.optional(3, "fromPeerId", &self.fromPeerId)
        try fields.optional(4, "timestamp", &self.timestamp)
        try fields.optional(5, "offline", &self.offline)
        try fields.optional(6, "hasMore", &self.hasMore)
        try fields.repeated(7, "toPeerIds", &self.toPeerIds)
        try fields.optional(10, "r", &self.r)
        try fields.optional(11, "cid", &self.cid)
        try fields.optional(12, "id", &self.id)
        try fields.optional(13, "transient", &self.transient)
        try fields.optional(14, "dt", &self.dt)
        try fields.optional(15, "roomId", &self.roomId)
        try fields.optional(16, "pushData", &self.pushData)
        try fields.optional(17, "will", &self.will)
        try fields.optional(18, "patchTimestamp", &self.patchTimestamp)
        try fields.optional(19, "binaryMsg", &self.binaryMsg)
        try fields.repeated(20, "mentionPids", &self.mentionPids)
        try fields.optional(21, "mentionAll", &self.mentionAll)
        try fields.optional(22, "convType", &self.convType)
    }
}
