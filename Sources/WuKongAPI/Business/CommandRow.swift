import ByteCodec
import ChatModel
import WuKongTranslation

/// A command of the log as apps get it: like a message, with its place in the log as the sequence.
struct CommandRow: Sendable {
    let command: StoredCommand
    let asker: UserName

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        MessageMembers(self.command, channelID: self.channelID).write(to: &writer)
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
