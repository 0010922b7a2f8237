package import AdminAPI
import ChatModel
import CommandLineKit

extension AdminSession: TableRow {
    /// ID of the session, by which the table recognises the row.
    package var rowID: Int64 { self.id }
    /// User, device, tag, protocol and address, which the filter searches.
    package var searchTexts: [String] {
        [
            self.user.text, self.displayName ?? "", self.device.name, self.deviceID, self.tag ?? "", self.protocolName,
            self.address,
        ]
    }
}

/// Screen of sessions and their addresses.
struct SessionsScreen: TableScreen {
    enum Command { case open, kick, kickAll, kickWhere }

    private static let dryRun = 1

    static var table: TableView<AdminSession> {
        TableView([
            TableColumn("table.id", width: 8, isOnTheRight: true, order: { .number($0.id) }) { session, _ in
                String(session.id)
            },
            TableColumn("table.name", id: \.user.text, shown: \.displayName),
            TableColumn("table.device", width: 8) { session, _ in session.device.name },
            TableColumn("table.deviceID", minimumScreen: 110) { session, _ in session.deviceID },
            TableColumn("table.tag", width: 10, minimumScreen: 130) { session, _ in session.tag ?? "" },
            TableColumn("table.protocol", width: 13) { session, _ in session.protocolName },
            TableColumn("table.address", width: 22) { session, _ in session.address },
            TableColumn("table.encrypted", width: 5, minimumScreen: 100) { session, look in
                look.word(session.isEncrypted)
            },
            TableColumn("table.since", width: 10, order: { .number($0.openedAtMilliseconds) }) { session, look in
                look.shortTime(session.openedAtMilliseconds)
            },
            TableColumn(
                "table.active", width: 11, minimumScreen: 120, order: { .number($0.activeAtMilliseconds ?? 0) }
            ) { session, look in look.shortTime(session.activeAtMilliseconds ?? 0) },
            TableColumn(
                "table.queue", width: 10, isOnTheRight: true, minimumScreen: 140,
                order: { .number($0.queuedBytes ?? 0) }
            ) { session, _ in session.queuedBytes.map(shownBytes) ?? "" },
            TableColumn(
                "table.unacknowledged", width: 8, isOnTheRight: true, minimumScreen: 150,
                order: { .number($0.unacknowledged ?? 0) }, style: { ($0.unacknowledged ?? 0) > 0 ? .warning : .plain }
            ) { session, _ in session.unacknowledged.map { String($0) } ?? "" },
        ])
    }

