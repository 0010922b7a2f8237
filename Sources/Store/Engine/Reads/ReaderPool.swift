import CLinux
import Execution
import Glibc

/// A read that waits for a thread. It gets `nil` where there is none for it any more.
typealias ReadJob = @Sendable (ReaderSlot?) -> Void

/// The threads that read, each with a connection of its own, and what waits for them.
///
/// One thread takes sign-ins alone; the others take them first. Of those the first one takes no long reads, and the last
/// one takes them before pages, so that neither keeps the other waiting.
final class ReaderPool: Sendable {
    private let queue: ReaderQueue
    private let threads: [Thread]

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - readers: threads besides the one for sign-ins, at least 1.
    ///   - capacity: reads that may wait; `submit` refuses one more.
    ///   - makeSlot: called once on each thread.
    init(readers: Int, capacity: Int, makeSlot: @escaping @Sendable () -> ReaderSlot) {
        precondition(readers > 0 && capacity > 0)
        let roles = [[ReadLane.signIn]] + (0..<readers).map { Self.role(of: $0, among: readers) }
        let queue = ReaderQueue(roles, capacity: capacity)
        self.queue = queue
        self.threads = roles.indices.map { number in
            Thread(name: number == 0 ? "store-sign-in" : "store-reader-\(number - 1)") {
                // On Linux the priority is the calling thread's. Source: setpriority(2), "C library/kernel differences".
                if readers > 1, number > 0 {
                    let niceness = roles[number].contains(.long) ? Self.longNiceness : Self.pageNiceness
                    setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, niceness)
                }
                queue.work(number, makeSlot())
            }
        }
    }

    /// Nice values of the threads for pages and for long reads: signing in, sending and sockets go first where cores are few.
    private static let pageNiceness: Int32 = 5
    private static let longNiceness: Int32 = 10

    private static func role(of number: Int, among readers: Int) -> [ReadLane] {
        if readers == 1 { return [.signIn, .page, .long] }
        return number == 0 ? [.signIn, .page] : [.signIn, .long, .page]
    }

    /// Queues a read.
    ///
    /// - Returns: false, and nothing is queued, when too many wait, of all or of this asker, or the pool was stopped.
    func submit(_ lane: ReadLane, for asker: ReadAsker, _ job: @escaping ReadJob) -> Bool {
        self.queue.submit(lane, for: asker, job)
    }

    /// Works off what waits, but long reads, which are told that the store is closing; then ends the threads and waits for
    /// them. Later reads are refused.
    func stop() {
        self.queue.stop()
        for thread in self.threads { thread.join() }
    }

    /// Reads that wait in each lane.
    func waiting(in lane: ReadLane) -> Int { self.queue.waiting(in: lane) }
}

/// Queue of the reader threads, and the list of idle threads.
private final class ReaderQueue: @unchecked Sendable {
    // SAFETY: `state` is touched only with the mutex held; mutex and conditions live at fixed heap addresses.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// One for each thread, so that only one that can do the work is woken.
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
    /// Lanes of each thread, in the order of its preference.
    private let roles: [[ReadLane]]
    private let capacity: Int
    private var state: State

    private struct State {
        var signIns = FairReads<ReadJob>()
        var pages = FairReads<ReadJob>()
        var longs = FairReads<ReadJob>(atOnce: ReadBounds.longAtOnce)
        /// For each thread whether it waits for work.
        var isIdle: [Bool]
        var isStopped = false

        var count: Int { self.signIns.count + self.pages.count + self.longs.count }

        subscript(lane: ReadLane) -> FairReads<ReadJob> {
            get {
                switch lane {
                case .signIn: self.signIns
                case .page: self.pages
                case .long: self.longs
                }
            }
            _modify {
                switch lane {
                case .signIn: yield &self.signIns
                case .page: yield &self.pages
                case .long: yield &self.longs
                }
            }
        }
    }

    private struct Turn {
        var lane: ReadLane
        var asker: ReadAsker
        var job: ReadJob
    }

    init(_ roles: [[ReadLane]], capacity: Int) {
        self.roles = roles
        self.capacity = capacity
        self.mutex = .allocate(capacity: 1)
        pthread_mutex_init(self.mutex, nil)
        self.conditions = .allocate(capacity: roles.count)
        for number in roles.indices { pthread_cond_init(self.conditions + number, nil) }
        self.state = State(isIdle: [Bool](repeating: false, count: roles.count))
    }

    deinit {
        for number in self.roles.indices { pthread_cond_destroy(self.conditions + number) }
        self.conditions.deallocate()
        pthread_mutex_destroy(self.mutex)
        self.mutex.deallocate()
    }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        return body(&self.state)
    }

    func submit(_ lane: ReadLane, for asker: ReadAsker, _ job: @escaping ReadJob) -> Bool {
        self.withState { state in
            guard !state.isStopped, state.count < self.capacity else { return false }
            guard state[lane].add(job, for: asker) else { return false }
            self.wakeThread(for: lane, &state)
            return true
        }
    }

    /// Wakes one that has nothing to do: the first, which has the fewest other roles.
    private func wakeThread(for lane: ReadLane, _ state: inout State) {
        for number in self.roles.indices where state.isIdle[number] && self.roles[number].contains(lane) {
            state.isIdle[number] = false
            pthread_cond_signal(self.conditions + number)
            return
        }
    }

    func waiting(in lane: ReadLane) -> Int { self.withState { $0[lane].count } }

    func stop() {
        let abandoned = self.withState { state in
            state.isStopped = true
            for number in self.roles.indices { pthread_cond_signal(self.conditions + number) }
            return state.longs.removeAll()
        }
        for job in abandoned { job(nil) }
    }

    // MARK: The threads

    /// The life of one thread.
    func work(_ number: Int, _ slot: ReaderSlot) {
        while let turn = self.nextTurn(number) {
            let start = clinux_monotonic_nanoseconds()
            slot.beginRead(turn.lane, for: turn.asker, at: start)
            turn.job(slot)
            let end = clinux_monotonic_nanoseconds()
            self.withState { state in
                state[turn.lane].finish(turn.asker, nanoseconds: end - start)
                // Another long read of theirs may run now.
                if turn.lane == .long, state.longs.count > 0 { self.wakeThread(for: .long, &state) }
            }
        }
    }

    private func nextTurn(_ number: Int) -> Turn? {
        self.withState { state in
            while true {
                for lane in self.roles[number] where state[lane].count > 0 {
                    guard let (asker, job) = state[lane].next() else { continue }
                    return Turn(lane: lane, asker: asker, job: job)
                }
                if state.isStopped { return nil }
                state.isIdle[number] = true
                pthread_cond_wait(self.conditions + number, self.mutex)
                state.isIdle[number] = false
            }
        }
    }
}
