import Broker
import ChatModel

/// Deliveries for tests that need no store.
func delivery(_ conversation: Int64, _ sequence: Int64, id: Int64? = nil) -> Delivery {
    let content = MessageContent(kind: .text, flags: [.countsAsUnread], wire: .native, body: Array("x".utf8))
    let message = Message(
        conversation: ConversationID(rawValue: conversation), sequence: sequence,
        id: MessageID(rawValue: id ?? conversation * 1000 + sequence), sender: UserID(rawValue: 1),
        senderName: UserName("romeo")!, sentAtMilliseconds: 0, clientToken: nil, content: content)
    return Delivery(message: message, kind: .group, channel: ChannelName("tea"), peerName: nil, origin: 0)
}

/// A command of the log about conversation 7.
func command(_ sequence: Int64) -> Delivery {
    let message = delivery(7, sequence, id: 90_000 + sequence).message
    return Delivery(
        message: message, kind: .group, channel: ChannelName("tea"), peerName: nil, origin: 0, isCommand: true)
}

func range(_ conversation: Int64, after: Int64, through: Int64) -> MissedRange {
    MissedRange(
        conversation: ConversationID(rawValue: conversation), kind: .group, channel: ChannelName("tea"), peerName: nil,
        after: after, through: through)
}

func sequences(_ deliveries: [Delivery]) -> [Int64] { deliveries.map(\.message.sequence) }
