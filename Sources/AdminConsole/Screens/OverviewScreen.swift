import AdminAPI
import CommandLineKit

/// How the server is: what needs the operator first, then figures with what they were in the last ten minutes.
struct OverviewScreen: Screen {
    /// Seen samples, the newest last: 300 of two seconds are ten minutes.
    private static let maximumSamples = 300

    struct Sample: Hashable, Sendable {
        var atMilliseconds: Int64
        var published: Int64
        var delivered: Int64
        var sessions: Int64
    }

    private var status: AdminStatus?
    private var samples: [Sample] = []
    private var top = 0

    let title = "console.overview"
    let keys: [KeyBinding] = []
    let refreshMilliseconds: Int64? = 2_000
    var copied: String? { self.status?.addresses.first }

    mutating func refresh() -> [Intent] { [.ask(.status, purpose: 0)] }

    mutating func update(_ verb: Verb, _ look: Look) -> [Intent] { [] }

    mutating func move(_ move: TableMove, _ look: Look) {
        switch move {
        case .down: self.top += 1
        case .up: self.top = max(0, self.top - 1)
        case .pageDown: self.top += 10
        case .pageUp: self.top = max(0, self.top - 10)
        case .first: self.top = 0
        default: break
        }
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .status(let status) = answer else { return [] }
        // Another process counts from the start again.
        if status.startedAtMilliseconds != self.status?.startedAtMilliseconds { self.samples = [] }
        self.status = status
        self.samples.append(
            Sample(
                atMilliseconds: look.nowMilliseconds, published: status.figure("published"),
                delivered: status.figure("delivered"), sessions: status.figure("sessions")))
        if self.samples.count > Self.maximumSamples { self.samples.removeFirst() }
        return []
    }

    /// In a second, between each two samples.
    private func rates(_ value: (Sample) -> Int64) -> [Int64] {
        zip(self.samples, self.samples.dropFirst()).map { earlier, later in
            let milliseconds = max(1, later.atMilliseconds - earlier.atMilliseconds)
            return max(0, value(later) - value(earlier)) * 1000 / milliseconds
        }
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
        var lines = self.troubles(status, width: width, look)
        lines += self.server(status, look)
        lines.append(Line())
        lines += self.traffic(status, width: width, look)
        let limits = self.limits(status, look)
        let figures = self.figures(status, look)
        lines.append(Line())
        guard width >= 120 else { return lines + limits + [Line()] + figures }
        for row in 0..<max(limits.count, figures.count) {
            let left = row < limits.count ? limits[row] : Line()
            let right = row < figures.count ? figures[row] : Line()
            lines.append(left.fitted(to: width / 2) + Line("  ") + right)
        }
        return lines
    }

    private func troubles(_ status: AdminStatus, width: Int, _ look: Look) -> [Line] {
        guard !status.troubles.isEmpty else { return [Line(" ✓ " + look("console.overview.good"), .good)] }
        return status.troubles.flatMap { trouble in
            Cells.wrapped(Cells.drawable(trouble), to: width - 4).enumerated().map {
                Line(($0 == 0 ? " ! " : "   ") + $1, .bad)
            }
        }
    }

    private func server(_ status: AdminStatus, _ look: Look) -> [Line] {
        let seconds = (look.nowMilliseconds - status.startedAtMilliseconds) / 1000
        let up = "\(shownDuration(seconds: seconds))  (\(look.time(status.startedAtMilliseconds)))"
        return [
            Self.row(
                look("table.version"),
                "\(status.version)  \(look("console.overview.process", ["id": String(status.processID)]))"),
            Self.row(look("console.overview.up"), up),
            Self.row(look("table.addresses"), status.addresses.joined(separator: "  ")),
            Self.row(look("table.dataFolder"), status.dataFolder),
        ]
    }

    private static func row(_ label: String, _ value: String) -> Line {
        Line(" " + Cells.fitted(Cells.drawable(label), to: 24), .dim) + Line(value)
    }

