import ChatModel

/// A sequence for each conversation, for sessions that mostly hear from one.
///
/// The conversation used last is kept beside the dictionary, so that a burst in one group needs no hashing, and a session
/// with a single conversation no dictionary at all. Measured: a tenth of the time of a fan-out went into hashing.
struct PositionMap {
    private var last: (conversation: ConversationID, sequence: Int64)?
    private var others: [ConversationID: Int64] = [:]

    var isEmpty: Bool { self.last == nil }

    /// Sets the sequence when it is higher than what is there.
    ///
    /// - Returns: whether it was.
    @discardableResult
    mutating func raise(_ conversation: ConversationID, to sequence: Int64) -> Bool {
        if self.last?.conversation != conversation {
            let known = self.others.removeValue(forKey: conversation) ?? 0
            if let last = self.last { self.others[last.conversation] = last.sequence }
            self.last = (conversation, known)
        }
        guard let known = self.last?.sequence, known < sequence else { return false }
        self.last?.sequence = sequence
        return true
    }

    /// Sets the sequence when there is none.
    mutating func setIfAbsent(_ conversation: ConversationID, to sequence: Int64) {
        guard let last = self.last else { return self.last = (conversation, sequence) }
        guard last.conversation != conversation, self.others[conversation] == nil else { return }
        self.others[conversation] = sequence
    }

    /// All of them, as a dictionary.
    var all: [ConversationID: Int64] {
        var all = self.others
        if let last = self.last { all[last.conversation] = last.sequence }
        return all
    }
}
