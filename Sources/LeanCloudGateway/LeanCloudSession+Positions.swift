import ChatModel
import Execution
import LeanCloudTranslation
import LeanCloudWire
import Store

/// How far a client has got the messages of a conversation: up to a message, or a time.
struct LeanCloudMark: Hashable, Sendable {
    private var message: MessageID?
    private var atMilliseconds: Int64?

    /// - Returns: `nil` when it says neither. The Java and Swift SDKs name a message, the JavaScript SDK the times of
    ///   the first and the last one.
    init?(_ command: AckCommand) {
        let edge = LeanCloudContent.edge(command.tots ?? command.t, command.mid)
        // What is no id of ours was never stored.
        guard edge.shownID == nil, edge.message != nil || edge.atMilliseconds != nil else { return nil }
        self.message = edge.message
        self.atMilliseconds = edge.message == nil ? edge.atMilliseconds : nil
    }

    init(_ message: MessageID) { self.message = message }

    mutating func formUnion(_ other: LeanCloudMark) {
        if let message = other.message { self.message = max(message, self.message ?? message) }
        if let time = other.atMilliseconds { self.atMilliseconds = max(time, self.atMilliseconds ?? time) }
    }

    func covers(_ message: MessageID, sentAt: Int64) -> Bool {
        self.message.map { message <= $0 } ?? false || self.atMilliseconds.map { sentAt <= $0 } ?? false
    }

    /// The one message that it names; `nil` for a time.
    var onlyMessage: MessageID? { self.atMilliseconds == nil ? self.message : nil }

    /// Sequence up to which the client has messages. Of several messages of the millisecond that it names it has
    /// received the first at least; the others may be on their way.
    func sequence(in id: ConversationID, _ inbox: InboxWrites) throws(StoreError) -> Int64 {
        var sequence: Int64 = 0
        if let message, let found = try inbox.sequence(of: message, in: id) { sequence = found }
        if let time = self.atMilliseconds {
            let before = try inbox.lastSequence(in: id, notAfter: time - 1)
            sequence = max(sequence, min(before + 1, try inbox.lastSequence(in: id, notAfter: time)))
        }
        return sequence
    }

    /// The time that it names instead of a message.
    var time: Int64? { self.message == nil ? self.atMilliseconds : nil }
}

/// How far the clients of a reactor have got messages, gathered for one write at a time: in a large group everybody
/// acknowledges every message. Confined to its reactor.
struct LeanCloudAcknowledgements {
    struct Key: Hashable, Sendable {
        let user: UserID
        let place: Place
    }

    enum Place: Hashable, Sendable {
        case conversation(ConversationAddress)
        /// Wherever that is.
        case message(MessageID)
    }

    struct Entry: Sendable {
        let key: Key
        var mark: LeanCloudMark
        /// Senders in groups want to be told.
        var tellsGroups: Bool

        init(_ mark: LeanCloudMark, of user: UserID, in place: Place, tellsGroups: Bool) {
            self.key = Key(user: user, place: place)
            self.mark = mark
            self.tellsGroups = tellsGroups
        }
    }

    /// Where the acknowledgements of one client in one conversation are gathered, so that they need not be looked for.
    struct Slot {
        fileprivate let round: UInt64
        fileprivate let index: Int
        fileprivate let conversation: ConversationID
    }

    /// Most entries; what comes above is not noted, and those messages are sent once more when the client comes back.
    static let maximum = 100_000
    /// Between two writes, when much is acknowledged.
    static let pauseMilliseconds: Int64 = 250

    private var waiting: [Entry] = []
    private var indices: [Key: Int] = [:]
    /// Slots of earlier rounds are void.
    private var round: UInt64 = 0
    fileprivate var isWriting = false
    fileprivate var nextWrite: Instant?

    fileprivate var isEmpty: Bool { self.waiting.isEmpty }

