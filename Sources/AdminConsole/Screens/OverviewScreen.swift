import AdminAPI
import CommandLineKit
import Glibc

/// State of the server: first the problems that need the operator, then the last ten minutes, which the server keeps and
/// extends once a second, then limits and metrics.
struct OverviewScreen: Screen {
    private var status: AdminStatus?
    private var points: [AdminLivePoint] = []
    private var top = 0

    let title = "console.overview"
    let keys: [KeyBinding<Never>] = []
    /// Milliseconds between two requests for values that no event reports.
    let refreshMilliseconds: Int64? = 15_000
    var copied: String? { self.status?.addresses.first }
    var watches: [AdminRequest] { [.live(.start)] }

    mutating func refresh() -> [Intent] { [.ask(.status, purpose: 0)] }

    mutating func update(_ command: Never, _ look: Look) -> [Intent] {}

    mutating func move(_ move: TableMove, _ look: Look) {
        switch move {
        case .down: self.top += 1
        case .up: self.top = max(0, self.top - 1)
        case .pageDown: self.top += 10
        case .pageUp: self.top = max(0, self.top - 10)
        case .first: self.top = 0
        case .last: self.top = .max / 2
        case .mark, .range, .markAll, .unmark, .nextColumn, .previousColumn, .invert, .nextMatch, .previousMatch, .to,
            .left, .right:
            break
        }
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .status(let status) = answer { self.status = status }
        if case .live(let history) = answer { self.points = history.points }
        return []
    }

    mutating func receive(_ event: AdminEvent, _ look: Look) {
        guard case .liveMetrics(let point) = event else { return }
        if self.points.count >= AdminProtocol.livePoints { self.points.removeFirst() }
        self.points.append(point)
    }

    mutating func lay(width: Int, height: Int, _ look: Look) {
        let all = self.allLines(width: width, look).count
        self.top = max(0, min(self.top, all - height))
    }

    func lines(width: Int, height: Int, _ look: Look) -> [Line] {
        Array(self.allLines(width: width, look).dropFirst(self.top))
    }

    private func allLines(width: Int, _ look: Look) -> [Line] {
        guard let status = self.status else { return [Line(), Line("  " + look("console.loading"), .dim)] }
        // What needs somebody, what goes through, what is nearly full, then facts: the first of each fits 24 rows.
        let verify = self.lastVerify(status.lastVerify, width: width, look)
        let backup = self.lastBackup(status.lastBackup, width: width, look)
        var attention = self.warnings(status, width: width, look)
        let isProven = Self.isFresh(status.lastBackup, look)
        // A backup was verified before it counted.
        if !Self.isGood(status.lastVerify), status.lastVerify != nil || !isProven { attention += verify }
        if !isProven { attention += backup }
        let top = attention + self.course(status, width: width, look) + [Line()]
        let limits = self.limits(status, look)
        let metrics = self.metrics(status, look)
        guard width >= 120 else { return top + limits + self.facts(status, width: width, look) + [Line()] + metrics }
        let gap = 2
        guard width >= 180 else {
            let left = limits
            let right = self.facts(status, width: width / 2 - gap, look) + [Line()] + metrics
            return top + Self.beside([left, right], width: width, gap: gap)
        }
        let facts = self.facts(status, width: width / 3 - gap, look)
        return top + Self.beside([limits, facts, metrics], width: width, gap: gap)
    }

    /// Columns of the same width.
    private static func beside(_ columns: [[Line]], width: Int, gap: Int) -> [Line] {
        let room = width / columns.count
        return (0..<(columns.map(\.count).max() ?? 0)).map { row in
            columns.reduce(Line()) { line, column in
                line + (row < column.count ? column[row] : Line()).fitted(to: room - gap)
                    + Line(String(repeating: " ", count: gap))
            }
        }
    }

