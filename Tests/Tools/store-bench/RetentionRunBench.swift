import ChatModel
import Execution
import Glibc
import Store

/// A run of retention over many messages, while somebody writes now and then; then the file is compacted.
enum RetentionRunBench {
    /// Messages that each conversation keeps.
    private static let kept: Int64 = 1_000
    /// Between two messages of who writes meanwhile. Each ends the quiet moment in which the run goes on, for a second.
    private static let pauseSeconds: UInt32 = 5
    private static let batch = 1_000

    static func run(_ folder: String, count: Int) throws(StoreError) {
        try self.fill(folder, count: count)
        let before = self.databaseBytes(folder)
        // Two hours that have passed: ages count after one of running evenly, and the next run is due after six.
        let shift = Lock<Int64>(0)
        var options = StoreOptions(folder: folder)
        options.retention[.direct] = RetentionRule(messages: self.kept)
        options.clock = Clock(
            now: { Instant(nanoseconds: Clock.system.now().nanoseconds + shift.withLock { $0 } * 1_000_000) },
            wallMilliseconds: { Clock.system.wallMilliseconds() + shift.withLock { $0 } })
        let store = try Store(options)
        let name = UserName("user0")!
        let sender = try store.readAndWait { reading throws(StoreError) in try reading.people.user(named: name)?.id }
        guard let sender else { fatalError("nobody is called \(name)") }
        shift.withLock { $0 += 2 * 3_600_000 }
        let start = Clock.system.now()
        var waits: [Double] = []
        while try self.runs(store).isEmpty {
            sleep(self.pauseSeconds)
            waits.append(self.send(store, from: sender, number: waits.count))
        }
        let took = seconds(start, Clock.system.now())
        let entry = try self.runs(store).first
        store.close()
        waits.sort()
        print("retention: \(rounded(took)) s, of which one in \(self.pauseSeconds) is waited; \(entry?.after ?? "")")
        print(
            "others meanwhile, ms until acknowledged: \(percentiles(waits)), longest \(rounded(waits.last ?? 0)), "
                + "of \(waits.count)")
        let compactStart = Clock.system.now()
        let compaction = try compactFolder(folder)
        print(
            "database \(before) bytes, after the run \(compaction.before), compacted \(compaction.after) in "
                + "\(rounded(seconds(compactStart, Clock.system.now()))) s")
    }

    private static func runs(_ store: Store) throws(StoreError) -> [AuditEntry] {
        try store.readAndWait { reading throws(StoreError) in
            var query = AuditQuery()
            query.what = "retention.run"
            return try reading.audit.entries(query)
        }
    }

    /// Writes the messages, over 100 conversations.
    private static func fill(_ folder: String, count: Int) throws(StoreError) {
        let store = try Store(StoreOptions(folder: folder))
        let people = try BenchPeople(store, pairs: StoreBench.pairs)
        let done = ConditionLock(0)
        store.onOutcomes = { outcomes in
            for outcome in outcomes { _ = outcome.message }
            done.change { $0 += outcomes.count }
        }
        var random = SystemRandomNumberGenerator()
        var sent = 0
        while sent < count {
            store.append(
                (sent..<min(count, sent + self.batch)).map { number in
                    people.message(number, from: number % people.users.count, &random)
                })
            sent = min(count, sent + self.batch)
            let all = sent
            done.wait(until: { $0 == all }, then: { _ in })
        }
        store.runMaintenance()
        store.close()
    }

    /// - Returns: milliseconds until the message was acknowledged.
    private static func send(_ store: Store, from sender: UserID, number: Int) -> Double {
        let done = ConditionLock(false)
        store.onOutcomes = { outcomes in
            for outcome in outcomes { _ = outcome.message }
            done.change { $0 = true }
        }
        let content = MessageContent(
            kind: .text, flags: .countsAsUnread, wire: .native, body: [UInt8](repeating: 0x74, count: 100))
        let start = Clock.system.now()
        store.append([
            Append(
                sender: sender, authority: .user, address: .direct(UserName("user1")!), clientToken: nil,
                content: content, ticket: UInt64(number))
        ])
        done.wait(until: { $0 }, then: { _ in })
        return seconds(start, Clock.system.now()) * 1_000
    }

    private static func databaseBytes(_ folder: String) -> Int64 {
        var status = stat()
        return stat("\(folder)/teahouse.db", &status) == 0 ? Int64(status.st_size) : 0
    }
}
