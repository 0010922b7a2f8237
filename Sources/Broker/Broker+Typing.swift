package import ChatModel
import Store

extension Broker {
    /// In conversations with more people nobody is shown who writes.
    package static let typingPeople = 200

    /// Shows the others in a conversation who are online that a member is writing. Nothing is kept of it; who is no
    /// member writes unseen.
    package func publishTyping(in conversation: ConversationID, by user: UserID, _ name: UserName) {
        self.store.read(for: .person(user)) { transaction throws(StoreError) -> [UserID] in
            guard try transaction.conversations.member(user, in: conversation) != nil else { return [] }
            return try transaction.conversations.receivers(of: conversation)
        } then: { result in
            let people = ((try? result.get()) ?? []).filter { $0 != user }
            guard (1..<Self.typingPeople).contains(people.count) else { return }
            self.ask { core in core.showTyping(name, in: conversation, to: people) }
        }
    }
}
