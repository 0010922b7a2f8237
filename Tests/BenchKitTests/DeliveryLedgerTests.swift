import Testing

@testable import BenchKit

@Suite struct DeliveryLedgerTests {
    /// One receiver, who hears the sender 0.
    private func ledger(_ counters: [UInt32]) -> DeliveryLedger {
        var ledger = DeliveryLedger(.direct(senderOf: [0]))
        for counter in counters { ledger.record(receiver: 0, sender: 0, counter: counter) }
        return ledger
    }

    private func lost(_ ledger: DeliveryLedger, sent: UInt32, except: Set<UInt32> = []) -> Int {
        ledger.lost(sender: 0, sent: sent) { !except.contains($0) }
    }

    @Test("everything once and in order is no fault")
    func clean() {
        let ledger = self.ledger([0, 1, 2, 3])
        #expect(ledger.delivered == 4)
        #expect(ledger.duplicates == 0)
        #expect(ledger.reordered == 0)
        #expect(self.lost(ledger, sent: 4) == 0)
    }

    @Test("counts what is missing at the end, in the middle and altogether")
    func missing() {
        #expect(self.lost(self.ledger([0, 1]), sent: 4) == 2)
        #expect(self.lost(self.ledger([0, 3]), sent: 4) == 2)
        #expect(self.lost(self.ledger([]), sent: 4) == 4)
    }

    @Test("what the server did not accept is not lost")
    func notAccepted() {
        #expect(self.lost(self.ledger([0, 3]), sent: 6, except: [1, 5]) == 2)
    }

    @Test("a late message is reordered, not lost and not repeated")
    func late() {
        let ledger = self.ledger([0, 2, 1, 3])
        #expect(ledger.reordered == 1)
        #expect(ledger.duplicates == 0)
        #expect(ledger.delivered == 4)
        #expect(self.lost(ledger, sent: 4) == 0)
    }

    @Test("a repeat is seen right away, later, and after a gap was filled")
    func repeated() {
        #expect(self.ledger([0, 0]).duplicates == 1)
        #expect(self.ledger([0, 1, 2, 0]).duplicates == 1)
        #expect(self.ledger([0, 2, 1, 1]).duplicates == 1)
    }

    @Test("a stranger's message is misdirected")
    func misdirected() {
        var direct = DeliveryLedger(.direct(senderOf: [1, 0, -1]))
        #expect(direct.record(receiver: 2, sender: 0, counter: 0) == .misdirected)
        #expect(direct.record(receiver: 0, sender: 0, counter: 0) == .misdirected)
        #expect(direct.record(receiver: 0, sender: 1, counter: 0) == .inOrder)
        #expect(direct.misdirected == 2)
    }

    @Test("in a group everybody but the sender gets each message, and with an echo the sender too")
    func group() {
        for (echo, receivers) in [(false, 2), (true, 3)] {
            var ledger = DeliveryLedger(.group(receivers: 3, senders: 2, echo: echo))
            #expect(ledger.receivers(of: 0) == receivers)
            #expect(ledger.record(receiver: 0, sender: 0, counter: 0) == (echo ? .inOrder : .misdirected))
            #expect(ledger.record(receiver: 1, sender: 0, counter: 0) == .inOrder)
            #expect(ledger.record(receiver: 1, sender: 2, counter: 0) == .misdirected)
            #expect(ledger.lost(sender: 0, sent: 1) { _ in true } == 1)
            #expect(ledger.lost(sender: 1, sent: 1) { _ in true } == receivers)
        }
    }
}
