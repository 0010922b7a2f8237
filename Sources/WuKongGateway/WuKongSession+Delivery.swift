import Accounts
import Broker
import ChatModel
import Execution
import Store

/// Live messages, missed ones, and those that were not acknowledged.
extension WuKongSession {
    // MARK: Live

    /// A live message has come for the session.
    ///
    /// - Returns: whether to send it now.
    mutating func offer(_ delivery: Delivery, at now: Instant) -> Bool {
        guard self.feed.offer(delivery), self.identity != nil else { return false }
        if delivery.isStored { self.pending.sent(delivery, at: now) }
        return true
    }

    /// True when the person wrote the message, on this device or another.
    func isOwn(_ delivery: Delivery) -> Bool { delivery.message.sender == self.identity?.user }

    private mutating func deliver(_ deliveries: [Delivery], at now: Instant, _ output: inout SessionOutput) {
        guard !deliveries.isEmpty, self.identity != nil else { return }
        for delivery in deliveries where delivery.isStored { self.pending.sent(delivery, at: now) }
        output.actions.append(.deliver(deliveries))
    }

    /// A message of the session's own was stored.
    mutating func noteOwn(_ conversation: ConversationID, sequence: Int64, _ output: inout SessionOutput) {
        guard self.feed.published(conversation, sequence: sequence) else { return }
        self.pending.has(conversation, sequence: sequence)
        self.noteAcknowledging(&output)
    }

    // MARK: Acknowledgements

    /// - Parameter syncOnce: whether the acknowledgement says that a command was acted on.
    mutating func acknowledge(_ message: MessageID, syncOnce: Bool, _ output: inout SessionOutput) {
        guard let delivery = self.pending.acknowledge(message) else { return }
        guard delivery.isCommand else { return self.noteAcknowledging(&output) }
        if syncOnce, let id = self.id {
            output.actions.append(.acknowledgeCommand(id, sequence: delivery.message.sequence))
        }
    }

    /// Asks for `takeDelivered` once until it is called.
    private mutating func noteAcknowledging(_ output: inout SessionOutput) {
        guard !self.hasAcknowledged else { return }
        self.hasAcknowledged = true
        output.actions.append(.noteAcknowledging)
    }

    /// Adds how far this device class has each conversation.
    mutating func takeDelivered(into marks: inout [DeliveredPosition]) {
        self.hasAcknowledged = false
        guard let identity = self.identity else { return }
        for (conversation, sequence) in self.pending.takeDelivered() {
            marks.append(
                DeliveredPosition(
                    user: identity.user, deviceClass: identity.deviceClass, conversation: conversation,
                    sequence: sequence))
        }
    }

    /// Stored messages that were sent and not acknowledged.
    var unacknowledged: Int { self.pending.count }

    /// Takes the messages that have to be sent again, because they were not acknowledged in time.
    mutating func takeOverdue(at now: Instant) -> [Delivery] {
        guard self.isActive, self.pending.count > 0 else { return [] }
        return self.pending.due(
            at: now, after: self.settings.redeliverySeconds * 1000, attempts: self.settings.redeliveryAttempts)
    }

    // MARK: Catching up

    /// More waits to be sent than may.
    mutating func outboxRose() { self.feed.outboxRose() }

    /// There is room again, or time to try a read that failed once more.
    mutating func outboxDrained(at now: Instant, into output: inout SessionOutput) {
        let (send, next) = self.feed.outboxDrained()
        self.deliver(send, at: now, &output)
        self.perform(next, &output)
    }

    /// Waits for `outboxDrained` although the outbox may be empty.
    var isWaitingForRoom: Bool { self.feed.isWaiting }

    /// The answer to `.readRanges`; `nil` when the store could not be read.
    mutating func received(ranges: [MissedRange]?, at now: Instant, into output: inout SessionOutput) {
        guard let ranges else { return self.readFailed(&output) }
        let (send, next) = self.feed.received(ranges: ranges)
        self.deliver(send, at: now, &output)
        self.perform(next, &output)
    }

    /// The answer to `.readPage`; `nil` when the store could not be read.
    mutating func received(page: MissedPage?, at now: Instant, into output: inout SessionOutput) {
        guard let page else { return self.readFailed(&output) }
        let (send, next) = self.feed.received(page: page.deliveries, isLast: page.isLast)
        self.deliver(send, at: now, &output)
        self.perform(next, &output)
    }

    private mutating func readFailed(_ output: inout SessionOutput) {
        let next = self.feed.readFailed()
        self.perform(next, &output)
    }

    func perform(_ action: SessionFeed.Action, _ output: inout SessionOutput) {
        guard let identity = self.identity else { return }
        switch action {
        case .none: break
        case .readRanges(let positions): output.actions.append(.readRanges(identity, positions, only: false))
        case .readRangesOnly(let positions): output.actions.append(.readRanges(identity, positions, only: true))
        case .readPage(let range): output.actions.append(.readPage(identity, range))
        }
    }
}
