package import ChatModel
import MessageLog

/// A conversation as somebody who moves a position in it has to know it.
package struct MarkedConversation: Hashable, Sendable {
    /// Number of the conversation.
    package let id: ConversationID
    /// Its kind.
    package let kind: ConversationKind
    /// The name that LeanCloud's clients know it by.
    package let objectID: ObjectID
    /// True when who asks is a member.
    package let isMember: Bool
}

// Places of messages for `Store.mark`, also of those that only the log has.
extension InboxWrites {
    /// The conversation behind an address; a direct address is one seen by `user`. From the writer's memory. `nil` also for
    /// a temporary one that is over: there is nothing to mark in it any more.
    package func conversation(
        _ address: ConversationAddress, markedBy user: UserID
    ) throws(StoreError) -> MarkedConversation? {
        let memory = self.transaction.memory
        let found: ConversationState?
        switch address {
        case .id(let id): found = try memory.conversation(id)
        case .object(let object): found = try memory.conversation(object)
        case .channel(let kind, let name): found = try memory.conversation(ChannelKey(kind: kind, name: name))
        case .direct(let name):
            guard let peer = try memory.user(named: name) else { return nil }
            found = try memory.conversation(DirectPair(user, peer.id))
        }
        guard let found, !found.isOver(at: self.transaction.wallMilliseconds) else { return nil }
        return MarkedConversation(
            id: found.id, kind: found.kind, objectID: found.objectID, isMember: found.roles[user] != nil)
    }

    /// The sequence of a message; `nil` when it is not in this conversation.
    package func sequence(of message: MessageID, in id: ConversationID) throws(StoreError) -> Int64? {
        switch self.transaction.recorder?.log.tail.sequence(of: message, in: id) ?? .older {
        case .found(let sequence): sequence
        case .missing: nil
        case .older: try self.transaction.reading.messages.place(of: message, in: id)?.sequence
        }
    }

    /// The sequence of the message at an edge; `nil` when it is not in this conversation. In a transaction alone where the
    /// message has another name than one of ours.
    package func sequence(at edge: HistoryEdge, in id: ConversationID) throws(StoreError) -> Int64? {
        if let message = edge.message { return try self.sequence(of: message, in: id) }
        guard edge.shownID != nil else { return nil }
        if let recorder = self.transaction.recorder { throw recorder.giveUp() }
        return try self.transaction.reading.messages.place(of: edge, in: id)?.sequence
    }

    /// The last sequence that was sent at a time, UTC milliseconds, or before; 0 when all came later.
    package func lastSequence(in id: ConversationID, notAfter time: Int64) throws(StoreError) -> Int64 {
        if let known = self.transaction.recorder?.log.tail.lastSequence(in: id, notAfter: time) { return known }
        return try self.transaction.reading.messages.lastSequence(in: id, notAfter: time)
    }

    /// The message of an acknowledgement that names nothing else; in a transaction alone.
    package func place(of message: MessageID, waitingFor user: UserID) throws(StoreError) -> MessagePlace? {
        if let recorder = self.transaction.recorder { throw recorder.giveUp() }
        return try self.transaction.reading.inbox.place(of: message, waitingFor: user)
    }
}

extension MessageWrites {
    /// `acknowledge` as a record.
    func recordAcknowledged(
        _ user: UserID, in conversation: ConversationState, upTo sequence: Int64, tellsGroups: Bool,
        _ recorder: PositionRecorder
    ) throws(StoreError) -> Bool {
        guard conversation.kind != .room, conversation.roles[user] != nil else { return false }
        var delivered = LoggedDelivered(
            user: user, deviceClass: nil, conversation: conversation.id,
            sequence: try self.transaction.standing(at: sequence, in: conversation), acknowledges: false,
            wallMilliseconds: self.transaction.wallMilliseconds)
        try self.transaction.inbox.acknowledge(&delivered, in: conversation, tellsGroups: tellsGroups, recorder)
        guard delivered.acknowledges else { return false }
        recorder.add(.delivered(delivered))
        return true
    }
}
