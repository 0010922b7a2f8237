import Broker
import ChatModel
import Execution
import LeanCloudTranslation
import LeanCloudWire
import Store
import Transport

/// Messages on their way to a session, and its own on their way out.
struct LeanCloudDeliveries {
    /// Most messages remembered that were not acknowledged.
    static let maximumUnacknowledged = 1_024

    private struct Sent {
        let conversation: ConversationID
        let objectID: ObjectID
        let message: MessageID
        let sentAt: Int64
    }

    /// Messages of the client that wait for the broker's answer, by ticket.
    var publishes: [UInt64: LeanCloudPublish] = [:]
    var lastTicket: UInt64 = 0

    /// Decides what is sent and when.
    var feed = LeanCloudFeed()
    /// When the person read last, of what the client was told: its `lastUnreadNotifTime`.
    fileprivate var unreadTold: Int64 = 1
    /// The last event that came to the client, and the one before the first that did not get through.
    fileprivate var eventsTold: Int64 = 0
    fileprivate var eventsWhole: Int64 = .max
    /// Where the last acknowledgement waits to be written.
    var lastAcknowledged: LeanCloudAcknowledgements.Slot?
    /// Sent messages; those before `first` are acknowledged.
    private var pending: [Sent] = []
    private var first = 0
    /// True when the waiting messages have ascending ids, which live messages do.
    private var isAscending = true

    private static let keptCapacity = 16

    var unacknowledged: Int { self.pending.count - self.first }

    fileprivate mutating func sent(_ message: Message, in conversation: ObjectID) {
        if self.unacknowledged >= Self.maximumUnacknowledged { self.dropFirst(Self.maximumUnacknowledged / 2) }
        if self.unacknowledged == 0 {
            self.isAscending = true
        } else if self.isAscending {
            self.isAscending = self.pending[self.pending.count - 1].message < message.id
        }
        self.pending.append(
            Sent(
                conversation: message.conversation, objectID: conversation, message: message.id,
                sentAt: message.sentAtMilliseconds))
    }

    /// - Parameter countsEach: of several messages of the millisecond that a mark names, one is covered each time: what
    ///   is covered is not sent again.
    /// - Returns: the newest message that it covers, of those that were sent to the client and not acknowledged before;
    ///   `nil` for none.
    mutating func acknowledged(
        _ address: ConversationAddress, _ mark: LeanCloudMark, countsEach: Bool
    ) -> MessageID? {
        self.compact()
        var newest: MessageID?
        var isCounted = false
        self.pending.removeAll { sent in
            guard .object(sent.objectID) == address, mark.covers(sent.message, sentAt: sent.sentAt) else {
                return false
            }
            if countsEach, sent.sentAt == mark.time {
                if isCounted { return false }
                isCounted = true
            }
            newest = max(newest ?? sent.message, sent.message)
            return true
        }
        return newest
    }

    /// The client has this message, and those before it in the same conversation.
    ///
    /// - Parameter name: what the client calls the conversation.
    /// - Returns: the conversation; `nil` when that message was not sent to it, or is no news.
    mutating func acknowledged(_ message: MessageID, in name: UnsafeRawBufferPointer) -> ConversationID? {
        var index = self.first
        while index < self.pending.count, self.pending[index].message != message { index += 1 }
        guard index < self.pending.count, self.pending[index].objectID.isSpelled(name) else { return nil }
        let conversation = self.pending[index].conversation
        if index == self.first, self.isAscending {
            // As it is, unless a client takes its time.
            self.dropFirst(1)
        } else {
            self.compact()
            self.pending.removeAll { $0.conversation == conversation && $0.message <= message }
        }
        return conversation
    }

    /// Moves what is left only when it is less than what is gone.
    private mutating func dropFirst(_ count: Int) {
        self.first += count
        let isMostlyGone = self.first > Self.keptCapacity && self.first * 2 > self.pending.count
        if self.first == self.pending.count || isMostlyGone { self.compact() }
    }

