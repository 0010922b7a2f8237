package import ChatModel

/// How a team is set.
package struct AdminTeamModes: AdminRecord {
    package var join: TeamJoinMode
    package var invite: TeamInviteMode
    package var beInvited: TeamBeInvitedMode
    package var updateInfo: TeamUpdateMode
    package var updateAttributes: TeamUpdateMode
    package var mute: TeamMuteMode
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

/// Something a team was told.
package struct AdminAnnouncement: AdminRecord {
    package var number: Int64
    package var title: String?
    package var body: String
    /// `____system` for one of a business server or the operator.
    package var author: UserName
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

/// A team with who is in it; at most `AdminProtocol.pageRows` members.
package struct AdminTeam: AdminRecord {
    package var conversation: AdminConversation
    package var form: TeamForm
    package var modes: AdminTeamModes
    package var introduction: String?
    /// The one that is shown.
    package var announcement: AdminAnnouncement?
    package var owner: UserName?
    /// The team's own; `nil` for as many as the server allows.
    package var memberLimit: Int64?
    package var members: [AdminMember]
    /// How many requests wait for an answer.
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

/// What is to change about a team; what is `nil` stays.
package struct AdminTeamPatch: AdminRecord {
    package var title: String?
    /// Empty removes it.
    package var introduction: String?
    /// 0 for as many as the server allows.
    package var memberLimit: Int64?
    package var modes = TeamModesPatch()

    package init() {}

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.title = try fields("title", \.title)
        self.introduction = try fields("introduction", \.introduction)
        self.memberLimit = try fields("memberLimit", \.memberLimit)
        self.modes.join = try fields("join", \.modes.join)
        self.modes.invite = try fields("invite", \.modes.invite)
        self.modes.beInvited = try fields("beInvited", \.modes.beInvited)
        self.modes.updateInfo = try fields("updateInfo", \.modes.updateInfo)
        self.modes.updateAttributes = try fields("updateAttributes", \.modes.updateAttributes)
        self.modes.mute = try fields("mute", \.modes.mute)
        self.modes.ownerLeaving = try fields("ownerLeaving", \.modes.ownerLeaving)
    }
}

/// A team to be made.
package struct AdminNewTeam: AdminRecord {
    package var name: ChannelName
    package var form: TeamForm
    /// A member too; `nil` for a team that the operator keeps.
    package var owner: UserName?
    package var members: [UserName]
    /// Title, introduction, limit, and where the modes differ from those of a new team.
    package var settings: AdminTeamPatch

    package init(
        name: ChannelName, form: TeamForm, owner: UserName? = nil, members: [UserName],
        settings: AdminTeamPatch = AdminTeamPatch()
    ) {
        self.name = name
        self.form = form
        self.owner = owner
        self.members = members
        self.settings = settings
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.form = try fields("form", \.form)
        self.owner = try fields("owner", \.owner)
        self.members = try fields("members", \.members)
        self.settings = try fields("settings", \.settings)
    }
}

/// What became of an invitation.
package struct AdminTeamInvited: AdminRecord {
    package var added: [UserName]
    /// Have been asked.
    package var asked: [UserName]
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

/// A row of a team's or a member's card, as somebody sees it.
package struct AdminCardRow: AdminRecord {
    package var name: TeamCardRow.Name
    /// Rows of one section stand together, from 0.
    package var section: Int64
    /// A word for modes and roles, a number for counts, `true` or `false` for switches, else what people wrote.
    package var value: String
    package var isEditable: Bool
    /// The word of the rule or setting that keeps this person from using it; `nil` when they may, or it only shows.
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

/// Whose card is asked for, and who looks.
package struct AdminCardQuery: AdminRecord {
    package var team: ChannelName
    /// `nil` for the operator.
    package var viewer: UserName?
    /// The card of this member; `nil` for the team's.
    package var member: UserName?
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
        self.team = try fields("team", \.team)
        self.viewer = try fields("viewer", \.viewer)
        self.member = try fields("member", \.member)
        self.hidden = try fields("hide", \.hidden)
    }
}

/// Somebody's wish to join a team, or that somebody joins.
package struct AdminJoinRequest: AdminRecord {
    package var number: Int64
    package var kind: TeamRequestKind
    package var team: ChannelName?
    package var person: UserName
    package var inviter: UserName?
    package var postscript: String
    package var state: TeamRequestState
    package var answeredBy: UserName?
    package var reason: String
    package var createdAtMilliseconds: Int64
    /// 0 while it waits.
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

/// Which requests to list.
package struct AdminJoinQuery: AdminRecord {
    package var team: ChannelName?
    /// Who would join.
    package var person: UserName?
    package var onlyWaiting: Bool
    /// The `next` of the page before.
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
        self.team = try fields("team", \.team)
        self.person = try fields("person", \.person)
        self.onlyWaiting = try fields("onlyWaiting", \.onlyWaiting)
        self.before = try fields("before", \.before)
    }
}

// MARK: Command lines

extension AdminTeamPatch {
    var options: [CommandPart] {
        [
            .option("title", self.title), .option("introduction", self.introduction),
            .option("member-limit", self.memberLimit), .option("join", self.modes.join?.word),
            .option("invite", self.modes.invite?.word), .option("be-invited", self.modes.beInvited?.word),
            .option("update-info", self.modes.updateInfo?.word),
            .option("update-attributes", self.modes.updateAttributes?.word), .option("mute", self.modes.mute?.word),
            .option("owner-leaving", self.modes.ownerLeaving?.word),
        ]
    }
}

extension AdminNewTeam {
    var command: [String]? {
        guard self.members.isEmpty || self.members.list != nil else { return nil }
        let people: [CommandPart] = [.option("owner", self.owner?.text), .option("members", self.members.list)]
        return ctl(
            "team create", [.word(self.name.text), .option("form", self.form.word)] + self.settings.options + people)
    }
}

extension AdminCardQuery {
    var command: [String]? {
        let rows = self.hidden.map(\.word).joined(separator: ",")
        return ctl(
            "team card", .word(self.team.text), .option("viewer", self.viewer?.text),
            .option("member", self.member?.text), .option("hide", rows.nonEmpty))
    }
}

extension AdminJoinQuery {
    /// `nil` for a later page.
    var command: [String]? {
        guard self.before == nil else { return nil }
        return ctl(
            "request list", .option("team", self.team?.text), .option("person", self.person?.text),
            .flag("all", !self.onlyWaiting))
    }
}
