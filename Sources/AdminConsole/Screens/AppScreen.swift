package import AdminAPI

extension AdminSignatureCounts: TableRow {
    /// Operation, by which the table recognises the row.
    package var rowID: String { self.action }
    /// Operation, which the filter searches.
    package var searchTexts: [String] { [self.action] }
}

/// The app whose clients speak LeanCloud's protocols: what they have to prove, how that went, and what a right
/// signature would have been.
struct AppScreen: TableScreen {
    enum Command { case edit, tryOut }

    private static let shown = 0
    private static let signed = 1

    let title = "console.app"
    var emptyText: String { self.app == nil ? "console.app.notServed" : "console.app.empty" }
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("e"), .edit, "console.app.edit", isChange: true),
        KeyBinding(.character("t"), .tryOut, "console.app.sign", isChange: true),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<AdminSignatureCounts>([
        TableColumn("table.signatures") { row, _ in row.action },
        TableColumn("table.valid", width: 9, isOnTheRight: true, order: { .number($0.valid) }) { row, _ in
            String(row.valid)
        },
        TableColumn(
            "table.missing", width: 9, isOnTheRight: true, order: { .number($0.missing) },
            style: { $0.missing > 0 ? .warning : .plain }
        ) { row, _ in String(row.missing) },
        TableColumn(
            "table.wrong", width: 9, isOnTheRight: true, order: { .number($0.wrong) },
            style: { $0.wrong > 0 ? .bad : .plain }
        ) { row, _ in String(row.wrong) },
        TableColumn(
            "table.expired", width: 9, isOnTheRight: true, order: { .number($0.expired) },
            style: { $0.expired > 0 ? .warning : .plain }
        ) { row, _ in String(row.expired) },
        TableColumn(
            "table.replayed", width: 9, isOnTheRight: true, order: { .number($0.replayed) },
            style: { $0.replayed > 0 ? .bad : .plain }
        ) { row, _ in String(row.replayed) },
    ])
    private var app: AdminApp?

    var copied: String? { self.app?.appID }

    mutating func refresh() -> [Intent] { [.ask(.app(.show), purpose: Self.shown)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .app(.signed(let signed)) = answer { return [.page(Self.page(signed, look))] }
        guard case .app(.app(let app)) = answer else { return [] }
        self.app = app
        self.rows.replace(app.signatures, look)
        return []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        // The table says it already, every time it is asked for.
        if purpose == Self.shown && error.code == .refused { return [] }
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        guard let app = self.app else { return look.nothing("console.app.notServed") }
        switch command {
        case .edit: return [.form(Self.policyForm(app, look))]
        case .tryOut: return [.form(Self.signingForm(look))]
        }
    }

    func head(width: Int, _ look: Look) -> [Line] {
        guard let app = self.app else { return [] }
        func row(_ key: String, _ value: Line) -> Line {
            Line(" " + Cells.fitted(Cells.drawable(look(key)), to: 26), .dim) + value
        }
        func onOff(_ isOn: Bool) -> Line { Line(look.word(isOn), isOn ? .good : .warning) }
        let isOpen = app.signIn == Self.signIns.last
        return [
            row("table.appID", Line(app.appID, .title)),
            row("table.appKey", Line(app.appKeyHint)), row("table.masterKey", Line(app.masterKeyHint)),
            row("table.signIn", Line(look("word.appSignIn.\(app.signIn)"), isOpen ? .warning : .good)),
            row("table.signsConversations", onOff(app.signsConversations)),
            row("table.signsHistory", onOff(app.signsHistory)),
            row("table.createsUsers", Line(look.word(app.createsUsers))),
            Line(),
        ]
    }

    // MARK: What clients have to prove

    /// The last one lets everybody in.
    private static let signIns = ["signature", "token", "open"]

    private static func policyForm(_ app: AdminApp, _ look: Look) -> Form {
        let onOff: (Bool) -> [(String, String)] = { isOn in
            let choices = [("on", look("word.yes")), ("off", look("word.no"))]
            return isOn ? choices : choices.reversed()
        }
        let signIns = [app.signIn] + Self.signIns.filter { $0 != app.signIn }
        let fields = [
            Form.Field(look("table.signIn"), choices: signIns.map { ($0, look("word.appSignIn.\($0)")) }),
            Form.Field(look("table.signsConversations"), choices: onOff(app.signsConversations)),
            Form.Field(look("table.signsHistory"), choices: onOff(app.signsHistory)),
            Form.Field(look("table.createsUsers"), choices: onOff(app.createsUsers)),
        ]
        let switches = [app.signsConversations, app.signsHistory, app.createsUsers]
        let before = [app.signIn] + switches.map { $0 ? "on" : "off" }
        return Form(
            look("console.app.edit"), fields, check: { $0 == before ? look("ctl.unchanged") : nil },
            submit: { values in
                var operatorAction = Self.operatorAction(values, look)
                operatorAction.undo = Self.operatorAction(before, look)
                guard values[0] == Self.signIns.last, before[0] != values[0] else { return [.perform(operatorAction)] }
                return [
                    .propose(
                        Proposal(
                            look("console.app.edit"), consequences: [look("console.app.openConsequence")],
                            operatorAction: operatorAction))
                ]
            })
    }

    private static func operatorAction(_ values: [String], _ look: Look) -> OperatorAction {
        var patch = AdminAppPatch()
        patch.signIn = values[0]
        patch.signsConversations = values[1] == "on"
        patch.signsHistory = values[2] == "on"
        patch.createsUsers = values[3] == "on"
        return OperatorAction([.app(.set(patch))], done: look("console.app.set"))
    }

    // MARK: Signing

    private static func signingForm(_ look: Look) -> Form {
        let actions = AdminAppSigning.Action.allCases.map { ($0.rawValue, $0.rawValue) }
        let fields = [
            Form.Field(look("console.app.action"), choices: actions), Form.Field(look("console.app.client")),
            Form.Field(look("console.app.members")), Form.Field(look("console.app.conversation")),
            Form.Field(look("table.timestamp")), Form.Field(look("table.nonce")),
        ]
        return Form(
            look("console.app.sign"), fields, check: { Self.problem($0, look) },
            submit: { values in
                guard let signing = Self.signing(values) else { return [] }
                return [.ask(.app(.sign(signing)), purpose: Self.signed)]
            })
    }

    private static func signing(_ values: [String]) -> AdminAppSigning? {
        guard let action = AdminAppSigning.Action(rawValue: values[0]) else { return nil }
        return AdminAppSigning(
            action, client: values[1], members: values[2].split(separator: ",").map(String.init),
            conversation: values[3].isEmpty ? nil : values[3], timestamp: Int64(values[4]),
            nonce: values[5].isEmpty ? nil : values[5])
    }

    private static func problem(_ values: [String], _ look: Look) -> String? {
        guard let signing = Self.signing(values) else { return look("console.app.clientMissing") }
        if !values[4].isEmpty && signing.timestamp.map({ $0 < 0 }) ?? true { return look("console.app.badTimestamp") }
        switch signing.action {
        case .rest, .restMaster: return nil
        case .open, .start: return signing.client.isEmpty ? look("console.app.clientMissing") : nil
        case .invite, .kick, .block, .unblock, .history:
            if signing.client.isEmpty { return look("console.app.clientMissing") }
            return signing.conversation == nil ? look("console.app.conversationMissing") : nil
        }
    }

    private static func page(_ signed: AdminAppSigned, _ look: Look) -> Page {
        func row(_ key: String, _ value: String, _ style: Style = .plain) -> [Line] {
            [Line(look(key), .dim), Line("  " + value, style), Line()]
        }
        let lines =
            row("table.signedText", signed.text) + row("table.signature", signed.signature, .title)
            + row("table.timestamp", String(signed.timestamp)) + (signed.nonce.map { row("table.nonce", $0) } ?? [])
        return Page(look("console.app.sign"), lines, copied: signed.signature)
    }
}
