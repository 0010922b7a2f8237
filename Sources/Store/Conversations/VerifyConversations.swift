import ChatModel

// Every conversation with its messages and members, in one pass over the messages.
extension Verifier {
    /// A conversation while its messages pass by.
    private struct Progress {
        let id: Int64
        let name: String
        let head: Int64
        let headCountable: Int64
        let memberCount: Int64
        var people: [Int64: Person] = [:]
        /// People by their reading position.
        var standingAt: [Int64: [Int64]] = [:]
        var last: (sequence: Int64, id: Int64, sentAt: Int64, countable: Int64) = (0, 0, 0, 0)
        /// Ranges that no message has, by the first sequence in them.
        var gaps: [Int64: Int64] = [:]
        /// Newest message that has gone for its age or number; 0 for none.
        var purged: Int64 = 0
    }

    private struct Person {
        let readSequence: Int64
        let readCountable: Int64
        let ownCountable: Int64
        let joinedSequence: Int64
        let ownLastSequence: Int64
        let ownLastCountable: Int64
        var countableAtRead: Int64 = 0
        var countedOwn: Int64 = 0
        var foundOwnLast: (sequence: Int64, countable: Int64) = (0, 0)
    }

    private struct MessageRow {
        let conversation: Int64
        let sequence: Int64
        let id: Int64
        let sender: Int64
        let sentAt: Int64
        let counts: Bool
        let countable: Int64
        let token: [UInt8]?
        let isWithdrawn: Bool
        let bodyIsEmpty: Bool
        /// Hash of the current body.
        let bodyHash: Int64
        /// Hash of the body as it was stored.
        let storedHash: Int64
        let kind: Int64
    }

    func checkConversations(_ tokens: TokenIndex) throws(StoreError) {
        self.notes.report.users = try self.count("SELECT count(*) - 1 FROM user")
        let messages = try self.connection.everyMessage()
        defer { messages.reset() }
        var next = try Self.nextMessage(messages)
        try self.checkJumps()
        let gaps = try self.gaps()
        let purges = try self.purges()
        for var progress in try self.conversations() {
            self.notes.report.conversations += 1
            progress.gaps = gaps[progress.id, default: [:]]
            if let purge = purges[progress.id] {
                progress.purged = purge.sequence
                progress.last = (purge.sequence, 0, 0, purge.countable)
                // Between messages that are gone.
                progress.gaps = progress.gaps.filter { $0.value > purge.sequence }
            }
            try self.loadPeople(of: &progress)
            while let message = next, message.conversation <= progress.id {
                if message.conversation == progress.id {
                    try self.pass(message, &progress, tokens)
                } else {
                    self.reportOrphan(message)
                }
                next = try Self.nextMessage(messages)
            }
            self.finish(progress)
        }
        while let message = next {
            self.reportOrphan(message)
            next = try Self.nextMessage(messages)
        }
    }

    private static func nextMessage(_ statement: Statement) throws(StoreError) -> MessageRow? {
        guard try statement.step() else { return nil }
        let row = statement.row
        let flags = MessageFlags(rawValue: row.int64(5))
        let body = row.blob(8)
        return MessageRow(
            conversation: row.int64(0), sequence: row.int64(1), id: row.int64(2), sender: row.int64(3),
            sentAt: row.int64(4), counts: flags.intersection([.countsAsUnread, .restricted]) == .countsAsUnread,
            countable: row.int64(6),
            token: row.optionalBlob(7), isWithdrawn: flags.contains(.withdrawn), bodyIsEmpty: body.isEmpty,
            bodyHash: XXHash.of(body), storedHash: row.int64(9), kind: row.int64(10))
    }

