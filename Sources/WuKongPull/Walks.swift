import ByteCodec
import LeanCloudPull

/// Way through a listing of the source, the newest first, page by page. Pure.
///
/// Source: WuKongIM v2.2.5, `pkg/cluster/cluster`, `userSearch` and `channelSearch`, which its HTTP API has under
/// `/cluster`: `{"data":[...],"more":0|1,"total":n}`; `offset_created_at`, in nanoseconds, asks for what is before.
struct ListingWalk: Sendable {
    static let pageRows = 200

    /// Path of the listing, without a question.
    let path: String
    private var before: Int64?

    init(_ path: String) { self.path = path }

    var target: String {
        let offset = self.before.map { "&offset_created_at=\($0)" } ?? ""
        return "\(self.path)?limit=\(Self.pageRows)\(offset)"
    }

    /// Takes a page. Only the source says where its listing ends: a page may hold nothing but what is known.
    ///
    /// - Throws: `notWuKong` for a page that does not say whether there are more, or does not lead on.
    mutating func take(_ page: JSONValue) throws(PullError) -> (rows: [JSONValue], isOver: Bool) {
        guard let more = page["more"]?.integer, let rows = page["data"]?.array ?? (more == 0 ? [] : nil) else {
            throw .notWuKong(
                "\(self.path) does not say whether there are more: name users and channels in a file with --names")
        }
        guard more != 0 else { return (rows, true) }
        guard let last = rows.compactMap({ $0["created_at"]?.integer }).min(), last > 0, last < self.before ?? .max
        else {
            throw .notWuKong("\(self.path) has more rows and does not lead on to them")
        }
        self.before = last
        return (rows, false)
    }
}

/// Way through the messages of a channel, the oldest first. Pure.
///
/// Source: WuKongIM v2.2.5, `internal/api/channel.go`, `syncMessages`: with `pull_mode` 1 messages from
/// `start_message_seq` on, that one included, at most `limit`; `more` is 0 on the last page.
struct ChannelWalk: Sendable {
    /// Sequences that a message can have: WuKongIM's clients count them in 32 bits. Others do not say how far the walk is.
    static let sequences: ClosedRange<Int64> = 1...Int64(UInt32.max)

    /// Sequence to ask from, at least 1.
    private(set) var next: Int64

    init(after known: Int64) { self.next = min(max(0, known), Self.sequences.upperBound) + 1 }

    /// Takes a page.
    ///
    /// - Returns: its rows in their order, those with no sequence that can be one at the end.
    /// - Throws: `notWuKong` for a source that begins anew with each page, or has more and does not lead on to it.
    mutating func take(_ page: JSONValue) throws(PullError) -> (rows: [JSONValue], isOver: Bool) {
        guard let more = page["more"]?.integer, let messages = page["messages"]?.array ?? (more == 0 ? [] : nil) else {
            throw .notWuKong("/channel/messagesync does not say whether there are more messages")
        }
        var rows: [(sequence: Int64, row: JSONValue)] = []
        for message in messages {
            let said = message["message_seq"]?.integer ?? .max
            let sequence = Self.sequences.contains(said) ? said : .max
            if sequence < self.next {
                throw .notWuKong(
                    "it was asked for messages from \(self.next) on and gave message \(sequence): it would never end")
            }
            rows.append((sequence, message))
        }
        rows.sort { $0.sequence < $1.sequence }
        let last = rows.last { $0.sequence < Int64.max }?.sequence ?? 0
        if more != 0, last < self.next {
            throw .notWuKong("it has more messages from \(self.next) on and gives none")
        }
        self.next = max(self.next, last + 1)
        return (rows.map(\.row), more == 0)
    }
}
