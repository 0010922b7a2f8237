/// The reads that wait in one lane, taken in turns by those who ask.
///
/// Each asker has a queue and a virtual time, which grows by the reader's time that their reads took; whose time is least is
/// next. Who asks after a pause begins a little before those who are busy, however little or much these have had. One asker
/// with a hundred long questions so delays everybody else by one question, not by a hundred. Source: start-time fair queueing
/// (Goyal, Vin, Cheng, SIGCOMM 1996), with time of a thread in place of bytes.
struct FairReads<Job> {
    private struct Queue {
        var jobs: [Job] = []
        /// Index of the next job.
        var next = 0
        /// Virtual nanoseconds.
        var time: Int64
        /// Jobs that run.
        var running = 0
        /// Has an entry in the heap.
        var isListed = false

        var waiting: Int { self.jobs.count - self.next }

        mutating func add(_ job: Job) {
            // A queue need never be empty: what was taken goes once it is half of it.
            if self.next >= 64, 2 * self.next >= self.jobs.count {
                self.jobs.removeFirst(self.next)
                self.next = 0
            }
            self.jobs.append(job)
        }

        mutating func takeJob() -> Job {
            let job = self.jobs[self.next]
            self.next += 1
            if self.waiting == 0 {
                self.jobs.removeAll(keepingCapacity: true)
                self.next = 0
            }
            return job
        }
    }

    /// Askers that are remembered although they wait for nothing, at most.
    private static var mostRemembered: Int { 4_096 }

    /// Jobs that wait.
    private(set) var count = 0
    private var queues: [ReadAsker: Queue] = [:]
    private var turns = TurnHeap()
    /// The virtual time of the latest turn.
    private var now: Int64 = 0
    private let atOnce: Int

    /// - Parameter atOnce: jobs of one bounded asker that may run at the same time.
    init(atOnce: Int = .max) { self.atOnce = atOnce }

    /// - Returns: false, and nothing waits, when the asker has `ReadBounds.waiting` jobs waiting.
    mutating func add(_ job: Job, for asker: ReadAsker) -> Bool {
        var queue = self.queues.removeValue(forKey: asker) ?? Queue(time: 0)
        defer { self.queues[asker] = queue }
        guard !asker.isBounded || queue.waiting < ReadBounds.waiting else { return false }
        queue.add(job)
        self.count += 1
        self.list(asker, &queue)
        return true
    }

    private mutating func list(_ asker: ReadAsker, _ queue: inout Queue) {
        guard !queue.isListed, queue.waiting > 0 else { return }
        queue.time = max(queue.time, self.now - ReadBounds.headStartNanoseconds)
        queue.isListed = true
        self.turns.add(asker, at: queue.time)
    }

    /// The job whose turn it is; `nil` when none may run now.
    mutating func next() -> (asker: ReadAsker, job: Job)? {
        while let (asker, time) = self.turns.takeFirst() {
            guard var queue = self.queues.removeValue(forKey: asker) else { continue }
            defer { self.queues[asker] = queue }
            if queue.time > time {
                // They have had more time since they were listed.
                self.turns.add(asker, at: queue.time)
                continue
            }
            queue.isListed = false
            // Listed again when one of theirs has ended.
            if asker.isBounded, queue.running >= self.atOnce { continue }
            self.now = max(self.now, time)
            let job = queue.takeJob()
            self.count -= 1
            queue.running += 1
            // Until it is known how long it takes.
            queue.time += ReadBounds.leastNanoseconds
            self.list(asker, &queue)
            return (asker, job)
        }
        return nil
    }

    /// Notes how long a job of somebody took.
    mutating func finish(_ asker: ReadAsker, nanoseconds: Int64) {
        guard var queue = self.queues.removeValue(forKey: asker) else { return }
        queue.running -= 1
        queue.time += max(0, nanoseconds - ReadBounds.leastNanoseconds)
        self.list(asker, &queue)
        let isIdle = queue.waiting == 0 && queue.running == 0
        // Who has had no more than the others is as new.
        if isIdle, queue.time <= self.now - ReadBounds.headStartNanoseconds { return }
        self.queues[asker] = queue
        guard self.queues.count > Self.mostRemembered else { return }
        self.queues = self.queues.filter { $0.value.waiting > 0 || $0.value.running > 0 }
    }

    /// Takes everything out, in no order.
    mutating func removeAll() -> [Job] {
        var jobs: [Job] = []
        for asker in Array(self.queues.keys) {
            guard let queue = self.queues[asker], queue.waiting > 0 else { continue }
            jobs += queue.jobs[queue.next...]
            self.queues[asker]?.jobs = []
            self.queues[asker]?.next = 0
            self.queues[asker]?.isListed = false
        }
        self.turns = TurnHeap()
        self.count = 0
        return jobs
    }
}

/// Askers by their virtual times, the least first; of equal ones who came first. A binary heap.
private struct TurnHeap {
    private typealias Turn = (time: Int64, order: UInt64, asker: ReadAsker)

    private var turns: [Turn] = []
    private var lastOrder: UInt64 = 0

    mutating func add(_ asker: ReadAsker, at time: Int64) {
        self.lastOrder += 1
        self.turns.append((time: time, order: self.lastOrder, asker: asker))
        var index = self.turns.count - 1
        while index > 0, Self.precedes(self.turns[index], self.turns[(index - 1) / 2]) {
            self.turns.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func takeFirst() -> (asker: ReadAsker, time: Int64)? {
        guard let first = self.turns.first else { return nil }
        let last = self.turns.removeLast()
        if !self.turns.isEmpty {
            self.turns[0] = last
            self.sink()
        }
        return (first.asker, first.time)
    }

    private mutating func sink() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < self.turns.count {
                if Self.precedes(self.turns[child], self.turns[least]) { least = child }
            }
            guard least != index else { return }
            self.turns.swapAt(index, least)
            index = least
        }
    }

    private static func precedes(_ left: Turn, _ right: Turn) -> Bool {
        left.time == right.time ? left.order < right.order : left.time < right.time
    }
}
