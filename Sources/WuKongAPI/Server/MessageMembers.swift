import ByteCodec
import ChatModel
import WuKongTranslation
import WuKongWire

/// The members that every shape of a message in the APIs has.
///
/// `message_idstr` repeats the id for JavaScript, whose numbers cannot hold it. Source: WuKongIM v2.2.5, server API,
/// MessageResp.
struct MessageMembers {
    /// Number as clients know it.
    let id: MessageID
    let sequence: Int64
    let clientToken: ClientToken?
    let senderName: UserName
    let sentAtMilliseconds: Int64
    let channelID: String
    /// WuKongIM's number.
    let channelType: Int64
    var header: WuKongHeader
    var setting: WuKongSetting

    init(_ message: Message, channelID: String, channelType: Int64) {
        self.id = MessageID(
            rawValue: Translation.messageID(message.id, shown: message.content.envelope?.shownID))
        self.sequence = message.sequence
        self.clientToken = Translation.clientToken(of: message)
        self.senderName = message.senderName
        self.sentAtMilliseconds = message.sentAtMilliseconds
        self.channelID = channelID
        self.channelType = channelType
        self.header = Translation.header(of: message.content.flags)
        self.setting = Translation.setting(of: message.content)
    }

    /// A command that is kept: it is consumed once.
    init(_ command: StoredCommand, channelID: String) {
        self.id = command.id
        self.sequence = command.sequence
        self.clientToken = command.clientToken
        self.senderName = command.senderName
        self.sentAtMilliseconds = command.sentAtMilliseconds
        self.channelID = channelID
        self.channelType = Int64(Translation.channelType(command.kind).rawValue)
        self.header = Translation.header(of: command.content.flags)
        self.header.syncOnce = true
        self.setting = Translation.setting(of: command.content)
    }

    /// Writes the members into an object that is begun.
    func write(to json: inout JSONWriter) {
        json.key("header")
        json.beginObject()
        json.key("no_persist")
        json.integer(self.header.noPersist ? 1 : 0)
        json.key("red_dot")
        json.integer(self.header.redDot ? 1 : 0)
        json.key("sync_once")
        json.integer(self.header.syncOnce ? 1 : 0)
        json.endObject()
        json.key("setting")
        json.integer(Int64(self.setting.rawValue))
        json.key("message_id")
        json.integer(self.id.rawValue)
        json.key("message_idstr")
        json.decimalString(self.id.rawValue)
        json.key("client_msg_no")
        json.string(self.clientToken?.bytes ?? [])
        json.key("message_seq")
        json.integer(self.sequence)
        json.key("from_uid")
        json.string(Translation.senderUID(self.senderName))
        json.key("channel_id")
        json.string(self.channelID)
        json.key("channel_type")
        json.integer(self.channelType)
        json.key("timestamp")
        json.integer(self.sentAtMilliseconds / 1_000)
    }
}
