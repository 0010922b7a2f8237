package import ChatModel

/// Records that are decided and that the database does not hold yet: what the writer has to know of them until it does.
///
/// Heads of conversations and positions of members that only these records say are **pinned** here, apart from the writer's
/// memory, which may be dropped or made smaller at any time: whatever it loads from the database is brought up to
/// date with its pin. A value, confined to the writer's thread.
package struct LogTail {
    /// Bounds after which the records are to be applied, or nothing more may be acknowledged.
    package struct Bounds: Hashable, Sendable {
        /// Records after which the tail is applied.
        package var applyRecords = 16_000
        /// Bytes in the log after which it is applied.
        package var applyBytes = 4 * 1_024 * 1_024
        /// Bytes that applying may write after which it is applied.
        package var applyPages = 16 * 1_024 * 1_024
        /// Most bytes in the log. What would be more waits until some were applied.
        package var bytes = 16 * 1_024 * 1_024
        /// Most bytes that applying may write. Twice as much is kept free on the disk: for SQLite's log and for the database.
        package var pages = 32 * 1_024 * 1_024

        package init() {}
    }

    /// Newest numbers of a conversation, which its row has after the records are applied.
    package struct ConversationPin {
        /// Newest sequence.
        package var head: Int64
        /// Messages that count as unread.
        package var headCountable: Int64
        /// Time of the newest message, UTC milliseconds.
        package var activeAtMilliseconds: Int64
        /// ID of the newest message.
        package var newestID: MessageID
        /// One of its messages has rows beside it.
        package var hasLists = false
        /// Its messages in the order of their sequences, without a gap.
        fileprivate var messages: [KeptRecord] = []

        fileprivate init(_ message: LoggedMessage) {
            self.head = message.sequence - 1
            self.headCountable = message.countable
            self.activeAtMilliseconds = message.sentAtMilliseconds
            self.newestID = message.id
        }
    }

    /// Numbers of a member's row that only records say. What is `nil` stays as the row has it.
    package struct MemberPin: Hashable, Sendable {
        /// Newest reading position; with it `readCountable` and the own messages since are known.
        package var read: LoggedRead?
        /// Own messages that count: since `read`, or else on top of what the row says.
        package var ownCountable: Int64 = 0
        /// Newest own message; `nil` for none.
        package var ownLastSequence: Int64?
        /// Count of the conversation at the newest own message.
        package var ownLastCountable: Int64 = 0
        /// Newest message that any device has acknowledged.
        package var acknowledged: Int64?

        /// Own messages after the reading position that count.
        ///
        /// - Parameter row: what the row says of it.
        package func ownCountableSinceRead(row: Int64) -> Int64 {
            (self.read?.ownCountableSinceRead ?? row) + self.ownCountable
        }
    }

    private struct MemberKey: Hashable {
        let conversation: ConversationID
        let user: UserID
    }

    /// Most bytes that applying writes for one conversation beside its messages: the last page of them and one more, the
    /// page of its row, and two of the index by the time of its newest message.
    static let conversationBytes = 5 * LogFormat.pageBytes
    /// The same for one member: the pages of the row and of what their devices have received.
    static let memberBytes = 2 * LogFormat.pageBytes
    /// The same for one row beside a message: a reminder, a count for one person, a flagged word.
    static let listedBytes = 2 * LogFormat.pageBytes

    private let bounds: Bounds
    private var pending: [KeptRecord] = []
    private var conversations: [ConversationID: ConversationPin] = [:]
    private var members: [MemberKey: MemberPin] = [:]
    /// Newest position that was added.
    private(set) package var newest: UInt64
    /// Newest position that is on the disk.
    private(set) package var synced: UInt64
    /// Newest position that the database holds.
    private(set) package var applied: UInt64
    /// Position up to which records are being applied; `nil` when none are.
    private(set) package var applying: UInt64?
    /// Bytes that the records take in the log, with the rest of their last pages.
    private(set) package var bytes = 0

    /// Rows beside the messages.
    private var listed = 0

    /// Makes an empty tail behind what the database holds.
    package init(applied: UInt64, bounds: Bounds = Bounds()) {
        self.bounds = bounds
        self.applied = applied
        self.synced = applied
        self.newest = applied
    }

    /// Number of records.
    package var count: Int { self.pending.count }

    /// True when the database holds everything.
    package var isEmpty: Bool { self.pending.isEmpty }

    /// Bytes that applying writes at most, estimated: every row on a page of its own, but messages of one conversation.
    package var applyingBytes: Int {
        self.bytes + self.conversations.count * Self.conversationBytes + self.members.count * Self.memberBytes
            + self.listed * Self.listedBytes
    }

    /// True when the records are to be applied now and not only when the writer is idle.
    package var isDue: Bool {
        self.pending.count >= self.bounds.applyRecords || self.bytes >= self.bounds.applyBytes
            || self.applyingBytes >= self.bounds.applyPages
    }

    /// True when so much more may be acknowledged.
    ///
    /// - Parameters:
    ///   - bytes: of the records to come in the log.
    ///   - records: how many they are; each may be of another conversation and member.
    ///   - listed: how many rows they have beside the messages.
    package func hasRoom(bytes: Int, records: Int, listed: Int = 0) -> Bool {
        let pins = records * (Self.conversationBytes + Self.memberBytes)
        return self.bytes + bytes <= self.bounds.bytes
            && self.applyingBytes + bytes + pins + listed * Self.listedBytes <= self.bounds.pages
    }

    // MARK: Growing

    /// Adds records that were handed to the log together.
    ///
    /// - Parameters:
    ///   - first: position of the first one: the next after `newest`.
    ///   - bytes: that they take in the log.
    package mutating func add(_ entries: [LogEntry], at first: UInt64, bytes: Int) {
        precondition(first == self.newest + 1, "positions have no gap")
        for (index, entry) in entries.enumerated() {
            // The rest of the last page is counted with the first record.
            let share = index == 0 ? bytes - bytes / entries.count * (entries.count - 1) : bytes / entries.count
            let record = KeptRecord(position: first + UInt64(index), entry: entry, bytes: share)
            self.pending.append(record)
            self.pin(record)
        }
        self.bytes += entries.isEmpty ? 0 : bytes
        self.newest += UInt64(entries.count)
    }

    /// Notes what is on the disk: only that may be applied.
    package mutating func noteSynced(through position: UInt64) {
        precondition(position <= self.newest, "only what was added can be synced")
        self.synced = max(self.synced, position)
    }

    /// Forgets what was not synced and never will be: its senders are told that it was not taken.
    package mutating func dropUnsynced() {
        self.pending.removeAll { $0.position > self.synced }
        self.newest = self.synced
        self.pinAll()
    }

    private mutating func pinAll() {
        self.conversations.removeAll(keepingCapacity: true)
        self.members.removeAll(keepingCapacity: true)
        self.bytes = 0
        self.listed = 0
        for record in self.pending {
            self.bytes += record.bytes
            self.pin(record)
        }
    }

    private mutating func pin(_ record: KeptRecord) {
        switch record.entry {
        case .message(let message): self.pin(message, record)
        case .read(let read):
            self.members[MemberKey(conversation: read.conversation, user: read.user), default: MemberPin()].noteRead(
                read)
        case .delivered(let delivered):
            let key = MemberKey(conversation: delivered.conversation, user: delivered.user)
            var pin = self.members[key] ?? MemberPin()
            if delivered.acknowledges { pin.acknowledged = max(pin.acknowledged ?? 0, delivered.sequence) }
            self.members[key] = pin
        }
    }

    private mutating func pin(_ message: LoggedMessage, _ record: KeptRecord) {
        self.listed += message.lists?.count ?? 0
        self.conversations[message.conversation, default: ConversationPin(message)].add(message, record)
        guard message.isOfMember else { return }
        let key = MemberKey(conversation: message.conversation, user: message.sender)
        self.members[key, default: MemberPin()].noteOwn(message)
    }

    // MARK: Looking

    /// Newest numbers of a conversation; `nil` when its row has them.
    package func pin(of conversation: ConversationID) -> ConversationPin? { self.conversations[conversation] }

    /// Newest numbers of a member; `nil` when the row has them.
    package func pin(of user: UserID, in conversation: ConversationID) -> MemberPin? {
        self.members[MemberKey(conversation: conversation, user: user)]
    }

    /// A message that the database does not hold; `nil` when it does, or when there is none.
    package func message(at place: MessagePlace) -> LoggedMessage? {
        guard let pin = self.conversations[place.conversation] else { return nil }
        let index = Int64(pin.messages.count) - 1 - (pin.head - place.sequence)
        guard index >= 0, index < Int64(pin.messages.count), case .message(let message) = pin.messages[Int(index)].entry
        else { return nil }
        return message
    }

    /// The oldest message; `nil` when there is none.
    package var oldestMessage: MessageID? {
        for record in self.pending {
            if case .message(let message) = record.entry { return message.id }
        }
        return nil
    }

    /// The newest message; `nil` when there is none.
    package var newestMessage: MessageID? {
        for record in self.pending.reversed() {
            if case .message(let message) = record.entry { return message.id }
        }
        return nil
    }

    // MARK: Applying

    /// Begins to apply what is on the disk: the records, those of one conversation together and in order.
    /// `finishApplying` or `cancelApplying` follows.
    package mutating func beginApplying() -> [LogEntry] {
        precondition(self.applying == nil, "one transaction applies at a time")
        let synced = self.synced
        self.applying = synced
        var order: [(conversation: ConversationID, record: KeptRecord)] = []
        order.reserveCapacity(self.pending.count)
        for record in self.pending {
            guard record.position <= synced else { break }
            order.append((record.entry.conversation, record))
        }
        order.sort { one, other in
            one.conversation == other.conversation
                ? one.record.position < other.record.position : one.conversation < other.conversation
        }
        return order.map(\.record.entry)
    }

    /// After the commit: the database holds what was applied, and its segments may be used again.
    ///
    /// - Returns: the position up to which that is.
    @discardableResult
    package mutating func finishApplying() -> UInt64 {
        guard let applying = self.applying else { preconditionFailure("nothing is being applied") }
        self.applying = nil
        self.applied = applying
        let count = self.pending.prefix { $0.position <= applying }.count
        self.pending.removeSubrange(..<count)
        self.pinAll()
        return applying
    }

    /// After a rollback: everything is still to be applied, and no decision is taken before it was.
    package mutating func cancelApplying() { self.applying = nil }
}

/// A record as the tail keeps it: one object for its place in the log and for its conversation.
private final class KeptRecord {
    let position: UInt64
    let entry: LogEntry
    /// Its share of the bytes of its batch in the log.
    let bytes: Int

    init(position: UInt64, entry: LogEntry, bytes: Int) {
        self.position = position
        self.entry = entry
        self.bytes = bytes
    }
}

extension LogTail.ConversationPin {
    fileprivate mutating func add(_ message: LoggedMessage, _ record: KeptRecord) {
        precondition(message.sequence == self.head + 1, "sequences have no gap")
        self.head = message.sequence
        self.headCountable = message.countable
        self.activeAtMilliseconds = message.sentAtMilliseconds
        self.newestID = message.id
        if message.lists != nil { self.hasLists = true }
        self.messages.append(record)
    }
}

extension LogTail.MemberPin {
    fileprivate mutating func noteRead(_ read: LoggedRead) {
        self.read = read
        self.ownCountable = 0
    }

    fileprivate mutating func noteOwn(_ message: LoggedMessage) {
        if message.counts { self.ownCountable += 1 }
        self.ownLastSequence = message.sequence
        self.ownLastCountable = message.countable
    }
}