    private func facts(_ status: AdminStatus, width: Int, _ look: Look) -> [Line] {
        let verify = self.lastVerify(status.lastVerify, width: width, look)
        let backup = Self.isFresh(status.lastBackup, look) ? self.lastBackup(status.lastBackup, width: width, look) : []
        return self.server(status, width: width, look) + (Self.isGood(status.lastVerify) ? verify : []) + backup
            + self.upgradeCopy(status.upgradeCopy, width: width, look)
    }

    /// True for a folder that was verified and in order.
    private static func isGood(_ last: AdminLastVerify?) -> Bool { last?.findings == 0 }

    private func warnings(_ status: AdminStatus, width: Int, _ look: Look) -> [Line] {
        let warnings = Warning.all(status, self.points, look)
        guard !warnings.isEmpty else { return [Line(" ✓ " + look("console.overview.good"), .good)] }
        return warnings.flatMap { warning in
            let told = Cells.wrapped(Cells.drawable(warning.text), to: width - 4).enumerated().map {
                Line(($0 == 0 ? " ! " : "   ") + $1, warning.style)
            }
            let advice = warning.advice.map { Cells.wrapped(Cells.drawable($0), to: width - 7) } ?? []
            return told + advice.enumerated().map { Line(($0 == 0 ? "   → " : "     ") + $1) }
        }
    }

    private func server(_ status: AdminStatus, width: Int, _ look: Look) -> [Line] {
        let seconds = (look.nowMilliseconds - status.startedAtMilliseconds) / 1000
        let up = "\(look("console.overview.up")) \(shownDuration(seconds: seconds))"
        let process = look("console.overview.process", ["id": String(status.processID)])
        let since = look.time(status.startedAtMilliseconds)
        return Self.rows(look("table.version"), "\(status.version)  \(process)  \(up)  (\(since))", width: width)
            + Self.rows(look("table.addresses"), status.addresses.joined(separator: " "), width: width)
            + Self.rows(look("table.dataFolder"), status.dataFolder, width: width)
    }

    private func lastVerify(_ last: AdminLastVerify?, width: Int, _ look: Look) -> [Line] {
        var (text, style) = (look("lastVerify.never"), Style.warning)
        if let last {
            let values = ["time": look.time(last.atMilliseconds), "count": String(last.findings)]
            text = look(last.findings == 0 ? "lastVerify.good" : "lastVerify.found", values)
            if last.isQuick { text += " " + look("lastVerify.quick") }
            style = last.findings == 0 ? .plain : .bad
        }
        return Self.rows(look("table.lastVerify"), text, width: width, style)
    }

    /// Days after which the last backup is old.
    private static let backupDays: Int64 = 7

    /// True for a backup that is not old.
    private static func isFresh(_ last: AdminLastBackup?, _ look: Look) -> Bool {
        last.map { look.nowMilliseconds - $0.atMilliseconds <= Self.backupDays * 86_400_000 } ?? false
    }

    private func lastBackup(_ last: AdminLastBackup?, width: Int, _ look: Look) -> [Line] {
        guard let last else {
            return Self.rows(look("table.lastBackup"), look("lastBackup.never"), width: width, .warning)
        }
        let values = [
            "time": look.time(last.atMilliseconds), "name": last.name, "bytes": shownBytes(last.bytes),
            "proof": last.proof,
        ]
        let style = Self.isFresh(last, look) ? Style.plain : .warning
        return Self.rows(look("table.lastBackup"), look("lastBackup.good", values), width: width, style)
    }

    private func upgradeCopy(_ copy: AdminUpgradeCopy?, width: Int, _ look: Look) -> [Line] {
        guard let copy else { return [] }
        let values = [
            "time": look.time(copy.atMilliseconds), "schema": String(copy.schema), "bytes": shownBytes(copy.bytes),
        ]
        return Self.rows(look("table.upgradeCopy"), look("upgradeCopy.kept", values), width: width)
    }

