import Broker
import ChatModel
import Execution

/// Decides which live messages a session is sent now, which wait and which are left to the store, and when what was
/// missed is read. Events in, rounds out; confined to the session's thread.
///
/// A session begins with a round: what it missed is read and sent, and live messages are held back meanwhile. While the
/// connection takes too little they are dropped, because the store has them, and another round follows. So memory is
/// bounded, and nothing stored is lost.
struct LeanCloudFeed {
    private enum Phase {
        /// Messages go out as they come.
        case live
        /// A round is read: what is live waits until it has been sent.
        case reading(LeanCloudRound)
    }

    /// Most live messages that are held back while what was missed is read; with one more another round follows.
    static let maximumHeld = 256

    private var phase = Phase.live
    /// Live messages that wait for the end of a round.
    private var held: [Delivery] = []
    /// Round to read next; `nil` when none is needed.
    private var wanted: LeanCloudRound?
    /// Since when the connection takes too little; `nil` while it takes enough.
    private var congestedAt: Instant?

    /// True while the connection takes too little.
    var isCongested: Bool { self.congestedAt != nil }

    /// True when messages wait, which events about them must not overtake.
    var isBehind: Bool {
        if case .reading = self.phase { return true }
        return self.isCongested
    }

    // MARK: Live

    /// A message has come for the session.
    ///
    /// - Returns: whether to send it now.
    mutating func offer(_ delivery: Delivery) -> Bool {
        if self.isCongested {
            self.drop(delivery)
            return false
        }
        guard case .reading = self.phase else { return true }
        if self.held.count < Self.maximumHeld {
            self.held.append(delivery)
        } else {
            for held in self.held { self.drop(held) }
            self.held = []
            self.drop(delivery)
        }
        return false
    }

    /// Leaves a message to the next round; what is not stored is lost, and a room is for who is there.
    private mutating func drop(_ delivery: Delivery) {
        guard delivery.isStored, delivery.kind != .room else { return }
        self.want(LeanCloudRound(conversations: [delivery.message.conversation]))
    }

    /// Leaves to the next round that a conversation was read at a moment, UTC milliseconds.
    mutating func dropRead(of conversation: ConversationID, at moment: Int64) {
        self.want(LeanCloudRound(conversations: [conversation], readAfter: moment))
    }

    /// Leaves a change of a message at a moment, UTC milliseconds, to the next round.
    mutating func dropPatch(at moment: Int64) {
        self.want(LeanCloudRound(conversations: [], patchesAfter: moment - 1))
    }

    /// More waits to be sent than may; said again it changes nothing.
    mutating func outboxRose(at now: Instant) { if self.congestedAt == nil { self.congestedAt = now } }

    /// There is room again.
    mutating func outboxDrained() { self.congestedAt = nil }

    /// True when the connection has taken too little for so many seconds.
    func isStalled(at now: Instant, seconds: Int64) -> Bool {
        self.congestedAt.map { now.milliseconds(since: $0) >= seconds * 1_000 } ?? false
    }

    // MARK: Rounds

    /// Asks for a round besides those that are asked for already.
    mutating func want(_ round: LeanCloudRound) { self.wanted = self.wanted?.union(round) ?? round }

    /// Begins a round, when one is wanted and the connection takes it. `endRound` or `failRound` ends it.
    ///
    /// - Returns: the round to read; `nil` for none now.
    mutating func startRound() -> LeanCloudRound? {
        guard case .live = self.phase, !self.isCongested, let round = self.wanted else { return nil }
        self.wanted = nil
        self.phase = .reading(round)
        return round
    }

    /// The round has been read.
    ///
    /// - Returns: the messages that came meanwhile, to be offered once what was read has been sent.
    mutating func endRound() -> [Delivery] {
        defer { self.held = [] }
        self.phase = .live
        return self.held
    }

    /// The round could not be read: another one looks at all conversations, and at what came meanwhile.
    mutating func failRound() {
        guard case .reading(let round) = self.phase else { return }
        _ = self.endRound()
        self.want(LeanCloudRound(readAfter: round.readAfter, patchesAfter: round.patchesAfter))
    }

    /// How far a client that is told of a change at a moment knows all changes: what it says when it comes back. Not
    /// further than what still waits to be told.
    func knownPatchTime(_ moment: Int64) -> Int64 {
        var known = min(moment, self.wanted?.patchesAfter ?? .max)
        if case .reading(let round) = self.phase { known = min(known, round.patchesAfter ?? .max) }
        return known
    }
}

/// Round of catching up: the part of missed messages and events that is read at once.
struct LeanCloudRound: Hashable, Sendable {
    /// `nil` for all of the person.
    var conversations: Set<ConversationID>?
    /// Also those that were read on another device at this moment or later; UTC milliseconds, 0 for none.
    var readAfter: Int64 = 0
    /// Changes of messages after this moment; `nil` for none.
    var patchesAfter: Int64?

    /// Most conversations of a round; for more it looks at all.
    static let maximumNamed = 100
    /// Source: LeanCloud realtime, the newest 50 conversations, and 20 messages of each where they are pushed.
    static let mostConversations = 50
    static let messagesPerConversation = 20
    static let mostPatches = 1_000
    /// In one command.
    static let patchesPerPush = 100
    /// Bytes of content in one round, about.
    static let bytes = 1024 * 1024

    func union(_ other: LeanCloudRound) -> LeanCloudRound {
        var both = self
        if let one = self.conversations, let two = other.conversations {
            let all = one.union(two)
            both.conversations = all.count > Self.maximumNamed ? nil : all
        } else {
            both.conversations = nil
        }
        both.readAfter = [self.readAfter, other.readAfter].filter { $0 > 0 }.min() ?? 0
        both.patchesAfter = [self.patchesAfter, other.patchesAfter].compactMap { $0 }.min()
        return both
    }
}
