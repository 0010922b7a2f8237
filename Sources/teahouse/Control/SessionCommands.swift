import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl session`
let sessionCommand = Command(
    group: "session", summary: "command.ctl.session", examples: ["teahouse ctl session list"],
    subcommands: [sessionListCommand, sessionKickCommand])

private let userOption = CommandOption("user", .value("NAME"), help: "option.sessionUser")

private let sessionListCommand = Command(
    "list", summary: "command.ctl.session.list", options: [userOption],
    examples: ["teahouse ctl session list", "teahouse ctl session list --user ming"],
    body: Control.command { control throws(CommandFailure) in
        let user = try control.sessionUser()
        var sessions: [AdminSession] = []
        var next: Int64?
        repeat {
            guard case .sessions(let page, let after) = try control.ask(.listSessions(user, after: next)) else {
                throw control.unexpectedAnswer
            }
            sessions += page
            next = after
        } while next != nil
        if control.wantsJSON { return try control.print(json: AdminAnswer.sessions(sessions, next: nil).json) }
        try control.print(sessions)
    })

private let sessionKickCommand = Command(
    "kick", summary: "command.ctl.session.kick",
    arguments: [CommandArgument("ID", help: "argument.sessionID", isOptional: true, isRepeated: true)],
    options: [userOption],
    examples: ["teahouse ctl session kick --user ming", "teahouse ctl session kick 17 18"],
    body: Control.command { control throws(CommandFailure) in
        let user = try control.sessionUser()
        let ids = try control.sessionIDs()
        guard user != nil || !ids.isEmpty else { throw CommandFailure(.usage, control.text("ctl.noSessions")) }
        let count = try control.count(.endSessions(ids: ids, user: user))
        try control.tell(.count(count), "ctl.sessions.ended", ["count": String(count)])
    })

extension Control {
    fileprivate func sessionUser() throws(CommandFailure) -> UserName? {
        guard let text = self.invocation.value("user") else { return nil }
        return try self.userName(text)
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
                Table.Column("table.deviceID", maximumWidth: 24), Table.Column("table.protocol"),
                Table.Column("table.address", maximumWidth: 48), Table.Column("table.encrypted"),
                Table.Column("table.since"),
            ],
            rows: sessions.map {
                [
                    String($0.id), $0.user.text, $0.device.name, $0.deviceID, $0.protocolName, $0.address,
                    self.yesOrNo($0.isEncrypted), localTime($0.openedAtMilliseconds),
                ]
            })
    }
}
