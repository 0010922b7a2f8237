import AdminAPI
import CLinux
import CommandLineKit
import Glibc

/// `teahouse ctl top`
let topCommand = Command(
    "top", summary: "command.ctl.top", options: [CommandOption("once", .flag, help: "option.once")],
    examples: ["teahouse ctl top", "teahouse ctl top --once --json"],
    body: Control.command { control throws(CommandFailure) in
        let isOnce = control.invocation.has("once")
        if !isOnce { try control.refuseEndless() }
        let answer = try control.ask(.live(isOnce ? .look : .start))
        guard case .live(let history) = answer else { throw control.unexpectedAnswer }
        if isOnce {
            if control.wantsJSON { return try control.print(json: answer.json) }
            return try control.terminal.print(control.lines(of: history).map { $0 + "\n" }.joined())
        }
        if let screen = control.terminal.screen, !control.wantsJSON {
            return try control.watch(on: screen, history)
        }
        try control.watchInLines(history)
    })

extension Control {
    /// Draws a picture of what happens, until q, Ctrl-C or a signal.
    ///
    /// - Parameter lines: lines of the picture after an event, at a size; `nil` for no news, as at first.
    func watch(
        on screen: Screen, _ lines: (AdminEvent?, ScreenSize) -> [String]
    ) throws(CommandFailure) {
        // A signal must not leave the terminal as the picture needs it.
        let signals = clinux_signal_descriptor()
        defer { if signals >= 0 { close(signals) } }
        let picture = try LivePicture(self.terminal, screen)
        defer { picture.end() }
        let wakers = [screen.keys, signals >= 0 ? signals : nil].compactMap { $0 }
        var event: AdminEvent?
        repeat {
            try picture.draw(lines(event, picture.size))
            // Now and then also without news: the window may have changed its size.
            event = try self.talk { client throws(AdminError) in
                try client.nextEvent(withinMilliseconds: 500, orReadable: wakers)
            }
        } while !picture.isAskedToEnd() && (signals < 0 || clinux_next_signal(signals) == 0)
    }

    /// A picture once a second.
    fileprivate func watch(on screen: Screen, _ history: AdminLiveHistory) throws(CommandFailure) {
        var history = history
        try self.watch(on: screen) { event, _ in
            if case .liveMetrics(let point) = event {
                if history.points.count >= AdminProtocol.livePoints { history.points.removeFirst() }
                history.points.append(point)
            }
            return self.lines(of: history)
        }
    }

    /// A line a second, until the server stops or the command is ended.
    fileprivate func watchInLines(_ history: AdminLiveHistory) throws(CommandFailure) {
        while true {
            let event = try self.talk { client throws(AdminError) in try client.nextEvent() }
            guard case .liveMetrics(let point) = event else { continue }
            if self.wantsJSON {
                try self.print(json: event.json)
            } else {
                let line = self.metrics(of: point).map { "\($0.title) \($0.value)" }.joined(separator: "  ")
                try self.terminal.print("\(localTime(point.atMilliseconds))  \(line)\n")
            }
        }
    }

    /// The newest point with what it was in the last minute, and the limits.
    fileprivate func lines(of history: AdminLiveHistory) -> [String] {
        guard let now = history.points.last else { return [self.text("ctl.top.empty")] }
        let rows = self.metrics(of: now)
        let titles = rows.map { displayWidth(of: $0.title) }.max() ?? 0
        let values = rows.map { displayWidth(of: $0.value) }.max() ?? 0
        var lines = [localTime(now.atMilliseconds), ""]
        for row in rows {
            let title = row.title + String(repeating: " ", count: titles - displayWidth(of: row.title))
            let value = String(repeating: " ", count: values - displayWidth(of: row.value)) + row.value
            lines.append("\(title)  \(value)  \(sparkline(history.points.suffix(60).map { $0[keyPath: row.path] }))")
        }
        lines.append("")
        for limit in history.limits {
            let refused = limit.refusals == 0 ? "" : "  " + self.text("ctl.top.refused", ["count": "\(limit.refusals)"])
            lines.append(
                DisplayText.escaped("\(limit.name)  \(limit.current) / \(limit.maximum) \(limit.unit)  ^\(limit.peak)")
                    + refused)
        }
        return lines
    }

    private struct LiveRow {
        var title: String
        var value: String
        var path: KeyPath<AdminLivePoint, Int64>
    }

    private func metrics(of point: AdminLivePoint) -> [LiveRow] {
        let plain: (Int64) -> String = { String($0) }
        let rows: [(String, KeyPath<AdminLivePoint, Int64>, (Int64) -> String)] = [
            ("ctl.top.messages", \.messages, plain), ("ctl.top.deliveries", \.deliveries, plain),
            ("ctl.top.refusals", \.refusals, plain), ("ctl.top.sessions", \.sessions, plain),
            ("ctl.top.usersOnline", \.usersOnline, plain), ("ctl.top.commits", \.commits, plain),
            ("ctl.top.commitMicroseconds", \.commitMicroseconds, plain),
            ("ctl.top.queueRequests", \.queueRequests, plain), ("ctl.top.queueBytes", \.queueBytes, shownBytes),
            ("ctl.top.profileLookUps", \.profileLookUps, plain), ("ctl.top.uploads", \.uploads, plain),
            ("ctl.top.downloads", \.downloads, plain), ("ctl.top.uploadedBytes", \.uploadedBytes, shownBytes),
            ("ctl.top.downloadedBytes", \.downloadedBytes, shownBytes), ("ctl.top.freeBytes", \.freeBytes, shownBytes),
        ]
        return rows.map { LiveRow(title: self.text($0.0), value: $0.2(point[keyPath: $0.1]), path: $0.1) }
    }
}

/// Values as columns of eight heights, the largest the highest; nothing but zeros is flat.
func sparkline(_ values: [Int64]) -> String {
    let columns = Array("▁▂▃▄▅▆▇█")
    let most = max(1, values.max() ?? 1)
    return String(
        values.map { value in
            let share = Double(max(0, value)) / Double(most)
            return columns[min(columns.count - 1, Int(share * Double(columns.count - 1) + 0.5))]
        })
}
