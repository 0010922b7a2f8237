import AdminAPI
import ChatModel
import CommandLineKit

/// Work of a command that does not print one answer.
typealias OperationBody = @Sendable (Control, AdminRequest) throws(CommandFailure) -> Void

/// The commands below a word that operations define: `ban` and `role` below `team`.
///
/// - Parameters:
///   - bodies: what a command does instead of asking once and printing the answer.
///   - options: options that are no fields of the request; its body reads them.
func operationCommands(
    below word: String, bodies: [String: OperationBody] = [:], options: [String: [CommandOption]] = [:]
) -> [Command] {
    OperationCommand.all.filter { $0.words.count == 2 && $0.words[0] == word }.map {
        $0.command(body: bodies[$0.words[1]], with: options[$0.words[1]] ?? [])
    }
}

/// The command that an operation defines in one word: `status`.
func operationCommand(_ word: String, body: OperationBody? = nil) -> Command {
    guard let operation = OperationCommand.all.first(where: { $0.words == [word] }) else {
        preconditionFailure("no operation defines \(word)")
    }
    return operation.command(body: body)
}

extension OperationCommand {
    fileprivate func command(body: OperationBody?, with more: [CommandOption] = []) -> Command {
        Command(
            self.words[self.words.count - 1], summary: self.summary, arguments: self.arguments,
            options: self.options + more,
            examples: self.examples.map { "teahouse \($0)" },
            body: Control.command { control throws(CommandFailure) in
                let request = try control.request(of: self)
                guard let body else { return try control.perform(request) }
                try body(control, request)
            })
    }

    fileprivate var arguments: [CommandArgument] {
        self.places.filter(\.isArgument).map {
            CommandArgument($0.name, help: $0.help, isOptional: $0.isOptional, isRepeated: $0.isRepeated)
        }
    }

    /// Options; names of people can also stand in a file.
    fileprivate var options: [CommandOption] {
        self.places.flatMap { place -> [CommandOption] in
            guard let option = place.option else { return place.takesFile ? [membersFileOption] : [] }
            return [option] + (place.takesFile ? [membersFileOption] : [])
        }
    }
}

private let membersFileOption = CommandOption("members-file", .value("FILE"), help: "option.membersFile")

extension CommandPlace {
    /// `nil` for an argument.
    fileprivate var option: CommandOption? {
        func option(_ shape: CommandOption.Shape, isRepeated: Bool = false) -> CommandOption {
            CommandOption(
                self.name, shape, help: self.help, isRequired: !self.isOptional, isRepeated: isRepeated)
        }
        return switch self.shape {
        case .argument, .words, .names: nil
        case .option(let value): option(self.only.map { .choice($0) } ?? .value(value))
        case .list(let value), .people(let value): option(.value(value), isRepeated: true)
        case .time: option(.value("TIME"))
        case .number(let bounds): option(.number(Int(bounds.lowerBound), Int(bounds.upperBound)))
        case .flag: option(.flag)
        }
    }

    /// True for names of people, which can also stand in a file.
    fileprivate var takesFile: Bool {
        switch self.shape {
        case .names, .people: true
        case .argument, .words, .option, .list, .time, .number, .flag: false
        }
    }
}

extension Control {
    /// The request that the typed words ask for.
    ///
    /// - Throws: exit code 2 for a word that is no value of its place.
    fileprivate func request(of operation: OperationCommand) throws(CommandFailure) -> AdminRequest {
        var placed: PlacedWords = [:]
        for place in operation.places { placed[place.name] = try self.words(at: place) }
        do throws(AdminError) {
            return try operation.request(placed)
        } catch {
            let reason = error.typed.map { self.text($0.key, $0.values) } ?? DisplayText.escaped(error.message)
            throw CommandFailure(.usage, reason)
        }
    }

    /// Words of a place; `nil` for an empty one.
    private func words(at place: CommandPlace) throws(CommandFailure) -> [String]? {
        switch place.shape {
        case .argument, .words: return try self.typedText(place.name) ?? self.invocation.list(place.name).nonEmpty
        case .option, .list, .number: return self.invocation.values(place.name).nonEmpty
        case .time:
            guard let text = self.invocation.value(place.name) else { return nil }
            return [String(try self.moment(text))]
        case .flag: return self.invocation.has(place.name) ? [] : nil
        case .people: return try self.members().map(\.text).nonEmpty
        case .names:
            let names = try self.members().map(\.text)
            guard !names.isEmpty else { throw CommandFailure(.usage, self.text("ctl.noNames")) }
            return names
        }
    }

    /// Most bytes of a text from a file.
    private static let maximumTextBytes = 1 << 20

    /// Text of `send` that stands in a file, or for `-` on standard input, without its last end of a line; `nil` for one
    /// that was typed, and for other commands.
    private func typedText(_ name: String) throws(CommandFailure) -> [String]? {
        guard name == "TEXT", self.invocation.path == ["teahouse", "ctl", "send"] else { return nil }
        let typed = self.invocation.list(name)
        let path = self.invocation.value("file")
        if let path, !typed.isEmpty {
            throw CommandFailure(.usage, self.text("ctl.textOrFile", ["path": path]))
        }
        guard let path = path ?? (typed == ["-"] ? "-" : nil) else {
            guard typed.isEmpty else { return nil }
            throw CommandFailure(.usage, self.text("ctl.textMissing"))
        }
        let text = path == "-" ? try self.standardInputText() : try self.text(ofFile: path)
        guard !text.isEmpty else { throw CommandFailure(.usage, self.text("ctl.textMissing")) }
        return [text]
    }

