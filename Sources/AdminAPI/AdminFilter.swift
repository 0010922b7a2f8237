package import ChatModel

/// Requests about the rules that change or hide messages per receiver.
package enum AdminFilterRequest: Equatable, Sendable {
    /// Lists rules by number, at most `AdminProtocol.filterRows`; `after` is the `next` of the page before.
    case list(after: Int64?)
    /// Adds a rule; the answer holds it with its number.
    case add(AdminFilterRule)
    case remove(Int64)
    /// Asks which rule would apply to a message.
    case test(AdminFilterTrial)
}

/// A rule as operators write it.
package struct AdminFilterRule: AdminRecord {
    /// Number of the rule; 0 for one that is not stored.
    package var number: Int64
    /// Receiver; `nil` for everybody.
    package var receiver: UserName?
    /// Sender; `nil` for everybody.
    package var sender: UserName?
    /// Message kind; `nil` for every kind.
    package var kind: MessageKind?
    /// Word that the text must contain; `nil` for every text.
    package var word: String?
    /// Effect of the rule: drops the message or replaces its text.
    package var action: FilterAction

    package init(
        number: Int64 = 0, receiver: UserName? = nil, sender: UserName? = nil, kind: MessageKind? = nil,
        word: String? = nil, action: FilterAction
    ) {
        self.number = number
        self.receiver = receiver
        self.sender = sender
        self.kind = kind
        self.word = word
        self.action = action
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number, whenMissing: 0)
        self.receiver = try fields("receiver", \.receiver)
        self.sender = try fields("sender", \.sender)
        self.kind = try fields("kind", \.kind)
        self.word = try fields("word", \.word)
        let text: String? = try fields("text") { if case .replace(let text, _) = $0.action { text } else { nil } }
        let kind: MessageKind? = try fields("as") { if case .replace(_, let kind) = $0.action { kind } else { nil } }
        self.action = text.map { .replace(text: $0, kind: kind ?? .text) } ?? .drop
    }
}

/// A message that nobody sends, to try the rules.
package struct AdminFilterTrial: AdminRecord {
    /// Receiver of the message.
    package var receiver: UserName
    /// Sender of the message.
    package var sender: UserName
    /// Kind of the message.
    package var kind: MessageKind
    /// Text of the message; at most `AdminProtocol.maximumTextBytes`.
    package var text: String

    package init(receiver: UserName, sender: UserName, kind: MessageKind = .text, text: String) {
        self.receiver = receiver
        self.sender = sender
        self.kind = kind
        self.text = text
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.receiver = try fields("receiver", \.receiver, .person("for", "option.filterFor"))
        self.sender = try fields("sender", \.sender, .person("from", "option.filterFrom"))
        self.kind = try fields(
            "kind", \.kind, whenMissing: .text,
            .number("kind", -127...Int64(Int32.max), "option.filterKind"))
        self.text = try fields("text", \.text, .argument("TEXT", "argument.testText"))
        let bytes = self.text.utf8.count
        try fields.check(bytes <= AdminProtocol.maximumTextBytes, "text")
    }
}

extension AdminFilterRequest: AdminDefinitions {
    static let all: [Self] = [.list(after: .sample), .add(.sample), .remove(.sample), .test(.sample)]

    static let more: [Self] = [.list(after: nil)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let after):
            fields.look("filter.list", role: .observer)
            fields.ctl("filter list", examples: [""])
            return try .list(after: fields.page("after", after))
        case .add(let rule):
            fields.change("filter.add", .filters(rule.receiver?.text))
            fields.line(rule.command)
            return try .add(fields.inline(rule))
        case .remove(let number):
            fields.change("filter.remove", .filters(String(number)))
            fields.asks("console.filters.delete", ["console.filters.deleteConsequence"], of: [String(number)])
            fields.ctl(
                "filter remove", says: "ctl.filter.removed", evenForNone: true, ["number": String(number)],
                examples: ["3"])
            return try .remove(
                fields("number", number, .argument("NUMBER", "argument.filterNumber", refusal: "ctl.filter.badNumber")))
        case .test(let trial):
            fields.look("filter.test", role: .observer)
            fields.ctl("filter test", examples: ["--from spam --for ming 'hello'"])
            return try .test(fields.inline(trial))
        }
    }
}

/// Answers about the rules.
package enum AdminFilterAnswer: AdminFamily {
    /// A page; `next` asks for the one after it, `nil` on the last.
    case rules([AdminFilterRule], next: Int64?)
    /// The rule that was added or removed.
    case rule(AdminFilterRule)
    /// Rule that applies to the message; `nil` when it is delivered unchanged.
    case tested(AdminFilterRule?)

    static let all: [Self] = [.rules(.sample, next: .sample), .rule(.sample), .tested(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .rules(let rules, let next):
            try .rules(fields.named("filters").rows("rules", rules), next: fields.next(next))
        case .rule(let rule): try .rule(fields.named("filter").inline(rule))
        case .tested(let rule): try .tested(fields.named("filter.tested")("rules", rule.map { [$0] } ?? []).first)
        }
    }
}

extension AdminFilterRule {
    /// The command that adds it.
    package var command: [String] {
        let action: [CommandPart] =
            switch self.action {
            case .drop: [.flag("drop", true)]
            case .replace(let text, .text): [.option("text", text)]
            case .replace(let text, let kind): [.option("text", text), .option("as", Int64(kind.rawValue))]
            }
        return ctl(
            "filter add",
            [
                .option("for", self.receiver?.text), .option("from", self.sender?.text),
                .option("kind", self.kind.map { Int64($0.rawValue) }), .option("word", self.word),
            ] + action)
    }
}
