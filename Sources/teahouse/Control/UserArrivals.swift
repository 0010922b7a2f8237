import AdminAPI
import ChatModel
import CommandLineKit
import LeanCloudTranslation

/// `teahouse ctl user import --leancloud`: people from the export of an app, with their passwords and without tokens.
///
/// Requests are sent a few at a time, so that the server's commits are shared.
final class UserArrivals {
    /// Requests sent and not yet answered.
    private static let maximumUnderWay = 3

    private let control: Control
    private let path: String
    private let isDryRun: Bool
    private var rows: [AdminArrival] = []
    /// Where these rows begin in the file, and their bytes on the socket.
    private var lines: [Int] = []
    private var bytes = 0
    /// The lines of each request under way, by its id.
    private var underWay: [Int64: [Int]] = [:]
    /// Only of a dry run: the server sees a part of the file at a time.
    private var seen: Set<UserName> = []
    private var report = ArrivalReport()

    init(_ control: Control) {
        self.control = control
        self.path = control.invocation.argument("FILE")
        self.isDryRun = control.invocation.has("dry-run")
    }

    /// - Throws: exit code 64 with options that are for other files; 1 when somebody cannot be here, after the others are.
    func run() throws(CommandFailure) {
        guard !self.control.invocation.has("csv"), self.control.invocation.values("device").isEmpty else {
            throw CommandFailure(.usage, self.control.text("ctl.arrival.alone"))
        }
        var splitter = LeanCloudExportSplitter(maximumBytes: AdminProtocol.maximumLineBytes)
        try self.control.forEachPiece(of: self.path) { piece throws(CommandFailure) in
            for row in splitter.read(piece) { try self.add(row) }
        }
        for row in splitter.end() { try self.add(row) }
        if !self.rows.isEmpty { try self.send() }
        while !self.underWay.isEmpty { try self.takeAnswer() }
        try self.finish()
    }

    // MARK: Rows

    private func add(_ row: LeanCloudExportSplitter.Row) throws(CommandFailure) {
        guard let text = row.text else {
            let maximum = String(AdminProtocol.maximumLineBytes)
            return self.refuse(row.line, self.control.text("word.arrival.tooLong", ["maximum": maximum]))
        }
        do throws(LeanCloudExportedUser.Problem) {
            let user = try LeanCloudExportedUser(parsing: text)
            self.append(AdminArrival(user), line: row.line)
        } catch {
            return self.refuse(row.line, self.words(for: error))
        }
        if self.rows.count == AdminProtocol.importRows || self.bytes >= AdminProtocol.arrivalBytes { try self.send() }
    }

    private func append(_ row: AdminArrival, line: Int) {
        if self.isDryRun && !self.seen.insert(row.name).inserted {
            self.report.again.append(row.name)
            return
        }
        self.rows.append(row)
        self.lines.append(line)
        self.bytes += row.lineBytes
    }

    private func refuse(_ line: Int, _ reason: String) {
        self.report.refused += 1
        self.complain("ctl.arrival.badLine", line, ["reason": reason])
    }

    private func complain(_ key: String, _ line: Int, _ values: [String: String]) {
        let place = ["path": self.path, "line": String(line)]
        self.control.terminal.complain(self.control.text(key, place.merging(values) { $1 }) + "\n")
    }

    private func words(for problem: LeanCloudExportedUser.Problem) -> String {
        switch problem {
        case .noObject: self.control.text("word.arrival.noObject")
        case .noID: self.control.text("word.arrival.noID")
        case .badID: self.control.text("word.arrival.badID", ["maximum": String(UserName.maximumScalars)])
        case .badUsername:
            self.control.text("word.arrival.badUsername", ["maximum": String(AppLimits.usernameScalars)])
        case .badMember(let member): self.control.text("word.arrival.badMember", ["member": member])
        case .tooManyFields:
            self.control.text("word.arrival.tooManyFields", ["maximum": String(AppLimits.fieldsBytes)])
        }
    }

    // MARK: The server

