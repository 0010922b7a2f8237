import ChatModel
import Store

/// The stretch of a channel that /channel/messagesync asks for.
///
/// `start` is in it, `end` is not. Going down it is `end` < sequence <= `start`, going up `start` <= sequence < `end`;
/// an `end` of 0 sets no bound, a `start` of 0 begins at the newest one, or going up at the first.
/// Source: WuKongIM v2.2.5, /channel/messagesync.
struct MessageRange: Hashable, Sendable {
    var start: Int64
    var end: Int64
    var goesUp: Bool
    /// 1...10,000.
    var limit: Int

    /// Messages read from the store at a time.
    private static let readAtOnce = 500

    /// Ends where the room does, with one message at least; `more` says that there was more. Whoever asks goes on from the
    /// outermost sequence, as after a full page.
    ///
    /// - Parameter room: of the answer; what is read is taken from it.
    /// - Returns: the messages, ascending, and whether the range has others beyond the limit.
    func read(
        _ conversation: Conversation, _ transaction: ReadTransaction, as access: HistoryAccess, _ room: inout PageRoom
    ) throws(StoreError) -> (messages: [Message], more: Bool) {
        self.goesUp && !(self.start == 0 && self.end == 0)
            ? try self.readUp(conversation, transaction, as: access, &room)
            : try self.readDown(conversation, transaction, as: access, &room)
    }

    private func readUp(
        _ conversation: Conversation, _ transaction: ReadTransaction, as access: HistoryAccess, _ room: inout PageRoom
    ) throws(StoreError) -> (messages: [Message], more: Bool) {
        let last = self.end > 0 ? min(self.end - 1, conversation.head) : conversation.head
        var messages: [Message] = []
        var after = max(0, self.start - 1)
        while after < last {
            let page = try transaction.messages.page(
                in: conversation.id, after: after, limit: min(Self.readAtOnce, self.limit - messages.count + 1),
                as: access, maximumBytes: room.bytesOfNextPage)
            guard let newest = page.last else { break }
            for message in page {
                if message.sequence > last { return (messages, false) }
                if messages.count == self.limit || (room.isFull && !messages.isEmpty) { return (messages, true) }
                messages.append(message)
                room.takeMessage(message)
            }
            after = newest.sequence
            if room.isFull { return (messages, after < last) }
        }
        return (messages, false)
    }

    private func readDown(
        _ conversation: Conversation, _ transaction: ReadTransaction, as access: HistoryAccess, _ room: inout PageRoom
    ) throws(StoreError) -> (messages: [Message], more: Bool) {
        var descending: [Message] = []
        var before = self.start > 0 && self.start < Int64.max ? self.start + 1 : Int64.max
        while before > self.end + 1 {
            let page = try transaction.messages.page(
                in: conversation.id, before: before, limit: min(Self.readAtOnce, self.limit - descending.count + 1),
                as: access, maximumBytes: room.bytesOfNextPage)
            guard let oldest = page.first else { break }
            for message in page.reversed() {
                if message.sequence <= self.end { return (descending.reversed(), false) }
                if descending.count == self.limit || (room.isFull && !descending.isEmpty) {
                    return (descending.reversed(), true)
                }
                descending.append(message)
                room.takeMessage(message)
            }
            before = oldest.sequence
            if room.isFull { return (descending.reversed(), before > self.end + 1) }
        }
        return (descending.reversed(), false)
    }
}
