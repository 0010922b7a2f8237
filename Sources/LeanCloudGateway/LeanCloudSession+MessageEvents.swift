import ChatModel
import LeanCloudTranslation
import LeanCloudWire

/// What happens to messages, as the client is told of it.
extension LeanCloudSession {
    /// A message was changed or taken back, was received or read, or this person has read on another device.
    func tellOfMessages(_ event: ConversationEvent) -> Bool {
        switch event.change {
        case .receipt(let receipt):
            var command = self.push(.rcp)
            command.notificationType = 1
            command.rcpMessage = LeanCloudContent.receipt(receipt, in: event)
            self.send(command)
            return true
        case .edited, .recalled, .read: return true
        default: return false
        }
    }
}
