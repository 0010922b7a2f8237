import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl team`
let teamCommand = Command(
    group: "team", summary: "command.ctl.team",
    examples: ["teahouse ctl team create tea --form advanced --owner ming --members lan"],
    subcommands: [
        teamShowCommand, teamCreateCommand, teamSetCommand, teamInviteCommand, teamRemoveCommand, teamRoleCommand,
        teamNicknameCommand, teamMuteCommand, teamUnmuteCommand, groupBanCommand("ban", true, in: "team"),
        groupBanCommand("unban", false, in: "team"), teamTransferCommand, teamDismissCommand,
        groupNoticeCommand(in: "team"), teamAnnounceCommand, teamAnnouncementsCommand, teamCardCommand,
    ])

private let teamArgument = CommandArgument("TEAM", help: "argument.team")
private let namesArgument = CommandArgument("NAMES", help: "argument.names", isOptional: true, isRepeated: true)
private let membersFileOption = CommandOption("members-file", .value("FILE"), help: "option.membersFile")

private let settingOptions = [
    CommandOption("title", .value("TEXT"), help: "option.title"),
    CommandOption("introduction", .value("TEXT"), help: "option.introduction"),
    CommandOption("member-limit", .number(0, 1_000_000), help: "option.memberLimit"),
    CommandOption("join", .choice(TeamJoinMode.words), help: "option.joinMode"),
    CommandOption("invite", .choice(TeamInviteMode.words), help: "option.inviteMode"),
    CommandOption(
        "be-invited", .choice(TeamBeInvitedMode.words), help: "option.beInvitedMode"),
    CommandOption(
        "update-info", .choice(TeamUpdateMode.words), help: "option.updateInfoMode"),
    CommandOption(
        "update-attributes", .choice(TeamUpdateMode.words),
        help: "option.updateAttributesMode"),
    CommandOption("mute", .choice(TeamMuteMode.words), help: "option.muteMode"),
    CommandOption(
        "owner-leaving", .choice(TeamOwnerLeaving.words), help: "option.ownerLeaving"),
]

extension Control {
    func team() throws(CommandFailure) -> ChannelName { try self.groupName(self.invocation.argument("TEAM")) }

    /// The people of the arguments and of `--members-file`, at least one.
    fileprivate func people() throws(CommandFailure) -> [UserName] {
        let people = try self.members()
        guard !people.isEmpty else { throw CommandFailure(.usage, self.text("ctl.noNames")) }
        return people
    }

    /// Changes by the options of `team create` and `team set`.
    fileprivate func teamPatch() -> AdminTeamPatch {
        let typed = self.invocation
        func chosen<Mode: AdminWord>(_ option: String) -> Mode? { typed.value(option).flatMap { Mode(word: $0) } }
        var patch = AdminTeamPatch()
        patch.title = typed.value("title")
        patch.introduction = typed.value("introduction")
        patch.memberLimit = typed.number("member-limit").map { Int64($0) }
        patch.modes.join = chosen("join")
        patch.modes.invite = chosen("invite")
        patch.modes.beInvited = chosen("be-invited")
        patch.modes.updateInfo = chosen("update-info")
        patch.modes.updateAttributes = chosen("update-attributes")
        patch.modes.mute = chosen("mute")
        patch.modes.ownerLeaving = chosen("owner-leaving")
        return patch
    }

    /// Asks for a change of a team and says that it was made, or that there was nothing to change.
    fileprivate func change(
        _ request: AdminTeamRequest, _ key: String, _ values: [String: String]
    ) throws(CommandFailure) {
        let count = try self.count(.teams(request))
        var values = values
        values["count"] = String(count)
        try self.tell(.count(count), count == 0 ? "ctl.unchanged" : key, values)
    }
}

// MARK: Making and changing

private let teamCreateCommand = Command(
    "create", summary: "command.ctl.team.create", arguments: [teamArgument],
    options: [
        CommandOption("form", .choice(TeamForm.words), help: "option.form"),
        CommandOption("members", .value("NAMES"), help: "option.members", isRepeated: true), membersFileOption,
        CommandOption("owner", .value("NAME"), help: "option.owner"),
    ] + settingOptions,
    examples: [
        "teahouse ctl team create tea --form advanced --title 茶馆 --owner ming --members lan,bo",
        "teahouse ctl team create chat --form normal --owner ming --members lan",
    ],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.team()
        let form = control.invocation.value("form").flatMap { TeamForm(word: $0) } ?? .advanced
        var new = AdminNewTeam(
            name: name, form: form, members: try control.members(), settings: control.teamPatch())
        if let owner = control.invocation.value("owner") { new.owner = try control.userName(owner) }
        let answer = try control.ask(.teams(.create(new)))
        guard case .teams(.team(let made)) = answer else { throw control.unexpectedAnswer }
        let count = String(made.conversation.memberCount)
        try control.tell(answer, "ctl.team.created", ["name": name.text, "count": count])
    })

private let teamSetCommand = Command(
    "set", summary: "command.ctl.team.set", arguments: [teamArgument], options: settingOptions,
    examples: [
        "teahouse ctl team set tea --join approval --invite everyone",
        "teahouse ctl team set tea --title 茶馆 --introduction 喝茶聊天 --member-limit 50",
    ],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.team()
        let patch = control.teamPatch()
        guard patch != AdminTeamPatch() else { throw CommandFailure(.usage, control.text("ctl.team.nothingToSet")) }
        try control.change(.set(name, patch), "ctl.team.changed", ["name": name.text])
    })

// MARK: People

private let teamInviteCommand = Command(
    "invite", summary: "command.ctl.team.invite", arguments: [teamArgument, namesArgument],
    options: [
        membersFileOption, CommandOption("from", .value("NAME"), help: "option.inviteFrom"),
        CommandOption("text", .value("TEXT"), help: "option.postscript"),
    ],
    examples: [
        "teahouse ctl team invite tea lan bo", "teahouse ctl team invite tea lan --from ming --text 来喝茶",
    ],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.team()
        var from: UserName?
        if let text = control.invocation.value("from") { from = try control.userName(text) }
        let answer = try control.ask(
            .teams(
                .invite(
                    name, try control.people(), from: from, postscript: control.invocation.value("text") ?? "")))
        guard case .teams(.invited(let invited)) = answer else { throw control.unexpectedAnswer }
        try control.tell(
            answer, "ctl.team.invited",
            [
                "name": name.text, "added": String(invited.added.count), "asked": String(invited.asked.count),
                "refused": String(invited.refused.count),
            ])
    })

private let teamRemoveCommand = Command(
    "remove", summary: "command.ctl.team.remove", arguments: [teamArgument, namesArgument],
    options: [membersFileOption], examples: ["teahouse ctl team remove tea lan"],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.team()
        try control.change(.remove(name, try control.people()), "ctl.team.removed", ["name": name.text])
    })

private let teamRoleCommand = Command(
    "role", summary: "command.ctl.team.role",
    arguments: [teamArgument, CommandArgument("ROLE", help: "argument.teamRole"), namesArgument],
    options: [membersFileOption],
    examples: ["teahouse ctl team role tea manager lan", "teahouse ctl team role tea member lan"],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.team()
        let role: MemberRole
        switch control.invocation.argument("ROLE") {
        case "manager": role = .manager
        case "member": role = .member
        default: throw CommandFailure(.usage, control.text("argument.teamRole"))
        }
        try control.change(.setRole(name, try control.people(), role), "ctl.team.roles", ["name": name.text])
    })

private let teamNicknameCommand = Command(
    "nickname", summary: "command.ctl.team.nickname",
    arguments: [
        teamArgument, CommandArgument("NAME", help: "argument.userName"),
        CommandArgument("NICKNAME", help: "argument.nickname", isOptional: true),
    ],
    examples: ["teahouse ctl team nickname tea lan 阿兰", "teahouse ctl team nickname tea lan"],
    body: Control.command { control throws(CommandFailure) in
        let team = try control.team()
        let name = try control.user("NAME")
        let nickname = control.invocation.list("NICKNAME").first ?? ""
        let answer = try control.ask(.teams(.setNickname(team, name, nickname)))
        try control.tell(answer, "ctl.team.renamed", ["name": name.text, "team": team.text])
    })

private let teamMuteCommand = Command(
    "mute", summary: "command.ctl.team.mute",
    arguments: [teamArgument, CommandArgument("NAME", help: "argument.mutedMember", isOptional: true)],
    options: [
        CommandOption("who", .choice(["members", "everyone"]), help: "option.withMute"),
        CommandOption("minutes", .number(1, 52_560_000), help: "option.minutes"),
    ],
    examples: [
        "teahouse ctl team mute tea", "teahouse ctl team mute tea --who everyone",
        "teahouse ctl team mute tea lan --minutes 10",
    ],
    body: Control.command { control throws(CommandFailure) in
        let team = try control.team()
        let who = control.invocation.value("who")
        let minutes = control.invocation.number("minutes").map { Int64($0) }
        guard let text = control.invocation.list("NAME").first else {
            if minutes != nil { throw CommandFailure(.usage, control.text("ctl.team.minutesNeedName")) }
            let mode: TeamMuteMode = who == "everyone" ? .everyone : .members
            return try control.change(.mute(team, mode), "ctl.team.allMuted", ["name": team.text])
        }
        if who != nil { throw CommandFailure(.usage, control.text("ctl.team.modeNeedsNoName")) }
        let name = try control.userName(text)
        try control.change(
            .mute(team, name, true, minutes: minutes), "ctl.team.muted", ["name": name.text, "team": team.text])
    })

private let teamUnmuteCommand = Command(
    "unmute", summary: "command.ctl.team.unmute",
    arguments: [teamArgument, CommandArgument("NAME", help: "argument.mutedMember", isOptional: true)],
    examples: ["teahouse ctl team unmute tea", "teahouse ctl team unmute tea lan"],
    body: Control.command { control throws(CommandFailure) in
        let team = try control.team()
        guard let text = control.invocation.list("NAME").first else {
            return try control.change(.mute(team, .none), "ctl.team.allUnmuted", ["name": team.text])
        }
        let name = try control.userName(text)
        try control.change(
            .mute(team, name, false, minutes: nil), "ctl.team.unmuted", ["name": name.text, "team": team.text])
    })

private let teamTransferCommand = Command(
    "transfer", summary: "command.ctl.team.transfer",
    arguments: [teamArgument, CommandArgument("NAME", help: "argument.userName")],
    options: [CommandOption("leave", .flag, help: "option.andLeave")],
    examples: ["teahouse ctl team transfer tea lan", "teahouse ctl team transfer tea lan --leave"],
    body: Control.command { control throws(CommandFailure) in
        let team = try control.team()
        let owner = try control.user("NAME")
        try control.change(
            .transfer(team, to: owner, andLeaves: control.invocation.has("leave")), "ctl.team.transferred",
            ["name": team.text, "owner": owner.text])
    })

private let teamDismissCommand = Command(
    "dismiss", summary: "command.ctl.team.dismiss", arguments: [teamArgument],
    examples: ["teahouse ctl team dismiss tea"],
    body: Control.command { control throws(CommandFailure) in
        let team = try control.team()
        try control.change(.dismiss(team), "ctl.team.dismissed", ["name": team.text])
    })

// MARK: Announcements

private let teamAnnounceCommand = Command(
    "announce", summary: "command.ctl.team.announce",
    arguments: [teamArgument, CommandArgument("TEXT", help: "argument.announcement", isOptional: true)],
    options: [CommandOption("title", .value("TEXT"), help: "option.announcementTitle")],
    examples: ["teahouse ctl team announce tea 今晚八点喝茶 --title 茶会", "teahouse ctl team announce tea"],
    body: Control.command { control throws(CommandFailure) in
        let team = try control.team()
        let text = control.invocation.list("TEXT").first ?? ""
        try control.change(
            .announce(team, title: control.invocation.value("title"), text: text),
            text.isEmpty ? "ctl.team.announcementRemoved" : "ctl.team.announced", ["name": team.text])
    })

private let teamAnnouncementsCommand = Command(
    "announcements", summary: "command.ctl.team.announcements", arguments: [teamArgument],
    examples: ["teahouse ctl team announcements tea"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.teams(.announcements(try control.team(), before: nil)))
        guard case .teams(.announcements(let announcements)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(
            [
                Table.Column("table.number", .right), Table.Column("table.created"),
                Table.Column("table.author", maximumWidth: 20), Table.Column("table.title", maximumWidth: 40),
                Table.Column("table.announcement", maximumWidth: 200),
            ],
            rows: announcements.map {
                [String($0.number), localTime($0.createdAtMilliseconds), $0.author.text, $0.title ?? "", $0.body]
            })
    })
