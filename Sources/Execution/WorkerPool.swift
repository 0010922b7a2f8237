import Glibc

/// A few threads that work off jobs from one bounded queue: reads from the store, password hashes, compression.
///
/// Each thread owns one `Resource` (a database connection, a scratch buffer), made on that thread.
package final class WorkerPool<Resource>: Sendable {
    /// Work for one thread of the pool, with the resource that this thread owns.
    package typealias Job = @Sendable (Resource) -> Void

    private struct State {
        var jobs: [Job] = []
        /// Index of the next job; the array is compacted when it has been worked off.
        var next = 0
        var stopped = false
        var waiting: Int { self.jobs.count - self.next }
    }

    private let state: ConditionLock<State>
    private let threads: [Thread]
    private let capacity: Int

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - name: shown by `top -H`, with the thread's number behind it.
    ///   - capacity: jobs that may wait; `submit` refuses one more.
    ///   - makeResource: called once on each thread, before its first job.
    package init(name: String, threads count: Int, capacity: Int, makeResource: @escaping @Sendable () -> Resource) {
        precondition(count > 0 && capacity > 0)
        let state = ConditionLock(State())
        self.state = state
        self.capacity = capacity
        self.threads = (0..<count).map { number in
            Thread(name: "\(name)-\(number)") {
                let resource = makeResource()
                while let job = Self.next(from: state) { job(resource) }
            }
        }
    }

    private static func next(from state: ConditionLock<State>) -> Job? {
        state.waitForWork(until: { $0.waiting > 0 || $0.stopped }) { state in
            guard state.waiting > 0 else { return nil }
            let job = state.jobs[state.next]
            state.next += 1
            if state.next == state.jobs.count {
                state.jobs.removeAll(keepingCapacity: true)
                state.next = 0
            } else if state.next >= 1024 {
                state.jobs.removeFirst(state.next)
                state.next = 0
            }
            return job
        }
    }

    /// Queues a job.
    ///
    /// - Returns: false, and nothing is queued, when `capacity` jobs wait already or the pool was stopped: tell the
    ///   asker that the server is busy.
    package func submit(_ job: @escaping Job) -> Bool {
        self.state.change { state in
            guard !state.stopped, state.waiting < self.capacity else { return false }
            state.jobs.append(job)
            return true
        }
    }

    /// Works off what waits, then ends the threads and waits for them. Later jobs are refused.
    package func stop() {
        self.state.change { $0.stopped = true }
        for thread in self.threads { thread.join() }
    }
}