    private func send() throws(CommandFailure) {
        if self.underWay.count == Self.maximumUnderWay { try self.takeAnswer() }
        let request = AdminRequest.people(.bring(self.rows, isDryRun: self.isDryRun))
        let id = try self.control.talk { client throws(AdminError) in try client.send(request) }
        self.underWay[id] = self.lines
        self.rows.removeAll(keepingCapacity: true)
        self.lines.removeAll(keepingCapacity: true)
        self.bytes = 0
    }

    private func takeAnswer() throws(CommandFailure) {
        let (id, answer) = try self.control.talk { client throws(AdminError) -> (Int64, AdminAnswer) in
            let (id, answer) = try client.nextAnswer()
            return (id, try answer.get())
        }
        guard case .brought(let results) = answer, let lines = self.underWay.removeValue(forKey: id),
            lines.count == results.count
        else { throw self.control.unexpectedAnswer }
        for (result, line) in zip(results, lines) {
            if let error = result.error {
                self.refuse(line, "\(result.name): \(error)")
            } else if result.password == .missing {
                self.complain("ctl.arrival.noPassword", line, ["name": result.name.text])
            }
        }
        self.report.noteResults(results, keepsAll: self.isDryRun && self.control.wantsJSON)
        try self.show(results)
    }

    private func show(_ results: [AdminArrivalResult]) throws(CommandFailure) {
        if self.control.wantsJSON {
            // A dry run is one answer.
            if !self.isDryRun { try self.control.print(json: AdminAnswer.brought(results).json) }
            return
        }
        let taken = results.filter { $0.error == nil }
        guard self.isDryRun else {
            // For programs: neither a user name nor an escaped one holds a tab.
            let lines = taken.map { "\($0.name)\t\(DisplayText.escaped($0.username))\n" }
            return try self.control.terminal.print(lines.joined())
        }
        for result in taken where result.existed {
            let words = self.control.text(result.changed ? "word.arrival.exists" : "word.arrival.same")
            try self.control.terminal.print("\(result.name): \(words)\n")
        }
    }

    private func finish() throws(CommandFailure) {
        if self.isDryRun {
            if self.control.wantsJSON {
                try self.control.print(json: AdminAnswer.brought(self.report.results).json)
            } else {
                for name in self.report.again {
                    try self.control.terminal.print("\(name): \(self.control.text("word.import.again"))\n")
                }
                let counts = self.report.counts.mapValues { String($0) }
                try self.control.terminal.print(self.control.text("ctl.arrival.preview", counts) + "\n")
            }
        }
        guard self.report.refused > 0 else { return }
        guard !self.isDryRun else { throw CommandFailure(.refused, "") }
        let values = ["failed": String(self.report.refused), "count": String(self.report.taken)]
        throw CommandFailure(.refused, self.control.text("ctl.import.failed", values))
    }
}

/// Report on a whole file.
private struct ArrivalReport {
    var refused = 0
    /// People who are in the file more than once.
    var again: [UserName] = []
    private(set) var taken = 0
    private(set) var results: [AdminArrivalResult] = []
    private var new = 0
    private var same = 0
    private var bare = 0

    mutating func noteResults(_ results: [AdminArrivalResult], keepsAll: Bool) {
        if keepsAll { self.results += results }
        for result in results where result.error == nil {
            self.taken += 1
            if !result.existed { self.new += 1 }
            if result.existed && !result.changed { self.same += 1 }
            if result.password == .missing { self.bare += 1 }
        }
    }

    var counts: [String: Int] {
        [
            "new": self.new, "missing": self.taken - self.new - self.same, "same": self.same,
            "again": self.again.count, "refused": self.refused, "bare": self.bare,
        ]
    }
}

extension AdminArrival {
    fileprivate init(_ user: LeanCloudExportedUser) {
        self.init(
            name: user.name, username: user.app.username ?? user.name.text, email: user.app.email,
            phone: user.app.phone, fields: user.app.fields.map { String(decoding: $0, as: UTF8.self) },
            createdAtMilliseconds: user.app.createdAtMilliseconds, displayName: user.displayName, avatar: user.avatar,
            salt: user.salt, hash: user.hash)
    }
}
