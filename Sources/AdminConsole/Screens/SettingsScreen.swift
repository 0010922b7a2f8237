package import AdminAPI
import ChatModel
import CommandLineKit

extension AdminSetting: TableRow {
    /// Name, by which the table recognises the row.
    package var rowID: String { self.name }
    /// Name, value and group, which the filter searches.
    package var searchTexts: [String] { [self.name, self.value, self.group.rawValue] }

    /// Another value than the built-in one, somewhere.
    var isChanged: Bool { self.value != self.builtIn || !self.overrides.isEmpty }

    /// `5 (group 10, */manager 20)`
    var shownValue: String {
        guard !self.overrides.isEmpty else { return self.value }
        let others = self.overrides.map { "\($0.scope.text) \($0.value)" }
        return "\(self.value)  (\(others.joined(separator: ", ")))"
    }
}

/// Screen of settings: session configuration by kind and role, and the keys of the server's file.
struct SettingsScreen: TableScreen {
    enum Command { case open, edit, reset, showLimits, effective }

    private static let list = 0
    private static let effective = 1

    let title = "console.settings"
    let emptyText = "console.loading"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.settings.open"),
        KeyBinding(.character("e"), .edit, "console.settings.edit", isChange: true),
        KeyBinding(.character("x"), .reset, "console.settings.reset", isChange: true),
        KeyBinding(.character("L"), .showLimits, "console.settings.limits"),
        KeyBinding(.character("f"), .effective, "console.settings.effective"),
    ]
    var rows = TableView<AdminSetting>([
        TableColumn("table.name", width: 30) { setting, _ in setting.name },
        TableColumn("table.value", style: { $0.isChanged ? .accent : .plain }) { setting, _ in setting.shownValue },
        TableColumn("table.about", width: 14, minimumScreen: 100) { setting, look in
            look("console.settings.group.\(setting.group.rawValue)")
        },
        TableColumn("table.origin", width: 14, minimumScreen: 120) { setting, _ in setting.origin },
        TableColumn("table.live", width: 8, style: { $0.isLive ? .good : .dim }) { setting, look in
            look(setting.isLive ? "console.settings.live" : "console.settings.restart")
        },
    ])

    var copied: String? { self.rows.current?.name }

    mutating func refresh() -> [Intent] { [.ask(.settings(.list), purpose: Self.list)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .settings(.effective(let settings)) = answer { return [.page(Self.page(settings, look))] }
        if case .settings(.list(let settings)) = answer { self.rows.replace(settings, look) }
        return []
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .showLimits: return [.open(LimitsScreen())]
        case .effective: return [.form(Self.effectiveForm(look))]
        case .open: return self.rows.current.map { [.page(Self.page($0, look))] } ?? look.nothing()
        case .edit: return self.rows.current.map { SettingActions.edit($0, look) } ?? look.nothing()
        case .reset: return self.rows.current.map { SettingActions.reset($0, look) } ?? look.nothing()
        }
    }

    // MARK: Looking

    private static func page(_ setting: AdminSetting, _ look: Look) -> Page {
        func row(_ key: String, _ value: String) -> Line {
            Line(Cells.fitted(Cells.drawable(look(key)), to: 18), .dim) + Line(value)
        }
        var lines = [
            row("table.value", setting.value), row("table.origin", setting.origin),
            row("console.settings.builtIn", setting.builtIn), row("console.settings.bounds", setting.bounds),
            row("table.live", look(setting.isLive ? "console.settings.isLive" : "console.settings.needsRestart")),
        ]
        if setting.group == .session {
            let key = setting.isEnforced ? "console.settings.isEnforced" : "console.settings.isForClients"
            lines.append(row("console.settings.heldBy", look(key)))
        }
        if !setting.overrides.isEmpty { lines += [Line(), Line(look("console.settings.overrides"), .heading)] }
        lines += setting.overrides.map { Line(Cells.fitted($0.scope.text, to: 18), .accent) + Line($0.value) }
        if setting.conversationCount > 0 {
            lines += [Line(), row("table.inConversations", String(setting.conversationCount))]
        }
        return Page(setting.name, lines, copied: setting.value)
    }

    private static func effectiveForm(_ look: Look) -> Form {
        Form(
            look("console.settings.effective"),
            [
                Form.Field(look("console.conversation")),
                Form.Field(look("table.person"), maximum: UserName.maximumScalars),
            ],
            check: { values in
                if values[0].isEmpty { return look("console.settings.effectiveHint") }
                guard !values[1].isEmpty, UserName(values[1]) == nil else { return nil }
                return look("ctl.badUserName", ["name": values[1], "maximum": String(UserName.maximumScalars)])
            },
            submit: { values in
                let request = AdminSettingsRequest.effective(conversation: values[0], user: UserName(values[1]))
                return [.ask(.settings(request), purpose: Self.effective)]
            })
    }

    private static func page(_ settings: [AdminEffectiveSetting], _ look: Look) -> Page {
        let lines = settings.map { setting in
            Line(Cells.fitted(Cells.drawable(setting.name), to: 24), .dim)
                + Line(Cells.fitted(Cells.drawable(setting.value), to: 26))
                + Line(Self.word(of: setting.source, look), .accent)
        }
        return Page(look("console.settings.effective"), lines)
    }

    private static func word(of source: SessionSettings.Source, _ look: Look) -> String {
        switch source {
        case .builtIn: look("console.settings.builtIn")
        case .scope(let scope): scope.text
        case .conversation: look("word.thisConversation")
        }
    }
}

