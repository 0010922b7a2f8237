import ChatModel
import Execution
import Glibc
import Store

/// Measures the store alone, in a folder of its own.
@main
struct StoreBench {
    static let pairs = 100
    static let groups = 200

    private static let usage = """
        usage: store-bench append FOLDER [messages] [in flight] [hooks] [direct]
               store-bench read FOLDER
               store-bench mixed FOLDER [operations] [pairs] [direct] [records]
               store-bench reads FOLDER [messages a second] [seconds] [direct]
               store-bench kill FOLDER        fills the log as far as it goes and kills the process
               store-bench start FOLDER       starts on what is left and says when it is ready
               store-bench retention FOLDER [messages]

        direct  without the log: each batch is written to the database
        hooks   puts each message into the queue of events, too
        records a day without reads of our own API and edits: records of the log say all of it
        """

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { self.exitWithUsage() }
        let folder = arguments[2]
        let numbers = arguments.dropFirst(3).compactMap { Int($0) }.filter { $0 > 0 }
        let fromLog = !arguments.contains("direct")
        do throws(StoreError) {
            switch arguments[1] {
            case "append":
                try self.appends(
                    folder, count: numbers.first ?? 300_000, numbers.count > 1 ? numbers[1] : 1_600,
                    queuesHooks: arguments.contains("hooks"), fromLog: fromLog)
            case "read": try self.reads(folder)
            case "mixed":
                try MixedDay.run(
                    folder, count: numbers.first ?? 100_000, pairs: numbers.count > 1 ? numbers[1] : 100,
                    fromLog: fromLog, recordsAlone: arguments.contains("records"))
            case "reads":
                try ReadLoad.run(
                    folder, sends: numbers.first ?? 5_000, seconds: numbers.count > 1 ? numbers[1] : 5,
                    fromLog: fromLog)
            case "kill": try KilledStart.fillAndKill(folder)
            case "start": try KilledStart.start(folder)
            case "retention": try RetentionRunBench.run(folder, count: numbers.first ?? 5_000_000)
            default: self.exitWithUsage()
            }
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    private static func exitWithUsage() -> Never {
        print(self.usage)
        exit(64)
    }

    /// `count` messages with tokens over 100 conversations, `inFlight` of them waiting at a time.
    ///
    /// - Parameters:
    ///   - queuesHooks: each is put into the queue of events too, which nobody empties.
    ///   - fromLog: acknowledged from the log; otherwise each batch is written to the database.
    private static func appends(
        _ folder: String, count: Int, _ inFlight: Int, queuesHooks: Bool, fromLog: Bool
    ) throws(StoreError) {
        var options = StoreOptions(folder: folder)
        options.queuesHooks = queuesHooks
        options.acknowledgesFromLog = fromLog
        let store = try Store(options)
        let people = try BenchPeople(store, pairs: Self.pairs)
        let done = ConditionLock(0)
        // When each message was sent, by its ticket, and how long its answer took.
        let times = Lock((sent: [Int64](), answered: [Double]()))
        times.withLock { times in
            times.sent = [Int64](repeating: 0, count: count)
            times.answered.reserveCapacity(count)
        }
        store.onOutcomes = { outcomes in
            let now = Clock.system.now().nanoseconds
            times.withLock { times in
                for outcome in outcomes {
                    _ = outcome.message
                    times.answered.append(Double(now - times.sent[Int(outcome.ticket)]) / 1_000)
                }
            }
            done.change { $0 += outcomes.count }
        }
        var random = SystemRandomNumberGenerator()
        let first = ProcessorTime.ofProcess()
        let start = Clock.system.now()
        var sent = 0
        while sent < count {
            let room = done.wait(until: { sent - $0 < inFlight }, then: { inFlight - (sent - $0) })
            let batch = (0..<min(room, count - sent)).map { offset in
                people.message(sent + offset, from: (sent + offset) % people.users.count, &random)
            }
            let now = Clock.system.now().nanoseconds
            times.withLock { times in for number in sent..<(sent + batch.count) { times.sent[number] = now } }
            sent += batch.count
            store.append(batch)
        }
        done.wait(until: { $0 == count }, then: { _ in })
        let end = Clock.system.now()
        // What was acknowledged from the log is in the database then.
        store.runMaintenance()
        let last = ProcessorTime.ofProcess()
        let metrics = store.metrics
        print(
            "append, \(inFlight) in flight: \(Int(Double(count) / seconds(start, end))) messages/s, "
                + "\(last.each(count, since: first)), batch p50 \(metrics.batchP50) most \(metrics.batchMost), "
                + "commit p50 \(metrics.commitP50Microseconds) us p99 \(metrics.commitP99Microseconds) us, "
                + "acknowledged after us \(percentiles(times.withLock { $0.answered }))")
        try self.makeGroups(store, people)
        store.close()
    }

    /// 200 conversations for the first person, so that there is something to count.
    private static func makeGroups(
        _ store: Store, _ people: BenchPeople
    ) throws(StoreError) {
        let ids = people.users.map(\.id)
        try store.writeAndWait { transaction throws(StoreError) in
            for number in 0..<Self.groups {
                try transaction.conversations.createChannel(
                    .group, ChannelName("group\(number)")!, creator: ids[1], members: [ids[0], ids[2]])
            }
        }
        let done = ConditionLock(0)
        store.onOutcomes = { outcomes in done.change { $0 += outcomes.count } }
        for round in 0..<5 {
            store.append(
                (0..<Self.groups).map { number in
                    Append(
                        sender: ids[1], authority: .user, address: .channel(.group, ChannelName("group\(number)")!),
                        clientToken: nil,
                        content: MessageContent(kind: .text, flags: .countsAsUnread, wire: .native, body: [1, 2, 3]),
                        ticket: UInt64(round))
                })
        }
        done.wait(until: { $0 == 5 * Self.groups }, then: { _ in })
    }

    private static func reads(_ folder: String) throws(StoreError) {
        let start = Clock.system.now()
        let store = try Store(StoreOptions(folder: folder))
        let opened = Double(Clock.system.now().nanoseconds - start.nanoseconds) / 1e6
        let counts = try store.readAndWait { reading throws(StoreError) in try reading.messages.counts() }
        print(
            "start with \(counts.messages) messages: \(rounded(opened)) ms, \(Self.residentKibibytes()) KiB resident"
        )
        let times = try store.readAndWait { reading throws(StoreError) in
            let someone = try reading.people.user(named: UserName("user0")!)!.id
            let conversations = try reading.conversations.page(of: someone).map(\.conversation)
            let largest = conversations.max { $0.head < $1.head }!
            let last = try Self.times(5_000) { round throws(StoreError) in
                let id = ConversationID(rawValue: Int64(round % Self.pairs) + 1)
                return try reading.messages.latest(in: id, limit: 20, as: .member(UserID(rawValue: 2 * id.rawValue)))
                    .count
            }
            let unread = try Self.times(5_000) { (_) throws(StoreError) in try reading.inbox.unread(of: someone).count }
            let before = try Self.times(5_000) { round throws(StoreError) in
                let place = Int64(round) * 7_919 % (largest.head - 1) + 2
                return try reading.messages.page(in: largest.id, before: place, limit: 50, as: .unrestricted).count
            }
            let list = try Self.times(500) { (_) throws(StoreError) in try reading.conversations.page(of: someone).count
            }
            let undelivered = try Self.times(2_000) { (_) throws(StoreError) in
                try reading.conversations.undelivered(of: someone, class: .app).count
            }
            return [
                ("last 20", last), ("unread of 201", unread), ("before, 50", before), ("list of 201", list),
                ("undelivered of 201", undelivered),
            ]
        }
        for (name, (middle, late)) in times {
            print("\(name): p50 \(rounded(middle)) us, p99 \(rounded(late)) us")
        }
        store.close()
    }

    private static func times(
        _ rounds: Int, _ body: (Int) throws(StoreError) -> Int
    ) throws(StoreError) -> (middle: Double, late: Double) {
        var samples: [Double] = []
        for round in 0..<rounds {
            let start = Clock.system.now()
            guard try body(round) > 0 else { fatalError("nothing was read") }
            samples.append(Double(Clock.system.now().nanoseconds - start.nanoseconds) / 1_000)
        }
        samples.sort()
        return (samples[rounds / 2], samples[rounds * 99 / 100])
    }

    private static func residentKibibytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let fields = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: 32)
        return fields.count > 1 ? (Int(String(decoding: fields[1], as: UTF8.self)) ?? 0) * 4 : 0
    }
}
