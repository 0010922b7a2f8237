import Glibc

/// A value behind a mutex, with threads that can wait for it to reach a state.
package final class ConditionLock<State>: @unchecked Sendable {
    // SAFETY: `state` is touched only with the mutex held; mutex and condition live at fixed heap addresses.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ state: sending State) {
        self.mutex = .allocate(capacity: 1)
        self.condition = .allocate(capacity: 1)
        pthread_mutex_init(self.mutex, nil)
        pthread_cond_init(self.condition, nil)
        self.state = state
    }

    deinit {
        pthread_cond_destroy(self.condition)
        pthread_mutex_destroy(self.mutex)
        self.condition.deallocate()
        self.mutex.deallocate()
    }

    /// Looks at the value.
    package func read<Result>(_ body: (State) -> Result) -> Result {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        return body(self.state)
    }

    /// Changes the value and wakes everyone who waits for it.
    @discardableResult
    package func change<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(self.mutex)
        defer {
            pthread_cond_broadcast(self.condition)
            pthread_mutex_unlock(self.mutex)
        }
        return body(&self.state)
    }

    /// Blocks until `ready` holds, then changes the value.
    package func wait<Result>(until ready: (State) -> Bool, then body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        while !ready(self.state) { pthread_cond_wait(self.condition, self.mutex) }
        return body(&self.state)
    }
}
