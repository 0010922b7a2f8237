package import ChatModel

/// Permissions and other modes of a team.
package struct AdminTeamModes: AdminRecord {
    /// Permission to join.
    package var join: TeamJoinMode
    /// Permission to invite.
    package var invite: TeamInviteMode
    /// Consent of invited users.
    package var beInvited: TeamBeInvitedMode
    /// Permission to change the card.
    package var updateInfo: TeamUpdateMode
    /// Permission to change the custom fields of an app.
    package var updateAttributes: TeamUpdateMode
    /// Members who may not send.
    package var mute: TeamMuteMode
    /// Effect of the owner's leaving.
    package var ownerLeaving: TeamOwnerLeaving

    package init(_ settings: TeamSettings, _ flags: ConversationFlags) {
        self.join = settings.join
        self.invite = flags.inviteMode
        self.beInvited = settings.beInvited
        self.updateInfo = settings.updateInfo
        self.updateAttributes = settings.updateAttributes
        self.mute = flags.muteMode
        self.ownerLeaving = settings.ownerLeaving
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.join = try fields("join", \.join)
        self.invite = try fields("invite", \.invite)
        self.beInvited = try fields("beInvited", \.beInvited)
        self.updateInfo = try fields("updateInfo", \.updateInfo)
        self.updateAttributes = try fields("updateAttributes", \.updateAttributes)
        self.mute = try fields("mute", \.mute)
        self.ownerLeaving = try fields("ownerLeaving", \.ownerLeaving)
    }
}

/// An announcement of a team.
package struct AdminAnnouncement: AdminRecord {
    /// Number of the announcement.
    package var number: Int64
    /// Title; `nil` for none.
    package var title: String?
    /// Text.
    package var body: String
    /// Author; `____system` for a business server or the operator.
    package var author: UserName
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    package init(_ announcement: TeamAnnouncement) {
        self.number = announcement.number
        self.title = announcement.title
        self.body = announcement.body
        self.author = announcement.authorName
        self.createdAtMilliseconds = announcement.createdAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.title = try fields("title", \.title)
        self.body = try fields("body", \.body)
        self.author = try fields("author", \.author)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
    }
}

/// A team with its members, at most `AdminProtocol.pageRows` of them.
package struct AdminTeam: AdminRecord {
    /// Conversation of the team.
    package var conversation: AdminConversation
    /// Form of the team.
    package var form: TeamForm
    /// Permissions and other modes.
    package var modes: AdminTeamModes
    /// Introduction; `nil` for none.
    package var introduction: String?
    /// Announcement that apps show; `nil` for none.
    package var announcement: AdminAnnouncement?
    /// Owner; `nil` for a team that the operator owns.
    package var owner: UserName?
    /// Maximum number of members of this team; `nil` for the server's maximum.
    package var memberLimit: Int64?
    /// Members.
    package var members: [AdminMember]
    /// Number of requests that wait for an answer.
    package var waitingRequests: Int64

    package init(
        _ team: Team, conversation: AdminConversation, owner: UserName?, members: [AdminMember], waitingRequests: Int64
    ) {
        self.conversation = conversation
        self.form = team.settings.form
        self.modes = AdminTeamModes(team.settings, team.conversation.flags)
        self.introduction = team.introduction
        self.announcement = team.announcement.map { AdminAnnouncement($0) }
        self.owner = owner
        self.memberLimit = team.settings.memberLimit.map { Int64($0) }
        self.members = members
        self.waitingRequests = waitingRequests
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.conversation = try fields("conversation", \.conversation)
        self.form = try fields("form", \.form)
        self.modes = try fields("modes", \.modes)
        self.introduction = try fields("introduction", \.introduction)
        self.announcement = try fields("announcement", \.announcement)
        self.owner = try fields("owner", \.owner)
        self.memberLimit = try fields("memberLimit", \.memberLimit)
        self.members = try fields("members", \.members)
        self.waitingRequests = try fields("waitingRequests", \.waitingRequests)
    }
}

