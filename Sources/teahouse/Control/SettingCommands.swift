import AdminAPI
import ChatModel
import CommandLineKit

/// `teahouse ctl setting`
let settingCommand = Command(
    group: "setting", summary: "command.ctl.setting", examples: ["teahouse ctl setting list"],
    subcommands: operationCommands(below: "setting") + [settingListCommand])

extension Control {
    /// Prints an answer about settings.
    func show(_ answer: AdminSettingsAnswer) throws(CommandFailure) {
        switch answer {
        case .one(let setting): try self.print(setting)
        case .effective(let settings):
            try self.print(
                [
                    Table.Column("table.name"), Table.Column("table.value", maximumWidth: 60),
                    Table.Column("table.scope"),
                ],
                rows: settings.map { [$0.name, shownValue($0.value), self.word(of: $0.source)] })
        case .limits(let limits):
            try self.print(
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
                        shown.setting == nil ? "" : self.text(shown.isLive ? "word.atOnce" : "word.needsRestart"),
                        self.text("limit.advice.\(shown.advice)"),
                    ]
                })
        case .list: throw self.unexpectedAnswer
        }
    }

    private func word(of source: SessionSettings.Source) -> String {
        switch source {
        case .builtIn: self.text("word.builtIn")
        case .scope(let scope): scope.text
        case .conversation: self.text("word.thisConversation")
        }
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
        for own in setting.conversations {
            fields.add(self.text("table.inConversation", ["conversation": own.conversation]), shownValue(own.value))
        }
        if setting.conversationCount > setting.conversations.count {
            fields.add(self.text("table.inConversations"), String(setting.conversationCount))
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

// One group is picked out of the list.
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
                let own = [
                    setting.name, control.text("table.inConversations"), String(setting.conversationCount), "", live,
                    "",
                ]
                return [first]
                    + setting.overrides.map { [setting.name, $0.scope.text, shownValue($0.value), "", live, ""] }
                    + (setting.conversationCount > 0 ? [own] : [])
            })
    })
