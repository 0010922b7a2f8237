package import ChatModel

/// A stretch of one conversation that a session has not been sent.
package struct MissedRange: Hashable, Sendable {
    /// Identifies the conversation.
    package var conversation: ConversationID
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Name of the channel; `nil` for a direct conversation.
    package var channel: ChannelName?
    /// In a direct conversation, the other person.
    package var peerName: UserName?
    /// The last sequence the session has.
    package var after: Int64
    /// The last one there was when the range was read.
    package var through: Int64

    package init(
        conversation: ConversationID, kind: ConversationKind, channel: ChannelName?, peerName: UserName?,
        after: Int64, through: Int64
    ) {
        self.conversation = conversation
        self.kind = kind
        self.channel = channel
        self.peerName = peerName
        self.after = after
        self.through = through
    }
}

/// Decides what a session is sent and when: live messages, what it missed while it was away, and what was held back
/// while it did not read fast enough. Events in, actions out; confined to the session's thread.
///
/// A session starts by catching up: it asks for the ranges it missed, sends them page by page while there is room, holds
/// live messages back meanwhile, and then goes live. When the outbox rises over its mark, stored messages are dropped,
/// because the store has them; when it has drained, another round fetches them. So memory is bounded, nothing stored is
/// lost, and each conversation arrives in the order of its sequence. Transient messages keep their place among the
/// others and are dropped when there is no room.
package struct SessionFeed {
    /// Action that the owner has to take next.
    package enum Action: Equatable {
        case none
        /// Read which ranges were missed since these positions, in all conversations.
        case readRanges([ConversationID: Int64])
        /// Read which ranges were missed since these positions, in these conversations only.
        case readRangesOnly([ConversationID: Int64])
        /// Read a page of `range`, from `range.after` on.
        case readPage(MissedRange)
    }

    private enum Phase {
        case live
        case readingRanges
        case readingPage
        /// A page is wanted, but the outbox is full.
        case waitingForRoom
    }

    /// Most live messages held back during a round; with one more the round is followed by another.
    package static let maximumHeld = 256

    private let catchesUp: Bool
    private var phase: Phase
    private var isCongested = false
    /// Something stored was dropped, so that another round is needed.
    private var needsRound = false
    private var held: [Delivery] = []
    private var ranges: [MissedRange] = []
    /// The last sequence sent, by conversation.
    private var positions = PositionMap()

    /// - Parameter catchesUp: false for sessions whose app fetches what it missed before by itself. What is held back
    ///   while it does not read fast enough, it gets all the same.
    package init(catchesUp: Bool) {
        self.catchesUp = catchesUp
        self.phase = catchesUp ? .readingRanges : .live
    }

    /// Action right after the session was opened.
    package var firstAction: Action {
        if case .readingRanges = self.phase { return .readRanges([:]) }
        return .none
    }

    /// True once the session has caught up and receives messages as they come.
    package var isLive: Bool {
        if case .live = self.phase { return true }
        return false
    }

    /// A message has come for the session.
    ///
    /// - Returns: whether to send it now.
    package mutating func offer(_ delivery: Delivery) -> Bool {
        // A command has no place among the messages, and apps fetch from its log what they missed.
        if delivery.isCommand { return !self.isCongested }
        if self.isCongested {
            self.drop(delivery)
            return false
        }
        if self.isLive { return self.advance(delivery) }
        if self.held.count < Self.maximumHeld {
            self.held.append(delivery)
        } else {
            for held in self.held { self.drop(held) }
            self.held = []
            self.drop(delivery)
            self.needsRound = true
        }
        return false
    }

    /// Leaves a message to the next round. Where rounds are about what was dropped only, the first dropped message of
    /// a conversation is where its range begins.
    private mutating func drop(_ delivery: Delivery) {
        guard delivery.isStored else { return }
        self.needsRound = true
        let message = delivery.message
        if !self.catchesUp { self.positions.setIfAbsent(message.conversation, to: message.sequence - 1) }
    }

    /// A message of the session's own was stored: it needs none of it back.
    ///
    /// - Returns: whether the session has everything up to it. During a round it may not; then the message comes back.
    package mutating func published(_ conversation: ConversationID, sequence: Int64) -> Bool {
        guard self.isLive, !self.needsRound, !self.isCongested else { return false }
        self.positions.raise(conversation, to: sequence)
        return true
    }

    /// The ranges that were asked for.
    package mutating func received(ranges: [MissedRange]) -> (send: [Delivery], next: Action) {
        guard case .readingRanges = self.phase else { return ([], .none) }
        // Read from the end, so that removing the finished one is cheap.
        self.ranges = ranges.reversed()
        return self.proceed()
    }

    /// A page that was asked for: messages after `after` of the range, in order. `isLast` ends the range.
    package mutating func received(page: [Delivery], isLast: Bool) -> (send: [Delivery], next: Action) {
        guard case .readingPage = self.phase, var range = self.ranges.popLast() else { return ([], .none) }
        var send: [Delivery] = []
        for delivery in page where self.advance(delivery) { send.append(delivery) }
        range.after = page.last?.message.sequence ?? range.through
        if !isLast && range.after < range.through { self.ranges.append(range) }
        let (more, next) = self.proceed()
        return (send + more, next)
    }

    /// A read failed: what was missed stays missed until the next round.
    package mutating func readFailed() -> Action {
        self.ranges = []
        self.needsRound = true
        self.phase = .waitingForRoom
        return .none
    }

    /// The outbox went over its high-water mark.
    package mutating func outboxRose() { self.isCongested = true }

    /// The outbox is below its low-water mark again, or a failed read may be tried again.
    package mutating func outboxDrained() -> (send: [Delivery], next: Action) {
        self.isCongested = false
        switch self.phase {
        case .live where self.needsRound: return ([], self.startRound())
        case .waitingForRoom: return self.proceed()
        case .live, .readingRanges, .readingPage: return ([], .none)
        }
    }

    /// Waits for `outboxDrained` although the outbox may be empty: the owner calls it when time has passed.
    package var isWaiting: Bool {
        if case .waitingForRoom = self.phase { return true }
        return false
    }

    private mutating func startRound() -> Action {
        self.needsRound = false
        self.phase = .readingRanges
        return self.catchesUp ? .readRanges(self.positions.all) : .readRangesOnly(self.positions.all)
    }

    private mutating func proceed() -> (send: [Delivery], next: Action) {
        if self.isCongested {
            self.phase = .waitingForRoom
            return ([], .none)
        }
        if let range = self.ranges.last {
            self.phase = .readingPage
            return ([], .readPage(range))
        }
        if self.needsRound { return ([], self.startRound()) }
        self.phase = .live
        let held = self.held
        self.held = []
        var send: [Delivery] = []
        for delivery in held where self.advance(delivery) { send.append(delivery) }
        return (send, .none)
    }

    /// Notes that `delivery` goes out; false when the session has it already.
    private mutating func advance(_ delivery: Delivery) -> Bool {
        let message = delivery.message
        guard delivery.isStored else { return true }
        return self.positions.raise(message.conversation, to: message.sequence)
    }
}