    let title = "console.sessions"
    let emptyText = "console.sessions.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.users.open"),
        KeyBinding(.character("K"), .kick, "console.sessions.kick", isChange: true),
        KeyBinding(.character("A"), .kickAll, "console.sessions.kickAll", isChange: true),
        KeyBinding(.character("F"), .kickWhere, "console.sessions.kickWhere", isChange: true),
    ]
    let refreshMilliseconds: Int64? = 3_000
    var rows = Self.table
    private var pages = Pages<AdminSession>()
    /// Filter of the sessions that the server is asked for, to end them.
    private var filter = AdminSessionFilter()

    var copied: String? { self.rows.current.map { String($0.id) } }

    mutating func refresh() -> [Intent] {
        self.pages.beginReading() ? [.ask(.listSessions(nil, after: nil), purpose: 0)] : []
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .sessions(let sessions, let next) = answer else { return [] }
        if purpose == Self.dryRun { return self.filter.proposal(for: sessions, look) }
        if let all = self.pages.takePage(sessions, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [.ask(.listSessions(nil, after: $0), purpose: 0)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        let targets = self.rows.targets
        switch command {
        case .kickWhere: return [.form(AdminSessionFilter.form(look))]
        case .open: return targets.first.map { [.open(UserScreen($0.user))] } ?? look.nothing()
        case .kick: return Self.kick(targets, look)
        case .kickAll:
            var names: [UserName] = []
            for target in targets where !names.contains(target.user) { names.append(target.user) }
            return names.isEmpty ? look.nothing() : UserActions.kick(names, look)
        }
    }

    /// The values of the filter's form; what it would end is asked for before anything is done.
    mutating func takeValues(_ values: [String], purpose: Int, _ look: Look) -> [Intent] {
        self.filter = AdminSessionFilter(typed: values, nowMilliseconds: look.nowMilliseconds)
        return [.ask(.people(.endSessions(self.filter, isDryRun: true)), purpose: Self.dryRun)]
    }

    static func kick(_ sessions: [AdminSession], _ look: Look) -> [Intent] {
        guard !sessions.isEmpty else { return look.nothing() }
        let names = sessions.map { "\($0.user.text) (\($0.device.name) \($0.address))" }
        let operatorAction = OperatorAction(
            [.endSessions(ids: sessions.map(\.id), user: nil)],
            done: look.counted("console.sessions.kicked", sessions.count))
        return [
            .propose(
                Proposal(
                    look("console.sessions.kick") + ": " + look.names(names),
                    consequences: look.consequences(of: operatorAction), typed: typedNumber(of: sessions),
                    operatorAction: operatorAction)
            )
        ]
    }
}

extension AdminSessionFilter {
    /// Person, class of device, protocol, beginning of the address, open for so many minutes, whether encrypted.
    fileprivate init(typed values: [String], nowMilliseconds: Int64) {
        self.init(
            user: UserName(values[0]), device: DeviceClass(values[1]),
            protocolName: values[2].isEmpty ? nil : values[2],
            address: values[3].isEmpty ? nil : values[3],
            openedBeforeMilliseconds: Int64(values[4]).map { nowMilliseconds - $0 * 60_000 },
            isEncrypted: values[5].isEmpty ? nil : false)
    }

    fileprivate static func form(_ look: Look) -> Form {
        let devices =
            [("", look("console.sessions.any"))] + [DeviceClass.app, .web, .desktop].map { ($0.name, $0.name) }
        let encrypted = [("", look("console.sessions.any")), ("plain", look("console.sessions.plain"))]
        let fields = [
            Form.Field(look("table.name"), maximum: UserName.maximumScalars),
            Form.Field(look("table.device"), choices: devices), Form.Field(look("table.protocol")),
            Form.Field(look("console.sessions.address")), Form.Field(look("console.sessions.minutes")),
            Form.Field(look("table.encrypted"), choices: encrypted),
        ]
        return Form(
            look("console.sessions.kickWhere"), fields, check: { Self.problem($0, look) },
            command: { values in
                Self(typed: values, nowMilliseconds: look.nowMilliseconds).command(look) + ["--dry-run"]
            }, submit: { [.give($0, purpose: 0)] })
    }

    private static func problem(_ values: [String], _ look: Look) -> String? {
        if !values[0].isEmpty, UserName(values[0]) == nil {
            return look("ctl.badUserName", ["name": values[0], "maximum": String(UserName.maximumScalars)])
        }
        if !values[4].isEmpty, !(Int64(values[4]).map { (1...52_560_000).contains($0) } ?? false) {
            return look("console.groups.minutesHint")
        }
        return values.allSatisfy(\.isEmpty) ? look("console.sessions.filterHint") : nil
    }

    /// The words of `teahouse ctl` that end them.
    private func command(_ look: Look) -> [String] {
        var words = ["session", "kick"]
        if let user = self.user { words += ["--user", user.text] }
        if let device = self.device { words += ["--device", device.name] }
        if let name = self.protocolName { words += ["--protocol", name] }
        if let address = self.address { words += ["--address", address] }
        if let moment = self.openedBeforeMilliseconds { words += ["--before", look.time(moment)] }
        return self.isEncrypted == false ? words + ["--plain"] : words
    }

    /// Asks whether to end the ones that the server found.
    fileprivate func proposal(for sessions: [AdminSession], _ look: Look) -> [Intent] {
        guard !sessions.isEmpty else { return look.nothing("console.sessions.noneMatch") }
        let shown = 12
        var consequences = [look.counted("console.sessions.match", sessions.count)]
        // A page is all that a dry run tells.
        if sessions.count >= AdminProtocol.pageRows { consequences.append(look("console.sessions.moreMatch")) }
        consequences += sessions.prefix(shown).map { "  \($0.user.text)  \($0.device.name)  \($0.address)" }
        if sessions.count > shown {
            consequences.append(look("console.sessions.andMore", ["count": String(sessions.count - shown)]))
        }
        consequences.append(look("console.users.kickConsequence"))
        let operatorAction = OperatorAction(
            [.people(.endSessions(self, isDryRun: false))], commands: [self.command(look)],
            done: look.counted("console.sessions.kicked", sessions.count))
        return [
            .propose(
                Proposal(
                    look("console.sessions.kickWhere"), consequences: consequences, typed: typedNumber(of: sessions),
                    operatorAction: operatorAction))
        ]
    }
}