    private func conversations() throws(StoreError) -> [Progress] {
        try self.connection.query(
            """
            SELECT c.id, c.channel, low.name, high.name, c.head, c.head_countable, c.member_count
            FROM conversation c LEFT JOIN user low ON low.id = c.direct_low
            LEFT JOIN user high ON high.id = c.direct_high ORDER BY c.id
            """
        ) { row throws(StoreError) in
            let name = row.optionalText(1) ?? "\(row.text(2)) - \(row.text(3))"
            return Progress(
                id: row.int64(0), name: name, head: row.int64(4), headCountable: row.int64(5),
                memberCount: row.int64(6))
        }
    }

    private func loadPeople(of progress: inout Progress) throws(StoreError) {
        let people = try self.connection.query(
            """
            SELECT user_id, read_sequence, read_countable, own_countable_since_read, joined_sequence, own_last_sequence,
                own_last_countable
            FROM member WHERE conversation_id = ?
            """, progress.id
        ) { row throws(StoreError) in
            let person = Person(
                readSequence: row.int64(1), readCountable: row.int64(2), ownCountable: row.int64(3),
                joinedSequence: row.int64(4), ownLastSequence: row.int64(5), ownLastCountable: row.int64(6))
            return (row.int64(0), person)
        }
        progress.people = Dictionary(uniqueKeysWithValues: people)
        progress.standingAt = Dictionary(grouping: people.map(\.0)) { progress.people[$0]?.readSequence ?? 0 }
        for user in progress.standingAt[progress.purged, default: []] {
            progress.people[user]?.countableAtRead = progress.last.countable
        }
        self.notes.report.members += Int64(people.count)
    }

    private func reportOrphan(_ message: MessageRow) {
        self.notes.report.messages += 1
        self.notes.add(
            .danglingRow,
            """
            Message \(message.sequence) belongs to conversation number \(message.conversation), which does not exist. \
            Restore the last backup.
            """)
    }

    private func pass(_ message: MessageRow, _ progress: inout Progress, _ tokens: TokenIndex) throws(StoreError) {
        self.notes.report.messages += 1
        let last = progress.last
        let passedOver = progress.gaps.removeValue(forKey: last.sequence + 1)
        if message.sequence != (passedOver ?? last.sequence) + 1 {
            self.noteFinding(
                .sequence, progress,
                "message \(message.sequence) follows message \(last.sequence): what was between them is gone")
        }
        if last.sequence > 0 && message.id <= last.id {
            self.noteFinding(.order, progress, "the id of message \(message.sequence) does not rise")
        }
        if message.sentAt < last.sentAt {
            self.noteFinding(.order, progress, "the time of message \(message.sequence) falls")
        }
        let countable = last.countable + (message.counts ? 1 : 0)
        if message.countable != countable {
            self.noteFinding(
                .countable, progress,
                "message \(message.sequence) says that \(message.countable) messages count as unread, not \(countable)")
        }
        if try !self.bodyIsIntact(message) {
            self.noteFinding(.body, progress, "the body of message \(message.sequence) is not the one that was stored")
        }
        // From here on with what the row says, so that one wrong number is one finding.
        progress.last = (message.sequence, message.id, message.sentAt, message.countable)
        self.countForPeople(message, &progress)
        try self.checkToken(of: message, progress, tokens)
    }

    /// Checks a body against its hash. A recalled message has an empty body; its original body is kept beside it.
    private func bodyIsIntact(_ message: MessageRow) throws(StoreError) -> Bool {
        var hash: Int64? = message.bodyHash
        if message.isWithdrawn {
            guard message.bodyIsEmpty else { return false }
            let original = try self.originalBody(in: message.conversation, sequence: message.sequence)
            hash = original.map { XXHash.of($0) }
        }
        if hash == message.storedHash { return true }
        // What an earlier version completed for a kind of the app's own: it kept no hash of what it stored.
        guard hash != nil, message.kind > 0, try message.id <= self.connection.meta("completed_until") else {
            return false
        }
        self.notes.report.unprovenBodies += 1
        return true
    }

