import Broker
import ChatModel
import Testing

@testable import WuKongGateway

struct SessionDeliveryTests {
    private let tea = ConversationID(rawValue: 7)

    @Test("a live message is sent, waits for its acknowledgement, and is the device's when it has come")
    func acknowledged() {
        let probe = SessionProbe.active()
        let sent = probe.offer(delivery(1))
        #expect(sent && probe.session.unacknowledged == 1)
        let first = probe.receive(.acknowledge(MessageID(rawValue: 7001), syncOnce: true))
        #expect(first == ["note"])
        let again = probe.receive(.acknowledge(MessageID(rawValue: 7001), syncOnce: true))
        #expect(again.isEmpty, "the second acknowledgement says nothing new")
        #expect(probe.session.unacknowledged == 0 && probe.delivered() == [self.tea: 1])
    }

    @Test("a session is noted once between two ticks, however much it acknowledges")
    func notedOnce() {
        let probe = SessionProbe.active()
        for sequence in 1...3 { _ = probe.offer(delivery(Int64(sequence))) }
        let first = probe.receive(.acknowledge(MessageID(rawValue: 7001), syncOnce: true))
        let second = probe.receive(.acknowledge(MessageID(rawValue: 7002), syncOnce: true))
        #expect(first == ["note"] && second.isEmpty)
        #expect(probe.delivered() == [self.tea: 2])
        let afterTick = probe.receive(.acknowledge(MessageID(rawValue: 7003), syncOnce: true))
        #expect(afterTick == ["note"])
    }

    @Test("a message that was never sent cannot be acknowledged")
    func unknown() {
        let probe = SessionProbe.active()
        let lines = probe.receive(.acknowledge(MessageID(rawValue: 7001), syncOnce: true))
        #expect(lines.isEmpty && probe.delivered().isEmpty)
    }

    @Test("a command is acted on only where its acknowledgement says so")
    func command() {
        let probe = SessionProbe.active()
        _ = probe.offer(delivery(3, isCommand: true))
        let received = probe.receive(.acknowledge(MessageID(rawValue: 7003), syncOnce: false))
        #expect(received.isEmpty)
        _ = probe.offer(delivery(4, isCommand: true))
        let acted = probe.receive(.acknowledge(MessageID(rawValue: 7004), syncOnce: true))
        #expect(acted == ["command 4 acted on in 5"])
        #expect(probe.delivered().isEmpty, "a command is no position of its conversation")
    }

    @Test("a message of the person's own is known as such, on whatever device it was written")
    func own() {
        let probe = SessionProbe.active()
        #expect(probe.session.isOwn(delivery(1, from: 1)) && !probe.session.isOwn(delivery(2, from: 2)))
    }

    @Test("what is not acknowledged goes out again after a minute, five times in all")
    func resend() {
        let probe = SessionProbe.active()
        _ = probe.offer(delivery(1))
        probe.now = probe.now.advanced(byMilliseconds: 59_999)
        let early = probe.overdue()
        #expect(early.isEmpty)
        probe.now = probe.now.advanced(byMilliseconds: 1)
        var sendings = 1
        for _ in 1...10 {
            sendings += probe.overdue().count
            probe.now = probe.now.advanced(byMilliseconds: 60_000)
        }
        #expect(sendings == 5 && probe.session.unacknowledged == 0)
    }

    @Test("an acknowledged message does not go out again, nor does any on a session that is over")
    func noResend() {
        let probe = SessionProbe.active()
        _ = probe.offer(delivery(1))
        _ = probe.offer(delivery(2))
        _ = probe.receive(.acknowledge(MessageID(rawValue: 7001), syncOnce: true))
        probe.now = probe.now.advanced(byMilliseconds: 60_000)
        let due = probe.overdue()
        #expect(due == [2])
        _ = probe.receive(.disconnect(nil))
        probe.now = probe.now.advanced(byMilliseconds: 60_000)
        let over = probe.overdue()
        #expect(over.isEmpty)
    }

    @Test("a transient message is sent and not waited for")
    func transient() {
        let probe = SessionProbe.active()
        let sent = probe.offer(delivery(0))
        #expect(sent && probe.session.unacknowledged == 0)
    }

    @Test("who does not read fast enough is sent what was dropped when there is room, in order")
    func slowConsumer() {
        let probe = SessionProbe.active()
        _ = probe.offer(delivery(1))
        probe.session.outboxRose()
        let second = probe.offer(delivery(2))
        let third = probe.offer(delivery(3))
        #expect(!second && !third && probe.session.unacknowledged == 1)
        let drained = probe.drained()
        #expect(drained == ["read ranges only [\"7:1\"]"])
        let ranges = probe.received(ranges: [range(after: 1, through: 3)])
        #expect(ranges == ["read page 7 1-3"])
        let live = probe.offer(delivery(4))
        #expect(!live, "held back until the round is over")
        let page = probe.received(page: [delivery(2), delivery(3)], isLast: true)
        #expect(page == ["deliver [2, 3, 4]"] && probe.session.unacknowledged == 4)
    }

    @Test("a read that failed is tried again when time has passed")
    func failedRead() {
        let probe = SessionProbe.active(sendsMissedMessages: true)
        let failed = probe.received(ranges: nil)
        #expect(failed.isEmpty && probe.session.isWaitingForRoom)
        let again = probe.drained()
        #expect(again == ["read ranges []"])
        _ = probe.received(ranges: [range(after: 0, through: 2)])
        let noPage = probe.receivedNoPage()
        #expect(noPage.isEmpty && probe.session.isWaitingForRoom)
    }

    @Test("what was missed comes before what came meanwhile")
    func catchUp() {
        let probe = SessionProbe.active(sendsMissedMessages: true)
        let live = probe.offer(delivery(3))
        #expect(!live)
        _ = probe.received(ranges: [range(after: 0, through: 2)])
        let page = probe.received(page: [delivery(1), delivery(2)], isLast: true)
        #expect(page == ["deliver [1, 2, 3]"])
        let next = probe.offer(delivery(4))
        #expect(next)
    }
}
