import APIKit
import ByteCodec
import ChatModel
import Search
import Store

/// Search over all messages that the person may see now.
enum SearchRoutes {
    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "/search", "search",
            "Messages with these words, the newest first; a page may be short and have more.",
            query: [
                .optional("q", .text(0...SearchTerms.maximumCharacters, .plain), "Words, or the beginnings of them."),
                .optional("conversation", NativeID.conversation), .optional("sender", .text(1...64, .plain)),
                .optional("kind", .choice(SearchKind.allCases.map(\.name))), .optional("from", .count),
                .optional("to", .count), .cursor, .limit,
            ],
            answer: .ok(
                .object([
                    .required("items", .list(Self.item, 0...Int(NativeBounds.page.upperBound))),
                    .optional("next", .anyText),
                    .required("indexedTo", .count, "What was said before this time can be found, UTC milliseconds."),
                ])),
            problems: [.noSuchConversation, .noSuchUser, .notFound, .unusableField], Self.search)
    ]

    private static let item = Shape.object([
        .required("message", .reference("Message")), .required("conversation", NativeID.conversation),
        .required("snippet", .anyText, "The part of the text around what was found."),
        .required(
            "matches", .list(.list(.count, 2...2), 0...Shape.most),
            "Start and length in the snippet, UTF-16 code units."),
    ])

    @Sendable private static func search(_ call: NativeCall) throws(Problem) {
        let query = try Self.query(call)
        let (user, reader, index) = (call.user, call.reader, call.services.search)
        let sender = try call.input.text("sender").map { text throws(Problem) in
            guard let name = UserName(text) else {
                throw Problem(.noSuchUser, "there is no such person", field: "sender")
            }
            return name
        }
        call.read(as: .long) { store throws(StoreError) in
            var query = query
            if let sender {
                guard let person = try store.people.user(named: sender) else { throw .refused(.noSuchUser) }
                query.sender = person.id
            }
            let page = try index.search(query, in: store, as: .member(user))
            var found: [(message: NativeMessage, snippet: Snippet)] = []
            for hit in page.hits {
                let values = try reader.messages([hit.message.sequence], in: hit.message.conversation, store)
                if let value = values.first, !value.isGone { found.append((value, hit.snippet)) }
            }
            return (found: found, next: page.next?.text, indexedTo: page.indexedTo)
        } answer: { page in
            .native { writer in
                writer.beginObject()
                writer.key("items")
                writer.beginArray()
                for (message, snippet) in page.found { Self.write(message, snippet, to: &writer) }
                writer.endArray()
                writer.text("next", page.next)
                writer.number("indexedTo", page.indexedTo)
                writer.endObject()
            }
        }
    }

    private static func query(_ call: NativeCall) throws(Problem) -> SearchQuery {
        let input = call.input
        let text = input.text("q") ?? ""
        guard let terms = try? SearchTerms(text) else {
            throw Problem(.unusableField, "a search has at most \(SearchTerms.maximumTerms) words", field: "q")
        }
        var query = SearchQuery(terms)
        query.kinds = Set([input.text("kind").flatMap { SearchKind(named: $0) }].compactMap { $0 })
        if terms.isEmpty, !text.isEmpty || (query.kinds.isEmpty && input.text("sender") == nil) {
            throw Problem(.unusableField, "there are no letters, digits or symbols to search for", field: "q")
        }
        query.conversation = input.text("conversation").map { NativeID.conversation($0) }
        let (first, last) = (input.integer("from") ?? 0, input.integer("to") ?? .max)
        guard first <= last else { throw Problem(.unusableField, "from must not be after to", field: "from") }
        query.times = first...last
        if let text = input.text("cursor") {
            guard let cursor = SearchCursor(text) else {
                throw Problem(.unusableField, "cursor is none of this request", field: "cursor")
            }
            query.cursor = cursor
        }
        query.limit = call.limit
        return query
    }

    private static func write(_ message: NativeMessage, _ snippet: Snippet, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("message")
        message.write(to: &writer)
        writer.text("conversation", NativeID.text(message.message.conversation))
        writer.text("snippet", snippet.text)
        writer.key("matches")
        writer.beginArray()
        for match in snippet.matches {
            writer.beginArray()
            writer.integer(Int64(match.start))
            writer.integer(Int64(match.length))
            writer.endArray()
        }
        writer.endArray()
        writer.endObject()
    }
}
