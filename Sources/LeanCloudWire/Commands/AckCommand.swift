/// The server took a message, or refused it; a client got one or several.
package struct AckCommand: ProtobufMessage {
    /// Why it was refused. SDKs take its mere presence for a refusal.
    package var code: Int32?
    /// Reason of a failure, in English.
    package var reason: String?
    /// The message that a client got.
    package var mid: String?
    /// Conversation ID.
    package var cid: String?
    /// UTC milliseconds at which the server took it.
    package var t: Int64?
    /// The ID that the server gave.
    package var uid: String?
    /// The first of several messages that a client got.
    package var fromts: Int64?
    /// The last of them.
    package var tots: Int64?
    /// Kind of what is acknowledged.
    package var type: String?
    /// IDs that are acknowledged, of pushes and live queries.
    package var ids: [String] = []
    /// Error code chosen by the app's own server.
    package var appCode: Int32?
    /// Text chosen by the app's own server.
    package var appMsg: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "code", &self.code)
        try fields.optional(2, "reason", &self.reason)
        try fields.optional(3, "mid", &self.mid)
        try fields.optional(4, "cid", &self.cid)
        try fields.optional(5, "t", &self.t)
        try fields.optional(6, "uid", &self.uid)
        try fields.optional(7, "fromts", &self.fromts)
        try fields.optional(8, "tots", &self.tots)
        try fields.optional(9, "type", &self.type)
        try fields.repeated(10, "ids", &self.ids)
        try fields.optional(11, "appCode", &self.appCode)
        try fields.optional(12, "appMsg", &self.appMsg)
    }
}
