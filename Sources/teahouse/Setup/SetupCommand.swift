import CommandLineKit
import Configuration
import Glibc

/// `teahouse setup`: a guided first run, for who has not read anything.
let setupCommand = Command(
    "setup", summary: "command.setup",
    options: [
        SharedOption.config, SharedOption.data, SharedOption.listen,
        CommandOption("name", .value("TEXT"), help: "option.setup.name"),
        CommandOption("tls", .choice(["on", "off"]), help: "option.setup.tls"),
        CommandOption("admin", .value("NAME"), help: "option.setup.admin"),
        CommandOption("password-stdin", .flag, help: "option.passwordStdin"),
        CommandOption("address", .value("URL"), help: "option.inviteAddress"),
        CommandOption("invite", .flag, help: "option.setup.invite"),
        CommandOption("yes", .flag, help: "option.setup.yes"),
    ],
    examples: [
        "teahouse setup", "teahouse setup --yes --name 茶馆 --admin ming --password-stdin",
        "teahouse setup --config /srv/teahouse.toml --data /srv/teahouse --listen 0.0.0.0:7677",
    ]
) { invocation, terminal throws(CommandFailure) in
    var setup = try Setup(invocation, terminal)
    try setup.run()
}

/// One guided first run: asks, then writes the configuration, then sees to a server, an administrator and an
/// invitation. Nothing is changed before the last question is answered, and each change is whole or not there.
struct Setup {
    let invocation: Invocation
    let terminal: Terminal
    /// Path of the configuration, from the root of the disk.
    let path: String
    /// Configuration as it is, or the default one.
    private var edit: FileEdit
    private let isNew: Bool
    /// The service of the package, where it is there and this configuration is its own.
    let unit: ServiceUnit?

    /// Most times that one question is asked.
    private static let attempts = 5

    /// - Throws: exit code 78 when there is a configuration that does not hold, 64 when nobody can be asked, 77 when it
    ///   belongs to somebody else.
    init(_ invocation: Invocation, _ terminal: Terminal) throws(CommandFailure) {
        self.invocation = invocation
        self.terminal = terminal
        guard invocation.has("yes") || terminal.asksForSecrets else {
            throw CommandFailure(.usage, terminal.text("setup.needsTerminal"))
        }
        self.path = SetupFiles.absolute(Self.path(invocation, terminal))
        guard SetupFiles.canWrite(self.path) else {
            let values = ["path": DisplayText.escaped(self.path)]
            throw CommandFailure(.notAllowed, terminal.text("setup.notYours", values))
        }
        self.unit = ServiceUnit(configuration: self.path)
        let text = try SetupFiles.text(of: self.path, terminal)
        self.isNew = text == nil
        do throws(ConfigurationError) {
            self.edit = try FileEdit(text ?? DefaultFile.text, path: self.path)
        } catch {
            let problem = DisplayText.escaped(error.description)
            throw CommandFailure(.configuration, terminal.text("configuration.refused", ["problem": problem]))
        }
    }

    /// The file that was named, else that of the package, else one in this folder.
    private static func path(_ invocation: Invocation, _ terminal: Terminal) -> String {
        if let path = invocation.value("config") { return path }
        if let path = terminal.environment["TEAHOUSE_CONFIG"], !path.isEmpty { return path }
        let system = ServiceUnit.configuration
        return access(system, F_OK) == 0 || geteuid() == 0 ? system : "teahouse.toml"
    }

