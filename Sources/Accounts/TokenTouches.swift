import Execution
import Store

/// Notes in the store when tokens were last used, many in one write.
///
/// The time decides which token goes when somebody has too many, so an hour is exact enough, and one that is dropped
/// because too many wait does no harm.
final class TokenTouches: Sendable {
    /// A token is noted again after this long.
    static let everyMilliseconds: Int64 = 3_600_000
    /// Tokens that may wait.
    static let capacity = 16_384
    /// Tokens of one write: keeps the commit short.
    static let perWrite = 256

    private struct Touch {
        var hash: [UInt8]
        /// To be hashed alone, for a token that was issued before such hashes were kept.
        var unfoundToken: SignInToken?
    }

    private struct State {
        var waiting: [Touch] = []
        var isWriting = false
    }

    private let store: Store
    private let state = Lock(State())

    init(_ store: Store) { self.store = store }

    /// - Parameter unfoundToken: the token itself, when it cannot be found alone yet.
    func noteTouch(_ hash: [UInt8], unfoundToken: SignInToken? = nil) {
        let starts = self.state.withLock { state in
            if state.waiting.count < Self.capacity {
                state.waiting.append(Touch(hash: hash, unfoundToken: unfoundToken))
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if starts { self.write() }
    }

    private func write() {
        let batch = self.state.withLock { state in
            let batch = Array(state.waiting.prefix(Self.perWrite))
            state.waiting.removeFirst(batch.count)
            return batch
        }
        self.store.write({ transaction throws(StoreError) in
            let key = try transaction.reading.people.bareTokenKey()
            for touch in batch {
                try transaction.people.touchToken(hash: touch.hash, bareHash: touch.unfoundToken?.bareHash(key: key))
            }
        }) { result in
            let goesOn = self.state.withLock { state in
                // A store that refuses gets no more of what can wait.
                if case .failure = result { state.waiting.removeAll() }
                if state.waiting.isEmpty { state.isWriting = false }
                return state.isWriting
            }
            if goesOn { self.write() }
        }
    }
}
