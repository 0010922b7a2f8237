package import ChatModel

/// What an operator can ask about teams.
package enum AdminTeamRequest: Hashable, Sendable {
    case show(ChannelName)
    case create(AdminNewTeam)
    case set(ChannelName, AdminTeamPatch)
    /// Brings people in; in the name of a member they are asked, when the team wants that.
    case invite(ChannelName, [UserName], from: UserName?, postscript: String)
    case remove(ChannelName, [UserName])
    /// Makes members managers, or managers members.
    case setRole(ChannelName, [UserName], MemberRole)
    /// What a member is called in the team; empty for their own name.
    case setNickname(ChannelName, UserName, String)
    /// Whether a member may not send; for so many minutes, or without end.
    case mute(ChannelName, UserName, Bool, minutes: Int64?)
    case transfer(ChannelName, to: UserName, andLeaves: Bool)
    case dismiss(ChannelName)
    /// An empty text takes the last announcement away.
    case announce(ChannelName, title: String?, text: String)
    /// The newest first; `before` is the number the page before ended with.
    case announcements(ChannelName, before: Int64?)
    case card(AdminCardQuery)
    case requests(AdminJoinQuery)
    case answer(Int64, accept: Bool, reason: String)
    /// In the name of a person who wants to join.
    case apply(ChannelName, UserName, postscript: String)
    case withdraw(Int64)
}

extension AdminTeamRequest {
    var word: String {
        switch self {
        case .show: "team.show"
        case .create: "team.create"
        case .set: "team.set"
        case .invite: "team.invite"
        case .remove: "team.remove"
        case .setRole: "team.role"
        case .setNickname: "team.nickname"
        case .mute: "team.mute"
        case .transfer: "team.transfer"
        case .dismiss: "team.dismiss"
        case .announce: "team.announce"
        case .announcements: "team.announcements"
        case .card: "team.card"
        case .requests: "request.list"
        case .answer: "request.answer"
        case .apply: "request.apply"
        case .withdraw: "request.withdraw"
        }
    }

    var isChange: Bool {
        switch self {
        case .show, .announcements, .card, .requests: false
        case .create, .set, .invite, .remove, .setRole, .setNickname, .mute, .transfer, .dismiss, .announce, .answer,
            .apply, .withdraw:
            true
        }
    }

    var subject: String? {
        switch self {
        case .show(let team), .set(let team, _), .invite(let team, _, _, _), .remove(let team, _),
            .setRole(let team, _, _), .setNickname(let team, _, _), .mute(let team, _, _, _),
            .transfer(let team, _, _), .dismiss(let team), .announce(let team, _, _), .announcements(let team, _),
            .apply(let team, _, _):
            team.text
        case .create(let team): team.name.text
        case .card(let query): query.team.text
        case .requests(let query): query.team?.text
        case .answer(let number, _, _), .withdraw(let number): String(number)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .show(let team), .dismiss(let team): fields.text("team", team.text)
        case .create(let team): team.write(to: &fields)
        case .set(let team, let patch):
            fields.text("team", team.text)
            fields.record("patch", patch)
        case .invite(let team, let people, let from, let postscript):
            fields.text("team", team.text)
            fields.texts("people", people.map(\.text))
            fields.text("from", from?.text)
            fields.text("postscript", postscript)
        case .remove(let team, let people):
            fields.text("team", team.text)
            fields.texts("people", people.map(\.text))
        case .setRole(let team, let people, let role):
            fields.text("team", team.text)
            fields.texts("people", people.map(\.text))
            fields.text("role", Word.of(role))
        case .setNickname(let team, let name, let nickname):
            fields.text("team", team.text)
            fields.text("name", name.text)
            fields.text("nickname", nickname)
        case .mute(let team, let name, let isOn, let minutes):
            fields.text("team", team.text)
            fields.text("name", name.text)
            fields.flag("on", isOn)
            fields.number("minutes", minutes)
        case .transfer(let team, let owner, let andLeaves):
            fields.text("team", team.text)
            fields.text("name", owner.text)
            fields.flag("leave", andLeaves)
        case .announce(let team, let title, let text):
            fields.text("team", team.text)
            fields.text("title", title)
            fields.text("text", text)
        case .announcements(let team, let before):
            fields.text("team", team.text)
            fields.number("before", before)
        case .card(let query): query.write(to: &fields)
        case .requests, .answer, .apply, .withdraw: self.writeJoining(to: &fields)
        }
    }