/// Changes of a team; `nil` leaves a field as it is.
package struct AdminTeamPatch: AdminRecord {
    /// Title.
    package var title: String?
    /// Introduction; empty removes it.
    package var introduction: String?
    /// Maximum number of members; 0 for the server's maximum.
    package var memberLimit: Int64?
    /// Changes of the modes.
    package var modes = TeamModesPatch()

    package init() {}

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.title = try fields("title", \.title, .option("title", "TEXT", "option.title"))
        self.introduction = try fields(
            "introduction", \.introduction, .option("introduction", "TEXT", "option.introduction"))
        self.memberLimit = try fields(
            "memberLimit", \.memberLimit, .number("member-limit", 0...1_000_000, "option.memberLimit"))
        self.modes.join = try fields("join", \.modes.join, .choice("join", "option.joinMode"))
        self.modes.invite = try fields("invite", \.modes.invite, .choice("invite", "option.inviteMode"))
        self.modes.beInvited = try fields(
            "beInvited", \.modes.beInvited, .choice("be-invited", "option.beInvitedMode"))
        self.modes.updateInfo = try fields(
            "updateInfo", \.modes.updateInfo, .choice("update-info", "option.updateInfoMode"))
        self.modes.updateAttributes = try fields(
            "updateAttributes", \.modes.updateAttributes, .choice("update-attributes", "option.updateAttributesMode"))
        self.modes.mute = try fields("mute", \.modes.mute, .choice("mute", "option.muteMode"))
        self.modes.ownerLeaving = try fields(
            "ownerLeaving", \.modes.ownerLeaving, .choice("owner-leaving", "option.ownerLeaving"))
    }
}

/// A group or team to create.
package struct AdminNewTeam: AdminRecord {
    /// Name of the team.
    package var name: ChannelName
    /// Form of the team; `nil` for a plain group, as apps create them, which has a title alone.
    package var form: TeamForm?
    /// Owner, who is a member too; `nil` for a team that the operator owns.
    package var owner: UserName?
    /// Members.
    package var members: [UserName]
    /// Title, introduction and limit, with the modes that differ from those of a new team.
    package var settings: AdminTeamPatch

    package init(
        name: ChannelName, form: TeamForm? = nil, title: String? = nil, owner: UserName? = nil, members: [UserName],
        settings: AdminTeamPatch = AdminTeamPatch()
    ) {
        self.name = name
        self.form = form
        self.owner = owner
        self.members = members
        self.settings = settings
        if let title { self.settings.title = title }
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name, .team)
        self.form = try fields("form", \.form, .choice("form", "option.form", hasUsual: true))
        self.owner = try fields("owner", \.owner, .option("owner", "NAME", "option.owner"))
        self.members = try fields("members", \.members, .members)
        self.settings = try fields.record("settings", \.settings)
        let isKnown = self.form != nil || self.settings.isTitle
        try fields.check(isKnown, "form")
    }
}

/// Result of an invitation.
package struct AdminTeamInvited: AdminRecord {
    /// Users who are members now.
    package var added: [UserName]
    /// Users who have been asked.
    package var asked: [UserName]
    /// Users who could not be invited.
    package var refused: [UserName]

    package init(added: [UserName], asked: [UserName], refused: [UserName]) {
        self.added = added
        self.asked = asked
        self.refused = refused
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.added = try fields("added", \.added)
        self.asked = try fields("asked", \.asked)
        self.refused = try fields("refused", \.refused)
    }
}

/// A row of a team's or a member's card, as a given viewer sees it.
package struct AdminCardRow: AdminRecord {
    /// Name of the row.
    package var name: TeamCardRow.Name
    /// Section, from 0; the rows of one section stand together.
    package var section: Int64
    /// Value: a word for modes and roles, a number for counts, `true` or `false` for switches, else text of users.
    package var value: String
    /// True when the viewer may change the value.
    package var isEditable: Bool
    /// Word of the rule or setting that keeps the viewer from using the row; `nil` when nothing does, or when the row
    /// only shows a value.
    package var refusal: String?

    package init(_ row: TeamCardRow) {
        self.name = row.name
        self.section = Int64(row.section)
        self.value = row.value.word
        self.isEditable = row.isEditable
        self.refusal = row.refusal?.word
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("row", \.name)
        self.section = try fields("section", \.section)
        self.value = try fields("value", \.value)
        self.isEditable = try fields("editable", \.isEditable)
        self.refusal = try fields("refusal", \.refusal)
    }
}

/// Card to show, and its viewer.
package struct AdminCardQuery: AdminRecord {
    /// Name of the team.
    package var team: ChannelName
    /// Viewer; `nil` for the operator.
    package var viewer: UserName?
    /// Member whose card is shown; `nil` for the team's card.
    package var member: UserName?
    /// Rows to leave out.
    package var hidden: [TeamCardRow.Name]

    package init(
        team: ChannelName, viewer: UserName? = nil, member: UserName? = nil, hidden: [TeamCardRow.Name] = []
    ) {
        self.team = team
        self.viewer = viewer
        self.member = member
        self.hidden = hidden
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.team = try fields("team", \.team, .team)
        self.viewer = try fields("viewer", \.viewer, .option("viewer", "NAME", "option.viewer"))
        self.member = try fields("member", \.member, .option("member", "NAME", "option.cardMember"))
        self.hidden = try fields("hide", \.hidden, .list("hide", "ROWS", "option.hideRows", refusal: "ctl.badRow"))
    }
}