    private mutating func compact() {
        if self.first == self.pending.count {
            self.pending.removeAll(keepingCapacity: self.pending.capacity <= Self.keptCapacity)
        } else {
            self.pending.removeFirst(self.first)
        }
        self.first = 0
    }

    /// Notes that an event came to the client.
    ///
    /// - Returns: the time from which on it asks for events when it comes back.
    mutating func toldEvent(at moment: Int64) -> Int64 {
        self.eventsTold = max(self.eventsTold, moment)
        return min(self.eventsTold, self.eventsWhole)
    }

    /// Notes that an event did not get through: the client asks for it when it comes back.
    fileprivate mutating func droppedEvent(at moment: Int64) { self.eventsWhole = min(self.eventsWhole, moment - 1) }

    /// The time of a push that is no event. Source: JavaScript SDK, whose next question for events begins at the time
    /// of the last push, whatever that was. `nil` for none.
    var pushTime: Int64? {
        let time = min(self.eventsTold, self.eventsWhole)
        return time > 0 ? time : nil
    }
}

/// Result of a round.
private struct LeanCloudMissed: Sendable {
    var unread: [UnreadConversation] = []
    var backlog: [Backlog] = []
    var patches = PatchPage()
    /// When the person read last, of what is told here; `nil` when only some conversations were looked at.
    var readMoment: Int64?

    /// How far each conversation is told of.
    var covered: [ConversationID: Int64] {
        var covered: [ConversationID: Int64] = [:]
        for state in self.unread where state.unread > 0 { covered[state.conversation.id] = state.conversation.head }
        for backlog in self.backlog {
            covered[backlog.conversation.id] = backlog.messages.last?.message.sequence
        }
        return covered
    }
}

/// Deliveries to a session: missed messages, live messages, events about messages.
extension LeanCloudSession {
    var unacknowledged: Int { self.deliveries.unacknowledged }

    // MARK: Missed

    /// The client has been told that it is signed in: what it missed comes next.
    func began(_ introduction: SessionCommand) {
        var round = LeanCloudRound()
        round.readAfter = max(0, introduction.lastUnreadNotifTime ?? 0)
        if let time = introduction.lastPatchTime, time > 0 { round.patchesAfter = time }
        self.deliveries.unreadTold = max(1, round.readAfter)
        self.deliveries.feed.want(round)
        if self.connection.connection.isCongested { self.outboxRose() }
        self.startRound()
    }

    /// Reads what was missed, when there is something and the connection takes it. What is live waits meanwhile.
    private func startRound() {
        guard case .active = self.phase, let user = self.identity?.user,
            let round = self.deliveries.feed.startRound()
        else { return }
        let (pushes, patches) = (self.pushesMissedMessages, self.features.contains(.patchMessages))
        let (clock, later) = (self.services.clock, self.later())
        self.services.store.read(for: .person(user)) { transaction throws(StoreError) -> LeanCloudMissed in
            var missed = LeanCloudMissed()
            if pushes {
                missed.backlog = try transaction.inbox.backlog(
                    of: user, perConversation: LeanCloudRound.messagesPerConversation,
                    limit: LeanCloudRound.mostConversations)
            } else if let conversations = round.conversations {
                for id in conversations.sorted() {
                    if let state = try transaction.inbox.unreadState(of: user, in: id) { missed.unread.append(state) }
                }
            } else {
                missed.unread = try transaction.inbox.unreadList(
                    of: user, readAfter: round.readAfter, limit: LeanCloudRound.mostConversations)
                // What was too much for one answer is told when the client comes back.
                if missed.unread.count < LeanCloudRound.mostConversations {
                    missed.readMoment = try transaction.inbox.lastReadMoment(of: user)
                }
            }
            if patches, let moment = round.patchesAfter {
                let start = LeanCloudNotices.start(
                    of: moment, newest: try transaction.inbox.newestPatchMoment(), now: clock.wallMilliseconds())
                missed.patches = try transaction.inbox.patches(
                    for: user, after: start, limit: LeanCloudRound.mostPatches)
            }
            return missed
        } then: { result in
            later { $0.missed(result) }
        }
    }

