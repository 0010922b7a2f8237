import Accounts
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Range of a page. Source: WuKongIM server 2.2.5, /channel/messagesync: without a start and an end the newest; pulling
/// down goes to older messages from the start, which is included, to the end, which is not; pulling up goes to newer
/// ones in the same way.
struct HistoryRange: Sendable {
    var start: Int64
    var end: Int64
    var pullsUp: Bool
    /// 1...1000.
    var limit: Int
}

extension ReadTransaction {
    /// The messages of a range, oldest first, and whether there are more of them in its direction.
    func messages(
        _ range: HistoryRange, in id: ConversationID, of user: UserID
    ) throws(StoreError) -> (messages: [Message], more: Bool) {
        let access = HistoryAccess.member(user)
        if range.pullsUp, range.start > 0 || range.end > 0 {
            let first = max(range.start, 1)
            let found = try self.messages(in: id, after: first - 1, limit: range.limit, as: access)
            let inside = range.end > 0 ? found.filter { $0.sequence < range.end } : found
            let head = try self.conversation(id)?.head ?? 0
            let last = range.end > 0 ? min(range.end - 1, head) : head
            return (inside, (inside.last?.sequence ?? last) < last)
        }
        let before = range.start > 0 ? range.start + 1 : Int64.max
        let found = try self.messages(in: id, before: before, limit: range.limit, as: access)
        let inside = range.end > 0 ? found.filter { $0.sequence > range.end } : found
        let oldest = range.end + 1
        return (inside, (inside.first?.sequence ?? oldest) > oldest)
    }
}

/// Search in one conversation.
struct MessageSearch: Sendable {
    /// In lower case.
    var keyword: String
    /// WuKongIM's content type; 0 for any.
    var contentType: Int64
    /// The oldest message that the asker still has.
    var oldest: Int64
    /// Only what comes before this sequence: for going on after a search that had its time.
    var before: Int64

    /// True when the words are in the text that people read: `content`, or the name of a file. Capital letters count
    /// like small ones.
    func fits(_ message: Message, to asker: UserName) -> Bool {
        let content = Translation.shown(message.content)
        guard content.flags.contains(.bodyIsJSONObject), !content.flags.contains(.withdrawn),
            let payload = try? JSONValue(parsing: content.body),
            self.contentType == 0 || payload["type"]?.integer == self.contentType,
            Visibility.shows(message, to: asker)
        else { return false }
        return ["content", "name"].contains { key in
            payload[key]?.string?.lowercased().utf8.contains(run: self.keyword.utf8) == true
        }
    }
}

extension ReadTransaction {
    /// The newest messages that fit, newest first, and before which sequence to go on: `nil` when that was all. It ends
    /// when enough was found or looked through, or the read has had its time.
    func search(
        _ search: MessageSearch, in conversation: Conversation, of person: Identity
    ) throws(StoreError) -> (messages: [Message], next: Int64?) {
        var found: [Message] = []
        var before = min(search.before, conversation.head + 1)
        let floor = max(search.oldest, before - Int64(HistoryRoutes.searchedMessages))
        while before > floor {
            let page = try self.messages(
                in: conversation.id, before: before, limit: HistoryRoutes.searchedAtOnce, as: .member(person.user))
            guard let first = page.first else { break }
            // Messages are found by what they say now.
            let extras = try self.extras(of: page.map(\.sequence), in: conversation.id, for: person.user)
            for message in page.reversed() where message.sequence >= floor {
                let current = extras[message.sequence].flatMap(message.edited) ?? message
                guard search.fits(current, to: person.name) else { continue }
                found.append(message)
                if found.count == HistoryRoutes.foundMessages {
                    return (found, message.sequence > search.oldest ? message.sequence : nil)
                }
            }
            before = max(first.sequence, floor)
            if self.isOverTime { break }
        }
        return (found, before > search.oldest && before > 1 ? before : nil)
    }
}
