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
    private var acknowledged: [Reader: Int64] = [:]
    private var mentionsEnded: [Reader: Int64] = [:]
    /// The request has to be done in a transaction.
    private(set) var needsDatabase = false

    init(_ log: WriterLog) { self.log = log }

    func add(_ entry: LogEntry) {
        switch entry {
        case .message: preconditionFailure("a message is no position")
        case .read(let read): self.reads[Reader(user: read.user, conversation: read.conversation)] = read
        case .delivered(let delivered):
            guard delivered.acknowledges else { break }
            self.acknowledged[Reader(user: delivered.user, conversation: delivered.conversation)] = delivered.sequence
        case .mentions(let ended):
            self.mentionsEnded[Reader(user: ended.user, conversation: ended.conversation)] = ended.sequence
        }
        self.records.append(entry)
    }

    /// The newest message that this request has noted as acknowledged by a person in a conversation; `nil` for none.
    func acknowledged(by user: UserID, in conversation: ConversationID) -> Int64? {
        self.acknowledged[Reader(user: user, conversation: conversation)]
    }

    /// Newest message up to which this request or the log has ended the mentions of a person in a conversation.
    func mentionsEnded(of user: UserID, in conversation: ConversationID) -> Int64 {
        self.mentionsEnded[Reader(user: user, conversation: conversation)]
            ?? self.log.tail.pin(of: user, in: conversation)?.mentionsEnded ?? 0
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
    /// count for some only, own messages behind the position.
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
        guard try self.hasPositionsAlone(user, in: id), !tail.hasCounts(in: id),
            member.ownCountableSinceRead == 0 || target <= before || target >= member.ownLastSequence
        else { throw recorder.giveUp() }
        guard target > before else { return self.plainChange(member, conversation, hasMoved: false) }
        member.readSequence = target
        member.ownCountableSinceRead = 0
        member.readCountable = try self.countable(at: target, conversation, tail)
        let change = self.plainChange(member, conversation, hasMoved: true)
        let moment = self.transaction.moment()
        let receipts = try self.readReceipts(conversation, of: user, after: before, upTo: target, tail)
        let event = try self.transaction.event(
            .read(upTo: change.sequence, unread: change.unread, badge: change.badge), in: conversation, by: user,
            to: .people([user]))
        var read = LoggedRead(
            user: user, conversation: id, sequence: target, before: before, countable: member.readCountable,
            ownCountableSinceRead: 0, readAtMilliseconds: moment, position: event.position, clearsMark: false,
            wallMilliseconds: self.transaction.wallMilliseconds)
        read.receipts = receipts
        recorder.add(.read(read))
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

    /// Receipts of reading, of two people: the newest message for which the other one has asked.
    private func readReceipts(
        _ conversation: ConversationState, of user: UserID, after low: Int64, upTo high: Int64, _ tail: LogTail
    ) throws(StoreError) -> [LoggedReceipt] {
        guard conversation.isOfTwo, self.transaction.messages.allowsReceipts(in: conversation) else { return [] }
        let asked = try self.receiptsAsked(conversation, of: user, after: low, upTo: high, limit: 1, tail)
        return try self.receipts(asked, isRead: true, by: user, in: conversation)
    }

    /// Messages of others in a range for which a receipt was asked, also those that only the log has: the newest, oldest
    /// first.
    private func receiptsAsked(
        _ conversation: ConversationState, of user: UserID, after low: Int64, upTo high: Int64, limit: Int,
        _ tail: LogTail
    ) throws(StoreError) -> [AskedReceipt] {
        let low = max(low, high - ReceiptBounds.lookedThrough)
        guard conversation.asked.mayAsk(after: low, upTo: high) else { return [] }
        var newest: [AskedReceipt] = []
        var sequence = high
        while sequence > low, newest.count < limit,
            let message = tail.message(at: MessagePlace(conversation.id, sequence))
        {
            if message.sender != user, message.flags.contains(.receiptRequested) {
                newest.append(AskedReceipt(id: message.id, sequence: sequence, sender: message.sender))
            }
            sequence -= 1
        }
        guard sequence > low, newest.count < limit else { return newest.reversed() }
        let older = try self.transaction.connection.receiptsAsked(
            in: conversation.id, of: user, after: low, upTo: sequence, limit: limit - newest.count)
        return older + newest.reversed()
    }

    /// Makes receipts for a record, and the events that tell them.
    private func receipts(
        _ asked: [AskedReceipt], isRead: Bool, by user: UserID, in conversation: ConversationState
    ) throws(StoreError) -> [LoggedReceipt] {
        var receipts: [LoggedReceipt] = []
        for message in asked {
            let event = try self.transaction.event(
                .receipt(try self.transaction.messages.receipt(of: message, isRead: isRead, by: user)),
                in: conversation, by: user, to: .people([message.sender]))
            self.transaction.events.append(event)
            receipts.append(
                LoggedReceipt(
                    sequence: message.sequence, message: message.id, sender: message.sender, position: event.position,
                    atMilliseconds: event.atMilliseconds))
        }
        return receipts
    }

    /// `recordDelivered` as records.
    func recordDelivered(_ positions: [DeliveredPosition], _ recorder: PositionRecorder) throws(StoreError) {
        for position in positions {
            guard let conversation = try self.transaction.memory.conversation(position.conversation),
                conversation.roles[position.user] != nil
            else { continue }
            let target = try self.transaction.standing(at: position.sequence, in: conversation)
            var delivered = LoggedDelivered(
                user: position.user, deviceClass: position.deviceClass, conversation: position.conversation,
                sequence: target, acknowledges: false, wallMilliseconds: self.transaction.wallMilliseconds)
            // In a group nobody is told, so that it is spared there.
            if conversation.isOfTwo, conversation.kind != .room,
                !conversation.isOver(at: self.transaction.wallMilliseconds)
            {
                try self.acknowledge(&delivered, in: conversation, tellsGroups: false, recorder)
            }
            recorder.add(.delivered(delivered))
        }
    }

    /// Moves the newest message up that any device of a member has, with the receipts of that, unless it is as far.
    func acknowledge(
        _ delivered: inout LoggedDelivered, in conversation: ConversationState, tellsGroups: Bool,
        _ recorder: PositionRecorder
    ) throws(StoreError) {
        let (user, target, tail) = (delivered.user, delivered.sequence, recorder.log.tail)
        let known: Int64? =
            if let own = recorder.acknowledged(by: user, in: conversation.id) {
                own
            } else {
                try self.acknowledged(by: user, in: conversation, tail)
            }
        guard let known, target > known else { return }
        delivered.acknowledges = true
        guard self.transaction.messages.tellsArrival(in: conversation, tellsGroups: tellsGroups) else { return }
        let asked = try self.receiptsAsked(
            conversation, of: user, after: known, upTo: target, limit: ReceiptBounds.perAcknowledgement, tail)
        delivered.receipts = try self.receipts(asked, isRead: false, by: user, in: conversation)
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