/// Actions on a setting, wherever it is shown.
enum SettingActions {
    /// Reason why it cannot be changed here; `nil` when it can.
    private static func refusal(_ setting: AdminSetting) -> String? {
        setting.isLive ? nil : "console.settings.needsRestart"
    }

    private static func set(_ name: String, _ scope: SessionScope, _ value: String, _ look: Look) -> OperatorAction {
        OperatorAction(
            [.settings(.set(name, scope, value))],
            done: look("console.settings.set", ["name": name, "value": value]))
    }

    private static func reset(_ name: String, _ scope: SessionScope, _ look: Look) -> OperatorAction {
        OperatorAction(
            [.settings(.reset(name, scope))],
            done: look("console.settings.wasReset", ["name": name]))
    }

    /// Request that brings a scope back to how it is now.
    private static func restore(_ setting: AdminSetting, _ scope: SessionScope, _ look: Look) -> OperatorAction {
        if let own = Self.own(setting, scope) { return Self.set(setting.name, scope, own, look) }
        return Self.reset(setting.name, scope, look)
    }

    /// Value set for just this scope; `nil` when it follows another.
    private static func own(_ setting: AdminSetting, _ scope: SessionScope) -> String? {
        if let found = setting.overrides.first(where: { $0.scope == scope }) { return found.value }
        return scope == .everywhere && setting.origin == "console" ? setting.value : nil
    }

    static func edit(_ setting: AdminSetting, _ look: Look) -> [Intent] {
        if let refusal = Self.refusal(setting) { return look.nothing(refusal) }
        let isSession = setting.group == .session
        var fields: [Form.Field] = []
        if isSession { fields += Self.scopeFields(look) }
        fields.append(Self.valueField(setting, look))
        let count = fields.count
        let form = Form(
            look("console.settings.editTitle", ["name": setting.name]), fields,
            check: { values in
                let value = values[count - 1]
                // The bounds of the server's own keys are checked by the server.
                if let known = SessionSetting.named(setting.name), isSession {
                    return known.value(value) == nil ? setting.bounds : nil
                }
                return value.isEmpty && setting.form != .text ? setting.bounds : nil
            },
            submit: { values in
                let scope = Self.scope(values.dropLast())
                var operatorAction = Self.set(setting.name, scope, values[count - 1], look)
                operatorAction.undo = Self.restore(setting, scope, look)
                return [
                    .propose(
                        Proposal(
                            look("console.settings.editTitle", ["name": setting.name]),
                            consequences: [
                                look(
                                    "console.settings.change",
                                    [
                                        "scope": scope.text, "before": Self.own(setting, scope) ?? setting.value,
                                        "after": values[count - 1],
                                    ]),
                                look(
                                    setting.isEnforced || !isSession
                                        ? "console.settings.enforcedConsequence"
                                        : "console.settings.clientConsequence"),
                            ], operatorAction: operatorAction))
                ]
            })
        return [.form(form)]
    }

    /// Fields for the kinds of conversation and the roles of a scope.
    private static func scopeFields(_ look: Look) -> [Form.Field] {
        let kinds =
            [("", look("console.talks.anyKind"))]
            + ConversationKind.allCases.map { (String($0.rawValue), look($0.textKey)) }
        let roles =
            [("", look("console.settings.anyRole"))]
            + [MemberRole.member, .manager, .owner].map { ($0.textKey, look($0.textKey)) }
        return [Form.Field(look("table.kind"), choices: kinds), Form.Field(look("table.role"), choices: roles)]
    }

    private static func scope(_ values: some Collection<String>) -> SessionScope {
        let values = Array(values)
        guard values.count == 2 else { return .everywhere }
        return SessionScope(
            Int64(values[0]).flatMap { ConversationKind(rawValue: $0) },
            [MemberRole.member, .manager, .owner].first { $0.textKey == values[1] })
    }

    private static func valueField(_ setting: AdminSetting, _ look: Look) -> Form.Field {
        let choices: [String] =
            switch setting.form {
            case .flag: ["on", "off"]
            case .choice: setting.choices
            case .number, .text, .list: []
            }
        guard !choices.isEmpty else { return Form.Field(look("table.value"), setting.value) }
        var field = Form.Field(look("table.value"), choices: choices.map { ($0, $0) })
        if choices.contains(setting.value) { field.text.text = setting.value }
        return field
    }

