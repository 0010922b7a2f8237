package import ChatModel

/// Requests about the members and the settings of a group; a team is a group with a form.
package enum AdminTeamRequest: Hashable, Sendable {
    case show(ChannelName)
    case create(AdminNewTeam)
    case set(ChannelName, AdminTeamPatch)
    /// Adds users. In the name of a member they are invited first, when the team is set so.
    case invite(ChannelName, [UserName], from: UserName?, postscript: String)
    case remove(ChannelName, [UserName])
    /// Lets nobody send, or ends it. The group shows no line about it.
    case setBanned(ChannelName, Bool)
    /// Makes members managers, or managers members.
    case setRole(ChannelName, [UserName], MemberRole)
    /// Sets the name of a member in the team; empty for the member's own name.
    case setNickname(ChannelName, UserName, String)
    /// Mutes a member for so many minutes, or without end for `nil`; `false` ends the mute.
    case mute(ChannelName, UserName, Bool, minutes: Int64?)
    case transfer(ChannelName, to: UserName, andLeaves: Bool)
    case dismiss(ChannelName)
    /// Sets the announcement unless it is this text already; empty removes it.
    case setNotice(ChannelName, String)
    /// Announces a text, even the same again; an empty one removes the last.
    case announce(ChannelName, title: String?, text: String)
    /// Lists announcements, newest first; `before` is the number of the last one on the page before.
    case announcements(ChannelName, before: Int64?)
    case card(AdminCardQuery)
    case requests(AdminJoinQuery)
    case answer(Int64, accept: Bool, reason: String)
    /// Asks to join in the name of a user.
    case apply(ChannelName, UserName, postscript: String)
    case withdraw(Int64)
}

extension AdminTeamRequest {
    /// Adds users without asking them.
    package static func add(_ team: ChannelName, _ people: [UserName]) -> Self {
        .invite(team, people, from: nil, postscript: "")
    }

    /// Sets who may not send.
    package static func mute(_ team: ChannelName, _ mode: TeamMuteMode) -> Self {
        var patch = AdminTeamPatch()
        patch.modes.mute = mode
        return .set(team, patch)
    }

    /// Words in audit logs of before, when groups and teams were two families, with those of today.
    private static let formerWords = [
        "group.create": "team.create", "group.add": "team.invite", "group.remove": "team.remove",
        "group.ban": "team.ban", "group.mute": "team.set", "group.muteMember": "team.mute",
        "group.notice": "team.notice",
    ]

    /// Words of the audit log that mean the same as a word, or as one of a family of words.
    package static func otherWords(of what: String) -> [String] {
        func isMeant(_ word: String) -> Bool { word == what || word.hasPrefix(what + ".") }
        return Self.formerWords.flatMap { former, today in
            isMeant(former) ? [today] : isMeant(today) ? [former] : []
        }
    }
}

extension AdminTeamRequest: AdminOperations {
    static let all: [Self] = [
        .show(.sample), .create(.sample), .set(.sample, .sample),
        .invite(.sample, .sample, from: .sample, postscript: .sample), .remove(.sample, .sample),
        .setBanned(.sample, .sample), .setNotice(.sample, .sample), .setRole(.sample, .sample, .sample),
        .setNickname(.sample, .sample, .sample),
        .mute(.sample, .sample, .sample, minutes: .sample), .transfer(.sample, to: .sample, andLeaves: .sample),
        .dismiss(.sample), .announce(.sample, title: .sample, text: .sample),
        .announcements(.sample, before: .sample), .card(.sample), .requests(.sample),
        .answer(.sample, accept: .sample, reason: .sample), .apply(.sample, .sample, postscript: .sample),
        .withdraw(.sample),
    ]

