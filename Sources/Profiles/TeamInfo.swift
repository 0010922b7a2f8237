package import ChatModel

/// Card of a conversation, as one asker sees it.
package struct TeamInfo: Hashable, Sendable {
    /// Identifies the conversation.
    package var conversation: ConversationID
    /// `nil` when there is no such conversation, or the asker is not in it.
    package var kind: ConversationKind?
    /// Name of the channel; `nil` for a direct conversation.
    package var channel: ChannelName?
    /// Title that people chose.
    package var title: String?
    /// Name that the asker gives the conversation.
    package var alias: String?
    /// Picture of the conversation.
    package var picture: Picture
    /// Announcement of the conversation.
    package var notice: String?
    /// The text of a JSON object; `nil` for nothing.
    package var attributes: [UInt8]?
    /// Flags of the conversation.
    package var flags: ConversationFlags
    /// Members now.
    package var memberCount: Int
    /// Not the last word: the answer is still on its way, or could not be had. Watchers are told when it comes.
    package var isPlaceholder: Bool

    package init(
        conversation: ConversationID, kind: ConversationKind? = nil, channel: ChannelName? = nil,
        title: String? = nil, alias: String? = nil, picture: Picture = Picture(), notice: String? = nil,
        attributes: [UInt8]? = nil, flags: ConversationFlags = [], memberCount: Int = 0, isPlaceholder: Bool = false
    ) {
        self.conversation = conversation
        self.kind = kind
        self.channel = channel
        self.title = title
        self.alias = alias
        self.picture = picture
        self.notice = notice
        self.attributes = attributes
        self.flags = flags
        self.memberCount = memberCount
        self.isPlaceholder = isPlaceholder
    }

    /// The conversation exists, and the asker may know of it.
    package var isKnown: Bool { self.kind != nil }

    /// Name to show: the asker's own word, the title, the app's name for it; empty for a direct conversation, which is
    /// shown by the other person.
    package var shownName: String { self.alias ?? self.title ?? self.channel?.text ?? "" }
}