    mutating func run() throws(CommandFailure) {
        if !self.isQuiet {
            if !self.isNew { self.tell("setup.again", ["path": self.path]) }
            self.tell("setup.hello")
        }
        let answers = try self.askForSettings()
        let place = SetupPlace(folder: answers.data, unit: self.unit)
        var administrator: SetupAdministrator?
        var hasNone = !place.hasDatabase
        if !hasNone { hasNone = try SetupServer.runsWithoutAdministrator(place.folder, self.terminal) }
        if hasNone { administrator = try self.askForAdministrator() }
        self.show(answers, administrator)
        guard try self.agrees("setup.go") else { throw self.cancelled }
        answers.apply(to: &self.edit, self.unit)
        try self.write(SetupOwner(folder: answers.data))
        let server = try SetupServer(self, place, changes: !self.edit.changesNothing)
        defer { server.close() }
        if try server.needsAdministrator() {
            let wanted: SetupAdministrator
            if let administrator { wanted = administrator } else { wanted = try self.askForAdministrator() }
            try server.add(wanted)
            administrator = wanted
            self.tell("setup.administrator.made", ["name": wanted.name.text])
        } else {
            administrator = nil
            self.tell("setup.administrator.there")
        }
        var isInvited = self.invocation.has("invite") || administrator != nil
        if !isInvited { isInvited = try self.agrees("setup.invite", otherwise: false) }
        let issued = isInvited ? try server.invite(address: self.invocation.value("address")) : nil
        server.close()
        self.tellHowToGoOn(server, answers)
        guard let issued else { return }
        if issued.isHereOnly { self.tell("ctl.invite.hereOnly") }
        self.tell("setup.invited", ["time": localTime(issued.endsAtMilliseconds)])
        // The code comes last: with all that is told before it, it does not fit on a screen of 24 lines.
        try self.terminal.print(link: issued.link)
    }

    // MARK: Asking

    private func askForSettings() throws(CommandFailure) -> SetupAnswers {
        let before = SetupAnswers(self.edit, self.unit)
        var answers = before
        answers.name = try self.answer("setup.name", option: "name", usual: before.name) { SetupAnswers.name($0) }
        let listen = self.invocation.values("listen")
        answers.listen = try self.answer(
            "setup.listen", given: listen.isEmpty ? nil : listen.joined(separator: ","),
            usual: before.listen.joined(separator: ",")
        ) { SetupAnswers.listen($0, unit: self.unit) }
        answers.data = try self.answer("setup.data", option: "data", usual: before.data) {
            SetupAnswers.data($0, unit: self.unit)
        }
        answers.servesTLS = try self.answer(
            "setup.tls", option: "tls", usual: self.terminal.text(before.servesTLS ? "word.yes" : "word.no")
        ) { SetupAnswers.isYes($0, self.terminal) }
        try self.checkPorts(&answers)
        return answers
    }

    private func askForAdministrator() throws(CommandFailure) -> SetupAdministrator {
        let user = self.terminal.environment["SUDO_USER"] ?? self.terminal.environment["USER"] ?? ""
        let usual = user.isEmpty || user == "root" ? "admin" : user
        let name = try self.answer("setup.administrator", option: "admin", usual: usual) { SetupAdministrator.name($0) }
        let least = self.edit.value(of: Keys.passwordMinimumCharacters.definition)
        if self.terminal.asksForSecrets { self.tell("setup.password", ["minimum": least.text]) }
        for _ in 0..<Self.attempts {
            guard let password = try self.password() else {
                self.tell("setup.bad.passwords")
                continue
            }
            guard case .integer(let least) = least, Int64(password.count) < least else {
                return SetupAdministrator(name: name, password: password)
            }
            let problem = self.text("setup.bad.password", ["minimum": String(least)])
            guard self.terminal.asksForSecrets else { throw CommandFailure(.usage, problem) }
            self.terminal.complain(problem + "\n")
        }
        throw self.cancelled
    }

    /// - Returns: `nil` when a person typed two that differ.
    private func password() throws(CommandFailure) -> String? {
        guard self.terminal.asksForSecrets else {
            return try self.terminal.newPassword(fromInput: self.invocation.has("password-stdin"))
        }
        switch self.terminal.typedPassword() {
        case .password(let password): return password
        case .different: return nil
        case .cancelled: throw self.cancelled
        }
    }

    /// Asks whether the port is free while another answer can still be given.
    private func checkPorts(_ answers: inout SetupAnswers) throws(CommandFailure) {
        for _ in 0..<Self.attempts {
            let place = SetupPlace(folder: answers.data, unit: self.unit)
            guard let problem = place.problem(of: answers.listen) else { return }
            guard !self.isQuiet, self.invocation.values("listen").isEmpty else {
                throw CommandFailure(.refused, DisplayText.escaped(problem))
            }
            self.terminal.complain(DisplayText.escaped(problem) + "\n")
            answers.listen = try self.answer("setup.listen", given: nil, usual: answers.listen.joined(separator: ",")) {
                SetupAnswers.listen($0, unit: self.unit)
            }
        }
        throw self.cancelled
    }

