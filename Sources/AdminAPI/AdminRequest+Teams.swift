package import ChatModel

/// Requests about the members and the settings of a group; a team is a group with a form.
package enum AdminTeamRequest: Equatable, Sendable {
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

extension AdminTeamRequest: AdminDefinitions {
    static let all: [Self] = [
        .show(.sample), .create(.sample), .set(.sample, .sample),
        .invite(.sample, .sample, from: .sample, postscript: .sample), .remove(.sample, .sample),
        .setRole(.sample, .sample, .sample), .setNickname(.sample, .sample, .sample),
        .mute(.sample, .sample, .sample, minutes: .sample), .setBanned(.sample, .sample),
        .transfer(.sample, to: .sample, andLeaves: .sample), .dismiss(.sample), .setNotice(.sample, .sample),
        .announce(.sample, title: .sample, text: .sample), .announcements(.sample, before: .sample), .card(.sample),
        .requests(.sample), .answer(.sample, accept: .sample, reason: .sample),
        .apply(.sample, .sample, postscript: .sample), .withdraw(.sample),
    ]

    static let more: [Self] = [
        .create(AdminNewTeam(name: .sample, form: .advanced, members: [])), .setBanned(.sample, false),
        .announcements(.sample, before: nil), .requests(AdminJoinQuery()),
        .answer(.sample, accept: false, reason: .sample),
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .show(let team):
            fields.look("team.show", role: .observer, team.text)
            fields.ctl("team show", examples: ["tea", "tea --json"])
            return try .show(fields("team", team, .team))
        case .create(let new):
            fields.change("team.create", .team(new.name))
            if new.form == nil {
                fields.line(new.groupCommand)
            } else {
                fields.ctl(
                    "team create", says: "ctl.team.created", ["name": new.name.text],
                    examples: [
                        "tea --form advanced --title 茶馆 --owner ming --members lan,bo",
                        "chat --form normal --owner ming --members lan",
                    ])
            }
            return try .create(fields.inline(new))
        case .set(let team, let patch):
            fields.change(
                "team.set", .team(team), inverse: patch.muteInverse.map { .teams(.set(team, $0)) },
                basis: .teams(.show(team)))
            fields.asks("console.card.set", patch.consequences, of: [team.text])
            if let mode = patch.onlyMute {
                fields.line(mode.command(for: team))
            } else {
                fields.ctl(
                    "team set", says: "ctl.team.changed", ["name": team.text],
                    examples: [
                        "tea --join approval --invite everyone",
                        "tea --title 茶馆 --introduction 喝茶聊天 --member-limit 50",
                    ])
            }
            let set = try (fields("team", team, .team), fields.record("patch", patch))
            try fields.checkTyped(set.1 != AdminTeamPatch(), "ctl.team.nothingToSet")
            return .set(set.0, set.1)
        case .invite(let team, let people, let from, let postscript):
            fields.change(
                "team.invite", role: .helper, .team(team, among: people),
                inverse: from == nil ? .teams(.remove(team, people)) : nil)
            fields.asks(
                "console.groups.add",
                [from == nil ? "console.groups.addConsequence" : "console.card.invitedConsequence"],
                of: people.map(\.text))
            fields.ctl(
                "team invite", says: "ctl.team.invited", ["name": team.text],
                examples: ["tea lan bo", "tea lan --from ming --text 来喝茶"])
            return try .invite(
                fields("team", team, .team), fields("people", people, .names),
                from: fields("from", from, .option("from", "NAME", "option.inviteFrom")),
                postscript: fields("postscript", postscript, .option("text", "TEXT", "option.postscript")))
        case .remove(let team, let people):
            fields.change("team.remove", role: .helper, .team(team, among: people), inverse: .teams(.add(team, people)))
            fields.asks(
                "console.groups.remove", ["console.groups.removeConsequence"], of: people.map(\.text),
                ["name": team.text])
            fields.ctl("team remove", says: "ctl.team.removed", ["name": team.text], examples: ["tea lan"])
            return try .remove(fields("team", team, .team), fields("people", people, .names))
        case .setRole(let team, let people, let role):
            fields.change("team.role", .team(team, among: people), basis: .showConversation(team.text))
            fields.asks(
                role == .manager ? "word.manager" : "word.member",
                [role == .manager ? "console.card.managerConsequence" : "console.card.memberConsequence"],
                of: people.map(\.text))
            fields.ctl(
                "team role", says: "ctl.team.roles", ["name": team.text],
                examples: ["tea manager lan", "tea member lan"])
            return try .setRole(
                fields("team", team, .team), fields("people", people, .names),
                fields("role", role, .argument("ROLE", "argument.teamRole", only: ["manager", "member"])))
        case .setNickname(let team, let name, let nickname):
            fields.change("team.nickname", role: .helper, .member(name, of: team))
            fields.ctl(
                "team nickname", says: "ctl.team.renamed", ["name": name.text, "team": team.text],
                examples: ["tea lan 阿兰", "tea lan"])
            return try .setNickname(
                fields("team", team, .team), fields("name", name, .user),
                fields("nickname", nickname, .argument("NICKNAME", "argument.nickname", isOptional: true)))
        case .mute(let team, let name, let isMuted, let minutes):
            fields.change(
                "team.mute", role: .helper, .member(name, of: team),
                inverse: isMuted ? .teams(.mute(team, name, false, minutes: nil)) : nil)
            fields.line(Self.muteCommand(team, name, isMuted, minutes))
            return try .mute(
                fields("team", team), fields("name", name), fields("on", isMuted), minutes: fields("minutes", minutes))
        case .setBanned(let team, let isBanned):
            let word = isBanned ? "ban" : "unban"
            fields.change(
                "team.ban", .team(team), inverse: .teams(.setBanned(team, !isBanned)),
                basis: .showConversation(team.text))
            fields.asks("console.groups.\(word)", ["console.groups.\(word)Consequence"], of: [team.text])
            fields.ctl(
                "team \(word)", also: "group \(word)", summary: "command.ctl.group.\(word)",
                says: isBanned ? "ctl.group.banned" : "ctl.group.unbanned", ["name": team.text], examples: ["tea"])
            return try .setBanned(fields("team", team, .group), fields("banned", isBanned))
        case .transfer(let team, let owner, let andLeaves):
            fields.change("team.transfer", .team(team), basis: andLeaves ? nil : .teams(.show(team)))
            fields.asks(
                "card.row.transfer",
                ["console.card.heirConsequence"] + (andLeaves ? ["console.card.ownerIsGoneConsequence"] : []),
                of: [team.text], ["name": owner.text], isFinal: andLeaves)
            fields.ctl(
                "team transfer", says: "ctl.team.transferred", ["name": team.text, "owner": owner.text],
                examples: ["tea lan", "tea lan --leave"])
            return try .transfer(
                fields("team", team, .team), to: fields("name", owner, .user),
                andLeaves: fields("leave", andLeaves, .flag("leave", "option.andLeave")))
        case .dismiss(let team):
            fields.change("team.dismiss", .team(team))
            fields.asks(
                "card.row.dismiss", ["console.card.dismissConsequence"], of: [team.text], isTyped: true, isFinal: true,
                losers: AdminOperation.Caution.Losers(conversation: team.text, text: "console.card.dismissMembers"))
            fields.ctl("team dismiss", says: "ctl.team.dismissed", ["name": team.text], examples: ["tea"])
            return try .dismiss(fields("team", team, .team))
        case .setNotice(let team, let text):
            fields.change("team.notice", .team(team), basis: .showConversation(team.text))
            fields.ctl(
                "team notice", also: "group notice", summary: "command.ctl.group.notice",
                says: text.isEmpty ? "ctl.group.noticeRemoved" : "ctl.group.noticeSet", ["name": team.text],
                examples: ["tea 今晚八点喝茶", "tea"])
            return try .setNotice(
                fields("team", team, .group),
                fields("text", text, .argument("TEXT", "argument.notice", isOptional: true)))
        case .announce(let team, let title, let text):
            fields.change("team.announce", .team(team), basis: .teams(.show(team)))
            fields.asks(
                "console.groups.notice",
                [text.isEmpty ? "console.card.announcementRemoved" : "console.card.announced"], of: [team.text])
            fields.ctl(
                "team announce", says: text.isEmpty ? "ctl.team.announcementRemoved" : "ctl.team.announced",
                ["name": team.text], examples: ["tea 今晚八点喝茶 --title 茶会", "tea"])
            return try .announce(
                fields("team", team, .team),
                title: fields("title", title, .option("title", "TEXT", "option.announcementTitle")),
                text: fields("text", text, .argument("TEXT", "argument.announcement", isOptional: true)))
        case .announcements(let team, let before):
            fields.look("team.announcements", role: .observer, team.text)
            fields.ctl("team announcements", examples: ["tea"])
            return try .announcements(fields("team", team, .team), before: fields("before", before))
        case .card(let query):
            fields.look("team.card", role: .observer, query.team.text)
            fields.ctl(
                "team card",
                examples: [
                    "tea --viewer lan", "tea --viewer ming --member lan", "tea --viewer lan --hide alerts,pinned",
                ])
            return try .card(fields.inline(query))
        case .requests(let query):
            fields.look("request.list", role: .observer, query.team?.text)
            fields.ctl("request list", examples: ["", "--team tea --all"])
            return try .requests(fields.inline(query))
        case .answer(let number, let accept, let reason):
            fields.change("request.answer", role: .helper, .joinRequest(number))
            fields.asks(
                accept ? "console.requests.accept" : "console.requests.refuse",
                [accept ? "console.requests.acceptConsequence" : "console.requests.refuseConsequence"],
                of: [String(number)])
            fields.ctl(
                "request \(accept ? "accept" : "refuse")",
                says: accept ? "ctl.request.accepted" : "ctl.request.refused", examples: ["7"])
            return try .answer(
                fields("request", number, .request), accept: fields("accept", accept),
                reason: fields("reason", reason, .option("reason", "TEXT", "option.reason")))
        case .apply(let team, let name, let postscript):
            fields.change("request.apply", role: .helper, .team(team, among: [name]))
            fields.ctl(
                "request apply", says: "ctl.request.waiting", done: "ctl.request.joined",
                ["person": name.text, "team": team.text], examples: ["tea lan --text 我也爱喝茶"])
            return try .apply(
                fields("team", team, .team), fields("name", name, .user),
                postscript: fields("postscript", postscript, .option("text", "TEXT", "option.postscript")))
        case .withdraw(let number):
            fields.change("request.withdraw", role: .helper, .joinRequest(number))
            fields.asks("console.requests.withdraw", ["console.requests.withdrawConsequence"], of: [String(number)])
            fields.ctl("request withdraw", says: "ctl.request.withdrawn", examples: ["7"])
            return try .withdraw(fields("request", number, .request))
        }
    }

    /// Command that mutes a member or ends it. It is written by hand: one command mutes a member or, without a name,
    /// the team.
    private static func muteCommand(
        _ team: ChannelName, _ name: UserName, _ isMuted: Bool, _ minutes: Int64?
    ) -> [String]? {
        if isMuted { return ctl("team mute", .word(team.text), .word(name.text), .option("minutes", minutes)) }
        return minutes == nil ? ctl("team unmute", .word(team.text), .word(name.text)) : nil
    }
}

extension CommandPlace {
    fileprivate static let request = argument("REQUEST", "argument.request", refusal: "ctl.badRequest")
}

/// Answers about teams.
package enum AdminTeamAnswer: AdminFamily {
    case team(AdminTeam)
    case invited(AdminTeamInvited)
    case card([AdminCardRow])
    case announcements([AdminAnnouncement])
    /// A page; `next` asks for the one after it, `nil` on the last.
    case requests([AdminJoinRequest], next: Int64?)
    /// State after the request.
    case request(AdminJoinRequest)

    static let all: [Self] = [
        .team(.sample), .invited(.sample), .card(.sample), .announcements(.sample), .requests(.sample, next: .sample),
        .request(.sample),
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .team(let team): try .team(fields.named("team").inline(team))
        case .invited(let invited): try .invited(fields.named("team.invited").inline(invited))
        case .card(let rows): try .card(fields.named("team.card")("rows", rows))
        case .announcements(let announcements):
            try .announcements(fields.named("team.announcements")("announcements", announcements))
        case .requests(let requests, let next):
            try .requests(fields.named("requests").rows("requests", requests), next: fields.next(next))
        case .request(let request): try .request(fields.named("request").inline(request))
        }
    }
}
