import ChatModel
import Execution
import Glibc
import Store

/// Reads of pages at a fixed rate beside messages at a fixed rate: how long reads take, of which they wait for the log to be
/// applied, and how much processor time they cost.
struct ReadLoad {
    static let readsPerSecond = [0, 200, 1_000]
    private static let pageMessages = 20

    private let store: Store
    private let people: BenchPeople
    private let conversations: [ConversationID]

    /// Times of operations that have ended, microseconds.
    private struct Times: Sendable {
        var ended = 0
        var samples: [Double] = []
    }

    /// - Parameter sends: messages in a second.
    static func run(_ folder: String, sends: Int, seconds: Int, fromLog: Bool) throws(StoreError) {
        var options = StoreOptions(folder: folder)
        options.acknowledgesFromLog = fromLog
        let store = try Store(options)
        let people = try BenchPeople(store, pairs: StoreBench.pairs)
        let load = ReadLoad(store: store, people: people, conversations: people.begin(store))
        var alone: Double?
        for rate in Self.readsPerSecond {
            store.runMaintenance()
            let cost = load.measure(sends: sends, reads: rate, seconds: seconds, alone: alone, fromLog: fromLog)
            if rate == 0 { alone = cost }
        }
        store.close()
    }

    /// - Parameter alone: processor time of the same without reads, microseconds.
    /// - Returns: processor time of the process, applying included, microseconds.
    private func measure(sends: Int, reads: Int, seconds: Int, alone: Double?, fromLog: Bool) -> Double {
        let (sent, read) = (ConditionLock(Times()), ConditionLock(Times()))
        self.store.onOutcomes = { outcomes in
            let now = Clock.system.now()
            sent.change { sent in
                sent.ended += outcomes.count
                for outcome in outcomes {
                    _ = outcome.message
                    sent.samples.append(Self.microseconds(since: Int64(outcome.ticket), now))
                }
            }
        }
        let before = self.store.metrics
        let first = ProcessorTime.ofProcess()
        let load = self
        let reader = Thread(name: "bench-reads") { load.read(read, rate: reads, seconds: seconds) }
        self.send(rate: sends, seconds: seconds)
        reader.join()
        let (messages, pages) = (sends * seconds, reads * seconds)
        sent.wait(until: { $0.ended == messages }, then: { _ in })
        read.wait(until: { $0.ended == pages }, then: { _ in })
        let metrics = self.store.metrics
        self.store.runMaintenance()
        let cost = ProcessorTime.ofProcess().microseconds(since: first)
        var line = "\(sends) messages/s\(fromLog ? "" : ", direct"), \(reads) reads/s: "
        line += "acknowledged after us \(percentiles(sent.read { $0.samples })), "
        line += "read after us \(percentiles(read.read { $0.samples })), "
        line += "\(rounded(cost / Double(messages))) us CPU for each message with its share of reads, "
        if let alone, pages > 0 { line += "\(rounded((cost - alone) / Double(pages))) us CPU more for each read, " }
        print(line + "\(metrics.commits - before.commits) commits, \(metrics.logSyncs - before.logSyncs) syncs")
        return cost
    }

    private func send(rate: Int, seconds: Int) {
        var random = SystemRandomNumberGenerator()
        Self.pace(rate, seconds) { number, due in
            var append = self.people.message(number, from: number % self.people.users.count, &random)
            append.ticket = UInt64(due.nanoseconds)
            self.store.append([append])
        }
    }

    private func read(_ times: ConditionLock<Times>, rate: Int, seconds: Int) {
        Self.pace(rate, seconds) { number, due in
            let id = self.conversations[number % self.conversations.count]
            self.store.read { reading throws(StoreError) in
                try reading.messages.latest(in: id, limit: Self.pageMessages, as: .unrestricted).count
            } then: { result in
                if case .failure(let error) = result { fatalError("not read: \(error)") }
                let now = Clock.system.now()
                times.change { times in
                    times.ended += 1
                    times.samples.append(Self.microseconds(since: due.nanoseconds, now))
                }
            }
        }
    }

    /// Calls `body` so often a second, each time with when it was due: what comes late counts as waiting.
    private static func pace(_ rate: Int, _ seconds: Int, _ body: (Int, Instant) -> Void) {
        let start = Clock.system.now()
        for number in 0..<(rate * seconds) {
            let due = start.advanced(bySeconds: Double(number) / Double(rate))
            let early = due.nanoseconds - Clock.system.now().nanoseconds
            if early > 0 {
                var pause = timespec(tv_sec: Int(early / 1_000_000_000), tv_nsec: Int(early % 1_000_000_000))
                nanosleep(&pause, nil)
            }
            body(number, due)
        }
    }

    private static func microseconds(since start: Int64, _ now: Instant) -> Double {
        Double(now.nanoseconds - start) / 1_000
    }
}
