import APIKit
import Broker
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Commands about what is no change of the store, so that no event tells it: who types, who comes online and goes, and
/// that an app has signed its computers out, whose sessions the broker has ended by then. They are over when they are
/// told, and kept for nobody.
extension SyncCommand {
    /// - Parameter channelID: as the receivers know the channel.
    static func typing(_ sender: UserName, name: String, channelID: String, type: Int) -> SyncCommand {
        SyncCommand(
            "typing",
            .fields(
                ("from_uid", .string(sender.text)), ("from_name", .string(name)), ("channel_id", .string(channelID)),
                ("channel_type", .number(type))))
    }

    /// `all_offline` is there only when it is so; then the device told last stays the one shown. Source: TangSengDaoDao
    /// server, its handling of online states; its iOS and Android apps, which read `uid`, `main_device_flag`,
    /// `all_offline` and, of themselves, `online` and `device_flag`.
    static func onlineStatus(_ change: PresenceChange) -> SyncCommand {
        let shown = ShownDevice.flag(of: change.flagsOnline)
        let parameters = JSONValue.fields(
            ("uid", .string(change.name.text)), ("online", .flag(change.isOnline)),
            ("device_flag", .number(change.deviceFlag)), ("main_device_flag", .number(shown ?? change.deviceFlag)))
        return SyncCommand(
            "onlineStatus", shown == nil ? parameters.adding(.fields(("all_offline", .integer(1)))) : parameters)
    }

    static let computersQuit = SyncCommand("pcQuit")
}

extension APIServices {
    /// Tells everyone in a conversation who are online.
    ///
    /// - Parameter sender: who caused it. Without a name of the channel, each of the two of a direct conversation sees
    ///   the other as the channel.
    func sendTransient(_ command: SyncCommand, in conversation: Conversation, from sender: UserID) {
        self.send(
            WuKongNotice(
                command: command, target: .conversation(conversation.id), channel: conversation.channel?.text ?? "",
                kind: conversation.kind, sender: sender), to: .conversation(conversation.id))
    }

    /// Tells people who are online, each on all their devices. They see themselves as the channel: it is a note to their
    /// devices, and no conversation shows it.
    func sendTransient(_ command: SyncCommand, to people: [UserID], from sender: UserID = .system) {
        self.send(
            WuKongNotice(command: command, target: .people(people), channel: "", kind: .direct, sender: sender),
            to: people)
    }
}
