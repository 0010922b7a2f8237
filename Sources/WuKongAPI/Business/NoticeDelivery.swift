package import APIKit
import Broker
import ChatModel
import Store
import WuKongTranslation

extension BusinessServer {
    /// Sends apps the commands about what happened to conversations and people, for all origins alike.
    package static func deliverAnnouncements(_ services: APIServices, to watchers: PersonWatchers) {
        services.broker.listen { events in
            for notice in WuKongNotices.announcements(of: events) { watchers.deliver(notice, services) }
        }
    }
}

extension PersonWatchers {
    func deliver(_ notice: WuKongNotice, _ services: APIServices) {
        switch notice.target {
        case .conversation(let id): services.send(notice, to: .conversation(id))
        case .people(let people): services.send(notice, to: people)
        case .watchers(let name): self.find(name, services) { people in services.send(notice, to: people) }
        }
    }
}

extension APIServices {
    /// Sends a command to people, as many at a time as a command is for.
    func send(_ notice: WuKongNotice, to people: [UserID]) {
        for start in stride(from: 0, to: people.count, by: ConversationBounds.commandReceivers) {
            let end = min(start + ConversationBounds.commandReceivers, people.count)
            self.send(notice, to: .people(Array(people[start..<end])))
        }
    }

    func send(_ notice: WuKongNotice, to target: CommandTarget) {
        var command = NewCommand(
            target: target, sender: notice.sender, channel: notice.channel, kind: notice.kind,
            content: notice.command.content)
        command.replacesEqual = true
        let person = notice.sender == .system ? nil : notice.sender
        self.broker.publishCommand(command, isKept: notice.command.isKept, causedBy: person) { result in
            switch result {
            case .success: return
            // An account that is deleted leaves its groups by its own doing, and is nobody afterwards.
            case .failure(.notFound) where person != nil:
                var again = notice
                again.sender = .system
                self.send(again, to: target)
            case .failure(.notFound): return
            case .failure(let error):
                // Devices learn of the change itself at their next synchronisation.
                self.log.warning(
                    "command_not_sent", ["command": .text(notice.command.word), "why": .text("\(error)")])
            }
        }
    }
}
