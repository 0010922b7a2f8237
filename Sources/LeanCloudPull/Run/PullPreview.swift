package import Execution
package import HTTPClient

/// Preview of a pull: the amounts it would bring, before anything is written.
package struct PullPreview: Sendable {
    /// Rows of each class that the source counts.
    package var classes: [(name: String, rows: Int64)] = []
    /// Messages that would be fetched.
    package var messages: Int64 = 0
    /// True when the number of messages is exact: a source gives none, few are counted, many are estimated.
    package var isExact = true
    /// Time of the oldest message, UTC milliseconds; `nil` without messages.
    package var firstMessage: Int64?
    /// Time of the newest message, UTC milliseconds; `nil` without messages.
    package var lastMessage: Int64?
    /// Files that would be fetched.
    package var files: Int64 = 0
    /// Requests to the API, with pages of 1,000.
    package var requests: Int64 = 0

    /// Places in time where the density of messages is looked at.
    private static let samples: Int64 = 8

    /// Asks the source for numbers alone.
    package init(
        _ options: PullOptions, _ cancellation: HTTPCancellation, clock: Clock = .system,
        tell: @escaping (PullEvent) -> Void = { _ in }
    ) throws(PullError) {
        let api = try SourceAPI(options, cancellation, clock: clock, tell: tell)
        try api.checkKey()
        var names = options.classNames()
        if options.allClasses, let listed = try? api.value("/1.1/schemas", what: "the list of classes") {
            names = options.classNames(listed: (listed.object ?? []).map(\.name))
        }
        for name in names {
            guard let rows = try api.count(name) else { continue }
            self.classes.append((name, rows))
            self.requests += rows / 1_000 + 1
            if name == "_File" { self.files = rows }
        }
        if options.messages { try self.estimate(api, options) }
        self.requests += self.messages / 1_000 + 1
    }

    private mutating func estimate(_ api: SourceAPI, _ options: PullOptions) throws(PullError) {
        let head = HistoryWalk(.app, since: options.since)
        let first = try Self.times(api, head.path)
        guard let begin = first.times.first, let end = first.times.last else { return }
        (self.firstMessage, self.lastMessage) = (begin, end)
        self.messages = Int64(first.times.count)
        guard first.rows >= HistoryWalk.largestPage else { return }
        let latest = try Self.times(api, "/1.2/rtm/messages?limit=1").times.first ?? end
        self.lastMessage = latest
        self.isExact = false
        var (rows, milliseconds) = (0.0, 0.0)
        for sample in 0..<Self.samples {
            let time = begin + (latest - begin) * sample / Self.samples
            let page = try Self.times(api, HistoryWalk(.app, since: max(1, time)).path)
            guard let pageEnd = page.times.last else { continue }
            // A page that is not full goes to the end.
            let span = page.rows >= HistoryWalk.largestPage ? pageEnd - time : latest - time
            let slice = (latest - begin) / Self.samples
            let share = min(1, Double(slice) / Double(max(1, span)))
            rows += Double(page.times.count) * share
            milliseconds += Double(span) * share
        }
        if milliseconds > 0 { self.messages = Int64(rows / milliseconds * Double(latest - begin)) }
    }

    private static func times(_ api: SourceAPI, _ path: String) throws(PullError) -> (times: [Int64], rows: Int) {
        guard case .page(let page) = try api.rows(path, what: "the history") else { return ([], 0) }
        var times: [Int64] = []
        try page.forEach { row, _ throws(PullError) in
            if case .success(let row) = row, let key = try? MessageKey(row) { times.append(key.timestamp) }
        }
        return (times, page.rows.count)
    }
}
