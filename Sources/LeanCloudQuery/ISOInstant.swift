/// Dates as LeanCloud writes them, `2026-11-21T08:00:00.000Z`.
package enum ISOInstant {
    /// Milliseconds since 1970 of a date and time of RFC 3339, or `nil`.
    ///
    /// Digits after the third of a fraction are dropped. The offset may lack its colon or be missing, which means UTC.
    package static func milliseconds(_ text: String) -> Int64? {
        var parser = Parser(text)
        return parser.instant()
    }

    private struct Parser {
        private var rest: Substring.UTF8View

        init(_ text: String) {
            self.rest = Substring(text).utf8
        }

        mutating func instant() -> Int64? {
            guard let year = self.digits(4), self.takeScalar("-"), let month = self.digits(2), self.takeScalar("-"),
                let day = self.digits(2), self.takeScalar("T") || self.takeScalar("t") || self.takeScalar(" "),
                let hour = self.digits(2), self.takeScalar(":"), let minute = self.digits(2)
            else { return nil }
            var second: Int64 = 0
            var fraction: Int64 = 0
            if self.takeScalar(":") {
                guard let seconds = self.digits(2) else { return nil }
                second = seconds
                if self.takeScalar(".") {
                    guard let milliseconds = self.fraction() else { return nil }
                    fraction = milliseconds
                }
            }
            // A leap second is the last one of its day for everybody who counts milliseconds.
            guard 1...12 ~= month, 1...Self.days(in: month, of: year) ~= day, hour < 24, minute < 60, second <= 60
            else { return nil }
            guard let offset = self.offset(), self.rest.isEmpty else { return nil }
            let minutes = (Self.day(year, month, day) * 24 + hour) * 60 + minute - offset
            return (minutes * 60 + min(second, 59)) * 1000 + fraction
        }

        /// Minutes that the clock is ahead of UTC.
        private mutating func offset() -> Int64? {
            if self.rest.isEmpty || self.takeScalar("Z") || self.takeScalar("z") { return 0 }
            let isWest = self.takeScalar("-")
            guard isWest || self.takeScalar("+"), let hours = self.digits(2) else { return nil }
            _ = self.takeScalar(":")
            guard let minutes = self.digits(2), hours < 24, minutes < 60 else { return nil }
            return (hours * 60 + minutes) * (isWest ? -1 : 1)
        }

        private mutating func fraction() -> Int64? {
            var value: Int64 = 0
            var count = 0
            while let byte = self.rest.first, 0x30...0x39 ~= byte {
                if count < 3 { value = value * 10 + Int64(byte - 0x30) }
                count += 1
                self.rest.removeFirst()
            }
            guard 1...9 ~= count else { return nil }
            return value * (count == 1 ? 100 : count == 2 ? 10 : 1)
        }

        private mutating func digits(_ count: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<count {
                guard let byte = self.rest.first, 0x30...0x39 ~= byte else { return nil }
                value = value * 10 + Int64(byte - 0x30)
                self.rest.removeFirst()
            }
            return value
        }

        private mutating func takeScalar(_ wanted: Unicode.Scalar) -> Bool {
            guard let byte = self.rest.first, UInt32(byte) == wanted.value else { return false }
            self.rest.removeFirst()
            return true
        }

        private static func days(in month: Int64, of year: Int64) -> Int64 {
            switch month {
            case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }

        /// Days since 1970. March is counted as the first month, so that a leap day is the last of its year.
        private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
            let years = month > 2 ? year : year - 1
            let months = (month + 9) % 12
            let leaps = (years >= 0 ? years / 4 - years / 100 + years / 400 : -1)
            return years * 365 + leaps + (153 * months + 2) / 5 + day - 1 - 719_468
        }
    }
}
