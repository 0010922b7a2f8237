import AdminAPI
import ChatModel
import CommandLineKit
import Profiles

let teamShowCommand = Command(
    "show", summary: "command.ctl.team.show", arguments: [CommandArgument("TEAM", help: "argument.team")],
    examples: ["teahouse ctl team show tea", "teahouse ctl team show tea --json"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.teams(.show(try control.team())))
        guard case .teams(.team(let team)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(team)
    })

let teamCardCommand = Command(
    "card", summary: "command.ctl.team.card", arguments: [CommandArgument("TEAM", help: "argument.team")],
    options: [
        CommandOption("viewer", .value("NAME"), help: "option.viewer"),
        CommandOption("member", .value("NAME"), help: "option.cardMember"),
        CommandOption("hide", .value("ROWS"), help: "option.hideRows", isRepeated: true),
    ],
    examples: [
        "teahouse ctl team card tea --viewer lan", "teahouse ctl team card tea --viewer ming --member lan",
        "teahouse ctl team card tea --viewer lan --hide alerts,pinned",
    ],
    body: Control.command { control throws(CommandFailure) in
        var query = AdminCardQuery(team: try control.team())
        if let name = control.invocation.value("viewer") { query.viewer = try control.userName(name) }
        if let name = control.invocation.value("member") { query.member = try control.userName(name) }
        query.hidden = try cardRows(control.invocation.values("hide"), control.terminal)
        let answer = try control.ask(.teams(.card(query)))
        guard case .teams(.card(let rows)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        let form: TeamForm =
            rows.contains { $0.name == .kind || $0.name == .header } || query.member != nil ? .advanced : .normal
        try control.print(rows, in: form)
    })

extension Control {
    fileprivate func print(_ rows: [AdminCardRow], in form: TeamForm) throws(CommandFailure) {
        let texts = self.ownTexts
        try self.print(
            [
                Table.Column("table.row"), Table.Column("table.value", maximumWidth: 80),
                Table.Column("table.editable", maximumWidth: 80),
            ],
            rows: rows.map { row in
                let refusal = row.refusal.map { TeamCard.refusal($0, texts) }
                return [
                    TeamCard.title(of: row.name, in: form, texts), TeamCard.value(row.value, of: row.name, texts),
                    row.isEditable ? self.text("word.yes") : refusal ?? "",
                ]
            })
    }

    fileprivate func print(_ team: AdminTeam) throws(CommandFailure) {
        let texts = self.ownTexts
        func value(_ word: String, _ row: TeamCardRow.Name) -> String { TeamCard.value(word, of: row, texts) }
        func title(_ row: TeamCardRow.Name) -> String { TeamCard.title(of: row, in: .advanced, texts) }
        var fields = FieldList()
        fields.add(self.text("table.number"), "id:\(team.conversation.number)")
        fields.add(self.text("table.name"), team.conversation.name)
        fields.add(self.text("table.title"), team.conversation.title)
        fields.add(self.text("table.form"), value(team.form.word, .kind))
        fields.add(self.text("table.state"), self.state(of: team.conversation))
        fields.add(self.text("table.owner"), team.owner?.text)
        fields.add(self.text("table.memberLimit"), team.memberLimit.map { String($0) })
        fields.add(self.text("table.introduction"), team.introduction)
        fields.add(self.text("table.announcement"), team.announcement?.body)
        if team.form == .advanced {
            fields.add(title(.joinMode), value(team.modes.join.word, .joinMode))
            fields.add(title(.inviteMode), value(team.modes.invite.word, .inviteMode))
            fields.add(title(.beInvitedMode), value(team.modes.beInvited.word, .beInvitedMode))
            fields.add(title(.updateInfoMode), value(team.modes.updateInfo.word, .updateInfoMode))
            fields.add(title(.mute), value(team.modes.mute.word, .mute))
            fields.add(self.text("table.waitingRequests"), String(team.waitingRequests))
        }
        fields.add(self.text("table.created"), localTime(team.conversation.createdAtMilliseconds))
        try self.terminal.print(fields.text)
        guard !team.members.isEmpty else { return }
        let heading = self.text("heading.members", ["count": String(team.conversation.memberCount)])
        try self.terminal.print("\n\(heading)\n")
        try self.print(
            [Table.Column("table.name"), Table.Column("table.role"), Table.Column("table.state")],
            rows: team.members.map { [$0.name.text, self.word(for: $0.role), self.state(of: $0)] })
    }
}
