/// Action of people on a conversation that has members, and on each other in it.
package enum TeamAction: Hashable, Sendable {
    /// Name and picture.
    case updateInfo
    case setIntroduction
    /// The app's own fields.
    case updateAttributes
    case announce
    /// Change of the lists of people who may not send, or alone may.
    case changeLists
    case setMode(TeamMode)
    case setMemberLimit
    /// Brings others in, or asks them.
    case invite
    /// Says yes to an invitation.
    case acceptInvitation
    /// Comes in without being asked by anybody.
    case join
    /// Asks to be let in.
    case apply
    case answerApplication
    /// Somebody of this role.
    case remove(MemberRole)
    case removeEveryone
    case leave
    case transferOwnership
    /// Change of somebody's role, who has this one now.
    case changeRole(MemberRole)
    /// Somebody of this role.
    case mute(MemberRole)
    /// The nickname of oneself, or of somebody of this role.
    case rename(MemberRole?)
    case dismiss
}

/// Facts that decide whether someone may do it: read by the writer inside the transaction.
package struct TeamFacts: Hashable, Sendable {
    /// Right that the action is done by.
    package var authority: Authority
    /// Kind of the conversation.
    package var kind: ConversationKind
    /// Flags of the conversation.
    package var flags: ConversationFlags
    /// Settings of the team.
    package var settings: TeamSettings
    /// Role of the asker; `nil` for somebody who is no member.
    package var role: MemberRole?
    /// Number of members.
    package var memberCount: Int
    /// Most members there may be.
    package var limit: Int
    /// How many would come.
    package var newcomers: Int

    package init(
        authority: Authority = .user, kind: ConversationKind = .group, flags: ConversationFlags = [],
        settings: TeamSettings = .open, role: MemberRole?, memberCount: Int = 0, limit: Int = .max, newcomers: Int = 1
    ) {
        self.authority = authority
        self.kind = kind
        self.flags = flags
        self.settings = settings
        self.role = role
        self.memberCount = memberCount
        self.limit = limit
        self.newcomers = newcomers
    }
}

/// Rule or setting that refuses.
package enum TeamRefusal: Hashable, Sendable {
    /// Such a conversation has nothing of the sort.
    case kind
    /// A normal team has nothing of the sort.
    case form
    case disbanded
    case notMember
    case alreadyMember
    /// Only those of this role or a higher one.
    case role(needs: MemberRole)
    /// Refused because the other member's rank is not below the asker's.
    case outranked
    /// The owner is made by handing the team over.
    case ownerRole
    case inviteMode
    case joinMode
    case updateInfoMode
    case updateAttributesMode
    case ownerMustTransfer
    case full(limit: Int)
    case operatorOnly
}

extension TeamRefusal {
    /// The same in the words that every gateway knows.
    package var action: ActionRefusal {
        switch self {
        case .kind, .form, .ownerRole, .operatorOnly: .notApplicable
        case .disbanded: .disbanded
        case .notMember: .notMember
        case .alreadyMember: .alreadyMember
        case .role(.owner), .outranked: .notOwner
        case .role, .inviteMode, .updateInfoMode, .updateAttributesMode: .notManager
        case .joinMode: .joiningClosed
        case .ownerMustTransfer: .ownerMustTransfer
        case .full(let limit): .tooMany(limit: limit)
        }
    }
}

extension ConversationKind {
    /// True when people join and leave. A direct conversation is its two people; a room has listeners only.
    package var hasMemberList: Bool { self != .direct && self != .room }
}

/// Conditions of an action beside the asker's role and the settings.
private struct TeamConditions: OptionSet {
    let rawValue: Int

    /// People join and leave the conversation.
    static let memberList = Self(rawValue: 1)
    /// Only groups have it; other conversations keep what apps make of them.
    static let group = Self(rawValue: 2)
    /// No normal team has it, whoever asks.
    static let advancedForm = Self(rawValue: 4)
    /// The people of a normal team do not have it; the operator may carry it out.
    static let advancedFormForPeople = Self(rawValue: 8)
    /// The asker is no member yet.
    static let outsider = Self(rawValue: 16)
    /// There is room for the members that it brings.
    static let vacancy = Self(rawValue: 32)
}

extension TeamAction {
    fileprivate var conditions: TeamConditions {
        switch self {
        case .updateInfo, .updateAttributes, .changeLists: []
        case .announce, .setMode(.invite): .advancedForm
        case .setMode(.mute), .dismiss: .advancedFormForPeople
        case .setIntroduction, .setMode, .answerApplication: [.memberList, .group, .advancedForm]
        case .setMemberLimit: [.memberList, .group]
        case .invite: [.memberList, .vacancy]
        case .acceptInvitation: [.memberList, .group, .outsider, .vacancy]
        case .join: [.memberList, .group, .advancedForm, .outsider, .vacancy]
        case .apply: [.memberList, .group, .advancedForm, .outsider]
        case .remove, .removeEveryone, .leave, .transferOwnership: .memberList
        case .changeRole: [.memberList, .advancedForm]
        case .mute, .rename: [.memberList, .advancedFormForPeople]
        }
    }
}

