import AdminAPI
import ByteCodec
import ChatModel

/// One of the attributes that apps keep with a conversation.
struct ConversationAttribute: TableRow {
    var key: String
    /// JSON text.
    var value: String

    var rowID: String { self.key }
    var searchTexts: [String] { [self.key, self.value] }
}

/// The attributes of one conversation, key by key. Nothing here knows what apps mean by them.
struct AttributesScreen: TableScreen {
    enum Command { case edit, create, delete }

    let title = "console.attributes"
    let emptyText = "console.attributes.empty"
    let keys: [KeyBinding<Command>] = [
        KeyBinding(.enter, .edit, "console.attributes.edit", isChange: true),
        KeyBinding(.character("n"), .create, "console.attributes.add", isChange: true),
        KeyBinding(.delete, .delete, "console.attributes.remove", isChange: true),
    ]
    let refreshMilliseconds: Int64? = 5_000
    var rows = TableView<ConversationAttribute>(
        [
            TableColumn("table.key", width: 24) { row, _ in row.key },
            TableColumn("table.value") { row, _ in row.value },
        ])
    private let conversation: AdminConversation
    /// Attributes in the last answer of the server.
    private var attributes = JSONValue.object([])

    init(_ conversation: AdminConversation) { self.conversation = conversation }

    var copied: String? { self.rows.current?.value }

    mutating func refresh() -> [Intent] { [.ask(.showConversation(self.conversation.reference), purpose: 0)] }

    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] {
        guard case .conversation(let detail) = answer else { return [] }
        self.attributes = detail.attributes.flatMap { try? JSONValue(parsing: $0) } ?? .object([])
        let rows = self.attributes.object?.map { ConversationAttribute(key: $0.name, value: Self.text($0.value)) } ?? []
        self.rows.replace(rows, look)
        return []
    }

    func head(width: Int, _ look: Look) -> [Line] {
        [Line(" " + Cells.drawable("\(self.conversation.name)  \(self.conversation.reference)"), .dim)]
    }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] {
        switch command {
        case .create: return [.form(self.form(nil, look))]
        case .edit:
            guard let current = self.rows.current else { return look.nothing() }
            return [.form(self.form(current, look))]
        case .delete:
            guard self.rows.current != nil else { return look.nothing() }
            var wanted = self.attributes
            for target in self.rows.targets { wanted = wanted.setting(target.key, nil) }
            return Self.proposal(self.conversation, from: self.attributes, to: wanted, look)
        }
    }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }

    // MARK: Changing

    /// - Parameter attribute: `nil` for a new one, whose key is typed too.
    private func form(_ attribute: ConversationAttribute?, _ look: Look) -> Form {
        let (conversation, attributes, known) = (self.conversation, self.attributes, attribute?.key)
        @Sendable func typed(_ values: [String]) -> (key: String, value: String) {
            known.map { ($0, values[0]) } ?? (values[0], values[1])
        }
        // An empty value removes the key.
        @Sendable func wanted(_ values: [String]) -> JSONValue? {
            let (key, value) = typed(values)
            if value.isEmpty { return attributes.setting(key, nil) }
            return (try? JSONValue(parsing: value)).map { attributes.setting(key, $0) }
        }
        var fields = [Form.Field(look("console.attributes.value"), attribute?.value ?? "")]
        if attribute == nil { fields.insert(Form.Field(look("table.key")), at: 0) }
        let name = ["name": conversation.name]
        return Form(
            attribute.map { look("console.attributes.edit") + ": " + $0.key }
                ?? look("console.attributes.addTitle", name),
            fields,
            check: { values in
                let key = typed(values).key
                // `=` ends the key in a command line.
                if key.isEmpty || key.contains("=") { return look("console.attributes.keyHint") }
                if attribute == nil && typed(values).value.isEmpty { return look("console.attributes.valueHint") }
                guard let wanted = wanted(values), attributes.mergePatch(to: wanted) != nil else {
                    return look("console.attributes.valueHint")
                }
                return nil
            },
            command: { values in
                let patch = wanted(values).flatMap { attributes.mergePatch(to: $0) } ?? .object([])
                return Self.command(conversation, patch)
            },
            submit: { values in
                wanted(values).map { Self.proposal(conversation, from: attributes, to: $0, look) } ?? []
            })
    }

    /// Asks first, with what goes and what comes; the undo is the patch the other way.
    private static func proposal(
        _ conversation: AdminConversation, from old: JSONValue, to new: JSONValue, _ look: Look
    ) -> [Intent] {
        guard let patch = old.mergePatch(to: new), let back = new.mergePatch(to: old),
            let changes = patch.object, !changes.isEmpty
        else { return look.nothing("ctl.unchanged") }
        let done = look("ctl.conversation.attributesSet", ["name": conversation.name])
        func operatorAction(_ patch: JSONValue) -> OperatorAction {
            OperatorAction(
                [.conversationDetails(.setAttributes(conversation.reference, patch: Self.text(patch)))],
                commands: [Self.command(conversation, patch)], done: done)
        }
        var change = operatorAction(patch)
        change.undo = operatorAction(back)
        var lines: [String] = []
        for key in changes.map(\.name) {
            if let value = old.member(key) { lines.append("- \(key): \(Self.text(value))") }
            if let value = new.member(key) { lines.append("+ \(key): \(Self.text(value))") }
        }
        return [
            .propose(
                Proposal(
                    look("console.attributes.title", ["name": conversation.name]),
                    consequences: [look("console.attributes.consequence")] + lines, operatorAction: change))
        ]
    }

    private static func command(_ conversation: AdminConversation, _ patch: JSONValue) -> [String] {
        let words = (patch.object ?? []).flatMap { member in
            member.value.isNull ? ["--remove", member.name] : ["--set", "\(member.name)=\(Self.text(member.value))"]
        }
        return ["conversation", "attributes", conversation.reference] + words
    }
}

extension JSONValue {
    /// The value of a member whose name is the same to the byte.
    fileprivate func member(_ key: String) -> JSONValue? {
        self.object?.last { $0.name.utf8.elementsEqual(key.utf8) }?.value
    }

    /// Copy with another value of one member, or without the member for `nil`.
    fileprivate func setting(_ key: String, _ value: JSONValue?) -> JSONValue {
        var members = self.object ?? []
        let place = members.firstIndex { $0.name.utf8.elementsEqual(key.utf8) }
        switch (place, value) {
        case (.some(let place), .some(let value)): members[place].value = value
        case (.some(let place), nil): members.remove(at: place)
        case (nil, .some(let value)): members.append(Member(key, value))
        case (nil, nil): break
        }
        return .object(members)
    }
}
