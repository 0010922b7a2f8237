package import AdminAPI
import ChatModel

extension AdminHold: TableRow {
    /// Number of the hold, by which the table recognises the row.
    package var rowID: Int64 { self.number }
    /// Name, reason and operator, which the filter searches.
    package var searchTexts: [String] { [self.name, self.reason, self.asker] }
    /// Number of the hold.
    package var requestName: String? { String(self.number) }

    /// Name of the person or the conversation, as requests have it.
    var shownSubject: String {
        self.name.isEmpty ? self.conversation.map { "id:\($0)" } ?? "" : self.name
    }
}

/// Screen of the legal holds: what is under one goes neither for its age nor with its conversation.
struct HoldsScreen: TableScreen {
    enum Command { case create, remove }

    /// Most bytes of a reason, as the server has it.
    private static let reasonBytes = 500

    let title = "console.holds"
    let emptyText = "console.holds.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("n"), .create, "console.holds.create", isChange: true),
        KeyBinding(.delete, .remove, "console.holds.remove", isChange: true),
    ]
    var rows = TableView<AdminHold>([
        TableColumn("table.number", width: 6, isOnTheRight: true, order: { .number($0.number) }) { hold, _ in
            String(hold.number)
        },
        TableColumn("table.kind", width: 12) { hold, look in look("word.hold.\(hold.kind.rawValue)") },
        TableColumn("table.subject", width: 14, style: { _ in .accent }) { hold, _ in hold.shownSubject },
        TableColumn("table.reason") { hold, _ in hold.reason },
        TableColumn("table.importAsker", width: 10) { hold, _ in hold.asker },
        TableColumn("table.created", width: 10, order: { .number($0.createdAtMilliseconds) }) { hold, look in
            look.shortTime(hold.createdAtMilliseconds)
        },
    ])
    private var pages = Pages<AdminHold>()

    var copied: String? { self.rows.current.map { String($0.number) } }

    mutating func refresh() -> [Intent] {
        self.pages.beginReading() ? [.ask(.retention(.holds(after: nil)), purpose: 0)] : []
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .retention(.holds(let holds, let next)) = answer else { return [] }
        if let all = self.pages.takePage(holds, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [.ask(.retention(.holds(after: $0)), purpose: 0)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .create: return [.form(Self.form(look))]
        case .remove:
            let targets = self.rows.targets
            return targets.isEmpty ? look.nothing() : Self.remove(targets, look)
        }
    }

    private static func form(_ look: Look) -> Form {
        Form(
            look("console.holds.create"),
            [
                Form.Field(
                    look("table.kind"),
                    choices: [AdminHoldKind.person, .conversation].map {
                        ($0.rawValue, look("word.hold.\($0.rawValue)"))
                    }
                ),
                Form.Field(look("table.subject")), Form.Field(look("table.reason")),
            ],
            check: { values in
                if values[0] == AdminHoldKind.person.rawValue, UserName(values[1]) == nil {
                    return look(
                        "ctl.badUserName", ["name": values[1], "maximum": String(UserName.maximumScalars)])
                }
                let isRight = !values[1].isEmpty && (1...Self.reasonBytes).contains(values[2].utf8.count)
                return isRight ? nil : look("console.holds.hint", ["maximum": String(Self.reasonBytes)])
            },
            submit: { values in
                let hold = AdminNewHold(
                    kind: AdminHoldKind(rawValue: values[0]) ?? .person, name: values[1], reason: values[2])
                return [
                    .perform(OperatorAction([.retention(.hold(hold))], done: look("console.holds.added")))
                ]
            })
    }

    /// Nothing undoes it: the next run may delete what was held.
    private static func remove(_ holds: [AdminHold], _ look: Look) -> [Intent] {
        let action = OperatorAction(
            holds.map { .retention(.release($0.number)) }, done: look.counted("console.holds.removed", holds.count))
        return [
            .propose(
                Proposal(
                    look("console.holds.remove") + ": " + look.names(holds.map(\.shownSubject)),
                    consequences: look.consequences(of: action), typed: typedNumber(of: holds), operatorAction: action))
        ]
    }
}