/// Refusal of an action, with the rule or setting that refuses; `nil` when it is allowed. Business servers and the
/// operator may do what makes sense at all.
///
/// In an advanced team a manager acts on members, the owner on managers too, and nobody on the owner. In a normal team
/// everybody adds people and edits the card, and the owner alone removes. Source: NetEase IM, normal and advanced
/// teams.
package func teamRefusal(_ action: TeamAction, _ facts: TeamFacts) -> TeamRefusal? {
    if let refusal = impossibility(action, facts) { return refusal }
    if facts.authority != .user { return fullness(action, facts) }
    if let refusal = standing(action, facts) { return refusal }
    return permission(action, facts) ?? fullness(action, facts)
}

/// Refusal of actions that nobody can carry out.
private func impossibility(_ action: TeamAction, _ facts: TeamFacts) -> TeamRefusal? {
    let conditions = action.conditions
    if facts.kind == .direct || (conditions.contains(.memberList) && !facts.kind.hasMemberList) { return .kind }
    if facts.kind != .group && conditions.contains(.group) { return .kind }
    if facts.settings.form == .normal && conditions.contains(.advancedForm) { return .form }
    return action == .changeRole(.owner) ? .ownerRole : nil
}

/// Refusal when the asker is not inside or outside as required, or the team is over.
private func standing(_ action: TeamAction, _ facts: TeamFacts) -> TeamRefusal? {
    let conditions = action.conditions
    let isOutsider = facts.role == nil
    if isOutsider != conditions.contains(.outsider) { return isOutsider ? .notMember : .alreadyMember }
    if facts.flags.contains(.disbanded) && action != .leave { return .disbanded }
    return facts.settings.form == .normal && conditions.contains(.advancedFormForPeople) ? .form : nil
}

private func fullness(_ action: TeamAction, _ facts: TeamFacts) -> TeamRefusal? {
    guard action.conditions.contains(.vacancy), facts.newcomers > 0,
        facts.memberCount + facts.newcomers > facts.limit
    else { return nil }
    return .full(limit: facts.limit)
}

/// Refusal by role and settings, in a team that is not over.
private func permission(_ action: TeamAction, _ facts: TeamFacts) -> TeamRefusal? {
    let isNormal = facts.settings.form == .normal
    switch action {
    case .acceptInvitation, .rename(nil): return nil
    case .join: return facts.settings.join == .open ? nil : .joinMode
    case .apply: return facts.settings.join == .closed ? .joinMode : nil
    case .invite:
        return isNormal || facts.flags.inviteMode == .everyone || facts.isManager ? nil : .inviteMode
    case .updateInfo, .setIntroduction:
        return isNormal || facts.settings.updateInfo == .everyone || facts.isManager ? nil : .updateInfoMode
    case .updateAttributes:
        return isNormal || facts.settings.updateAttributes == .everyone || facts.isManager ? nil : .updateAttributesMode
    case .announce, .changeLists, .setMode, .answerApplication:
        return facts.isManager ? nil : .role(needs: .manager)
    case .remove where facts.settings.remove == .everyone && !isNormal: return nil
    case .remove(let other), .mute(let other), .rename(.some(let other)):
        if isNormal && facts.role != .owner { return .role(needs: .owner) }
        if !facts.isManager { return .role(needs: .manager) }
        return facts.rank > other.rawValue ? nil : .outranked
    case .leave:
        let isHeld = !isNormal && facts.settings.ownerLeaving == .transferFirst && !facts.flags.contains(.disbanded)
        return facts.role == .owner && isHeld ? .ownerMustTransfer : nil
    case .removeEveryone, .transferOwnership, .changeRole, .dismiss:
        return facts.role == .owner ? nil : .role(needs: .owner)
    case .setMemberLimit: return .operatorOnly
    }
}

extension TeamFacts {
    fileprivate var rank: Int64 { self.role?.rawValue ?? -1 }
    fileprivate var isManager: Bool { self.rank >= MemberRole.manager.rawValue }
}

/// Owner of a group after its owner has left: the first manager, or else the first member.
package func successor(of owner: UserID, among members: [(user: UserID, role: MemberRole)]) -> UserID? {
    let others = members.filter { $0.user != owner }
    return (others.first { $0.role == .manager } ?? others.first)?.user
}
