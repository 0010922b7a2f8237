import ByteCodec
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// A stored message as webhooks tell it. Source: WuKongIM server v2.2.5, `MessageResp` and webhook.
struct MessageNotification {
    let message: ReceivedMessage

    /// In a person channel the channel is the one who did not send it, for everybody. The sender is told as empty when
    /// it is the server itself.
    init(_ item: QueuedMessage) {
        self.message = Translation.received(
            item.message, channelID: Translation.channelID(channel: item.channel, other: item.peerName),
            channelType: Translation.channelType(item.kind), isOwn: false)
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        self.writeMembers(to: &json)
        json.endObject()
    }

    /// The same with the people who are to be woken.
    func write(to json: inout JSONWriter, receivers: [UserName]) {
        json.beginObject()
        self.writeMembers(to: &json)
        json.key("to_uids")
        json.beginArray()
        for receiver in receivers { json.string(receiver.text) }
        json.endArray()
        json.endObject()
    }

    private func writeMembers(to json: inout JSONWriter) {
        let message = self.message
        json.key("header")
        json.beginObject()
        for (name, isSet) in [
            ("no_persist", message.header.noPersist), ("red_dot", message.header.redDot),
            ("sync_once", message.header.syncOnce),
        ] {
            json.key(name)
            json.integer(isSet ? 1 : 0)
        }
        json.endObject()
        json.key("setting")
        json.integer(Int64(message.setting.rawValue))
        json.key("message_id")
        json.integer(message.messageID)
        json.key("message_idstr")
        json.decimalString(message.messageID)
        json.key("client_msg_no")
        json.string(message.clientMessageNumber ?? "")
        json.key("message_seq")
        json.integer(message.sequence)
        json.key("from_uid")
        json.string(message.fromUID)
        json.key("channel_id")
        json.string(message.channelID)
        json.key("channel_type")
        json.integer(Int64(message.channelType.rawValue))
        if let topic = message.topic {
            json.key("topic")
            json.string(topic)
        }
        json.key("expire")
        json.integer(Int64(message.expire))
        json.key("timestamp")
        json.integer(message.timestampSeconds)
        json.key("payload")
        json.base64(of: message.payload)
    }
}
