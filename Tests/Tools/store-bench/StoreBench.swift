import CLinux
import ChatModel
import Execution
import Glibc
import Store

/// Measures the store alone: `append` fills a new folder, `read` starts on it and asks what clients ask.
@main
struct StoreBench {
    static let pairs = 100
    static let groups = 200
    static let bodyBytes = 100

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, ["append", "read"].contains(arguments[1]) else {
            print(
                "usage: store-bench append FOLDER [messages] [in flight] [hooks] [direct]   or   store-bench read FOLDER"
            )
            exit(64)
        }
        let numbers = arguments.dropFirst(3).compactMap { Int($0) }
        do throws(StoreError) {
            if arguments[1] == "append" {
                try self.appends(
                    arguments[2], count: numbers.first ?? 300_000, numbers.count > 1 ? numbers[1] : 1_600,
                    queuesHooks: arguments.contains("hooks"), fromLog: !arguments.contains("direct"))
            } else {
                try self.reads(arguments[2])
            }
        } catch {
            print("failed: \(error)")
            exit(1)
        }
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
        let users = try self.makePeople(store)
        let done = ConditionLock(0)
        store.onOutcomes = { outcomes in
            for outcome in outcomes {
                guard case .accepted = outcome.result else { fatalError("not taken: \(outcome.result)") }
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
                self.message(sent + offset, users, &random)
            }
            sent += batch.count
            store.append(batch)
        }
        done.wait(until: { $0 == count }, then: { _ in })
        let seconds = Double(Clock.system.now().nanoseconds - start.nanoseconds) / 1e9
        // What was acknowledged from the log is in the database then.
        store.runMaintenance()
        let last = ProcessorTime.ofProcess()
        let user = Double(last.userMicroseconds - first.userMicroseconds) / Double(count)
        let system = Double(last.systemMicroseconds - first.systemMicroseconds) / Double(count)
        let metrics = store.metrics
        print(
            "append, \(inFlight) in flight: \(Int(Double(count) / seconds)) messages/s, "
                + "\(Self.rounded(user)) us user + \(Self.rounded(system)) us system CPU each, batch p50 \(metrics.batchP50) most \(metrics.batchMost), "
                + "commit p50 \(metrics.commitP50Microseconds) us p99 \(metrics.commitP99Microseconds) us")
        try self.makeGroups(store, users)
        store.close()
    }

    private static func makePeople(_ store: Store) throws(StoreError) -> [(id: UserID, name: UserName)] {
        try store.writeAndWait { transaction throws(StoreError) in
            var users: [(id: UserID, name: UserName)] = []
            for number in 0..<(2 * Self.pairs) {
                let name = UserName("user\(number)")!
                users.append((try transaction.people.createUser(name), name))
            }
            return users
        }
    }

    private static func message(
        _ number: Int, _ users: [(id: UserID, name: UserName)], _ random: inout SystemRandomNumberGenerator
    ) -> Append {
        let sender = number % users.count
        let peer = users[sender % 2 == 0 ? sender + 1 : sender - 1]
        let token = withUnsafeBytes(of: (random.next(), random.next())) { Array($0) }
        return Append(
            sender: users[sender].id, authority: .user, address: .direct(peer.name), clientToken: ClientToken(token),
            content: MessageContent(
                kind: .text, flags: .countsAsUnread, wire: .native,
                body: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Self.bodyBytes)),
            ticket: UInt64(number))
    }

    /// 200 conversations for the first person, so that there is something to count.
    private static func makeGroups(
        _ store: Store, _ users: [(id: UserID, name: UserName)]
    ) throws(StoreError) {
        let ids = users.map(\.id)
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
            "start with \(counts.messages) messages: \(Self.rounded(opened)) ms, \(Self.residentKibibytes()) KiB resident"
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
            print("\(name): p50 \(Self.rounded(middle)) us, p99 \(Self.rounded(late)) us")
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

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private static func residentKibibytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let fields = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: 32)
        return fields.count > 1 ? (Int(String(decoding: fields[1], as: UTF8.self)) ?? 0) * 4 : 0
    }
}

/// Processor time of a thread.
struct ProcessorTime {
    var userMicroseconds: Int64 = 0
    var systemMicroseconds: Int64 = 0

    static func ofProcess() -> ProcessorTime {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ProcessorTime(
            userMicroseconds: Int64(usage.ru_utime.tv_sec) * 1_000_000 + Int64(usage.ru_utime.tv_usec),
            systemMicroseconds: Int64(usage.ru_stime.tv_sec) * 1_000_000 + Int64(usage.ru_stime.tv_usec))
    }
}
