package import ChatModel
package import Store

/// Question to a business server before something happens. Source: LeanCloud's realtime hooks.
package enum HookQuestion: Sendable {
    /// `_messageReceived`: a message is about to be taken. `from`: the address of the device that sent it, if one did.
    case message(Append, from: String?)
    /// `_messageUpdate`: a message is about to be edited or recalled.
    case update(HookedUpdate)
    /// `_conversationStart`. `attributes`: a JSON object.
    case start(by: UserName, members: [UserName], attributes: [UInt8])
    /// `_conversationAdd`, also for who joins alone.
    case add([UserName], to: ObjectID, by: UserName)
    /// `_conversationRemove`; not asked for who goes alone.
    case remove([UserName], from: ObjectID, by: UserName)
    /// `_conversationUpdate` of the card. `attributes`: a JSON object.
    case change(ObjectID, by: UserName, attributes: [UInt8])
    /// `_conversationUpdate` of somebody's own silence.
    case silence(ObjectID, by: UserName, isSilenced: Bool)
    /// `_rtmClientSign`: somebody who has signed in to the app is about to get a signature. `object`: what is known of
    /// them, a JSON object.
    case sign(object: [UInt8])

    /// The name of the function that is called.
    package var function: String {
        switch self {
        case .message: "_messageReceived"
        case .update: "_messageUpdate"
        case .start: "_conversationStart"
        case .add: "_conversationAdd"
        case .remove: "_conversationRemove"
        case .change, .silence: "_conversationUpdate"
        case .sign: "_rtmClientSign"
        }
    }
}

/// A change of a message that somebody asked for.
package struct HookedUpdate: Sendable {
    /// Person who edits or recalls.
    package var editor: UserID
    /// Place of the message.
    package var place: MessagePlace
    /// Message that is edited or recalled.
    package var message: MessageID
    /// The new words; of a recall they are not looked at.
    package var content: MessageContent
    /// True for a recall, false for an edit.
    package var isRecall: Bool
    /// Address of the device that asks; `nil` when it is not known.
    package var address: String?

    package init(
        editor: UserID, place: MessagePlace, message: MessageID, content: MessageContent, isRecall: Bool,
        address: String?
    ) {
        self.editor = editor
        self.place = place
        self.message = message
        self.content = content
        self.isRecall = isRecall
        self.address = address
    }
}

/// Changes that a business server wants; `nil` leaves a part as it is.
package struct HookChanges: Hashable, Sendable {
    /// The body.
    package var content: [UInt8]?
    /// Kind of `content`, as the handler read it; `nil` where the message stays as it was.
    package var kind: MessageKind?
    /// True when the body is binary; `nil` leaves it.
    package var isBinary: Bool?
    /// Only these get the message.
    package var receivers: [UserName]?
    /// A JSON object.
    package var attributes: [UInt8]?
    /// Silence of notifications that the business server wants for the person; `nil` leaves it.
    package var isSilenced: Bool?

    /// Makes an answer that changes nothing.
    package init() {}
    /// Answer that changes nothing.
    package static let none = HookChanges()
}

/// Verdict of a business server.
package enum HookVerdict: Hashable, Sendable {
    case allowed(HookChanges)
    /// With a number and a text of the app's own for who asked.
    case rejected(code: Int64?, detail: String?)
}

/// Asks a business server before something happens.
package protocol HookHandler: Sendable {
    /// True when a question of this function would be asked at all. Called on any thread for each message: short.
    func wants(_ function: String) -> Bool

    /// - Parameter then: runs once, on any thread, within the handler's time limit.
    func ask(_ question: HookQuestion, then: @escaping @Sendable (HookVerdict) -> Void)
}

extension Broker {
    /// Has each message of people looked at by a business server before it is taken. A message waits aside, those that
    /// follow to the same conversation behind it, and nothing else waits.
    package func consult(_ hooks: any HookHandler) {
        self.consulted.withLock { $0 = hooks }
        self.ask { core in
            core.hooks = hooks
            core.onVerdict = { lane, verdict in self.ask { core in core.answered(lane, verdict) } }
        }
    }

    /// Handler that gateways ask before they change something; `nil` without a business server, which costs no more
    /// than this look. Any thread.
    package var hooks: (any HookHandler)? { self.consulted.withLock { $0 } }
}
