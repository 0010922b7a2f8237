/// A team as one of its people sees it: which rows stand on its card, and which of them do something for that person.
package enum TeamCard {
    /// The card, from top to bottom. Source: NIMKit's team cards, row by row.
    ///
    /// A row that this person is not meant to see is left out; one that they see and may not use says which setting keeps
    /// them from it.
    ///
    /// - Parameter hidden: rows that the operator or the app does not want at all.
    package static func rows(
        _ team: Team, _ viewer: TeamViewer, hiding hidden: Set<TeamCardRow.Name> = []
    ) -> [TeamCardRow] {
        let rows = team.settings.form == .normal ? Self.normalRows(team, viewer) : Self.advancedRows(team, viewer)
        return rows.filter { !hidden.contains($0.name) }
    }

    /// The card of one member, as another one of the team, or the operator, sees it.
    package static func memberRows(
        _ team: Team, _ viewer: TeamViewer, of member: TeamCardMember, hiding hidden: Set<TeamCardRow.Name> = []
    ) -> [TeamCardRow] {
        let isOwn = viewer.user == member.user && viewer.authority == .user
        var rows = [TeamCardRow(.memberHeader, 0, .text(member.nickname ?? member.displayName))]
        func refusal(_ action: TeamAction) -> TeamRefusal? { viewer.refusal(action, team) }
        guard team.settings.form == .advanced else {
            rows.append(TeamCardRow(.memberRole, 1, .role(member.role)))
            if !isOwn && refusal(.remove(member.role)) == nil {
                rows.append(TeamCardRow(.memberRemove, 2, .none, .remove))
            }
            return rows.filter { !hidden.contains($0.name) }
        }
        rows.append(
            TeamCardRow(
                .memberNickname, 1, .text(member.nickname ?? ""), .rename,
                refusal(.rename(isOwn ? nil : .some(member.role)))))
        rows.append(
            TeamCardRow(.memberRole, 1, .role(member.role), .changeRole, refusal(.changeRole(member.role))))
        rows.append(TeamCardRow(.memberInviter, 1, .inviter(member.inviter)))
        let muting = refusal(.mute(member.role))
        if !isOwn && muting == nil { rows.append(TeamCardRow(.memberMute, 2, .flag(member.isMuted), .mute)) }
        if !isOwn && refusal(.remove(member.role)) == nil {
            rows.append(TeamCardRow(.memberRemove, 3, .none, .remove))
        }
        return rows.filter { !hidden.contains($0.name) }
    }

    private static func normalRows(_ team: Team, _ viewer: TeamViewer) -> [TeamCardRow] {
        func refusal(_ action: TeamAction) -> TeamRefusal? { viewer.refusal(action, team) }
        var rows = [
            TeamCardRow(.members, 0, .count(team.conversation.memberCount), .openMembers, viewer.outside(team)),
            TeamCardRow(.invite, 0, .none, .invite, refusal(.invite)),
        ]
        if refusal(.remove(.member)) == nil { rows.append(TeamCardRow(.remove, 0, .none, .remove)) }
        rows.append(TeamCardRow(.name, 1, .text(team.shownName), .setName, refusal(.updateInfo)))
        if viewer.isMember {
            rows.append(TeamCardRow(.alerts, 1, .alerts(viewer.alerts), .setAlerts))
            rows.append(TeamCardRow(.pinned, 1, .flag(viewer.isPinned), .setPinned))
            rows.append(TeamCardRow(.leave, 2, .none, .leave, refusal(.leave)))
        }
        return rows
    }

    private static func advancedRows(_ team: Team, _ viewer: TeamViewer) -> [TeamCardRow] {
        func refusal(_ action: TeamAction) -> TeamRefusal? { viewer.refusal(action, team) }
        let picture = team.card.logo ?? ""
        var rows = [TeamCardRow(.header, 0, .text(picture), .setPicture, refusal(.updateInfo))]
        if viewer.ranks(.owner) {
            rows.append(TeamCardRow(.transfer, 0, .none, .transfer, refusal(.transferOwnership)))
            // The operator is no member who could leave.
            if viewer.isMember {
                rows.append(TeamCardRow(.transferAndLeave, 0, .none, .transferAndLeave, refusal(.transferOwnership)))
            }
        }
        rows.append(
            TeamCardRow(.members, 1, .count(team.conversation.memberCount), .openMembers, viewer.outside(team)))
        if refusal(.invite) == nil { rows.append(TeamCardRow(.invite, 1, .none, .invite)) }
        rows.append(TeamCardRow(.kind, 2, .form(team.settings.form)))
        rows.append(TeamCardRow(.name, 2, .text(team.shownName), .setName, refusal(.updateInfo)))
        if viewer.isMember {
            rows.append(TeamCardRow(.nickname, 2, .text(viewer.nickname ?? ""), .rename, refusal(.rename(nil))))
        }
        rows.append(
            TeamCardRow(
                .introduction, 2, .text(team.introduction ?? ""), .setIntroduction, refusal(.setIntroduction)))
        // Everybody of the team opens it; a new one is made there by who may.
        rows.append(
            TeamCardRow(
                .announcement, 2, .text(team.announcement?.body ?? ""), .openAnnouncement, viewer.outside(team)))
        rows.append(
            TeamCardRow(.mute, 2, .mute(team.conversation.flags.muteMode), .setMode(.mute), refusal(.setMode(.mute))))
        if viewer.ranks(.manager) {
            rows.append(TeamCardRow(.mutedList, 2, .count(team.mutedMembers), .openMuted))
        }
        if viewer.isMember {
            rows.append(TeamCardRow(.alerts, 2, .alerts(viewer.alerts), .setAlerts))
            rows.append(TeamCardRow(.pinned, 2, .flag(viewer.isPinned), .setPinned))
        }
        return rows + Self.modeRows(team, viewer) + Self.endingRows(team, viewer)
    }

    private static func modeRows(_ team: Team, _ viewer: TeamViewer) -> [TeamCardRow] {
        guard viewer.ranks(.manager) else { return [] }
        func row(_ name: TeamCardRow.Name, _ section: Int, _ value: TeamCardRow.Value, _ mode: TeamMode) -> TeamCardRow
        {
            TeamCardRow(name, section, value, .setMode(mode), viewer.refusal(.setMode(mode), team))
        }
        return [
            row(.joinMode, 3, .join(team.settings.join), .join),
            row(.inviteMode, 4, .invite(team.conversation.flags.inviteMode), .invite),
            row(.updateInfoMode, 4, .update(team.settings.updateInfo), .updateInfo),
            row(.beInvitedMode, 4, .beInvited(team.settings.beInvited), .beInvited),
        ]
    }

    private static func endingRows(_ team: Team, _ viewer: TeamViewer) -> [TeamCardRow] {
        var rows: [TeamCardRow] = []
        // The owner leaves through "hand over and leave".
        if viewer.isMember && !viewer.ranks(.owner) {
            rows.append(TeamCardRow(.leave, 5, .none, .leave, viewer.refusal(.leave, team)))
        }
        if viewer.ranks(.owner) {
            rows.append(TeamCardRow(.dismiss, 5, .none, .dismiss, viewer.refusal(.dismiss, team)))
        }
        return rows
    }
}

