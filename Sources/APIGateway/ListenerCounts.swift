import ChatModel
import Execution

/// Number of event listeners of each person, over all reactors.
final class ListenerCounts: Sendable {
    /// Maximum of one person at the same time; one more is refused with 429.
    static let perPerson = 32

    private let counts = Lock([UserID: Int]())

    /// Counts one more listener of a person.
    ///
    /// - Returns: false when this person has as many as one may have.
    func enter(_ user: UserID) -> Bool {
        self.counts.withLock { counts in
            guard counts[user, default: 0] < Self.perPerson else { return false }
            counts[user, default: 0] += 1
            return true
        }
    }

    /// Counts one listener less. Call it once for each `enter` that was true.
    func leave(_ user: UserID) {
        self.counts.withLock { counts in
            let left = counts[user, default: 0] - 1
            counts[user] = left > 0 ? left : nil
        }
    }
}
