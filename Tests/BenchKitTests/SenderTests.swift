import Testing

@testable import BenchKit

@Suite struct SenderTests {
    private func sender(window: Int) -> Sender {
        Sender(
            ordinal: 0, window: window,
            template: MessageTemplate(bytes: [], slotOffset: 0, counterOffset: nil, stampOffset: 0))
    }

    @Test("keeps no more than its window unanswered", arguments: [1, 2, 16, 8192])
    func window(_ window: Int) {
        let sender = self.sender(window: window)
        var slots: [Int] = []
        while let next = sender.next(at: 5) { slots.append(next.slot) }
        #expect(slots.count == window)
        #expect(sender.answered(slot: slots[0], accepted: true) == 5)
        #expect(sender.next(at: 6)?.counter == UInt32(window))
        #expect(sender.next(at: 6) == nil)
    }

    @Test("takes answers in any order and knows which messages were accepted")
    func answers() throws {
        let sender = self.sender(window: 3)
        let slots = (0..<3).compactMap { _ in sender.next(at: 1)?.slot }
        #expect(sender.answered(slot: slots[2], accepted: true) != nil)
        #expect(sender.answered(slot: slots[1], accepted: false) != nil)
        #expect((0..<4).map { sender.isAcknowledged($0) } == [false, false, true, false])
        #expect(sender.unanswered == 1)
    }

    @Test("an answer to nothing is not taken", arguments: [-1, 1, 3, 4, 1_000_000])
    func strayAnswer(_ slot: Int) throws {
        let sender = self.sender(window: 1)
        #expect(sender.next(at: 1)?.slot == 0)
        #expect(sender.answered(slot: slot, accepted: true) == nil)
        #expect(sender.answered(slot: 0, accepted: true) != nil)
        #expect(sender.answered(slot: 0, accepted: true) == nil)
    }

    @Test("waits rather than reuse the slot of a message whose answer is overdue")
    func overdue() throws {
        let sender = self.sender(window: 2)
        #expect(sender.next(at: 1)?.slot == 0)
        var sent = 1
        while let next = sender.next(at: 1) {
            sent += 1
            #expect(sender.answered(slot: next.slot, accepted: true) != nil)
            if sent > 100 { break }
        }
        #expect(sent == 8)
        #expect(sender.answered(slot: 0, accepted: true) != nil)
        #expect(sender.next(at: 1)?.counter == 8)
    }

    @Test("stops at its limit")
    func limit() {
        let sender = self.sender(window: 4)
        sender.limit = 2
        #expect(sender.next(at: 1) != nil)
        #expect(sender.next(at: 1) != nil)
        #expect(sender.next(at: 1) == nil)
    }
}
