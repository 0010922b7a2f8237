package import ChatModel

/// Where the broker hands out what concerns the sessions of one reactor thread.
package protocol Outlet: AnyObject, Sendable {
    /// Called on the broker thread, once per turn: post to the reactor and return.
    func deliver(_ events: [SessionEvent])

    /// Called on the broker thread: post to the reactor and return. `then` is called once, on any thread, with what is
    /// known of those sessions that are still there, by handle.
    func measure(_ handles: [UInt64], then: @escaping @Sendable ([UInt64: SessionMeasure]) -> Void)

    /// True for a gateway whose clients name a place in the store's order when they come back: it gets `.position`.
    var hearsPositions: Bool { get }
}

extension Outlet {
    package var hearsPositions: Bool { false }
}

/// Event from the broker to a gateway. Events of one outlet keep their order.
package enum SessionEvent: Sendable {
    /// The session is registered: from here on messages arrive for it.
    case opened(handle: UInt64, SessionID)
    /// The broker ended the session; it is registered no more.
    case ended(handle: UInt64, SessionEndReason)
    /// The answer to one published message.
    case published(handle: UInt64, ticket: UInt64, PublishOutcome)
    /// These messages were recalled or deleted for everyone: their bodies must not go out any more. For all sessions.
    case withdrawn([MessageID])
    /// One message for many sessions of this outlet. Sessions whose handle is `delivery.origin` do not get it.
    case message(Delivery, handles: [UInt64])
    /// Something that happened to a conversation, its people or its messages, for many sessions of this outlet; of what is
    /// for watchers of a person, without handles, every outlet that hears positions is told: it finds out whom it concerns.
    case happened(ChangeEvent, handles: [UInt64])
    /// Something that happened to a message, for many sessions of this outlet.
    case event(StreamEvent, handles: [UInt64])
    /// Somebody is writing in a conversation, for many sessions of this outlet.
    case typing(UserName, ConversationID, handles: [UInt64])
    /// All messages and events up to this position have been handed to this outlet. Comes after those of a commit, and
    /// only where there were some.
    case position(StorePosition)
}

/// Outcome of a published message.
package enum PublishOutcome: Sendable {
    /// On disk, or routed when it is transient (then `sequence` is 0). `isMasked`: the word list has changed its body,
    /// which a protocol that has a word for it tells the sender.
    case accepted(
        id: MessageID, conversation: ConversationID, sequence: Int64, sentAtMilliseconds: Int64, isDuplicate: Bool,
        isMasked: Bool)
    case refused(PublishRefusal)
    /// The person or the conversation sends too fast. Nothing was written.
    case rateLimited
    /// The queue is full, or the server stops. Nothing was written; the same message may be sent again.
    case busy
    /// The disk is full. Nothing was written.
    case full
}

/// One message on its way to sessions, with what a gateway needs to word it. Shared by all of them.
package final class Delivery: Sendable {
    /// Stored message.
    package let message: Message
    /// Kind of its conversation.
    package let kind: ConversationKind
    /// The app's name of the conversation; `nil` for a direct one.
    package let channel: ChannelName?
    /// The name of the conversation that is the same for everybody; `zero` for a transient message to someone one has
    /// never written to.
    package let objectID: ObjectID
    /// In a direct conversation, the name of the one who is not the sender.
    package let peerName: UserName?
    /// Handle of the session that sent it, which does not get it; 0 when no session did.
    package let origin: UInt64
    /// A command: an app's device acts on it once. Its sequence is its place in the log of commands, not in
    /// the conversation it is about.
    package let isCommand: Bool
    /// Address of the device that sent it, for those who watch messages; `nil` while nobody does.
    package let address: String?

    package init(
        message: Message, kind: ConversationKind, channel: ChannelName?, objectID: ObjectID = .zero,
        peerName: UserName?, origin: UInt64, isCommand: Bool = false, address: String? = nil
    ) {
        self.message = message
        self.kind = kind
        self.channel = channel
        self.objectID = objectID
        self.peerName = peerName
        self.origin = origin
        self.isCommand = isCommand
        self.address = address
    }

    /// Delivery of the same message after it was recalled or deleted for everyone.
    package var withdrawn: Delivery { self.saying(self.message.withdrawn) }

    /// The same with another message in it.
    package func saying(_ message: Message) -> Delivery {
        Delivery(
            message: message, kind: self.kind, channel: self.channel, objectID: self.objectID,
            peerName: self.peerName, origin: self.origin, isCommand: self.isCommand, address: self.address)
    }

    /// Written to the disk: it can be sent again, and caught up with.
    package var isStored: Bool { self.message.sequence > 0 }
}
