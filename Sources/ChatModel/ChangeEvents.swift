/// The way by which a change was asked for.
package enum EventGateway: Hashable, Sendable, CaseIterable {
    /// The server itself.
    case server
    /// The console and `teahouse ctl`.
    case `operator`
    /// The API of business servers.
    case business
    /// The API of WuKongIM's apps, below /v1.
    case app
    /// Our own API, below /api/v1.
    case native
    /// LeanCloud's wire and its REST API.
    case leanCloud

    /// Requests come from people themselves; else from the server, the operator or a business server. LeanCloud's REST
    /// API changes people in their own name, also with the master key.
    package var isOfPeople: Bool {
        switch self {
        case .app, .native, .leanCloud: true
        case .server, .operator, .business: false
        }
    }
}

/// Gateway and session by which a change was asked for: a gateway tells its own session apart, and the line about the
/// change finds its words.
package struct EventOrigin: Hashable, Sendable {
    /// The way by which it came.
    package var gateway: EventGateway
    /// The broker's session; `nil` for a request that no session made.
    package var session: UInt64?

    package init(_ gateway: EventGateway, session: UInt64? = nil) {
        self.gateway = gateway
        self.session = session
    }

    /// The server itself.
    package static let server = EventOrigin(.server)
}

/// A message that was changed, as it is now.
package struct ChangedMessage: Hashable, Sendable {
    /// Position in the conversation.
    package var sequence: Int64
    /// Identifies the message.
    package var id: MessageID
    /// Sender.
    package var sender: UserName
    /// Sender.
    package var senderID: UserID
    /// Time of sending, UTC milliseconds.
    package var sentAtMilliseconds: Int64
    /// Content; the body of a recalled message is empty.
    package var content: MessageContent
    /// UTC milliseconds.
    package var changedAtMilliseconds: Int64
    /// Deleted for everyone, so that nothing of it is shown: not even that it was recalled.
    package var isDeleted: Bool

    package init(
        sequence: Int64, id: MessageID, sender: UserName, senderID: UserID, sentAtMilliseconds: Int64,
        content: MessageContent, changedAtMilliseconds: Int64, isDeleted: Bool = false
    ) {
        self.sequence = sequence
        self.id = id
        self.sender = sender
        self.senderID = senderID
        self.sentAtMilliseconds = sentAtMilliseconds
        self.content = content
        self.changedAtMilliseconds = changedAtMilliseconds
        self.isDeleted = isDeleted
    }
}

/// That a message reached, or was read by, someone whose sender asked to be told.
package struct MessageReceipt: Hashable, Sendable {
    /// Message concerned.
    package var message: MessageID
    /// Position in the conversation.
    package var sequence: Int64
    /// Person who received it.
    package var receiver: UserName
    /// True when read, false when only delivered.
    package var isRead: Bool
    /// UTC milliseconds.
    package var atMilliseconds: Int64

    package init(message: MessageID, sequence: Int64, receiver: UserName, isRead: Bool, atMilliseconds: Int64) {
        self.message = message
        self.sequence = sequence
        self.receiver = receiver
        self.isRead = isRead
        self.atMilliseconds = atMilliseconds
    }
}

/// A setting of a conversation that its members see or feel, and that is no part of the card of a LeanCloud app.
package enum ConversationSetting: Hashable, Sendable {
    case picture
    /// The notice that the conversation has now; empty when it was taken away.
    case notice(String)
    case introduction
    /// Nobody may send.
    case banned
    case disbanded
    case joinMode
    case inviteMode(TeamInviteMode)
    case inviteeMode
    case updateMode
    /// The role that may change the attributes.
    case attributesMode
    case muteMode(TeamMuteMode)
    case ownerLeaving
    case memberLimit
    /// A switch of business servers.
    case other
}

/// Rows about messages that are synchronised by their revision.
package enum MessageAnnotation: Hashable, Sendable, CaseIterable {
    case reactions
    case pins
    /// Attributes of the app's own.
    case attributes
    /// Readers of a message that asks for receipts.
    case readers
}