/// Alerts that a person chose for a conversation.
package enum TeamAlerts: String, Sendable, CaseIterable {
    case all
    case none
    /// Messages of owner and managers only.
    case managers

    /// Choices that there are: in an advanced team all, elsewhere everything or nothing. Source: NIMKit's team cards.
    ///
    /// - Parameter form: `nil` for a conversation that is no team.
    package static func choices(in form: TeamForm?) -> [TeamAlerts] {
        form == .advanced ? Self.allCases : [.all, .none]
    }

    /// True when a message alerts a person who chose this.
    ///
    /// - Parameter role: of its sender; `nil` for who is no member, as the system is not.
    package func isAlert(by role: MemberRole?) -> Bool {
        switch self {
        case .all: true
        case .none: false
        case .managers: role == .manager || role == .owner
        }
    }
}

/// Viewer of a card.
package struct TeamViewer: Hashable, Sendable {
    /// Person concerned.
    package var user: UserID
    /// Right that the action is done by.
    package var authority: Authority
    /// `nil` for who is no member.
    package var role: MemberRole?
    /// Name of the viewer in the team.
    package var nickname: String?
    /// Alerts that the person chose.
    package var alerts: TeamAlerts
    /// On top of their list.
    package var isPinned: Bool

    package init(
        user: UserID, authority: Authority = .user, role: MemberRole?, nickname: String? = nil,
        alerts: TeamAlerts = .all, isPinned: Bool = false
    ) {
        self.user = user
        self.authority = authority
        self.role = role
        self.nickname = nickname
        self.alerts = alerts
        self.isPinned = isPinned
    }

    /// The operator, by the console or `ctl`.
    package static let `operator` = TeamViewer(user: .system, authority: .operator, role: nil)

    fileprivate var isMember: Bool { self.authority == .user && self.role != nil }

    /// Sees what people of this role see.
    fileprivate func ranks(_ role: MemberRole) -> Bool {
        self.authority != .user || (self.role.map { $0.rawValue >= role.rawValue } ?? false)
    }

    fileprivate func refusal(_ action: TeamAction, _ team: Team) -> TeamRefusal? {
        teamRefusal(action, team.facts(self.authority, role: self.role))
    }

    /// Refusal for people outside the team who want to look inside.
    fileprivate func outside(_ team: Team) -> TeamRefusal? { self.ranks(.member) ? nil : .notMember }
}

