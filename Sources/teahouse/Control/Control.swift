import AdminAPI
import ChatModel
import CommandLineKit
import Configuration
import Glibc

/// One `ctl` command at work: what was typed, where it prints, and the server.
final class Control {
    let invocation: Invocation
    let terminal: Terminal
    let folder: String
    private let connection: AdminClient

    /// Connects to the server of the chosen data folder.
    ///
    /// - Throws: exit code 1 when none runs there, 78 when the environment names a configuration that is wrong.
    init(_ invocation: Invocation, _ terminal: Terminal) throws(CommandFailure) {
        self.invocation = invocation
        self.terminal = terminal
        let folder = try checkedSettings(invocation, terminal).dataFolder
        self.folder = folder
        do throws(AdminError) {
            self.connection = try AdminClient(dataFolder: folder)
            self.connection.who = AdminOperator(
                name: invocation.value("operator"), source: .ctl, reason: invocation.value("why"))
            self.connection.isReadOnly = invocation.has("read-only")
        } catch {
            throw Self.failure(error, folder: folder, terminal)
        }
    }

    /// The body of a `ctl` command.
    static func command(_ body: @escaping @Sendable (Control) throws(CommandFailure) -> Void) -> Command.Body {
        { invocation, terminal throws(CommandFailure) in try body(Control(invocation, terminal)) }
    }

    var wantsJSON: Bool { self.invocation.has("json") }

    // MARK: The server

    /// Asks the server; of a change first the person, where one can be asked.
    func ask(_ request: AdminRequest) throws(CommandFailure) -> AdminAnswer {
        try self.agree(to: request)
        let before = self.state(before: request)
        let answer = try self.talk { client throws(AdminError) in try client.ask(request) }
        if request.isChange { self.tellUndo(AdminChange(request, before: before)) }
        return answer
    }

    /// Asks for something of which only the number of changes comes back.
    func count(_ request: AdminRequest) throws(CommandFailure) -> Int64 {
        guard case .count(let count) = try self.ask(request) else { throw self.unexpectedAnswer }
        return count
    }

    func talk<Value>(_ body: (AdminClient) throws(AdminError) -> Value) throws(CommandFailure) -> Value {
        do throws(AdminError) {
            return try body(self.connection)
        } catch {
            throw Self.failure(error, folder: self.folder, self.terminal)
        }
    }

    var unexpectedAnswer: CommandFailure {
        CommandFailure(.internalError, self.terminal.text("ctl.unexpectedAnswer"))
    }

    /// Failure with the exit code and words for an error.
    static func failure(_ error: AdminError, folder: String, _ terminal: Terminal) -> CommandFailure {
        let error = error.worded { terminal.text($0, $1) }
        let place = ["path": DisplayText.escaped(folder)]
        func failure(_ code: ExitCode, _ message: String? = nil) -> CommandFailure {
            CommandFailure(
                code, message ?? DisplayText.escaped(error.message), word: error.code.rawValue,
                number: error.reason?.number, values: error.reason?.values ?? [])
        }
        switch error.code {
        case .notRunning: return failure(.notRunning, terminal.text("ctl.notRunning", place))
        // The other refusal is of the socket: only here it is known which folder was meant.
        case .notAllowed:
            let isOfRole = error.reason?.number == OperatorRole.refusalNumber
            return failure(.notAllowed, isOfRole ? nil : terminal.text("ctl.denied", place))
        case .failed, .connectionLost: return failure(.inputOutput)
        case .protocolError: return failure(.internalError)
        case .notFound: return failure(.notFound)
        case .refused, .exists, .invalid, .busy, .unavailable, .full: return failure(.refused)
        }
    }

    // MARK: What was typed

    /// An argument that names a person.
    func user(_ argument: String) throws(CommandFailure) -> UserName {
        try self.userName(self.invocation.argument(argument))
    }

    func userName(_ text: String) throws(CommandFailure) -> UserName {
        guard let name = UserName(text) else {
            throw CommandFailure(
                .usage,
                self.terminal.text(
                    "ctl.badUserName",
                    ["name": DisplayText.escaped(text), "maximum": String(UserName.maximumScalars)]))
        }
        return name
    }

