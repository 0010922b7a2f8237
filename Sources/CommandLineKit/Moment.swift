import Glibc

/// A moment as people type it.
package enum Moment {
    /// `2026-11-21`, `2026-11-21 08:15`, `2026-11-21 08:15:30` in this process's time zone, or how long ago: `90m`, `2h`,
    /// `7d`.
    ///
    /// - Returns: UTC milliseconds; `nil` for anything else.
    package static func milliseconds(_ text: String, nowMilliseconds: Int64) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        if let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...1_000_000).contains(count)
        {
            return nowMilliseconds - count * unit * 1_000
        }
        return Self.localSeconds(text).map { $0 * 1_000 }
    }

    /// Seconds since 1970 of a day, and a time of it if one is given, in the time zone of this process; `nil` when it is
    /// none.
    private static func localSeconds(_ text: String) -> Int64? {
        let halves = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let day = halves.first, halves.count <= 2,
            let date = Self.numbers(day, "-", [1_970...9_999, 1...12, 1...31])
        else { return nil }
        var time: [Int32] = [0, 0, 0]
        if halves.count == 2 {
            let bounds: [ClosedRange<Int32>] = [0...23, 0...59, 0...59]
            guard let found = Self.numbers(halves[1], ":", bounds) ?? Self.numbers(halves[1], ":", bounds.dropLast())
            else { return nil }
            time = found + (found.count == 2 ? [0] : [])
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (date[0] - 1_900, date[1] - 1, date[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time[0], time[1], time[2])
        parts.tm_isdst = -1
        let seconds = mktime(&parts)
        // The 31st of a month of 30 days became another day.
        return parts.tm_mday == date[2] ? Int64(seconds) : nil
    }

    /// The numbers between separators, as many as there are bounds; `nil` when something else is there.
    private static func numbers(
        _ text: Substring, _ separator: Character, _ bounds: [ClosedRange<Int32>]
    ) -> [Int32]? {
        let words = text.split(separator: separator, omittingEmptySubsequences: false)
        guard words.count == bounds.count else { return nil }
        let numbers = zip(words, bounds).compactMap { word, bound in
            Int32(word).flatMap { word.first != "+" && bound.contains($0) ? $0 : nil }
        }
        return numbers.count == bounds.count ? numbers : nil
    }
}
