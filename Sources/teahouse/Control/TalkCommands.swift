import AdminAPI
import ByteCodec
import CLinux
import ChatModel
import CommandLineKit
import Glibc

private let conversationArgument = CommandArgument("CONVERSATION", help: "argument.conversation")
private let sequenceArgument = CommandArgument("SEQUENCE", help: "argument.sequence")

/// `teahouse ctl conversation` beyond looking: made, renamed, ended, read and copied.
let talkCommands: [Command] =
    operationCommands(below: "conversation") + [
        conversationAttributesCommand, conversationMessagesCommand, conversationSeeAsCommand,
        conversationExportCommand,
    ]

/// `teahouse ctl message`
let messageCommand = Command(
    group: "message", summary: "command.ctl.message", examples: ["teahouse ctl message trace tea 17"],
    subcommands: operationCommands(below: "message") + [messageTraceCommand, messageSearchCommand])

// MARK: Making and ending

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

private let conversationMessagesCommand = Command(
    "messages", summary: "command.ctl.conversation.messages", arguments: [conversationArgument],
    options: [
        CommandOption("before", .number(1, .max), help: "option.beforeSequence"),
        CommandOption("after", .number(0, .max), help: "option.afterSequence"),
        CommandOption("around", .number(1, .max), help: "option.aroundSequence"),
        CommandOption("since", .value("TIME"), help: "option.since"),
        CommandOption("limit", .number(1, AdminProtocol.pageMessages), help: "option.messagesLimit"),
    ],
    examples: [
        "teahouse ctl conversation messages tea --around 120",
        "teahouse ctl conversation messages tea --since '2026-11-21 08:00'",
    ],
    body: Control.command { control throws(CommandFailure) in
        let invocation = control.invocation
        var places: [AdminConversationPlace] = []
        if let before = invocation.number("before") { places.append(.before(Int64(before))) }
        if let after = invocation.number("after") { places.append(.after(Int64(after))) }
        if let around = invocation.number("around") { places.append(.around(Int64(around))) }
        if let since = invocation.value("since") { places.append(.since(try control.moment(since))) }
        guard places.count <= 1 else { throw CommandFailure(.usage, control.text("ctl.onePlace")) }
        let limit = Int64(invocation.number("limit") ?? AdminProtocol.pageMessages)
        let request = AdminConversationRequest.look(
            invocation.argument("CONVERSATION"), places.first ?? .before(.max), limit: limit)
        let answer = try control.ask(.conversationDetails(request))
        guard case .messages(let messages) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(messages)
    })