/// A change of one person's own view of a conversation.
package enum OwnChange: Hashable, Sendable {
    /// Switches, remark and settings.
    case settings
    /// Draft and reading place, which are found by their version.
    case place
    /// Off the list until the next message.
    case hidden
    /// The history up to now, or up to a message, is gone for them.
    case cleared
    /// Messages that are gone for them; never empty.
    case deleted([MessageID])
    /// The voice of a message has been played.
    case heard(MessageID)
}

/// A change of a person, or between two people, in no conversation.
///
/// Rows of it have versions, by which devices that were away find it: the event points to them.
package enum PersonChange: Hashable, Sendable {
    /// The person is shown otherwise; `existence`: the account was disabled, enabled or deleted.
    case profile(UserName, ProfileFields)
    /// Somebody asks, or asks again, to be friends.
    ///
    /// - Parameter askerName: display name.
    case friendRequested(FriendRequest, askerName: String)
    /// Two people are friends.
    ///
    /// - Parameters:
    ///   - by: who agreed to what the other one had asked.
    ///   - name: display name of who agreed.
    case befriended(UserName, by: UserName, name: String)
    /// The actor and this person are friends no more.
    case unfriended(UserName)
    /// The actor calls this friend otherwise.
    case remark(UserName)
    /// Somebody is on a list of the actor's, or no longer.
    case listed(UserName, on: PersonalList, Bool)
    /// Reminders of the people who are told were made or ended.
    case reminders
    /// Requests to join teams, by their numbers, were made, answered or taken back, or have ended; never empty.
    case teamRequests([Int64])
    /// The operator's announcement of this number has reached the people who are told, or they have confirmed it.
    case announcement(Int64)
}

/// How people came into a conversation.
package enum MemberArrival: Hashable, Sendable {
    /// Brought by the actor.
    case invited
    /// Without being asked by anybody.
    case joined
    case applicationAccepted
    /// They agreed to what this person had asked them; `nil` when that was the operator.
    case invitationAccepted(by: UserID?)
}

/// How people went out of a conversation.
package enum MemberDeparture: Hashable, Sendable {
    case removed
    /// By their own will, whoever carried it out.
    case left
}

/// The people who are told of an event.
package enum EventAudience: Hashable, Sendable {
    /// Everyone who gets what is said in the conversation.
    case members
    /// The same, and people who are not in it: who have just left, or may not come back.
    case membersAnd([UserID])
    case people([UserID])
    /// People to whom somebody matters: each gateway knows its own, friends or whoever was shown that person.
    case watchers(of: UserName)
}

/// The conversation in which something happened, with what a gateway needs to name it.
package struct EventPlace: Hashable, Sendable {
    /// Conversation concerned.
    package var conversation: ConversationID
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Object ID.
    package var objectID: ObjectID
    /// The app's name of the conversation; `nil` for a direct one.
    package var channel: ChannelName?
    /// In a direct conversation, the name of the one who is not the actor.
    package var peer: UserName?

    package init(
        conversation: ConversationID, kind: ConversationKind, objectID: ObjectID, channel: ChannelName?,
        peer: UserName? = nil
    ) {
        self.conversation = conversation
        self.kind = kind
        self.objectID = objectID
        self.channel = channel
        self.peer = peer
    }
}

