package import ChatModel

/// What a conversation shows of itself, for whoever asked.
package struct TeamInfo: Hashable, Sendable {
    package var conversation: ConversationID
    /// `nil` when there is no such conversation, or the asker is not in it.
    package var kind: ConversationKind?
    package var channel: ChannelName?
    package var title: String?
    /// What the asker calls it.
    package var alias: String?
    package var picture: Picture
    package var notice: String?
    /// The text of a JSON object; `nil` for nothing.
    package var attributes: [UInt8]?
    package var flags: ConversationFlags
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

    /// What people see: the asker's own word, the title, the app's name for it; empty for a direct conversation, which
    /// is shown by the other person.
    package var shownName: String { self.alias ?? self.title ?? self.channel?.text ?? "" }
}
