import Execution
import Glibc

/// How fast something moves: a moving average over about three seconds.
struct SpeedMeter {
    private static let memorySeconds = 3.0
    private var last: (offset: Int64, at: Instant)?
    private var average = 0.0
    /// Seconds that went into the average: at the start it is no longer than that.
    private var weighed = 0.0

    /// Notes where it is now.
    mutating func noteOffset(_ offset: Int64, at now: Instant) {
        guard let last = self.last else {
            self.last = (offset, now)
            return
        }
        let seconds = Double(now.nanoseconds - last.at.nanoseconds) / 1e9
        guard seconds > 0 else { return }
        let speed = Double(max(0, offset - last.offset)) / seconds
        self.weighed = min(Self.memorySeconds, self.weighed + seconds)
        let share = 1 - exp(-seconds / self.weighed)
        self.average = self.weighed == seconds ? speed : self.average + share * (speed - self.average)
        self.last = (offset, now)
    }

    /// Begins again: what was sent before a pause says nothing about now.
    mutating func reset() { self = SpeedMeter() }

    var bytesPerSecond: Int64 { Int64(self.average) }

    /// Rounded up; `nil` while nothing moves or the size is not known.
    func remainingSeconds(from offset: Int64, to size: Int64?) -> Int64? {
        guard let size, self.average >= 1 else { return nil }
        return Int64((Double(max(0, size - offset)) / self.average).rounded(.up))
    }
}
