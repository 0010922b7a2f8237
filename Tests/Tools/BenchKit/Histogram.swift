/// How often each duration occurred, in logarithmic buckets: 64 to every doubling, so that a percentile is at most
/// 1.6 % too high, whatever the size of the values.
package struct Histogram: Sendable {
    private static let stepBits = 6
    private static let steps = 1 << Self.stepBits

    private var counts = [UInt64](repeating: 0, count: (64 - Self.stepBits) << Self.stepBits)
    /// Values recorded.
    package private(set) var count: UInt64 = 0

    package init() {}

    /// Counts one value; a negative one counts as 0.
    package mutating func record(_ value: Int64) {
        self.counts[Self.bucket(of: UInt64(max(0, value)))] += 1
        self.count += 1
    }

    /// The smallest bucket bound that `fraction` (0...1) of the values do not exceed; 0 when nothing was recorded.
    package func percentile(_ fraction: Double) -> Int64 {
        let rank = max(1, UInt64((fraction * Double(self.count)).rounded(.up)))
        var seen: UInt64 = 0
        for (bucket, count) in self.counts.enumerated() where count > 0 {
            seen += count
            if seen >= rank { return Int64(clamping: Self.upperBound(of: bucket)) }
        }
        return 0
    }

    private static func bucket(of value: UInt64) -> Int {
        guard value >= UInt64(Self.steps) else { return Int(value) }
        let shift = 63 - value.leadingZeroBitCount - Self.stepBits
        return shift << Self.stepBits + Int(value >> UInt64(shift))
    }

    private static func upperBound(of bucket: Int) -> UInt64 {
        guard bucket >= 2 * Self.steps else { return UInt64(bucket) }
        let shift = UInt64(bucket >> Self.stepBits - 1)
        let mantissa = UInt64(bucket & (Self.steps - 1) | Self.steps)
        return (mantissa + 1) << shift &- 1
    }
}
