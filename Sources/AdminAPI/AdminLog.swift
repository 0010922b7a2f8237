/// Questions about the log of the service.
package struct AdminLogQuery: AdminRecord {
    /// Least level: `debug`, `info`, `warning` or `error`; `nil` for all.
    package var level: String?
    /// Beginning of the name of what happened: `sign_in`; `nil` for all.
    package var event: String?
    /// Text in the line; `nil` for all.
    package var contains: String?
    /// Earliest time, UTC milliseconds.
    package var sinceMilliseconds: Int64?
    /// Time after the latest one, UTC milliseconds.
    package var untilMilliseconds: Int64?
    /// Only lines with higher numbers.
    package var after: Int64?
    /// Lines at most, the newest.
    package var limit: Int64 = 100

    package init() {}

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.level = try fields("level", \.level)
        self.event = try fields("event", \.event)
        self.contains = try fields("contains", \.contains)
        self.sinceMilliseconds = try fields("since", \.sinceMilliseconds)
        self.untilMilliseconds = try fields("until", \.untilMilliseconds)
        self.after = try fields("after", \.after)
        self.limit = try fields("limit", \.limit)
        let limit = self.limit
        try fields.check((1...Int64(AdminProtocol.pageRows)).contains(limit), "limit")
    }
}

/// A line of the log of the service.
package struct AdminLogLine: AdminRecord {
    /// Number since the start of the server.
    package var number: Int64
    /// UTC milliseconds.
    package var atMilliseconds: Int64
    /// Level.
    package var level: String
    /// Name of what happened.
    package var event: String
    /// Level, event and fields as logfmt.
    package var text: String

    package init(number: Int64, atMilliseconds: Int64, level: String, event: String, text: String) {
        self.number = number
        self.atMilliseconds = atMilliseconds
        self.level = level
        self.event = event
        self.text = text
    }

    /// The line as one JSON object, for scripts.
    package var json: [UInt8] { self.object }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.level = try fields("level", \.level)
        self.event = try fields("event", \.event)
        self.text = try fields("text", \.text)
    }
}
