import Accounts
import Broker
import ChatModel
import Execution
import Store

/// What a session is sent: live messages, what it missed, what it did not acknowledge.
extension WuKongSession {
    // MARK: Live

    /// A live message for this session; the gateway's frames have been told of it, and end it.
    func offer(_ delivery: Delivery) {
        if self.feed.offer(delivery) { self.send(delivery, isRepeat: false) }
    }

    /// An event for this session; the gateway's frames have been told of it. Who does not read fast enough goes without.
    func offer(_ event: StreamEvent) {
        if self.isActive, !self.connection.isCongested { self.codec?.send(event) }
    }

    private func send(_ deliveries: [Delivery]) {
        for delivery in deliveries {
            self.gateway.frames.begin(delivery)
            self.send(delivery, isRepeat: false)
            self.gateway.frames.end()
        }
    }

    private func send(_ delivery: Delivery, isRepeat: Bool) {
        guard let identity = self.identity else { return }
        let gateway = self.gateway
        self.codec?.send(
            isOwn: delivery.message.sender == identity.user, isRepeat: isRepeat, from: &gateway.frames,
            to: self.connection)
        if delivery.isStored && !isRepeat {
            self.pending.sent(delivery, at: gateway.reactor.now)
        }
    }

    /// A message of the session's own was stored.
    func noteOwn(_ conversation: ConversationID, sequence: Int64) {
        guard self.feed.published(conversation, sequence: sequence) else { return }
        self.pending.has(conversation, sequence: sequence)
        self.noteAcknowledging()
    }

    // MARK: Acknowledgements

    /// - Parameter syncOnce: whether the acknowledgement says that a command was acted on.
    func acknowledge(_ message: MessageID, syncOnce: Bool) {
        guard let delivery = self.pending.acknowledge(message) else { return }
        guard delivery.isCommand else { return self.noteAcknowledging() }
        if syncOnce, let sessionID = self.sessionID {
            self.gateway.house.broker.acknowledgeCommand(from: sessionID, sequence: delivery.message.sequence)
        }
    }

    /// Has the gateway ask for `takeDelivered` with its next tick.
    private func noteAcknowledging() {
        guard !self.hasAcknowledged else { return }
        self.hasAcknowledged = true
        self.gateway.noteAcknowledging(self)
    }

    /// Sends again what was not acknowledged in time.
    func redeliver(at now: Instant) {
        guard self.isActive, self.pending.count > 0 else { return }
        let settings = self.gateway.house.settings
        let due = self.pending.due(
            at: now, after: settings.redeliverySeconds * 1000, attempts: settings.redeliveryAttempts)
        for delivery in due {
            self.gateway.frames.begin(delivery)
            self.send(delivery, isRepeat: true)
            self.gateway.frames.end()
        }
    }

    /// Adds how far this device class has each conversation.
    func takeDelivered(into marks: inout [DeliveredPosition]) {
        self.hasAcknowledged = false
        guard let identity = self.identity else { return }
        for (conversation, sequence) in self.pending.takeDelivered() {
            marks.append(
                DeliveredPosition(
                    user: identity.user, deviceClass: identity.deviceClass, conversation: conversation,
                    sequence: sequence))
        }
    }

    // MARK: Catching up

    func outboxDrained() {
        let (send, next) = self.feed.outboxDrained()
        self.send(send)
        self.perform(next)
    }

    func perform(_ action: SessionFeed.Action) {
        guard let identity = self.identity else { return }
        switch action {
        case .none: break
        case .readRanges(let positions): self.readRanges(positions, only: false, of: identity)
        case .readRangesOnly(let positions): self.readRanges(positions, only: true, of: identity)
        case .readPage(let range):
            let later = self.gateway.later(on: self.connection.id)
            self.gateway.house.broker.missedMessages(range, user: identity.user) { result in
                later { session in session.received(page: result) }
            }
        }
    }

    private func readRanges(_ positions: [ConversationID: Int64], only: Bool, of identity: Identity) {
        let later = self.gateway.later(on: self.connection.id)
        self.gateway.house.broker.missedRanges(
            user: identity.user, deviceClass: identity.deviceClass, positions: positions, only: only,
            limit: self.gateway.house.settings.catchUpMessages
        ) { result in later { session in session.received(ranges: result) } }
    }

    private func received(ranges: [MissedRange]?) {
        guard let ranges else { return self.perform(self.feed.readFailed()) }
        let (send, next) = self.feed.received(ranges: ranges)
        self.send(send)
        self.perform(next)
    }

    private func received(page: MissedPage?) {
        guard let page else { return self.perform(self.feed.readFailed()) }
        let (send, next) = self.feed.received(page: page.deliveries, isLast: page.isLast)
        self.send(send)
        self.perform(next)
    }

    /// A read that failed is tried again with the next tick.
    func retryIfWaiting() {
        if self.feed.isWaiting && self.connection.outboxBytes == 0 { self.outboxDrained() }
    }
}
