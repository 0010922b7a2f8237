/// Dates as LeanCloud writes them. Pure.
package enum Dates {
    /// `2026-07-15T09:30:00.123Z`, the fraction and the `Z` optional; `nil` for another text.
    package static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard bytes.count >= 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        var rest = bytes[19...]
        var fraction: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            for index in 0..<3 {
                let place = digits.startIndex + index
                fraction = fraction * 10 + (place < digits.endIndex ? Int64(digits[place] - 0x30) : 0)
            }
            rest = rest[digits.endIndex...]
        }
        guard rest.isEmpty || (rest.count == 1 && rest.first == UInt8(ascii: "Z")) else { return nil }
        let days = Self.days(year, month, day)
        return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1_000 + fraction
    }

    /// Days since 1970 of a date. Years begin in March here, so that a leap day is their last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
