import ChatModel
import Execution
import Glibc
import Store

/// A store that is killed with as much in its log as that takes, and the start on what it leaves behind.
enum KilledStart {
    private static let batch = 100
    /// Bytes of the log that are left free at the end: one batch more might be the one at which it is applied.
    private static let spareBytes: Int64 = 64 * 1_024
    private static let logBytes: Int64 = 16 * 1_024 * 1_024

    /// Fills the log and ends the process with `SIGKILL`.
    static func fillAndKill(_ folder: String) throws(StoreError) {
        var options = StoreOptions(folder: folder)
        options.appliesOnlyWhenAsked = true
        let store = try Store(options)
        let people = try BenchPeople(store, pairs: StoreBench.pairs)
        _ = people.begin(store)
        let done = ConditionLock(0)
        store.onOutcomes = { outcomes in
            for outcome in outcomes { _ = outcome.message }
            done.change { $0 += outcomes.count }
        }
        var random = SystemRandomNumberGenerator()
        let applies = store.metrics.logApplies
        var sent = 0
        while store.metrics.logRecordBytes < Self.logBytes - Self.spareBytes {
            store.append(
                (sent..<(sent + Self.batch)).map { number in
                    people.message(number, from: number % people.users.count, &random)
                })
            sent += Self.batch
            let count = sent
            done.wait(until: { $0 == count }, then: { _ in })
        }
        let metrics = store.metrics
        guard metrics.logApplies == applies else { fatalError("the log was applied before it was full") }
        print("killed with \(metrics.logRecords) records, \(metrics.logRecordBytes / 1_024) KiB in the log")
        fflush(nil)
        kill(getpid(), SIGKILL)
    }

    /// Opens the store and sends one message.
    static func start(_ folder: String) throws(StoreError) {
        let first = ProcessorTime.ofProcess()
        let start = Clock.system.now()
        let store = try Store(StoreOptions(folder: folder))
        let ready = Clock.system.now()
        let last = ProcessorTime.ofProcess()
        let counts = try store.readAndWait { reading throws(StoreError) in try reading.messages.counts() }
        let name = UserName("user0")!
        let someone = try store.readAndWait { reading throws(StoreError) in try reading.people.user(named: name)?.id }
        guard let someone else { fatalError("nobody is called \(name)") }
        let done = ConditionLock(false)
        store.onOutcomes = { outcomes in
            for outcome in outcomes { _ = outcome.message }
            done.change { $0 = true }
        }
        let sent = Clock.system.now()
        store.append([
            Append(
                sender: someone, authority: .user, address: .direct(UserName("user1")!), clientToken: nil,
                content: MessageContent(kind: .text, flags: .countsAsUnread, wire: .native, body: [1]), ticket: 1)
        ])
        done.wait(until: { $0 }, then: { _ in })
        let answered = Clock.system.now()
        print(
            "ready after \(rounded(seconds(start, ready) * 1_000)) ms with \(counts.messages) messages, "
                + "\(rounded(last.microseconds(since: first) / Double(max(1, counts.messages)))) us CPU each; "
                + "the first message is acknowledged \(rounded(seconds(sent, answered) * 1_000)) ms after it was sent")
        store.close()
    }
}
