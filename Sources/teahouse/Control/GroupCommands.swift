import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl group`: plain groups, and the older words for what `ctl team` does too. Both send the same requests.
let groupCommand = Command(
    group: "group", summary: "command.ctl.group", examples: ["teahouse ctl group create tea --members ming,lan"],
    subcommands: [
        groupCreateCommand, membersCommand("add"), membersCommand("remove"), muteCommand("mute", true),
        muteCommand("unmute", false),
    ] + operationCommands(below: "group"))

private let groupArgument = CommandArgument("GROUP", help: "argument.group")
private let membersFileOption = CommandOption("members-file", .value("FILE"), help: "option.membersFile")

// Plain groups have words of their own for what was done.
private let groupCreateCommand = Command(
    "create", summary: "command.ctl.group.create", arguments: [groupArgument],
    options: [
        CommandOption("members", .value("NAMES"), help: "option.members", isRepeated: true), membersFileOption,
        CommandOption("owner", .value("NAME"), help: "option.owner"),
        CommandOption("title", .value("TEXT"), help: "option.title"),
    ],
    examples: [
        "teahouse ctl group create tea --title 茶馆 --owner ming --members ming,lan",
        "teahouse ctl group create all --members-file people.txt",
    ],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.groupName(control.invocation.argument("GROUP"))
        var group = AdminNewTeam(
            name: name, title: control.invocation.value("title"), members: try control.members())
        if let owner = control.invocation.value("owner") { group.owner = try control.userName(owner) }
        let answer = try control.ask(.teams(.create(group)))
        guard case .conversation(let made) = answer else { throw control.unexpectedAnswer }
        let count = String(made.conversation.memberCount)
        try control.tell(answer, "ctl.group.created", ["name": name.text, "count": count])
    })

private func membersCommand(_ word: String) -> Command {
    Command(
        word, summary: "command.ctl.group.\(word)",
        arguments: [
            groupArgument, CommandArgument("NAMES", help: "argument.names", isOptional: true, isRepeated: true),
        ],
        options: [membersFileOption],
        examples: [
            "teahouse ctl group \(word) tea ming lan", "teahouse ctl group \(word) tea --members-file people.txt",
        ],
        body: Control.command { control throws(CommandFailure) in
            let group = try control.groupName(control.invocation.argument("GROUP"))
            let members = try control.members()
            guard !members.isEmpty else { throw CommandFailure(.usage, control.text("ctl.noNames")) }
            let isAdding = word == "add"
            let count =
                isAdding
                ? try control.invited(members, to: group) : try control.count(.teams(.remove(group, members)))
            let key = isAdding ? "ctl.group.added" : "ctl.group.removed"
            try control.tell(.count(count), key, ["name": group.text, "count": String(count)])
        })
}

extension Control {
    /// How many people were added.
    fileprivate func invited(_ people: [UserName], to group: ChannelName) throws(CommandFailure) -> Int64 {
        let answer = try self.ask(.teams(.add(group, people)))
        guard case .teams(.invited(let invited)) = answer else { throw self.unexpectedAnswer }
        return Int64(invited.added.count)
    }
}

/// Everybody but managers and the owner, or one member.
private func muteCommand(_ word: String, _ isMuted: Bool) -> Command {
    Command(
        word, summary: "command.ctl.group.\(word)",
        arguments: [groupArgument, CommandArgument("NAME", help: "argument.mutedMember", isOptional: true)],
        options: isMuted ? [CommandOption("minutes", .number(1, 52_560_000), help: "option.minutes")] : [],
        examples: ["teahouse ctl group \(word) tea", "teahouse ctl group \(word) tea ming"],
        body: Control.command { control throws(CommandFailure) in
            let group = try control.groupName(control.invocation.argument("GROUP"))
            let minutes = isMuted ? control.invocation.number("minutes").map(Int64.init) : nil
            guard let text = control.invocation.list("NAME").first else {
                if minutes != nil { throw CommandFailure(.usage, control.text("ctl.minutesNeedName")) }
                let count = try control.count(.teams(.mute(group, isMuted ? .members : .none)))
                let key = count == 0 ? "ctl.unchanged" : "ctl.group.\(word)"
                return try control.tell(.count(count), key, ["name": group.text])
            }
            let name = try control.userName(text)
            let count = try control.count(.teams(.mute(group, name, isMuted, minutes: minutes)))
            let key = count == 0 ? "ctl.unchanged" : "ctl.group.\(word)Member"
            try control.tell(.count(count), key, ["name": name.text, "group": group.text])
        })
}
