import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl session`
let sessionCommand = Command(
    group: "session", summary: "command.ctl.session", examples: ["teahouse ctl session list"],
    subcommands: operationCommands(below: "session") + [sessionKickCommand])

// Ids and a filter are two requests.
private let sessionKickCommand = Command(
    "kick", summary: "command.ctl.session.kick",
    arguments: [CommandArgument("ID", help: "argument.sessionID", isOptional: true, isRepeated: true)],
    options: [
        CommandOption("user", .value("NAME"), help: "option.sessionUser"),
        CommandOption("device", .value("CLASS"), help: "option.sessionDevice"),
        CommandOption("protocol", .value("NAME"), help: "option.sessionProtocol"),
        CommandOption("address", .value("START"), help: "option.sessionAddress"),
        CommandOption("before", .value("TIME"), help: "option.sessionBefore"),
        CommandOption("plain", .flag, help: "option.sessionPlain"),
        CommandOption("dry-run", .flag, help: "option.sessionDryRun"),
    ],
    examples: [
        "teahouse ctl session kick --user ming", "teahouse ctl session kick 17 18",
        "teahouse ctl session kick --address 192.168.3. --device web --dry-run",
    ],
    body: Control.command { control throws(CommandFailure) in
        let user = try control.sessionUser()
        let ids = try control.sessionIDs()
        if let filter = try control.sessionFilter(user) {
            guard ids.isEmpty else { throw CommandFailure(.usage, control.text("ctl.idsOrFilter")) }
            return try control.kick(filter, isDryRun: control.invocation.has("dry-run"))
        }
        guard user != nil || !ids.isEmpty else { throw CommandFailure(.usage, control.text("ctl.noSessions")) }
        let count = try control.count(.endSessions(ids: ids, user: user))
        guard count > 0 || ids.isEmpty else {
            throw CommandFailure(
                .notFound, control.text("ctl.sessions.gone", ["ids": ids.map(String.init).joined(separator: ", ")]))
        }
        try control.tell(.count(count), "ctl.sessions.ended", ["count": String(count)])
    })

extension Control {
    fileprivate func sessionUser() throws(CommandFailure) -> UserName? {
        guard let text = self.invocation.value("user") else { return nil }
        return try self.userName(text)
    }

    /// Filter of the options beside `--user`; `nil` without one.
    fileprivate func sessionFilter(_ user: UserName?) throws(CommandFailure) -> AdminSessionFilter? {
        var filter = AdminSessionFilter()
        if let text = self.invocation.value("device") {
            guard let device = DeviceClass(text) else {
                throw CommandFailure(.usage, self.text("ctl.badDevice", ["text": text]))
            }
            filter.device = device
        }
        filter.protocolName = self.invocation.value("protocol")
        filter.address = self.invocation.value("address")
        if let text = self.invocation.value("before") { filter.openedBeforeMilliseconds = try self.moment(text) }
        if self.invocation.has("plain") { filter.isEncrypted = false }
        if filter.isEmpty && !self.invocation.has("dry-run") { return nil }
        filter.user = user
        guard !filter.isEmpty else { throw CommandFailure(.usage, self.text("ctl.noSessions")) }
        return filter
    }

    fileprivate func kick(_ filter: AdminSessionFilter, isDryRun: Bool) throws(CommandFailure) {
        let answer = try self.ask(.people(.endSessions(filter, isDryRun: isDryRun)))
        if case .sessions(let sessions, _) = answer {
            if self.wantsJSON { return try self.print(json: answer.json) }
            return try self.print(sessions)
        }
        guard case .count(let count) = answer else { throw self.unexpectedAnswer }
        try self.tell(answer, "ctl.sessions.ended", ["count": String(count)])
    }

    fileprivate func sessionIDs() throws(CommandFailure) -> [Int64] {
        var ids: [Int64] = []
        for text in self.invocation.list("ID") {
            guard let id = Int64(text) else {
                throw CommandFailure(.usage, self.text("ctl.badSessionID", ["id": text]))
            }
            ids.append(id)
        }
        return ids
    }

    func print(_ sessions: [AdminSession]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.id", .right), Table.Column("table.name"), Table.Column("table.device"),
                Table.Column("table.deviceID", maximumWidth: 24), Table.Column("table.tag", maximumWidth: 16),
                Table.Column("table.protocol"),
                Table.Column("table.address", maximumWidth: 48), Table.Column("table.encrypted"),
                Table.Column("table.since"), Table.Column("table.active"), Table.Column("table.queue", .right),
                Table.Column("table.unacknowledged", .right),
            ],
            rows: sessions.map {
                [
                    String($0.id), $0.user.text, $0.device.name, $0.deviceID, $0.tag ?? "", $0.protocolName,
                    $0.address, self.yesOrNo($0.isEncrypted), localTime($0.openedAtMilliseconds),
                    $0.activeAtMilliseconds.map { localTime($0) } ?? "", $0.queuedBytes.map(shownBytes) ?? "",
                    $0.unacknowledged.map { String($0) } ?? "",
                ]
            })
    }
}
