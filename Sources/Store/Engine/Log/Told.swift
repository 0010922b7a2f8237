import ChatModel

/// Answers of a batch once it is durable, as a value: the writer gives them after a commit, the log's thread after a sync.
struct Told: Sendable {
    var outcomes: [AppendOutcome] = []
    /// Answers to changes that are no messages, in their order.
    var answers: [@Sendable () -> Void] = []
    /// Answers instead of those, where a batch of the log could not be written.
    var refusals: [@Sendable (StoreError) -> Void] = []
    /// Position up to which everything is told then; `nil` when the batch has stored nothing.
    var position: StorePosition?
    /// Share of the queue's bounds that the batch holds.
    var room = (count: 0, bytes: 0)

    /// Says what became of the batch: all messages in one call, then the other changes. Its room in the queue is free before
    /// anyone is told: whoever sends again at once for each answer finds room.
    func tell(_ observers: StoreObservers, _ queue: WriterQueue) {
        queue.giveBack(count: self.room.count, bytes: self.room.bytes)
        if !self.outcomes.isEmpty { observers.onOutcomes(self.outcomes) }
        for answer in self.answers { answer() }
        if let position = self.position { observers.onPosition(position) }
    }

    /// The same batch when nothing of it could be stored: what was accepted was not.
    func failed(because error: StoreError) -> Told {
        var failed = self
        failed.position = nil
        failed.answers = self.refusals.map { refuse in { refuse(error) } }
        failed.outcomes = self.outcomes.map { outcome in
            guard case .accepted = outcome.result else { return outcome }
            return AppendOutcome(ticket: outcome.ticket, result: .failed(error))
        }
        return failed
    }
}
