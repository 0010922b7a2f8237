/// Kind of a conversation; the numbers are stored.
package enum ConversationKind: Int64, Sendable, CaseIterable {
    /// Two people; one per pair.
    case direct = 1
    /// Members, history, unread.
    case group = 2
    /// A chat room: no member list, no history for the absent.
    case room = 3
    case temporary = 4
    case service = 5

    // WuKongIM's further channel types. They have members and history like groups.

    /// A customer and the people who serve them.
    case customerService = 6
    case community = 7
    /// A topic of a community.
    case communityTopic = 8
    /// For machines: not among anybody's conversations.
    case data = 9
    /// Named after the visitor; the members are the visitor and the staff.
    case visitors = 10
    /// A person and an agent.
    case agent = 11
    case agentGroup = 12

    /// True when the conversation is in its people's lists, with unread counts.
    package var isListed: Bool {
        switch self {
        case .room, .temporary, .data: false
        case .direct, .group, .service, .customerService, .community, .communityTopic, .visitors, .agent, .agentGroup:
            true
        }
    }
}

/// Role of a member inside a conversation; the numbers are stored.
package enum MemberRole: Int64, Sendable, CaseIterable {
    case member = 0
    case manager = 1
    case owner = 2
}

/// Switches of a conversation; the bits are stored.
package struct ConversationFlags: OptionSet, Hashable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Nobody may send (WuKongIM ban, reason 19).
    package static let banned = ConversationFlags(rawValue: 1)
    /// The group is gone; history stays for its former members (WuKongIM disband, reason 24).
    package static let disbanded = ConversationFlags(rawValue: 2)
    /// Nobody but the system may send (WuKongIM send_ban of a channel).
    package static let sendBanned = ConversationFlags(rawValue: 4)
    /// Only managers and the owner may send (F066).
    package static let membersMuted = ConversationFlags(rawValue: 8)
    /// Members' invitations wait for a manager.
    package static let invitationsNeedConsent = ConversationFlags(rawValue: 16)
    /// Nobody may send, managers and the owner neither, but what an app's server or the operator sends is taken.
    package static let everyoneMuted = ConversationFlags(rawValue: 64)
    /// Flags that managers may change themselves.
    package static let changeableByManagers: ConversationFlags = [
        .membersMuted, .everyoneMuted, .invitationsNeedConsent,
    ]
    /// Meant for very many members (WuKongIM large): carried, nothing depends on it.
    package static let large = ConversationFlags(rawValue: 32)
}

/// A conversation as anyone may name it before the store has looked it up.
package enum ConversationAddress: Hashable, Sendable {
    /// The conversation with this person; made on the first stored message.
    case direct(UserName)
    /// Any other conversation by the name the app gave it; those of a visitor and of an agent are made on the first
    /// message.
    case channel(ConversationKind, ChannelName)
    case id(ConversationID)
    /// Any conversation, a direct one too, by the name that is the same for everybody.
    case object(ObjectID)

    /// `nil` for one that is named otherwise.
    package var objectID: ObjectID? { if case .object(let id) = self { id } else { nil } }
}

/// A conversation, as a reader sees it.
package struct Conversation: Hashable, Sendable {
    /// Identifies the conversation.
    package var id: ConversationID
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// The app's name for it; `nil` for a direct conversation, which is known by its two people.
    package var channel: ChannelName?
    /// Title to show.
    package var title: String?
    /// Flags of the conversation.
    package var flags: ConversationFlags
    /// Person who created it.
    package var creator: UserID
    /// Number of members.
    package var memberCount: Int
    /// Sequence of the newest message; 0 before the first. Sequences are 1, 2, 3 ... without a gap.
    package var head: Int64
    /// How many of the messages so far count as unread for those who have not read them.
    package var headCountable: Int64
    /// Number of the newest change (edits, membership, attributes), counted like `head`.
    package var revision: Int64
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Time of the newest message, or of the creation.
    package var activeAtMilliseconds: Int64
    /// The name that is the same for everybody, a direct conversation's too.
    package var objectID: ObjectID
    /// When the card, the members or what they may do changed last; never falls.
    package var updatedAtMilliseconds: Int64

    package init(
        id: ConversationID, kind: ConversationKind, channel: ChannelName? = nil, title: String? = nil,
        flags: ConversationFlags = [], creator: UserID, memberCount: Int, head: Int64, headCountable: Int64,
        revision: Int64, createdAtMilliseconds: Int64, activeAtMilliseconds: Int64, objectID: ObjectID = .zero,
        updatedAtMilliseconds: Int64 = 0
    ) {
        self.id = id
        self.kind = kind
        self.channel = channel
        self.title = title
        self.flags = flags
        self.creator = creator
        self.memberCount = memberCount
        self.head = head
        self.headCountable = headCountable
        self.revision = revision
        self.createdAtMilliseconds = createdAtMilliseconds
        self.activeAtMilliseconds = activeAtMilliseconds
        self.objectID = objectID
        self.updatedAtMilliseconds = updatedAtMilliseconds
    }
}

/// One person in one conversation.
package struct Member: Hashable, Sendable {
    /// Person concerned.
    package var user: UserID
    /// Name of the member, unique on the server.
    package var name: UserName
    /// Role in the conversation.
    package var role: MemberRole
    /// Everything up to here has been read; only the person's own reading moves it.
    package var readSequence: Int64
    /// The countable ordinal at `readSequence`.
    package var readCountable: Int64
    /// Countable messages of the person's own after `readSequence`: they are not unread for their sender.
    package var ownCountableSinceRead: Int64
    /// Head when the person joined.
    package var joinedSequence: Int64
    /// The newest message the person sent as a member; 0 for none.
    package var ownLastSequence: Int64 = 0
    /// The countable ordinal at `ownLastSequence`.
    package var ownLastCountable: Int64 = 0
    /// May not send before then, UTC milliseconds; `Int64.max` is without end.
    package var mutedUntilMilliseconds: Int64 = 0
    /// Name of the member in this group.
    package var nickname: String?
    /// The conversation's revision when role, nickname or muting changed last, or when they joined or left.
    package var revision: Int64 = 0
    /// UTC milliseconds; 0 when it is not known.
    package var joinedAtMilliseconds: Int64 = 0
    /// Left or was removed; the positions are 0 then.
    package var isRemoved = false

    package init(
        user: UserID, name: UserName, role: MemberRole, readSequence: Int64, readCountable: Int64,
        ownCountableSinceRead: Int64, joinedSequence: Int64
    ) {
        self.user = user
        self.name = name
        self.role = role
        self.readSequence = readSequence
        self.readCountable = readCountable
        self.ownCountableSinceRead = ownCountableSinceRead
        self.joinedSequence = joinedSequence
    }

    /// Messages this person has not read: the countable ones after the read position that someone else sent.
    package func unread(headCountable: Int64) -> Int64 {
        max(0, headCountable - self.readCountable - self.ownCountableSinceRead)
    }

    /// Where the badge starts to count: the read position, or the newest own message when that is later.
    package var badgeSequence: Int64 { max(self.readSequence, self.ownLastSequence) }

    /// The number WuKongIM's clients show: who has written an answer has seen what was before it.
    ///
    /// After `badgeSequence` there is no own message, so that what counts there is of others.
    package func badge(headCountable: Int64) -> Int64 {
        let seen = self.ownLastSequence > self.readSequence ? self.ownLastCountable : self.readCountable
        return max(0, headCountable - seen)
    }
}
