import ChatModel

@testable import MessageLog

/// Entries, batches and small segments for the tests of the log.
enum LogFixture {
    static let owner = LogOwner(storeID: 0xFEED_BEEF_0000_0001, epoch: 7, run: 1)
    static let sizes = SegmentedLog.Sizes(segmentBytes: 4 * LogFormat.pageBytes, segments: 4)

    static func message(
        _ sequence: Int64, in conversation: Int64 = 1, from sender: Int64 = 3, body: String? = nil
    ) -> LoggedMessage {
        let text = Array((body ?? "message \(sequence) of conversation \(conversation)").utf8)
        var message = LoggedMessage(
            conversation: ConversationID(rawValue: conversation), sequence: sequence,
            id: MessageID(rawValue: 1_000_000 + conversation * 10_000 + sequence), sender: UserID(rawValue: sender),
            sentAtMilliseconds: 1_800_000_000_000 + sequence, messageKind: .text, flags: .countsAsUnread,
            countable: sequence, wire: .native, body: text, bodyHash: sequence &* 0x5851_F42D_4C95_7F2D,
            wallMilliseconds: 1_800_000_000_000 + sequence)
        message.isOfMember = true
        return message
    }

    static func batch(_ entries: [LogEntry]) throws(LogError) -> LogBatch {
        var batch = LogBatch()
        for entry in entries { try batch.add(entry) }
        return batch
    }

    static func messages(_ sequences: ClosedRange<Int64>) -> [LogEntry] { sequences.map { .message(self.message($0)) } }

    /// An open log on a disk: what a start leaves when there was nothing to apply.
    static func opened(
        _ disk: SimulatedDisk, run: UInt32 = 1, applied: UInt64 = 0, sizes: SegmentedLog.Sizes = Self.sizes
    ) throws(LogError) -> SegmentedLog {
        var owner = Self.owner
        owner.run = run - 1
        let log = try SegmentedLog(disk, owner: owner, applied: applied, sizes: sizes)
        try log.beginRun(run, after: applied)
        return log
    }

    /// Log as a start finds it on a disk whose last run was `run`.
    static func recovered(
        _ disk: SimulatedDisk, run: UInt32 = 1, applied: UInt64 = 0, accepting: Bool = false,
        sizes: SegmentedLog.Sizes = Self.sizes
    ) throws(LogError) -> RecoveredLog {
        var owner = Self.owner
        owner.run = run
        return try SegmentedLog(disk, owner: owner, applied: applied, acceptsDamage: accepting, sizes: sizes).recovered
    }

    static func entries(_ log: RecoveredLog) throws(LogError) -> [LogEntry] {
        var entries: [LogEntry] = []
        for record in log.records { entries.append(try LogEntry(record)) }
        return entries
    }

    /// Any entry, with every optional part present or not.
    static func anyEntry(_ random: inout some RandomNumberGenerator) -> LogEntry {
        func number() -> Int64 {
            Int64.random(in: 0...(.max), using: &random) >> Int64.random(in: 0...62, using: &random)
        }
        func people() -> [UserID] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in UserID(rawValue: number()) }
        }
        func receipts() -> [LoggedReceipt] {
            (0..<Int.random(in: 0...2, using: &random)).map { _ in
                LoggedReceipt(
                    sequence: number(), message: MessageID(rawValue: number()), sender: UserID(rawValue: number()),
                    position: StorePosition(rawValue: number()), atMilliseconds: number())
            }
        }
        func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: count, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        func yes() -> Bool { Bool.random(using: &random) }
        switch Int.random(in: 0...4, using: &random) {
        case 4:
            return .mentions(
                LoggedMentions(
                    user: UserID(rawValue: number()), conversation: ConversationID(rawValue: number()),
                    sequence: number(), count: number(), position: StorePosition(rawValue: number()),
                    wallMilliseconds: number()))
        case 0:
            return .read(
                LoggedRead(
                    user: UserID(rawValue: number()), conversation: ConversationID(rawValue: number()),
                    sequence: number(), before: number(), countable: number(), ownCountableSinceRead: number(),
                    readAtMilliseconds: number(), position: StorePosition(rawValue: number()), clearsMark: yes(),
                    wallMilliseconds: number())
            ).with(receipts())
        case 1:
            return .delivered(
                LoggedDelivered(
                    user: UserID(rawValue: number()), deviceClass: yes() ? DeviceClass("phone") : nil,
                    conversation: ConversationID(rawValue: number()), sequence: number(), acknowledges: yes(),
                    wallMilliseconds: number())
            ).with(receipts())
        default:
            var message = LoggedMessage(
                conversation: ConversationID(rawValue: number()), sequence: number(),
                id: MessageID(rawValue: number()), sender: UserID(rawValue: number()), sentAtMilliseconds: number(),
                messageKind: MessageKind(rawValue: Int32.random(in: .min...(.max), using: &random)),
                flags: MessageFlags(rawValue: number()), countable: number(), wire: yes() ? .native : .leanCloud,
                expireSeconds: UInt32.random(in: 0...(.max), using: &random), body: bytes(0...300),
                bodyHash: Int64.random(in: .min...(.max), using: &random), wallMilliseconds: number())
            if yes() { message.sentHash = Int64.random(in: .min...(.max), using: &random) }
            if yes() { message.clientToken = ClientToken(bytes(1...40)) }
            if yes() { message.topic = "天气" }
            if yes() { message.envelope = #"{"all":true}"# }
            message.isOfMember = yes()
            message.isHooked = yes()
            if yes() {
                message.lists = LoggedLists(
                    reminded: people(), shownTo: people(), hiddenFrom: people(),
                    flaggedWords: yes() ? ["word", "詞"] : [])
            }
            return .message(message)
        }
    }
}

extension LogEntry {
    fileprivate func with(_ receipts: [LoggedReceipt]) -> LogEntry {
        switch self {
        case .message, .mentions: return self
        case .read(var read):
            read.receipts = receipts
            return .read(read)
        case .delivered(var delivered):
            delivered.receipts = receipts
            return .delivered(delivered)
        }
    }
}
