package import AdminAPI
package import ChatModel

extension WordRule: TableRow {
    /// Word, by which the table recognises the row.
    package var rowID: String { self.word }
    /// Word and action, which the filter searches.
    package var searchTexts: [String] { [self.word, self.action.rawValue] }
}

extension WordAction {
    var textKey: String {
        switch self {
        case .refuse: "word.action.refuse"
        case .mask: "word.action.mask"
        case .flag: "word.action.flag"
        }
    }

    var style: Style {
        switch self {
        case .refuse: .bad
        case .mask: .warning
        case .flag: .accent
        }
    }
}

/// The words that messages are looked at for.
struct WordsScreen: TableScreen {
    enum Command { case create, edit, delete, tryOut, flagged }

    private static let list = 0
    private static let tried = 1

    let title = "console.words"
    let emptyText = "console.words.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.character("n"), .create, "console.words.create", isChange: true),
        KeyBinding(.character("e"), .edit, "console.words.edit", isChange: true),
        KeyBinding(.delete, .delete, "console.words.delete", isChange: true),
        KeyBinding(.character("t"), .tryOut, "console.words.try"),
        KeyBinding(.character("F"), .flagged, "console.words.flagged"),
    ]
    var rows = TableView<WordRule>(
        [
            TableColumn("table.word") { rule, _ in rule.word },
            TableColumn("table.action", width: 24, style: { $0.action.style }) { rule, look in
                look(rule.action.textKey)
            },
        ], sortColumn: 0)
    private var pages = Pages<WordRule>()

    var copied: String? { self.rows.current?.word }

    mutating func refresh() -> [Intent] {
        self.pages.beginReading() ? [.ask(.words(.list(after: nil)), purpose: Self.list)] : []
    }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .words(.tested(let test)) = answer { return [.page(Self.page(test, look))] }
        guard case .words(.rules(let rules, let next)) = answer else { return [] }
        if let all = self.pages.takePage(rules, isLast: next == nil) { self.rows.replace(all, look) }
        return next.map { [.ask(.words(.list(after: $0)), purpose: Self.list)] } ?? []
    }

    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        if purpose == Self.list { self.pages.end() }
        return [.tell(StatusLine(error.message, .failure))]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .create: return [.form(self.createForm(look))]
        case .tryOut: return [.form(Self.tryForm(look))]
        case .flagged: return [.open(FlaggedScreen())]
        case .edit, .delete:
            let targets = self.rows.targets
            guard !targets.isEmpty else { return look.nothing() }
            return command == .edit ? [.form(Self.editForm(targets, look))] : Self.delete(targets, look)
        }
    }

    func head(width: Int, _ look: Look) -> [Line] {
        let counts = WordAction.allCases.map { action in
            let count = self.rows.rows.count { $0.action == action }
            return "\(look(action.textKey)): \(count)"
        }
        let most = look("console.words.most", ["maximum": String(WordRule.maximumRules)])
        return [Line(" " + counts.joined(separator: "  ")) + Line("  " + most, .dim), Line()]
    }

    // MARK: Changing

    private static func actionField(_ look: Look) -> Form.Field {
        Form.Field(look("table.action"), choices: WordAction.allCases.map { ($0.rawValue, look($0.textKey)) })
    }

    private static func add(_ rules: [WordRule], _ look: Look) -> OperatorAction {
        OperatorAction(
            [.words(.add(rules))],
            commands: rules.compactMap { AdminRequest.words(.add([$0])).operation.command },
            done: look.counted("console.words.added", rules.count))
    }

    private static func remove(_ words: [String], _ look: Look) -> OperatorAction {
        OperatorAction(
            [.words(.remove(words))],
            done: look.counted("console.words.removed", words.count))
    }

    private func createForm(_ look: Look) -> Form {
        let known = self.rows.rows
        return Form(
            look("console.words.create"),
            [Form.Field(look("table.word"), maximum: WordRule.maximumScalars), Self.actionField(look)],
            check: { values in
                guard (1...WordRule.maximumScalars).contains(values[0].unicodeScalars.count) else {
                    return look("console.words.wordHint", ["maximum": String(WordRule.maximumScalars)])
                }
                return known.contains { $0.word == values[0] } ? look("console.words.known") : nil
            },
            placeholder: "WORD",
            submit: { values in
                guard let action = WordAction(rawValue: values[1]) else { return [] }
                var operatorAction = Self.add([WordRule(values[0], action)], look)
                operatorAction.undo =
                    known.first { $0.word == values[0] }.map { Self.add([$0], look) }
                    ?? Self.remove([values[0]], look)
                return [.perform(operatorAction)]
            })
    }

    private static func editForm(_ targets: [WordRule], _ look: Look) -> Form {
        Form(
            look("console.words.edit") + ": " + look.names(targets.map(\.word)), [Self.actionField(look)],
            submit: { values in
                guard let action = WordAction(rawValue: values[0]) else { return [] }
                var operatorAction = Self.add(targets.map { WordRule($0.word, action) }, look)
                operatorAction.undo = Self.add(targets, look)
                return [.perform(operatorAction)]
            })
    }

    private static func delete(_ targets: [WordRule], _ look: Look) -> [Intent] {
        var operatorAction = Self.remove(targets.map(\.word), look)
        operatorAction.undo = Self.add(targets, look)
        return [
            .propose(
                Proposal(
                    look("console.words.delete") + ": " + look.names(targets.map(\.word)),
                    consequences: look.consequences(of: operatorAction), typed: typedNumber(of: targets),
                    operatorAction: operatorAction
                ))
        ]
    }

    // MARK: Trying

    private static func tryForm(_ look: Look) -> Form {
        Form(
            look("console.words.try"), [Form.Field(look("table.text"), isMultiline: true)],
            check: { $0[0].isEmpty ? look("console.groups.textMissing") : nil },
            submit: { [.ask(.words(.test($0[0])), purpose: Self.tried)] })
    }

    private static func page(_ test: AdminWordTest, _ look: Look) -> Page {
        let verdict = test.action.map { Line(look($0.textKey), $0.style) } ?? Line(look("console.words.passes"), .good)
        var lines = [verdict]
        if let masked = test.masked { lines += [Line(look("console.words.masked"), .dim), Line(masked)] }
        if !test.hits.isEmpty { lines += [Line(), Line(look("console.words.hits"), .heading)] }
        lines += test.hits.map { Line($0.word) + Line("  " + look($0.action.textKey), $0.action.style) }
        return Page(look("console.words.try"), lines, copied: test.masked)
    }
}

