package import AdminAPI
import ChatModel

extension AdminMessageKind: TableRow {
    /// Number of the kind, by which the table recognises the row.
    package var rowID: Int32 { self.entry.kind.rawValue }
    /// Name, title and number, which the filter searches.
    package var searchTexts: [String] { [self.entry.name, self.entry.typeTitle, String(self.entry.kind.rawValue)] }
}

/// The message kinds of apps: how each is read, and what is shown of it.
struct KindsScreen: TableScreen {
    enum Command { case open, create, edit, disable, enable, delete, tryOut }

    private static let list = 0
    private static let tried = 1

    let title = "console.kinds"
    let emptyText = "console.kinds.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .open, "console.kinds.open"),
        KeyBinding(.character("n"), .create, "console.kinds.create", isChange: true),
        KeyBinding(.character("e"), .edit, "console.kinds.edit", isChange: true),
        KeyBinding(.character("d"), .disable, "console.kinds.disable", isChange: true),
        KeyBinding(.character("a"), .enable, "console.kinds.enable", isChange: true),
        KeyBinding(.delete, .delete, "console.kinds.delete", isChange: true),
        KeyBinding(.character("t"), .tryOut, "console.kinds.try"),
    ]
    var rows = TableView<AdminMessageKind>(
        [
            TableColumn(
                "table.number", width: 8, isOnTheRight: true, order: { .number(Int64($0.entry.kind.rawValue)) }
            ) { row, _ in String(row.entry.kind.rawValue) },
            TableColumn("table.name") { row, _ in row.entry.name },
            TableColumn("table.version", width: 7, isOnTheRight: true) { row, _ in String(row.entry.version) },
            TableColumn("table.title", width: 16) { row, _ in row.entry.typeTitle },
            TableColumn("table.state", width: 10, style: { $0.entry.isDisabled ? .bad : .good }) { row, look in
                look(row.entry.isDisabled ? "word.disabled" : "word.active")
            },
            TableColumn(
                "table.undecodable", width: 12, isOnTheRight: true, order: { .number($0.undecodable) },
                style: { $0.undecodable > 0 ? .warning : .plain }
            ) { row, _ in String(row.undecodable) },
        ], sortColumn: 0)

    var copied: String? { self.rows.current.map { String($0.entry.kind.rawValue) } }

    mutating func refresh() -> [Intent] { [.ask(.kinds(.list), purpose: Self.list)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        if case .kinds(.tried(let trial)) = answer { return [.page(Self.page(trial, look))] }
        if case .kinds(.kinds(let kinds)) = answer { self.rows.replace(kinds, look) }
        return []
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        let targets = self.rows.targets.map(\.entry)
        guard let current = self.rows.current, let first = targets.first else {
            return command == .create ? self.create(look) : look.nothing()
        }
        switch command {
        case .open: return [.page(Self.page(current, look))]
        case .create: return self.create(look)
        case .edit: return [.form(KindForm.form(first, known: [], look))]
        case .disable, .enable: return Self.turn(targets, command == .disable, look)
        case .delete: return Self.delete(targets, look)
        case .tryOut: return [.form(Self.tryForm(first, look))]
        }
    }

    // MARK: Changing

    private func create(_ look: Look) -> [Intent] {
        [.form(KindForm.form(nil, known: self.rows.rows.map(\.entry), look))]
    }

    private static func turn(_ entries: [MessageKindEntry], _ isDisabled: Bool, _ look: Look) -> [Intent] {
        let changed = entries.filter { $0.isDisabled != isDisabled }
        guard !changed.isEmpty else { return look.nothing("ctl.unchanged") }
        let done = ["console.kinds.disabled", "console.kinds.enabled"].map { look.counted($0, changed.count) }
        let change = OperatorAction(
            changed.map { .kinds(.setDisabled($0.kind, isDisabled)) }, done: done[isDisabled ? 0 : 1],
            undone: done[isDisabled ? 1 : 0])
        let key = isDisabled ? "console.kinds.disable" : "console.kinds.enable"
        return [
            .propose(
                Proposal(
                    look(key) + ": " + look.names(changed.map(\.name)), consequences: look.consequences(of: change),
                    typed: typedNumber(of: changed), operatorAction: change))
        ]
    }

    private static func delete(_ entries: [MessageKindEntry], _ look: Look) -> [Intent] {
        var operatorAction = OperatorAction(
            entries.map { .kinds(.remove($0.kind)) },
            done: look.counted("console.kinds.deleted", entries.count))
        operatorAction.undo = OperatorAction(
            entries.map { .kinds(.set($0)) }, commands: entries.map { $0.command },
            done: look.counted("console.kinds.restored", entries.count))
        return [
            .propose(
                Proposal(
                    look("console.kinds.delete") + ": " + look.names(entries.map(\.name)),
                    consequences: look.consequences(of: operatorAction), typed: typedNumber(of: entries),
                    operatorAction: operatorAction
                ))
        ]
    }

    // MARK: Looking and trying

    private static func row(_ key: String, _ value: String, _ look: Look) -> Line {
        Line(Cells.fitted(Cells.drawable(look(key)), to: 18), .dim) + Line(value)
    }

    private static func page(_ kind: AdminMessageKind, _ look: Look) -> Page {
        let entry = kind.entry
        let lines = [
            Self.row("table.number", String(entry.kind.rawValue), look), Self.row("table.name", entry.name, look),
            Self.row("table.version", String(entry.version), look),
            Self.row("console.kinds.required", entry.requiredFields.joined(separator: ", "), look),
            Self.row("console.kinds.files", entry.fileFields.joined(separator: ", "), look),
            Self.row("console.kinds.typeTitle", entry.typeTitle, look),
            Self.row("console.kinds.summary", entry.summary, look),
            Self.row("console.kinds.digest", entry.digest, look),
            Self.row("console.kinds.degrade", entry.degrade, look),
            Self.row("table.state", look(entry.isDisabled ? "word.disabled" : "word.active"), look),
            Self.row("table.undecodable", String(kind.undecodable), look),
        ]
        return Page(entry.name, lines, copied: entry.command.joined(separator: " "))
    }

    private static func tryForm(_ entry: MessageKindEntry, _ look: Look) -> Form {
        let number = String(entry.kind.rawValue)
        return Form(
            look("console.kinds.tryTitle", ["name": entry.name]),
            [Form.Field(look("console.kinds.body"), "{\"type\":\(number)}")],
            check: { $0[0].isEmpty ? look("console.groups.textMissing") : nil },
            submit: { [.ask(.kinds(.try(entry.kind, body: $0[0])), purpose: Self.tried)] })
    }

    private static func page(_ trial: AdminKindTrial, _ look: Look) -> Page {
        let verdict: Line =
            switch trial.problem {
            case nil: Line(look("console.kinds.readable"), .good)
            case .noObject: Line(look("console.kinds.noObject"), .bad)
            case .missing(let field): Line(look("console.kinds.missing", ["field": field]), .bad)
            case .newerVersion(let version):
                Line(look("console.kinds.newer", ["version": String(version)]), .bad)
            }
        let lines = [
            verdict, Line(), Self.row("console.kinds.line", trial.line, look),
            Self.row("console.kinds.typeTitle", trial.typeTitle, look),
            Self.row("console.kinds.summary", trial.summary, look),
            Self.row("console.kinds.degrade", trial.degrade, look),
        ]
        return Page(look("console.kinds.try"), lines, copied: trial.line)
    }
}

