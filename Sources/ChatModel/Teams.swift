/// Form of a team; it stays as it was made. The numbers are stored, and are NetEase IM's.
package enum TeamForm: Int64, Sendable, CaseIterable {
    /// Everybody adds people and edits the card; there are no managers, announcements or modes (讨论组).
    case normal = 0
    /// Owner, managers, members, and modes that say who may do what (高级群).
    case advanced = 1
}

/// How people come in who were not invited; the numbers are stored, and are NetEase IM's.
package enum TeamJoinMode: Int64, Sendable, CaseIterable {
    case open = 0
    /// A manager answers.
    case approval = 1
    case closed = 2
}

/// Permission to invite. Stored as `ConversationFlags.invitationsNeedConsent`; the numbers are NetEase IM's.
package enum TeamInviteMode: Int64, Sendable, CaseIterable {
    case managers = 0
    case everyone = 1
}

/// Consent of invited people; the numbers are stored, and are NetEase IM's.
package enum TeamBeInvitedMode: Int64, Sendable, CaseIterable {
    case approval = 0
    case none = 1
}

/// Permission to change the card, or an app's own fields; the numbers are stored, and are NetEase IM's.
package enum TeamUpdateMode: Int64, Sendable, CaseIterable {
    case managers = 0
    case everyone = 1
}

/// Mute of a whole team. Stored as `ConversationFlags`; the numbers are NetEase IM's.
package enum TeamMuteMode: Int64, Sendable, CaseIterable {
    case none = 0
    /// All but managers and the owner.
    case members = 1
    /// The owner too.
    case everyone = 3
}

/// Effect of the owner's leaving an advanced team; the numbers are stored.
package enum TeamOwnerLeaving: Int64, Sendable, CaseIterable {
    /// They hand the team over first, or in the same step.
    case transferFirst = 0
    /// The first manager follows, or else who came first, as in the groups of WuKongIM's apps.
    case successor = 1
}

/// Permission to remove a member; the numbers are stored.
package enum TeamRemoveMode: Int64, Sendable, CaseIterable {
    case managers = 0
    /// Every member may remove every other one, as in LeanCloud's conversations.
    case everyone = 1
}

/// The name of a mode.
package enum TeamMode: String, Sendable, CaseIterable {
    case join
    case invite
    case beInvited
    case updateInfo
    case updateAttributes
    case mute
    case ownerLeaving
}

/// Settings of a team, besides the switches every conversation has.
package struct TeamSettings: Hashable, Sendable {
    /// Form of the team.
    package var form: TeamForm
    /// Permission to join.
    package var join: TeamJoinMode
    /// Consent of invited people.
    package var beInvited: TeamBeInvitedMode
    /// Permission to change the card.
    package var updateInfo: TeamUpdateMode
    /// Permission to change an app's own fields.
    package var updateAttributes: TeamUpdateMode
    /// Effect of the owner's leaving.
    package var ownerLeaving: TeamOwnerLeaving
    /// Set when the team is made.
    package var remove: TeamRemoveMode
    /// Most members; `nil` for as many as the server allows.
    package var memberLimit: Int?

    package init(
        form: TeamForm, join: TeamJoinMode, beInvited: TeamBeInvitedMode, updateInfo: TeamUpdateMode,
        updateAttributes: TeamUpdateMode, ownerLeaving: TeamOwnerLeaving, remove: TeamRemoveMode = .managers,
        memberLimit: Int? = nil
    ) {
        self.form = form
        self.join = join
        self.beInvited = beInvited
        self.updateInfo = updateInfo
        self.updateAttributes = updateAttributes
        self.ownerLeaving = ownerLeaving
        self.remove = remove
        self.memberLimit = memberLimit
    }

    /// Settings of groups that WuKongIM's apps and servers make.
    package static let open = TeamSettings(
        form: .advanced, join: .closed, beInvited: .none, updateInfo: .managers, updateAttributes: .managers,
        ownerLeaving: .successor)
    /// Settings of groups that LeanCloud's apps make: everybody who knows one may join, and every member may do what is
    /// not about ranks. Source: LeanCloud realtime guide, conversations.
    package static let unguarded = TeamSettings(
        form: .advanced, join: .open, beInvited: .none, updateInfo: .everyone, updateAttributes: .everyone,
        ownerLeaving: .successor, remove: .everyone)
    /// Settings of a normal team.
    package static let normal = TeamSettings(
        form: .normal, join: .closed, beInvited: .none, updateInfo: .everyone, updateAttributes: .everyone,
        ownerLeaving: .successor)
    /// A new advanced team; managers invite. Source: NetEase IM PC SDK, defaults of `nim_team_def`.
    package static let advanced = TeamSettings(
        form: .advanced, join: .open, beInvited: .approval, updateInfo: .managers, updateAttributes: .managers,
        ownerLeaving: .transferFirst)
}

