import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl user import`
///
/// Requests of some hundred people are sent a few at a time, so that the server's commits are shared.
let userImportCommand = Command(
    "import", summary: "command.ctl.user.import", arguments: [CommandArgument("FILE", help: "argument.importFile")],
    options: [CommandOption("device", .choice(deviceNames), help: "option.importDevice", isRepeated: true)],
    examples: ["teahouse ctl user import people.txt", "teahouse ctl user import - --device web"],
    body: Control.command { control throws(CommandFailure) in
        let named = control.invocation.values("device").compactMap { DeviceClass($0) }
        let importing = UserImport(control, named.isEmpty ? [.app, .web, .desktop] : named)
        let path = control.invocation.argument("FILE")
        try control.forEachLine(of: path) { line, number throws(CommandFailure) in
            try importing.add(line, number: number, path: path)
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

    func add(_ line: String, number: Int, path: String) throws(CommandFailure) {
        let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = UserName(String(parts[0])) else {
            self.failed += 1
            let values = ["path": path, "line": String(number)]
            return self.control.terminal.complain(self.control.text("ctl.import.badLine", values) + "\n")
        }
        let displayName = parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil
        self.rows.append(AdminImportRow(name: name, displayName: displayName))
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
