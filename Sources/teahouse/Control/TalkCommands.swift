import AdminAPI
import ByteCodec
import CLinux
import ChatModel
import CommandLineKit
import Glibc

private let conversationArgument = CommandArgument("CONVERSATION", help: "argument.conversation")

/// `teahouse ctl conversation` beyond looking: made, renamed, ended, read and copied.
let talkCommands: [Command] =
    operationCommands(
        below: "conversation", bodies: ["show": conversationShowBody, "export": conversationExportBody],
        options: [
            "show": [CommandOption("messages", .number(0, 100_000), help: "option.messages")],
            "export": [CommandOption("to", .value("FILE"), help: "option.exportTo")],
        ]) + [conversationAttributesCommand]

/// `teahouse ctl message`
let messageCommand = Command(
    group: "message", summary: "command.ctl.message", examples: ["teahouse ctl message trace tea 17"],
    subcommands: operationCommands(below: "message", bodies: ["search": messageSearchBody]))

// MARK: Making and ending

// Options make one patch; without them it shows the attributes.
private let conversationAttributesCommand = Command(
    "attributes", summary: "command.ctl.conversation.attributes", arguments: [conversationArgument],
    options: [
        CommandOption("set", .value("KEY=JSON"), help: "option.attributesSet", isRepeated: true),
        CommandOption("remove", .value("KEY"), help: "option.attributesRemove", isRepeated: true),
    ],
    examples: [
        "teahouse ctl conversation attributes tea",
        "teahouse ctl conversation attributes tea --set 'color=\"green\"' --set size=7 --remove old",
    ],
    body: Control.command { control throws(CommandFailure) in
        let name = control.invocation.argument("CONVERSATION")
        let patch = try control.attributesPatch()
        guard !patch.isEmpty else { return try control.showAttributes(of: name) }
        let text = String(decoding: JSONValue.object(patch).serialized(), as: UTF8.self)
        try control.changed(.setAttributes(name, patch: text), "ctl.conversation.attributesSet")
    })

// MARK: Reading

/// Prints the messages page by page, or writes them into a new file.
private let conversationExportBody: OperationBody = { control, request throws(CommandFailure) in
    guard case .conversationDetails(.export(let name, var after, let member)) = request else {
        throw control.unexpectedAnswer
    }
    if let path = control.invocation.value("to") {
        return try control.export(name, after: after, as: member, to: path)
    }
    while true {
        let (page, next) = try control.exported(name, after: after, as: member)
        for message in page { try control.print(json: message.json) }
        guard let next else { return }
        after = next
    }
}

extension Control {
    fileprivate func changed(_ request: AdminConversationRequest, _ key: String) throws(CommandFailure) {
        let count = try self.count(.conversationDetails(request))
        try self.tell(
            .count(count), count == 0 ? "ctl.unchanged" : key,
            ["name": self.invocation.argument("CONVERSATION")])
    }

