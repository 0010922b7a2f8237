package import ChatModel

/// Records that are decided and that the database does not hold yet: what the writer has to know of them until it does.
///
/// Heads of conversations and positions of members that only these records say are **pinned** here, apart from the writer's
/// memory, which may be dropped or made smaller at any time: whatever it loads from the database is brought up to
/// date with its pin.
///
/// Records are kept in layers: new ones go to the last. A layer that is to be applied is sealed, so that it is applied
/// conversation by conversation and let go as a whole, whatever comes meanwhile. Confined to the writer's thread.
package final class LogTail {
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
    package struct ConversationPin: Hashable, Sendable {
        /// Newest sequence.
        package var head: Int64
        /// Messages that count as unread.
        package var headCountable: Int64
        /// Time of the newest message, UTC milliseconds.
        package var activeAtMilliseconds: Int64
        /// ID of the newest message.
        package var newestID: MessageID
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
        /// Newest message up to which their mentions have ended.
        package var mentionsEnded: Int64?

        /// Own messages after the reading position that count.
        ///
        /// - Parameter row: what the row says of it.
        package func ownCountableSinceRead(row: Int64) -> Int64 {
            (self.read?.ownCountableSinceRead ?? row) + self.ownCountable
        }
    }

    /// Most bytes that applying writes for one conversation beside its messages: the last page of them and one more, the
    /// page of its row, and two of the index by the time of its newest message.
    static let conversationBytes = 5 * LogFormat.pageBytes
    /// The same for one member: the pages of the row and of what their devices have received.
    static let memberBytes = 2 * LogFormat.pageBytes
    /// The same for one row beside a message: a reminder, a count for one person, a flagged word.
    static let listedBytes = 2 * LogFormat.pageBytes

    /// The same for somebody who gets receipts in a conversation: four indexes by person and by conversation, two of which may
    /// be split.
    static let receiverBytes = 6 * LogFormat.pageBytes
    /// Bytes of the rows of one receipt and of their places in indexes by number and time, twice: pages are filled half.
    static let receiptBytes = 1_024

    private let bounds: Bounds
    /// In the order of their records; new ones go to the last, which is empty or not sealed.
    private var layers: [LogLayer] = [LogLayer()]
    /// Newest position that was added.
    private(set) package var newest: UInt64
    /// Newest position that is on the disk.
    private(set) package var synced: UInt64
    /// Newest position that the database holds.
    private(set) package var applied: UInt64
    /// Layers that are being applied in the open transaction, from the first on; `nil` when none are.
    private var applyingLayers: Int?

    /// Makes an empty tail behind what the database holds.
    package init(applied: UInt64, bounds: Bounds = Bounds()) {
        self.bounds = bounds
        self.applied = applied
        self.synced = applied
        self.newest = applied
    }

    /// Number of records.
    package var count: Int { Int(self.newest - self.applied) }

    /// True when the database holds everything.
    package var isEmpty: Bool { self.newest == self.applied }

    /// Bytes that the records take in the log, with the rest of their last pages.
    package var bytes: Int { self.layers.reduce(0) { $0 + $1.bytes } }

    /// When the oldest record was decided, UTC milliseconds; 0 when the database holds everything.
    package var oldestWallMilliseconds: Int64 { self.layers[0].oldestWallMilliseconds }

    /// Bytes that applying writes at most, estimated: every row on a page of its own, but messages of one conversation.
    package var applyingBytes: Int { self.layers.reduce(0) { $0 + $1.applyingBytes } }

    private var open: LogLayer { self.layers[self.layers.count - 1] }

    /// True when the newest records are to be applied now and not only when the writer is idle.
    package var isDue: Bool {
        let open = self.open
        return open.count >= self.bounds.applyRecords || open.bytes >= self.bounds.applyBytes
            || open.applyingBytes >= self.bounds.applyPages
    }

    /// True when older records wait to be applied while new ones go to another layer.
    package var isSealed: Bool { self.layers.count > 1 }

    /// True when so much more may be acknowledged.
    ///
    /// - Parameters:
    ///   - bytes: of the records to come in the log.
    ///   - records: how many they are; each may be of another member.
    ///   - conversations: how many they are of; `nil` when each may be of another one.
    ///   - listed: how many rows they have beside the messages.
    ///   - receipts: how many receipts they cause; each may be for somebody else.
    package func hasRoom(
        bytes: Int, records: Int, conversations: Int? = nil, listed: Int = 0, receipts: Int = 0
    ) -> Bool {
        let pins = (conversations ?? records) * Self.conversationBytes + records * Self.memberBytes
        let beside = listed * Self.listedBytes + receipts * (Self.receiverBytes + Self.receiptBytes)
        return self.bytes + bytes <= self.bounds.bytes
            && self.applyingBytes + bytes + pins + beside <= self.bounds.pages
    }

    // MARK: Growing

    /// Adds records that were handed to the log together.
    ///
    /// - Parameters:
    ///   - first: position of the first one: the next after `newest`.
    ///   - bytes: that they take in the log.
    package func add(_ entries: [LogEntry], at first: UInt64, bytes: Int) {
        precondition(first == self.newest + 1, "positions have no gap")
        for (index, entry) in entries.enumerated() {
            // The rest of the last page is counted with the first record.
            let share = index == 0 ? bytes - bytes / entries.count * (entries.count - 1) : bytes / entries.count
            self.add(entry, bytes: share)
        }
    }

    /// Adds the record behind the newest one.
    ///
    /// - Parameter bytes: that it takes in the log.
    package func add(_ entry: LogEntry, bytes: Int) {
        switch entry {
        case .message(let message): self.add(message, bytes: bytes)
        case .read, .delivered, .mentions:
            self.newest += 1
            self.open.add(position: entry, at: self.newest, bytes: bytes)
        }
    }

    /// Adds a message behind the newest record.
    ///
    /// - Parameter bytes: that it takes in the log.
    package func add(_ message: LoggedMessage, bytes: Int) {
        self.newest += 1
        self.open.add(message, at: self.newest, bytes: bytes)
    }

    /// Notes what is on the disk: only that may be applied.
    package func noteSynced(through position: UInt64) {
        precondition(position <= self.newest, "only what was added can be synced")
        self.synced = max(self.synced, position)
    }

    /// Forgets what was not synced and never will be: its senders are told that it was not taken.
    package func dropUnsynced() {
        guard self.newest > self.synced else { return }
        self.splitAtSynced()
        self.layers.removeAll { $0.first > self.synced }
        if self.layers.count == self.applyingLayers ?? 0 { self.layers.append(LogLayer()) }
        self.newest = self.synced
    }

    /// Puts what is synced and what is not into different layers.
    private func splitAtSynced() {
        guard let index = self.layers.firstIndex(where: { $0.first <= self.synced && $0.last > self.synced }) else {
            return
        }
        self.layers.replaceSubrange(index...index, with: self.layers[index].split(behind: self.synced))
    }

    // MARK: Looking

    /// Newest numbers of a conversation; `nil` when its row has them.
    package func pin(of conversation: ConversationID) -> ConversationPin? {
        for layer in self.layers.reversed() {
            if let pin = layer.runs[conversation]?.pin { return pin }
        }
        return nil
    }

    /// True when a message of a conversation counts for some of its members only.
    package func hasCounts(in conversation: ConversationID) -> Bool {
        self.layers.contains { $0.runs[conversation]?.hasCounts ?? false }
    }

    /// Messages here that mention a person, in a range.
    package func mentions(
        of user: UserID, in conversation: ConversationID, after low: Int64, upTo high: Int64
    ) -> Int {
        self.layers.reduce(0) { count, layer in
            let sequences = layer.runs[conversation]?.mentioned[user] ?? []
            return count + sequences.count { $0 > low && $0 <= high }
        }
    }

    /// Sequence of the oldest message of a conversation here; `nil` when there is none.
    package func firstSequence(in conversation: ConversationID) -> Int64? {
        self.layers.lazy.compactMap { $0.runs[conversation]?.messages.first?.content.sequence }.first
    }

    /// Newest numbers of a member; `nil` when the row has them.
    package func pin(of user: UserID, in conversation: ConversationID) -> MemberPin? {
        var pin: MemberPin?
        for layer in self.layers {
            guard let newer = layer.runs[conversation]?.members[user] else { continue }
            pin = pin.map { $0.followed(by: newer) } ?? newer
        }
        return pin
    }

    /// A message that the database does not hold; `nil` when it does, or when there is none.
    package func message(at place: MessagePlace) -> LoggedMessage? {
        for layer in self.layers.reversed() {
            if let message = layer.runs[place.conversation]?.message(at: place.sequence) { return message }
        }
        return nil
    }

    /// Answer to where a message is.
    package enum Lookup: Hashable, Sendable {
        /// Here, with this sequence.
        case found(Int64)
        /// Nowhere: its place would be here.
        case missing
        /// It is older than what is here of its conversation.
        case older
    }

    /// Finds a message by its id.
    package func sequence(of message: MessageID, in conversation: ConversationID) -> Lookup {
        for layer in self.layers.reversed() {
            guard let run = layer.runs[conversation], let first = run.messages.first,
                first.content.id <= message
            else { continue }
            let found = run.messages[run.lastIndex { $0.id <= message }].content
            return found.id == message ? .found(found.sequence) : .missing
        }
        return .older
    }

    /// The newest message here that was sent at a time, UTC milliseconds, or before; `nil` when all of its conversation
    /// here came later.
    package func lastSequence(in conversation: ConversationID, notAfter time: Int64) -> Int64? {
        for layer in self.layers.reversed() {
            guard let run = layer.runs[conversation], let first = run.messages.first,
                first.content.sentAtMilliseconds <= time
            else { continue }
            return run.messages[run.lastIndex { $0.sentAtMilliseconds <= time }].content.sequence
        }
        return nil
    }

    /// The oldest message; `nil` when there is none.
    package var oldestMessage: MessageID? { self.layers.lazy.compactMap(\.oldestMessage).first }

    /// The newest message; `nil` when there is none.
    package var newestMessage: MessageID? { self.layers.reversed().lazy.compactMap(\.newestMessage).first }

    // MARK: Applying

    /// Seals what there is: what comes later is applied later.
    ///
    /// - Returns: whether there is a sealed layer all of which is on the disk: `beginApplyingSealed` may follow.
    package func seal() -> Bool {
        if self.layers.count == 1, !self.open.isEmpty { self.layers.append(LogLayer()) }
        return self.layers.count > 1 && self.layers[0].last <= self.synced
    }

    /// Begins to apply the oldest sealed layer, as `seal` has said that one may. `finishApplying` or `cancelApplying`
    /// follows.
    package func beginApplyingSealed() -> LogLayer {
        precondition(self.applyingLayers == nil && self.layers.count > 1, "one transaction applies at a time")
        self.applyingLayers = 1
        return self.layers[0]
    }

    /// Begins to apply what is on the disk, or goes on with what the open transaction has begun: the layers, in order.
    /// `finishApplying` or `cancelApplying` follows.
    package func beginApplying() -> [LogLayer] {
        self.splitAtSynced()
        let count = self.layers.prefix { !$0.isEmpty && $0.last <= self.synced }.count
        if count == self.layers.count { self.layers.append(LogLayer()) }
        self.applyingLayers = count
        return Array(self.layers[..<count])
    }

    /// True when a transaction applies records.
    package var isApplying: Bool { self.applyingLayers != nil }

    /// After the commit: the database holds what was applied, and its segments may be used again.
    ///
    /// - Returns: the position up to which that is.
    @discardableResult
    package func finishApplying() -> UInt64 {
        guard let count = self.applyingLayers else { preconditionFailure("nothing is being applied") }
        self.applyingLayers = nil
        if count > 0 { self.applied = self.layers[count - 1].last }
        self.layers.removeFirst(count)
        return self.applied
    }

    /// After a rollback: everything is still to be applied, and no decision is taken before it was.
    package func cancelApplying() { self.applyingLayers = nil }
}

extension LogTail.MemberPin {
    mutating func noteRead(_ read: LoggedRead) {
        self.read = read
        self.ownCountable = 0
    }

    mutating func noteOwn(_ message: LoggedMessage) {
        if message.counts { self.ownCountable += 1 }
        self.ownLastSequence = message.sequence
        self.ownLastCountable = message.countable
    }

    /// Pin of both layers together.
    fileprivate func followed(by newer: LogTail.MemberPin) -> LogTail.MemberPin {
        var both = newer
        if newer.read == nil {
            both.read = self.read
            both.ownCountable += self.ownCountable
        }
        if newer.ownLastSequence == nil {
            both.ownLastSequence = self.ownLastSequence
            both.ownLastCountable = self.ownLastCountable
        }
        if let older = self.acknowledged { both.acknowledged = max(newer.acknowledged ?? 0, older) }
        if let older = self.mentionsEnded { both.mentionsEnded = max(newer.mentionsEnded ?? 0, older) }
        return both
    }
}
