import CLinux
import Execution
import Glibc
import Store

/// The one-time right to make the first administrator from outside: a file that only who runs the server can read.
///
/// `DATA/setup-token`, mode 0600, holds 128 random bits as text. It is made anew by each start without an
/// administrator, is valid for an hour and for five wrong tries, and goes with its use.
final class SetupToken: Sendable {
    static let validSeconds = 3_600.0
    static let tries = 5
    static let randomBytes = 16
    static let fileName = "setup-token"

    private enum State {
        /// An administrator exists, or was never looked for.
        case done
        case open(hash: [UInt8], triesLeft: Int, until: Instant)
        /// Too many tries, or too late: until the next start.
        case closed
    }

    let path: String
    private let clock: Clock
    private let state = Lock(State.done)

    init(folder: String, clock: Clock) {
        self.path = "\(folder)/\(Self.fileName)"
        self.clock = clock
    }

    /// Makes a new token and its file, in place of an older one.
    func open() throws(StoreError) {
        let text = Sodium.base64(Sodium.randomBytes(Self.randomBytes))
        unlink(self.path)
        let descriptor = clinux_open(self.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw self.failure() }
        defer { Glibc.close(descriptor) }
        let line = Array((text + "\n").utf8)
        guard write(descriptor, line, line.count) == line.count else {
            let error = self.failure()
            unlink(self.path)
            throw error
        }
        let until = self.clock.now().advanced(bySeconds: Self.validSeconds)
        self.state.withLock { $0 = .open(hash: Sodium.hash(Array(text.utf8)), triesLeft: Self.tries, until: until) }
    }

    private func failure() -> StoreError {
        let reason = clinux_errno()
        if reason == ENOSPC || reason == EDQUOT { return .full }
        return .invalid("cannot write \(self.path): \(String(cString: strerror(reason)))")
    }

    /// An administrator exists: the file goes.
    func finish() {
        self.state.withLock { $0 = .done }
        unlink(self.path)
    }

    /// Checks the token; blanks around it do not matter. A wrong one costs a try, a right one stays valid
    /// until `finish`.
    ///
    /// - Returns: the reason of a refusal; `nil` when `text` is the token.
    func refusal(of text: String) -> SetupRefusal? {
        let given = Sodium.hash(text.utf8.filter { $0 > 0x20 })
        let now = self.clock.now()
        let (refusal, isOver) = self.state.withLock { state in Self.judge(given, &state, at: now) }
        if isOver { unlink(self.path) }
        return refusal
    }

    private static func judge(_ given: [UInt8], _ state: inout State, at now: Instant) -> (SetupRefusal?, isOver: Bool)
    {
        guard case .open(let hash, let triesLeft, let until) = state else {
            if case .closed = state { return (.closed, false) }
            return (.done, false)
        }
        guard now < until else {
            state = .closed
            return (.closed, true)
        }
        if Sodium.isEqual(given, hash) { return (nil, false) }
        guard triesLeft > 1 else {
            state = .closed
            return (.closed, true)
        }
        state = .open(hash: hash, triesLeft: triesLeft - 1, until: until)
        return (.wrongToken(triesLeft: triesLeft - 1), false)
    }
}
