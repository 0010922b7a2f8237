/// A number of bytes for people: `512 B`, `1.5 KiB`, `20 MiB`; negative ones count as 0. At most 9 cells.
package func shownBytes(_ count: Int64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var (whole, tenths, unit) = (max(0, count), Int64(0), 0)
    while whole >= 1_024 && unit < units.count - 1 {
        tenths = (whole % 1_024) * 10 / 1_024
        whole /= 1_024
        unit += 1
    }
    // Three digits say enough: 123.4 MiB is no more useful than 123 MiB.
    return tenths == 0 || whole >= 100 ? "\(whole) \(units[unit])" : "\(whole).\(tenths) \(units[unit])"
}

/// A time for people: `9s`, `1:05`, `2:00:09`, `3d 4h`.
package func shownDuration(seconds: Int64) -> String {
    let seconds = max(0, seconds)
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60)
    if seconds < 60 { return "\(seconds)s" }
    if hours == 0 { return "\(minutes):\(twoDigits(rest))" }
    if hours < 48 { return "\(hours):\(twoDigits(minutes)):\(twoDigits(rest))" }
    return "\(hours / 24)d \(hours % 24)h"
}

private func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// The share that `part` is of `whole`, in percent, rounded down: 100 only when it is all. Of nothing everything is done.
package func percent(of part: Int64, in whole: Int64) -> Int64 {
    guard whole > 0 else { return 100 }
    let part = min(max(0, part), whole)
    // So that the largest files do not overflow.
    return whole > Int64.max / 100 ? part / (whole / 100) : part * 100 / whole
}
