/// Bounds of what a conversation and one person's view of it hold.
package enum ConversationBounds {
    /// Unicode scalars of a title.
    package static let titleScalars = 128
    /// Bytes of the path or address of a picture.
    package static let logoBytes = 1_024
    /// Maximum bytes of a team notice.
    package static let noticeBytes = 4_096
    /// Bytes of a conversation's attributes as JSON text.
    package static let attributesBytes = 16_384
    /// Maximum bytes of a draft.
    package static let draftBytes = 8_192
    /// Unicode scalars of what a person calls a conversation.
    package static let remarkScalars = 64
    /// Unicode scalars of what a member is called in a group.
    package static let nicknameScalars = 64
    /// Bytes of a person's further switches of one conversation, as JSON text.
    package static let settingsBytes = 4_096
    /// Largest badge that can be set by hand.
    package static let markedUnread: Int64 = 1_000_000
    /// Commands kept, by number and by age.
    package static let commands: Int64 = 100_000
    /// Days for which commands are kept.
    package static let commandDays: Int64 = 30
    /// People one command can be addressed to.
    package static let commandReceivers = 10_000
}

/// A change of a conversation's card and people. What is `nil` stays; an empty text removes.
package struct ChannelPatch: Hashable, Sendable {
    /// Title; `nil` for none.
    package var title: String?
    /// Path or address of the picture; nothing here reads it.
    package var logo: String?
    /// The announcement.
    package var notice: String?
    /// Flags to set.
    package var setFlags: ConversationFlags = []
    /// Flags to clear.
    package var clearedFlags: ConversationFlags = []
    /// JSON text of an object, merged into the attributes as RFC 7396 says: `null` removes a key.
    package var attributesMergePatch: [UInt8]?
    /// To be added; in a room they become listeners.
    package var members: [UserID]?
    /// True to remove everybody who is not in `members`.
    package var resetsMembers = false
    /// Owner of a conversation that this makes; of no meaning for one that exists.
    package var creator: UserID?

    package init() {}
}

/// Card of a conversation: what it shows of itself beside its title.
package struct ConversationCard: Hashable, Sendable {
    /// Conversation concerned.
    package var conversation: ConversationID
    /// Title; `nil` for none.
    package var title: String?
    /// Address of the logo.
    package var logo: String?
    /// Notice of the team.
    package var notice: String?
    /// JSON text of an object; `nil` when there are none.
    package var attributes: [UInt8]?

    package init(
        conversation: ConversationID, title: String? = nil, logo: String? = nil, notice: String? = nil,
        attributes: [UInt8]? = nil
    ) {
        self.conversation = conversation
        self.title = title
        self.logo = logo
        self.notice = notice
        self.attributes = attributes
    }
}

/// One person's view of one conversation.
package struct ConversationPreference: Hashable, Sendable {
    /// On top of the list.
    package var isPinned = false
    /// Messages that alert the person.
    package var alerts = TeamAlerts.all
    /// Among the saved groups.
    package var isSaved = false
    /// Person's own name for it.
    package var remark: String?
    /// Unsent text.
    package var draft: String?
    /// The last message that was on a screen.
    package var browseTo: Int64 = 0
    /// The message a screen stood at, and how far it was scrolled from it; the client's own unit.
    package var keepSequence: Int64 = 0
    /// Scroll offset at the kept message.
    package var keepOffset: Int64 = 0
    /// The change number of the last change of draft, `browseTo` or `keep…`; 0 for none.
    package var extraVersion: Int64 = 0
    /// A badge set by hand; 0 for none.
    package var markedUnread: Int64 = 0
    /// Not in the list while the head is not above it; `nil` when it was never hidden.
    package var hiddenThrough: Int64?
    /// History up to here is gone for this person.
    package var clearedThrough: Int64 = 0
    /// JSON text of an object of further switches.
    package var settings: [UInt8]?
    /// The change number of the last change; 0 for none.
    package var change: Int64 = 0

    package init() {}

    /// True when nothing alerts the person.
    package var isSilenced: Bool { self.alerts == .none }

    /// True when the conversation is hidden in the person's list.
    package func isHidden(head: Int64) -> Bool { self.hiddenThrough.map { head <= $0 } ?? false }
}

/// A change of one person's view of a conversation. What is `nil` stays; an empty text removes.
package struct PreferencePatch: Hashable, Sendable {
    /// True when pinned.
    package var isPinned: Bool?
    /// True when notifications are silenced; `nil` leaves it. False ends the silence alone: who hears of managers only goes
    /// on so.
    package var isSilenced: Bool?
    /// Messages that alert; goes before `isSilenced`.
    package var alerts: TeamAlerts?
    /// True when saved.
    package var isSaved: Bool?
    /// Person's own name for it.
    package var remark: String?
    /// Unsent text.
    package var draft: String?
    /// Sequence that was shown last.
    package var browseTo: Int64?
    /// Sequence of the message at which the reader stopped.
    package var keepSequence: Int64?
    /// Scroll offset at the kept message.
    package var keepOffset: Int64?
    /// JSON text of an object, merged as RFC 7396 says: `null` removes a key.
    package var settingsMergePatch: [UInt8]?

    package init() {}

    /// True when it changes draft or reading place.
    package var changesExtra: Bool {
        self.draft != nil || self.browseTo != nil || self.keepSequence != nil || self.keepOffset != nil
    }
}
