import CLinux

/// A point on the monotonic clock: for timeouts and durations; it never jumps and means nothing to people.
package struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since a start that means nothing outside the process.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Instant that many seconds later.
    package func advanced(bySeconds seconds: Double) -> Instant {
        Instant(nanoseconds: self.nanoseconds + Int64(seconds * 1e9))
    }

    /// Instant that many milliseconds later.
    package func advanced(byMilliseconds milliseconds: Int64) -> Instant {
        Instant(nanoseconds: self.nanoseconds + milliseconds * 1_000_000)
    }

    /// Milliseconds from `earlier` to this, rounded down; negative when `earlier` is later.
    package func milliseconds(since earlier: Instant) -> Int64 {
        (self.nanoseconds - earlier.nanoseconds) / 1_000_000
    }
}

/// Both clocks, as an argument, so that tests turn the hands themselves.
package struct Clock: Sendable {
    /// Monotonic time.
    package var now: @Sendable () -> Instant
    /// UTC milliseconds since 1970: what is stored and shown.
    package var wallMilliseconds: @Sendable () -> Int64

    package init(now: @escaping @Sendable () -> Instant, wallMilliseconds: @escaping @Sendable () -> Int64) {
        self.now = now
        self.wallMilliseconds = wallMilliseconds
    }

    /// The machine's clocks.
    package static let system = Clock(
        now: { Instant(nanoseconds: clinux_monotonic_nanoseconds()) },
        wallMilliseconds: { clinux_wall_milliseconds() })
}

/// A clock that moves only when told to.
package final class ManualClock: Sendable {
    private let hands: Lock<(nanoseconds: Int64, wallMilliseconds: Int64)>

    package init(wallMilliseconds: Int64 = 1_800_000_000_000) {
        self.hands = Lock((nanoseconds: 1_000_000_000, wallMilliseconds: wallMilliseconds))
    }

    /// Moves both clocks forward.
    package func advance(milliseconds: Int64) {
        self.hands.withLock { hands in
            hands.nanoseconds += milliseconds * 1_000_000
            hands.wallMilliseconds += milliseconds
        }
    }

    /// Sets the wall clock alone, as an operator or a time server does; it may go backwards.
    package func setWall(milliseconds: Int64) { self.hands.withLock { $0.wallMilliseconds = milliseconds } }

    /// Clock that reads this time.
    package var clock: Clock {
        Clock(
            now: { Instant(nanoseconds: self.hands.withLock { $0.nanoseconds }) },
            wallMilliseconds: { self.hands.withLock { $0.wallMilliseconds } })
    }
}