    /// Word, audit entry, `ctl` command and inverse of the request.
    package var operation: AdminOperation {
        switch self {
        case .show(let team): .look("team.show", team.text, ctl: ctl("team show", .word(team.text)))
        case .create(let team): .change("team.create", team.name.text, ctl: team.command)
        case .set(let team, let patch):
            .change(
                "team.set", team.text, ctl: patch.command(for: team),
                inverse: patch.muteInverse.map { .teams(.set(team, $0)) })
        case .invite(let team, let people, let from, let postscript):
            .change(
                "team.invite", team.text,
                ctl: people.words.map {
                    ctl(
                        "team invite", .word(team.text), .words($0), .option("from", from?.text),
                        .option("text", postscript.nonEmpty))
                }, inverse: from == nil ? .teams(.remove(team, people)) : nil)
        case .remove(let team, let people):
            .change(
                "team.remove", team.text, ctl: people.words.map { ctl("team remove", .word(team.text), .words($0)) },
                inverse: .teams(.add(team, people)))
        case .setBanned(let team, let isBanned):
            .change(
                "team.ban", team.text, ctl: ctl("team \(isBanned ? "ban" : "unban")", .word(team.text)),
                inverse: .teams(.setBanned(team, !isBanned)))
        case .setRole(let team, let people, let role):
            .change(
                "team.role", team.text,
                ctl: role == .owner
                    ? nil : people.words.map { ctl("team role", .word(team.text), .word(role.word), .words($0)) })
        case .setNickname(let team, let name, let nickname):
            .change(
                "team.nickname", team.text,
                ctl: ctl("team nickname", .word(team.text), .word(name.text), .word(nickname.nonEmpty)))
        case .mute(let team, let name, true, let minutes):
            .change(
                "team.mute", team.text,
                ctl: ctl("team mute", .word(team.text), .word(name.text), .option("minutes", minutes)),
                inverse: .teams(.mute(team, name, false, minutes: nil)))
        case .mute(let team, let name, false, let minutes):
            .change(
                "team.mute", team.text,
                ctl: minutes == nil ? ctl("team unmute", .word(team.text), .word(name.text)) : nil)
        case .transfer(let team, let owner, let andLeaves):
            .change(
                "team.transfer", team.text,
                ctl: ctl("team transfer", .word(team.text), .word(owner.text), .flag("leave", andLeaves)))
        case .dismiss(let team): .change("team.dismiss", team.text, ctl: ctl("team dismiss", .word(team.text)))
        case .setNotice(let team, let text):
            .change("team.notice", team.text, ctl: ctl("team notice", .word(team.text), .word(text.nonEmpty)))
        case .announce(let team, let title, let text):
            .change(
                "team.announce", team.text,
                ctl: ctl("team announce", .word(team.text), .word(text.nonEmpty), .option("title", title)))
        case .announcements(let team, let before):
            .look(
                "team.announcements", team.text,
                ctl: before == nil ? ctl("team announcements", .word(team.text)) : nil)
        case .card(let query): .look("team.card", query.team.text, ctl: query.command)
        case .requests(let query): .look("request.list", query.team?.text, ctl: query.command)
        case .answer(let number, let accept, let reason):
            .change(
                "request.answer", String(number),
                ctl: ctl(
                    "request \(accept ? "accept" : "refuse")", .word(String(number)), .option("reason", reason.nonEmpty)
                ))
        case .apply(let team, let name, let postscript):
            .change(
                "request.apply", team.text,
                ctl: ctl(
                    "request apply", .word(team.text), .word(name.text), .option("text", postscript.nonEmpty)))
        case .withdraw(let number):
            .change("request.withdraw", String(number), ctl: ctl("request withdraw", .word(String(number))))
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .show(let team): try .show(fields("team", team))
        case .create(let create): try .create(fields.inline(create))
        case .set(let team, let patch): try .set(fields("team", team), fields("patch", patch))
        case .invite(let team, let people, let from, let postscript):
            try .invite(
                fields("team", team), fields("people", people), from: fields("from", from),
                postscript: fields("postscript", postscript))
        case .remove(let team, let people): try .remove(fields("team", team), fields("people", people))
        case .setBanned(let team, let banned): try .setBanned(fields("team", team), fields("banned", banned))
        case .setNotice(let team, let text): try .setNotice(fields("team", team), fields("text", text))
        case .setRole(let team, let people, let role):
            try .setRole(fields("team", team), fields("people", people), fields("role", role))
        case .setNickname(let team, let name, let nickname):
            try .setNickname(fields("team", team), fields("name", name), fields("nickname", nickname))
        case .mute(let team, let name, let on, let minutes):
            try .mute(fields("team", team), fields("name", name), fields("on", on), minutes: fields("minutes", minutes))
        case .transfer(let team, let name, let leave):
            try .transfer(fields("team", team), to: fields("name", name), andLeaves: fields("leave", leave))
        case .dismiss(let team): try .dismiss(fields("team", team))
        case .announce(let team, let title, let text):
            try .announce(fields("team", team), title: fields("title", title), text: fields("text", text))
        case .announcements(let team, let before):
            try .announcements(fields("team", team), before: fields("before", before))
        case .card(let card): try .card(fields.inline(card))
        case .requests(let requests): try .requests(fields.inline(requests))
        case .answer(let request, let accept, let reason):
            try .answer(fields("request", request), accept: fields("accept", accept), reason: fields("reason", reason))
        case .apply(let team, let name, let postscript):
            try .apply(fields("team", team), fields("name", name), postscript: fields("postscript", postscript))
        case .withdraw(let request): try .withdraw(fields("request", request))
        }
    }
}

/// Answers about teams.
package enum AdminTeamAnswer: Hashable, Sendable {
    case team(AdminTeam)
    case invited(AdminTeamInvited)
    case card([AdminCardRow])
    case announcements([AdminAnnouncement])
    /// A page; `next` asks for the one after it, `nil` on the last.
    case requests([AdminJoinRequest], next: Int64?)
    /// State after the request.
    case request(AdminJoinRequest)
}

extension AdminTeamAnswer: AdminFamily {
    static let all: [Self] = [
        .team(.sample), .invited(.sample), .card(.sample), .announcements(.sample), .requests(.sample, next: .sample),
        .request(.sample),
    ]

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

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .team(let team): try .team(fields.inline(team))
        case .invited(let invited): try .invited(fields.inline(invited))
        case .card(let rows): try .card(fields("rows", rows))
        case .announcements(let announcements): try .announcements(fields("announcements", announcements))
        case .requests(let requests, let next): try .requests(fields("requests", requests), next: fields("next", next))
        case .request(let request): try .request(fields.inline(request))
        }
    }
}
