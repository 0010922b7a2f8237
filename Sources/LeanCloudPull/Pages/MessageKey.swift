/// Where a message stands among all: by time, then conversation, then id. Pure.
package struct MessageKey: Hashable, Comparable, Sendable {
    /// Time of the message, UTC milliseconds.
    package var timestamp: Int64
    /// ID of its conversation.
    package var conversation: String
    /// ID of the message.
    package var message: String

    package init(timestamp: Int64, conversation: String, message: String) {
        self.timestamp = timestamp
        self.conversation = conversation
        self.message = message
    }

    /// The latest time that is taken: the end of the year 9999.
    static let maximumTimestamp: Int64 = 253_402_300_799_999

    /// - Throws: what a row lacks that has none.
    init(_ row: Row) throws(Row.Oddity) {
        guard let time = row.integer("timestamp"), (1...Self.maximumTimestamp).contains(time) else { throw .noTime }
        guard let id = row.string("msg-id"), !id.isEmpty else { throw .noMessageID }
        self.init(timestamp: time, conversation: row.string("conv-id") ?? "", message: id)
    }

    package static func < (left: MessageKey, right: MessageKey) -> Bool {
        if left.timestamp != right.timestamp { return left.timestamp < right.timestamp }
        return left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// Sorts as the key does, byte by byte.
    var bytes: [UInt8] {
        let time = "\(self.timestamp)"
        let text = String(repeating: "0", count: max(0, 15 - time.utf8.count)) + time
        return Array(text.utf8) + [0] + Array(self.conversation.utf8) + [0] + Array(self.message.utf8)
    }
}