/// A member, for their card.
package struct TeamCardMember: Hashable, Sendable {
    /// Person concerned.
    package var user: UserID
    /// Name to show; `nil` for none.
    package var displayName: String
    /// Role in the conversation.
    package var role: MemberRole
    /// Name of the member in the team.
    package var nickname: String?
    /// `nil` for who came by themselves, or when it is not known.
    package var inviter: UserName?
    /// True when the member is muted: may not write.
    package var isMuted: Bool

    package init(
        user: UserID, displayName: String, role: MemberRole, nickname: String? = nil, inviter: UserName? = nil,
        isMuted: Bool = false
    ) {
        self.user = user
        self.displayName = displayName
        self.role = role
        self.nickname = nickname
        self.inviter = inviter
        self.isMuted = isMuted
    }
}

/// One row of a card.
package struct TeamCardRow: Hashable, Sendable {
    /// The names with which rows are hidden.
    package enum Name: String, Sendable, CaseIterable {
        case header
        case transfer
        case transferAndLeave
        case members
        case invite
        /// Removing of members from a normal team, where the owner marks who goes.
        case remove
        case kind
        case name
        case nickname
        case introduction
        case announcement
        case mute
        case mutedList
        case alerts
        case pinned
        case joinMode
        case inviteMode
        case updateInfoMode
        case beInvitedMode
        case leave
        case dismiss
        // Of a member's card.
        case memberHeader
        case memberNickname
        case memberRole
        case memberInviter
        case memberMute
        case memberRemove
    }

    /// Value of a row.
    package enum Value: Hashable, Sendable {
        case none
        case text(String)
        case count(Int)
        case flag(Bool)
        case form(TeamForm)
        case mute(TeamMuteMode)
        case alerts(TeamAlerts)
        case join(TeamJoinMode)
        case invite(TeamInviteMode)
        case update(TeamUpdateMode)
        case beInvited(TeamBeInvitedMode)
        case role(MemberRole)
        case inviter(UserName?)
    }

    /// Action of using a row.
    package enum Action: Hashable, Sendable {
        case setPicture
        case transfer
        case transferAndLeave
        case openMembers
        case invite
        case remove
        case setName
        case rename
        case setIntroduction
        case openAnnouncement
        case setMode(TeamMode)
        case openMuted
        case setAlerts
        case setPinned
        case leave
        case dismiss
        case changeRole
        case mute
    }

    /// Name of the row.
    package var name: Name
    /// Rows of one section stand together, from 0.
    package var section: Int
    /// Value.
    package var value: Value
    /// `nil` for a row that only shows something.
    package var action: Action?
    /// Why this person may not use it.
    package var refusal: TeamRefusal?

    package init(_ name: Name, _ section: Int, _ value: Value, _ action: Action? = nil, _ refusal: TeamRefusal? = nil) {
        self.name = name
        self.section = section
        self.value = value
        self.action = action
        self.refusal = action == nil ? nil : refusal
    }

    /// True when using the row does something for this person.
    package var isEditable: Bool { self.action != nil && self.refusal == nil }
}

extension Team {
    /// Name to show: the title, or the app's name for it.
    package var shownName: String { self.card.title ?? self.conversation.channel?.text ?? "" }
}