    /// Patch by `--set` and `--remove`; empty without them.
    ///
    /// - Throws: exit code 2 for what is no `KEY=JSON`.
    fileprivate func attributesPatch() throws(CommandFailure) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        for text in self.invocation.values("set") {
            guard let sign = text.firstIndex(of: "="), sign > text.startIndex,
                let value = try? JSONValue(parsing: String(text[text.index(after: sign)...]))
            else { throw CommandFailure(.usage, self.text("ctl.badAttribute", ["text": text])) }
            members.append(JSONValue.Member(String(text[..<sign]), value))
        }
        return members + self.invocation.values("remove").map { JSONValue.Member($0, .null) }
    }

    fileprivate func showAttributes(of name: String) throws(CommandFailure) {
        guard case .conversation(let detail) = try self.ask(.showConversation(name)) else {
            throw self.unexpectedAnswer
        }
        if self.wantsJSON { return try self.print(json: Array((detail.attributes ?? "{}").utf8)) }
        let members = (try? JSONValue(parsing: detail.attributes ?? "{}"))?.object ?? []
        try self.print(
            [Table.Column("table.key"), Table.Column("table.value", maximumWidth: 200)],
            rows: members.map { [$0.name, String(decoding: $0.value.serialized(), as: UTF8.self)] })
    }

    fileprivate func exported(
        _ name: String, after: Int64, as member: UserName?
    ) throws(CommandFailure) -> (page: [AdminExportedMessage], next: Int64?) {
        guard
            case .conversationDetails(.exported(let page, let next)) = try self.ask(
                .conversationDetails(.export(name, after: after, as: member)))
        else { throw self.unexpectedAnswer }
        return (page, next)
    }

    /// One JSON object on each line of a new file, which only its owner can read.
    ///
    /// - Throws: exit code 74 when there is such a file, or the disk takes no more.
    fileprivate func export(
        _ name: String, after start: Int64, as member: UserName?, to path: String
    ) throws(CommandFailure) {
        let place = ["path": path]
        let descriptor = clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure(.inputOutput, self.text("ctl.exportNotMade", place)) }
        defer { close(descriptor) }
        var (after, count) = (start, 0)
        while true {
            let (page, next) = try self.exported(name, after: after, as: member)
            let bytes = page.flatMap { $0.json + [UInt8(ascii: "\n")] }
            guard Self.write(bytes, to: descriptor) else {
                throw CommandFailure(.inputOutput, self.text("ctl.exportNotWritten", place))
            }
            count += page.count
            guard let next else { break }
            after = next
        }
        try self.tell(.count(Int64(count)), "ctl.exported", ["path": path, "count": String(count)])
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && clinux_errno() == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }

    /// Prints an answer about messages.
    func show(_ answer: AdminConversationAnswer) throws(CommandFailure) {
        switch answer {
        case .trace(let trace): try self.print(trace)
        case .seen(let seen): try self.print(seen)
        case .expiring(let expiring): try self.print(expiring)
        case .exported: throw self.unexpectedAnswer
        }
    }

    private func print(_ seen: AdminSeen) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.sequence", .right), Table.Column("table.time"), Table.Column("table.sender"),
                Table.Column("table.text", maximumWidth: 200), Table.Column("table.state"),
            ],
            rows: seen.messages.map { row in
                let state = row.isRecalled ? "word.recalled" : row.isEdited ? "word.edited" : nil
                return [
                    String(row.message.sequence), localTime(row.message.sentAtMilliseconds), row.message.sender,
                    self.shown(row.message), state.map { self.text($0) } ?? "",
                ]
            })
        guard !seen.withheld.isEmpty else { return }
        try self.terminal.print("\n\(self.text("heading.withheld"))\n")
        try self.print(
            [Table.Column("table.sequence", .right), Table.Column("table.reason")],
            rows: seen.withheld.map { [String($0.sequence), self.word(for: $0.reason)] })
    }

    private func print(_ trace: AdminTrace) throws(CommandFailure) {
        try self.print([trace.message])
        if !trace.former.isEmpty {
            try self.terminal.print("\n\(self.text("heading.former"))\n")
            try self.print(
                [
                    Table.Column("table.number", .right), Table.Column("table.time"), Table.Column("table.name"),
                    Table.Column("table.text", maximumWidth: 200),
                ],
                rows: trace.former.map { version in
                    [
                        String(version.number), localTime(version.atMilliseconds), version.editor,
                        version.text + (version.isCut ? "…" : ""),
                    ]
                })
        }
        try self.terminal.print("\n")
        try self.print(
            [
                Table.Column("table.name"), Table.Column("table.read"), Table.Column("table.delivered"),
                Table.Column("table.waiting"), Table.Column("table.sessions"), Table.Column("table.withheld"),
            ],
            rows: trace.people.map { person in
                let (devices, time) = (person.deliveredTo.map(\.name), person.delivered?.text { localTime($0) })
                return [
                    person.name.text, self.reading(of: person),
                    [devices.joined(separator: ", "), time ?? ""].filter { !$0.isEmpty }.joined(separator: " "),
                    person.waitingFor.map(\.name).joined(separator: ", "),
                    person.sessions.map { "\($0.device.name) \($0.id)" }.joined(separator: ", "),
                    person.withheld.map { self.word(for: $0) } ?? "",
                ]
            })
    }

    /// When somebody has read a message, or whether.
    private func reading(of person: AdminTraceRow) -> String {
        if let reported = person.reportedReadAtMilliseconds { return localTime(reported) }
        if person.isSender { return self.text("word.sender") }
        if person.cameLater { return self.text("word.cameLater") }
        return person.read.map { $0.text { localTime($0) } } ?? self.yesOrNo(person.isRead)
    }

    private func word(for reason: AdminWithholding) -> String {
        switch reason {
        case .cleared: self.text("word.cleared")
        case .deletedBySelf: self.text("word.deletedBySelf")
        case .deletedForAll: self.text("word.deletedForAll")
        case .notForThem: self.text("word.notForThem")
        case .beforeJoining: self.text("word.beforeJoining")
        }
    }
}