    static func reset(_ setting: AdminSetting, _ look: Look) -> [Intent] {
        if let refusal = Self.refusal(setting) { return look.nothing(refusal) }
        var scopes = setting.overrides.map(\.scope)
        if Self.own(setting, .everywhere) != nil, !scopes.contains(.everywhere) { scopes.insert(.everywhere, at: 0) }
        guard !scopes.isEmpty else { return look.nothing("console.settings.notSet") }
        let known = scopes
        let form = Form(
            look("console.settings.resetTitle", ["name": setting.name]),
            [Form.Field(look("console.settings.scope"), choices: scopes.map { ($0.text, $0.text) })],
            submit: { values in
                guard let scope = known.first(where: { $0.text == values[0] }) else { return [] }
                var operatorAction = Self.reset(setting.name, scope, look)
                operatorAction.undo = Self.restore(setting, scope, look)
                return [.perform(operatorAction)]
            })
        return [.form(form)]
    }
}

extension AdminSettingLimit: TableRow {
    /// Name of the limit, by which the table recognises the row.
    package var rowID: String { self.limit.name }
    /// Name, setting and unit, which the filter searches.
    package var searchTexts: [String] { [self.limit.name, self.setting ?? "", self.limit.unit] }

    /// Per cent of the bound.
    var share: Int64 { percent(of: self.limit.current, in: self.limit.maximum) }
    var peakShare: Int64 { percent(of: self.limit.peak, in: self.limit.maximum) }

    var style: Style { self.share >= 90 ? .bad : self.peakShare >= 90 || self.limit.refusals > 0 ? .warning : .plain }
}

/// Screen of the limits: use, peak, maximum, and the setting that changes the maximum.
struct LimitsScreen: TableScreen {
    enum Command { case open, edit }

    private static let list = 0
    private static let setting = 1

    let title = "console.limits"
    let emptyText = "console.loading"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.limits.open"),
        KeyBinding(.character("e"), .edit, "console.settings.edit", isChange: true),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<AdminSettingLimit>([
        TableColumn("table.limit") { row, look in look.name(of: row.limit) },
        TableColumn("table.now", width: 12, isOnTheRight: true, order: { .number($0.share) }, style: { $0.style }) {
            row, _ in Self.amount(row.limit.current, row.limit.unit)
        },
        TableColumn("table.peak", width: 12, isOnTheRight: true, order: { .number($0.peakShare) }, style: { $0.style })
        {
            row, _ in Self.amount(row.limit.peak, row.limit.unit)
        },
        TableColumn("table.maximum", width: 12, isOnTheRight: true, order: { .number($0.limit.maximum) }) { row, _ in
            Self.amount(row.limit.maximum, row.limit.unit)
        },
        TableColumn("table.share", width: 6, isOnTheRight: true, order: { .number($0.share) }, style: { $0.style }) {
            row, _ in "\(row.share) %"
        },
        TableColumn("table.refusals", width: 9, isOnTheRight: true, order: { .number($0.limit.refusals) }) { row, _ in
            String(row.limit.refusals)
        },
        TableColumn("table.setting", width: 30, minimumScreen: 120) { row, look in
            row.setting ?? look("console.limits.fixed")
        },
    ])

    private static func amount(_ value: Int64, _ unit: String) -> String {
        unit == "bytes" ? shownBytes(value) : String(value)
    }

    var copied: String? { self.rows.current?.setting ?? self.rows.current?.limit.name }

    mutating func refresh() -> [Intent] { [.ask(.settings(.limits), purpose: Self.list)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .settings(.one(let setting)) = answer { return SettingActions.edit(setting, look) }
        if case .settings(.limits(let limits)) = answer { self.rows.replace(limits, look) }
        return []
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        guard let row = self.rows.current else { return look.nothing() }
        switch command {
        case .open: return [.page(Self.page(row, look))]
        case .edit:
            guard let setting = row.setting else { return look.nothing("console.limits.isFixed") }
            return [.ask(.settings(.show(setting)), purpose: Self.setting)]
        }
    }

    private static func page(_ row: AdminSettingLimit, _ look: Look) -> Page {
        func line(_ key: String, _ value: String) -> Line {
            Line(Cells.fitted(Cells.drawable(look(key)), to: 18), .dim) + Line(value)
        }
        let limit = row.limit
        let lines = [
            line("table.now", "\(Self.amount(limit.current, limit.unit))  \(row.share) %"),
            line("table.peak", "\(Self.amount(limit.peak, limit.unit))  \(row.peakShare) %"),
            line("table.maximum", "\(Self.amount(limit.maximum, limit.unit))  \(limit.unit)"),
            line("table.refusals", String(limit.refusals)),
            line("table.setting", row.setting ?? look("console.limits.isFixed")),
            line("table.live", look(row.isLive ? "console.settings.isLive" : "console.settings.needsRestart")), Line(),
        ]
        let advice = Cells.wrapped(Cells.drawable(row.advice), to: 70).map { Line($0) }
        return Page(look.name(of: limit), lines + advice, copied: row.setting ?? limit.name)
    }
}
