import Broker
import ChatModel
import Execution
import Testing

@testable import LeanCloudGateway

/// What is sent, what waits and what is read, without a socket.
struct LeanCloudFeedTests {
    private static let tea = ConversationID(rawValue: 7)
    private static let cake = ConversationID(rawValue: 8)
    private static let second = Instant(nanoseconds: 1_000_000_000)

    private static func delivery(
        _ sequence: Int64, in conversation: ConversationID = tea, kind: ConversationKind = .group
    ) -> Delivery {
        let content = MessageContent(kind: .text, flags: [.countsAsUnread], wire: .leanCloud, body: Array("x".utf8))
        let message = Message(
            conversation: conversation, sequence: sequence,
            id: MessageID(rawValue: conversation.rawValue * 1_000 + sequence), sender: UserID(rawValue: 2),
            senderName: UserName("juliet")!, sentAtMilliseconds: 0, clientToken: nil, content: content)
        return Delivery(message: message, kind: kind, channel: ChannelName("tea"), peerName: nil, origin: 0)
    }

    /// A feed that reads its first round, of everything.
    private static func reading(_ round: LeanCloudRound = LeanCloudRound()) -> LeanCloudFeed {
        var feed = LeanCloudFeed()
        feed.want(round)
        let begun = feed.startRound()
        precondition(begun == round)
        return feed
    }

    private func sequences(_ deliveries: [Delivery]) -> [Int64] { deliveries.map(\.message.sequence) }

    @Test("nothing is read that is not wanted, and live messages go out")
    func live() {
        var feed = LeanCloudFeed()
        #expect(feed.startRound() == nil)
        let isSent = feed.offer(Self.delivery(1))
        #expect(isSent && !feed.isBehind && !feed.isCongested)
    }

    @Test("what comes while a round is read waits for its end, in order")
    func holds() {
        var feed = Self.reading()
        #expect(feed.isBehind && !feed.isCongested)
        for sequence in 1...3 {
            let isSent = feed.offer(Self.delivery(Int64(sequence)))
            #expect(!isSent)
        }
        #expect(feed.startRound() == nil)
        #expect(self.sequences(feed.endRound()) == [1, 2, 3])
        #expect(!feed.isBehind && feed.startRound() == nil)
        let isSent = feed.offer(Self.delivery(4))
        #expect(isSent)
        #expect(feed.endRound().isEmpty, "an end that was told before brings nothing")
    }

    @Test("more than may wait is left to another round, which looks where it was")
    func tooMuchToHold() {
        var feed = Self.reading()
        for sequence in 1...LeanCloudFeed.maximumHeld {
            let isSent = feed.offer(Self.delivery(Int64(sequence)))
            #expect(!isSent)
        }
        _ = feed.offer(Self.delivery(1, in: Self.cake))
        // What comes after it waits again, as far as there is room.
        _ = feed.offer(Self.delivery(2, in: Self.cake))
        #expect(self.sequences(feed.endRound()) == [2])
        #expect(feed.startRound() == LeanCloudRound(conversations: [Self.tea, Self.cake]))
    }

    @Test("what a connection does not take is read again when it has drained, if the store has it")
    func congestion() {
        var feed = LeanCloudFeed()
        feed.outboxRose(at: Self.second)
        #expect(feed.isCongested && feed.isBehind)
        for delivery in [
            Self.delivery(1), Self.delivery(0, in: Self.cake), Self.delivery(1, in: Self.cake, kind: .room),
        ] {
            let isSent = feed.offer(delivery)
            #expect(!isSent)
        }
        #expect(feed.startRound() == nil, "nothing is read for a connection that takes nothing")
        feed.outboxDrained()
        #expect(feed.startRound() == LeanCloudRound(conversations: [Self.tea]))
        #expect(!feed.isCongested && feed.isBehind)
    }

    @Test("a connection that takes too little during a round: what comes then is read by the next one")
    func congestionDuringRound() {
        var feed = Self.reading()
        _ = feed.offer(Self.delivery(1))
        feed.outboxRose(at: Self.second)
        _ = feed.offer(Self.delivery(2, in: Self.cake))
        let held = feed.endRound()
        #expect(self.sequences(held) == [1])
        // Offered again by the session, which finds no room.
        let isSent = feed.offer(held[0])
        #expect(!isSent && feed.startRound() == nil)
        feed.outboxDrained()
        #expect(feed.startRound() == LeanCloudRound(conversations: [Self.tea, Self.cake]))
    }

    @Test("a connection stalls from the first time that it took too little")
    func stall() {
        var feed = LeanCloudFeed()
        let later = Self.second.advanced(byMilliseconds: 30_000)
        #expect(!feed.isStalled(at: later, seconds: 30))
        feed.outboxRose(at: Self.second)
        feed.outboxRose(at: later)
        #expect(!feed.isStalled(at: Self.second.advanced(byMilliseconds: 29_999), seconds: 30))
        #expect(feed.isStalled(at: later, seconds: 30))
        feed.outboxDrained()
        #expect(!feed.isStalled(at: later, seconds: 30))
    }

    @Test("a round that cannot be read is followed by one of everything, also of what came meanwhile")
    func failedRound() {
        var feed = Self.reading(LeanCloudRound(conversations: [Self.tea], readAfter: 5, patchesAfter: 9))
        _ = feed.offer(Self.delivery(1, in: Self.cake))
        feed.dropPatch(at: 8)
        feed.failRound()
        #expect(feed.startRound() == LeanCloudRound(readAfter: 5, patchesAfter: 7))
        #expect(feed.endRound().isEmpty)
        // Told when no round is read.
        feed.failRound()
        #expect(feed.startRound() == nil)
    }

    @Test("events that must not overtake messages are left to the next round, from the earliest on")
    func dropsEvents() {
        var feed = Self.reading()
        feed.dropRead(of: Self.tea, at: 20)
        feed.dropRead(of: Self.cake, at: 10)
        feed.dropPatch(at: 31)
        feed.dropPatch(at: 41)
        _ = feed.endRound()
        #expect(
            feed.startRound()
                == LeanCloudRound(conversations: [Self.tea, Self.cake], readAfter: 10, patchesAfter: 30))
    }

    @Test("a client that is told of a change knows none that still waits to be told")
    func knownPatches() {
        var feed = LeanCloudFeed()
        #expect(feed.knownPatchTime(50) == 50)
        feed.dropPatch(at: 41)
        #expect(feed.knownPatchTime(50) == 40 && feed.knownPatchTime(30) == 30)
        _ = feed.startRound()
        #expect(feed.knownPatchTime(50) == 40, "it is read, not told yet")
        feed.dropPatch(at: 31)
        #expect(feed.knownPatchTime(50) == 30)
        _ = feed.endRound()
        _ = feed.startRound()
        _ = feed.endRound()
        #expect(feed.knownPatchTime(50) == 50)
    }

    @Test("a round names so many conversations; for more it looks at all")
    func union() {
        let named = LeanCloudRound(conversations: Set((1...100).map { ConversationID(rawValue: $0) }))
        #expect(named.union(LeanCloudRound(conversations: [ConversationID(rawValue: 1)])) == named)
        #expect(named.union(LeanCloudRound(conversations: [ConversationID(rawValue: 101)])).conversations == nil)
        #expect(named.union(LeanCloudRound()).conversations == nil)
        #expect(LeanCloudRound().union(named).conversations == nil)
    }
}
