package import Localization

/// When something was said, as people read it.
///
/// The offset from UTC is an argument, and the calendar is calculated here: `localtime_r` knows one zone for the whole
/// process, while people who read a page the server has made live in others. Only whole days are needed, in a few lines.
/// Source of the Chinese forms: NIMKit, `showTime:showDetail:`.
package struct TimeLabel: Sendable {
    /// The gap above which a conversation shows the time between two messages. Source: NIMKit's `messageInterval`.
    package static let gapMilliseconds: Int64 = 300_000

    private let texts: Texts
    /// Seconds east of UTC where the reader is.
    private let offsetSeconds: Int64

    /// - Parameter offsetSeconds: seconds east of UTC where the reader is, such as 28,800.
    package init(_ texts: Texts, offsetSeconds: Int) {
        self.texts = texts
        self.offsetSeconds = Int64(offsetSeconds)
    }

    /// For lists: the time for today, then yesterday, the day before, the weekday for less than seven days, else the date.
    ///
    /// - Parameters:
    ///   - milliseconds: when it was, UTC.
    ///   - now: UTC. What is later than today gets its date.
    package func list(_ milliseconds: Int64, now: Int64) -> String {
        let moment = Moment(milliseconds, offsetSeconds: self.offsetSeconds)
        return self.day(moment, today: Moment(now, offsetSeconds: self.offsetSeconds).day) ?? self.clock(moment)
    }

    /// For conversations: as in lists, and the time of day behind it.
    package func detailed(_ milliseconds: Int64, now: Int64) -> String {
        let moment = Moment(milliseconds, offsetSeconds: self.offsetSeconds)
        let clock = self.clock(moment)
        guard let day = self.day(moment, today: Moment(now, offsetSeconds: self.offsetSeconds).day) else {
            return clock
        }
        return "\(day) \(clock)"
    }

    /// True when the time stands above a message: above the first, and after more than `gapMilliseconds` of silence.
    package static func stands(above milliseconds: Int64, after previous: Int64?) -> Bool {
        guard let previous else { return true }
        let (gap, overflows) = milliseconds.subtractingReportingOverflow(previous)
        return overflows ? milliseconds > previous : gap > Self.gapMilliseconds
    }

    /// `nil` for today.
    private func day(_ moment: Moment, today: Int64) -> String? {
        switch today - moment.day {
        case 0: return nil
        case 1: return self.texts("time.yesterday")
        // English has no short word for the day before yesterday: it says the weekday.
        case 2 where self.texts.language == .chinese: return self.texts("time.dayBefore")
        case 2..<7: return self.weekday(moment)
        default: break
        }
        let date = moment.date
        return self.texts(
            "time.date",
            ["year": String(date.year), "month": self.texts("time.month.\(date.month)"), "day": String(date.day)])
    }

    private func weekday(_ moment: Moment) -> String { self.texts("time.weekday.\(moment.weekday)") }

    /// The time of day on a clock of twelve hours.
    private func clock(_ moment: Moment) -> String {
        let hour = (moment.minuteOfDay / 60 + 11) % 12 + 1
        let time = "\(hour):\(twoDigits(moment.minuteOfDay % 60))"
        return self.texts("time.clock", ["period": self.texts("time.period.\(moment.period)"), "time": time])
    }
}

/// A point in time where the reader is.
private struct Moment {
    /// Days since 1970-01-01.
    let day: Int64
    /// 0...1439
    let minuteOfDay: Int64

    init(_ milliseconds: Int64, offsetSeconds: Int64) {
        let seconds = Self.floor(milliseconds, 1000) + offsetSeconds
        self.day = Self.floor(seconds, 86_400)
        self.minuteOfDay = (seconds - self.day * 86_400) / 60
    }

    private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
    }

    /// Source: NIMKit, `getPeriodOfTime:withMinute:`: midnight itself still belongs to the evening.
    var period: String {
        switch self.minuteOfDay {
        case 0: "midnight"
        case ...300: "night"
        case ..<720: "morning"
        case ...1080: "afternoon"
        default: "evening"
        }
    }

    /// 0 is Sunday: 1970-01-01 was a Thursday.
    var weekday: Int64 { ((self.day + 4) % 7 + 7) % 7 }

    /// The date in the Gregorian calendar. Years are counted from March, so that the leap day ends one; 400 of them have
    /// 146,097 days, and every five months from March 153.
    var date: (year: Int64, month: Int64, day: Int64) {
        let fromMarch = self.day + 719_468
        let era = Self.floor(fromMarch, 146_097)
        let dayOfEra = fromMarch - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
