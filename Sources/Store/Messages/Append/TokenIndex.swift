import ChatModel
import MessageLog

/// Finds the message that a client token was used for, in a way that costs no page of its own per message.
///
/// Tokens are random: an index row for each, written with its message, would make every message touch a page of its
/// own, which is most of the cost of storing it. The message row holds its token anyway, so the index row may come
/// later: keys of new messages stay in memory until there are enough of them, and are then merged into the table in key
/// order, a slice with each commit, many on one page. After a restart those that were not merged yet are read again
/// from the messages themselves.
///
/// A key is a hash, so a hit is compared with the message. Confined to the writer's thread.
final class TokenIndex {
    /// Keys in memory from which on an idle writer merges.
    static let idleKeys = 1_024
    /// Keys merged at a time by an idle writer.
    static let sliceKeys = 512
    /// Keys of the table that are read at a time so that what it does not have is known.
    private static let filterKeys = 20_000

    private struct Place {
        let conversation: Int64
        let sequence: Int64
        let day: Int64
        /// Number of the message; 0 for one that is in the table.
        let id: Int64
    }

    private let connection: Connection
    private let seed: UInt64
    /// Keys in memory at which a round of merging starts; at its end there are at most about twice as many.
    private let roundKeys: Int
    /// Keys that are not merged, or are about to be.
    private var recent: [Int64: Place] = [:]
    /// Tokens of messages that are in the log and not in the database, in the order of the messages, with the ids of these.
    private var logged: [(id: MessageID, key: Int64)] = []
    /// Tells a message that is in the log and not in the database.
    private let pending: (MessagePlace) -> LoggedMessage?
    /// Keys of the table.
    private var filter = TokenFilter()
    /// Keys that the open transaction added.
    private(set) var added: [Int64] = []
    /// The keys of the running round, in order; those before `merged` are in the table, those before `committed` for
    /// good.
    private var round: [Int64] = []
    private var merged = 0
    private var committed = 0
    /// Last numbers of the sequencer at the last commit.
    private var lastCommit: (id: Int64, change: Int64)
    /// The same at the commit before the round started: when it ends, all up to there is merged.
    private var roundStart: (id: Int64, change: Int64) = (0, 0)

    /// Reads the tokens that were not merged when the store was last open.
    ///
    /// - Parameter pending: a message that is in the log and not in the database.
    init(
        _ connection: Connection, _ sequencer: Sequencer, roundKeys: Int,
        pending: @escaping (MessagePlace) -> LoggedMessage? = { _ in nil }
    ) throws(StoreError) {
        self.roundKeys = roundKeys
        self.pending = pending
        self.connection = connection
        self.lastCommit = (sequencer.newestID, sequencer.newestChange)
        self.seed = UInt64(bitPattern: try connection.meta("token_seed"))
        // A small table is known at once, a large one in quiet moments.
        _ = try self.filter.read(connection, limit: Self.filterKeys)
        try self.readUnmerged(after: try connection.meta("tokens_id"), change: try connection.meta("tokens_change"))
    }

    /// Finds the message that a resend would be recognised by: for `verify`.
    func sequence(of token: ClientToken, from sender: UserID, in conversation: ConversationID) throws(StoreError)
        -> Int64?
    {
        try self.place(of: self.key(token, sender, conversation))?.sequence
    }

    func key(_ token: ClientToken, _ sender: UserID, _ conversation: ConversationID) -> Int64 {
        // Odd constants spread small numbers over the word.
        let place = UInt64(bitPattern: conversation.rawValue) &* 0x9E37_79B9_7F4A_7C15
        let person = UInt64(bitPattern: sender.rawValue) &* 0xC2B2_AE3D_27D4_EB4F
        return XXHash.of(token.bytes, seed: self.seed &+ place ^ person)
    }

    static func day(of milliseconds: Int64) -> Int64 { milliseconds / 86_400_000 }

    // MARK: Finding

