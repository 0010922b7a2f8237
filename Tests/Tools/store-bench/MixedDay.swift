import ChatModel
import Execution
import Store

/// A day of a chat server, told as shares of its operations: people write to each other in pairs, one operation in flight for
/// each pair.
///
/// Shares of 1,000 operations:
///
/// | | |
/// | --- | --- |
/// | 450 | messages of 100 bytes with tokens; a third of them asks for receipts |
/// | 250 | positions that the devices of one class have got (WuKongIM's clients); they tell receipts, too |
/// | 100 | acknowledgements of a device (LeanCloud's clients), of which senders who asked are told |
/// | 135 | reading positions up to the newest message (both, and the badge cleared), told to senders who asked |
/// | 60 | reads of our own API: the reading position, and a row for each message, of which its sender is told |
/// | 5 | edits of the newest message |
///
/// The one of a pair who did not write last reads or acknowledges, up to the newest message; that is nothing new where they
/// have just done so. The order is the same in every run.
struct MixedDay {
    private enum Operation: Int, CaseIterable {
        case message, delivered, acknowledged, read, nativeRead, edit

        /// Share of 1,000 operations.
        var share: Int {
            switch self {
            case .message: 450
            case .delivered: 250
            case .acknowledged: 100
            case .read: 135
            case .nativeRead: 60
            case .edit: 5
            }
        }

        /// The operation of a number below 1,000.
        static func at(_ number: Int) -> Operation {
            var left = number
            for operation in self.allCases {
                if left < operation.share { return operation }
                left -= operation.share
            }
            preconditionFailure("the shares are of 1,000")
        }

        /// The nearest operation that records of the log say.
        var asRecord: Operation {
            switch self {
            case .message, .delivered, .acknowledged, .read: self
            case .nativeRead: .read
            case .edit: .message
            }
        }
    }

    /// State of the operations that were begun.
    private struct Progress: Sendable {
        /// Pairs of whom nothing is in flight.
        var free: [Int]
        var done = 0
    }

    private let store: Store
    private let people: BenchPeople
    private let conversations: [ConversationID]
    private let progress: ConditionLock<Progress>
    private var random = SystemRandomNumberGenerator()
    /// Person of each pair who wrote last, and the newest message there, which is edited.
    private var writers: [Int]
    private let newest: Lock<[Int64]>

    private init(_ store: Store, pairs: Int) throws(StoreError) {
        self.store = store
        self.people = try BenchPeople(store, pairs: pairs)
        self.conversations = self.people.begin(store)
        self.progress = ConditionLock(Progress(free: Array((0..<pairs).reversed())))
        self.writers = (0..<pairs).map { 2 * $0 }
        self.newest = Lock([Int64](repeating: 1, count: pairs))
    }

    /// Runs `count` operations and prints their rate and cost.
    ///
    /// - Parameter recordsAlone: operations that need the database are the nearest ones that do not.
    static func run(
        _ folder: String, count: Int, pairs: Int, fromLog: Bool, recordsAlone: Bool
    ) throws(StoreError) {
        var options = StoreOptions(folder: folder)
        options.acknowledgesFromLog = fromLog
        let store = try Store(options)
        var day = try MixedDay(store, pairs: pairs)
        store.runMaintenance()
        let first = ProcessorTime.ofProcess()
        let before = store.metrics
        let start = Clock.system.now()
        let counts = day.work(count, recordsAlone: recordsAlone)
        let end = Clock.system.now()
        // What was acknowledged from the log is in the database then.
        store.runMaintenance()
        let last = ProcessorTime.ofProcess()
        let metrics = store.metrics
        print(
            "mixed day, \(pairs) pairs\(fromLog ? "" : ", direct"): "
                + "\(Int(Double(count) / seconds(start, end))) operations/s, \(last.each(count, since: first)), "
                + "\(metrics.commits - before.commits) commits, \(metrics.logSyncs - before.logSyncs) syncs of the log, "
                + "commit p50 \(metrics.commitP50Microseconds) us p99 \(metrics.commitP99Microseconds) us")
        print(zip(Operation.allCases, counts).map { "\($0) \($1)" }.joined(separator: ", "))
        store.close()
    }

    private mutating func work(_ count: Int, recordsAlone: Bool) -> [Int] {
        let (progress, newest, pairs) = (self.progress, self.newest, self.people.pairs)
        self.store.onOutcomes = { outcomes in
            newest.withLock { newest in
                for outcome in outcomes { newest[Int(outcome.ticket) % pairs] = outcome.message.sequence }
            }
            progress.change { progress in
                progress.free += outcomes.map { Int($0.ticket) % pairs }
                progress.done += outcomes.count
            }
        }
        var counts = [Int](repeating: 0, count: Operation.allCases.count)
        var order = DayOrder()
        for number in 0..<count {
            let drawn = Operation.at(Int(order.next() % 1_000))
            let operation = recordsAlone ? drawn.asRecord : drawn
            counts[operation.rawValue] += 1
            let pair = progress.wait(until: { !$0.free.isEmpty }, then: { $0.free.removeLast() })
            self.begin(operation, number, of: pair, order.next())
        }
        progress.wait(until: { $0.done == count }, then: { _ in })
        return counts
    }

    private mutating func begin(_ operation: Operation, _ number: Int, of pair: Int, _ chance: UInt64) {
        let (people, id) = (self.people, self.conversations[pair])
        let writer = self.writers[pair]
        let reader = people.users[people.peer(of: writer)].id
        switch operation {
        case .message:
            let sender = 2 * pair + Int(chance % 2)
            self.writers[pair] = sender
            let asks = chance / 2 % 3 == 0
            let flags: MessageFlags = asks ? [.countsAsUnread, .receiptRequested] : .countsAsUnread
            // The ticket says of which pair it is.
            self.store.append([people.message(number * people.pairs + pair, from: sender, flags: flags, &self.random)])
        case .delivered:
            let reached = DeliveredPosition(user: reader, deviceClass: .app, conversation: id, sequence: .max)
            self.mark(pair) { store throws(StoreError) in try store.inbox.recordDelivered([reached]) }
        case .acknowledged:
            self.mark(pair) { store throws(StoreError) in
                _ = try store.messages.acknowledge(reader, in: id, upTo: .max)
            }
        case .read:
            self.mark(pair) { store throws(StoreError) in _ = try store.inbox.markRead(reader, in: id, upTo: .max) }
        case .nativeRead:
            self.store.write(
                { store throws(StoreError) in try store.messages.reportRead(reader, in: id, upTo: .max) },
                then: self.end(of: pair))
        case .edit:
            let sequence = self.newest.withLock { $0[pair] }
            self.store.write(
                { store throws(StoreError) in
                    _ = try store.messages.edit(
                        MessagePlace(id, sequence), newBody: [UInt8](repeating: 69, count: BenchPeople.bodyBytes),
                        isJSONObject: false, by: .operator)
                }, then: self.end(of: pair))
        }
    }

    private func mark(_ pair: Int, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) {
        self.store.mark(body, then: self.end(of: pair))
    }

    private func end(of pair: Int) -> @Sendable (Result<Void, StoreError>) -> Void {
        let progress = self.progress
        return { result in
            if case .failure(let error) = result { fatalError("not done: \(error)") }
            progress.change { progress in
                progress.free.append(pair)
                progress.done += 1
            }
        }
    }
}

/// The order of the operations of a day: SplitMix64 from a fixed state.
private struct DayOrder {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
