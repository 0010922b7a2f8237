/// Schedule of the parcels of one page. Events in, actions out.
struct DeliveryRound {
    private(set) var parcels: [Parcel]
    /// Indexes of what is not delivered yet, by lane, in order.
    private var lanes: [Int: [Int]] = [:]
    private var underWay = 0

    init(_ parcels: [Parcel]) {
        self.parcels = parcels
        for (index, parcel) in parcels.enumerated() { self.lanes[parcel.lane, default: []].append(index) }
    }

    /// Nothing is being sent.
    var isQuiet: Bool { self.underWay == 0 }
    var isDone: Bool { self.isQuiet && self.lanes.isEmpty }

    /// Starts an attempt: what to send at once, the first of each lane.
    mutating func beginAttempt() -> [Int] {
        let firsts = self.lanes.values.compactMap(\.first).sorted()
        self.underWay = firsts.count
        return firsts
    }

    /// The receiver took a parcel.
    ///
    /// - Returns: the next of its lane, to be sent now.
    mutating func delivered(_ index: Int) -> Int? {
        self.remove(index)
        let next = self.lanes[self.parcels[index].lane]?.first
        if next == nil { self.underWay -= 1 }
        return next
    }

    /// The receiver did not take a parcel: its lane waits for the next attempt.
    mutating func failed(_ index: Int) { self.underWay -= 1 }

    /// Gives up the parcels whose events are all from before `horizon`. Between attempts only.
    ///
    /// - Returns: how many events are lost by it.
    mutating func dropParcels(before horizon: Int64) -> Int64 {
        let old = self.lanes.values.joined().filter { self.parcels[$0].newestAtMilliseconds < horizon }
        for index in old { self.remove(index) }
        return old.reduce(0) { $0 + self.parcels[$1].events }
    }

    private mutating func remove(_ index: Int) {
        let lane = self.parcels[index].lane
        self.lanes[lane]?.removeAll { $0 == index }
        if self.lanes[lane]?.isEmpty == true { self.lanes[lane] = nil }
    }
}

/// How long to wait after failures: doubled each time, up to a bound, and spread by a quarter up and down, so that many
/// servers do not come back to a receiver in step.
struct Backoff {
    private let first: Int64
    private let last: Int64
    private(set) var failures: Int64 = 0

    init(firstMilliseconds: Int64, lastMilliseconds: Int64) {
        self.first = firstMilliseconds
        self.last = lastMilliseconds
    }

    /// - Parameter spread: 0 to 1.
    /// - Returns: milliseconds until the next attempt.
    mutating func failed(spread: Double) -> Int64 {
        let doublings = min(self.failures, 30)
        self.failures += 1
        let wait = min(self.first << doublings, self.last)
        return max(1, Int64(Double(wait) * (0.75 + spread / 2)))
    }

    mutating func succeeded() { self.failures = 0 }
}
