import Execution

/// Leaves alone who fails: after several failures in a row nothing is sent for a while, then one request finds out.
struct CircuitBreaker {
    /// Failures in a row that open it.
    let failures: Int
    /// The first pause; doubled with each request that fails after one.
    let firstPauseMilliseconds: Int64
    let longestPauseMilliseconds: Int64

    private var inARow = 0
    private var pauseMilliseconds: Int64
    /// Nothing is sent before.
    private var closedUntil: Instant?
    private var isProbing = false

    init(failures: Int, firstPauseMilliseconds: Int64, longestPauseMilliseconds: Int64) {
        self.failures = failures
        self.firstPauseMilliseconds = firstPauseMilliseconds
        self.longestPauseMilliseconds = longestPauseMilliseconds
        self.pauseMilliseconds = firstPauseMilliseconds
    }

    /// True when a request may be sent now; its outcome must be reported.
    mutating func admits(at now: Instant) -> Bool {
        guard let until = self.closedUntil else { return true }
        guard until <= now, !self.isProbing else { return false }
        self.isProbing = true
        return true
    }

    mutating func succeeded() {
        self.inARow = 0
        self.pauseMilliseconds = self.firstPauseMilliseconds
        self.closedUntil = nil
        self.isProbing = false
    }

    mutating func failed(at now: Instant) {
        self.inARow += 1
        // Requests that were sent before the pause began say nothing new.
        guard self.isProbing || (self.closedUntil == nil && self.inARow >= self.failures) else { return }
        if self.isProbing {
            self.pauseMilliseconds = min(2 * self.pauseMilliseconds, self.longestPauseMilliseconds)
        }
        self.isProbing = false
        self.closedUntil = now.advanced(byMilliseconds: self.pauseMilliseconds)
    }

    /// A request was not sent after all.
    mutating func gaveUp() { self.isProbing = false }

    func state(at now: Instant) -> ProfileProviderState {
        guard let until = self.closedUntil else { return .working }
        return self.isProbing || until <= now ? .trying : .paused
    }
}
