package import ChatModel

/// Records of the tail that are applied together: those of each conversation apart, with what they say all in all. Confined to
/// the writer's thread.
package final class LogLayer {
    /// Position of the first record; above every other while there is none.
    private(set) var first = UInt64.max
    /// Position of the last record; 0 while there is none.
    private(set) package var last: UInt64 = 0
    /// When the first record was decided, UTC milliseconds; 0 while there is none.
    private(set) var oldestWallMilliseconds: Int64 = 0
    /// Number of records.
    private(set) package var count = 0
    /// Bytes that the records take in the log.
    private(set) var bytes = 0
    /// Rows beside the messages.
    private var listed = 0
    /// Members whose rows change.
    private var memberCount = 0
    /// Bytes that applying writes of receipts, estimated.
    private var receiptBytes = 0
    private(set) var oldestMessage: MessageID?
    private(set) var newestMessage: MessageID?
    /// The newest number of a message or event; 0 for none.
    private(set) package var newestNumber: Int64 = 0
    private(set) var runs: [ConversationID: LogRun] = [:]

    init() {}

    var isEmpty: Bool { self.count == 0 }

    var applyingBytes: Int {
        self.bytes + self.runs.count * LogTail.conversationBytes + self.memberCount * LogTail.memberBytes
            + self.listed * LogTail.listedBytes + self.receiptBytes
    }

    /// Records of each conversation, in the order in which the database keeps them.
    package var sortedRuns: [LogRun] { self.runs.values.sorted { $0.conversation < $1.conversation } }

    func add(_ message: LoggedMessage, at position: UInt64, bytes: Int) {
        self.note(position, message.id.rawValue, bytes, wall: message.wallMilliseconds)
        if self.oldestMessage == nil { self.oldestMessage = message.id }
        self.newestMessage = message.id
        self.listed += message.lists?.count ?? 0
        if self.run(of: message.conversation).add(message, at: position, bytes: bytes) { self.memberCount += 1 }
    }

    /// Adds a position of a person.
    func add(position entry: LogEntry, at position: UInt64, bytes: Int) {
        self.note(position, entry.number, bytes, wall: entry.wallMilliseconds)
        if case .mentions(let mentions) = entry { self.listed += Int(clamping: mentions.count) }
        let run = self.run(of: entry.conversation)
        if run.add(position: entry, at: position, bytes: bytes) { self.memberCount += 1 }
        self.receiptBytes += run.addReceivers(of: entry.receipts)
    }

    private func note(_ position: UInt64, _ number: Int64, _ bytes: Int, wall: Int64) {
        if self.isEmpty { self.oldestWallMilliseconds = wall }
        self.first = min(self.first, position)
        self.last = position
        self.count += 1
        self.bytes += bytes
        self.newestNumber = max(self.newestNumber, number)
    }

    private func run(of conversation: ConversationID) -> LogRun {
        if let known = self.runs[conversation] { return known }
        let run = LogRun(conversation)
        self.runs[conversation] = run
        return run
    }

    /// The same records in two layers: those up to a position, and those behind it.
    func split(behind position: UInt64) -> [LogLayer] {
        let (older, newer) = (LogLayer(), LogLayer())
        var records: [(position: UInt64, bytes: Int, entry: LogEntry)] = []
        records.reserveCapacity(self.count)
        for run in self.runs.values {
            for kept in run.messages { records.append((kept.position, kept.bytes, .message(kept.content))) }
            for kept in run.positions { records.append((kept.position, kept.bytes, kept.content)) }
        }
        records.sort { $0.position < $1.position }
        for record in records {
            let layer = record.position <= position ? older : newer
            switch record.entry {
            case .message(let message): layer.add(message, at: record.position, bytes: record.bytes)
            case .read, .delivered, .mentions:
                layer.add(position: record.entry, at: record.position, bytes: record.bytes)
            }
        }
        return [older, newer]
    }
}