/// The form of a message kind.
private enum KindForm {
    /// - Parameters:
    ///   - entry: what is changed; `nil` for a new one.
    ///   - known: kinds whose numbers and names are taken.
    static func form(_ entry: MessageKindEntry?, known: [MessageKindEntry], _ look: Look) -> Form {
        let (names, texts) = (MessageKindEntry.maximumNameScalars, MessageKindEntry.maximumTextScalars)
        let number = entry.map { String($0.kind.rawValue) }
        var fields = [
            Form.Field(look("table.name"), entry?.name ?? "", maximum: names),
            Form.Field(look("table.version"), String(entry?.version ?? 1)),
            Form.Field(look("console.kinds.required"), entry?.requiredFields.joined(separator: ",") ?? ""),
            Form.Field(look("console.kinds.files"), entry?.fileFields.joined(separator: ",") ?? ""),
            Form.Field(look("console.kinds.degrade"), entry?.degrade ?? "", maximum: texts),
            Form.Field(look("console.kinds.typeTitle"), entry?.typeTitle ?? "", maximum: names),
            Form.Field(look("console.kinds.summary"), entry?.summary ?? "", maximum: texts),
            Form.Field(look("console.kinds.digest"), entry?.digest ?? "", maximum: texts),
        ]
        if number == nil { fields.insert(Form.Field(look("table.number")), at: 0) }
        let read: @Sendable ([String]) -> MessageKindEntry? = { values in
            var kind = Self.read(number.map { [$0] + values } ?? values, isDisabled: entry?.isDisabled ?? false)
            // Set by `ctl` alone.
            kind?.renderer = entry?.renderer ?? ""
            return kind
        }
        return Form(
            entry.map { look("console.kinds.editTitle", ["name": $0.name]) } ?? look("console.kinds.create"), fields,
            check: { values in
                guard let kind = read(values) else { return look("console.kinds.hint") }
                return known.contains { $0.kind == kind.kind } ? look("console.kinds.known") : nil
            },
            command: { values in read(values).map { $0.command } ?? ["kind", "set", number ?? "NUMBER"] },
            submit: { values in
                guard let kind = read(values) else { return [] }
                var operatorAction = Self.operatorAction(kind, look)
                operatorAction.undo =
                    entry.map { Self.operatorAction($0, look) }
                    ?? OperatorAction(
                        [.kinds(.remove(kind.kind))],
                        done: look.counted("console.kinds.deleted", 1))
                return [.perform(operatorAction)]
            })
    }

    /// - Parameter values: the number, and then the fields in the order of the form.
    private static func read(_ values: [String], isDisabled: Bool) -> MessageKindEntry? {
        guard let number = Int32(values[0]), number > 0, let version = Int64(values[2]), version > 0,
            !values[1].isEmpty, !values[5].isEmpty, !values[6].isEmpty
        else { return nil }
        return MessageKindEntry(
            kind: MessageKind(rawValue: number), name: values[1], version: version,
            requiredFields: Self.names(values[3]), fileFields: Self.names(values[4]), degrade: values[5],
            typeTitle: values[6], summary: values[7], digest: values[8], isDisabled: isDisabled)
    }

    private static func names(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimming() }.filter { !$0.isEmpty }
    }

    private static func operatorAction(_ kind: MessageKindEntry, _ look: Look) -> OperatorAction {
        OperatorAction(
            [.kinds(.set(kind))], commands: [kind.command],
            done: look("console.kinds.set", ["name": kind.name]))
    }
}

extension Substring {
    /// Text without the spaces at both ends.
    fileprivate func trimming() -> String {
        String(self.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
