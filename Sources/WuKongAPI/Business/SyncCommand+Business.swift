import Broker
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Commands about what the routes of apps change.
extension SyncCommand {
    // MARK: Shown to others

    static func personPicture(_ uid: String) -> SyncCommand {
        SyncCommand("userAvatarUpdate", .fields(("uid", .string(uid))))
    }

    /// - Parameter channelID: as the receivers know the channel.
    static func typing(_ sender: UserName, name: String, channelID: String, type: Int) -> SyncCommand {
        SyncCommand(
            "typing",
            .fields(
                ("from_uid", .string(sender.text)), ("from_name", .string(name)), ("channel_id", .string(channelID)),
                ("channel_type", .number(type))))
    }

    // MARK: People

    static func friendRequested(_ request: FriendRequest, askerName: String) -> SyncCommand {
        SyncCommand(
            "friendRequest",
            .fields(
                ("apply_uid", .string(request.askerName.text)), ("apply_name", .string(askerName)),
                ("to_uid", .string(request.otherName.text)), ("remark", .string(request.text)),
                ("token", .string(request.token))), isKept: true)
    }

    static func friendAccepted(asker: UserName, by accepter: UserName, name: String) -> SyncCommand {
        SyncCommand(
            "friendAccept",
            .fields(
                ("to_uid", .string(asker.text)), ("from_uid", .string(accepter.text)), ("from_name", .string(name))),
            isKept: true)
    }

    static func friendDeleted(_ other: UserName) -> SyncCommand {
        SyncCommand("friendDeleted", .fields(("uid", .string(other.text))), isKept: true)
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
