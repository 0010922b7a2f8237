import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl user`
let userCommand = Command(
    group: "user", summary: "command.ctl.user", examples: ["teahouse ctl user list"],
    subcommands: [
        userAddCommand, userListCommand, userShowCommand, userEditCommand, userTokenCommand, userRevokeCommand,
        disableCommand("disable", true), disableCommand("enable", false), userPasswordCommand,
        listCommand("block", .blocked, true), listCommand("unblock", .blocked, false),
        listCommand("allow", .allowed, true), listCommand("disallow", .allowed, false),
        allowlistCommand, muteCommand("mute", true), muteCommand("unmute", false), userImportCommand,
        userDetailsCommand, userDeleteCommand,
    ])

private let nameArgument = CommandArgument("NAME", help: "argument.userName")
private let passwordOption = CommandOption("password-stdin", .flag, help: "option.passwordStdin")
/// The device classes of the SDKs.
let deviceNames = [DeviceClass.app, .web, .desktop].map(\.name)

private let userAddCommand = Command(
    "add", summary: "command.ctl.user.add", arguments: [nameArgument],
    options: [
        CommandOption("role", .choice(["member", "admin"]), help: "option.role"),
        CommandOption("display-name", .value("TEXT"), help: "option.displayName"), passwordOption,
    ],
    examples: [
        "teahouse ctl user add ming --display-name 小明", "teahouse ctl user add anna --role admin --password-stdin",
    ],
    body: Control.command { control throws(CommandFailure) in
        let invocation = control.invocation
        let name = try control.user("NAME")
        let user = AdminNewUser(
            name: name, role: invocation.value("role") == "admin" ? .administrator : .member,
            displayName: invocation.value("display-name"),
            password: invocation.has("password-stdin") ? try control.newPassword() : nil)
        let answer = try control.ask(.addUser(user))
        try control.tell(answer, "ctl.user.added", ["name": name.text])
    })

private let userEditCommand = Command(
    "edit", summary: "command.ctl.user.edit", arguments: [nameArgument],
    options: [
        CommandOption("role", .choice(["member", "admin"]), help: "option.role"),
        CommandOption("display-name", .value("TEXT"), help: "option.displayName"),
        CommandOption("external-id", .value("ID"), help: "option.externalID"),
    ],
    examples: [
        "teahouse ctl user edit ming --display-name 小明 --role admin", "teahouse ctl user edit ming --external-id ''",
    ],
    body: Control.command { control throws(CommandFailure) in
        let invocation = control.invocation
        let edit = AdminUserEdit(
            name: try control.user("NAME"), displayName: invocation.value("display-name"),
            externalID: invocation.value("external-id"),
            role: invocation.value("role").map { $0 == "admin" ? .administrator : .member })
        guard edit != AdminUserEdit(name: edit.name) else {
            throw CommandFailure(.usage, control.text("ctl.nothingToEdit"))
        }
        let count = try control.count(.people(.edit(edit)))
        try control.tell(.count(count), "ctl.user.edited", ["name": edit.name.text, "count": String(count)])
    })

private let userListCommand = Command(
    "list", summary: "command.ctl.user.list", examples: ["teahouse ctl user list", "teahouse ctl user list --json"],
    body: Control.command { control throws(CommandFailure) in
        var users: [AdminUser] = []
        var next: Int64?
        repeat {
            guard case .users(let page, let after) = try control.ask(.listUsers(after: next)) else {
                throw control.unexpectedAnswer
            }
            users += page
            next = after
        } while next != nil
        if control.wantsJSON { return try control.print(json: AdminAnswer.users(users, next: nil).json) }
        try control.print(
            [
                Table.Column("table.name"), Table.Column("table.displayName"), Table.Column("table.role"),
                Table.Column("table.state"), Table.Column("table.created"),
            ],
            rows: users.map {
                [
                    $0.name.text, $0.displayName ?? "", control.word(for: $0.role), control.state(of: $0),
                    localTime($0.createdAtMilliseconds),
                ]
            })
    })

private let userShowCommand = Command(
    "show", summary: "command.ctl.user.show", arguments: [nameArgument], examples: ["teahouse ctl user show ming"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.showUser(try control.user("NAME")))
        guard case .user(let detail) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(detail)
    })

private let userTokenCommand = Command(
    "token", summary: "command.ctl.user.token", arguments: [nameArgument],
    options: [
        CommandOption("device", .choice(deviceNames), help: "option.device"),
        CommandOption("level", .choice(["primary", "secondary"]), help: "option.level"),
    ],
    examples: ["teahouse ctl user token ming --device web"],
    body: Control.command { control throws(CommandFailure) in
        let device = control.invocation.value("device").flatMap { DeviceClass($0) } ?? .app
        let level: DeviceLevel = control.invocation.value("level") == "primary" ? .primary : .secondary
        let answer = try control.ask(.issueToken(try control.user("NAME"), device, level))
        guard case .token(let token?) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.terminal.print(token + "\n")
    })

private let userRevokeCommand = Command(
    "revoke", summary: "command.ctl.user.revoke", arguments: [nameArgument],
    options: [CommandOption("device", .choice(deviceNames), help: "option.revokeDevice")],
    examples: ["teahouse ctl user revoke ming", "teahouse ctl user revoke ming --device web"],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.user("NAME")
        let device = control.invocation.value("device").flatMap { DeviceClass($0) }
        let count = try control.count(.revoke(name, device))
        try control.tell(.count(count), "ctl.user.revoked", ["name": name.text, "count": String(count)])
    })

private func disableCommand(_ word: String, _ isDisabled: Bool) -> Command {
    Command(
        word, summary: "command.ctl.user.\(word)", arguments: [nameArgument],
        examples: ["teahouse ctl user \(word) ming"],
        body: Control.command { control throws(CommandFailure) in
            let name = try control.user("NAME")
            let count = try control.count(.setDisabled(name, isDisabled))
            let key = isDisabled ? "ctl.user.disabled" : "ctl.user.enabled"
            try control.tell(.count(count), key, ["name": name.text, "count": String(count)])
        })
}

private let userPasswordCommand = Command(
    "password", summary: "command.ctl.user.password", arguments: [nameArgument],
    options: [passwordOption],
    examples: ["teahouse ctl user password ming", "teahouse ctl user password ming --password-stdin"],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.user("NAME")
        let count = try control.count(.setPassword(name, try control.newPassword()))
        try control.tell(.count(count), "ctl.user.passwordSet", ["name": name.text, "count": String(count)])
    })

private func listCommand(_ word: String, _ list: PersonalList, _ isListed: Bool) -> Command {
    Command(
        word, summary: "command.ctl.user.\(word)",
        arguments: [nameArgument, CommandArgument("OTHER", help: "argument.other")],
        examples: ["teahouse ctl user \(word) lan ming"],
        body: Control.command { control throws(CommandFailure) in
            let (owner, other) = (try control.user("NAME"), try control.user("OTHER"))
            let count = try control.count(.setListed(owner: owner, list, other: other, isListed))
            let key = count == 0 ? "ctl.unchanged" : "ctl.user.\(word)"
            try control.tell(.count(count), key, ["name": owner.text, "other": other.text])
        })
}

private let allowlistCommand = Command(
    "allowlist", summary: "command.ctl.user.allowlist",
    arguments: [nameArgument, CommandArgument("on|off", help: "argument.onOff")],
    examples: ["teahouse ctl user allowlist lan on"],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.user("NAME")
        let word = control.invocation.argument("on|off")
        guard word == "on" || word == "off" else {
            throw CommandFailure(.usage, control.text("ctl.onOrOff", ["value": word]))
        }
        let count = try control.count(.setAllowlistOnly(name, word == "on"))
        let key = word == "on" ? "ctl.user.allowlistOn" : "ctl.user.allowlistOff"
        try control.tell(.count(count), count == 0 ? "ctl.unchanged" : key, ["name": name.text])
    })

private func muteCommand(_ word: String, _ isMuted: Bool) -> Command {
    Command(
        word, summary: "command.ctl.user.\(word)", arguments: [nameArgument],
        examples: ["teahouse ctl user \(word) ming"],
        body: Control.command { control throws(CommandFailure) in
            let name = try control.user("NAME")
            let count = try control.count(.setSendBanned(name, isMuted))
            try control.tell(.count(count), count == 0 ? "ctl.unchanged" : "ctl.user.\(word)", ["name": name.text])
        })
}

extension Control {
    func word(for role: UserRole) -> String {
        self.text(role == .administrator ? "word.administrator" : "word.member")
    }

    func state(of user: AdminUser) -> String {
        if user.deletedAtMilliseconds != nil { return self.text("word.deleted") }
        if user.isDisabled { return self.text("word.disabled") }
        return self.text(user.isSendBanned ? "word.sendBanned" : "word.active")
    }

    func print(_ detail: AdminUserDetail) throws(CommandFailure) {
        var fields = FieldList()
        fields.add(self.text("table.name"), detail.user.name.text)
        fields.add(self.text("table.displayName"), detail.user.displayName)
        fields.add(self.text("table.externalID"), detail.user.externalID)
        fields.add(self.text("table.role"), self.word(for: detail.user.role))
        fields.add(self.text("table.state"), self.state(of: detail.user))
        fields.add(self.text("table.password"), self.yesOrNo(detail.user.hasPassword))
        fields.add(self.text("table.created"), localTime(detail.user.createdAtMilliseconds))
        fields.add(self.text("table.blocked"), detail.blocked.joined(separator: ", "))
        fields.add(self.text("table.allowed"), detail.allowed.joined(separator: ", "))
        if detail.isAllowlistOnly {
            fields.add(self.text("table.allowlistOnly"), self.yesOrNo(detail.isAllowlistOnly))
        }
        try self.terminal.print(fields.text)
        if !detail.tokens.isEmpty {
            try self.terminal.print("\n\(self.text("heading.tokens"))\n")
            try self.print(
                [
                    Table.Column("table.device"), Table.Column("table.level"), Table.Column("table.lastSeen"),
                    Table.Column("table.expires"),
                ],
                rows: detail.tokens.map {
                    [
                        $0.device.name, self.text($0.level == .primary ? "word.primary" : "word.secondary"),
                        localTime($0.lastSeenAtMilliseconds), $0.expiresAtMilliseconds.map(localTime) ?? "",
                    ]
                })
        }
        if !detail.sessions.isEmpty {
            try self.terminal.print("\n\(self.text("heading.sessions"))\n")
            try self.print(detail.sessions)
        }
        try self.print(detail.devices)
    }
}
