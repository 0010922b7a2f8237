import Broker
import ChatModel
import Testing

struct SessionFeedTests {
    let tea = ConversationID(rawValue: 7)

    @Test("a session that does not catch up is live from the start")
    func liveAtOnce() {
        var feed = SessionFeed(catchesUp: false)
        #expect(feed.firstAction == .none)
        let sent1 = feed.offer(delivery(7, 1))
        #expect(sent1)
    }

    @Test("what was missed comes first, then what was held back, each once and in order")
    func catchesUp() {
        var feed = SessionFeed(catchesUp: true)
        #expect(feed.firstAction == .readRanges([:]))
        let sent2 = feed.offer(delivery(7, 3))
        #expect(!sent2)
        let sent3 = feed.offer(delivery(7, 4))
        #expect(!sent3)
        let (nothing, next) = feed.received(ranges: [range(7, after: 0, through: 3)])
        #expect(nothing.isEmpty && next == .readPage(range(7, after: 0, through: 3)))
        let (send, done) = feed.received(page: (1...3).map { delivery(7, $0) }, isLast: true)
        #expect(sequences(send) == [1, 2, 3, 4] && done == .none)
        #expect(feed.isLive)
        let sent4 = feed.offer(delivery(7, 5))
        #expect(sent4)
        let sent5 = feed.offer(delivery(7, 5))
        #expect(!sent5, "the same message again is not sent twice")
    }

    @Test("a long range is read page by page, from where the last page ended")
    func pages() {
        var feed = SessionFeed(catchesUp: true)
        _ = feed.received(ranges: [range(7, after: 0, through: 5)])
        let (first, next) = feed.received(page: [delivery(7, 1), delivery(7, 2)], isLast: false)
        #expect(sequences(first) == [1, 2] && next == .readPage(range(7, after: 2, through: 5)))
    }

    @Test("more live messages than may be held back lead to another round")
    func overflow() {
        var feed = SessionFeed(catchesUp: true)
        for sequence in 1...Int64(SessionFeed.maximumHeld + 1) {
            let sent = feed.offer(delivery(7, sequence))
            #expect(!sent)
        }
        let (send, next) = feed.received(ranges: [])
        #expect(send.isEmpty && next == .readRanges([:]))
        #expect(!feed.isLive)
    }

    @Test("a full outbox drops stored messages, and a round fetches them when it has drained")
    func resynchronises() {
        var feed = SessionFeed(catchesUp: false)
        let sent6 = feed.offer(delivery(7, 1))
        #expect(sent6)
        feed.outboxRose()
        let sent7 = feed.offer(delivery(7, 2))
        #expect(!sent7)
        let (send, next) = feed.outboxDrained()
        #expect(send.isEmpty && next == .readRangesOnly([self.tea: 1]))
        let sent8 = feed.offer(delivery(7, 3))
        #expect(!sent8, "held back until the round is over")
        _ = feed.received(ranges: [range(7, after: 1, through: 3)])
        let (rest, _) = feed.received(page: [delivery(7, 2), delivery(7, 3)], isLast: true)
        #expect(sequences(rest) == [2, 3])
        #expect(feed.isLive)
    }

    @Test("an outbox that fills during a round pauses it; nothing is sent before there is room")
    func pausesForRoom() {
        var feed = SessionFeed(catchesUp: true)
        _ = feed.received(ranges: [range(7, after: 0, through: 4)])
        feed.outboxRose()
        let (send, next) = feed.received(page: [delivery(7, 1)], isLast: false)
        #expect(sequences(send) == [1] && next == .none && feed.isWaiting)
        let (_, after) = feed.outboxDrained()
        #expect(after == .readPage(range(7, after: 1, through: 4)))
    }

    @Test("transient messages keep their place among the others, and vanish when there is no room")
    func transient() {
        var feed = SessionFeed(catchesUp: true)
        for sequence: Int64 in [1, 0, 2] {
            let early = feed.offer(delivery(7, sequence))
            #expect(!early)
        }
        let (send, _) = feed.received(ranges: [])
        #expect(sequences(send) == [1, 0, 2])
        feed.outboxRose()
        let full = feed.offer(delivery(7, 0))
        #expect(!full)
        let (nothing, next) = feed.outboxDrained()
        #expect(nothing.isEmpty && next == .none, "no round for what is not stored")
    }