private let conversationSeeAsCommand = Command(
    "see-as", summary: "command.ctl.conversation.seeAs",
    arguments: [conversationArgument, CommandArgument("MEMBER", help: "argument.user")],
    options: [
        CommandOption("before", .number(1, .max), help: "option.beforeSequence"),
        CommandOption("limit", .number(1, AdminProtocol.pageMessages), help: "option.messagesLimit"),
    ],
    examples: ["teahouse ctl conversation see-as tea ming --why 'he says that a message is missing'"],
    body: Control.command { control throws(CommandFailure) in
        let invocation = control.invocation
        let request = AdminConversationRequest.seeAs(
            invocation.argument("CONVERSATION"), try control.user("MEMBER"),
            before: invocation.number("before").map { Int64($0) },
            limit: Int64(invocation.number("limit") ?? AdminProtocol.pageMessages))
        let answer = try control.ask(.conversationDetails(request))
        guard case .conversationDetails(.seen(let seen)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(
            [
                Table.Column("table.sequence", .right), Table.Column("table.time"), Table.Column("table.sender"),
                Table.Column("table.text", maximumWidth: 200), Table.Column("table.state"),
            ],
            rows: seen.messages.map { row in
                let state = row.isRecalled ? "word.recalled" : row.isEdited ? "word.edited" : nil
                return [
                    String(row.message.sequence), localTime(row.message.sentAtMilliseconds), row.message.sender,
                    control.shown(row.message), state.map { control.text($0) } ?? "",
                ]
            })
        guard !seen.withheld.isEmpty else { return }
        try control.terminal.print("\n\(control.text("heading.withheld"))\n")
        try control.print(
            [Table.Column("table.sequence", .right), Table.Column("table.reason")],
            rows: seen.withheld.map { [String($0.sequence), control.word(for: $0.reason)] })
    })

private let conversationExportCommand = Command(
    "export", summary: "command.ctl.conversation.export", arguments: [conversationArgument],
    options: [
        CommandOption("after", .number(0, .max), help: "option.afterSequence"),
        CommandOption("as", .value("NAME"), help: "option.exportAs"),
        CommandOption("to", .value("FILE"), help: "option.exportTo"),
    ],
    examples: [
        "teahouse ctl conversation export tea", "teahouse ctl conversation export tea --to /tmp/tea.jsonl",
        "teahouse ctl conversation export tea --as ming --why 'he asks for his data'",
    ],
    body: Control.command { control throws(CommandFailure) in
        let name = control.invocation.argument("CONVERSATION")
        var after = Int64(control.invocation.number("after") ?? 0)
        if let path = control.invocation.value("to") { return try control.export(name, after: after, to: path) }
        while true {
            let (page, next) = try control.exported(name, after: after)
            for message in page { try control.print(json: message.json) }
            guard let next else { return }
            after = next
        }
    })

// MARK: One message

private let messageTraceCommand = Command(
    "trace", summary: "command.ctl.message.trace", arguments: [conversationArgument, sequenceArgument],
    examples: ["teahouse ctl message trace tea 17"],
    body: Control.command { control throws(CommandFailure) in
        let (name, sequence) = (control.invocation.argument("CONVERSATION"), try control.sequence())
        var whole: AdminTrace?
        repeat {
            let request = AdminConversationRequest.trace(name, sequence: sequence, after: whole?.next)
            guard case .conversationDetails(.trace(let page)) = try control.ask(.conversationDetails(request)) else {
                throw control.unexpectedAnswer
            }
            whole = page.following(whole)
        } while whole?.next != nil
        guard let trace = whole else { return }
        if control.wantsJSON { return try control.print(json: AdminAnswer.conversationDetails(.trace(trace)).json) }
        try control.print([trace.message])
        if !trace.former.isEmpty {
            try control.terminal.print("\n\(control.text("heading.former"))\n")
            try control.print(
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
        try control.terminal.print("\n")
        try control.print(
            [
                Table.Column("table.name"), Table.Column("table.read"), Table.Column("table.delivered"),
                Table.Column("table.waiting"), Table.Column("table.sessions"), Table.Column("table.withheld"),
            ],
            rows: trace.people.map { person in
                let (devices, time) = (person.deliveredTo.map(\.name), person.delivered?.text { localTime($0) })
                return [
                    person.name.text, control.reading(of: person),
                    [devices.joined(separator: ", "), time ?? ""].filter { !$0.isEmpty }.joined(separator: " "),
                    person.waitingFor.map(\.name).joined(separator: ", "),
                    person.sessions.map { "\($0.device.name) \($0.id)" }.joined(separator: ", "),
                    person.withheld.map { control.word(for: $0) } ?? "",
                ]
            })
    })

extension AdminTrace {
    /// This page behind the ones before.
    fileprivate func following(_ before: AdminTrace?) -> AdminTrace {
        guard let before else { return self }
        var whole = self
        whole.people = before.people + self.people
        whole.former = before.former
        return whole
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
        _ name: String, after: Int64
    ) throws(CommandFailure) -> (page: [AdminExportedMessage], next: Int64?) {
        var member: UserName?
        if let text = self.invocation.value("as") { member = try self.userName(text) }
        guard
            case .conversationDetails(.exported(let page, let next)) = try self.ask(
                .conversationDetails(.export(name, after: after, as: member)))
        else { throw self.unexpectedAnswer }
        return (page, next)
    }

    /// One JSON object on each line of a new file, which only its owner can read.
    ///
    /// - Throws: exit code 74 when there is such a file, or the disk takes no more.
    fileprivate func export(_ name: String, after start: Int64, to path: String) throws(CommandFailure) {
        let place = ["path": path]
        let descriptor = clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure(.inputOutput, self.text("ctl.exportNotMade", place)) }
        defer { close(descriptor) }
        var (after, count) = (start, 0)
        while true {
            let (page, next) = try self.exported(name, after: after)
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

    fileprivate func sequence() throws(CommandFailure) -> Int64 {
        let text = self.invocation.argument("SEQUENCE")
        guard let sequence = Int64(text), sequence > 0 else {
            throw CommandFailure(.usage, self.text("ctl.badNumber", ["text": text]))
        }
        return sequence
    }

    /// When somebody has read a message, or whether.
    fileprivate func reading(of person: AdminTraceRow) -> String {
        if let reported = person.reportedReadAtMilliseconds { return localTime(reported) }
        if person.isSender { return self.text("word.sender") }
        if person.cameLater { return self.text("word.cameLater") }
        return person.read.map { $0.text { localTime($0) } } ?? self.yesOrNo(person.isRead)
    }

    fileprivate func word(for reason: AdminWithholding) -> String {
        switch reason {
        case .cleared: self.text("word.cleared")
        case .deletedBySelf: self.text("word.deletedBySelf")
        case .deletedForAll: self.text("word.deletedForAll")
        case .notForThem: self.text("word.notForThem")
        case .beforeJoining: self.text("word.beforeJoining")
        }
    }
}