    private func missed(_ result: Result<LeanCloudMissed, StoreError>) {
        // With the next tick; what was held back is part of it.
        guard case .success(var missed) = result else { return self.deliveries.feed.failRound() }
        let held = self.deliveries.feed.endRound()
        missed.unread.removeAll { self.isNews($0, among: held) }
        let unread = missed.unread.filter { self.reads($0.conversation.kind) }.map { LeanCloudContent.unread($0) }
        if let moment = missed.readMoment { self.deliveries.unreadTold = max(self.deliveries.unreadTold, moment) }
        if !unread.isEmpty { self.push(unread: unread) }
        self.push(missed.backlog.filter { self.reads($0.conversation.kind) })
        if let moment = self.push(missed.patches) {
            self.deliveries.feed.want(LeanCloudRound(conversations: [], patchesAfter: moment))
        }
        let covered = missed.covered
        for delivery in held {
            let message = delivery.message
            let isTold =
                message.sender != self.identity?.user && delivery.isStored
                && message.sequence <= covered[message.conversation] ?? 0
            guard !isTold else { continue }
            self.gateway.frames.beginDelivery(delivery)
            self.offer(delivery, by: self.gateway)
            self.gateway.frames.end()
        }
        self.startRound()
    }

    /// True when all that is unread in a conversation came since the client is signed in: it gets the messages
    /// themselves. What came after the look was not counted by it.
    private func isNews(_ state: UnreadConversation, among held: [Delivery]) -> Bool {
        guard state.unread > 0 else { return false }
        let fresh = held.count { delivery in
            let message = delivery.message
            return delivery.isStored && message.conversation == state.conversation.id
                && message.sequence <= state.conversation.head
                && message.sender != self.identity?.user
                && message.content.flags.intersection([.countsAsUnread, .restricted]) == .countsAsUnread
        }
        return fresh == state.unread
    }

    /// The backlog of those who do not ask for it themselves. The newest message of a conversation is always there;
    /// what else is too much stays in the history.
    private func push(_ backlogs: [Backlog]) {
        var bytes = 0
        for backlog in backlogs {
            let isTooMuch = bytes >= LeanCloudRound.bytes
            let messages = isTooMuch ? backlog.messages.suffix(1) : backlog.messages[...]
            for standing in messages.map(self.current) {
                bytes += standing.message.content.body.count
                var command = self.push(.direct)
                var direct = LeanCloudContent.direct(
                    standing.message, in: backlog.conversation.objectID, backlog.conversation.kind)
                direct.offline = true
                if backlog.hasMore || messages.count < backlog.messages.count { direct.hasMore = true }
                if standing.patchedAtMilliseconds > 0 { direct.patchTimestamp = standing.patchedAtMilliseconds }
                command.directMessage = direct
                self.send(command)
                self.deliveries.sent(standing.message, in: backlog.conversation.objectID)
            }
        }
    }

    /// - Returns: the moment after which there are more; `nil` when these were all.
    private func push(_ patches: PatchPage) -> Int64? {
        var bytes = 0
        let fitting = patches.changes.prefix { change in
            defer { bytes += change.message.message.content.body.count }
            return bytes < LeanCloudRound.bytes
        }
        var rest = fitting
        while let first = rest.first {
            let page = rest.prefix(LeanCloudRound.patchesPerPush)
            rest = rest.dropFirst(page.count)
            // Who comes back asks for what is after this.
            let last = page.last?.message.patchedAtMilliseconds ?? first.message.patchedAtMilliseconds
            self.push(
                page.map { change in
                    var change = change
                    change.message = self.current(change.message)
                    return LeanCloudContent.patch(change)
                }, lastPatchTime: last)
        }
        guard fitting.count < patches.changes.count else { return patches.moreAfter }
        return fitting.last?.message.patchedAtMilliseconds
    }