/// Something that happened to a conversation, its people or its messages, or to a person. The writer makes it in the transaction of the
/// change, whatever gateway asked; after the commit the gateways word it for those who are signed in.
package struct ChangeEvent: Hashable, Sendable {
    /// Change of a conversation, or of a person.
    package enum Change: Hashable, Sendable {
        /// It exists, with these members.
        ///
        /// - Parameter asTeam: its maker asked for a team, of a form; else for a group or a conversation.
        case created([UserName], asTeam: Bool = false)
        case joined([UserName], as: MemberArrival = .invited)
        case left([UserName], as: MemberDeparture = .removed)
        /// The card has changed. `modified`: a JSON object of what is new, as deep as it changed; a key that was
        /// removed is missing. `asked`: the change as it was asked for, where its gateway has a form of its own.
        case card(modified: [UInt8], asked: [UInt8]?)
        /// Has another role.
        ///
        /// - Parameter was: the role before; `nil` when that is not known any more.
        case role(UserName, MemberRole, was: MemberRole? = nil)
        /// Is called otherwise in this conversation.
        case nickname(UserName)
        /// Settings have changed; never empty.
        case settings(Set<ConversationSetting>)
        /// May not send for a while.
        case muted([UserName])
        case unmuted([UserName])
        /// May not come back.
        case blocked([UserName])
        case unblocked([UserName])
        case edited(ChangedMessage)
        case recalled(ChangedMessage)
        /// Rows about messages have changed, which are found by their revision.
        case annotated(MessageAnnotation)
        /// One person has read; for their own devices.
        ///
        /// - Parameter badge: the number that WuKongIM's clients show afterwards, which may be set by hand.
        case read(upTo: Int64, unread: Int64, badge: Int64 = 0)
        case receipt(MessageReceipt)
        /// A person has changed what is theirs alone; for their own devices.
        case own(OwnChange)
        /// It was deleted with all its messages: a temporary one at its end, or one in which nothing happened for long.
        case ended
        /// A person has changed, or something has happened between two of them, in no conversation.
        case person(PersonChange)
    }

    /// Conversation in which it happened; `nil` for what happened to a person, or between two, in none.
    package var place: EventPlace?
    /// Person who made the change; the system's name for the operator and business servers.
    package var actor: UserName
    /// The same person; `UserID.system` for the operator and business servers.
    package var actorID: UserID
    /// People whom the change happened to: who joined, left, was muted, has another role or nickname; who is asked to be
    /// a friend, is one, or is shown otherwise.
    package var subjects: [UserID]
    /// When, UTC milliseconds; never falls within a conversation.
    package var atMilliseconds: Int64
    /// Change.
    package var change: Change
    /// The people who are told.
    package var audience: EventAudience
    /// The same, one by one, as they were at the commit; each once. Empty for watchers.
    package var receivers: [UserID]
    /// Origin of the change.
    package var origin: EventOrigin
    /// Place among all messages and events; `zero` for an event that no store has made.
    package var position: StorePosition

    package init(
        in place: EventPlace?, actor: UserName, actorID: UserID, subjects: [UserID] = [], atMilliseconds: Int64,
        change: Change, audience: EventAudience = .members, receivers: [UserID], origin: EventOrigin,
        position: StorePosition = .zero
    ) {
        self.place = place
        self.actor = actor
        self.actorID = actorID
        self.subjects = subjects
        self.atMilliseconds = atMilliseconds
        self.change = change
        self.audience = audience
        self.receivers = receivers
        self.origin = origin
        self.position = position
    }
}

extension ChangeEvent.Change {
    /// The names of those whom it happened to.
    package var subjects: [UserName] {
        switch self {
        case .created(let people, _), .joined(let people, _), .left(let people, _), .muted(let people),
            .unmuted(let people), .blocked(let people), .unblocked(let people):
            people
        case .role(let person, _, _), .nickname(let person): [person]
        case .person(let change): change.subjects
        case .card, .settings, .edited, .recalled, .annotated, .read, .receipt, .own, .ended: []
        }
    }
}

extension PersonChange {
    /// The names of those whom it happened to.
    package var subjects: [UserName] {
        switch self {
        case .profile(let person, _), .unfriended(let person), .remark(let person), .listed(let person, _, _): [person]
        case .friendRequested(let request, _): [request.otherName]
        case .befriended(let asker, let other, _): [asker, other]
        case .reminders, .teamRequests, .announcement: []
        }
    }
}

extension ChangeEvent {
    /// True for a change of which the store does not know the people who are told.
    package var isForWatchers: Bool {
        switch self.audience {
        case .watchers: true
        case .members, .membersAnd, .people: false
        }
    }
}
