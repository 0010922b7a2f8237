import AdminAPI
import ChatModel
import CommandLineKit
import Profiles

extension AdminTeamAnswer {
    /// Values for the line of an operation.
    var values: [String: String] {
        switch self {
        case .team(let team): ["count": String(team.conversation.memberCount)]
        case .invited(let invited):
            [
                "added": String(invited.added.count), "asked": String(invited.asked.count),
                "refused": String(invited.refused.count),
            ]
        case .request(let request):
            [
                "number": String(request.number), "person": request.person.text, "team": request.team?.text ?? "",
            ]
        case .card, .announcements, .requests: [:]
        }
    }
}

extension Control {
    /// Prints an answer about teams.
    func show(_ answer: AdminTeamAnswer, to request: AdminRequest) throws(CommandFailure) {
        switch answer {
        case .team(let team): try self.print(team)
        case .card(let rows):
            let isOfTeam = rows.contains { $0.name == .kind || $0.name == .header }
            let isOfMember = if case .teams(.card(let query)) = request { query.member != nil } else { false }
            try self.print(rows, in: isOfTeam || isOfMember ? .advanced : .normal)
        case .announcements(let announcements): try self.print(announcements)
        case .requests(let requests, _): try self.print(requests)
        case .invited, .request: throw self.unexpectedAnswer
        }
    }

    private func print(_ announcements: [AdminAnnouncement]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.number", .right), Table.Column("table.created"),
                Table.Column("table.author", maximumWidth: 20), Table.Column("table.title", maximumWidth: 40),
                Table.Column("table.announcement", maximumWidth: 200),
            ],
            rows: announcements.map {
                [String($0.number), localTime($0.createdAtMilliseconds), $0.author.text, $0.title ?? "", $0.body]
            })
    }

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