/// A change of what a team is set to. What is `nil` stays.
package struct TeamModesPatch: Hashable, Sendable {
    /// Permission to join.
    package var join: TeamJoinMode?
    /// Permission to invite.
    package var invite: TeamInviteMode?
    /// Consent of invited people.
    package var beInvited: TeamBeInvitedMode?
    /// Permission to change the card.
    package var updateInfo: TeamUpdateMode?
    /// Permission to change an app's own fields.
    package var updateAttributes: TeamUpdateMode?
    /// Mute of the whole team.
    package var mute: TeamMuteMode?
    /// Effect of the owner's leaving.
    package var ownerLeaving: TeamOwnerLeaving?

    package init() {}

    /// The modes it names.
    package var modes: [TeamMode] {
        TeamMode.allCases.filter { mode in
            switch mode {
            case .join: self.join != nil
            case .invite: self.invite != nil
            case .beInvited: self.beInvited != nil
            case .updateInfo: self.updateInfo != nil
            case .updateAttributes: self.updateAttributes != nil
            case .mute: self.mute != nil
            case .ownerLeaving: self.ownerLeaving != nil
            }
        }
    }
}

extension ConversationFlags {
    /// Permission to invite.
    package var inviteMode: TeamInviteMode {
        get { self.contains(.invitationsNeedConsent) ? .managers : .everyone }
        set {
            self.remove(.invitationsNeedConsent)
            if newValue == .managers { self.insert(.invitationsNeedConsent) }
        }
    }

    /// Mute of the whole team.
    package var muteMode: TeamMuteMode {
        get {
            if self.contains(.everyoneMuted) { return .everyone }
            return self.contains(.membersMuted) ? .members : .none
        }
        set {
            self.subtract([.membersMuted, .everyoneMuted])
            switch newValue {
            case .none: break
            case .members: self.insert(.membersMuted)
            case .everyone: self.insert(.everyoneMuted)
            }
        }
    }
}

/// Bounds of what a team holds.
package enum TeamBounds {
    /// Unicode scalars. Source: NetEase IM server API, `intro`.
    package static let introductionScalars = 512
    /// Unicode scalars of the title of an announcement.
    package static let announcementTitleScalars = 64
    /// Bytes of an announcement: as those that apps make.
    package static let announcementBytes = ConversationBounds.noticeBytes
    /// Announcements kept of one team; the oldest go first.
    package static let announcements = 100
    /// Unicode scalars of what is said with a request, and of the reason of an answer.
    package static let postscriptScalars = 256
    /// How long a request waits for its answer.
    package static let requestDays: Int64 = 7
    /// Requests of one team that wait.
    package static let waitingRequests = 1_000
    /// Invitations of one person to one team that wait.
    package static let waitingInvitations = 100
    /// The fewest members a limit may allow.
    package static let smallestMemberLimit = 2
}

/// A group, with what makes it a team.
package struct Team: Hashable, Sendable {
    /// Conversation.
    package var conversation: Conversation
    /// Card of the conversation.
    package var card: ConversationCard
    /// Settings of the team.
    package var settings: TeamSettings
    /// Introduction; `nil` for none.
    package var introduction: String?
    /// Newest announcement; `nil` for none.
    package var announcement: TeamAnnouncement?
    /// `nil` for a team that nobody of it owns.
    package var owner: UserID?
    /// Most members now: the team's own limit, and never more than the server's.
    package var limit: Int
    /// How many members may not send for now.
    package var mutedMembers: Int

    package init(
        conversation: Conversation, card: ConversationCard, settings: TeamSettings, introduction: String? = nil,
        announcement: TeamAnnouncement? = nil, owner: UserID? = nil, limit: Int, mutedMembers: Int = 0
    ) {
        self.conversation = conversation
        self.card = card
        self.settings = settings
        self.introduction = introduction
        self.announcement = announcement
        self.owner = owner
        self.limit = limit
        self.mutedMembers = mutedMembers
    }

    /// Facts that decide what somebody may do in the team.
    package func facts(_ authority: Authority, role: MemberRole?) -> TeamFacts {
        TeamFacts(
            authority: authority, kind: self.conversation.kind, flags: self.conversation.flags, settings: self.settings,
            role: role, memberCount: self.conversation.memberCount, limit: self.limit)
    }
}

/// Something that a team was told.
package struct TeamAnnouncement: Hashable, Sendable {
    /// Counted over all teams.
    package var number: Int64
    /// Title; `nil` for none.
    package var title: String?
    /// Text of the announcement.
    package var body: String
    /// `UserID.system` for one of a business server or the operator.
    package var author: UserID
    /// Name of the author.
    package var authorName: UserName
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    package init(
        number: Int64, title: String?, body: String, author: UserID, authorName: UserName,
        createdAtMilliseconds: Int64
    ) {
        self.number = number
        self.title = title
        self.body = body
        self.author = author
        self.authorName = authorName
        self.createdAtMilliseconds = createdAtMilliseconds
    }
}

