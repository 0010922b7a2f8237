/// What kind of team a group is; it stays what it was made. The numbers are stored, and are NetEase IM's.
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

/// Who may invite. Stored as `ConversationFlags.invitationsNeedConsent`; the numbers are NetEase IM's.
package enum TeamInviteMode: Int64, Sendable, CaseIterable {
    case managers = 0
    case everyone = 1
}

/// Whether invited people are asked; the numbers are stored, and are NetEase IM's.
package enum TeamBeInvitedMode: Int64, Sendable, CaseIterable {
    case approval = 0
    case none = 1
}

/// Who may change the card, or an app's own fields; the numbers are stored, and are NetEase IM's.
package enum TeamUpdateMode: Int64, Sendable, CaseIterable {
    case managers = 0
    case everyone = 1
}

/// Who is silent. Stored as `ConversationFlags`; the numbers are NetEase IM's.
package enum TeamMuteMode: Int64, Sendable, CaseIterable {
    case none = 0
    /// All but managers and the owner.
    case members = 1
    /// The owner too.
    case everyone = 3
}

/// What happens when the owner of an advanced team wants to leave; the numbers are stored.
package enum TeamOwnerLeaving: Int64, Sendable, CaseIterable {
    /// They hand the team over first, or in the same step.
    case transferFirst = 0
    /// The first manager follows, or else who came first, as in the groups of WuKongIM's apps.
    case successor = 1
}

/// Who may remove a member; the numbers are stored.
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

/// What a team is set to, besides the switches every conversation has.
package struct TeamSettings: Hashable, Sendable {
    package var form: TeamForm
    package var join: TeamJoinMode
    package var beInvited: TeamBeInvitedMode
    package var updateInfo: TeamUpdateMode
    package var updateAttributes: TeamUpdateMode
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

    /// What groups are that WuKongIM's apps and servers make.
    package static let open = TeamSettings(
        form: .advanced, join: .closed, beInvited: .none, updateInfo: .managers, updateAttributes: .managers,
        ownerLeaving: .successor)
    /// What groups are that LeanCloud's apps make: who knows it comes in, and every member may do what is not about ranks.
    /// Source: LeanCloud realtime guide, conversations.
    package static let unguarded = TeamSettings(
        form: .advanced, join: .open, beInvited: .none, updateInfo: .everyone, updateAttributes: .everyone,
        ownerLeaving: .successor, remove: .everyone)
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
    package var join: TeamJoinMode?
    package var invite: TeamInviteMode?
    package var beInvited: TeamBeInvitedMode?
    package var updateInfo: TeamUpdateMode?
    package var updateAttributes: TeamUpdateMode?
    package var mute: TeamMuteMode?
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
    package var inviteMode: TeamInviteMode {
        get { self.contains(.invitationsNeedConsent) ? .managers : .everyone }
        set {
            self.remove(.invitationsNeedConsent)
            if newValue == .managers { self.insert(.invitationsNeedConsent) }
        }
    }

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
    package var conversation: Conversation
    package var card: ConversationCard
    package var settings: TeamSettings
    package var introduction: String?
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

    /// What decides what somebody may do in it.
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
    package var title: String?
    package var body: String
    /// `UserID.system` for one of a business server or the operator.
    package var author: UserID
    package var authorName: UserName
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

/// Who asks whom; the numbers are stored.
package enum TeamRequestKind: Int64, Sendable, CaseIterable {
    /// A person asks the managers.
    case apply = 0
    /// A member asks a person.
    case invite = 1
}

/// What became of a request; the numbers are stored.
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
    package var number: Int64
    package var kind: TeamRequestKind
    package var team: ConversationID
    package var teamName: ChannelName?
    /// Who would join.
    package var person: UserID
    package var personName: UserName
    /// `nil` for an application.
    package var inviter: UserID?
    package var inviterName: UserName?
    package var postscript: String
    package var state: TeamRequestState
    /// `nil` while it waits, and when nobody answered.
    package var answeredBy: UserID?
    package var answeredByName: UserName?
    package var reason: String
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
    /// Whether those whom members invite have to say yes. In a normal team nobody is asked.
    package var asksInvited: Bool { self.form == .advanced && self.beInvited == .approval }
}

/// A team to be made.
package struct NewTeam: Hashable, Sendable {
    package var form: TeamForm
    package var title: String?
    /// A member too; `UserID.system` for a team that nobody of it owns.
    package var owner: UserID
    package var members: [UserID]
    package var introduction: String?
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

/// What became of an invitation of several people.
package struct TeamInvitation: Hashable, Sendable {
    package struct Refused: Hashable, Sendable {
        package var person: UserID
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
    /// Those who were members already are none of them.
    package var refused: [Refused] = []

    package init() {}
}

/// What became of the wish to join.
package enum TeamApplication: Hashable, Sendable {
    case joined
    /// The number of the request that waits for a manager.
    case waiting(Int64)
}

/// Which requests to read.
package struct TeamRequestQuery: Hashable, Sendable {
    package var team: ConversationID?
    /// Who would join.
    package var person: UserID?
    package var onlyWaiting = false
    /// Only those with a smaller number: the page after one that ended with it.
    package var before: Int64?
    /// 1...1000.
    package var limit = 100

    package init() {}
}
