package import AdminAPI
import ChatModel

extension AdminFilterRule: TableRow {
    /// Number, by which the table recognises the row.
    package var rowID: Int64 { self.number }
    /// Receiver, sender, word and replacement, which the filter searches.
    package var searchTexts: [String] {
        var texts = [self.receiver?.text, self.sender?.text, self.word].compactMap { $0 }
        if case .replace(let text, _) = self.action { texts.append(text) }
        return texts
    }
}

/// The rules for what people are shown of the messages of others.
struct FiltersScreen: TableScreen {
    enum Command { case create, delete }

    let title = "console.filters"
    let emptyText = "console.filters.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("n"), .create, "console.filters.create", isChange: true),
        KeyBinding(.delete, .delete, "console.filters.delete", isChange: true),
    ]
    var rows = TableView<AdminFilterRule>([
        TableColumn("table.number", width: 6, isOnTheRight: true, order: { .number($0.number) }) { rule, _ in
            String(rule.number)
        },
        TableColumn("table.receiver", width: 13) { rule, look in rule.receiver?.text ?? look("word.all") },
        TableColumn("table.sender", width: 13) { rule, look in rule.sender?.text ?? look("word.all") },
        TableColumn("table.kind", width: 6, isOnTheRight: true) { rule, look in
            rule.kind.map { String($0.rawValue) } ?? look("word.all")
        },
        TableColumn("table.word", width: 14) { rule, look in rule.word ?? look("word.all") },
        TableColumn("table.action") { rule, look in Self.words(for: rule.action, look) },
    ])
    private var pages = Pages<AdminFilterRule>()

    var copied: String? { self.rows.current.map { String($0.number) } }

    private static func words(for action: FilterAction, _ look: Look) -> String {
        guard case .replace(let text, let kind) = action else { return look("word.filter.drop") }
        let values = ["text": text, "kind": String(kind.rawValue)]
        return look(kind == .text ? "word.filter.text" : "word.filter.kind", values)
    }

    mutating func refresh() -> [Intent] {
        self.pages.beginReading() ? [.ask(.filters(.list(after: nil)), purpose: 0)] : []
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .filters(.rules(let rules, let next)) = answer else { return [] }
        if let all = self.pages.takePage(rules, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [.ask(.filters(.list(after: $0)), purpose: 0)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        self.pages.end()
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .create: return [.form(Self.form(look))]
        case .delete:
            let targets = self.rows.targets
            return targets.isEmpty ? look.nothing() : Self.delete(targets, look)
        }
    }

    // MARK: Changing

    private static func form(_ look: Look) -> Form {
        let fields = [
            Form.Field(look("table.receiver"), maximum: UserName.maximumScalars),
            Form.Field(look("table.sender"), maximum: UserName.maximumScalars),
            Form.Field(look("table.kind")), Form.Field(look("table.word")),
            Form.Field(look("console.filters.text")),
        ]
        return Form(
            look("console.filters.create"), fields, check: { Self.problem($0, look) },
            submit: { values in
                [
                    .perform(
                        OperatorAction(
                            [.filters(.add(Self.rule(values)))],
                            done: look("console.filters.added")))
                ]
            })
    }

    /// Receiver, sender, kind, word, and what is shown instead: nothing when it is empty.
    private static func rule(_ values: [String]) -> AdminFilterRule {
        AdminFilterRule(
            receiver: UserName(values[0]), sender: UserName(values[1]),
            kind: Int32(values[2]).map { MessageKind(rawValue: $0) }, word: values[3].isEmpty ? nil : values[3],
            action: values[4].isEmpty ? .drop : .replace(text: values[4], kind: .text))
    }

    private static func problem(_ values: [String], _ look: Look) -> String? {
        for name in values.prefix(2) where !name.isEmpty && UserName(name) == nil {
            return look("ctl.badUserName", ["name": name, "maximum": String(UserName.maximumScalars)])
        }
        if !values[2].isEmpty && Int32(values[2]) == nil { return look("console.filters.badKind") }
        return values.prefix(4).allSatisfy(\.isEmpty) ? look("console.filters.hint") : nil
    }

    private static func delete(_ rules: [AdminFilterRule], _ look: Look) -> [Intent] {
        var operatorAction = OperatorAction(
            rules.map { .filters(.remove($0.number)) },
            done: look.counted("console.filters.deleted", rules.count))
        operatorAction.undo = OperatorAction(
            rules.map { .filters(.add($0)) },
            done: look("console.filters.added"))
        return [
            .propose(
                Proposal(
                    look("console.filters.delete") + ": " + look.names(rules.map { String($0.number) }),
                    consequences: look.consequences(of: operatorAction), typed: typedNumber(of: rules),
                    operatorAction: operatorAction))
        ]
    }
}
