import ByteCodec
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// One line of /conversation/sync. Source: WuKongIM v2.2.5, server API.
struct ConversationAnswer: Sendable {
    var line: RecentConversation
    var channelID: String
    var channelType: WuKongChannelType
    var lastToken: ClientToken?
    /// Newest first.
    var recents: [MessageAnswer] = []

    init(_ line: RecentConversation) {
        self.line = line
        self.channelID = Translation.channelID(channel: line.conversation.channel, other: line.peerName)
        self.channelType = Translation.channelType(line.conversation.kind)
    }

    /// As a client names the channel in `last_msg_seqs`.
    var key: String { "\(self.channelID):\(self.channelType.rawValue)" }

    /// Reads the newest messages after `sequence`, as far as the answer has room: `budget` is in bytes. What is left out
    /// is fetched with /channel/messagesync.
    mutating func addRecents(
        after sequence: Int64, limit: Int, for user: UserID, _ budget: inout Int, _ transaction: ReadTransaction
    ) throws(StoreError) {
        let id = self.line.conversation.id
        let newest = try transaction.messages.latest(
            in: id, limit: max(1, limit), as: .member(user), maximumBytes: max(1, budget))
        self.lastToken = newest.last.flatMap { Translation.clientToken(of: $0) }
        guard limit > 0 else { return }
        let place = try MessageAnswer.Place(self.line.conversation, transaction)
        for message in newest.reversed() where message.sequence > sequence {
            let answer = MessageAnswer(message, in: place, asker: user)
            budget -= answer.bytes
            guard budget > 0 else { break }
            self.recents.append(answer)
        }
        try self.recents.addStreams(in: id, asker: user, isManager: false, transaction)
    }

    func write(to json: inout JSONWriter) {
        let (conversation, member) = (self.line.conversation, self.line.member)
        json.beginObject()
        json.key("channel_id")
        json.string(self.channelID)
        json.key("channel_type")
        json.integer(Int64(self.channelType.rawValue))
        json.key("unread")
        json.integer(self.line.badge)
        json.key("timestamp")
        json.integer(conversation.activeAtMilliseconds / 1000)
        json.key("last_msg_seq")
        json.integer(conversation.head)
        json.key("last_client_msg_no")
        json.string(self.lastToken?.bytes ?? [])
        json.key("offset_msg_seq")
        json.integer(self.line.preference.clearedThrough)
        json.key("readed_to_msg_seq")
        json.integer(member.readSequence)
        json.key("version")
        json.integer(ConversationVersion.version(ofChange: self.line.change))
        json.key("recents")
        MessageAnswer.write(self.recents, to: &json)
        json.endObject()
    }

    static func write(_ answers: [ConversationAnswer], to json: inout JSONWriter) {
        json.beginArray()
        for answer in answers { answer.write(to: &json) }
        json.endArray()
    }
}

/// One channel of /conversation/syncMessages.
struct ChannelMessagesAnswer: Sendable {
    var channel: ChannelReference
    var messages: [MessageAnswer]
    var ownLastSequence: Int64

    static func write(_ answers: [ChannelMessagesAnswer], to json: inout JSONWriter) {
        json.beginArray()
        for answer in answers {
            json.beginObject()
            json.key("channel_id")
            json.string(answer.channel.id)
            json.key("channel_type")
            json.integer(Int64(answer.channel.type.rawValue))
            json.key("messages")
            MessageAnswer.write(answer.messages, to: &json)
            json.key("user_last_msg_seq")
            json.integer(answer.ownLastSequence)
            json.endObject()
        }
        json.endArray()
    }
}
