/// A connection's sending side: a closed loop that keeps `window` messages unanswered.
final class Sender {
    /// Among the senders of the run.
    let ordinal: Int
    let template: MessageTemplate
    private let window: Int
    private let slotMask: Int
    /// When the message in each slot was sent; 0 for a free slot. A message's slot is its counter's low bits.
    private var sentAt: [Int64]
    private(set) var unanswered = 0
    /// Messages sent so far, and the counter of the next one.
    private(set) var sent: UInt32 = 0
    /// Sends no more than this many.
    var limit = UInt32.max
    private var refused: Set<UInt32> = []
    private var unansweredCounters: [UInt32]

    init(ordinal: Int, window: Int, template: MessageTemplate) {
        self.ordinal = ordinal
        self.window = window
        self.template = template
        // Answers may come out of order: four windows of slots let the counter run ahead of the oldest open one.
        var slots = 4
        while slots < 4 * window { slots *= 2 }
        self.slotMask = slots - 1
        self.sentAt = Array(repeating: 0, count: slots)
        self.unansweredCounters = Array(repeating: 0, count: slots)
    }

    /// A window of this size needs 16-bit packet identifiers for its slots, which is what MQTT has.
    static let largestWindow = 8192

    /// Takes the next counter and slot; `nil` while the window is full.
    func next(at now: Int64) -> (counter: UInt32, slot: Int)? {
        let slot = Int(self.sent) & self.slotMask
        guard self.unanswered < self.window, self.sent < self.limit, self.sentAt[slot] == 0 else { return nil }
        let counter = self.sent
        self.sentAt[slot] = now
        self.unansweredCounters[slot] = counter
        self.unanswered += 1
        self.sent += 1
        return (counter, slot)
    }

    /// Notes the answer to the message in `slot`; returns when it was sent, or `nil` when nothing waits there.
    func answered(slot: Int, accepted: Bool) -> Int64? {
        guard slot >= 0, slot <= self.slotMask, self.sentAt[slot] != 0 else { return nil }
        let sentAt = self.sentAt[slot]
        self.sentAt[slot] = 0
        self.unanswered -= 1
        if !accepted { self.refused.insert(self.unansweredCounters[slot]) }
        return sentAt
    }

    /// True when the server has acknowledged a message.
    func isAcknowledged(_ counter: UInt32) -> Bool {
        let slot = Int(counter) & self.slotMask
        let waits = self.sentAt[slot] != 0 && self.unansweredCounters[slot] == counter
        return counter < self.sent && !waits && !self.refused.contains(counter)
    }
}

/// A message's bytes on the wire, ready but for what differs from one message to the next.
struct MessageTemplate {
    var bytes: [UInt8]
    /// Where the request's or packet's identifier goes.
    var slotOffset: Int
    /// Where the client message number, or the counter in it, goes, in a protocol that has one.
    var counterOffset: Int?
    /// Where the stamp goes, or the encrypted payload that holds it.
    var stampOffset: Int
    /// Bytes that a message key signs after the client message number; empty in a protocol without.
    var signatureEnd: [UInt8] = []
}
