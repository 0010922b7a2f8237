/// Traffic of a run: counts, latencies and the check of every delivery.
final class Traffic {
    let run: UInt32
    // Like everything here used by one thread and never during its own change: the check would cost a fifth of the
    // time.
    @exclusivity(unchecked) private(set) var ledger: DeliveryLedger
    /// From the message written to the sender's buffer, to its answer read. Filled while `isMeasuring`.
    @exclusivity(unchecked) private(set) var acknowledgeLatency = Histogram()
    /// The same, to its delivery read.
    @exclusivity(unchecked) private(set) var deliveryLatency = Histogram()
    /// Senders go on while this is set.
    var isSending = false
    var isMeasuring = false
    /// Monotonic nanoseconds, set before each read is handled.
    var now: Int64 = 0

    private(set) var acknowledged = 0
    private(set) var refused = 0
    /// The reason of the newest refusal, in the numbers of the protocol.
    private(set) var refusalReason = 0
    /// Deliveries that the acknowledged messages are owed.
    private(set) var owed = 0
    /// Messages of an earlier run, which a server may rightly deliver now.
    private(set) var stale = 0

    /// More refusals than this stop a run: the metrics would mean nothing.
    private static let refusalLimit = 10_000

    init(run: UInt32, layout: DeliveryLedger.Layout) {
        self.run = run
        self.ledger = DeliveryLedger(layout)
    }

    /// The server answered a message. `reason` is 0 for yes.
    func answered(_ connection: LoadConnection, slot: Int, reason: Int) throws(BenchError) {
        guard let sender = connection.sender, let sentAt = sender.answered(slot: slot, accepted: reason == 0) else {
            throw .server("\(connection.account.user) got an answer to a message that it did not send")
        }
        guard reason == 0 else {
            self.refused += 1
            self.refusalReason = reason
            if self.refused > Self.refusalLimit { throw .server("the server refuses messages: reason \(reason)") }
            return
        }
        self.acknowledged += 1
        self.owed += self.ledger.receivers(of: sender.ordinal)
        if self.isMeasuring { self.acknowledgeLatency.record(self.now - sentAt) }
    }

    /// A message arrived. `sequence` is 0 where the protocol has none.
    func arrived(_ connection: LoadConnection, _ stamp: Stamp, sequence: UInt64) {
        guard stamp.run == self.run else {
            self.stale += 1
            return
        }
        let arrival = self.ledger.record(
            receiver: connection.index, sender: Int(stamp.sender), counter: stamp.counter)
        if self.isMeasuring { self.deliveryLatency.record(self.now - stamp.sentAt) }
        guard sequence > 0, arrival == .inOrder else { return }
        if sequence <= connection.newestSequence {
            self.ledger.recordFallenSequence()
        } else {
            connection.newestSequence = sequence
        }
    }

    /// Faults, once everything that will come has come.
    func faults(of senders: [Sender]) -> Faults {
        var faults = Faults()
        for sender in senders {
            faults.lost += self.ledger.lost(
                sender: sender.ordinal, sent: sender.sent, isAcknowledged: sender.isAcknowledged)
            faults.unanswered += sender.unanswered
        }
        faults.duplicated = self.ledger.duplicates
        faults.reordered = self.ledger.reordered
        faults.misdirected = self.ledger.misdirected
        faults.refused = self.refused
        faults.refusalReason = self.refusalReason
        return faults
    }
}

/// Broken promises of a run; all zero for a server that keeps them.
package struct Faults: Equatable, Sendable {
    /// Deliveries of acknowledged messages that did not come.
    package var lost = 0
    /// Messages that came twice.
    package var duplicated = 0
    /// Messages that came out of order.
    package var reordered = 0
    /// Messages that came to the wrong person.
    package var misdirected = 0
    /// Messages without an answer when the run's time was over.
    package var unanswered = 0
    /// Messages that the server refused.
    package var refused = 0
    /// Why, in the numbers of the protocol; 0 when nothing was refused.
    package var refusalReason = 0

    package init() {}

    /// True when nothing went wrong.
    package var isEmpty: Bool { self == Faults() }

    package static func += (left: inout Faults, right: Faults) {
        left.lost += right.lost
        left.duplicated += right.duplicated
        left.reordered += right.reordered
        left.misdirected += right.misdirected
        left.unanswered += right.unanswered
        left.refused += right.refused
        left.refusalReason = max(left.refusalReason, right.refusalReason)
    }
}

extension Faults: CustomStringConvertible {
    package var description: String {
        let counts = [
            ("lost", self.lost), ("duplicated", self.duplicated), ("reordered", self.reordered),
            ("misdirected", self.misdirected), ("unanswered", self.unanswered),
            ("refused (reason \(self.refusalReason))", self.refused),
        ]
        let wrong = counts.filter { $0.1 > 0 }
        return wrong.isEmpty ? "none" : wrong.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    }
}