    private func traffic(_ status: AdminStatus, width: Int, _ look: Look) -> [Line] {
        let (messages, deliveries) = (self.rates(\.published), self.rates(\.delivered))
        let sessions = self.samples.map(\.sessions)
        let commit = "\(status.figure("commitP50Microseconds")) / \(status.figure("commitP99Microseconds")) µs"
        let cells = max(10, width - 40)
        func line(_ key: String, _ value: String, _ values: [Int64]) -> Line {
            Line(" " + Cells.fitted(Cells.drawable(look(key)), to: 24), .dim)
                + Line(Cells.fitted(value, to: 12, onTheRight: true))
                + Line("  " + Sparkline.text(values, width: cells), .accent)
        }
        return [
            line("console.overview.messages", "\(messages.last ?? 0)/s", messages),
            line("console.overview.deliveries", "\(deliveries.last ?? 0)/s", deliveries),
            line("figure.sessions", "\(sessions.last ?? 0)", sessions),
            Self.row(look("console.overview.commit"), commit),
            Self.row(look("console.overview.disk"), shownBytes(status.figure("freeBytes"))),
        ]
    }

    private func limits(_ status: AdminStatus, _ look: Look) -> [Line] {
        let heading = Line(
            " " + Cells.fitted(Cells.drawable(look("table.limit")), to: 32)
                + Cells.fitted(look("table.value"), to: 12, onTheRight: true)
                + Cells.fitted(look("table.peak"), to: 12, onTheRight: true), .heading)
        return [heading]
            + status.limits.map { limit in
                let key = "limit.\(limit.name)"
                let name = look(key) == key ? limit.name : look(key)
                let share = percent(of: limit.current, in: limit.maximum)
                let style: Style = share >= 90 ? .bad : share >= 70 || limit.refusals > 0 ? .warning : .plain
                let refused =
                    limit.refusals > 0 ? "  " + look("console.overview.refused", ["count": String(limit.refusals)]) : ""
                return Line(
                    " " + Cells.fitted(Cells.drawable(name), to: 32)
                        + Cells.fitted("\(share) %", to: 12, onTheRight: true)
                        + Cells.fitted("\(percent(of: limit.peak, in: limit.maximum)) %", to: 12, onTheRight: true)
                        + refused, style)
            }
    }

    private func figures(_ status: AdminStatus, _ look: Look) -> [Line] {
        [Line(" " + look("table.figure"), .heading)]
            + status.figures.map { figure in
                let key = "figure.\(figure.name)"
                let name = look(key) == key ? figure.name : look(key)
                let isBytes = figure.name.hasSuffix("Bytes") || figure.name.hasSuffix(".bytes")
                let value = isBytes ? shownBytes(figure.value) : String(figure.value)
                return Line(" " + Cells.fitted(Cells.drawable(name), to: 40), .dim)
                    + Line(Cells.fitted(value, to: 14, onTheRight: true))
            }
    }
}

extension AdminStatus {
    fileprivate func figure(_ name: String) -> Int64 { self.figures.first { $0.name == name }?.value ?? 0 }
}

/// The course of a number in one row.
package enum Sparkline {
    private static let levels = Array("▁▂▃▄▅▆▇█")

    /// The newest at the right; when there are more values than cells, each cell shows the highest of its share.
    package static func text(_ values: [Int64], width: Int) -> String {
        guard !values.isEmpty, width > 0 else { return "" }
        let share = (values.count + width - 1) / width
        var peaks: [Int64] = []
        for start in stride(from: 0, to: values.count, by: share) {
            peaks.append(values[start..<min(start + share, values.count)].max() ?? 0)
        }
        let highest = max(1, peaks.max() ?? 1)
        return String(peaks.map { Self.levels[Int($0 * Int64(Self.levels.count - 1) / highest)] })
    }
}
