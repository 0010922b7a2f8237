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
            let found = try self.messages.page(in: id, after: first - 1, limit: range.limit, as: access)
            let inside = range.end > 0 ? found.filter { $0.sequence < range.end } : found
            let head = try self.conversations.one(id)?.head ?? 0
            let last = range.end > 0 ? min(range.end - 1, head) : head
            return (inside, (inside.last?.sequence ?? last) < last)
        }
        let before = range.start > 0 ? range.start + 1 : Int64.max
        let found = try self.messages.page(in: id, before: before, limit: range.limit, as: access)
        let inside = range.end > 0 ? found.filter { $0.sequence > range.end } : found
        let oldest = range.end + 1
        return (inside, (inside.first?.sequence ?? oldest) > oldest)
    }
}