    /// The message this sender sent with this token in this conversation, the hash of its stored body, and that of the body
    /// it was sent with; `nil` for the same one.
    func message(
        with token: ClientToken, from sender: UserState, in conversation: ConversationID
    ) throws(StoreError) -> (message: Message, bodyHash: Int64, sentHash: Int64?)? {
        guard let place = try self.place(of: self.key(token, sender.id, conversation)) else { return nil }
        guard place.conversation == conversation.rawValue,
            let found = try self.message(at: MessagePlace(conversation, place.sequence), senderName: sender.name),
            found.message.sender == sender.id, found.message.clientToken == token
        else { return nil }
        return found
    }

    private func message(
        at place: MessagePlace, senderName: UserName
    ) throws(StoreError) -> (message: Message, bodyHash: Int64, sentHash: Int64?)? {
        if let logged = self.pending(place) {
            return (try logged.message(senderName: senderName), logged.bodyHash, logged.sentHash)
        }
        return try self.connection.messageWithHash(
            in: place.conversation, sequence: place.sequence, senderName: senderName)
    }

    private func place(of key: Int64) throws(StoreError) -> Place? {
        if let known = self.recent[key] { return known }
        guard self.filter.mayHold(key) else { return nil }
        let sql: StaticString = "SELECT conversation_id, sequence, day FROM client_token WHERE key = ?"
        return try self.connection.first(sql, key) { row throws(StoreError) in
            Place(conversation: row.int64(0), sequence: row.int64(1), day: row.int64(2), id: 0)
        }
    }

    // MARK: Adding

    /// Notes the token of a message that the open transaction wrote.
    func add(_ message: LoggedMessage) {
        if let key = self.remember(message) { self.added.append(key) }
    }

    /// Notes the token of a message that goes to the log.
    func addLogged(_ message: LoggedMessage) {
        if let key = self.remember(message) { self.logged.append((message.id, key)) }
    }

    private func remember(_ message: LoggedMessage) -> Int64? {
        guard let token = message.clientToken else { return nil }
        let key = self.key(token, message.sender, message.conversation)
        self.recent[key] = Place(
            conversation: message.conversation.rawValue, sequence: message.sequence,
            day: Self.day(of: message.sentAtMilliseconds), id: message.id.rawValue)
        return key
    }

    /// After a commit: the database holds the messages of the log up to one.
    func applied(through id: MessageID) { self.logged.removeFirst(self.logged.prefix { $0.id <= id }.count) }

    /// Forgets the messages of the log behind one: they were never taken.
    ///
    /// - Parameter id: `nil` for all of them.
    func dropLogged(behind id: MessageID?) {
        let kept = self.logged.prefix { entry in id.map { entry.id <= $0 } ?? false }.count
        for (_, key) in self.logged[kept...] { self.recent[key] = nil }
        self.logged.removeSubrange(kept...)
    }

    /// Keys of messages that the database holds, or the open transaction.
    private var mergeable: Int { self.recent.count - self.logged.count }

    /// After a commit: what was added stays, what was merged leaves the memory.
    ///
    /// - Parameters:
    ///   - newest: no id up to this one is of a message that the database does not hold.
    ///   - change: the newest change number.
    func transactionCommitted(newest: Int64, change: Int64) {
        self.added.removeAll(keepingCapacity: true)
        self.lastCommit = (newest, change)
        for key in self.round[self.committed..<self.merged] { self.recent[key] = nil }
        self.committed = self.merged
        if self.committed == self.round.count {
            self.round.removeAll(keepingCapacity: true)
            self.merged = 0
            self.committed = 0
        }
    }

    /// After a rollback: what was added from the given place on was never stored.
    func rolledBack(to mark: Int = 0) {
        for key in self.added[mark...] { self.recent[key] = nil }
        self.added.removeSubrange(mark...)
        if mark == 0 { self.merged = self.committed }
    }

    /// A message goes, and its token with it. In a transaction of its own, between batches.
    func forget(_ token: ClientToken, from sender: UserID, in conversation: ConversationID) throws(StoreError) {
        let key = self.key(token, sender, conversation)
        if self.recent[key]?.conversation == conversation.rawValue { self.recent[key] = nil }
        try self.connection.run(
            "DELETE FROM client_token WHERE key = ? AND conversation_id = ?", key, conversation.rawValue)
    }

    // MARK: Merging

