package import ChatModel
import Store

extension Broker {
    /// In conversations with more people nobody is shown who writes.
    package static let typingPeople = 200

    /// Shows the others in a conversation who are online that a member is writing. Nothing is kept of it; who is no
    /// member, or whom the other one of two people has blocked, writes unseen.
    package func publishTyping(in conversation: ConversationID, by user: UserID, _ name: UserName) {
        // Members stand in no record of the log.
        self.store.read(for: .person(user), of: .applied) { transaction throws(StoreError) -> [UserID] in
            guard try transaction.conversations.member(user, in: conversation) != nil,
                let known = try transaction.conversations.one(conversation),
                known.memberCount <= Self.typingPeople
            else { return [] }
            let people = try transaction.conversations.receivers(of: conversation)
            guard known.kind == .direct else { return people }
            for person in people where try transaction.people.isListed(user, by: person, on: .blocked) { return [] }
            return people
        } then: { result in
            let people = ((try? result.get()) ?? []).filter { $0 != user }
            guard (1..<Self.typingPeople).contains(people.count) else { return }
            self.ask { core in core.showTyping(name, in: conversation, to: people) }
        }
    }
}
