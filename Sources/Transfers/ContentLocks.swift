import ChatModel
import Execution

/// One content is placed or removed by one at a time: an upload of what is just being collected waits for the end of
/// that, and the other way round. Any thread.
final class ContentLocks: Sendable {
    typealias Turn = @Sendable () -> Void

    private let held = Lock<[ContentHash: [Turn]]>([:])

    /// - Returns: true when the lock was free and is taken now; otherwise `later` is called, on another thread, when it
    ///   has been taken for the caller.
    func takeLock(_ hash: ContentHash, orElse later: @escaping Turn) -> Bool {
        self.held.withLock { held in
            guard held[hash] != nil else {
                held[hash] = []
                return true
            }
            held[hash]!.append(later)
            return false
        }
    }

    /// Takes it, waiting. Only for a thread on which nobody waits.
    func takeAndWait(_ hash: ContentHash) {
        let isMine = ConditionLock(false)
        if self.takeLock(hash, orElse: { isMine.change { $0 = true } }) { return }
        isMine.wait(until: { $0 }, then: { _ in })
    }

    func giveBack(_ hash: ContentHash) {
        let next = self.held.withLock { held -> Turn? in
            guard var waiting = held[hash], !waiting.isEmpty else {
                held[hash] = nil
                return nil
            }
            let next = waiting.removeFirst()
            held[hash] = waiting
            return next
        }
        next?()
    }
}