    func groupName(_ text: String) throws(CommandFailure) -> ChannelName {
        guard let name = ChannelName(text) else {
            throw CommandFailure(
                .usage,
                self.terminal.text(
                    "ctl.badGroupName",
                    ["name": DisplayText.escaped(text), "maximum": String(ChannelName.maximumScalars)]))
        }
        return name
    }

    /// A new password: asked for twice at a terminal, unseen; otherwise one line of standard input.
    ///
    /// - Throws: usage when nothing came, when the two differ, or when nobody can be asked and `--password-stdin` is not
    ///   given.
    func newPassword() throws(CommandFailure) -> String {
        try self.terminal.newPassword(fromInput: self.invocation.has("password-stdin"))
    }

    // MARK: What is printed

    func text(_ key: String, _ values: [String: String] = [:]) -> String {
        self.terminal.text(key, values.mapValues { DisplayText.escaped($0) })
    }

    /// One line for people, or the answer for scripts.
    func tell(_ answer: AdminAnswer, _ key: String, _ values: [String: String] = [:]) throws(CommandFailure) {
        if self.wantsJSON { return try self.print(json: answer.json) }
        try self.terminal.print(self.text(key, values) + "\n")
    }

    func print(json: [UInt8]) throws(CommandFailure) {
        let text = String(decoding: self.narrowed(json), as: UTF8.self)
        try self.terminal.print(DisplayText.escapedJSON(text) + "\n")
    }

    /// A table for people, its titles from the language files; a sentence when it has no rows.
    func print(_ columns: [Table.Column], rows: [[String]]) throws(CommandFailure) {
        guard !self.narrowed(rows).isEmpty else { return try self.terminal.print(self.text("ctl.nothing") + "\n") }
        var table = Table(
            columns.map { Table.Column(self.text($0.title), $0.alignment, maximumWidth: $0.maximumWidth) })
        for row in self.narrowed(rows) { table.add(row) }
        try self.terminal.print(table.text(fitting: self.terminal.screen?.size().columns))
    }

    func yesOrNo(_ value: Bool) -> String { self.text(value ? "word.yes" : "word.no") }
}

/// A stored time in the operator's own time zone, to the second: `2026-11-21 08:15:00`.
func localTime(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return String(milliseconds) }
    let shown = [CChar](unsafeUninitializedCapacity: 32) { room, count in
        // SAFETY: `strftime` writes at most `room.count` bytes and returns how many, its zero not counted.
        count = strftime(room.baseAddress!, room.count, "%Y-%m-%d %H:%M:%S", &parts)
    }
    return String(decoding: shown.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

extension Terminal {
    /// A new password: asked for twice at a terminal, unseen; otherwise one line of standard input.
    ///
    /// - Throws: usage when nothing came, when the two differ, or when nobody can be asked and the input is not for it.
    func newPassword(fromInput isInput: Bool) throws(CommandFailure) -> String {
        if self.asksForSecrets { return try self.askForPassword() }
        guard isInput else { throw CommandFailure(.usage, self.text("ctl.passwordNeedsTerminal")) }
        guard let line = self.nextLine(), !line.isEmpty else {
            throw CommandFailure(.usage, self.text("ctl.noPassword"))
        }
        return line
    }

    private func askForPassword() throws(CommandFailure) -> String {
        switch self.typedPassword() {
        case .password(let password): return password
        case .cancelled: throw CommandFailure(.usage, self.text("ctl.passwordCancelled"))
        case .different: throw CommandFailure(.usage, self.text("ctl.passwordsDiffer"))
        }
    }

    /// Asks a person twice for a new password.
    func typedPassword() -> TypedPassword {
        guard let first = self.secret(prompt: self.text("ctl.askPassword")), !first.isEmpty,
            let second = self.secret(prompt: self.text("ctl.askPasswordAgain"))
        else { return .cancelled }
        return first == second ? .password(first) : .different
    }
}

/// New password as a person typed it twice.
enum TypedPassword {
    case password(String)
    /// Nothing was typed, or Ctrl-C.
    case cancelled
    /// The second one is not the first.
    case different
}