/// A request to join a team, or an invitation to it.
package struct AdminJoinRequest: AdminRecord {
    /// Number of the request.
    package var number: Int64
    /// Kind of the request.
    package var kind: TeamRequestKind
    /// Name of the team; `nil` when it has none.
    package var team: ChannelName?
    /// User who would join.
    package var person: UserName
    /// User who invited; `nil` for an application.
    package var inviter: UserName?
    /// Text that came with the request; may be empty.
    package var postscript: String
    /// State of the request.
    package var state: TeamRequestState
    /// User who answered; `nil` while the request waits, and when nobody did.
    package var answeredBy: UserName?
    /// Reason that came with the answer; may be empty.
    package var reason: String
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Time of the answer, UTC milliseconds; 0 while the request waits.
    package var answeredAtMilliseconds: Int64

    package init(_ request: TeamRequest) {
        self.number = request.number
        self.kind = request.kind
        self.team = request.teamName
        self.person = request.personName
        self.inviter = request.inviterName
        self.postscript = request.postscript
        self.state = request.state
        self.answeredBy = request.answeredByName
        self.reason = request.reason
        self.createdAtMilliseconds = request.createdAtMilliseconds
        self.answeredAtMilliseconds = request.answeredAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.kind = try fields("kind", \.kind)
        self.team = try fields("team", \.team)
        self.person = try fields("person", \.person)
        self.inviter = try fields("inviter", \.inviter)
        self.postscript = try fields("postscript", \.postscript)
        self.state = try fields("state", \.state)
        self.answeredBy = try fields("answeredBy", \.answeredBy)
        self.reason = try fields("reason", \.reason)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
        self.answeredAtMilliseconds = try fields("answeredAt", \.answeredAtMilliseconds)
    }
}

/// Filter of a list of join requests.
package struct AdminJoinQuery: AdminRecord {
    /// Name of the team; `nil` for all.
    package var team: ChannelName?
    /// User who would join; `nil` for all.
    package var person: UserName?
    /// True for only requests that wait for an answer.
    package var onlyWaiting: Bool
    /// Number before which the page begins: the `next` of the page before.
    package var before: Int64?

    package init(
        team: ChannelName? = nil, person: UserName? = nil, onlyWaiting: Bool = true, before: Int64? = nil
    ) {
        self.team = team
        self.person = person
        self.onlyWaiting = onlyWaiting
        self.before = before
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.team = try fields("team", \.team, .option("team", "TEAM", "option.requestTeam"))
        self.person = try fields("person", \.person, .option("person", "NAME", "option.requestPerson"))
        self.onlyWaiting = try fields(
            "onlyWaiting", \.onlyWaiting, .flag("all", "option.allRequests", says: false))
        self.before = try fields.page("before", \.before)
    }
}

// MARK: Command lines

extension AdminTeamPatch {
    /// True when the title is all that is set, or nothing is.
    fileprivate var isTitle: Bool {
        var title = AdminTeamPatch()
        title.title = self.title
        return self == title
    }

    /// Mode of the mute when nothing else is set.
    var onlyMute: TeamMuteMode? {
        var mute = AdminTeamPatch()
        mute.modes.mute = self.modes.mute
        return self == mute ? self.modes.mute : nil
    }

    /// Text keys of what the modes that it sets mean for the members.
    var consequences: [String] {
        let modes = self.modes
        let words = [
            ("joinMode", modes.join?.word), ("inviteMode", modes.invite?.word),
            ("beInvitedMode", modes.beInvited?.word),
            ("updateInfoMode", modes.updateInfo?.word), ("mute", modes.mute?.word),
        ]
        return words.compactMap { row, word in word.map { "console.card.\(row).\($0)" } }
    }

    /// Patch that takes back a mute of members alone, or its end.
    var muteInverse: AdminTeamPatch? {
        guard let mode = self.onlyMute, mode != .everyone else { return nil }
        var patch = AdminTeamPatch()
        patch.modes.mute = mode == .members ? TeamMuteMode.none : .members
        return patch
    }
}

extension TeamMuteMode {
    /// Command that sets it.
    func command(for team: ChannelName) -> [String] {
        switch self {
        case .none: ctl("team unmute", .word(team.text))
        case .members: ctl("team mute", .word(team.text))
        case .everyone: ctl("team mute", .word(team.text), .option("who", self.word))
        }
    }
}

extension AdminNewTeam {
    /// Command that makes a plain group; `nil` for members that no command line lists.
    var groupCommand: [String]? {
        guard self.members.isEmpty || self.members.list != nil else { return nil }
        return ctl(
            "group create", .word(self.name.text), .option("title", self.settings.title),
            .option("owner", self.owner?.text), .option("members", self.members.list))
    }
}