    private func standardInputText() throws(CommandFailure) -> String {
        var lines: [String] = []
        var count = 0
        while let line = self.terminal.nextLine() {
            lines.append(line)
            count += line.utf8.count + 1
            try self.checkLength(count)
        }
        return lines.joined(separator: "\n")
    }

    private func text(ofFile path: String) throws(CommandFailure) -> String {
        var bytes: [UInt8] = []
        try self.forEachPiece(of: path) { piece throws(CommandFailure) in
            bytes += piece
            try self.checkLength(bytes.count)
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func checkLength(_ bytes: Int) throws(CommandFailure) {
        guard bytes > Self.maximumTextBytes else { return }
        throw CommandFailure(.usage, self.text("ctl.textTooLong", ["bytes": String(Self.maximumTextBytes)]))
    }

    /// Asks for a list, page by page until the last, as one answer; for something else once.
    func askAll(_ request: AdminRequest) throws(CommandFailure) -> AdminAnswer {
        let pages = AdminPages()
        var request = request
        while true {
            let answer = pages.add(try self.ask(request))
            guard let next = pages.request(behind: request) else { return answer }
            request = next
        }
    }

    /// Asks for an operation and prints its line, or its answer.
    func perform(_ request: AdminRequest) throws(CommandFailure) {
        let answer = try self.askAll(request)
        guard let outcome = request.operation.outcome else { return try self.show(answer, to: request) }
        let values = outcome.values.merging(answer.values { self.text($0) }) { own, _ in own }
        switch answer {
        case .count(0) where !outcome.isForNone: try self.tell(answer, "ctl.unchanged", values)
        case .done: try self.tell(answer, outcome.doneKey ?? outcome.key, values)
        case .status, .users, .user, .token, .imported, .conversations, .conversation, .messages, .sessions, .count,
            .sent, .following, .files, .transfers, .profiles, .teams, .audit, .live, .conversationDetails, .previewed,
            .brought, .invited, .invitations, .words, .filters, .kinds, .hooks, .settings, .policy, .details,
            .announcements, .app, .search, .backups, .imports, .retention, .exports:
            try self.tell(answer, outcome.key, values)
        }
    }

    /// Prints an answer for people, or for scripts.
    private func show(_ answer: AdminAnswer, to request: AdminRequest) throws(CommandFailure) {
        if self.wantsJSON { return try self.print(json: answer.json) }
        switch answer {
        case .status(let status): try self.print(status)
        case .users(let users, _): try self.print(users)
        case .user(let detail): try self.print(detail)
        case .token(let token?): try self.terminal.print(token + "\n")
        case .messages(let messages): try self.print(messages)
        case .sessions(let sessions, _): try self.print(sessions)
        case .files(let answer): try self.show(answer)
        case .transfers(.list(let transfers)): try self.print(transfers)
        case .profiles(.one(let profile)): try self.print(profile)
        case .profiles(.metrics(let metrics)): try self.print(metrics)
        case .teams(let answer): try self.show(answer, to: request)
        case .audit(.one(let entry)): try self.print(entry)
        case .conversationDetails(let answer): try self.show(answer)
        case .invited(let issued): try self.print(issued)
        case .invitations(let invitations, _): try self.print(invitations)
        case .words(.tested(let test)): try self.print(test)
        case .filters(let answer): try self.show(answer)
        case .kinds(.kinds(let kinds)): try self.print(kinds)
        case .hooks(let answer): try self.show(answer)
        case .settings(let answer): try self.show(answer)
        case .policy(.policy(let policy)): try self.print(policy)
        case .policy(.preview(let sessions, let count)): try self.print(sessions, ending: count)
        case .details(let details): try self.print(details)
        case .announcements(let answer): try self.show(answer)
        case .app(let answer): try self.show(answer)
        case .search(let answer): try self.show(answer)
        case .imports(let answer): try self.show(answer)
        case .retention(let answer): try self.show(answer)
        case .done, .token(nil), .imported, .conversations, .conversation, .count, .sent, .following,
            .transfers(.one), .transfers(.taken), .audit(.list), .audit(.checked), .audit(.signIns),
            .audit(.checkedSignIns), .audit(.log), .live, .previewed, .brought, .words,
            .kinds, .policy(.changed), .backups, .exports:
            throw self.unexpectedAnswer
        }
    }
}

extension AdminAnswer {
    /// Values for the line of an operation.
    ///
    /// - Parameter text: text of a key.
    fileprivate func values(_ text: (String) -> String) -> [String: String] {
        switch self {
        case .count(let count): ["count": String(count)]
        case .sent(let message): ["id": String(message.id.rawValue), "sequence": String(message.sequence)]
        case .conversation(let detail):
            ["number": "id:\(detail.conversation.number)", "name": detail.conversation.name]
        case .teams(let answer): answer.values
        case .transfers(.one(let transfer)): ["state": text(transfer.state.textKey)]
        case .policy(.changed(let policy, let ended)): ["policy": policy.text, "count": String(ended)]
        case .done, .status, .users, .user, .token, .imported, .conversations, .messages, .sessions, .following, .files,
            .transfers(.list), .transfers(.taken), .profiles, .audit, .live, .conversationDetails, .previewed,
            .brought, .invited, .invitations, .words, .filters, .kinds, .hooks, .settings, .policy(.policy),
            .policy(.preview), .details, .announcements, .app, .search, .backups, .imports, .retention, .exports:
            [:]
        }
    }
}

extension Array {
    /// `nil` for an empty one.
    fileprivate var nonEmpty: [Element]? { self.isEmpty ? nil : self }
}
