package import ChatModel

/// What an operator can ask about the rules for what people are shown of the messages of others.
package enum AdminFilterRequest: Hashable, Sendable {
    /// Rules by number, at most `AdminProtocol.filterRows`; `after` is the `next` of the page before.
    case list(after: Int64?)
    /// Answered with the rule and its number.
    case add(AdminFilterRule)
    case remove(Int64)
    /// What a person would be shown of a text.
    case test(AdminFilterTrial)
}

/// A rule as operators write it.
package struct AdminFilterRule: AdminRecord {
    /// 0 for one that is not stored.
    package var number: Int64
    /// `nil` for everybody.
    package var receiver: UserName?
    /// `nil` for everybody.
    package var sender: UserName?
    /// `nil` for every kind.
    package var kind: MessageKind?
    /// `nil` for every text.
    package var word: String?
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

    func write(to fields: inout FieldWriter) {
        fields.number("number", self.number)
        fields.text("receiver", self.receiver?.text)
        fields.text("sender", self.sender?.text)
        fields.number("kind", self.kind.map { Int64($0.rawValue) })
        fields.text("word", self.word)
        if case .replace(let text, let kind) = self.action {
            fields.text("text", text)
            fields.number("as", Int64(kind.rawValue))
        }
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.number = try fields.optionalNumber("number") ?? 0
        self.receiver = try fields.optionalUserName("receiver")
        self.sender = try fields.optionalUserName("sender")
        self.kind = try fields.optionalKind("kind")
        self.word = try fields.optionalText("word")
        let kind = try fields.optionalKind("as") ?? .text
        self.action = try fields.optionalText("text").map { .replace(text: $0, kind: kind) } ?? .drop
    }
}

/// A message that nobody sends, to try the rules.
package struct AdminFilterTrial: AdminRecord {
    package var receiver: UserName
    package var sender: UserName
    package var kind: MessageKind
    /// At most `AdminProtocol.maximumTextBytes`.
    package var text: String

    package init(receiver: UserName, sender: UserName, kind: MessageKind = .text, text: String) {
        self.receiver = receiver
        self.sender = sender
        self.kind = kind
        self.text = text
    }

    func write(to fields: inout FieldWriter) {
        fields.text("receiver", self.receiver.text)
        fields.text("sender", self.sender.text)
        fields.number("kind", Int64(self.kind.rawValue))
        fields.text("text", self.text)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.receiver = try fields.userName("receiver")
        self.sender = try fields.userName("sender")
        self.kind = try fields.optionalKind("kind") ?? .text
        self.text = try fields.text("text")
        guard self.text.utf8.count <= AdminProtocol.maximumTextBytes else { throw FieldReader.wrong("text") }
    }
}

extension FieldReader {
    fileprivate func optionalKind(_ key: String) throws(AdminError) -> MessageKind? {
        guard let number = try self.optionalNumber(key) else { return nil }
        guard let value = Int32(exactly: number) else { throw FieldReader.wrong(key) }
        return MessageKind(rawValue: value)
    }
}

extension AdminFilterRequest {
    var word: String {
        switch self {
        case .list: "filter.list"
        case .add: "filter.add"
        case .remove: "filter.remove"
        case .test: "filter.test"
        }
    }

    var isChange: Bool {
        switch self {
        case .add, .remove: true
        case .list, .test: false
        }
    }

    /// Whom the rule is for, or its number.
    var subject: String? {
        switch self {
        case .add(let rule): rule.receiver?.text
        case .remove(let number): String(number)
        case .list, .test: nil
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let after): fields.number("after", after)
        case .add(let rule): rule.write(to: &fields)
        case .remove(let number): fields.number("number", number)
        case .test(let trial): trial.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of the rules.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "filter.list": self = .list(after: try with.optionalNumber("after"))
        case "filter.add": self = .add(try AdminFilterRule(with))
        case "filter.remove": self = .remove(try with.number("number"))
        case "filter.test": self = .test(try AdminFilterTrial(with))
        default: return nil
        }
    }
}

/// What the server answers about the rules.
package enum AdminFilterAnswer: Hashable, Sendable {
    /// A page; `next` asks for the one after it, `nil` on the last.
    case rules([AdminFilterRule], next: Int64?)
    /// The rule that was added or removed.
    case rule(AdminFilterRule)
    /// The rule that a message would meet; `nil`: it is shown as it is.
    case tested(AdminFilterRule?)
}

extension AdminFilterAnswer {
    var word: String {
        switch self {
        case .rules: "filters"
        case .rule: "filter"
        case .tested: "filter.tested"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .rules(let rules, let next):
            fields.records("rules", rules)
            fields.number("next", next)
        case .rule(let rule): rule.write(to: &fields)
        case .tested(let rule): fields.records("rules", rule.map { [$0] } ?? [])
        }
    }

    /// - Returns: `nil` for a word that is none of the rules.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "filters": self = .rules(try with.records("rules"), next: try with.optionalNumber("next"))
        case "filter": self = .rule(try AdminFilterRule(with))
        case "filter.tested":
            let rules: [AdminFilterRule] = try with.records("rules")
            self = .tested(rules.first)
        default: return nil
        }
    }
}
