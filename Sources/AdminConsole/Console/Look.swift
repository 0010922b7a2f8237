package import AdminAPI
package import ChatModel
package import CommandLineKit
import Glibc

/// Conversion of values to text, in the language and the time zone of the person at the console.
package struct Look: Sendable {
    /// Look-up of texts in the person's language.
    package var texts: TextLookup
    /// A stored time, UTC milliseconds, as `2026-11-21 08:15:00` in the person's time zone.
    package var time: @Sendable (Int64) -> String
    /// A message in one line: its text, or what it is.
    package var message: @Sendable (AdminMessage) -> String
    /// UTC milliseconds of what a person means by a moment, `2026-11-21 08:00` or `2h` for two hours ago, and of now; `nil`
    /// when it is none.
    package var moment: @Sendable (_ text: String, _ nowMilliseconds: Int64) -> Int64?
    /// UTC milliseconds now.
    package var nowMilliseconds: Int64
    /// True to show the row with the cursor beside the table, on screens of 120 cells and more.
    package var isSplit = false
    /// Rows that cards of teams leave out.
    package var hiddenRows: [TeamCardRow.Name] = []

    package init(
        texts: @escaping TextLookup, time: @escaping @Sendable (Int64) -> String,
        message: @escaping @Sendable (AdminMessage) -> String = { $0.text },
        moment: @escaping @Sendable (String, Int64) -> Int64? = { _, _ in nil }, nowMilliseconds: Int64 = 0
    ) {
        self.moment = moment
        self.texts = texts
        self.time = time
        self.message = message
        self.nowMilliseconds = nowMilliseconds
    }

    /// Text of a key in the person's language, with values for its placeholders.
    package func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String { self.texts(key, values) }

    /// A text that depends on a number: `key.one` for exactly 1, else `key.other`, with the number as `{count}`.
    func counted(_ key: String, _ count: Int, _ values: [String: String] = [:]) -> String {
        self(count == 1 ? "\(key).one" : "\(key).other", values.merging(["count": String(count)]) { $1 })
    }

    /// Time of day for a time of today, else the date.
    func shortTime(_ milliseconds: Int64) -> String {
        guard milliseconds > 0 else { return "" }
        let (time, now) = (self.time(milliseconds), self.time(self.nowMilliseconds))
        return String(time.prefix(10) == now.prefix(10) ? time.suffix(8) : time.prefix(10))
    }

    func hours(_ milliseconds: Int64) -> String { String(self.time(milliseconds).suffix(8)) }

    func word(_ isSo: Bool) -> String { self(isSo ? "word.yes" : "word.no") }

    /// The machine's own time zone.
    package static let localTime: @Sendable (Int64) -> String = { milliseconds in
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return String(milliseconds) }
        let shown = [CChar](unsafeUninitializedCapacity: 32) { room, count in
            // SAFETY: `strftime` writes at most `room.count` bytes and returns how many, its zero not counted.
            count = strftime(room.baseAddress!, room.count, "%Y-%m-%d %H:%M:%S", &parts)
        }
        return String(decoding: shown.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
