import CLinux
import CommandLineKit
import LeanCloudPull

/// Shows what a pull is at: one line that changes on a terminal, a line now and then elsewhere. Confined to its thread.
final class PullBoard {
    private static let lineNanoseconds: Int64 = 10_000_000_000

    private let terminal: Terminal
    private let live: LiveLine?
    private let now: () -> Int64
    private var subject: PullEvent.Subject?
    private var subjectSince: Int64 = 0
    private var shareAtStart: Double?
    private var writtenAt: Int64?

    init(_ terminal: Terminal, now: @escaping () -> Int64 = { clinux_monotonic_nanoseconds() }) {
        self.terminal = terminal
        self.live = LiveLine(terminal)
        self.now = now
    }

    func show(_ event: PullEvent) {
        switch event {
        case .progress(let progress): self.show(progress)
        case .waiting(let milliseconds, let reason):
            // A hiccup is nobody's business.
            guard milliseconds >= 3_000 else { return }
            let values = [
                "time": shownDuration(seconds: (milliseconds + 999) / 1_000), "reason": DisplayText.escaped(reason),
            ]
            self.write(self.terminal.text("ctl.pull.waiting", values))
        case .followed(let messages, let rows, let files):
            let values = ["messages": String(messages), "rows": String(rows), "files": String(files)]
            if let live = self.live {
                try? live.draw { _ in self.terminal.text("ctl.pull.followed", values) }
            } else if messages + rows + files > 0 {
                self.write(self.terminal.text("ctl.pull.followed", values))
            }
        }
    }

    func end() { try? self.live?.erase() }

    private func show(_ progress: PullProgress) {
        let now = self.now()
        let isNew = self.subject != progress.subject
        if isNew {
            self.subject = progress.subject
            self.subjectSince = now
            self.shareAtStart = progress.share
        }
        let text = self.text(progress, now)
        if let live = self.live {
            try? live.draw { columns in
                let bar = ProgressBar.text(
                    done: progress.share.map { Int64($0 * 1_000) } ?? 0, of: progress.share == nil ? nil : 1_000,
                    width: min(24, columns / 3))
                return bar + " " + text
            }
        } else if isNew || self.writtenAt.map({ now - $0 >= Self.lineNanoseconds }) ?? true {
            self.write(text)
            self.writtenAt = now
        }
    }

    private func text(_ progress: PullProgress, _ now: Int64) -> String {
        var text =
            switch progress.subject {
            case .export: self.terminal.text("word.pull.export", ["count": String(progress.count)])
            case .rows(let name):
                self.terminal.text(
                    "word.pull.rows", ["count": String(progress.count), "name": DisplayText.escaped(name)])
            case .messages: self.terminal.text("word.pull.messages", ["count": String(progress.count)])
            case .conversations: self.terminal.text("word.pull.conversations", ["count": String(progress.count)])
            case .subscribers: self.terminal.text("word.pull.subscribers", ["count": String(progress.count)])
            case .files:
                self.terminal.text(
                    "word.pull.files", ["count": String(progress.count), "bytes": shownBytes(progress.bytes)])
            case .finishing: self.terminal.text("word.pull.finishing")
            }
        if let left = self.secondsLeft(progress, now) {
            text += ", " + self.terminal.text("word.pull.left", ["time": shownDuration(seconds: left)])
        }
        return text
    }

    /// From how fast this part went so far.
    private func secondsLeft(_ progress: PullProgress, _ now: Int64) -> Int64? {
        guard let share = progress.share, let start = self.shareAtStart, share - start > 0.01, share < 1 else {
            return nil
        }
        let seconds = Double(now - self.subjectSince) / 1e9
        guard seconds >= 3 else { return nil }
        return Int64(seconds / (share - start) * (1 - share))
    }

    private func write(_ line: String) {
        try? self.live?.erase()
        self.terminal.complain(line + "\n")
    }
}

/// Text about what a pull brought or would bring.
struct PullText {
    private let terminal: Terminal

    init(_ terminal: Terminal) { self.terminal = terminal }

    func lines(of report: PullReport) -> String {
        var table = Table([
            Table.Column(self.terminal.text("table.pullWhat"), maximumWidth: 40),
            Table.Column(self.terminal.text("table.pullHere"), .right),
            Table.Column(self.terminal.text("table.pullThere"), .right),
            Table.Column(self.terminal.text("table.pullMissing"), .right),
            Table.Column(self.terminal.text("table.pullOdd"), .right),
            Table.Column(self.terminal.text("table.pullGone"), .right),
        ])
        func add(_ line: PullReport.Line, _ name: String) {
            table.add([
                name, String(line.here), line.there.map { String($0) } ?? "-",
                line.there == nil ? "-" : String(line.missing), String(line.odd), String(line.gone),
            ])
        }
        // What many apps have nothing of is left out.
        for line in report.classes
        where line.isAsked || line.here + line.odd + line.gone + (line.there ?? 0) > 0 || line.failure != nil {
            add(line, line.name)
        }
        let word: (String) -> String = { self.terminal.text("word.pullLine.\($0)") }
        if report.exported.here > 0 { add(report.exported, word("export")) }
        add(report.messages, word("messages"))
        if report.subscribers.here > 0 { add(report.subscribers, word("subscribers")) }
        if report.files.there != nil { add(report.files, word("files")) }
        var text = table.text
        for line in report.classes + [report.messages, report.subscribers] {
            if let failure = line.failure { text += self.sentence("ctl.pull.failed", line.name, failure) }
        }
        if report.lackingCount > 0 {
            text += self.terminal.text("ctl.pull.lacking", ["count": String(report.lackingCount)]) + "\n"
        }
        for file in report.badFiles.prefix(10) { text += self.sentence("ctl.pull.badFile", "", file) }
        if report.badFileCount > 10 {
            text += self.terminal.text("ctl.pull.moreBadFiles", ["count": String(report.badFileCount - 10)]) + "\n"
        }
        for note in report.notes { text += DisplayText.escaped(note) + "\n" }
        return text
    }

    private func sentence(_ key: String, _ name: String, _ reason: String) -> String {
        let values = ["name": DisplayText.escaped(name), "reason": DisplayText.escaped(reason)]
        return self.terminal.text(key, values) + "\n"
    }

    func lines(of preview: PullPreview, _ options: PullOptions) -> String {
        var table = Table([
            Table.Column(self.terminal.text("table.pullWhat"), maximumWidth: 40),
            Table.Column(self.terminal.text("table.pullThere"), .right),
        ])
        for line in preview.classes where line.rows > 0 { table.add([line.name, String(line.rows)]) }
        if options.messages {
            let count = (preview.isExact ? "" : "~") + String(preview.messages)
            table.add([self.terminal.text("word.pullLine.messages"), count])
        }
        var text = table.text
        if let first = preview.firstMessage, let last = preview.lastMessage {
            let values = ["first": localTime(first), "last": localTime(last)]
            text += self.terminal.text("ctl.pull.span", values) + "\n"
        }
        let files = options.files ? preview.files : 0
        let seconds = (preview.requests + files) / Int64(options.rate) + 1
        let values = [
            "requests": String(preview.requests), "files": String(files), "rate": String(options.rate),
            "time": shownDuration(seconds: seconds),
        ]
        return text + self.terminal.text("ctl.pull.estimate", values) + "\n"
    }
}
