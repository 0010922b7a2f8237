package import ChatModel
import Store

/// Something that happened to a message, for clients that watch it happen: the parts of a text that an agent writes, its
/// end. Not encrypted and never sent a second time: what has to last is in the store.
package struct StreamEvent: Hashable, Sendable {
    /// 1...255 bytes.
    package let id: String
    /// 1...255 bytes, for example `stream.delta`.
    package let type: String
    /// UTC.
    package let timestampMilliseconds: Int64
    /// JSON text.
    package let data: [UInt8]

    /// - Returns: `nil` when `id` or `type` is empty or longer than 255 bytes.
    package init?(id: String, type: String, timestampMilliseconds: Int64, data: [UInt8]) {
        guard (1...255).contains(id.utf8.count), (1...255).contains(type.utf8.count) else { return nil }
        self.id = id
        self.type = type
        self.timestampMilliseconds = timestampMilliseconds
        self.data = data
    }
}

extension Broker {
    /// Shows an event to everybody of a conversation who is online, or to one of them. Events of a conversation keep
    /// their order.
    package func publishEvent(_ event: StreamEvent, in conversation: ConversationID, only user: UserID? = nil) {
        self.ask { core in
            if core.queue(event, in: conversation, only: user) { self.readReceivers(of: conversation) }
        }
    }

    /// Reads who gets the events that wait, in one go for all that come meanwhile. When the store cannot answer now,
    /// they are dropped.
    private func readReceivers(of conversation: ConversationID) {
        self.store.read { transaction throws(StoreError) in
            try transaction.conversations.receivers(of: conversation)
        } then: { result in
            let people = (try? result.get()) ?? []
            self.ask { core in core.sendEvents(of: conversation, to: people) }
        }
    }
}
