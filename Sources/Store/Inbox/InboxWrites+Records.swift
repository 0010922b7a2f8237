import ChatModel
import MessageLog

/// Takes steps of people as records of the log, where everything that they change is in the record. Confined to the writer's
/// thread and to one request.
final class PositionRecorder {
    let log: WriterLog
    private(set) var records: [LogEntry] = []
    private struct Reader: Hashable {
        let user: UserID
        let conversation: ConversationID
    }
    private var reads: [Reader: LoggedRead] = [:]
    /// The request has to be done in a transaction.
    private(set) var needsDatabase = false

    init(_ log: WriterLog) { self.log = log }

    func add(_ entry: LogEntry) {
        if case .read(let read) = entry { self.reads[Reader(user: read.user, conversation: read.conversation)] = read }
        self.records.append(entry)
    }

    /// The last position that this request has moved somebody's reading to in a conversation; `nil` for none.
    func read(by user: UserID, in conversation: ConversationID) -> LoggedRead? {
        self.reads[Reader(user: user, conversation: conversation)]
    }

    /// Ends the attempt: nothing was changed.
    func giveUp() -> StoreError {
        self.needsDatabase = true
        return .busy
    }
}

extension InboxWrites {
    /// `markRead` as a record. In a transaction where there is more to it than positions: a badge set by hand, messages that
    /// count for some only, receipts to tell, own messages behind the position.
    func recordRead(
        _ user: UserID, in id: ConversationID, upTo sequence: Int64, _ recorder: PositionRecorder
    ) throws(StoreError) -> ReadChange {
        let conversation = try self.transaction.knownConversation(id)
        guard conversation.roles[user] != nil else { throw recorder.giveUp() }
        var member = try self.knownMember(user, in: id)
        let tail = recorder.log.tail
        tail.pin(of: user, in: id).map { $0.bring(&member) }
        if let own = recorder.read(by: user, in: id) {
            member.readSequence = own.sequence
            member.readCountable = own.countable
            member.ownCountableSinceRead = own.ownCountableSinceRead
        }
        let before = member.readSequence
        let target = try self.transaction.standing(at: sequence, in: conversation)
        guard try self.hasPositionsAlone(user, in: id), !tail.hasLists(in: id),
            member.ownCountableSinceRead == 0 || target <= before || target >= member.ownLastSequence
        else { throw recorder.giveUp() }
        guard target > before else { return self.plainChange(member, conversation, hasMoved: false) }
        guard try !self.tellsReceipts(conversation, of: user, after: before, upTo: target, tail) else {
            throw recorder.giveUp()
        }
        member.readSequence = target
        member.ownCountableSinceRead = 0
        member.readCountable = try self.countable(at: target, conversation, tail)
        let change = self.plainChange(member, conversation, hasMoved: true)
        let moment = self.transaction.moment()
        let event = try self.transaction.event(
            .read(upTo: change.sequence, unread: change.unread, badge: change.badge), in: conversation, by: user,
            to: .people([user]))
        recorder.add(
            .read(
                LoggedRead(
                    user: user, conversation: id, sequence: target, before: before, countable: member.readCountable,
                    ownCountableSinceRead: 0, readAtMilliseconds: moment, position: event.position, clearsMark: false,
                    wallMilliseconds: self.transaction.wallMilliseconds)))
        self.transaction.events.append(event)
        return change
    }

    /// Without messages that count for some only and without a badge set by hand.
    private func plainChange(_ member: Member, _ conversation: ConversationState, hasMoved: Bool) -> ReadChange {
        ReadChange(
            sequence: member.readSequence, unread: member.unread(headCountable: conversation.headCountable),
            badge: member.badge(headCountable: conversation.headCountable), hasMoved: hasMoved)
    }

    /// True when nothing beside the member's row says how much is unread.
    private func hasPositionsAlone(_ user: UserID, in id: ConversationID) throws(StoreError) -> Bool {
        let sql: StaticString = """
            SELECT EXISTS (SELECT 1 FROM hidden_count WHERE user_id = ?1 AND conversation_id = ?2)
                OR EXISTS (SELECT 1 FROM shown_count WHERE user_id = ?1 AND conversation_id = ?2)
                OR EXISTS (SELECT 1 FROM preference WHERE user_id = ?1 AND conversation_id = ?2 AND marked_unread <> 0)
            """
        let hasMore = try self.transaction.connection.first(sql, user, id) { row throws(StoreError) in
            row.int64(0) != 0
        }
        return hasMore == false
    }

