package import APIKit
import Broker
import ChatModel
import Store
import WuKongTranslation

extension BusinessServer {
    /// Sends apps the commands about what happened to conversations, for all origins alike.
    package static func deliverAnnouncements(_ services: APIServices) {
        services.broker.listen { events in
            for notice in WuKongNotices.announcements(of: events) { services.deliver(notice) }
        }
    }
}

extension APIServices {
    fileprivate func deliver(_ notice: WuKongNotice) {
        switch notice.target {
        case .conversation: self.publish(notice)
        case .people(let people):
            for start in stride(from: 0, to: people.count, by: ConversationBounds.commandReceivers) {
                var some = notice
                some.target = .people(
                    Array(people[start..<min(start + ConversationBounds.commandReceivers, people.count)]))
                self.publish(some)
            }
        }
    }

    private func publish(_ notice: WuKongNotice) {
        var command = NewCommand(
            target: notice.target, sender: notice.sender, channel: notice.channel, kind: notice.kind,
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
                self.publish(again)
            case .failure(.notFound): return
            case .failure(let error):
                // Devices learn of the change itself at their next synchronisation.
                self.log.warning(
                    "command_not_sent", ["command": .text(notice.command.word), "why": .text("\(error)")])
            }
        }
    }
}
