import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl user import`
///
/// Requests of some hundred people are sent a few at a time, so that the server's commits are shared.
let userImportCommand = Command(
    "import", summary: "command.ctl.user.import", arguments: [CommandArgument("FILE", help: "argument.importFile")],
    options: [
        CommandOption("device", .choice(deviceNames), help: "option.importDevice", isRepeated: true),
        CommandOption("dry-run", .flag, help: "option.importDryRun"),
        CommandOption("csv", .flag, help: "option.importCSV"),
        CommandOption("leancloud", .flag, help: "option.importLeanCloud"),
    ],
    examples: [
        "teahouse ctl user import people.txt", "teahouse ctl user import - --device web",
        "teahouse ctl user import people.csv --dry-run",
        "teahouse ctl user import _User.0.jsonl --leancloud --dry-run",
        "teahouse ctl user import _User.0.jsonl --leancloud",
    ],
    body: Control.command { control throws(CommandFailure) in
        if control.invocation.has("leancloud") { return try UserArrivals(control).run() }
        if control.invocation.has("dry-run") { return try control.previewImport() }
        let named = control.invocation.values("device").compactMap { DeviceClass($0) }
        let importing = UserImport(control, named.isEmpty ? [.app, .web, .desktop] : named)
        let path = control.invocation.argument("FILE")
        try control.forEachPerson(of: path) { row, number throws(CommandFailure) in
            try importing.add(row, number: number, path: path)
        }
        try importing.finish()
    })

/// An import under way.
private final class UserImport {
    /// Requests sent and not yet answered.
    private static let maximumUnderWay = 3

    private let control: Control
    private let classes: [DeviceClass]
    private var rows: [AdminImportRow] = []
    private var underWay = 0
    private var imported: Int64 = 0
    private var failed: Int64 = 0

    init(_ control: Control, _ classes: [DeviceClass]) {
        self.control = control
        self.classes = classes
    }

    /// - Parameter row: `nil` for a line that names nobody.
    func add(_ row: AdminImportRow?, number: Int, path: String) throws(CommandFailure) {
        guard let row else {
            self.failed += 1
            return self.control.complain(ofLine: number, path)
        }
        self.rows.append(row)
        if self.rows.count == AdminProtocol.importRows { try self.send() }
    }

    /// Sends what is left, takes all answers, and says how many failed.
    func finish() throws(CommandFailure) {
        if !self.rows.isEmpty { try self.send() }
        while self.underWay > 0 { try self.takeAnswer() }
        guard self.failed > 0 else { return }
        let values = ["failed": String(self.failed), "count": String(self.imported)]
        throw CommandFailure(.refused, self.control.text("ctl.import.failed", values))
    }

    private func send() throws(CommandFailure) {
        if self.underWay == Self.maximumUnderWay { try self.takeAnswer() }
        let request = AdminRequest.importUsers(self.rows, self.classes)
        _ = try self.control.talk { client throws(AdminError) in try client.send(request) }
        self.underWay += 1
        self.rows.removeAll(keepingCapacity: true)
    }

    private func takeAnswer() throws(CommandFailure) {
        let answer = try self.control.talk { client throws(AdminError) in try client.nextAnswer().answer.get() }
        guard case .imported(let results) = answer else { throw self.control.unexpectedAnswer }
        self.underWay -= 1
        for result in results where result.token == nil {
            self.failed += 1
            self.control.terminal.complain(DisplayText.escaped("\(result.name): \(result.error ?? "")") + "\n")
        }
        let made = results.filter { $0.token != nil }
        self.imported += Int64(made.count)
        if self.control.wantsJSON {
            return try self.control.print(json: AdminAnswer.imported(results).json)
        }
        // For programs, so the names are as they are: a user name holds no control characters.
        try self.control.terminal.print(made.map { "\($0.name)\t\($0.token ?? "")\n" }.joined())
    }
}

extension Control {
    fileprivate func complain(ofLine number: Int, _ path: String) {
        let values = ["path": path, "line": String(number)]
        self.terminal.complain(self.text("ctl.import.badLine", values) + "\n")
    }

    /// Calls `body` with the person of each line of a file, `nil` for a line that names nobody, and the number of the
    /// line. A file whose name ends in `.csv`, or any with `--csv`, is comma-separated values, others are a name and
    /// behind a tab what people are shown.
    fileprivate func forEachPerson(
        of path: String, _ body: (AdminImportRow?, Int) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        guard self.invocation.has("csv") || path.lowercased().hasSuffix(".csv") else {
            return try self.forEachLine(of: path) { line, number throws(CommandFailure) in
                try body(AdminImportRow(line: line), number)
            }
        }
        var reader = CSVReader()
        var table = AdminImportTable()
        func takeRows(_ rows: [CSVRow]) throws(CommandFailure) {
            for row in rows {
                guard case .success(let fields) = row.fields else {
                    try body(nil, row.line)
                    continue
                }
                switch table.read(fields) {
                case .heading: break
                case .person(let person): try body(person, row.line)
                case .wrong: try body(nil, row.line)
                }
            }
        }
        try self.forEachPiece(of: path) { piece throws(CommandFailure) in try takeRows(reader.read(piece)) }
        try takeRows(reader.end())
    }

    /// Says of every line what an import would do; a name that stands twice is told of.
    fileprivate func previewImport() throws(CommandFailure) {
        let path = self.invocation.argument("FILE")
        var rows: [AdminImportRow] = []
        var seen: Set<UserName> = []
        var report = ImportReport()
        try self.forEachPerson(of: path) { row, number throws(CommandFailure) in
            guard let row else {
                report.bad += 1
                return self.complain(ofLine: number, path)
            }
            // The server sees a part of the file at a time.
            guard seen.insert(row.name).inserted else {
                return report.notePreview(AdminImportPreview(name: row.name, outcome: .again))
            }
            rows.append(row)
            if rows.count == AdminProtocol.importRows { try self.ask(about: &rows, &report) }
        }
        if !rows.isEmpty { try self.ask(about: &rows, &report) }
        if self.wantsJSON {
            try self.print(json: AdminAnswer.previewed(report.previews).json)
        } else {
            for preview in report.previews where preview.outcome != .new {
                let reason = preview.problem ?? self.text("word.import.\(preview.outcome.rawValue)")
                try self.terminal.print("\(preview.name): \(DisplayText.escaped(reason))\n")
            }
            let counts = report.counts.mapValues { String($0) }
            try self.terminal.print(self.text("ctl.import.preview", counts) + "\n")
        }
        guard report.counts["refused"] == 0 else { throw CommandFailure(.refused, "") }
    }

    private func ask(about rows: inout [AdminImportRow], _ report: inout ImportReport) throws(CommandFailure) {
        guard case .previewed(let previews) = try self.ask(.people(.preview(rows))) else { throw self.unexpectedAnswer }
        for preview in previews { report.notePreview(preview) }
        rows.removeAll(keepingCapacity: true)
    }
}

/// Report on the import of a whole file, before anything is written.
private struct ImportReport {
    var previews: [AdminImportPreview] = []
    /// Lines that name nobody.
    var bad = 0

    mutating func notePreview(_ preview: AdminImportPreview) { self.previews.append(preview) }

    var counts: [String: Int] {
        let count: (AdminImportPreview.Outcome) -> Int = { wanted in self.previews.count { $0.outcome == wanted } }
        return [
            "new": count(.new), "exists": count(.exists), "again": count(.again), "refused": count(.refused) + self.bad,
        ]
    }
}

extension AdminImportRow {
    /// A line: a name, and behind a tab what people are shown. `nil` for a line that names nobody.
    fileprivate init?(line: String) {
        let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = UserName(String(parts[0])) else { return nil }
        self.init(name: name, displayName: parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil)
    }
}
