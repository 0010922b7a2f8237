import ChatModel
import Store

/// Forms of one message where not everybody sees the same: each form once, with its people.
struct VisibleForms {
    private(set) var told: [(message: Message, people: [UserID])] = []

    /// `nil` when everybody gets the message as it is.
    init?(_ accepted: Accepted, _ filter: ReceiveFilter) {
        let message = accepted.message
        let verdicts = filter.verdicts(on: message.content, from: message.sender)
        guard accepted.audience != nil || verdicts != nil else { return nil }
        var asItIs: [UserID] = []
        var others: [UserID] = []
        var filtered: [FilterAction: [UserID]] = [:]
        for person in accepted.members {
            if let audience = accepted.audience, !audience.contains(person) {
                others.append(person)
            } else if let rule = verdicts?.rule(for: person) {
                filtered[rule.action, default: []].append(person)
            } else {
                asItIs.append(person)
            }
        }
        self.told.append((message, asItIs))
        if !others.isEmpty, let placeholder = message.forOthers(in: accepted.kind) {
            self.told.append((placeholder, others))
        }
        // A message that is dropped for somebody leaves no trace while it is said.
        for (action, people) in filtered where action != .drop {
            self.told.append((message.filtered(by: action), people))
        }
    }
}

extension ChangeEvent {
    /// Reminders of people whom a message calls by name. The store makes them with the message and names the people in
    /// its outcome, so that who sends nothing of the kind pays nothing.
    init(reminding people: [UserID], of message: Message) {
        self.init(
            in: nil, actor: systemUserName, actorID: .system, atMilliseconds: message.sentAtMilliseconds,
            change: .person(.reminders), audience: .people(people), receivers: people, origin: .server,
            position: StorePosition(message.id))
    }

    /// The event in the forms in which its people are told it: the new words of an edited message as the operator's
    /// rules have them.
    func seen(_ filter: ReceiveFilter) -> [(event: ChangeEvent, people: [UserID])] {
        guard !filter.isEmpty, let place = self.place, case .edited(let changed) = self.change,
            let verdicts = filter.verdicts(on: changed.content, from: changed.senderID)
        else { return [(self, self.receivers)] }
        let message = Message(
            conversation: place.conversation, sequence: changed.sequence, id: changed.id, sender: changed.senderID,
            senderName: changed.sender, sentAtMilliseconds: changed.sentAtMilliseconds, clientToken: nil,
            content: changed.content)
        var asItIs: [UserID] = []
        var filtered: [FilterAction: [UserID]] = [:]
        for person in self.receivers {
            if let rule = verdicts.rule(for: person) {
                filtered[rule.action, default: []].append(person)
            } else {
                asItIs.append(person)
            }
        }
        var told = [(event: self, people: asItIs)]
        for (action, people) in filtered where action != .drop {
            var changed = changed
            changed.content = message.filtered(by: action).content
            var event = self
            event.change = .edited(changed)
            told.append((event, people))
        }
        return told
    }
}
