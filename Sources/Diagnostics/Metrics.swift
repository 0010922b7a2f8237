import Synchronization

/// A number that only grows: messages taken, refusals by reason. Any thread.
package final class Counter: Sendable {
    private let value = Atomic<Int64>(0)

    /// Makes a counter at 0.
    package init() {}

    /// Adds to the count, from any thread.
    package func add(_ amount: Int64 = 1) { self.value.wrappingAdd(amount, ordering: .relaxed) }

    /// Count now, from any thread.
    package var current: Int64 { self.value.load(ordering: .relaxed) }
}

/// Something bounded: its bound, how much is used now, and the most that ever was. Any thread.
package final class Limit: Sendable {
    /// The configuration key or a short name, for example `connections`.
    package let name: String
    /// `connections`, `bytes`, `requests`.
    package let unit: String
    private let bound: Atomic<Int64>
    private let used = Atomic<Int64>(0)
    private let most = Atomic<Int64>(0)
    private let turnedAway = Atomic<Int64>(0)

    /// Makes a limit that nothing has used yet.
    package init(name: String, unit: String, maximum: Int64) {
        self.name = name
        self.unit = unit
        self.bound = Atomic(maximum)
    }

    /// Bound now, in the limit's unit.
    package var maximum: Int64 { self.bound.load(ordering: .relaxed) }

    /// Moves the bound. What is taken already stays taken, also above it.
    package func setMaximum(_ maximum: Int64) { self.bound.store(maximum, ordering: .relaxed) }

    /// Takes `amount`, or nothing at all when that would pass the maximum.
    package func take(_ amount: Int64 = 1) -> Bool {
        let after = self.used.wrappingAdd(amount, ordering: .relaxed).newValue
        guard after <= self.maximum else {
            self.used.wrappingSubtract(amount, ordering: .relaxed)
            self.turnedAway.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        self.most.max(after, ordering: .relaxed)
        return true
    }

    /// Judges one thing by its size, without occupying anything: the bound is per frame, per header, per connection.
    package func allows(_ amount: Int64) -> Bool {
        guard amount <= self.maximum else {
            self.turnedAway.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        if amount > self.most.load(ordering: .relaxed) { self.most.max(amount, ordering: .relaxed) }
        return true
    }

    /// Gives back what was taken.
    package func giveBack(_ amount: Int64 = 1) { self.used.wrappingSubtract(amount, ordering: .relaxed) }

    /// Amount in use now, in the limit's unit.
    package var current: Int64 { self.used.load(ordering: .relaxed) }
    /// Highest amount in use since the start.
    package var peak: Int64 { self.most.load(ordering: .relaxed) }
    /// Number of times that the bound refused something.
    package var refusals: Int64 { self.turnedAway.load(ordering: .relaxed) }
}