    /// - Returns: where in `waiting`; `nil` when there are too many.
    @discardableResult
    mutating func add(_ entry: Entry) -> Int? {
        if let known = self.indices[entry.key] {
            self.waiting[known].mark.formUnion(entry.mark)
            if entry.tellsGroups { self.waiting[known].tellsGroups = true }
            return known
        }
        guard self.waiting.count < Self.maximum else { return nil }
        self.indices[entry.key] = self.waiting.count
        self.waiting.append(entry)
        return self.waiting.count - 1
    }

    /// As above, of a client that mostly speaks of one conversation.
    mutating func add(
        _ message: MessageID, of user: UserID, in conversation: ConversationID, tellsGroups: Bool, at slot: inout Slot?
    ) {
        if let known = slot, known.round == self.round, known.conversation == conversation {
            return self.waiting[known.index].mark.formUnion(LeanCloudMark(message))
        }
        let index = self.add(
            Entry(LeanCloudMark(message), of: user, in: .conversation(.id(conversation)), tellsGroups: tellsGroups))
        slot = index.map { Slot(round: self.round, index: $0, conversation: conversation) }
    }

    fileprivate mutating func takeEntries() -> [Entry] {
        defer {
            self.waiting = []
            self.indices = [:]
            self.round += 1
        }
        return self.waiting
    }
}

extension LeanCloudGateway {
    /// Hands what was acknowledged to the store, unless it is busy with the last of it.
    func flushAcknowledgements(at now: Instant) {
        guard !self.acknowledgements.isEmpty, !self.acknowledgements.isWriting else { return }
        if let next = self.acknowledgements.nextWrite, now < next { return }
        let entries = self.acknowledgements.takeEntries()
        self.acknowledgements.isWriting = true
        self.acknowledgements.nextWrite = now.advanced(
            byMilliseconds: entries.count > 1 ? LeanCloudAcknowledgements.pauseMilliseconds : 0)
        let (jobs, isReading) = (self.reactor.jobs, self.services.settings.arrivingIsReading)
        self.services.store.mark { transaction throws(StoreError) in
            for entry in entries {
                let user = entry.key.user
                // One entry that leads nowhere is passed over, and does not take the others with it.
                guard let place = try LeanCloudGateway.place(of: entry, transaction.inbox),
                    let known = try transaction.inbox.conversation(.id(place.conversation), markedBy: user)
                else { continue }
                try transaction.messages.acknowledge(
                    user, in: place.conversation, upTo: place.sequence, tellsGroups: entry.tellsGroups)
                guard isReading, known.isMember else { continue }
                try transaction.inbox.markRead(user, in: place.conversation, upTo: place.sequence)
                try transaction.messages.finishMentions(of: user, in: place.conversation, upTo: place.sequence)
            }
        } then: { _ in
            jobs.post { reactor in reactor.gateway(LeanCloudGateway.self)?.acknowledgements.isWriting = false }
        }
    }

    /// Up to where somebody has got the messages of a conversation; `nil` where that leads nowhere.
    private static func place(
        of entry: LeanCloudAcknowledgements.Entry, _ inbox: InboxWrites
    ) throws(StoreError) -> MessagePlace? {
        switch entry.key.place {
        case .message(let message): return try inbox.place(of: message, waitingFor: entry.key.user)
        case .conversation(let address):
            guard let conversation = try inbox.conversation(address, markedBy: entry.key.user) else { return nil }
            return MessagePlace(conversation.id, try entry.mark.sequence(in: conversation.id, inbox))
        }
    }
}

/// Acknowledgements and read cursors of the client.
extension LeanCloudSession {
    func acknowledge(_ command: GenericCommand) {
        guard let user = self.identity?.user, let ack = command.ackMessage, var mark = LeanCloudMark(ack) else {
            return
        }
        let place: LeanCloudAcknowledgements.Place
        if let address = ack.cid.flatMap({ LeanCloudNames.address(cid: $0) }) {
            // What this session sent it is known by message.
            let newest = self.deliveries.acknowledged(address, mark, countsEach: self.pushesMissedMessages)
            if let newest, mark.time != nil {
                mark = LeanCloudMark(newest)
            }
            place = .conversation(address)
        } else if let message = mark.onlyMessage, ack.cid?.isEmpty ?? true {
            // COMPAT(LeanCloud Java): the oldest form of an acknowledgement names the message alone.
            place = .message(message)
        } else {
            return
        }
        self.gateway.acknowledgements.add(
            LeanCloudAcknowledgements.Entry(
                mark, of: user, in: place, tellsGroups: self.features.contains(.groupReceipts)))
    }