/// Direction of a request; the numbers are stored.
package enum TeamRequestKind: Int64, Sendable, CaseIterable {
    /// A person asks the managers.
    case apply = 0
    /// A member asks a person.
    case invite = 1
}

/// State of a request; the numbers are stored.
package enum TeamRequestState: Int64, Sendable, CaseIterable {
    case waiting = 0
    case accepted = 1
    case refused = 2
    /// Taken back by who made it.
    case withdrawn = 3
    case expired = 4
}

/// Somebody's wish to join a team, or that somebody joins.
package struct TeamRequest: Hashable, Sendable {
    /// Number of the request.
    package var number: Int64
    /// Direction of the request.
    package var kind: TeamRequestKind
    /// Conversation concerned.
    package var team: ConversationID
    /// Name of the team.
    package var teamName: ChannelName?
    /// Person who would join.
    package var person: UserID
    /// Name of the person who would join.
    package var personName: UserName
    /// `nil` for an application.
    package var inviter: UserID?
    /// Name of the inviter; `nil` for an application.
    package var inviterName: UserName?
    /// Words of the asker.
    package var postscript: String
    /// State of the request.
    package var state: TeamRequestState
    /// `nil` while it waits, and when nobody answered.
    package var answeredBy: UserID?
    /// Name of the person who answered; `nil` while it waits.
    package var answeredByName: UserName?
    /// Reason.
    package var reason: String
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// When the state changed; 0 while it waits.
    package var answeredAtMilliseconds: Int64

    package init(
        number: Int64, kind: TeamRequestKind, team: ConversationID, teamName: ChannelName?, person: UserID,
        personName: UserName, inviter: UserID? = nil, inviterName: UserName? = nil, postscript: String = "",
        state: TeamRequestState = .waiting, answeredBy: UserID? = nil, answeredByName: UserName? = nil,
        reason: String = "", createdAtMilliseconds: Int64, answeredAtMilliseconds: Int64 = 0
    ) {
        self.number = number
        self.kind = kind
        self.team = team
        self.teamName = teamName
        self.person = person
        self.personName = personName
        self.inviter = inviter
        self.inviterName = inviterName
        self.postscript = postscript
        self.state = state
        self.answeredBy = answeredBy
        self.answeredByName = answeredByName
        self.reason = reason
        self.createdAtMilliseconds = createdAtMilliseconds
        self.answeredAtMilliseconds = answeredAtMilliseconds
    }

    /// When it stops to wait, UTC milliseconds.
    package var endsAtMilliseconds: Int64 { self.createdAtMilliseconds + TeamBounds.requestDays * 86_400_000 }
}

extension TeamSettings {
    /// True when people whom members invite have to accept. In a normal team nobody is asked.
    package var asksInvited: Bool { self.form == .advanced && self.beInvited == .approval }
}

/// A team to be made.
package struct NewTeam: Hashable, Sendable {
    /// Form of the team.
    package var form: TeamForm
    /// Title; `nil` for none.
    package var title: String?
    /// A member too; `UserID.system` for a team that nobody of it owns.
    package var owner: UserID
    /// Members.
    package var members: [UserID]
    /// Introduction; `nil` for none.
    package var introduction: String?
    /// Maximum number of members; `nil` for the server's.
    package var memberLimit: Int?
    /// Where it differs from what new teams of the form are.
    package var modes: TeamModesPatch

    package init(
        form: TeamForm, title: String? = nil, owner: UserID, members: [UserID] = [], introduction: String? = nil,
        memberLimit: Int? = nil, modes: TeamModesPatch = TeamModesPatch()
    ) {
        self.form = form
        self.title = title
        self.owner = owner
        self.members = members
        self.introduction = introduction
        self.memberLimit = memberLimit
        self.modes = modes
    }
}

/// Outcome of an invitation of several people.
package struct TeamInvitation: Hashable, Sendable {
    /// Person who was not invited.
    package struct Refused: Hashable, Sendable {
        /// Person.
        package var person: UserID
        /// Reason of the refusal.
        package var refusal: ActionRefusal

        package init(_ person: UserID, _ refusal: ActionRefusal) {
            self.person = person
            self.refusal = refusal
        }
    }

    /// Are members now.
    package var added: [UserID] = []
    /// Have been asked, by now or before.
    package var asked: [UserID] = []
    /// People who were not invited; earlier members are not among them.
    package var refused: [Refused] = []

    package init() {}
}

/// Outcome of a request to join.
package enum TeamApplication: Hashable, Sendable {
    case joined
    /// The number of the request that waits for a manager.
    case waiting(Int64)
}

/// Query of requests.
package struct TeamRequestQuery: Hashable, Sendable {
    /// Team.
    package var team: ConversationID?
    /// Person who would join.
    package var person: UserID?
    /// True for waiting requests alone.
    package var onlyWaiting = false
    /// Only those with a smaller number: the page after one that ended with it.
    package var before: Int64?
    /// 1...1000.
    package var limit = 100

    package init() {}
}
