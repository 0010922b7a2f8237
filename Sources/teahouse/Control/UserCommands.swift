import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl user`
let userCommand = Command(
    group: "user", summary: "command.ctl.user", examples: ["teahouse ctl user list"],
    subcommands: operationCommands(below: "user") + [
        userAddCommand, userPasswordCommand, userImportCommand, userDeleteCommand, userExportCommand,
    ])

private let nameArgument = CommandArgument("NAME", help: "argument.userName")
private let passwordOption = CommandOption("password-stdin", .flag, help: "option.passwordStdin")
/// The device classes of the SDKs.
let deviceNames = [DeviceClass.app, .web, .desktop].map(\.name)

// A password comes from standard input.
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

// The password is asked for twice, or comes from standard input.
private let userPasswordCommand = Command(
    "password", summary: "command.ctl.user.password", arguments: [nameArgument],
    options: [passwordOption],
    examples: ["teahouse ctl user password ming", "teahouse ctl user password ming --password-stdin"],
    body: Control.command { control throws(CommandFailure) in
        let name = try control.user("NAME")
        let count = try control.count(.setPassword(name, try control.newPassword()))
        try control.tell(.count(count), "ctl.user.passwordSet", ["name": name.text, "count": String(count)])
    })

extension Control {
    func print(_ users: [AdminUser]) throws(CommandFailure) {
        try self.print(
            [
                Table.Column("table.name"), Table.Column("table.displayName"), Table.Column("table.role"),
                Table.Column("table.state"), Table.Column("table.created"),
            ],
            rows: users.map {
                [
                    $0.name.text, $0.displayName ?? "", self.word(for: $0.role), self.state(of: $0),
                    localTime($0.createdAtMilliseconds),
                ]
            })
    }

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
