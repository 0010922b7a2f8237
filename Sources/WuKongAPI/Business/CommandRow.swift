import ByteCodec
import ChatModel
import WuKongTranslation

/// A command of the log as apps get it: like a message, with its place in the log as the sequence.
struct CommandRow: Sendable {
    let command: StoredCommand
    let asker: UserName

    func write(to writer: inout JSONWriter) {
        let header = Translation.header(of: self.command.content.flags)
        writer.beginObject()
        writer.key("header")
        writer.beginObject()
        writer.key("no_persist")
        writer.integer(header.noPersist ? 1 : 0)
        writer.key("red_dot")
        writer.integer(header.redDot ? 1 : 0)
        writer.key("sync_once")
        writer.integer(1)
        writer.endObject()
        writer.key("setting")
        writer.integer(Int64(Translation.setting(of: self.command.content).rawValue))
        writer.key("message_id")
        writer.integer(self.command.id.rawValue)
        writer.key("message_idstr")
        writer.decimalString(self.command.id.rawValue)
        writer.key("message_seq")
        writer.integer(self.command.sequence)
        writer.key("client_msg_no")
        writer.string(self.command.clientToken?.bytes ?? [])
        writer.key("from_uid")
        writer.string(self.command.senderName.text)
        writer.key("channel_id")
        writer.string(self.channelID)
        writer.key("channel_type")
        writer.integer(Int64(Translation.channelType(self.command.kind).rawValue))
        writer.key("timestamp")
        writer.integer(self.command.sentAtMilliseconds / 1_000)
        writer.key("payload")
        if self.command.content.flags.contains(.bodyIsJSONObject) {
            writer.raw(self.command.content.body)
        } else {
            JSONValue.fields(("type", .integer(97))).write(to: &writer)
        }
        writer.key("is_deleted")
        writer.integer(0)
        writer.endObject()
    }

    /// The direct conversation with the sender has no name: for who sent it, it is kept with its other side.
    private var channelID: String {
        self.command.channel.isEmpty ? self.command.senderName.text : self.command.channel
    }
}
