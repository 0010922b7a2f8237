/// What people do to a conversation that has members, and to each other in it.
package enum GroupAction: Hashable, Sendable {
    /// Title, logo, notice, attributes, switches, lists.
    case changeInfo
    case invite
    /// Somebody of this role.
    case remove(MemberRole)
    case leave
    case removeEveryone
    case transferOwnership
    case changeRoles
    /// Somebody of this role.
    case mute(MemberRole)
    /// The nickname of oneself, or of somebody of this role.
    case rename(MemberRole?)
    case disband
}

/// What decides whether someone may do it: read by the writer inside the transaction.
package struct GroupFacts: Hashable, Sendable {
    package var authority: Authority
    package var kind: ConversationKind
    package var flags: ConversationFlags
    /// Of who asks; `nil` for somebody who is no member.
    package var role: MemberRole?

    package init(
        authority: Authority = .user, kind: ConversationKind = .group, flags: ConversationFlags = [], role: MemberRole?
    ) {
        self.authority = authority
        self.kind = kind
        self.flags = flags
        self.role = role
    }
}

extension ConversationKind {
    /// Whether people come and go. A direct conversation is its two people; a room has listeners only.
    package var hasMemberList: Bool { self != .direct && self != .room }
}

extension GroupAction {
    fileprivate var needsMemberList: Bool {
        switch self {
        case .changeInfo, .disband: false
        default: true
        }
    }
}

/// Whether someone may do this, and if not, why. Business servers and the operator may do what makes sense at all.
///
/// A manager acts on members, the owner on managers too, and nobody on the owner.
package func groupRefusal(_ action: GroupAction, _ facts: GroupFacts) -> ActionRefusal? {
    if facts.kind == .direct || (action.needsMemberList && !facts.kind.hasMemberList) { return .notApplicable }
    if facts.authority != .user { return nil }
    guard let role = facts.role else { return .notMember }
    if facts.flags.contains(.disbanded) && action != .leave { return .disbanded }
    switch action {
    case .leave, .rename(nil): return nil
    case .invite: return facts.flags.contains(.invitationsNeedConsent) ? managerIsNeeded(role) : nil
    case .changeInfo: return managerIsNeeded(role)
    case .remove(let other), .mute(let other), .rename(.some(let other)):
        if let refusal = managerIsNeeded(role) { return refusal }
        return role.rawValue > other.rawValue ? nil : .notOwner
    case .removeEveryone, .transferOwnership, .changeRoles, .disband: return role == .owner ? nil : .notOwner
    }
}

private func managerIsNeeded(_ role: MemberRole) -> ActionRefusal? { role == .member ? .notManager : nil }

/// Who owns a group after its owner has left: the first manager, or else the first member.
package func successor(of owner: UserID, among members: [(user: UserID, role: MemberRole)]) -> UserID? {
    let others = members.filter { $0.user != owner }
    return (others.first { $0.role == .manager } ?? others.first)?.user
}
