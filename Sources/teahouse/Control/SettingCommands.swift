import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl setting`
let settingCommand = Command(
    group: "setting", summary: "command.ctl.setting", examples: ["teahouse ctl setting list"],
    subcommands: [
        settingListCommand, settingShowCommand, settingSetCommand, settingResetCommand, settingEffectiveCommand,
        settingLimitsCommand,
    ])

private let nameArgument = CommandArgument("NAME", help: "argument.setting")
private let scopeOption = CommandOption("in", .value("SCOPE"), help: "option.settingScope")

extension Control {
    fileprivate func scope() throws(CommandFailure) -> SessionScope {
        guard let text = self.invocation.value("in") else { return .everywhere }
        do throws(AdminError) {
            return try SessionScope(text)
        } catch {
            throw CommandFailure(.usage, DisplayText.escaped(error.message))
        }
    }

    /// Asks for a change of a setting, and shows it as it is now.
    fileprivate func change(_ request: AdminSettingsRequest) throws(CommandFailure) {
        let answer = try self.ask(.settings(request))
        guard case .settings(.one(let setting)) = answer else { throw self.unexpectedAnswer }
        if self.wantsJSON { return try self.print(json: answer.json) }
        try self.print(setting)
    }

    /// Purpose of a setting, in the operator's language where it is known in that.
    fileprivate func about(_ setting: AdminSetting) -> String {
        setting.about.isEmpty ? self.text("setting.about.\(setting.name)") : setting.about
    }

    fileprivate func print(_ setting: AdminSetting) throws(CommandFailure) {
        var fields = FieldList()
        fields.add(self.text("table.name"), setting.name)
        fields.add(self.text("table.about"), self.about(setting))
        fields.add(self.text("table.value"), shownValue(setting.value))
        for override in setting.overrides {
            fields.add(self.text("table.inScope", ["scope": override.scope.text]), shownValue(override.value))
        }
        fields.add(self.text("table.builtIn"), shownValue(setting.builtIn))
        fields.add(self.text("table.bounds"), setting.bounds)
        fields.add(self.text("table.origin"), setting.origin)
        fields.add(self.text("table.live"), self.text(setting.isLive ? "word.atOnce" : "word.needsRestart"))
        fields.add(self.text("table.enforced"), self.yesOrNo(setting.isEnforced))
        try self.terminal.print(fields.text)
    }
}

/// Nothing is shown as what an operator writes for it.
private func shownValue(_ value: String) -> String { value.isEmpty ? "-" : value }

private let settingListCommand = Command(
    "list", summary: "command.ctl.setting.list",
    options: [CommandOption("about", .choice(["session", "server"]), help: "option.settingGroup")],
    examples: ["teahouse ctl setting list", "teahouse ctl setting list --about session"],
    body: Control.command { control throws(CommandFailure) in
        guard case .settings(.list(let all)) = try control.ask(.settings(.list)) else {
            throw control.unexpectedAnswer
        }
        let group = control.invocation.value("about").flatMap { AdminSetting.Group(rawValue: $0) }
        let settings = all.filter { group == nil || $0.group == group }
        if control.wantsJSON { return try control.print(json: AdminAnswer.settings(.list(settings)).json) }
        try control.print(
            [
                Table.Column("table.name"), Table.Column("table.scope"), Table.Column("table.value", maximumWidth: 40),
                Table.Column("table.bounds", maximumWidth: 40), Table.Column("table.live"),
                Table.Column("table.origin", maximumWidth: 40),
            ],
            rows: settings.flatMap { setting in
                let live = control.text(setting.isLive ? "word.atOnce" : "word.needsRestart")
                let first = [
                    setting.name, "*", shownValue(setting.value), setting.bounds, live, setting.origin,
                ]
                return [first]
                    + setting.overrides.map { [setting.name, $0.scope.text, shownValue($0.value), "", live, ""] }
            })
    })

private let settingShowCommand = Command(
    "show", summary: "command.ctl.setting.show", arguments: [nameArgument],
    examples: ["teahouse ctl setting show max_input", "teahouse ctl setting show limits.connections"],
    body: Control.command { control throws(CommandFailure) in
        try control.change(.show(control.invocation.argument("NAME")))
    })

private let settingSetCommand = Command(
    "set", summary: "command.ctl.setting.set",
    arguments: [nameArgument, CommandArgument("VALUE", help: "argument.settingValue")], options: [scopeOption],
    examples: [
        "teahouse ctl setting set max_input 5000", "teahouse ctl setting set input_disabled on --in group/member",
        "teahouse ctl setting set menu_hidden camera,location --in room",
        "teahouse ctl setting set limits.sessions_per_user 5",
    ],
    body: Control.command { control throws(CommandFailure) in
        let typed = control.invocation
        try control.change(.set(typed.argument("NAME"), try control.scope(), typed.argument("VALUE")))
    })

private let settingResetCommand = Command(
    "reset", summary: "command.ctl.setting.reset", arguments: [nameArgument], options: [scopeOption],
    examples: [
        "teahouse ctl setting reset max_input", "teahouse ctl setting reset input_disabled --in group/member",
    ],
    body: Control.command { control throws(CommandFailure) in
        try control.change(.reset(control.invocation.argument("NAME"), try control.scope()))
    })

private let settingEffectiveCommand = Command(
    "effective", summary: "command.ctl.setting.effective",
    arguments: [CommandArgument("CONVERSATION", help: "argument.conversation")],
    options: [CommandOption("user", .value("NAME"), help: "option.settingUser")],
    examples: ["teahouse ctl setting effective tea", "teahouse ctl setting effective tea --user ming"],
    body: Control.command { control throws(CommandFailure) in
        var user: UserName?
        if let text = control.invocation.value("user") { user = try control.userName(text) }
        let conversation = control.invocation.argument("CONVERSATION")
        let answer = try control.ask(.settings(.effective(conversation: conversation, user: user)))
        guard case .settings(.effective(let settings)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(
            [
                Table.Column("table.name"), Table.Column("table.value", maximumWidth: 60), Table.Column("table.scope"),
            ],
            rows: settings.map {
                [$0.name, shownValue($0.value), $0.scope.map(\.text) ?? control.text("word.builtIn")]
            })
    })

private let settingLimitsCommand = Command(
    "limits", summary: "command.ctl.setting.limits", examples: ["teahouse ctl setting limits"],
    body: Control.command { control throws(CommandFailure) in
        let answer = try control.ask(.settings(.limits))
        guard case .settings(.limits(let limits)) = answer else { throw control.unexpectedAnswer }
        if control.wantsJSON { return try control.print(json: answer.json) }
        try control.print(
            [
                Table.Column("table.limit"), Table.Column("table.unit"), Table.Column("table.value", .right),
                Table.Column("table.peak", .right), Table.Column("table.maximum", .right),
                Table.Column("table.refusals", .right), Table.Column("table.setting"), Table.Column("table.live"),
                Table.Column("table.about"),
            ],
            rows: limits.map { shown in
                let limit = shown.limit
                return [
                    limit.name, limit.unit, String(limit.current), String(limit.peak), String(limit.maximum),
                    limit.refusals == 0 ? "" : String(limit.refusals), shown.setting ?? "",
                    shown.setting == nil ? "" : control.text(shown.isLive ? "word.atOnce" : "word.needsRestart"),
                    control.text("limit.advice.\(shown.advice)"),
                ]
            })
    })
