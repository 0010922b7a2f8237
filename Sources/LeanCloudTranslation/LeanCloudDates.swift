package import ByteCodec

/// Dates as LeanCloud's clients read them: ISO 8601, UTC, milliseconds and a `Z`.
package enum LeanCloudDates {
    /// - Parameter milliseconds: since 1970, of the years 1970 to 9999; others are shown as the nearest of these.
    package static func text(_ milliseconds: Int64) -> String {
        let bounded = max(0, min(milliseconds, 253_402_300_799_999))
        let (days, rest) = bounded.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = Self.date(days)
        var text = Self.digits(year, 4) + "-" + Self.digits(month, 2) + "-" + Self.digits(day, 2)
        text += "T" + Self.digits(rest / 3_600_000, 2) + ":" + Self.digits(rest / 60_000 % 60, 2)
        return text + ":" + Self.digits(rest / 1_000 % 60, 2) + "." + Self.digits(rest % 1_000, 3) + "Z"
    }

    /// A date among values of other types. Source: LeanCloud REST guide, data types.
    package static func typed(_ milliseconds: Int64) -> JSONValue {
        .object([
            JSONValue.Member("__type", .string("Date")), JSONValue.Member("iso", .string(Self.text(milliseconds))),
        ])
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    /// The date of a day counted from 1 January 1970. Years begin in March here, so that a leap day is their last.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}
