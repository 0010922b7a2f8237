/// Command that delivers offline push and live query.
package struct DataCommand: ProtobufMessage {
    /// IDs of what is delivered.
    package var ids: [String] = []
    /// Contents delivered.
    package var msg: [JsonObjectMessage] = []
    /// True when sent while the receiver was away.
    package var offline: Bool?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.repeated(1, "ids", &self.ids)
        try fields.repeated(2, "msg", &self.msg)
        try fields.optional(3, "offline", &self.offline)
    }
}

/// Clients come or go; no current SDK uses it.
package struct PresenceCommand: ProtobufMessage {
    /// Came online or went offline.
    package var status: StatusType?
    /// Clients concerned.
    package var sessionPeerIds: [String] = []
    /// Conversation ID.
    package var cid: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "status", &self.status)
        try fields.repeated(2, "sessionPeerIds", &self.sessionPeerIds)
        try fields.optional(3, "cid", &self.cid)
    }
}

/// A device tells its new push token.
package struct ReportCommand: ProtobufMessage {
    /// True when the client asked by itself.
    package var initiative: Bool?
    /// `token`.
    package var type: String?
    /// Content as text.
    package var data: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "initiative", &self.initiative)
        try fields.optional(2, "type", &self.type)
        try fields.optional(3, "data", &self.data)
    }
}

/// Command of the former groups, before conversations; legacy.
package struct RoomCommand: ProtobufMessage {
    /// ID of the group; legacy.
    package var roomId: String?
    /// Signature, hexadecimal.
    package var s: String?
    /// Time of the signature, UTC; the unit is as the SDK sent it.
    package var t: Int64?
    /// Nonce of the signature.
    package var n: String?
    /// True for a chat room.
    package var transient: Bool?
    /// Clients in the group.
    package var roomPeerIds: [String] = []
    /// Client that caused the change.
    package var byPeerId: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "roomId", &self.roomId)
        try fields.optional(2, "s", &self.s)
        try fields.optional(3, "t", &self.t)
        try fields.optional(4, "n", &self.n)
        try fields.optional(5, "transient", &self.transient)
        try fields.repeated(6, "roomPeerIds", &self.roomPeerIds)
        try fields.optional(7, "byPeerId", &self.byPeerId)
    }
}

/// Topics; no current SDK uses it.
package struct PubsubCommand: ProtobufMessage {
    /// Conversation ID.
    package var cid: String?
    /// Conversation IDs.
    package var cids: [String] = []
    /// Topic.
    package var topic: String?
    /// Topic below the topic.
    package var subtopic: String?
    /// Topics.
    package var topics: [String] = []
    /// Topics below the topics.
    package var subtopics: [String] = []
    /// Rows of the answer, a JSON array.
    package var results: JsonObjectMessage?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "cid", &self.cid)
        try fields.repeated(2, "cids", &self.cids)
        try fields.optional(3, "topic", &self.topic)
        try fields.optional(4, "subtopic", &self.subtopic)
        try fields.repeated(5, "topics", &self.topics)
        try fields.repeated(6, "subtopics", &self.subtopics)
        try fields.optional(7, "results", &self.results)
    }
}