    @Test("a read that failed is tried again when the owner says so")
    func failedRead() {
        var feed = SessionFeed(catchesUp: true)
        let next0 = feed.readFailed()
        #expect(next0 == .none)
        #expect(feed.isWaiting)
        let (_, next) = feed.outboxDrained()
        #expect(next == .readRanges([:]))
    }

    @Test("a session whose app fetches history by itself is only sent what it was held back from")
    func fetchesOnlyWhatWasDropped() {
        var feed = SessionFeed(catchesUp: false)
        let known = feed.offer(delivery(7, 5))
        feed.outboxRose()
        let dropped = [delivery(7, 6), delivery(8, 40), delivery(8, 41)].map { feed.offer($0) }
        #expect(known && dropped == [false, false, false])
        let (_, next) = feed.outboxDrained()
        #expect(next == .readRangesOnly([self.tea: 5, ConversationID(rawValue: 8): 39]))
        _ = feed.received(ranges: [range(7, after: 5, through: 6), range(8, after: 39, through: 41)])
        let (first, _) = feed.received(page: [delivery(7, 6)], isLast: true)
        let (second, _) = feed.received(page: [delivery(8, 40), delivery(8, 41)], isLast: true)
        #expect(sequences(first + second) == [6, 40, 41] && feed.isLive)
    }

    @Test("what is held back over the bound is fetched from its first message on")
    func heldOverBound() {
        var feed = SessionFeed(catchesUp: false)
        feed.outboxRose()
        _ = feed.offer(delivery(8, 1))
        _ = feed.outboxDrained()
        for sequence in 10...Int64(10 + SessionFeed.maximumHeld) { _ = feed.offer(delivery(9, sequence)) }
        let (_, next) = feed.received(ranges: [])
        #expect(next == .readRangesOnly([ConversationID(rawValue: 8): 0, ConversationID(rawValue: 9): 9]))
    }

    @Test("a command is sent at once, whatever is being caught up with, and never counts as a message")
    func commands() {
        var feed = SessionFeed(catchesUp: true)
        let early = feed.offer(command(3))
        _ = feed.received(ranges: [])
        let message = feed.offer(delivery(7, 1))
        feed.outboxRose()
        let late = feed.offer(command(4))
        let (_, next) = feed.outboxDrained()
        #expect(early && message && !late && next == .none)
    }

    @Test("any mix of live messages, congestion and pages delivers every sequence once, in order", arguments: 1...50)
    func property(seed: UInt64) {
        var random = SplitMix(state: seed)
        var feed = SessionFeed(catchesUp: true)
        var head: Int64 = 0
        var got: [Int64] = []
        var pending = feed.firstAction
        func work() {
            switch pending {
            case .none, .readRangesOnly: break
            case .readRanges(let positions):
                let after = positions[self.tea] ?? 0
                let ranges = after < head ? [range(7, after: after, through: head)] : []
                let (send, next) = feed.received(ranges: ranges)
                got += sequences(send)
                pending = next
            case .readPage(let range):
                let last = min(range.after + 3, range.through)
                let page = range.after < last ? (range.after + 1...last).map { delivery(7, $0) } : []
                let (send, next) = feed.received(page: page, isLast: last == range.through)
                got += sequences(send)
                pending = next
            }
        }
        for _ in 0..<2000 {
            switch random.next() % 10 {
            case 0...4:
                head += 1
                if feed.offer(delivery(7, head)) { got.append(head) }
            case 5: feed.outboxRose()
            case 6:
                let (send, next) = feed.outboxDrained()
                got += sequences(send)
                if next != .none { pending = next }
            default: work()
            }
        }
        let (send, next) = feed.outboxDrained()
        got += sequences(send)
        if next != .none { pending = next }
        for _ in 0..<2000 where pending != .none { work() }
        #expect(feed.isLive)
        #expect(got == Array(1...head))
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
