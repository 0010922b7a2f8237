import Glibc

/// A value that several threads share, behind a mutex.
///
/// A pthread mutex, not `Synchronization.Mutex`: ThreadSanitizer does not see the futex code of the latter and reports
/// races that are none, and a lock that ships should be the lock that was checked. Uncontended cost: about 15 ns.
package final class Lock<State>: @unchecked Sendable {
    // SAFETY: `state` is touched only between lock and unlock; the mutex lives at a fixed heap address.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    /// Makes a lock around its first state.
    package init(_ state: sending State) {
        self.mutex = .allocate(capacity: 1)
        let failure = pthread_mutex_init(self.mutex, nil)
        precondition(failure == 0, "pthread_mutex_init failed: \(failure)")
        self.state = state
    }

    deinit {
        pthread_mutex_destroy(self.mutex)
        self.mutex.deallocate()
    }

    /// Runs `body` with the value. Not recursive: `body` must not take the same lock again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        return try body(&self.state)
    }
}
