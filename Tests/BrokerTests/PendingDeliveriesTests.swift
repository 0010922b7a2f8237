@testable import Broker
import ChatModel
import Execution
import Testing

struct PendingDeliveriesTests {
    let start = Instant(nanoseconds: 0)
    let tea = ConversationID(rawValue: 7)

    @Test("what is acknowledged is not sent again; what is not, is, until it is given up")
    func redelivery() {
        var pending = PendingDeliveries()
        pending.sent(delivery(7, 1), at: self.start)
        pending.sent(delivery(7, 2), at: self.start)
        pending.acknowledge(MessageID(rawValue: 7001))
        let soon = self.start.advanced(byMilliseconds: 59_999)
        let value1 = pending.due(at: soon, after: 60_000, attempts: 3)
        #expect(value1.isEmpty)
        var now = self.start
        for _ in 0..<2 {
            now = now.advanced(byMilliseconds: 60_000)
            let again = pending.due(at: now, after: 60_000, attempts: 3)
            #expect(sequences(again) == [2])
        }
        now = now.advanced(byMilliseconds: 60_000)
        let value2 = pending.due(at: now, after: 60_000, attempts: 3)
        #expect(value2.isEmpty)
        #expect(pending.count == 0)
    }

    @Test("delivered never passes a message that still waits")
    func delivered() {
        var pending = PendingDeliveries()
        for sequence in 1...3 { pending.sent(delivery(7, Int64(sequence)), at: self.start) }
        pending.acknowledge(MessageID(rawValue: 7001))
        pending.acknowledge(MessageID(rawValue: 7003))
        let value3 = pending.takeDelivered()
        #expect(value3 == [self.tea: 1])
        pending.acknowledge(MessageID(rawValue: 7002))
        let value4 = pending.takeDelivered()
        #expect(value4 == [self.tea: 3])
        let value5 = pending.takeDelivered()
        #expect(value5.isEmpty)
    }

    @Test("an acknowledgement of something else changes nothing")
    func foreignAcknowledgement() {
        var pending = PendingDeliveries()
        pending.sent(delivery(7, 1), at: self.start)
        pending.acknowledge(MessageID(rawValue: 42))
        let none = pending.takeDelivered()
        #expect(pending.count == 1 && none.isEmpty)
    }

    @Test("a command is sent again like a message, and moves no position of a conversation")
    func commands() {
        var pending = PendingDeliveries()
        pending.sent(command(3), at: self.start)
        pending.sent(delivery(7, 9), at: self.start)
        let later = self.start.advanced(byMilliseconds: 60_000)
        let again = pending.due(at: later, after: 60_000, attempts: 3)
        #expect(sequences(again) == [3, 9])
        pending.acknowledge(MessageID(rawValue: 7009))
        let delivered = pending.takeDelivered()
        #expect(delivered == [self.tea: 9], "a command that waits holds up no message")
        let acknowledged = pending.acknowledge(MessageID(rawValue: 90_003))
        #expect(acknowledged?.isCommand == true && pending.count == 0)
        let none = pending.takeDelivered()
        #expect(none.isEmpty)
        let twice = pending.acknowledge(MessageID(rawValue: 90_003))
        #expect(twice == nil)
    }

    @Test("one more than the bound gives the oldest up")
    func bound() {
        var pending = PendingDeliveries()
        for sequence in 1...Int64(PendingDeliveries.maximum + 1) {
            pending.sent(delivery(7, sequence, id: sequence), at: self.start)
        }
        #expect(pending.count == PendingDeliveries.maximum)
        let due = pending.due(at: self.start.advanced(byMilliseconds: 60_000), after: 60_000, attempts: 5)
        #expect(due.first?.message.sequence == 2)
    }
}

struct TokenBucketTests {
    @Test("a burst passes, then the rate")
    func rate() {
        let limit = RateLimit(perSecond: 10, burst: 3)
        let start = Instant(nanoseconds: 0)
        var bucket = TokenBucket(full: limit, at: start)
        let burst = (0..<4).map { _ in bucket.takeToken(limit, at: start) }
        #expect(burst == [true, true, true, false])
        let takeNo = bucket.takeToken(limit, at: start.advanced(byMilliseconds: 99))
        #expect(!takeNo)
        let takeYes = bucket.takeToken(limit, at: start.advanced(byMilliseconds: 101))
        #expect(takeYes)
        let isFullNo = bucket.isFull(limit, at: start.advanced(byMilliseconds: 101))
        #expect(!isFullNo)
        let isFullYes = bucket.isFull(limit, at: start.advanced(byMilliseconds: 1000))
        #expect(isFullYes)
    }
}

struct PositionMapTests {
    @Test("any order of raises leaves the highest of each conversation", arguments: 1...20)
    func property(seed: UInt64) {
        var random = SplitMix(state: seed)
        var map = PositionMap()
        var model: [ConversationID: Int64] = [:]
        for _ in 0..<500 {
            let conversation = ConversationID(rawValue: Int64(random.next() % 5))
            let sequence = Int64(random.next() % 100) + 1
            let isHigher = map.raise(conversation, to: sequence)
            #expect(isHigher == (sequence > model[conversation] ?? 0))
            model[conversation] = max(sequence, model[conversation] ?? 0)
        }
        #expect(map.all == model && !map.isEmpty)
    }
}
