package import ByteCodec
package import ChatModel
import WuKongWire

/// A command message that makes an app fetch something again; the SDKs and the open apps know the words.
///
/// The payload is `{"type":99,"cmd":...,"param":{...}}`. What a device that is away has to learn is kept for it; what a
/// device synchronises by a version when it comes back is not. Source: TangSengDaoDao server, its commands and which of
/// them it persists; WuKongIM iOS SDK and the open apps, what each command leads to.
package struct SyncCommand: Hashable, Sendable {
    /// Word of the command on the wire.
    package let word: String
    /// Parameters; `nil` for none.
    package let parameters: JSONValue?
    /// For those who are away too.
    package let isKept: Bool

    package init(_ word: String, _ parameters: JSONValue? = nil, isKept: Bool = false) {
        self.word = word
        self.parameters = parameters
        self.isKept = isKept
    }

    /// Reaching those who are online only.
    package var passing: SyncCommand { SyncCommand(self.word, self.parameters) }

    private static func object(_ members: (String, JSONValue)...) -> JSONValue {
        .object(members.map { JSONValue.Member($0.0, $0.1) })
    }

    // MARK: Messages

    /// Makes clients withdraw a message.
    package static func messageRevoked(_ id: MessageID) -> SyncCommand {
        SyncCommand("messageRevoke", self.object(("message_id", .string("\(id.rawValue)"))), isKept: true)
    }

    package static let messageExtra = SyncCommand("syncMessageExtra")
    package static let reaction = SyncCommand("syncMessageReaction")
    package static let pinned = SyncCommand("syncPinnedMessage")
    package static let reminders = SyncCommand("syncReminders")

    /// To the other devices of a person who deleted messages for themselves.
    static func messagesDeleted(_ messages: [MessageID], _ channel: String, type: Int) -> SyncCommand {
        let rows = messages.map { message in
            self.object(
                ("message_id", .string("\(message.rawValue)")), ("channel_id", .string(channel)),
                ("channel_type", .integer(Int64(type))))
        }
        return SyncCommand("messageDeleted", self.object(("messages", .array(rows))))
    }

    /// To the other devices of a person who emptied a channel for themselves.
    static func messagesErased(_ channel: String, type: Int) -> SyncCommand {
        SyncCommand(
            "messageEerase",
            self.object(
                ("channel_id", .string(channel)), ("channel_type", .integer(Int64(type))),
                ("erase_type", .string("all"))))
    }

    static func voicePlayed(_ id: MessageID) -> SyncCommand {
        SyncCommand("voiceReaded", self.object(("message_id", .string("\(id.rawValue)"))))
    }

    // MARK: Conversations

    /// In both spellings. Source: TangSengDaoDao's web and iOS apps and its server, which know `conversationDeleted`; its
    /// server library and Flutter apps, which know `conversationDelete`.
    static func conversationDeleted(_ channel: String, type: Int) -> [SyncCommand] {
        ["conversationDelete", "conversationDeleted"].map { word in
            SyncCommand(
                word, self.object(("channel_id", .string(channel)), ("channel_type", .integer(Int64(type)))),
                isKept: true)
        }
    }

    package static let conversationExtra = SyncCommand("syncConversationExtra")

    /// - Parameter id: as the person who has read knows the channel.
    package static func unreadCleared(_ id: String, type: Int, unread: Int64) -> SyncCommand {
        SyncCommand(
            "unreadClear",
            self.object(
                ("channel_id", .string(id)), ("channel_type", .integer(Int64(type))), ("unread", .integer(unread))))
    }

    /// - Parameter type: of the channel: 1 for a person, 2 for a group.
    package static func channelChanged(_ id: String, type: Int) -> SyncCommand {
        SyncCommand(
            "channelUpdate", self.object(("channel_id", .string(id)), ("channel_type", .integer(Int64(type)))),
            isKept: true)
    }

    /// Makes clients fetch the picture of a group.
    package static func groupPicture(_ group: String) -> SyncCommand {
        SyncCommand("groupAvatarUpdate", self.object(("group_no", .string(group))))
    }

    /// Makes clients fetch the members of a group.
    package static func membersChanged(_ group: String) -> SyncCommand {
        SyncCommand("memberUpdate", self.object(("group_no", .string(group))), isKept: true)
    }

    // MARK: People

    /// Makes clients fetch the card of a person.
    static func personChanged(_ name: UserName) -> SyncCommand { .channelChanged(name.text, type: 1) }

    /// Makes clients fetch the picture of a person.
    static func personPicture(_ name: UserName) -> SyncCommand {
        SyncCommand("userAvatarUpdate", self.object(("uid", .string(name.text))))
    }

    /// Makes clients fetch the requests of friends to be; it has all of this one.
    static func friendRequested(_ request: FriendRequest, askerName: String) -> SyncCommand {
        SyncCommand(
            "friendRequest",
            self.object(
                ("apply_uid", .string(request.askerName.text)), ("apply_name", .string(askerName)),
                ("to_uid", .string(request.otherName.text)), ("remark", .string(request.text)),
                ("token", .string(request.token))), isKept: true)
    }

    /// Makes clients fetch their friends.
    ///
    /// - Parameter name: display name of who accepted.
    static func friendAccepted(asker: UserName, by accepter: UserName, name: String) -> SyncCommand {
        SyncCommand(
            "friendAccept",
            self.object(
                ("to_uid", .string(asker.text)), ("from_uid", .string(accepter.text)), ("from_name", .string(name))),
            isKept: true)
    }

    /// Makes clients drop a friend.
    package static func friendDeleted(_ other: UserName) -> SyncCommand {
        SyncCommand("friendDeleted", self.object(("uid", .string(other.text))), isKept: true)
    }

    // MARK: Sending

    /// The message that carries it. It counts for nobody.
    package var content: MessageContent {
        var members: [JSONValue.Member] = [
            JSONValue.Member("cmd", .string(self.word)), JSONValue.Member("type", .integer(99)),
        ]
        if let parameters { members.append(JSONValue.Member("param", parameters)) }
        return Translation.content(
            payload: JSONValue.object(members).serialized(),
            header: WuKongHeader(noPersist: !self.isKept, redDot: false, syncOnce: true), setting: [], topic: nil,
            expire: 0)
    }
}