    /// A value with its label, broken where it is too long.
    private static func rows(_ label: String, _ value: String, width: Int, _ style: Style = .plain) -> [Line] {
        let label = Cells.fitted(Cells.drawable(label), to: 24)
        return Cells.wrapped(Cells.drawable(value), to: max(10, width - 26)).enumerated().map { number, part in
            Line(" " + (number == 0 ? label : Cells.fitted("", to: 24)), .dim) + Line(part, style)
        }
    }

    // MARK: Ten minutes

    /// One number, now and in the last ten minutes.
    private struct Course {
        var label: String
        var now: String
        var style: Style = .plain
        var values: [Int64]
        /// A value with its unit, for the highest one.
        var shown: (Int64) -> String
    }

    /// Cells of the highest value behind a course.
    private static let highestWidth = 14

    private func course(_ status: AdminStatus, width: Int, _ look: Look) -> [Line] {
        let cells = max(10, width - 42 - Self.highestWidth)
        let first = (self.points.first?.atMilliseconds ?? 0) / 1000
        return self.courses(status, look).map { course in
            // Where one peak would make all else look like nothing.
            let isLogarithmic = Sparkline.isUneven(course.values)
            let graph = Sparkline.text(
                course.values, width: cells, firstNumber: first, isLogarithmic: isLogarithmic)
            let highest = course.values.max().map { look("console.overview.highest", ["value": course.shown($0)]) }
            return Line(" " + Cells.fitted(Cells.drawable(look(course.label)), to: 24), .dim)
                + Line(Cells.fitted(course.now, to: 13, onTheRight: true), course.style)
                + Line("  " + Cells.fitted(graph, to: cells), .accent)
                + Line("  " + (highest ?? "") + (isLogarithmic ? " log" : ""), .dim)
        }
    }

    private func courses(_ status: AdminStatus, _ look: Look) -> [Course] {
        let now = self.points.last ?? AdminLivePoint(atMilliseconds: 0)
        func course(
            _ label: String, _ path: KeyPath<AdminLivePoint, Int64>, _ style: Style = .plain,
            _ shown: @escaping (Int64) -> String
        ) -> Course {
            Course(
                label: label, now: shown(now[keyPath: path]), style: style,
                values: self.points.map { $0[keyPath: path] }, shown: shown)
        }
        let perSecond: (Int64) -> String = { "\($0)/s" }
        // A server of an earlier build says queueRequests.
        let queue = (status.limit("commit_queue_requests") ?? status.limit("queueRequests"))?.maximum
        var queueRow = course("console.overview.queue", \.queueRequests) { waiting in
            queue.map { "\(waiting)/\($0)" } ?? String(waiting)
        }
        if let queue, percent(of: now.queueRequests, in: queue) >= 70 { queueRow.style = .warning }
        let hits = self.points.map { $0.profileLookUps > 0 ? $0.profileHits * 100 / $0.profileLookUps : 0 }
        let all = self.points.reduce((hits: Int64(0), lookUps: Int64(0))) {
            ($0.hits + $1.profileHits, $0.lookUps + $1.profileLookUps)
        }
        let rate = all.lookUps > 0 ? "\(all.hits * 100 / all.lookUps) %" : look("console.overview.none")
        var free = course("console.overview.disk", \.freeBytes) { shownBytes($0) }
        if self.points.isEmpty { free.now = shownBytes(status.figure("freeBytes")) }
        let refusalStyle: Style = now.refusals > 0 ? .warning : .plain
        return [
            course("console.overview.messages", \.messages) { perSecond($0) },
            course("console.overview.deliveries", \.deliveries) { perSecond($0) },
            course("console.overview.refusals", \.refusals, refusalStyle) { perSecond($0) },
            course("figure.sessions", \.sessions) { String($0) },
            course("console.overview.commit", \.commitMicroseconds) { "\($0) µs" }, queueRow,
            Course(label: "console.overview.hitRate", now: rate, values: hits) { "\($0) %" },
            course("console.overview.uploads", \.uploadedBytes) { "\(shownBytes($0))/s" },
            course("console.overview.downloads", \.downloadedBytes) { "\(shownBytes($0))/s" },
            free,
        ]
    }

