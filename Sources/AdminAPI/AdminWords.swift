package import ChatModel

/// What an operator can ask about the word list.
package enum AdminWordRequest: Hashable, Sendable {
    /// Rules in the order of their folded words, at most `AdminProtocol.pageRows`; `after` is the `next` of the page before.
    case list(after: String?)
    /// At most `AdminProtocol.wordRows`; a word that is there already gets the new action.
    case add([WordRule])
    /// Words that are not there are passed over.
    case remove([String])
    /// What the list says to a text of at most `AdminProtocol.maximumTextBytes`.
    case test(String)
    /// Messages with watched words, the newest first; `before` is the `next` of the page before.
    case flagged(before: Int64?)
}

extension AdminWordRequest {
    var word: String {
        switch self {
        case .list: "word.list"
        case .add: "word.add"
        case .remove: "word.remove"
        case .test: "word.test"
        case .flagged: "word.flagged"
        }
    }

    var isChange: Bool {
        switch self {
        case .add, .remove: true
        case .list, .test, .flagged: false
        }
    }

    /// The word, when it is one alone.
    var subject: String? {
        switch self {
        case .add(let rules) where rules.count == 1: rules[0].word
        case .remove(let words) where words.count == 1: words[0]
        default: nil
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let after): fields.text("after", after)
        case .add(let rules): fields.records("rules", rules)
        case .remove(let words): fields.texts("words", words)
        case .test(let text): fields.text("text", text)
        case .flagged(let before): fields.number("before", before)
        }
    }

    /// - Returns: `nil` for a word that is none of the word list.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "word.list": self = .list(after: try with.optionalText("after"))
        case "word.add":
            let rules: [WordRule] = try with.records("rules")
            try Self.check(rules.count, of: "rules")
            self = .add(rules)
        case "word.remove":
            let words = try with.texts("words")
            try Self.check(words.count, of: "words")
            self = .remove(words)
        case "word.test":
            let text = try with.text("text")
            guard text.utf8.count <= AdminProtocol.maximumTextBytes else { throw FieldReader.wrong("text") }
            self = .test(text)
        case "word.flagged": self = .flagged(before: try with.optionalNumber("before"))
        default: return nil
        }
    }

    private static func check(_ count: Int, of key: String) throws(AdminError) {
        guard (1...AdminProtocol.wordRows).contains(count) else {
            throw AdminError(.invalid, "\(key): one request has 1 to \(AdminProtocol.wordRows) of them")
        }
    }
}

/// What the server answers about the word list. Adding and removing are answered with `count`: how many rules changed.
package enum AdminWordAnswer: Hashable, Sendable {
    /// A page; `next` asks for the one after it, `nil` on the last.
    case rules([WordRule], next: String?)
    case tested(AdminWordTest)
    case flagged([AdminFlagged], next: Int64?)
}

extension AdminWordAnswer {
    var word: String {
        switch self {
        case .rules: "words"
        case .tested: "word.tested"
        case .flagged: "word.flagged"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .rules(let rules, let next):
            fields.records("rules", rules)
            fields.text("next", next)
        case .tested(let test): test.write(to: &fields)
        case .flagged(let messages, let next):
            fields.records("messages", messages)
            fields.number("next", next)
        }
    }

    /// - Returns: `nil` for a word that is none of the word list.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "words": self = .rules(try with.records("rules"), next: try with.optionalText("next"))
        case "word.tested": self = .tested(try AdminWordTest(with))
        case "word.flagged": self = .flagged(try with.records("messages"), next: try with.optionalNumber("next"))
        default: return nil
        }
    }
}

extension WordRule: AdminRecord {
    func write(to fields: inout FieldWriter) {
        fields.text("word", self.word)
        fields.text("action", self.action.rawValue)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.init(try fields.text("word"), try Word.value("action", fields))
    }
}

/// What the word list says to a text.
package struct AdminWordTest: AdminRecord {
    /// What would happen to a message of this text; `nil`: it passes unchanged.
    package var action: WordAction?
    /// How the text goes out, when words of it are masked.
    package var masked: String?
    /// The rules that hit, in the order in which the text has their words.
    package var hits: [WordRule]

    package init(action: WordAction? = nil, masked: String? = nil, hits: [WordRule] = []) {
        self.action = action
        self.masked = masked
        self.hits = hits
    }

    func write(to fields: inout FieldWriter) {
        fields.text("action", self.action?.rawValue)
        fields.text("masked", self.masked)
        fields.records("hits", self.hits)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        if fields.has("action") { self.action = try Word.value("action", fields) }
        self.masked = try fields.optionalText("masked")
        self.hits = try fields.records("hits")
    }
}

/// A message with a watched word.
package struct AdminFlagged: AdminRecord {
    package var number: Int64
    package var atMilliseconds: Int64
    /// Number and name of the conversation, as in `AdminConversation`.
    package var conversation: Int64
    package var conversationName: String
    /// 0 for a message that was not stored.
    package var sequence: Int64
    package var sender: String
    package var word: String

    package init(
        number: Int64, atMilliseconds: Int64, conversation: Int64, conversationName: String, sequence: Int64,
        sender: String, word: String
    ) {
        self.number = number
        self.atMilliseconds = atMilliseconds
        self.conversation = conversation
        self.conversationName = conversationName
        self.sequence = sequence
        self.sender = sender
        self.word = word
    }

    func write(to fields: inout FieldWriter) {
        fields.number("number", self.number)
        fields.number("at", self.atMilliseconds)
        fields.number("conversation", self.conversation)
        fields.text("conversationName", self.conversationName)
        fields.number("sequence", self.sequence)
        fields.text("sender", self.sender)
        fields.text("word", self.word)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.number = try fields.number("number")
        self.atMilliseconds = try fields.number("at")
        self.conversation = try fields.number("conversation")
        self.conversationName = try fields.text("conversationName")
        self.sequence = try fields.number("sequence")
        self.sender = try fields.text("sender")
        self.word = try fields.text("word")
    }
}
