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

    func write(to fields: inout FieldWriter) {
        fields.text("join", TeamWords.join(self.join))
        fields.text("invite", TeamWords.invite(self.invite))
        fields.text("beInvited", TeamWords.beInvited(self.beInvited))
        fields.text("updateInfo", TeamWords.update(self.updateInfo))
        fields.text("updateAttributes", TeamWords.update(self.updateAttributes))
        fields.text("mute", TeamWords.mute(self.mute))
        fields.text("ownerLeaving", TeamWords.ownerLeaving(self.ownerLeaving))
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.join = try Word.find(fields.text("join"), TeamJoinMode.allCases, TeamWords.join)
        self.invite = try Word.find(fields.text("invite"), TeamInviteMode.allCases, TeamWords.invite)
        self.beInvited = try Word.find(fields.text("beInvited"), TeamBeInvitedMode.allCases, TeamWords.beInvited)
        self.updateInfo = try Word.find(fields.text("updateInfo"), TeamUpdateMode.allCases, TeamWords.update)
        self.updateAttributes = try Word.find(
            fields.text("updateAttributes"), TeamUpdateMode.allCases, TeamWords.update)
        self.mute = try Word.find(fields.text("mute"), TeamMuteMode.allCases, TeamWords.mute)
        self.ownerLeaving = try Word.find(
            fields.text("ownerLeaving"), TeamOwnerLeaving.allCases, TeamWords.ownerLeaving)
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

    func write(to fields: inout FieldWriter) {
        fields.number("number", self.number)
        fields.text("title", self.title)
        fields.text("body", self.body)
        fields.text("author", self.author.text)
        fields.number("createdAt", self.createdAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.number = try fields.number("number")
        self.title = try fields.optionalText("title")
        self.body = try fields.text("body")
        self.author = try fields.userName("author")
        self.createdAtMilliseconds = try fields.number("createdAt")
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

    func write(to fields: inout FieldWriter) {
        fields.record("conversation", self.conversation)
        fields.text("form", TeamWords.form(self.form))
        fields.record("modes", self.modes)
        fields.text("introduction", self.introduction)
        if let announcement { fields.record("announcement", announcement) }
        fields.text("owner", self.owner?.text)
        fields.number("memberLimit", self.memberLimit)
        fields.records("members", self.members)
        fields.number("waitingRequests", self.waitingRequests)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.conversation = try fields.record("conversation")
        self.form = try Word.find(fields.text("form"), TeamForm.allCases, TeamWords.form)
        self.modes = try fields.record("modes")
        self.introduction = try fields.optionalText("introduction")
        self.announcement = try fields.has("announcement") ? fields.record("announcement") : nil
        self.owner = try fields.optionalUserName("owner")
        self.memberLimit = try fields.optionalNumber("memberLimit")
        self.members = try fields.records("members")
        self.waitingRequests = try fields.number("waitingRequests")
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

    func write(to fields: inout FieldWriter) {
        fields.text("title", self.title)
        fields.text("introduction", self.introduction)
        fields.number("memberLimit", self.memberLimit)
        fields.text("join", self.modes.join.map(TeamWords.join))
        fields.text("invite", self.modes.invite.map(TeamWords.invite))
        fields.text("beInvited", self.modes.beInvited.map(TeamWords.beInvited))
        fields.text("updateInfo", self.modes.updateInfo.map(TeamWords.update))
        fields.text("updateAttributes", self.modes.updateAttributes.map(TeamWords.update))
        fields.text("mute", self.modes.mute.map(TeamWords.mute))
        fields.text("ownerLeaving", self.modes.ownerLeaving.map(TeamWords.ownerLeaving))
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.title = try fields.optionalText("title")
        self.introduction = try fields.optionalText("introduction")
        self.memberLimit = try fields.optionalNumber("memberLimit")
        self.modes.join = try Self.mode("join", fields, TeamJoinMode.allCases, TeamWords.join)
        self.modes.invite = try Self.mode("invite", fields, TeamInviteMode.allCases, TeamWords.invite)
        self.modes.beInvited = try Self.mode("beInvited", fields, TeamBeInvitedMode.allCases, TeamWords.beInvited)
        self.modes.updateInfo = try Self.mode("updateInfo", fields, TeamUpdateMode.allCases, TeamWords.update)
        self.modes.updateAttributes = try Self.mode(
            "updateAttributes", fields, TeamUpdateMode.allCases, TeamWords.update)
        self.modes.mute = try Self.mode("mute", fields, TeamMuteMode.allCases, TeamWords.mute)
        self.modes.ownerLeaving = try Self.mode(
            "ownerLeaving", fields, TeamOwnerLeaving.allCases, TeamWords.ownerLeaving)
    }

    private static func mode<Mode>(
        _ key: String, _ fields: FieldReader, _ modes: [Mode], _ spelling: (Mode) -> String
    ) throws(AdminError) -> Mode? {
        guard let word = try fields.optionalText(key) else { return nil }
        return try Word.find(word, modes, spelling)
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.text("form", TeamWords.form(self.form))
        fields.text("owner", self.owner?.text)
        fields.texts("members", self.members.map(\.text))
        fields.record("settings", self.settings)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.channelName("name")
        self.form = try Word.find(fields.text("form"), TeamForm.allCases, TeamWords.form)
        self.owner = try fields.optionalUserName("owner")
        self.members = try fields.userNames("members")
        self.settings = try fields.record("settings")
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

    func write(to fields: inout FieldWriter) {
        fields.texts("added", self.added.map(\.text))
        fields.texts("asked", self.asked.map(\.text))
        fields.texts("refused", self.refused.map(\.text))
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.added = try fields.userNames("added")
        self.asked = try fields.userNames("asked")
        self.refused = try fields.userNames("refused")
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
        self.value = TeamWords.value(row.value)
        self.isEditable = row.isEditable
        self.refusal = row.refusal.map(TeamWords.refusal)
    }

    func write(to fields: inout FieldWriter) {
        fields.text("row", self.name.rawValue)
        fields.number("section", self.section)
        fields.text("value", self.value)
        fields.flag("editable", self.isEditable)
        fields.text("refusal", self.refusal)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try Word.value("row", fields)
        self.section = try fields.number("section")
        self.value = try fields.text("value")
        self.isEditable = try fields.flag("editable")
        self.refusal = try fields.optionalText("refusal")
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

    func write(to fields: inout FieldWriter) {
        fields.text("team", self.team.text)
        fields.text("viewer", self.viewer?.text)
        fields.text("member", self.member?.text)
        fields.texts("hide", self.hidden.map(\.rawValue))
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.team = try fields.channelName("team")
        self.viewer = try fields.optionalUserName("viewer")
        self.member = try fields.optionalUserName("member")
        let hidden = try fields.texts("hide").map { TeamCardRow.Name(rawValue: $0) }
        guard !hidden.contains(nil) else { throw FieldReader.wrong("hide") }
        self.hidden = hidden.compactMap { $0 }
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

    func write(to fields: inout FieldWriter) {
        fields.number("number", self.number)
        fields.text("kind", TeamWords.requestKind(self.kind))
        fields.text("team", self.team?.text)
        fields.text("person", self.person.text)
        fields.text("inviter", self.inviter?.text)
        fields.text("postscript", self.postscript)
        fields.text("state", TeamWords.requestState(self.state))
        fields.text("answeredBy", self.answeredBy?.text)
        fields.text("reason", self.reason)
        fields.number("createdAt", self.createdAtMilliseconds)
        fields.number("answeredAt", self.answeredAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.number = try fields.number("number")
        self.kind = try Word.find(fields.text("kind"), TeamRequestKind.allCases, TeamWords.requestKind)
        self.team = try fields.optionalText("team") == nil ? nil : fields.channelName("team")
        self.person = try fields.userName("person")
        self.inviter = try fields.optionalUserName("inviter")
        self.postscript = try fields.text("postscript")
        self.state = try Word.find(fields.text("state"), TeamRequestState.allCases, TeamWords.requestState)
        self.answeredBy = try fields.optionalUserName("answeredBy")
        self.reason = try fields.text("reason")
        self.createdAtMilliseconds = try fields.number("createdAt")
        self.answeredAtMilliseconds = try fields.number("answeredAt")
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

    func write(to fields: inout FieldWriter) {
        fields.text("team", self.team?.text)
        fields.text("person", self.person?.text)
        fields.flag("onlyWaiting", self.onlyWaiting)
        fields.number("before", self.before)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.team = try fields.optionalText("team") == nil ? nil : fields.channelName("team")
        self.person = try fields.optionalUserName("person")
        self.onlyWaiting = try fields.flag("onlyWaiting")
        self.before = try fields.optionalNumber("before")
    }
}
