import ChatModel

/// Requests about what goes for its age, and about legal holds.
package enum AdminRetentionRequest: AdminDefinitions {
    /// Says what the rules are and what they would delete, now and within thirty days. Nothing is deleted.
    case forecast
    /// Lists legal holds by number; `after` is the `next` of the page before.
    case holds(after: Int64?)
    /// Sets a legal hold.
    case hold(AdminNewHold)
    /// Removes a legal hold by its number.
    case release(Int64)

    static let all: [Self] = [.forecast, .holds(after: .sample), .hold(.sample), .release(.sample)]

    static let more: [Self] = [.holds(after: nil)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .forecast:
            fields.look("retention.forecast", role: .observer)
            fields.ctl("retention", examples: ["", "--json"])
            return self
        case .holds(let after):
            fields.look("hold.list")
            fields.ctl("hold list", examples: ["", "--json"])
            return try .holds(after: fields.page("after", after))
        case .hold(let hold):
            fields.change("hold.add", .text(hold.name))
            fields.ctl(
                "hold add",
                examples: ["person ming 'case 7, letter of the court'", "conversation tea 'case 7'"])
            return try .hold(fields.inline(hold))
        case .release(let number):
            fields.change("hold.remove", .hold(number))
            fields.asks("ctl.hold.remove", ["ctl.hold.removeConsequence"], of: [String(number)])
            fields.ctl(
                "hold remove", says: "ctl.hold.removed", evenForNone: true, ["number": String(number)], examples: ["3"])
            return try .release(
                fields("number", number, .argument("NUMBER", "argument.holdNumber", refusal: "ctl.hold.badNumber")))
        }
    }
}

/// Kind of a hold's subject.
package enum AdminHoldKind: String, AdminWord, AdminText {
    case person
    case conversation
}

/// A legal hold to be set.
package struct AdminNewHold: AdminRecord {
    /// Kind of the subject.
    package var kind: AdminHoldKind
    /// Name of the person, or the conversation named as in `AdminRequest.listMessages`.
    package var name: String
    /// Reason, at most 500 bytes.
    package var reason: String

    package init(kind: AdminHoldKind, name: String, reason: String) {
        self.kind = kind
        self.name = name
        self.reason = reason
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.kind = try fields("kind", \.kind, .argument("KIND", "argument.holdKind", only: AdminHoldKind.words))
        self.name = try fields("name", \.name, .argument("NAME", "argument.holdName"))
        self.reason = try fields("reason", \.reason, .argument("REASON", "argument.holdReason"))
    }
}

/// A legal hold.
package struct AdminHold: AdminRecord {
    /// Number of the hold.
    package var number: Int64
    /// Kind of the subject.
    package var kind: AdminHoldKind
    /// Name of the person or the conversation.
    package var name: String
    /// Number of the conversation; `nil` for a person.
    package var conversation: Int64?
    /// Reason, as it was given.
    package var reason: String
    /// Operator who asked for it.
    package var asker: String
    /// When it was set, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    package init(
        number: Int64, kind: AdminHoldKind, name: String, conversation: Int64?, reason: String, asker: String,
        createdAtMilliseconds: Int64
    ) {
        self.number = number
        self.kind = kind
        self.name = name
        self.conversation = conversation
        self.reason = reason
        self.asker = asker
        self.createdAtMilliseconds = createdAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.kind = try fields("kind", \.kind)
        self.name = try fields("name", \.name)
        self.conversation = try fields("conversation", \.conversation)
        self.reason = try fields("reason", \.reason)
        self.asker = try fields("asker", \.asker)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
    }
}

/// Rule of one class of conversations, and what it would delete.
package struct AdminRetentionRow: AdminRecord {
    /// Class: `direct`, `normal_team` and so on, as in the keys of the configuration.
    package var name: String
    /// Days after which messages go; 0 for never.
    package var days: Int64
    /// Newest messages that a conversation keeps; 0 for all.
    package var messages: Int64
    /// Days after which attachments go; 0 for never.
    package var attachmentDays: Int64
    /// Amount that the next run deletes.
    package var now: AdminRetentionAmount
    /// Amount until thirty days from now, that of now included.
    package var soon: AdminRetentionAmount

    package init(
        name: String, days: Int64, messages: Int64, attachmentDays: Int64, now: AdminRetentionAmount,
        soon: AdminRetentionAmount
    ) {
        self.name = name
        self.days = days
        self.messages = messages
        self.attachmentDays = attachmentDays
        self.now = now
        self.soon = soon
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.days = try fields("days", \.days)
        self.messages = try fields("messages", \.messages)
        self.attachmentDays = try fields("attachmentDays", \.attachmentDays)
        self.now = try fields("now", \.now)
        self.soon = try fields("soon", \.soon)
    }
}

/// Amount of what a rule deletes.
package struct AdminRetentionAmount: AdminRecord {
    /// Conversations that lose something.
    package var conversations: Int64
    /// Messages that go.
    package var messages: Int64
    /// Bytes of these messages in the database, about.
    package var bytes: Int64
    /// Attachments that go; at most 10,000 of each conversation are counted.
    package var attachments: Int64
    /// Bytes of those that nothing else names.
    package var attachmentBytes: Int64

    package init(conversations: Int64, messages: Int64, bytes: Int64, attachments: Int64, attachmentBytes: Int64) {
        self.conversations = conversations
        self.messages = messages
        self.bytes = bytes
        self.attachments = attachments
        self.attachmentBytes = attachmentBytes
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.conversations = try fields("conversations", \.conversations)
        self.messages = try fields("messages", \.messages)
        self.bytes = try fields("bytes", \.bytes)
        self.attachments = try fields("attachments", \.attachments)
        self.attachmentBytes = try fields("attachmentBytes", \.attachmentBytes)
    }
}

/// Answers about retention and legal holds.
package enum AdminRetentionAnswer: AdminFamily {
    /// Rules with what they would delete, and the conversations of which holds keep something.
    case forecast([AdminRetentionRow], held: Int64)
    /// A page of holds; `next` asks for the one after it, `nil` on the last.
    case holds([AdminHold], next: Int64?)
    /// Hold that was set.
    case hold(AdminHold)

    static let all: [Self] = [.forecast(.sample, held: .sample), .holds(.sample, next: .sample), .hold(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .forecast(let rows, let held):
            try .forecast(fields.named("retention.forecast")("rows", rows), held: fields("held", held))
        case .holds(let holds, let next):
            try .holds(fields.named("hold.list").rows("holds", holds), next: fields.next(next))
        case .hold(let hold): try .hold(fields.named("hold").inline(hold))
        }
    }
}
