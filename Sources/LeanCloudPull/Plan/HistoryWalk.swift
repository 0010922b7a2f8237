import LeanCloudTranslation
import Transport

/// The way through a history, oldest first, page by page. Pure.
///
/// Source: LeanCloud realtime REST guide v2, "Query messages": with `reversed` a page begins behind `timestamp` and
/// `msgid` and holds 1,000 at most. A page that is not full is not the last one: answers have bounds of their own.
struct HistoryWalk: Sendable {
    /// Conversation whose history is read.
    enum Place: Hashable, Sendable {
        case app
        case conversation(String)
        case room(String)
        /// System conversations have no history of their own in version 1.2.
        case service(String)

        func path(_ walk: HistoryWalk) -> String {
            switch self {
            case .app: "/1.2/rtm/messages?" + walk.query
            case .conversation(let id): "/1.2/rtm/conversations/\(PercentEncoding.segment(id))/messages?" + walk.query
            case .room(let id): "/1.2/rtm/chatrooms/\(PercentEncoding.segment(id))/messages?" + walk.query
            case .service(let id):
                "/1.1/rtm/messages/history?convid=\(PercentEncoding.segment(id))&" + walk.oldQuery
            }
        }
    }

    /// Result of a page.
    enum Step: Hashable, Sendable {
        /// Something new was in it.
        case more
        case end
        /// The walk cannot go on, and why.
        case stuck(String)
    }

    static let largestPage = 1_000

    let place: Place
    private(set) var anchor: MessageKey?
    /// Without an anchor: where to begin; 0 for the beginning.
    private let since: Int64
    /// Messages of one page; smaller after one that was too long to be taken.
    private(set) var limit: Int

    init(_ place: Place, since: Int64 = 0, anchor: MessageKey? = nil, limit: Int = HistoryWalk.largestPage) {
        self.place = place
        self.since = since
        self.anchor = anchor
        self.limit = limit
    }

    var path: String { self.place.path(self) }

    private var query: String {
        var query = "reversed=true&limit=\(self.limit)"
        if let anchor = self.anchor {
            query += "&timestamp=\(anchor.timestamp)&msgid=\(PercentEncoding.segment(anchor.message))"
        } else if self.since > 0 {
            query += "&timestamp=\(self.since)"
        }
        return query
    }

    /// In the words of version 1.1.
    fileprivate var oldQuery: String {
        var query = "reversed=true&limit=\(self.limit)"
        if let anchor = self.anchor {
            query += "&max_ts=\(anchor.timestamp)&msgid=\(PercentEncoding.segment(anchor.message))"
        } else if self.since > 0 {
            query += "&max_ts=\(self.since)"
        }
        return query
    }

    /// Takes the keys of a page in the order in which they came.
    ///
    /// - Parameter rows: rows of the page, those without a key included.
    mutating func takeKeys(_ keys: [MessageKey], rows: Int) -> Step {
        let before = self.anchor
        guard let last = keys.last else {
            return rows >= self.limit ? .stuck("a page of \(rows) rows has no time and id to go on from") : .end
        }
        if let first = keys.first, first.timestamp > last.timestamp {
            return .stuck("messages come newest first, although they were asked for the other way round")
        }
        if let before, last.timestamp < before.timestamp || last == before {
            return rows >= self.limit ? .stuck("the same page comes again") : .end
        }
        self.anchor = last
        return .more
    }

    /// A page was too long to be taken: smaller ones from here on.
    ///
    /// - Returns: false when they cannot be smaller.
    mutating func shrink() -> Bool {
        guard self.limit > 1 else { return false }
        self.limit = max(1, self.limit / 4)
        return true
    }
}

/// The day of a time, UTC: `2026-07-15`.
func day(ofMilliseconds time: Int64) -> String { String(LeanCloudDates.text(time).prefix(10)) }
