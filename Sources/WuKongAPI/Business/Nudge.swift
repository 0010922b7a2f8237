import Broker
import ByteCodec
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// What apps are told to look at again: command messages, whose words the SDKs and the open apps know.
///
/// The payload is `{"type":99,"cmd":...,"param":{...}}`. What a device that is away has to learn is kept for it; what a
/// device synchronises by a version when it comes back is not. Source: TangSengDaoDao server, its commands and which of
/// them it persists; WuKongIM iOS SDK and the open apps, what each command leads to.
struct Nudge: Sendable {
    let command: String
    let parameters: JSONValue?
    /// For those who are away too.
    let isKept: Bool

    private init(_ command: String, _ parameters: JSONValue? = nil, isKept: Bool = false) {
        self.command = command
        self.parameters = parameters
        self.isKept = isKept
    }

    // MARK: Messages

    static func messageRevoked(_ id: MessageID) -> Nudge {
        Nudge("messageRevoke", .fields(("message_id", .string("\(id.rawValue)"))), isKept: true)
    }

    static let messageExtra = Nudge("syncMessageExtra")
    static let reaction = Nudge("syncMessageReaction")
    static let pinned = Nudge("syncPinnedMessage")
    static let reminders = Nudge("syncReminders")

    /// To the other devices of who deleted messages for themselves.
    static func messagesDeleted(_ messages: [JSONValue]) -> Nudge {
        Nudge("messageDeleted", .fields(("messages", .array(messages))))
    }

    /// To the other devices of who emptied a channel for themselves.
    static func messagesErased(_ channel: BusinessChannel) -> Nudge {
        Nudge(
            "messageEerase",
            .fields(
                ("channel_id", .string(channel.id)), ("channel_type", .number(channel.typeNumber)),
                ("erase_type", .string("all"))))
    }

    static func voicePlayed(_ id: MessageID) -> Nudge {
        Nudge("voiceReaded", .fields(("message_id", .string("\(id.rawValue)"))))
    }

    // MARK: Conversations

    static let conversationExtra = Nudge("syncConversationExtra")

    static func unreadCleared(_ channel: BusinessChannel, unread: Int64) -> Nudge {
        self.unreadCleared(channel.id, type: channel.typeNumber, unread: unread)
    }

    /// - Parameter id: as the person who has read knows the channel.
    static func unreadCleared(_ id: String, type: Int, unread: Int64) -> Nudge {
        Nudge(
            "unreadClear",
            .fields(
                ("channel_id", .string(id)), ("channel_type", .number(type)), ("unread", .integer(unread))))
    }

    static func conversationDeleted(_ channel: BusinessChannel) -> Nudge {
        Nudge(
            "conversationDelete",
            .fields(("channel_id", .string(channel.id)), ("channel_type", .number(channel.typeNumber))), isKept: true)
    }

    /// - Parameters:
    ///   - type: of the channel: 1 for a person, 2 for a group.
    ///   - isKept: false where very many people are told; apps look at a card again when they show it.
    static func channelChanged(_ id: String, type: Int, isKept: Bool = true) -> Nudge {
        Nudge("channelUpdate", .fields(("channel_id", .string(id)), ("channel_type", .number(type))), isKept: isKept)
    }

    static func personPicture(_ uid: String) -> Nudge {
        Nudge("userAvatarUpdate", .fields(("uid", .string(uid))))
    }

    static func groupPicture(_ group: String) -> Nudge {
        Nudge("groupAvatarUpdate", .fields(("group_no", .string(group))))
    }

    static func membersChanged(_ group: String) -> Nudge {
        Nudge("memberUpdate", .fields(("group_no", .string(group))), isKept: true)
    }

    /// - Parameter channelID: as the receivers know the channel.
    static func typing(_ sender: UserName, name: String, channelID: String, type: Int) -> Nudge {
        Nudge(
            "typing",
            .fields(
                ("from_uid", .string(sender.text)), ("from_name", .string(name)), ("channel_id", .string(channelID)),
                ("channel_type", .number(type))))
    }

    // MARK: People

    static func friendRequested(_ request: FriendRequest, askerName: String) -> Nudge {
        Nudge(
            "friendRequest",
            .fields(
                ("apply_uid", .string(request.askerName.text)), ("apply_name", .string(askerName)),
                ("to_uid", .string(request.otherName.text)), ("remark", .string(request.text)),
                ("token", .string(request.token))), isKept: true)
    }

    static func friendAccepted(asker: UserName, by accepter: UserName, name: String) -> Nudge {
        Nudge(
            "friendAccept",
            .fields(
                ("to_uid", .string(asker.text)), ("from_uid", .string(accepter.text)), ("from_name", .string(name))),
            isKept: true)
    }

    static func friendDeleted(_ other: UserName) -> Nudge {
        Nudge("friendDeleted", .fields(("uid", .string(other.text))), isKept: true)
    }

    /// `all_offline` is there only when it is so; then the device told last stays the one shown. Source: TangSengDaoDao
    /// server, its handling of online states; its iOS and Android apps, which read `uid`, `main_device_flag`,
    /// `all_offline` and, of themselves, `online` and `device_flag`.
    static func onlineStatus(_ change: PresenceChange) -> Nudge {
        let shown = ShownDevice.flag(of: change.flagsOnline)
        let parameters = JSONValue.fields(
            ("uid", .string(change.name.text)), ("online", .flag(change.isOnline)),
            ("device_flag", .number(change.deviceFlag)), ("main_device_flag", .number(shown ?? change.deviceFlag)))
        return Nudge(
            "onlineStatus", shown == nil ? parameters.adding(.fields(("all_offline", .integer(1)))) : parameters)
    }

    static let computersQuit = Nudge("pcQuit")

    // MARK: Sending

    /// The message that carries it. It counts for nobody.
    var content: MessageContent {
        var members: [JSONValue.Member] = [
            JSONValue.Member("cmd", .string(self.command)), JSONValue.Member("type", .integer(99)),
        ]
        if let parameters { members.append(JSONValue.Member("param", parameters)) }
        return Translation.content(
            payload: JSONValue.object(members).serialized(),
            header: WuKongHeader(noPersist: !self.isKept, redDot: false, syncOnce: true), setting: [], topic: nil,
            expire: 0)
    }
}
