/// What offline push and live query deliver.
package struct DataCommand: ProtobufMessage {
    package var ids: [String] = []
    package var msg: [JsonObjectMessage] = []
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
    package var status: StatusType?
    package var sessionPeerIds: [String] = []
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
    package var initiative: Bool?
    /// `token`.
    package var type: String?
    package var data: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "initiative", &self.initiative)
        try fields.optional(2, "type", &self.type)
        try fields.optional(3, "data", &self.data)
    }
}

/// What conversations were before; legacy.
package struct RoomCommand: ProtobufMessage {
    package var roomId: String?
    package var s: String?
    package var t: Int64?
    package var n: String?
    package var transient: Bool?
    package var roomPeerIds: [String] = []
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
    package var cid: String?
    package var cids: [String] = []
    package var topic: String?
    package var subtopic: String?
    package var topics: [String] = []
    package var subtopics: [String] = []
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