    private func countable(
        at sequence: Int64, _ conversation: ConversationState, _ tail: LogTail
    ) throws(StoreError) -> Int64 {
        if sequence == conversation.head { return conversation.headCountable }
        if let message = tail.message(at: MessagePlace(conversation.id, sequence)) { return message.countable }
        return try self.transaction.connection.countable(at: sequence, in: conversation.id)
    }

    /// True when senders of newly reached messages are to be told.
    private func tellsReceipts(
        _ conversation: ConversationState, of user: UserID, after low: Int64, upTo high: Int64, _ tail: LogTail
    ) throws(StoreError) -> Bool {
        guard conversation.isOfTwo, self.transaction.messages.allowsReceipts(in: conversation) else { return false }
        return try self.hasAskedReceipts(conversation, of: user, after: low, upTo: high, tail)
    }

    /// True when messages of others in a range ask for a receipt, also those that only the log has.
    func hasAskedReceipts(
        _ conversation: ConversationState, of user: UserID, after low: Int64, upTo high: Int64, _ tail: LogTail
    ) throws(StoreError) -> Bool {
        let low = max(low, high - ReceiptBounds.lookedThrough)
        guard conversation.asked.mayAsk(after: low, upTo: high) else { return false }
        var sequence = high
        while sequence > low, let message = tail.message(at: MessagePlace(conversation.id, sequence)) {
            if message.sender != user, message.flags.contains(.receiptRequested) { return true }
            sequence -= 1
        }
        guard sequence > low else { return false }
        return try self.transaction.messages.hasAskedReceipts(in: conversation.id, of: user, after: low, upTo: sequence)
    }

    /// `recordDelivered` as records.
    func recordDelivered(_ positions: [DeliveredPosition], _ recorder: PositionRecorder) throws(StoreError) {
        let tail = recorder.log.tail
        for position in positions {
            guard let conversation = try self.transaction.memory.conversation(position.conversation),
                conversation.roles[position.user] != nil
            else { continue }
            let target = try self.transaction.standing(at: position.sequence, in: conversation)
            let moves = try self.movesAcknowledged(position.user, in: conversation, to: target, tail, recorder)
            recorder.add(
                .delivered(
                    LoggedDelivered(
                        user: position.user, deviceClass: position.deviceClass, conversation: position.conversation,
                        sequence: target, acknowledges: moves,
                        wallMilliseconds: self.transaction.wallMilliseconds)))
        }
    }

    /// In a group nobody is told, so that it is spared there.
    private func movesAcknowledged(
        _ user: UserID, in conversation: ConversationState, to target: Int64, _ tail: LogTail,
        _ recorder: PositionRecorder
    ) throws(StoreError) -> Bool {
        guard conversation.isOfTwo, conversation.kind != .room,
            !conversation.isOver(at: self.transaction.wallMilliseconds)
        else { return false }
        guard let before = try self.acknowledged(by: user, in: conversation, tail), target > before else {
            return false
        }
        guard try !self.tellsReceipts(conversation, of: user, after: before, upTo: target, tail) else {
            throw recorder.giveUp()
        }
        return true
    }
}

extension InboxWrites {
    /// Newest message that any device of a member has acknowledged; `nil` for who is no member.
    func acknowledged(
        by user: UserID, in conversation: ConversationState, _ tail: LogTail
    ) throws(StoreError) -> Int64? {
        if let known = conversation.acknowledged[user] { return known }
        let row = try self.transaction.connection.first(
            "SELECT acked_sequence FROM member WHERE conversation_id = ? AND user_id = ?", conversation.id, user
        ) { row throws(StoreError) in row.int64(0) }
        guard let row else { return nil }
        let newest = max(row, tail.pin(of: user, in: conversation.id)?.acknowledged ?? 0)
        conversation.acknowledged[user] = newest
        return newest
    }
}

extension LogTail.MemberPin {
    /// Brings the row of a member up to date with what only records say.
    fileprivate func bring(_ member: inout Member) {
        member.ownCountableSinceRead = self.ownCountableSinceRead(row: member.ownCountableSinceRead)
        if let read = self.read {
            member.readSequence = read.sequence
            member.readCountable = read.countable
        }
        if let sequence = self.ownLastSequence {
            member.ownLastSequence = sequence
            member.ownLastCountable = self.ownLastCountable
        }
    }
}