    /// - Parameter moment: when the person read what this tells of; `nil` when it tells nothing new.
    func push(unread: [UnreadTuple], readAt moment: Int64? = nil) {
        if let moment { self.deliveries.unreadTold = max(self.deliveries.unreadTold, moment) }
        var command = self.push(.unread)
        var message = UnreadCommand()
        message.convs = unread
        message.notifTime = self.deliveries.unreadTold
        command.unreadMessage = message
        self.send(command)
    }

    private func reads(_ kind: ConversationKind) -> Bool {
        kind != .temporary || self.features.contains(.temporaryConversations)
    }

    // MARK: Live

    /// A live message for this session; the gateway's frames have been told of it, and end it.
    func offer(_ delivery: Delivery, by gateway: LeanCloudGateway) {
        guard case .active = self.phase, let user = self.identity?.user, self.reads(delivery.kind) else { return }
        let isOwn = delivery.message.sender == user
        // Source: LeanCloud realtime, a chat room echoes nothing to its sender.
        if delivery.kind == .room && isOwn { return }
        guard self.deliveries.feed.offer(delivery) else { return }
        gateway.frames.send(to: self.connection, peer: self.peerField)
        if delivery.isStored, !isOwn, delivery.kind != .room {
            self.deliveries.sent(delivery.message, in: delivery.objectID)
        }
    }

    /// About once a second.
    func tick(at now: Instant) {
        if self.deliveries.feed.isStalled(at: now, seconds: self.services.settings.stallSeconds) {
            return self.connection.connection.close(code: .tryAgainLater, reason: "too slow")
        }
        self.startRound()
    }

    /// More than the high-water mark waits to be sent on the connection.
    func outboxRose() { self.deliveries.feed.outboxRose(at: self.gateway.now()) }

    /// Less than the low-water mark waits again.
    func outboxDrained() {
        self.deliveries.feed.outboxDrained()
        self.startRound()
    }

    // MARK: What happened to messages

    /// Words what happened to messages, and how far people are with them.
    ///
    /// - Returns: false when the event is about something else.
    func tellOfMessages(_ event: ChangeEvent, in place: EventPlace) -> Bool {
        switch event.change {
        case .edited(let changed), .recalled(let changed): self.tellPatch(changed, event, in: place)
        case .read(_, let unread, _):
            if self.deliveries.feed.isBehind {
                self.deliveries.feed.dropRead(of: place.conversation, at: event.atMilliseconds)
            } else if self.reads(place.kind) {
                self.push(
                    unread: [Self.tuple(of: place.objectID, place.kind, unread: unread)],
                    readAt: event.atMilliseconds)
            }
        case .receipt(let receipt): self.tellReceipt(receipt, event, in: place)
        case .created, .joined, .left, .card, .role, .nickname, .settings, .muted, .unmuted, .blocked, .unblocked,
            .annotated, .own, .ended, .person:
            return false
        }
        return true
    }

    private func tellPatch(_ changed: ChangedMessage, _ event: ChangeEvent, in place: EventPlace) {
        guard self.features.contains(.patchMessages), self.reads(place.kind) else { return }
        // Who asked has its answer.
        if event.origin.gateway == .leanCloud, event.origin.session == self.sessionID?.rawValue { return }
        if self.deliveries.feed.isBehind { return self.deliveries.feed.dropPatch(at: changed.changedAtMilliseconds) }
        self.push([LeanCloudContent.patch(changed, in: place)], lastPatchTime: changed.changedAtMilliseconds)
    }

    /// Sends a receipt; one that does not get through now is in the log of events.
    private func tellReceipt(_ receipt: MessageReceipt, _ event: ChangeEvent, in place: EventPlace) {
        guard !self.deliveries.feed.isCongested else {
            return self.deliveries.droppedEvent(at: event.atMilliseconds)
        }
        var command = self.push(.rcp)
        command.serverTs = self.deliveries.toldEvent(at: event.atMilliseconds)
        command.rcpMessage = LeanCloudContent.receipt(receipt, in: place)
        command.notificationType = 1
        self.send(command)
    }
}
