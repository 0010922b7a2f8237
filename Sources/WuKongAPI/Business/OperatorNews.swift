package import APIKit
package import ChatModel

extension BusinessServer {
    /// Tells the devices of a conversation that the operator took a message back, as when its sender does.
    package static func tellWithdrawn(_ change: MessageChange, in conversation: Conversation, _ house: APIHouse) {
        let place = ChangedIn(conversation)
        for nudge in [Nudge.messageRevoked(change.id), .messageExtra, .reminders] {
            house.nudge(nudge, in: place, from: .system)
        }
    }
}
