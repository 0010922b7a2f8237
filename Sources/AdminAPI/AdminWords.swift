package import ChatModel

/// Requests about the word list.
package enum AdminWordRequest: AdminDefinitions {
    /// Lists rules in the order of their folded words, at most `AdminProtocol.pageRows`; `after` is the `next` of the
    /// page before.
    case list(after: String?)
    /// Adds rules, at most `AdminProtocol.wordRows`; a word that exists already gets the new action.
    case add([WordRule])
    /// Removes words; words that do not exist are ignored.
    case remove([String])
    /// Tests a text of at most `AdminProtocol.maximumTextBytes` against the list.
    case test(String)
    /// Lists messages with watched words, newest first; `before` is the `next` of the page before.
    case flagged(before: Int64?)

    static let all: [Self] = [
        .list(after: .sample), .add(.sample), .remove(.sample), .test(.sample), .flagged(before: .sample),
    ]

    static let more: [Self] = [.list(after: nil), .flagged(before: nil)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let after):
            fields.look("word.list", role: .observer)
            fields.ctl("word list", examples: ["", "--action mask"])
            return try .list(after: fields.page("after", after))
        case .add(let rules):
            fields.change("word.add", .words(rules.map(\.word)))
            fields.line(Self.command(adding: rules))
            return try .add(fields("rules", rules, count: 1...AdminProtocol.wordRows))
        case .remove(let words):
            fields.change("word.remove", .words(words))
            fields.asks("console.words.delete", ["console.words.deleteConsequence"], of: words)
            fields.line(words.isEmpty ? nil : ctl("word remove", .words(words)))
            return try .remove(fields("words", words, count: 1...AdminProtocol.wordRows))
        case .test(let text):
            fields.look("word.test", role: .observer)
            fields.ctl("word test", examples: ["'卖外 挂'"])
            return try .test(
                fields("text", text, atMost: AdminProtocol.maximumTextBytes, .argument("TEXT", "argument.testText")))
        case .flagged(let before):
            fields.look("word.flagged", role: .helper)
            fields.ctl("word flagged", examples: ["", "--limit 500"])
            return try .flagged(before: fields("before", before))
        }
    }
}

extension AdminWordRequest {
    /// `nil` for rules of several actions, which take several commands.
    private static func command(adding rules: [WordRule]) -> [String]? {
        guard let action = rules.first?.action, rules.allSatisfy({ $0.action == action }) else { return nil }
        return ctl("word add", .words(rules.map(\.word)), .option("action", action.word))
    }
}

/// Answers about the word list. Adding and removing are answered with `count`: the number of changed rules.
package enum AdminWordAnswer: AdminFamily {
    /// A page; `next` asks for the one after it, `nil` on the last.
    case rules([WordRule], next: String?)
    case tested(AdminWordTest)
    case flagged([AdminFlagged], next: Int64?)

    static let all: [Self] = [.rules(.sample, next: .sample), .tested(.sample), .flagged(.sample, next: .sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .rules(let rules, let next):
            try .rules(fields.named("words").rows("rules", rules), next: fields.next(next))
        case .tested(let tested): try .tested(fields.named("word.tested").inline(tested))
        case .flagged(let messages, let next):
            try .flagged(fields.named("word.flagged")("messages", messages), next: fields("next", next))
        }
    }
}

extension WordRule: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.init(try fields("word", \.word), try fields("action", \.action))
    }
}

/// Result of a test of a text.
package struct AdminWordTest: AdminRecord {
    /// Action on a message with this text; `nil` when it passes unchanged.
    package var action: WordAction?
    /// Text as it would be delivered, when words of it are masked; `nil` for others.
    package var masked: String?
    /// Rules that match, in the order of their words in the text.
    package var hits: [WordRule]

    package init(action: WordAction? = nil, masked: String? = nil, hits: [WordRule] = []) {
        self.action = action
        self.masked = masked
        self.hits = hits
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.action = try fields("action", \.action)
        self.masked = try fields("masked", \.masked)
        self.hits = try fields("hits", \.hits)
    }
}

/// A message with a watched word.
package struct AdminFlagged: AdminRecord {
    /// Number of the entry.
    package var number: Int64
    /// Time of the message, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Number of the conversation, as in `AdminConversation`.
    package var conversation: Int64
    /// Name of the conversation, as in `AdminConversation`.
    package var conversationName: String
    /// Sequence in the conversation; 0 for a message that was not stored.
    package var sequence: Int64
    /// Name of the sender.
    package var sender: String
    /// Watched word in the message.
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.conversation = try fields("conversation", \.conversation)
        self.conversationName = try fields("conversationName", \.conversationName)
        self.sequence = try fields("sequence", \.sequence)
        self.sender = try fields("sender", \.sender)
        self.word = try fields("word", \.word)
    }
}
