import ChatModel

/// Events that wait for the list of their receivers, by conversation. Confined to the broker's thread.
struct WaitingEvents {
    typealias Entry = (event: StreamEvent, only: UserID?)

    /// Events of one conversation that wait at most; one more drops the oldest.
    static let maximum = 1024

    private var entries: [ConversationID: [Entry]] = [:]

    /// - Returns: whether it is the first, so that the list has to be asked for.
    mutating func add(_ event: StreamEvent, in conversation: ConversationID, only user: UserID?) -> Bool {
        let count = self.entries[conversation]?.count ?? 0
        if count >= Self.maximum { self.entries[conversation]?.removeFirst() }
        self.entries[conversation, default: []].append((event, user))
        return count == 0
    }

    mutating func takeEvents(_ conversation: ConversationID) -> [Entry] {
        self.entries.removeValue(forKey: conversation) ?? []
    }
}
