/// Action on a message that has a word of the list. The names are stored and stand in answers for operators.
package enum WordAction: String, Hashable, Sendable, CaseIterable {
    /// It is not taken.
    case refuse
    /// It goes out with a `*` in place of each character of the word.
    case mask
    /// It goes out as it is, and operators find it in a log.
    case flag
}

/// One entry of the word list.
package struct WordRule: Hashable, Sendable {
    /// Most characters (Unicode scalars) of a word.
    package static let maximumScalars = 64
    /// Most rules of a server.
    package static let maximumRules = 10_000

    /// As the operator wrote it. It is found in every case and width, see `WordFolding`.
    package var word: String
    /// Action on the message.
    package var action: WordAction

    package init(_ word: String, _ action: WordAction) {
        self.word = word
        self.action = action
    }
}

/// Verdict of the word list on a text.
package struct WordVerdict: Hashable, Sendable {
    /// The rules whose words the text has, each once, in the order in which the text first has them.
    package var hits: [WordRule]
    /// The text with masked words; `nil` when nothing is masked.
    package var masked: String?

    package init(hits: [WordRule] = [], masked: String? = nil) {
        self.hits = hits
        self.masked = masked
    }

    /// The first rule that refuses the text.
    package var refusal: WordRule? { self.hits.first { $0.action == .refuse } }
    /// The rules that only watch.
    package var flags: [WordRule] { self.hits.filter { $0.action == .flag } }
    /// Action on a message of this text; `nil` when it passes unchanged. The strongest rule decides.
    package var action: WordAction? {
        if self.refusal != nil { return .refuse }
        if self.masked != nil { return .mask }
        return self.hits.isEmpty ? nil : .flag
    }
}

/// A message that has a word which is only watched.
package struct FlaggedMessage: Hashable, Sendable {
    /// Most entries that are kept; older ones go.
    package static let maximumKept: Int64 = 10_000

    /// Rises; the place of the entry in the log.
    package var number: Int64
    /// UTC milliseconds.
    package var atMilliseconds: Int64
    /// Conversation concerned.
    package var conversation: ConversationID
    /// 0 for a transient message, which is nowhere else.
    package var sequence: Int64
    /// Sender.
    package var sender: UserName
    /// The word of the rule.
    package var word: String

    package init(
        number: Int64, atMilliseconds: Int64, conversation: ConversationID, sequence: Int64, sender: UserName,
        word: String
    ) {
        self.number = number
        self.atMilliseconds = atMilliseconds
        self.conversation = conversation
        self.sequence = sequence
        self.sender = sender
        self.word = word
    }
}
