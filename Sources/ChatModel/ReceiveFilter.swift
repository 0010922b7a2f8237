/// Action on a message for one receiver.
package enum FilterAction: Hashable, Sendable {
    /// They are not shown it.
    case drop
    /// They are shown a text instead, as a message of this kind: `text`, or one of an app's own.
    case replace(text: String, kind: MessageKind)
}

/// A rule of the operator's for what people are shown of the messages of others: live, in the history, in searches.
package struct FilterRule: Hashable, Sendable {
    /// Most rules of a server.
    package static let maximumRules = 1_000
    /// Most characters (Unicode scalars) of the text that replaces a message.
    package static let maximumTextScalars = 500

    /// Number of the rule: of rules that fit one message and one person, the lowest counts. 0 for one that is not
    /// stored.
    package var number: Int64
    /// Receiver whom it is for; `nil` for everybody.
    package var receiver: UserID?
    /// Sender of the messages; `nil` for everybody.
    package var sender: UserID?
    /// `nil` for every kind.
    package var kind: MessageKind?
    /// In the texts that people read, compared as `WordFolding` does; `nil` for every text.
    package var word: String?
    /// Action on the message.
    package var action: FilterAction

    package init(
        number: Int64 = 0, receiver: UserID? = nil, sender: UserID? = nil, kind: MessageKind? = nil,
        word: String? = nil, action: FilterAction
    ) {
        self.number = number
        self.receiver = receiver
        self.sender = sender
        self.kind = kind
        self.word = word
        self.action = action
    }

    /// Problem with the rule, by field; `nil` when it can be stored.
    package var problem: String? {
        if let word, let problem = WordRule(word, .flag).problem { return "word: \(problem)" }
        guard case .replace(let text, let kind) = self.action else { return nil }
        if text.unicodeScalars.allSatisfy({ $0.properties.isWhitespace }) { return "text is missing" }
        let count = text.unicodeScalars.count
        if count > Self.maximumTextScalars {
            return "text: at most \(Self.maximumTextScalars) characters, not \(count)"
        }
        if kind != .text && kind.rawValue <= 0 { return "kind: a text, or a number above 0" }
        return nil
    }
}

/// The operator's rules in force, ready to be asked for each message.
package final class ReceiveFilter: Sendable {
    /// The texts of a message that people read.
    package typealias Texts = @Sendable (MessageContent) -> [String]

    /// By number.
    package let rules: [FilterRule]
    /// Word of each rule as it is compared.
    private let words: [String?]
    private let matcher: WordMatcher
    private let texts: Texts

    package init(_ rules: [FilterRule], texts: @escaping Texts) {
        self.rules = rules.sorted { $0.number < $1.number }
        self.words = self.rules.map { $0.word.map(WordFolding.fold) }
        self.matcher = WordMatcher(rules.compactMap { $0.word.map { WordRule($0, .flag) } })
        self.texts = texts
    }

    /// Value without an entry.
    package static let none = ReceiveFilter([]) { _ in [] }

    /// True when there is none.
    package var isEmpty: Bool { self.rules.isEmpty }

    /// Verdicts of the rules on a message; `nil` when no rule fits. The words of a message are read once at most.
    package func verdicts(on content: MessageContent, from sender: UserID) -> FilterVerdicts? {
        if self.isEmpty || content.flags.contains(.withdrawn) { return nil }
        var words: Set<String>?
        var verdicts = FilterVerdicts(sender: sender)
        for (rule, word) in zip(self.rules, self.words) {
            guard rule.sender ?? sender == sender, rule.kind ?? content.kind == content.kind else { continue }
            if let word {
                if words == nil { words = self.words(in: content) }
                guard words?.contains(word) == true else { continue }
            }
            guard let receiver = rule.receiver else {
                verdicts.everybody = rule
                // No later rule counts for anybody.
                break
            }
            if receiver != sender && verdicts.people[receiver] == nil { verdicts.people[receiver] = rule }
        }
        return verdicts.isEmpty ? nil : verdicts
    }

    private func words(in content: MessageContent) -> Set<String> {
        var found: Set<String> = []
        for text in self.texts(content) {
            for hit in self.matcher.verdict(on: text).hits { found.insert(hit.key) }
        }
        return found
    }
}

/// Verdicts of the rules on one message.
package struct FilterVerdicts: Sendable {
    /// Sees what they have said.
    let sender: UserID
    /// For who is not in `people`.
    package fileprivate(set) var everybody: FilterRule?
    package fileprivate(set) var people: [UserID: FilterRule] = [:]

    fileprivate var isEmpty: Bool { self.everybody == nil && self.people.isEmpty }

    /// The rule for one person; `nil` when they see the message as it is.
    package func rule(for user: UserID) -> FilterRule? {
        user == self.sender ? nil : self.people[user] ?? self.everybody
    }

    /// Nobody but the sender is shown it.
    package var isDroppedForAll: Bool {
        self.everybody?.action == .drop && self.people.values.allSatisfy { $0.action == .drop }
    }
}