    // MARK: Limits and figures

    private func limits(_ status: AdminStatus, _ look: Look) -> [Line] {
        let heading = Line(
            " " + Cells.fitted(Cells.drawable(look("table.limit")), to: 32)
                + Cells.fitted(look("table.value"), to: 12, onTheRight: true)
                + Cells.fitted(look("table.peak"), to: 12, onTheRight: true), .heading)
        let shares = status.limits.map { percent(of: $0.current, in: $0.maximum) }
        // The nearest first; those alike stay in their order.
        let nearest = shares.indices.sorted { (shares[$1], $0) < (shares[$0], $1) }
        return [heading]
            + nearest.map { place in
                let (limit, share) = (status.limits[place], shares[place])
                let style: Style = share >= 90 ? .bad : share >= 70 || limit.refusals > 0 ? .warning : .plain
                let refused =
                    limit.refusals > 0 ? "  " + look("console.overview.refused", ["count": String(limit.refusals)]) : ""
                return Line(
                    " " + Cells.fitted(Cells.drawable(look.name(of: limit)), to: 32)
                        + Cells.fitted("\(share) %", to: 12, onTheRight: true)
                        + Cells.fitted("\(percent(of: limit.peak, in: limit.maximum)) %", to: 12, onTheRight: true)
                        + refused, style)
            }
    }

    private func metrics(_ status: AdminStatus, _ look: Look) -> [Line] {
        [Line(" " + look("table.figure"), .heading)]
            + status.metrics.map { figure in
                let key = "figure.\(figure.name)"
                let name = look(key) == key ? figure.name : look(key)
                let isBytes = figure.name.hasSuffix("Bytes") || figure.name.hasSuffix(".bytes")
                let value = isBytes ? shownBytes(figure.value) : String(figure.value)
                return Line(" " + Cells.fitted(Cells.drawable(name), to: 40), .dim)
                    + Line(Cells.fitted(value, to: 14, onTheRight: true))
            }
    }
}

/// Something that needs the operator, with what to do about it.
struct Warning: Hashable, Sendable {
    /// The last minute is looked at.
    private static let points = 60
    private static let slowCommitMicroseconds: Int64 = 100_000
    private static let smallRoomBytes: Int64 = 1 << 30
    /// Below this many look-ups the rate says nothing.
    private static let enoughLookUps: Int64 = 1_000

    var text: String
    /// Advice; `nil` when the text gives it already.
    var advice: String?
    var style: Style

    static func all(_ status: AdminStatus, _ points: [AdminLivePoint], _ look: Look) -> [Warning] {
        status.troubles.map { Warning(text: $0, style: .bad) } + Self.limits(status, look)
            + Self.course(Array(points.suffix(Self.points)), look) + Self.metrics(status, look)
            + Self.cache(points, look)
    }

    private static func limits(_ status: AdminStatus, _ look: Look) -> [Warning] {
        status.limits.compactMap { limit in
            let share = percent(of: limit.current, in: limit.maximum)
            guard share >= 90 else { return nil }
            let values = ["name": look.name(of: limit), "share": String(share), "maximum": String(limit.maximum)]
            let key =
                limit.name.hasPrefix("commit_queue") || limit.name.hasPrefix("queue")
                ? "console.warning.queueAdvice"
                : limit.unit == "connections" ? "console.warning.connectionsAdvice" : "console.warning.limitAdvice"
            return Warning(
                text: look("console.warning.limit", values), advice: look(key, ["key": limit.name]), style: .bad)
        }
    }