/// Records of one conversation in a layer.
package final class LogRun {
    /// A record with its place in the log.
    package struct Kept<Content: Sendable>: Sendable {
        let position: UInt64
        /// Its share of the bytes of its batch in the log.
        let bytes: Int
        /// Content of the record.
        package let content: Content
    }

    /// Conversation concerned.
    package let conversation: ConversationID
    /// Messages in the order of their sequences, without a gap.
    private(set) package var messages: [Kept<LoggedMessage>] = []
    /// Positions of people, in their order.
    private(set) package var positions: [Kept<LogEntry>] = []
    /// Numbers of members that the records say.
    private(set) package var members: [UserID: LogTail.MemberPin] = [:]
    /// A message counts for some members only.
    private(set) var hasCounts = false
    /// Messages that mention somebody, oldest first.
    private(set) var mentioned: [UserID: [Int64]] = [:]
    /// People who get receipts.
    private var receivers: Set<UserID> = []
    /// Newest numbers of the conversation; `nil` when there is no message.
    private(set) package var pin: LogTail.ConversationPin?

    init(_ conversation: ConversationID) { self.conversation = conversation }

    /// - Returns: whether it is the first record of its member.
    fileprivate func add(_ message: LoggedMessage, at position: UInt64, bytes: Int) -> Bool {
        precondition(self.pin.map { $0.head + 1 == message.sequence } ?? true, "sequences have no gap")
        self.pin = LogTail.ConversationPin(
            head: message.sequence, headCountable: message.countable,
            activeAtMilliseconds: message.sentAtMilliseconds, newestID: message.id)
        if let lists = message.lists {
            if !lists.shownTo.isEmpty || !lists.hiddenFrom.isEmpty { self.hasCounts = true }
            for user in lists.reminded { self.mentioned[user, default: []].append(message.sequence) }
        }
        self.messages.append(Kept(position: position, bytes: bytes, content: message))
        guard message.isOfMember else { return false }
        return self.change(message.sender) { $0.noteOwn(message) }
    }

    /// - Returns: whether it is the first record of its member.
    fileprivate func add(position entry: LogEntry, at position: UInt64, bytes: Int) -> Bool {
        self.positions.append(Kept(position: position, bytes: bytes, content: entry))
        switch entry {
        case .message: preconditionFailure("a message is no position")
        case .read(let read): return self.change(read.user) { $0.noteRead(read) }
        case .delivered(let delivered):
            return self.change(delivered.user) { pin in
                if delivered.acknowledges { pin.acknowledged = max(pin.acknowledged ?? 0, delivered.sequence) }
            }
        case .mentions(let mentions):
            return self.change(mentions.user) { $0.mentionsEnded = max($0.mentionsEnded ?? 0, mentions.sequence) }
        }
    }

    /// - Returns: bytes that applying writes of receipts, estimated.
    fileprivate func addReceivers(of receipts: [LoggedReceipt]) -> Int {
        receipts.reduce(0) { bytes, receipt in
            let isNew = self.receivers.insert(receipt.sender).inserted
            return bytes + LogTail.receiptBytes + (isNew ? LogTail.receiverBytes : 0)
        }
    }

    private func change(_ user: UserID, _ body: (inout LogTail.MemberPin) -> Void) -> Bool {
        let before = self.members.count
        body(&self.members[user, default: LogTail.MemberPin()])
        return self.members.count > before
    }

    /// Index of the last message of those that come before all others; the first one is among them.
    func lastIndex(where isBefore: (LoggedMessage) -> Bool) -> Int {
        var (low, high) = (0, self.messages.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if isBefore(self.messages[middle].content) { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Positions of people without those that a later one of the same person leaves nothing of.
    package var lastPositions: [LogEntry] {
        struct Mover: Hashable {
            let user: UserID
            let deviceClass: DeviceClass?
            let kind: LogRecordKind
        }
        guard self.positions.count > 1 else { return self.positions.map(\.content) }
        var later: [Mover: LogEntry] = [:]
        var kept: [LogEntry] = []
        for entry in self.positions.reversed().map(\.content) {
            let mover: Mover
            switch entry {
            case .message: preconditionFailure("a message is no position")
            case .read(let read): mover = Mover(user: read.user, deviceClass: nil, kind: .read)
            case .delivered(let delivered):
                mover = Mover(user: delivered.user, deviceClass: delivered.deviceClass, kind: .delivered)
            case .mentions(let mentions): mover = Mover(user: mentions.user, deviceClass: nil, kind: .mentions)
            }
            if let newer = later[mover], newer.covers(entry) { continue }
            later[mover] = entry
            kept.append(entry)
        }
        return kept.reversed()
    }

    func message(at sequence: Int64) -> LoggedMessage? {
        guard let head = self.pin?.head else { return nil }
        let index = Int64(self.messages.count) - 1 - (head - sequence)
        guard index >= 0, index < Int64(self.messages.count) else { return nil }
        return self.messages[Int(index)].content
    }
}

extension LogEntry {
    /// True when a position leaves nothing of an earlier one of the same person, or of the same class of their devices.
    fileprivate func covers(_ earlier: LogEntry) -> Bool {
        switch (self, earlier) {
        case (.read(let newer), .read(let older)):
            newer.sequence >= older.sequence && older.receipts.isEmpty && !older.clearsMark
        case (.delivered(let newer), .delivered(let older)):
            newer.sequence >= older.sequence && (newer.acknowledges || !older.acknowledges) && older.receipts.isEmpty
        case (.message, _), (.read, _), (.delivered, _), (.mentions, _): false
        }
    }
}