extension AdminFlagged: TableRow {
    /// Number, by which the table recognises the row.
    package var rowID: Int64 { self.number }
    /// Sender, word and conversation, which the filter searches.
    package var searchTexts: [String] { [self.sender, self.word, self.conversationName] }
}

/// Messages with watched words, the newest first.
struct FlaggedScreen: TableScreen {
    enum Command { case open, older }

    private static let newest = 0
    private static let older = 1
    private static let conversation = 2

    let title = "console.flagged"
    let emptyText = "console.flagged.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.flagged.open"),
        KeyBinding(.character("b"), .older, "console.messages.older"),
    ]
    var rows = TableView<AdminFlagged>([
        TableColumn("table.time", width: 10) { row, look in look.shortTime(row.atMilliseconds) },
        TableColumn("table.word", width: 20, style: { _ in .warning }) { row, _ in row.word },
        TableColumn("table.sender", width: 16, style: { _ in .accent }) { row, _ in row.sender },
        TableColumn("console.conversation") { row, _ in row.conversationName },
        TableColumn("table.sequence", width: 8, isOnTheRight: true, order: { .number($0.sequence) }) { row, _ in
            row.sequence > 0 ? String(row.sequence) : ""
        },
    ])
    /// `nil` when there is nothing older.
    private var next: Int64?
    /// The message that was opened.
    private var wanted: Int64 = 0

    var copied: String? { self.rows.current?.sender }

    mutating func refresh() -> [Intent] { [.ask(.words(.flagged(before: nil)), purpose: Self.newest)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .conversation(let detail) = answer {
            return [.open(MessagesScreen(detail.conversation, at: self.wanted))]
        }
        guard case .words(.flagged(let messages, let next)) = answer else { return [] }
        self.next = next
        let known = Set(messages.map(\.number))
        let kept = purpose == Self.older ? self.rows.rows.filter { !known.contains($0.number) } : []
        self.rows.replace(kept + messages, look)
        return []
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .older:
            guard let next = self.next else { return [.tell(StatusLine(look("console.flagged.first")))] }
            return [.ask(.words(.flagged(before: next)), purpose: Self.older)]
        case .open:
            guard let row = self.rows.current else { return look.nothing() }
            guard row.sequence > 0 else { return look.nothing("console.flagged.notStored") }
            self.wanted = row.sequence
            return [.ask(.showConversation("id:\(row.conversation)"), purpose: Self.conversation)]
        }
    }
}
