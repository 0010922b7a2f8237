import ByteCodec
package import ChatModel
package import LeanCloudWire
package import Store

// Messages as they stand in LeanCloud's commands.
extension LeanCloudContent {
    /// The id that clients know a message by.
    package static func id(of message: MessageID, _ content: MessageContent) -> String {
        content.envelope?.shownID ?? LeanCloudNames.messageID(message)
    }

    /// A message on its way to a client. The same for all who get it.
    package static func direct(
        _ message: Message, in conversation: ObjectID, _ kind: ConversationKind
    ) -> DirectCommand {
        let content = message.content
        var direct = DirectCommand()
        let (body, mentions) = self.worded(content)
        switch body {
        case .text(let text): direct.msg = text
        case .binary(let bytes): direct.binaryMsg = bytes
        }
        direct.cid = LeanCloudNames.conversationID(conversation, kind)
        direct.id = self.id(of: message.id, content)
        direct.timestamp = message.sentAtMilliseconds
        direct.fromPeerId = message.senderName.text
        direct.convType = LeanCloudNames.type(of: kind)
        if content.flags.contains(.transient) { direct.transient = true }
        direct.mentionPids = mentions.users.map(\.text)
        if mentions.all { direct.mentionAll = true }
        return direct
    }

    /// A message in the history.
    package static func logItem(_ standing: StandingMessage, in kind: ConversationKind) -> LogItem {
        let message = standing.message
        var item = LogItem()
        item.from = message.senderName.text
        let (body, mentions) = self.worded(message.content)
        switch body {
        case .text(let text): item.data = text
        case .binary(let bytes):
            item.data = String(decoding: Base64.encode(bytes), as: UTF8.self)
            item.bin = true
        }
        item.timestamp = message.sentAtMilliseconds
        item.msgId = self.id(of: message.id, message.content)
        item.ackAt = standing.receivedAtMilliseconds
        item.readAt = standing.readAtMilliseconds
        if standing.patchedAtMilliseconds > 0 { item.patchTimestamp = standing.patchedAtMilliseconds }
        if mentions.all { item.mentionAll = true }
        item.mentionPids = mentions.users.map(\.text)
        item.convType = LeanCloudNames.type(of: kind)
        return item
    }

    /// How many messages wait in a conversation. Source: LeanCloud counts no further than 100.
    package static func unread(_ state: UnreadConversation) -> UnreadTuple {
        let conversation = state.conversation
        var tuple = UnreadTuple()
        tuple.cid = LeanCloudNames.conversationID(conversation.objectID, conversation.kind)
        tuple.unread = Int32(min(state.unread, self.mostUnread))
        tuple.convType = LeanCloudNames.type(of: conversation.kind)
        if state.isMentioned { tuple.mentioned = true }
        guard let newest = state.newest, state.unread > 0 else { return tuple }
        let message = newest.message
        switch self.body(of: message.content) {
        case .text(let text): tuple.data = text
        case .binary(let bytes): tuple.binaryMsg = bytes
        }
        tuple.mid = self.id(of: message.id, message.content)
        tuple.timestamp = message.sentAtMilliseconds
        tuple.from = message.senderName.text
        if newest.patchedAtMilliseconds > 0 { tuple.patchTimestamp = newest.patchedAtMilliseconds }
        return tuple
    }

    /// Highest unread count that is sent.
    package static let mostUnread: Int64 = 100

    /// A message that was edited or taken back.
    package static func patch(
        _ content: MessageContent, of message: MessageID, from sender: UserName, sentAt: Int64, patchedAt: Int64,
        in conversation: ObjectID, _ kind: ConversationKind
    ) -> PatchItem {
        var item = PatchItem()
        item.cid = LeanCloudNames.conversationID(conversation, kind)
        item.mid = self.id(of: message, content)
        item.timestamp = sentAt
        item.patchTimestamp = patchedAt
        item.from = sender.text
        if content.flags.contains(.withdrawn) { item.recall = true }
        let (body, mentions) = self.worded(content)
        switch body {
        case .text(let text): item.data = text
        case .binary(let bytes): item.binaryMsg = bytes
        }
        if mentions.all { item.mentionAll = true }
        item.mentionPids = mentions.users.map(\.text)
        return item
    }

    /// Patch for a changed message in the history.
    package static func patch(_ change: ChangedPlace) -> PatchItem {
        let message = change.message.message
        return self.patch(
            message.content, of: message.id, from: message.senderName, sentAt: message.sentAtMilliseconds,
            patchedAt: change.message.patchedAtMilliseconds, in: change.conversation.objectID,
            change.conversation.kind)
    }

    /// Patch for a changed message in an event.
    package static func patch(_ changed: ChangedMessage, in place: EventPlace) -> PatchItem {
        self.patch(
            changed.content, of: changed.id, from: changed.sender, sentAt: changed.sentAtMilliseconds,
            patchedAt: changed.changedAtMilliseconds, in: place.objectID, place.kind)
    }

    /// That a message has reached, or was read by, somebody. Without `read` for the first: the Java SDK looks whether it
    /// is there.
    package static func receipt(_ receipt: MessageReceipt, in place: EventPlace) -> RcpCommand {
        var command = RcpCommand()
        command.id = LeanCloudNames.messageID(receipt.message)
        command.cid = LeanCloudNames.conversationID(place.objectID, place.kind)
        command.t = receipt.atMilliseconds
        command.from = receipt.receiver.text
        if receipt.isRead { command.read = true }
        return command
    }

    /// The places of a page of history. Source: `direction`; both limits, of which each SDK sets one.
    package static func query(_ command: LogsCommand) -> HistoryQuery {
        var query = HistoryQuery(limit: min(max(0, self.limit(of: command)), self.largestPage))
        query.start = self.edge(command.t, command.mid, isIncluded: command.tIncluded)
        query.end = self.edge(command.tt, command.tmid, isIncluded: command.ttIncluded)
        query.isForward = command.direction == .new
        // 0 is the C# SDK's way of saying none.
        guard let kind = command.lctype, kind != 0 else { return query }
        if Int64(kind) == TypedMessageKind.recalled.rawValue {
            query.onlyWithdrawn = true
        } else {
            query.kind = MessageKind(rawValue: kind)
        }
        return query
    }

    /// Source: LeanCloud realtime, 20 messages unless told otherwise.
    private static let defaultPage: Int32 = 20
    /// Messages in one page. Source: LeanCloud realtime REST guide v2, where more is an error.
    package static let largestPage = 1_000

    private static func limit(of command: LogsCommand) -> Int { Int(command.limit ?? command.l ?? self.defaultPage) }

    /// True when one page may hold as many messages as are asked for.
    package static func isPage(_ command: LogsCommand) -> Bool {
        (0...self.largestPage).contains(self.limit(of: command))
    }

    /// A message by what clients say of it.
    package static func edge(_ time: Int64?, _ name: String?, isIncluded: Bool? = nil) -> HistoryEdge {
        var edge = HistoryEdge(isIncluded: isIncluded ?? false)
        if let time, time > 0 { edge.atMilliseconds = time }
        guard let name, !name.isEmpty else { return edge }
        edge.message = LeanCloudNames.messageID(name)
        if edge.message == nil { edge.shownID = name }
        return edge
    }
}
