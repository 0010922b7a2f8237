import APIKit
import ByteCodec
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// WuKongIM's MessageResp: a message as every answer of the API shows it.
///
/// The payload is base64. A message that was recalled or deleted has a payload of a type only, as on the socket.
struct MessageAnswer: Sendable {
    var message: Message
    var channelID: String
    var channelType: WuKongChannelType
    /// Stream lanes of a message that was written step by step.
    var streams: StreamSummary?

    /// A message of a conversation.
    ///
    /// - Parameter asker: who reads; in a person channel they see the other one as the channel.
    init(_ message: Message, in place: Place, asker: UserID?) {
        self.message = message
        self.channelID = Translation.channelID(
            channel: place.conversation.channel, other: place.other(than: asker ?? message.sender))
        self.channelType = Translation.channelType(place.conversation.kind)
    }

    init(_ command: StoredCommand) {
        self.message = Message(
            conversation: command.conversation ?? ConversationID(rawValue: 0), sequence: command.sequence,
            id: command.id, sender: command.sender, senderName: command.senderName,
            sentAtMilliseconds: command.sentAtMilliseconds, clientToken: command.clientToken, content: command.content)
        self.channelID = command.channel.isEmpty ? command.senderName.text : command.channel
        self.channelType = Translation.channelType(command.kind)
    }

    /// A conversation with the names of its two people, when it is a direct one.
    struct Place: Sendable {
        var conversation: Conversation
        var pair: (low: UserID, high: UserID)?
        var lowName: UserName?
        var highName: UserName?

        init(_ conversation: Conversation, _ transaction: ReadTransaction) throws(StoreError) {
            self.conversation = conversation
            guard conversation.kind == .direct, let pair = try transaction.conversations.directPair(of: conversation.id)
            else {
                return
            }
            self.pair = pair
            self.lowName = try transaction.people.user(pair.low)?.name
            self.highName = try transaction.people.user(pair.high)?.name
        }

        /// The one of two people who is not this one; a conversation with oneself has only one.
        func other(than user: UserID) -> UserName? {
            guard let pair = self.pair else { return nil }
            return pair.low == user ? self.highName : self.lowName
        }
    }

    // MARK: Writing

    /// About how many bytes it takes.
    var bytes: Int { 400 + self.message.content.body.count * 4 / 3 }

    func write(to json: inout JSONWriter) {
        let content = self.message.content
        var members = MessageMembers(
            self.message, channelID: self.channelID, channelType: Int64(self.channelType.rawValue))
        // Messages of before the flag was stored have it once there is a step.
        if self.streams != nil { members.setting.insert(.stream) }
        json.beginObject()
        members.write(to: &json)
        self.streams?.write(clientNumber: self.message.clientToken?.bytes ?? [], to: &json)
        if let topic = content.topic {
            json.key("topic")
            json.string(topic)
        }
        json.key("expire")
        json.integer(Int64(content.expireSeconds))
        json.key("payload")
        json.base64(of: Translation.payload(of: content))
        json.endObject()
    }

    /// An array of messages.
    static func write(_ messages: [MessageAnswer], to json: inout JSONWriter) {
        json.beginArray()
        for message in messages { message.write(to: &json) }
        json.endArray()
    }

    /// How WuKongIM says that a message is not there: the request was fine.
    static let none = APIAnswer.json(
        .object([
            JSONValue.Member("msg", .string("there is no such message")), JSONValue.Member("status", .integer(404)),
        ]))
}