    private static func course(_ points: [AdminLivePoint], _ look: Look) -> [Warning] {
        var warnings: [Warning] = []
        let refused = points.reduce(0) { $0 + $1.refusals }
        if refused > 0 {
            warnings.append(
                Warning(
                    text: look("console.warning.refusals", ["count": String(refused)]),
                    advice: look("console.warning.refusalsAdvice"), style: .warning))
        }
        let commits = points.reduce(0) { $0 + $1.commits }
        let mean = points.reduce(0) { $0 + $1.commits * $1.commitMicroseconds } / max(1, commits)
        if mean >= Self.slowCommitMicroseconds {
            warnings.append(
                Warning(
                    text: look("console.warning.commits", ["milliseconds": String(mean / 1000)]),
                    advice: look("console.warning.commitsAdvice"), style: .warning))
        }
        if let free = points.last?.freeBytes, free < Self.smallRoomBytes {
            warnings.append(
                Warning(
                    text: look("console.warning.room", ["bytes": shownBytes(free)]),
                    advice: look("console.warning.roomAdvice"), style: .bad))
        }
        return warnings
    }

    private static func metrics(_ status: AdminStatus, _ look: Look) -> [Warning] {
        let age = status.figure("hooksOldestSeconds")
        guard status.figure("hooksWaiting") > 0, age >= 60 else { return [] }
        let values = ["count": String(status.figure("hooksWaiting")), "age": shownDuration(seconds: age)]
        return [
            Warning(
                text: look("console.warning.hooks", values), advice: look("console.warning.hooksAdvice"),
                style: .warning)
        ]
    }

    private static func cache(_ points: [AdminLivePoint], _ look: Look) -> [Warning] {
        let lookUps = points.reduce(0) { $0 + $1.profileLookUps }
        let rate = points.reduce(0) { $0 + $1.profileHits } * 100 / max(1, lookUps)
        guard lookUps >= Self.enoughLookUps, rate < 50 else { return [] }
        return [
            Warning(
                text: look("console.warning.cache", ["share": String(rate)]),
                advice: look("console.warning.cacheAdvice"), style: .warning)
        ]
    }
}

extension AdminStatus {
    fileprivate func figure(_ name: String) -> Int64 { self.metrics.first { $0.name == name }?.value ?? 0 }

    fileprivate func limit(_ name: String) -> AdminLimit? { self.limits.first { $0.name == name } }
}

extension Look {
    /// A limit in words, or as the configuration calls it.
    func name(of limit: AdminLimit) -> String {
        let key = "limit.\(limit.name)"
        let name = self(key)
        return name == key ? limit.name : name
    }
}

/// The course of a number in one row.
package enum Sparkline {
    private static let levels = Array("▁▂▃▄▅▆▇█")

    /// The newest at the right; when there are more values than cells, each cell shows the highest of its share.
    ///
    /// - Parameter firstNumber: which one of all the first value is. Shares begin at the same numbers always, so that
    ///   the row stands still while values come and only its end changes.
    package static func text(
        _ values: [Int64], width: Int, firstNumber: Int64 = 0, isLogarithmic: Bool = false
    ) -> String {
        guard !values.isEmpty, width > 0 else { return "" }
        let share = (values.count + width - 1) / width
        var peaks: [Int64] = []
        // So many of the first share are not there any more.
        var filled = Int(firstNumber % Int64(share))
        for value in values {
            if filled == 0 || peaks.isEmpty {
                peaks.append(value)
            } else {
                peaks[peaks.count - 1] = max(peaks[peaks.count - 1], value)
            }
            filled = (filled + 1) % share
        }
        let shown = peaks.suffix(width)
        let highest = max(1, shown.max() ?? 1)
        let top = Self.levels.count - 1
        return String(
            shown.map { value in
                let value = max(0, value)
                guard isLogarithmic else { return Self.levels[Int(value * Int64(top) / highest)] }
                let share = log2(Double(value) + 1) / log2(Double(highest) + 1)
                return Self.levels[Int(share * Double(top))]
            })
    }

    /// True for a course with a peak beside which the rest would look like nothing.
    package static func isUneven(_ values: [Int64]) -> Bool {
        guard let highest = values.max(), highest >= 100 else { return false }
        let used = values.filter { $0 > 0 }
        return highest / 50 > used.reduce(0, +) / Int64(max(1, used.count))
    }
}
