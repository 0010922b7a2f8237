import Glibc

/// A value behind a mutex, with threads that can wait for it to reach a state.
package final class ConditionLock<State>: @unchecked Sendable {
    // SAFETY: `state` is touched only with the mutex held; mutex and condition live at fixed heap addresses.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    /// Makes a lock around its first state.
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
    ///
    /// A server waits for as long as it takes. Where `WaitBound.seconds` is set, as in tests, the process ends with the
    /// place that waited in vain: a fault ends a run instead of hanging it.
    package func wait<Result>(
        until ready: (State) -> Bool, file: StaticString = #fileID, line: UInt = #line,
        then body: (inout State) -> Result
    ) -> Result {
        self.wait(until: ready, atMost: WaitBound.seconds, file: file, line: line, then: body)
    }

    private func wait<Result>(
        until ready: (State) -> Bool, atMost seconds: Int?, file: StaticString = #fileID, line: UInt = #line,
        then body: (inout State) -> Result
    ) -> Result {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        guard let seconds else {
            while !ready(self.state) { pthread_cond_wait(self.condition, self.mutex) }
            return body(&self.state)
        }
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        while !ready(self.state) {
            guard pthread_cond_timedwait(self.condition, self.mutex, &end) != ETIMEDOUT || ready(self.state) else {
                fatalError("waited \(seconds) s for a state that did not come", file: file, line: line)
            }
        }
        return body(&self.state)
    }
}

extension ConditionLock {
    /// Blocks a thread that has nothing to do until there is work, for as long as that takes.
    package func waitForWork<Result>(until ready: (State) -> Bool, then body: (inout State) -> Result) -> Result {
        self.wait(until: ready, atMost: nil, then: body)
    }
}

/// The longest that a `ConditionLock` is waited for.
enum WaitBound {
    /// Whole seconds, from the variable `TEAHOUSE_WAIT_SECONDS`, which the test command sets; `nil` for no bound.
    static let seconds: Int? = getenv("TEAHOUSE_WAIT_SECONDS").flatMap { Int(String(cString: $0)) }.map { max(1, $0) }
}
