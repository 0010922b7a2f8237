import APIKit
import Broker
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Sync commands on their way to devices.
extension APIServices {
    /// Tells everyone in a conversation.
    ///
    /// - Parameters:
    ///   - sender: who caused it.
    ///   - channel: its name; `nil` for a direct conversation, where each of the two sees the other as the channel.
    func sendSyncCommand(
        _ sendSyncCommand: SyncCommand, in id: ConversationID, _ kind: ConversationKind, _ channel: ChannelName?,
        from sender: UserID
    ) {
        self.send(sendSyncCommand, to: .conversation(id), channel: channel?.text ?? "", kind: kind, from: sender)
    }

    /// Tells people, each on all their devices. They see themselves as the channel: it is a note to their devices, and
    /// no conversation shows it.
    func sendSyncCommand(_ sendSyncCommand: SyncCommand, people: [UserID], from sender: UserID = .system) {
        guard !people.isEmpty else { return }
        for start in stride(from: 0, to: people.count, by: ConversationBounds.commandReceivers) {
            let some = Array(people[start..<min(start + ConversationBounds.commandReceivers, people.count)])
            self.send(sendSyncCommand, to: .people(some), channel: "", kind: .direct, from: sender)
        }
    }

    fileprivate func send(
        _ sendSyncCommand: SyncCommand, to target: CommandTarget, channel: String, kind: ConversationKind,
        from sender: UserID
    ) {
        let log = self.log
        let command = NewCommand(
            target: target, sender: sender, channel: channel, kind: kind, content: sendSyncCommand.content)
        let person = sender == .system ? nil : sender
        self.broker.publishCommand(command, isKept: sendSyncCommand.isKept, causedBy: person) { result in
            guard case .failure(let error) = result else { return }
            // Devices learn of the change itself at their next synchronisation.
            log.warning("nudge_not_sent", ["command": .text(sendSyncCommand.word), "why": .text("\(error)")])
        }
    }
}
