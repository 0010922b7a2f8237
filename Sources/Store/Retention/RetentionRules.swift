package import ChatModel

/// Class of conversations that one rule of retention is for.
package enum RetentionClass: String, Sendable, CaseIterable {
    case direct
    /// Groups whose form is `TeamForm.normal`.
    case normalTeam = "normal_team"
    /// Every other group, those that apps make included.
    case advancedTeam = "advanced_team"
    /// Chat rooms and temporary conversations.
    case room
    /// System conversations, which have subscribers.
    case service
    /// Communities and their topics, customer service, visitors, agents and data channels.
    case other

    /// Class of a conversation.
    ///
    /// - Parameter form: of a group; `nil` where it has none.
    package init(_ kind: ConversationKind, form: TeamForm?) {
        switch kind {
        case .direct: self = .direct
        case .group: self = form == .normal ? .normalTeam : .advancedTeam
        case .room, .temporary: self = .room
        case .service: self = .service
        case .customerService, .community, .communityTopic, .data, .visitors, .agent, .agentGroup: self = .other
        }
    }
}

/// How long the conversations of one class keep what was said there.
package struct RetentionRule: Hashable, Sendable {
    /// Days after which a message is deleted; 0 for never.
    package var days: Int64 = 0
    /// Newest messages that a conversation keeps; 0 for all.
    package var messages: Int64 = 0
    /// Days after which an attachment is removed although its message stays; 0 for never.
    package var attachmentDays: Int64 = 0

    package init(days: Int64 = 0, messages: Int64 = 0, attachmentDays: Int64 = 0) {
        self.days = days
        self.messages = messages
        self.attachmentDays = attachmentDays
    }

    /// True when nothing is ever deleted.
    package var keepsAll: Bool { self == RetentionRule() }

    private static let dayMilliseconds: Int64 = 86_400_000

    /// Time before which messages go, UTC milliseconds; `nil` for none.
    func messagesEnd(at wall: Int64) -> Int64? { self.days == 0 ? nil : wall - self.days * Self.dayMilliseconds }

    /// Time before which attachments go, UTC milliseconds; `nil` for none.
    func attachmentsEnd(at wall: Int64) -> Int64? {
        self.attachmentDays == 0 ? nil : wall - self.attachmentDays * Self.dayMilliseconds
    }
}

/// Rules by which messages and attachments go for their age and number. Nothing goes as it comes.
package struct RetentionRules: Hashable, Sendable {
    private var rules: [RetentionClass: RetentionRule] = [:]
    /// Size in bytes below which an attachment stays as long as its message; 0 for none.
    package var attachmentBytes: Int64 = 0

    package init() {}

    /// Rule of a class.
    package subscript(_ kind: RetentionClass) -> RetentionRule {
        get { self.rules[kind] ?? RetentionRule() }
        set { self.rules[kind] = newValue }
    }

    /// True when no rule deletes anything.
    package var keepsAll: Bool { self.rules.values.allSatisfy(\.keepsAll) }
}

/// A conversation as retention looks at it.
struct RetainedConversation {
    let id: ConversationID
    let kind: ConversationKind
    let retention: RetentionClass
    let head: Int64
    /// Newest sequence that was deleted; 0 for none.
    let purged: Int64
    /// Sequences behind it that no message has.
    let passedOver: Int64

    /// Messages that are stored.
    var messages: Int64 { self.head - self.purged - self.passedOver }
}

extension Connection {
    private static let retainedSQL = SQL(
        """
        SELECT c.id, c.kind, t.form, c.head, coalesce(p.sequence, 0), coalesce((
            SELECT sum(g.last - g.first + 1) FROM sequence_gap g
            WHERE g.conversation_id = c.id AND g.first > coalesce(p.sequence, 0)), 0)
        FROM conversation c LEFT JOIN team t ON t.conversation_id = c.id
            LEFT JOIN purged_history p ON p.conversation_id = c.id
        WHERE c.id > ?1 ORDER BY c.id LIMIT ?2
        """)

    /// Conversations behind an id, by id.
    func retainedConversations(after id: ConversationID, limit: Int) throws(StoreError) -> [RetainedConversation] {
        try self.query(Self.retainedSQL, id, limit) { row throws(StoreError) in
            guard let kind = ConversationKind(rawValue: row.int64(1)) else { throw Row.damaged("conversation kind") }
            let form = row.optionalInt64(2).flatMap(TeamForm.init)
            return RetainedConversation(
                id: row.conversationID(0), kind: kind, retention: RetentionClass(kind, form: form),
                head: row.int64(3), purged: row.int64(4), passedOver: row.int64(5))
        }
    }

    /// Sequence of the newest message of a conversation that a rule deletes; 0 for none. The newest message of all stays:
    /// lists show it, and the next one's number and time follow from it.
    func lastToGo(
        of conversation: RetainedConversation, _ rule: RetentionRule, at wall: Int64
    ) throws(StoreError) -> Int64 {
        guard conversation.messages > 1 else { return 0 }
        var last: Int64 = 0
        if let end = rule.messagesEnd(at: wall) {
            last = try self.lastSequence(in: conversation.id, sentBefore: end, head: conversation.head)
        }
        if rule.messages > 0, conversation.messages > rule.messages {
            last = max(
                last, try self.sequence(fromNewest: rule.messages, in: conversation.id, head: conversation.head))
        }
        return last > conversation.purged ? min(last, conversation.head - 1) : 0
    }

    /// Sequence up to which the attachments of a conversation go for their age; 0 for none.
    func lastAttachmentToGo(
        of conversation: RetainedConversation, _ rule: RetentionRule, at wall: Int64
    ) throws(StoreError) -> Int64 {
        guard let end = rule.attachmentsEnd(at: wall) else { return 0 }
        return try self.lastSequence(in: conversation.id, sentBefore: end, head: conversation.head)
    }
}
