package import ChatModel

/// A question to the index.
package struct SearchQuery: Sendable {
    /// Words that must be in the message; empty to find by the rest alone.
    package var terms: SearchTerms
    /// Only in this conversation; `nil` for all that the asker may see now.
    package var conversation: ConversationID?
    /// Only what this person has said.
    package var sender: UserID?
    /// Only these kinds; empty for all.
    package var kinds: Set<SearchKind> = []
    /// Only what was sent then, UTC milliseconds.
    package var times: ClosedRange<Int64> = 0...Int64.max
    /// Where to go on; `nil` for the newest.
    package var cursor: SearchCursor?
    /// Results of a page, 1...100.
    package var limit = 50
    /// A further condition on the message as it stands now.
    package var accepts: @Sendable (Message) -> Bool = { _ in true }

    package init(_ terms: SearchTerms) { self.terms = terms }
}

/// A place in the results, which clients do not look into.
package enum SearchCursor: Hashable, Sendable {
    /// Below a sequence of the one conversation.
    case sequence(Int64)
    /// Below a document of one building of the index.
    case document(generation: Int64, number: Int64)

    /// The cursor as clients get it.
    package var text: String {
        switch self {
        case .sequence(let sequence): "s\(String(sequence, radix: 36))"
        case .document(let generation, let number):
            "d\(String(generation, radix: 36)).\(String(number, radix: 36))"
        }
    }

    /// Reads what a client sends back; `nil` when it is none.
    package init?(_ text: String) {
        guard text.utf8.count <= 40, let kind = text.utf8.first else { return nil }
        let parts = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int64($0, radix: 36) }
        guard numbers.count == parts.count, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        switch (kind, numbers.count) {
        case (UInt8(ascii: "s"), 1): self = .sequence(numbers[0])
        case (UInt8(ascii: "d"), 2): self = .document(generation: numbers[0], number: numbers[1])
        case (_, _): return nil
        }
    }
}

/// A message that was found.
package struct SearchHit: Sendable {
    /// As it stands now.
    package var message: Message
    /// The part of its text that was found.
    package var snippet: Snippet
}

/// A page of results, the newest first.
package struct SearchPage: Sendable {
    /// Messages found, the newest first; at most the `limit` of the query.
    package var hits: [SearchHit] = []
    /// Where to go on; `nil` when that was all. A page may be short, or empty, and have more: its time was over.
    package var next: SearchCursor?
    /// Time before which everything said can be found, UTC milliseconds; 0 for nothing yet.
    package var indexedTo: Int64
}

/// State of the index for operators.
package struct SearchStatus: Hashable, Sendable {
    /// The life of the index.
    package enum State: String, Sendable {
        /// Not opened yet.
        case opening
        /// Behind the messages by more than a moment.
        case building
        /// As far as the messages are.
        case ready
        /// Cannot be written, such as on a full disk; tried again each minute.
        case unavailable
    }

    /// Stage of its life that the index is in.
    package var state = State.opening
    /// Messages that it has, those without words included.
    package var documents: Int64 = 0
    /// Messages that wait to be looked at.
    package var waiting: Int64 = 0
    /// Time before which everything said can be found, UTC milliseconds; 0 for nothing yet.
    package var indexedTo: Int64 = 0
    /// Bytes of the file and its log.
    package var bytes: Int64 = 0
    /// Times it was built anew since the start of the server.
    package var rebuilds: Int64 = 0
    /// Searches since the start of the server, those cut short included.
    package var searches: Int64 = 0
    /// Searches since the start of the server whose time was over before the end.
    package var cutShort: Int64 = 0
    /// Why it cannot be used, or was built anew; empty for never.
    package var reason = ""

    /// Status of an index that is not open yet.
    package static let unopened = SearchStatus()
}

/// Settings of the index.
package struct SearchOptions: Sendable {
    /// Milliseconds that one search may take; what was found until then is the page.
    package var milliseconds: Int64 = 200
    /// Milliseconds between two looks for new messages.
    package var intervalMilliseconds: Int64 = 500

    package init() {}
}
