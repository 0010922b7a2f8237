package import ChatModel

/// Requests about searching the messages of all people.
package enum AdminSearchRequest: Equatable, Sendable {
    /// Finds messages, the newest first; needs a reason, and is in the audit log with the words.
    case messages(AdminSearch)
    case status
    /// Removes the index and builds it anew behind the messages; results are incomplete until then.
    case rebuild
}

/// A question of an operator to the index of messages.
package struct AdminSearch: AdminRecord {
    /// Words or beginnings of words that must be in the message; at most `maximumCharacters`.
    package var words: String
    /// Conversation to look in, named as in `AdminRequest.listMessages`; `nil` for all.
    package var conversation: String?
    /// Sender of the messages; `nil` for anybody.
    package var sender: UserName?
    /// Results at most, 1...`AdminProtocol.pageMessages`. A page may have fewer and not be the last.
    package var limit: Int64
    /// The `next` of the page before; `nil` for the newest.
    package var after: String?

    /// Maximum number of characters of the words.
    package static let maximumCharacters = 100

    package init(
        _ words: String, conversation: String? = nil, sender: UserName? = nil,
        limit: Int64 = Int64(AdminProtocol.pageMessages)
    ) {
        self.words = words
        self.conversation = conversation
        self.sender = sender
        self.limit = limit
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.words = try fields("words", \.words, .words("WORDS", "argument.searchWords"))
        self.conversation = try fields(
            "conversation", \.conversation, .option("conversation", "CONVERSATION", "option.searchConversation"))
        self.sender = try fields("sender", \.sender, .option("sender", "NAME", "option.searchSender"))
        self.limit = try fields("limit", \.limit, .number("limit", 1...1_000, "option.searchLimit", hasUsual: true))
        self.after = try fields("after", \.after)
        let (words, limit) = (self.words, self.limit)
        try fields.check(words.unicodeScalars.count <= Self.maximumCharacters, "words")
        try fields.check((1...Int64(AdminProtocol.pageMessages)).contains(limit), "limit")
    }
}

extension AdminSearchRequest: AdminDefinitions {
    static let all: [Self] = [.messages(.sample), .status, .rebuild]

    /// `ctl` asks for as many pages as it takes.
    static let more: [Self] = [.messages(AdminSearch("", limit: 50))]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .messages(let search):
            fields.look("message.search", search.conversation, isAudited: true)
            fields.ctl(
                "message search",
                examples: [
                    "龙井 --why 'ming asks where the tea was ordered'",
                    "parcel --conversation tea --limit 10 --why 'a parcel is missing'",
                ])
            return try .messages(fields.inline(search))
        case .status:
            fields.look("search.status", role: .observer)
            fields.ctl("search status", examples: [""])
            return self
        case .rebuild:
            fields.change("search.rebuild")
            fields.ctl("search rebuild", says: "ctl.search.rebuilding", examples: [""])
            return self
        }
    }
}

/// Answers about searching. A rebuild is answered with `done` once it was asked for.
package enum AdminSearchAnswer: AdminFamily {
    /// A page, the newest message first; `next` asks for the one after it, `nil` on the last. `indexedTo` is the time
    /// before which everything said can be found, UTC milliseconds.
    case found([AdminFound], next: String?, indexedTo: Int64)
    case status(AdminSearchStatus)

    static let all: [Self] = [.found(.sample, next: .sample, indexedTo: .sample), .status(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .found(let found, let next, let indexedTo):
            try .found(
                fields.named("search.found")("found", found), next: fields("next", next),
                indexedTo: fields("indexedTo", indexedTo))
        case .status(let status): try .status(fields.named("search.status").inline(status))
        }
    }
}

/// A message that was found.
package struct AdminFound: AdminRecord {
    /// The message as people see it now.
    package var message: AdminMessage
    /// The part of its text around what was found, in one line.
    package var snippet: String

    package init(message: AdminMessage, snippet: String) {
        self.message = message
        self.snippet = snippet
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.message = try fields.inline(\.message)
        self.snippet = try fields("snippet", \.snippet)
    }
}

/// State of the index of messages.
package struct AdminSearchStatus: AdminRecord {
    /// Stage of its life: `opening`, `building`, `ready` or `unavailable`.
    package var state: String
    /// Time before which everything said can be found, UTC milliseconds; 0 for nothing yet.
    package var indexedToMilliseconds: Int64
    /// Number of messages in the index.
    package var messages: Int64
    /// Number of messages that wait to be indexed.
    package var waiting: Int64
    /// Size of the index on the disk, bytes.
    package var bytes: Int64
    /// Number of times that it was built anew since the start of the server.
    package var rebuilds: Int64
    /// Number of searches since the start of the server.
    package var searches: Int64
    /// Number of these whose time was over before the end.
    package var cutShort: Int64
    /// Why it cannot be used, or was built anew; `nil` for never.
    package var reason: String?

    package init(
        state: String, indexedToMilliseconds: Int64, messages: Int64, waiting: Int64, bytes: Int64, rebuilds: Int64,
        searches: Int64, cutShort: Int64, reason: String?
    ) {
        self.state = state
        self.indexedToMilliseconds = indexedToMilliseconds
        self.messages = messages
        self.waiting = waiting
        self.bytes = bytes
        self.rebuilds = rebuilds
        self.searches = searches
        self.cutShort = cutShort
        self.reason = reason
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.state = try fields("state", \.state)
        self.indexedToMilliseconds = try fields("indexedTo", \.indexedToMilliseconds)
        self.messages = try fields("messages", \.messages)
        self.waiting = try fields("waiting", \.waiting)
        self.bytes = try fields("bytes", \.bytes)
        self.rebuilds = try fields("rebuilds", \.rebuilds)
        self.searches = try fields("searches", \.searches)
        self.cutShort = try fields("cutShort", \.cutShort)
        self.reason = try fields("reason", \.reason)
    }
}
