package import APIKit
import ChatModel
import Store

/// Tells WuKongIM's apps what LeanCloud's clients do to messages. What is asked for through this API its areas tell.
package enum ForeignChanges {
    /// From now on, as long as the broker runs.
    package static func tell(_ house: APIHouse) {
        house.broker.listen { events in
            for event in events where event.origin.wire == .leanCloud { Self.tell(event, house) }
        }
    }

    /// Who asked is looked up elsewhere: this is the broker's thread.
    private static func tell(_ event: ConversationEvent, _ house: APIHouse) {
        let nudges: [Nudge]
        switch event.change {
        case .edited: nudges = [.messageExtra]
        case .recalled(let message): nudges = [.messageRevoked(message.id), .messageExtra, .reminders]
        default: return
        }
        let name = event.actor
        house.store.read { transaction throws(StoreError) in
            try transaction.user(named: name)?.id
        } then: { result in
            guard case .success(let actor?) = result else { return }
            for nudge in nudges {
                house.nudge(nudge, in: event.conversation, event.kind, event.channel, from: actor)
            }
        }
    }
}
