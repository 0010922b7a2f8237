package import ChatModel
package import Execution

/// Messages sent to one session and not acknowledged yet. Confined to the session's thread.
///
/// Bounded by `maximum`: one more, and the oldest is given up, which means that it is not sent again on this session;
/// it stays in the history.
package struct PendingDeliveries {
    private struct Entry {
        var delivery: Delivery
        var sentAt: Instant
        var attempts: UInt8
        var isAcknowledged: Bool
    }

    /// Most unacknowledged messages that are kept for sending again.
    package static let maximum = 2048
    private static let keptCapacity = 16

    private var entries: [Entry] = []
    private var first = 0
    /// Highest acknowledged sequence by conversation, since the last `takeDelivered`.
    private var acknowledged = PositionMap()

    /// Makes an empty list.
    package init() {}

    /// Messages not acknowledged yet.
    package var count: Int { self.entries.count - self.first }

    /// Notes that a stored message went out.
    package mutating func sent(_ delivery: Delivery, at now: Instant) {
        if self.count >= Self.maximum { self.dropFirst() }
        self.entries.append(Entry(delivery: delivery, sentAt: now, attempts: 1, isAcknowledged: false))
    }

    /// Notes an acknowledgement.
    ///
    /// - Returns: what was acknowledged; `nil` for what is not waited for.
    @discardableResult
    package mutating func acknowledge(_ id: MessageID) -> Delivery? {
        var acknowledged: Delivery?
        for index in self.first..<self.entries.count where self.entries[index].delivery.message.id == id {
            guard !self.entries[index].isAcknowledged else { return nil }
            self.entries[index].isAcknowledged = true
            let delivery = self.entries[index].delivery
            acknowledged = delivery
            if !delivery.isCommand { self.has(delivery.message.conversation, sequence: delivery.message.sequence) }
            break
        }
        while self.first < self.entries.count, self.entries[self.first].isAcknowledged { self.dropFirst() }
        return acknowledged
    }

    /// Notes that the device has a message without having been sent it, because it wrote it.
    package mutating func has(_ conversation: ConversationID, sequence: Int64) {
        self.acknowledged.raise(conversation, to: sequence)
    }

    /// Takes the deliveries to send again: sent `milliseconds` ago and not acknowledged. After `attempts` sendings a
    /// delivery is given up.
    package mutating func due(at now: Instant, after milliseconds: Int64, attempts: UInt8) -> [Delivery] {
        var due: [Delivery] = []
        for index in self.first..<self.entries.count {
            let entry = self.entries[index]
            guard !entry.isAcknowledged, now.milliseconds(since: entry.sentAt) >= milliseconds else { continue }
            if entry.attempts >= attempts {
                self.entries[index].isAcknowledged = true
            } else {
                self.entries[index].attempts += 1
                self.entries[index].sentAt = now
                due.append(entry.delivery)
            }
        }
        while self.first < self.entries.count, self.entries[self.first].isAcknowledged { self.dropFirst() }
        return due
    }

    /// How far the device has everything, by conversation, where that changed since the last call: the acknowledged
    /// sequence, but never past a message that still waits.
    package mutating func takeDelivered() -> [ConversationID: Int64] {
        guard !self.acknowledged.isEmpty else { return [:] }
        var delivered = self.acknowledged.all
        self.acknowledged = PositionMap()
        for entry in self.entries[self.first...] where !entry.isAcknowledged && !entry.delivery.isCommand {
            let message = entry.delivery.message
            guard let reached = delivered[message.conversation], reached >= message.sequence else { continue }
            delivered[message.conversation] = message.sequence - 1
            // What lies behind the gap counts as soon as the gap is closed.
            self.has(message.conversation, sequence: reached)
        }
        return delivered
    }

    private mutating func dropFirst() {
        self.first += 1
        if self.first == self.entries.count {
            // A session in use keeps a little room, a burst gives it back.
            self.entries.removeAll(keepingCapacity: self.entries.capacity <= Self.keptCapacity)
            self.first = 0
        } else if self.first >= 512 {
            self.entries.removeFirst(self.first)
            self.first = 0
        }
    }
}
