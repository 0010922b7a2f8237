import ChatModel

/// A change that was made, with what takes it back.
package struct AdminChange: Equatable, Sendable {
    /// Request that made it.
    package var request: AdminRequest
    /// Request that takes it back; `nil` for none.
    package var undo: AdminRequest?

    /// - Parameter before: answer to `request.basis` from before the change; `nil` when it was not looked at.
    package init(_ request: AdminRequest, before: AdminAnswer?) {
        self.request = request
        self.undo = before.flatMap { request.restoring($0) } ?? request.operation.inverse
    }
}

extension AdminRequest {
    /// Request whose answer shows what this change sets; `nil` for a change that sets nothing that can be looked at.
    package var basis: AdminRequest? { self.noted.operation.basis }

    /// Request that sets what this one sets to what it is in an answer to `basis`. After the change it is this request
    /// itself, as long as nobody else changed the same.
    ///
    /// - Returns: `nil` when the answer does not hold it.
    package func restoring(_ state: AdminAnswer) -> AdminRequest? {
        if case .user(let detail) = state { return self.restoring(detail) }
        if case .conversation(let detail) = state { return self.restoring(detail) }
        if case .teams(.team(let team)) = state { return self.restoring(team) }
        if case .settings(.one(let setting)) = state { return self.restoring(setting) }
        return nil
    }

    private func restoring(_ detail: AdminUserDetail) -> AdminRequest? {
        if case .setDisabled(let name, _) = self { return .setDisabled(name, detail.user.isDisabled) }
        if case .setSendBanned(let name, _) = self { return .setSendBanned(name, detail.user.isSendBanned) }
        if case .setAllowlistOnly(let name, _) = self { return .setAllowlistOnly(name, detail.isAllowlistOnly) }
        if case .setListed(let owner, let list, let other, _) = self {
            let listed = list == .blocked ? detail.blocked : detail.allowed
            return .setListed(owner: owner, list, other: other, listed.contains(other.text))
        }
        if case .people(.edit(let edit)) = self { return .people(.edit(edit.restoring(detail.user))) }
        return nil
    }

    private func restoring(_ detail: AdminConversationDetail) -> AdminRequest? {
        if case .teams(.setBanned(let team, _)) = self {
            return .teams(.setBanned(team, detail.conversation.isBanned))
        }
        if case .teams(.setNotice(let team, _)) = self { return .teams(.setNotice(team, detail.notice ?? "")) }
        if case .teams(.setRole(let team, let people, _)) = self {
            return Self.role(of: people, detail).map { .teams(.setRole(team, people, $0)) }
        }
        if case .conversationDetails(.rename(let name, _)) = self {
            return .conversationDetails(.rename(name, title: detail.conversation.title))
        }
        return nil
    }

    private func restoring(_ team: AdminTeam) -> AdminRequest? {
        if case .teams(.set(let name, let patch)) = self { return .teams(.set(name, patch.restoring(team))) }
        if case .teams(.announce(let name, _, _)) = self {
            let now = team.announcement
            return .teams(.announce(name, title: now?.title, text: now?.body ?? ""))
        }
        if case .teams(.transfer(let name, _, false)) = self {
            return team.owner.map { .teams(.transfer(name, to: $0, andLeaves: false)) }
        }
        return nil
    }

    private func restoring(_ setting: AdminSetting) -> AdminRequest? {
        let scope: SessionScope
        if case .settings(.set(_, let set, _, nil)) = self {
            scope = set
        } else if case .settings(.reset(_, let reset, nil)) = self {
            scope = reset
        } else {
            return nil
        }
        let isOwn = scope == .everywhere && setting.origin == "console"
        let own = setting.overrides.first { $0.scope == scope }?.value ?? (isOwn ? setting.value : nil)
        return .settings(own.map { .set(setting.name, scope, $0) } ?? .reset(setting.name, scope))
    }

    /// The one role that people have; `nil` when they differ, or one of them is the owner or not in it.
    private static func role(of people: [UserName], _ detail: AdminConversationDetail) -> MemberRole? {
        let roles = people.map { name in detail.members.first { $0.name == name }?.role }
        guard let first = roles.first, let role = first, role != .owner else { return nil }
        return roles.allSatisfy { $0 == role } ? role : nil
    }
}

extension AdminUserEdit {
    /// The same fields as they are now.
    fileprivate func restoring(_ user: AdminUser) -> AdminUserEdit {
        AdminUserEdit(
            name: self.name, displayName: self.displayName.map { _ in user.displayName ?? "" },
            externalID: self.externalID.map { _ in user.externalID ?? "" }, role: self.role.map { _ in user.role })
    }
}

extension AdminTeamPatch {
    /// The same fields as they are now.
    fileprivate func restoring(_ team: AdminTeam) -> AdminTeamPatch {
        var patch = self
        patch.title = self.title.map { _ in team.conversation.title ?? "" }
        patch.introduction = self.introduction.map { _ in team.introduction ?? "" }
        patch.memberLimit = self.memberLimit.map { _ in team.memberLimit ?? 0 }
        let (set, now) = (self.modes, team.modes)
        patch.modes.join = set.join.map { _ in now.join }
        patch.modes.invite = set.invite.map { _ in now.invite }
        patch.modes.beInvited = set.beInvited.map { _ in now.beInvited }
        patch.modes.updateInfo = set.updateInfo.map { _ in now.updateInfo }
        patch.modes.updateAttributes = set.updateAttributes.map { _ in now.updateAttributes }
        patch.modes.mute = set.mute.map { _ in now.mute }
        patch.modes.ownerLeaving = set.ownerLeaving.map { _ in now.ownerLeaving }
        return patch
    }
}