    private func answer<Value>(
        _ key: String, option: String, usual: String, _ read: (String) -> SetupReading<Value>
    ) throws(CommandFailure) -> Value {
        try self.answer(key, given: self.invocation.value(option), usual: usual, read)
    }

    /// The answer of the command line, else of the person, else the usual one.
    ///
    /// - Throws: 64 for an answer of the command line that cannot be, or after too many attempts.
    private func answer<Value>(
        _ key: String, given: String?, usual: String, _ read: (String) -> SetupReading<Value>
    ) throws(CommandFailure) -> Value {
        var problem = ""
        for _ in 0..<(given != nil || self.isQuiet ? 1 : Self.attempts) {
            var text = given ?? usual
            if given == nil, !self.isQuiet { text = try self.line(key, usual) }
            switch read(text) {
            case .value(let value): return value
            case .refused(let key, let values):
                problem = self.text(key, values)
                if given == nil, !self.isQuiet { self.terminal.complain(problem + "\n") }
            }
        }
        throw CommandFailure(.usage, problem)
    }

    /// A line that a person types; the usual answer for an empty one.
    private func line(_ key: String, _ usual: String) throws(CommandFailure) -> String {
        self.terminal.complain("\(self.text(key)) [\(DisplayText.escaped(usual))]: ")
        guard let line = self.terminal.nextLine() else { throw self.cancelled }
        let trimmed = line.drop(while: \.isWhitespace)
        guard let last = trimmed.lastIndex(where: { !$0.isWhitespace }) else { return usual }
        return String(trimmed[...last])
    }

    /// Yes, where nobody is asked.
    private func agrees(_ key: String, otherwise: Bool = true) throws(CommandFailure) -> Bool {
        guard !self.isQuiet else { return otherwise }
        return try self.answer(key, given: nil, usual: self.terminal.text(otherwise ? "word.yes" : "word.no")) {
            SetupAnswers.isYes($0, self.terminal)
        }
    }

    private var isQuiet: Bool { self.invocation.has("yes") }

    var cancelled: CommandFailure { CommandFailure(.refused, self.terminal.text("setup.cancelled")) }

    // MARK: Doing and telling

    private func write(_ owner: SetupOwner) throws(CommandFailure) {
        guard self.isNew || !self.edit.changesNothing else { return self.tell("setup.unchanged", ["path": self.path]) }
        let text: String
        do throws(ConfigurationError) {
            text = try self.edit.text()
        } catch {
            let problem = DisplayText.escaped(error.description)
            throw CommandFailure(.configuration, self.terminal.text("configuration.refused", ["problem": problem]))
        }
        try SetupFiles.write(text, to: self.path, owner: owner, self.terminal)
        self.tell("setup.written", ["path": self.path])
    }

    private func show(_ answers: SetupAnswers, _ administrator: SetupAdministrator?) {
        var fields = FieldList()
        fields.add(self.text("setup.row.name"), answers.name)
        fields.add(self.text("setup.row.listen"), answers.listen.joined(separator: ", "))
        fields.add(self.text("setup.row.data"), answers.data)
        fields.add(self.text("setup.row.tls"), self.terminal.text(answers.servesTLS ? "word.yes" : "word.no"))
        fields.add(self.text("setup.row.administrator"), administrator?.name.text)
        fields.add(self.text("setup.row.path"), self.path)
        self.terminal.complain("\n\(fields.text)\n")
    }

    private func tellHowToGoOn(_ server: SetupServer, _ answers: SetupAnswers) {
        switch server.kind {
        case .service: self.tell("setup.runs")
        case .running: self.tell(self.edit.changesNothing ? "setup.runs" : "setup.restart")
        case .here:
            let serve = SetupOwner(folder: answers.data).prefix + ["teahouse", "serve", "--config", self.path]
            self.tell("setup.start", ["command": ShellLine.text(serve)])
        }
        if let address = server.address { self.tell("setup.card", ["address": address]) }
    }

    func text(_ key: String, _ values: [String: String] = [:]) -> String {
        self.terminal.text(key, values.mapValues { DisplayText.escaped($0) })
    }

    func tell(_ key: String, _ values: [String: String] = [:]) { self.terminal.complain(self.text(key, values) + "\n") }
}