    private func writeJoining(to fields: inout FieldWriter) {
        switch self {
        case .requests(let query): query.write(to: &fields)
        case .answer(let number, let accept, let reason):
            fields.number("request", number)
            fields.flag("accept", accept)
            fields.text("reason", reason)
        case .apply(let team, let name, let postscript):
            fields.text("team", team.text)
            fields.text("name", name.text)
            fields.text("postscript", postscript)
        case .withdraw(let number): fields.number("request", number)
        default: break
        }
    }

    /// - Returns: `nil` for a word that is none of teams.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "team.show": self = .show(try with.channelName("team"))
        case "team.create": self = .create(try AdminNewTeam(with))
        case "team.set": self = .set(try with.channelName("team"), try with.record("patch"))
        case "team.invite":
            self = .invite(
                try with.channelName("team"), try with.userNames("people"), from: try with.optionalUserName("from"),
                postscript: try with.text("postscript"))
        case "team.remove": self = .remove(try with.channelName("team"), try with.userNames("people"))
        case "team.role":
            self = .setRole(
                try with.channelName("team"), try with.userNames("people"), try Word.memberRole(with.text("role")))
        case "team.nickname":
            self = .setNickname(try with.channelName("team"), try with.userName("name"), try with.text("nickname"))
        case "team.mute":
            self = .mute(
                try with.channelName("team"), try with.userName("name"), try with.flag("on"),
                minutes: try with.optionalNumber("minutes"))
        case "team.transfer":
            self = .transfer(
                try with.channelName("team"), to: try with.userName("name"), andLeaves: try with.flag("leave"))
        case "team.dismiss": self = .dismiss(try with.channelName("team"))
        case "team.announce":
            self = .announce(
                try with.channelName("team"), title: try with.optionalText("title"), text: try with.text("text"))
        case "team.announcements":
            self = .announcements(try with.channelName("team"), before: try with.optionalNumber("before"))
        case "team.card": self = .card(try AdminCardQuery(with))
        case "request.list": self = .requests(try AdminJoinQuery(with))
        case "request.answer":
            self = .answer(
                try with.number("request"), accept: try with.flag("accept"), reason: try with.text("reason"))
        case "request.apply":
            self = .apply(
                try with.channelName("team"), try with.userName("name"), postscript: try with.text("postscript"))
        case "request.withdraw": self = .withdraw(try with.number("request"))
        default: return nil
        }
    }
}

/// What the server answers about teams.
package enum AdminTeamAnswer: Hashable, Sendable {
    case team(AdminTeam)
    case invited(AdminTeamInvited)
    case card([AdminCardRow])
    case announcements([AdminAnnouncement])
    /// A page; `next` asks for the one after it, `nil` on the last.
    case requests([AdminJoinRequest], next: Int64?)
    /// As it is now.
    case request(AdminJoinRequest)
}

extension AdminTeamAnswer {
    var word: String {
        switch self {
        case .team: "team"
        case .invited: "team.invited"
        case .card: "team.card"
        case .announcements: "team.announcements"
        case .requests: "requests"
        case .request: "request"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .team(let team): team.write(to: &fields)
        case .invited(let invited): invited.write(to: &fields)
        case .card(let rows): fields.records("rows", rows)
        case .announcements(let announcements): fields.records("announcements", announcements)
        case .requests(let requests, let next):
            fields.records("requests", requests)
            fields.number("next", next)
        case .request(let request): request.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of teams.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "team": self = .team(try AdminTeam(with))
        case "team.invited": self = .invited(try AdminTeamInvited(with))
        case "team.card": self = .card(try with.records("rows"))
        case "team.announcements": self = .announcements(try with.records("announcements"))
        case "requests": self = .requests(try with.records("requests"), next: try with.optionalNumber("next"))
        case "request": self = .request(try AdminJoinRequest(with))
        default: return nil
        }
    }
}