    /// - Returns: false when that is to be looked at more closely, by way of the whole command.
    func acknowledge(_ compact: CompactAcknowledgement, at gateway: LeanCloudGateway) -> Bool {
        guard case .active = self.phase, let user = self.identity?.user,
            let message = LeanCloudNames.messageID(compact.message),
            let conversation = self.deliveries.acknowledged(message, in: compact.conversation)
        else { return false }
        gateway.acknowledgements.add(
            message, of: user, in: conversation, tellsGroups: self.features.contains(.groupReceipts),
            at: &self.deliveries.lastAcknowledged)
        return true
    }

    /// Up to where one conversation was read; all of it without a message and a time.
    private struct ReadMark: Sendable {
        let address: ConversationAddress
        let edge: HistoryEdge
        let isWhole: Bool

        init?(_ tuple: ReadTuple) {
            guard let address = LeanCloudNames.address(cid: tuple.cid) else { return nil }
            self.address = address
            self.edge = LeanCloudContent.edge(tuple.timestamp, tuple.mid)
            self.isWhole = (tuple.mid ?? "").isEmpty && tuple.timestamp ?? 0 <= 0
        }

        func sequence(in id: ConversationID, _ inbox: InboxWrites) throws(StoreError) -> Int64 {
            if self.isWhole { return .max }
            if let sequence = try inbox.sequence(at: self.edge, in: id) { return sequence }
            guard let time = self.edge.atMilliseconds else { return 0 }
            return try inbox.lastSequence(in: id, notAfter: time)
        }
    }

    /// Conversations in one command; the rest is not looked at.
    private static let mostRead = 1_000

    /// No answer, also where a number came with it; what it leads to is told to all devices of the person.
    func read(_ command: GenericCommand) {
        guard let user = self.identity?.user, let read = command.readMessage else { return }
        var tuples = read.convs
        tuples += (read.cids + [read.cid].compactMap { $0 }).map { cid in
            var tuple = ReadTuple()
            tuple.cid = cid
            return tuple
        }
        let marks = tuples.prefix(Self.mostRead).compactMap(ReadMark.init)
        guard !marks.isEmpty else { return }
        let (origin, later) = (self.origin, self.later())
        self.services.store.mark { transaction throws(StoreError) -> [UnreadTuple] in
            transaction.origin = origin
            var unmoved: [UnreadTuple] = []
            for mark in marks {
                guard let conversation = try transaction.inbox.conversation(mark.address, markedBy: user),
                    conversation.isMember
                else { continue }
                let sequence = try mark.sequence(in: conversation.id, transaction.inbox)
                let change = try transaction.inbox.markRead(user, in: conversation.id, upTo: sequence)
                try transaction.messages.finishMentions(of: user, in: conversation.id, upTo: change.sequence)
                guard !change.hasMoved else { continue }
                unmoved.append(
                    LeanCloudSession.tuple(of: conversation.objectID, conversation.kind, unread: change.unread))
            }
            return unmoved
        } then: { result in
            guard case .success(let unmoved) = result, !unmoved.isEmpty else { return }
            // Nobody else is told, but this client waits for it: the Swift SDK does not count down by itself.
            later { $0.push(unread: unmoved) }
        }
    }

    static func tuple(of conversation: ObjectID, _ kind: ConversationKind, unread: Int64) -> UnreadTuple {
        var tuple = UnreadTuple()
        tuple.cid = LeanCloudNames.conversationID(conversation, kind)
        tuple.unread = Int32(min(unread, LeanCloudContent.mostUnread))
        tuple.convType = LeanCloudNames.type(of: kind)
        return tuple
    }
}