    private func countForPeople(_ message: MessageRow, _ progress: inout Progress) {
        if message.counts, let sender = progress.people[message.sender], message.sequence > sender.readSequence {
            progress.people[message.sender]?.countedOwn += 1
        }
        if let sender = progress.people[message.sender], message.sequence > sender.joinedSequence {
            progress.people[message.sender]?.foundOwnLast = (message.sequence, message.countable)
        }
        for user in progress.standingAt[message.sequence, default: []] {
            progress.people[user]?.countableAtRead = message.countable
        }
    }

    /// A message inside the horizon must be found by its client token: of two messages with one token only one is.
    private func checkToken(
        of message: MessageRow, _ progress: Progress, _ tokens: TokenIndex
    ) throws(StoreError) {
        let oldest = self.options.wallMilliseconds - Int64(self.options.tokenDays) * 86_400_000
        guard let token = message.token.flatMap(ClientToken.init), message.sentAt >= oldest else { return }
        let known = try tokens.sequence(
            of: token, from: UserID(rawValue: message.sender), in: ConversationID(rawValue: message.conversation))
        guard let known else {
            return self.noteFinding(
                .token, progress,
                "the client token of message \(message.sequence) is not remembered: a resend would be stored again")
        }
        if known != message.sequence {
            self.noteFinding(
                .duplicate, progress,
                "messages \(known) and \(message.sequence) have one client token of the same sender")
        }
    }

    private func finish(_ progress: Progress) {
        for (first, last) in progress.gaps.sorted(by: { $0.key < $1.key }) {
            self.noteFinding(
                .sequence, progress, "it is said to have no messages \(first) to \(last), where there is no such range")
        }
        if progress.last.sequence != progress.head {
            self.noteFinding(
                .sequence, progress, "its head is \(progress.head), its last message \(progress.last.sequence)")
        }
        if progress.last.countable != progress.headCountable {
            self.noteFinding(
                .countable, progress,
                """
                \(progress.headCountable) messages are said to count as unread, its last message says \
                \(progress.last.countable)
                """)
        }
        if progress.memberCount != progress.people.count {
            self.noteFinding(
                .memberCount, progress, "it says \(progress.memberCount) members and has \(progress.people.count)")
        }
        for (user, person) in progress.people { self.check(person, user, progress) }
    }

    private func check(_ person: Person, _ user: Int64, _ progress: Progress) {
        if person.readSequence > progress.head || person.joinedSequence > progress.head {
            return self.noteFinding(
                .unread, progress,
                "user number \(user) has read up to \(person.readSequence), behind the head \(progress.head)")
        }
        if person.readCountable != person.countableAtRead {
            self.noteFinding(
                .unread, progress,
                """
                user number \(user) has \(person.readCountable) read messages that count, recounted \
                \(person.countableAtRead)
                """)
        }
        if person.ownCountable != person.countedOwn {
            self.noteFinding(
                .unread, progress,
                """
                user number \(user) has \(person.ownCountable) messages of their own since reading, recounted \
                \(person.countedOwn)
                """)
        }
        // The newest message of their own may be one that is gone.
        let ownLastIsGone = person.foundOwnLast.sequence == 0 && person.ownLastSequence <= progress.purged
        if (person.ownLastSequence, person.ownLastCountable) != person.foundOwnLast, !ownLastIsGone {
            self.noteFinding(
                .unread, progress,
                """
                user number \(user) has \(person.ownLastSequence) as their newest message, found \
                \(person.foundOwnLast.sequence)
                """)
        }
    }

    private func noteFinding(_ kind: VerifyFinding.Kind, _ progress: Progress, _ text: String) {
        let advice =
            if kind == .unread || kind == .memberCount {
                "Unread badges may be wrong; reading the conversation sets them right."
            } else if kind == .duplicate || kind == .token {
                "Keep the folder and report it."
            } else {
                "Restore the last backup."
            }
        self.notes.add(kind, "Conversation \(progress.name) (number \(progress.id)): \(text). \(advice)")
    }
}
