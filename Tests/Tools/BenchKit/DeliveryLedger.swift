/// Checks that every message arrives once and in order, for each (receiver, sender) pair of a run.
///
/// A sender numbers its messages 0, 1, 2 …; a receiver sees them through one `Stream` per sender.
package struct DeliveryLedger {
    /// Pairs of senders and receivers.
    package enum Layout: Sendable {
        /// Each receiver hears exactly one sender: `senderOf[receiver]` is its ordinal, -1 for none.
        case direct(senderOf: [Int])
        /// Every receiver hears every one of `senders`; the sender with ordinal n is the receiver n and hears itself
        /// only when `echo` is set.
        case group(receivers: Int, senders: Int, echo: Bool)
    }

    package enum Arrival { case inOrder, late, duplicate, misdirected }

    private struct Stream {
        /// The counter that comes next when everything is in order.
        var next: UInt32 = 0
        /// Counters that were skipped and have not come since.
        var missing: Set<UInt32> = []
    }

    private let layout: Layout
    private var streams: [Stream]

    /// Deliveries of messages not seen before.
    package private(set) var delivered = 0
    package private(set) var duplicates = 0
    /// Arrivals after a later message of the same sender, or with a sequence that did not rise.
    package private(set) var reordered = 0
    /// Arrivals at somebody whom the message was not for.
    package private(set) var misdirected = 0

    package init(_ layout: Layout) {
        self.layout = layout
        switch layout {
        case .direct(let senderOf): self.streams = Array(repeating: Stream(), count: senderOf.count)
        case .group(let receivers, let senders, _):
            self.streams = Array(repeating: Stream(), count: receivers * senders)
        }
    }

    /// Notes that `receiver` got the message `counter` of the sender with this ordinal.
    @discardableResult
    package mutating func record(receiver: Int, sender: Int, counter: UInt32) -> Arrival {
        guard let stream = self.stream(receiver: receiver, sender: sender) else {
            self.misdirected += 1
            return .misdirected
        }
        let next = self.streams[stream].next
        if counter == next {
            self.streams[stream].next = next + 1
            self.delivered += 1
            return .inOrder
        }
        if counter > next {
            self.streams[stream].missing.formUnion(next..<counter)
            self.streams[stream].next = counter + 1
            self.delivered += 1
            return .inOrder
        }
        guard self.streams[stream].missing.remove(counter) != nil else {
            self.duplicates += 1
            return .duplicate
        }
        self.delivered += 1
        self.reordered += 1
        return .late
    }

    /// Notes that a new message came with a server sequence that is not above the one before.
    package mutating func recordFallenSequence() { self.reordered += 1 }

    /// How many receivers a message of this sender has.
    package func receivers(of sender: Int) -> Int {
        switch self.layout {
        case .direct: 1
        case .group(let receivers, _, let echo): echo ? receivers : receivers - 1
        }
    }

    /// Deliveries that are missing: of the first `sent` messages of a sender, those that `isAcknowledged` says the
    /// server accepted.
    package func lost(sender: Int, sent: UInt32, isAcknowledged: (UInt32) -> Bool) -> Int {
        var lost = 0
        for stream in self.streams(of: sender) {
            lost += self.streams[stream].missing.count(where: isAcknowledged)
            let next = self.streams[stream].next
            if next < sent { lost += (next..<sent).count(where: isAcknowledged) }
        }
        return lost
    }

    private func stream(receiver: Int, sender: Int) -> Int? {
        switch self.layout {
        case .direct(let senderOf): senderOf[receiver] == sender ? receiver : nil
        case .group(_, let senders, let echo):
            sender < senders && (echo || receiver != sender) ? receiver * senders + sender : nil
        }
    }

    private func streams(of sender: Int) -> [Int] {
        switch self.layout {
        case .direct(let senderOf): senderOf.indices.filter { senderOf[$0] == sender }
        case .group(let receivers, _, _):
            (0..<receivers).compactMap { self.stream(receiver: $0, sender: sender) }
        }
    }
}
