package import APIKit
import Broker
import ChatModel
import Store
import WuKongTranslation

/// What clients of another protocol do in conversations that apps of this one are in too: their devices are told by the
/// commands that this server's own doors send. Those tell of what they do themselves, and operators have their own news.
extension BusinessServer {
    package static func tellForeignChanges(_ house: APIHouse) {
        house.broker.listen { events in
            for event in events where event.origin.wire == .leanCloud { house.tell(event) }
        }
    }
}

extension APIHouse {
    fileprivate func tell(_ event: ConversationEvent) {
        guard event.kind != .room else { return }
        switch event.change {
        case .edited: self.nudge(.messageExtra, in: event.conversation, event.kind, event.channel, from: .system)
        case .recalled(let message):
            for nudge in [Nudge.messageRevoked(message.id), .messageExtra, .reminders] {
                self.nudge(nudge, in: event.conversation, event.kind, event.channel, from: .system)
            }
        case .read(_, let unread): self.tellRead(event, unread)
        case .receipt: break
        default: self.tellOfPeople(event)
        }
    }

    /// Who is there, and how the conversation looks. Two people who talk are always both there.
    private func tellOfPeople(_ event: ConversationEvent) {
        guard let channel = event.channel?.text else { return }
        let changed = Nudge.channelChanged(channel, type: Int(Translation.channelType(event.kind).rawValue))
        switch event.change {
        case .card: self.nudge(changed, people: event.audience)
        case .created, .left:
            // Who has left finds out by the card, which is not theirs any more.
            self.nudge(.membersChanged(channel), people: event.audience)
            self.nudge(changed, people: event.audience)
        default: self.nudge(.membersChanged(channel), people: event.audience)
        }
    }

    /// To the devices of who has read, which know a direct conversation by the other one.
    private func tellRead(_ event: ConversationEvent, _ unread: Int64) {
        let type = Int(Translation.channelType(event.kind).rawValue)
        if let channel = event.channel?.text {
            return self.nudge(.unreadCleared(channel, type: type, unread: unread), people: event.audience)
        }
        guard let reader = event.audience.first else { return }
        self.store.read(
            for: .server,
            { reading throws(StoreError) -> UserName? in
                guard let pair = try reading.directPair(of: event.conversation) else { return nil }
                return try reading.userName(of: pair.low == reader ? pair.high : pair.low)
            }
        ) { result in
            guard case .success(let name?) = result else { return }
            self.nudge(.unreadCleared(name.text, type: type, unread: unread), people: [reader])
        }
    }
}