    /// Inside the transaction of a batch: merges about as many keys as a batch of this size adds, when there are enough
    /// of them to share pages.
    func mergeAlong(_ count: Int) throws(StoreError) {
        if self.round.isEmpty {
            guard self.mergeable >= self.roundKeys else { return }
            self.startRound()
        }
        try self.merge(count + count / 4)
    }

    /// In a moment without work: merges a slice, in a transaction of its own.
    ///
    /// - Parameter all: everything in one slice, also the last few, which otherwise wait for company.
    /// - Returns: whether there is more.
    func mergeIdle(all: Bool, _ sequencer: Sequencer) throws(StoreError) -> Bool {
        if self.round.isEmpty {
            guard self.mergeable >= (all ? 1 : Self.idleKeys) else { return false }
            self.startRound()
        }
        try self.connection.run("BEGIN IMMEDIATE")
        try self.merge(all ? self.round.count : Self.sliceKeys)
        try self.connection.run("COMMIT")
        self.transactionCommitted(newest: sequencer.newestID, change: sequencer.newestChange)
        return !self.round.isEmpty || self.mergeable >= (all ? 1 : Self.idleKeys)
    }

    /// In a moment without work: learns more keys of the table.
    ///
    /// - Returns: whether there is more.
    func learnIdle() throws(StoreError) -> Bool { try self.filter.read(self.connection, limit: Self.filterKeys) }

    /// After messages of the log were applied: merges about as many keys, in a transaction of its own, which could touch a
    /// page for each.
    func mergeAfterApplying(_ count: Int) throws(StoreError) {
        if self.round.isEmpty {
            guard self.mergeable >= self.roundKeys else { return }
            self.startRound()
        }
        try self.connection.run("BEGIN IMMEDIATE")
        try self.merge(count + count / 4)
        try self.connection.run("COMMIT")
        self.transactionCommitted(newest: self.lastCommit.id, change: self.lastCommit.change)
    }

    /// Only what was committed may be in a round; what the open transaction adds comes with the next one.
    private func startRound() {
        let uncommitted = Set(self.added)
        let firstLogged = self.logged.first?.id.rawValue ?? .max
        self.round = self.recent.compactMap { key, place in
            place.id >= firstLogged || !uncommitted.isEmpty && uncommitted.contains(key) ? nil : key
        }
        self.round.sort()
        self.roundStart = self.lastCommit
    }

    private func merge(_ count: Int) throws(StoreError) {
        let end = min(self.round.count, self.merged + count)
        for key in self.round[self.merged..<end] {
            guard let place = self.recent[key] else { continue }
            self.filter.add(key)
            try self.connection.run(
                "INSERT OR REPLACE INTO client_token (key, conversation_id, sequence, day) VALUES (?, ?, ?, ?)", key,
                place.conversation, place.sequence, place.day)
        }
        self.merged = end
        guard end == self.round.count else { return }
        try self.connection.setMeta("tokens_id", self.roundStart.id)
        try self.connection.setMeta("tokens_change", self.roundStart.change)
    }

    // MARK: Restart

    /// Only conversations that changed since can have such messages, and in them only the newest ones.
    private func readUnmerged(after id: Int64, change: Int64) throws(StoreError) {
        let conversations = try self.connection.query("SELECT id FROM conversation WHERE change > ?", change) {
            row throws(StoreError) in row.conversationID(0)
        }
        let newest = try self.connection.statement(
            """
            SELECT sequence, id, sender_id, sent_at, client_token FROM message
            WHERE conversation_id = ? ORDER BY sequence DESC
            """)
        defer { newest.reset() }
        for conversation in conversations {
            newest.reset()
            newest.bind(1, conversation.rawValue)
            while try newest.step(), newest.row.int64(1) > id {
                let row = newest.row
                guard let token = row.optionalBlob(4).flatMap(ClientToken.init) else { continue }
                let key = self.key(token, row.userID(2), conversation)
                // The newest wins, as it would have when they were added.
                guard self.recent[key] == nil else { continue }
                self.recent[key] = Place(
                    conversation: conversation.rawValue, sequence: row.int64(0), day: Self.day(of: row.int64(3)),
                    id: row.int64(1))
            }
        }
    }
}
