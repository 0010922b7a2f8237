package import ByteCodec

/// Times as LeanCloud writes them: ISO 8601 in UTC, with milliseconds and `Z`. Source: LeanCloud REST guide, "Data types".
package enum LeanCloudTime {
    /// `2015-06-27T03:43:59.000Z`
    ///
    /// - Parameter milliseconds: UTC; before 1970 is taken for 1970.
    package static func text(milliseconds: Int64) -> String {
        let moment = max(0, milliseconds)
        let (days, rest) = (moment / 86_400_000, moment % 86_400_000)
        let date = Self.date(ofDay: days)
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { Self.padded($0, 2) }
        return "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))"
            + "T\(time.joined(separator: ":")).\(Self.padded(rest % 1_000, 3))Z"
    }

    /// `{"__type":"Date","iso":"..."}`, for times inside of values.
    package static func object(milliseconds: Int64) -> JSONValue {
        .object([
            JSONValue.Member("__type", .string("Date")),
            JSONValue.Member("iso", .string(Self.text(milliseconds: milliseconds))),
        ])
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The Gregorian date of a day counted from 1 January 1970, which is not before it.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Years that begin with March: the leap day is their last.
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
