import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl team`
///
/// Two commands are written by hand: one word mutes the team or, with a name, one member.
let teamCommand = Command(
    group: "team", summary: "command.ctl.team",
    examples: ["teahouse ctl team create tea --form advanced --owner ming --members lan"],
    subcommands: operationCommands(below: "team") + [teamMuteCommand, teamUnmuteCommand])

private let teamArgument = CommandArgument("TEAM", help: "argument.team")

extension Control {
    fileprivate func team() throws(CommandFailure) -> ChannelName {
        try self.groupName(self.invocation.argument("TEAM"))
    }

    /// Asks for a change of a team and says that it was made, or that there was nothing to change.
    fileprivate func change(
        _ request: AdminTeamRequest, _ key: String, _ values: [String: String]
    ) throws(CommandFailure) {
        let count = try self.count(.teams(request))
        try self.tell(.count(count), count == 0 ? "ctl.unchanged" : key, values)
    }
}

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
