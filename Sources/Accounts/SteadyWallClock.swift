import Execution

/// The time of day for expiry: a wall clock that jumps by more than an hour is believed only after it has agreed with
/// itself for an hour. So neither a dead clock battery nor a wrong time server signs everybody out.
struct SteadyWallClock {
    /// Jumps up to this size are taken as they come.
    static let believedJumpMilliseconds: Int64 = 3_600_000
    /// How long a clock that jumped has to run evenly.
    static let trialMilliseconds: Int64 = 3_600_000
    /// Largest difference, milliseconds, at which two clocks count as running evenly.
    static let evenMilliseconds: Int64 = 60_000

    private var reference: (wall: Int64, instant: Instant)
    /// How far the clock is off since when.
    private var trial: (jump: Int64, since: Instant)?

    init(wall: Int64, at instant: Instant) { self.reference = (wall, instant) }

    /// The time to compare with, UTC milliseconds.
    mutating func milliseconds(wall: Int64, at instant: Instant) -> Int64 {
        let expected = self.reference.wall + instant.milliseconds(since: self.reference.instant)
        let jump = wall - expected
        if abs(jump) <= Self.believedJumpMilliseconds { return self.believe(wall, at: instant) }
        guard let trial = self.trial, abs(jump - trial.jump) <= Self.evenMilliseconds else {
            self.trial = (jump, instant)
            return expected
        }
        let isProven = instant.milliseconds(since: trial.since) >= Self.trialMilliseconds
        return isProven ? self.believe(wall, at: instant) : expected
    }

    private mutating func believe(_ wall: Int64, at instant: Instant) -> Int64 {
        self.reference = (wall, instant)
        self.trial = nil
        return wall
    }
}
