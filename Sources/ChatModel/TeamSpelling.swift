// How teams are spoken of over HTTP and on the admin socket.

extension TeamRequestKind {
    /// How every gateway spells it.
    package var word: String {
        switch self {
        case .apply: "apply"
        case .invite: "invite"
        }
    }
}

extension TeamRequestState {
    /// How every gateway spells it.
    package var word: String {
        switch self {
        case .waiting: "waiting"
        case .accepted: "accepted"
        case .refused: "refused"
        case .withdrawn: "withdrawn"
        case .expired: "expired"
        }
    }
}

extension TeamRefusal {
    /// The rule or setting that says no, as every gateway spells it.
    package var word: String {
        switch self {
        case .kind: "kind"
        case .form: "form"
        case .disbanded: "dismissed"
        case .notMember: "not-member"
        case .alreadyMember: "already-member"
        case .role(.owner): "role-owner"
        case .role: "role-manager"
        case .outranked: "outranked"
        case .ownerRole: "owner-role"
        case .inviteMode: "invite-mode"
        case .joinMode: "join-mode"
        case .updateInfoMode: "update-info-mode"
        case .updateAttributesMode: "update-attributes-mode"
        case .ownerMustTransfer: "owner-must-transfer"
        case .full: "full"
        case .operatorOnly: "operator-only"
        }
    }
}

extension PersonalList {
    /// Word of the list.
    package var word: String {
        switch self {
        case .blocked: "blocked"
        case .allowed: "allowed"
        }
    }
}

extension MemberRole {
    /// Word of the role.
    package var word: String {
        switch self {
        case .member: "member"
        case .manager: "manager"
        case .owner: "owner"
        }
    }
}

extension TeamForm {
    /// Word of the form.
    package var word: String {
        switch self {
        case .normal: "normal"
        case .advanced: "advanced"
        }
    }
}

extension TeamJoinMode {
    /// Word of the permission to join.
    package var word: String {
        switch self {
        case .open: "open"
        case .approval: "approval"
        case .closed: "closed"
        }
    }
}

extension TeamInviteMode {
    /// Word of the permission to invite.
    package var word: String {
        switch self {
        case .managers: "managers"
        case .everyone: "everyone"
        }
    }
}

extension TeamBeInvitedMode {
    /// Word of the consent of invited users.
    package var word: String {
        switch self {
        case .approval: "approval"
        case .none: "none"
        }
    }
}

extension TeamUpdateMode {
    /// Word of the permission to change.
    package var word: String {
        switch self {
        case .managers: "managers"
        case .everyone: "everyone"
        }
    }
}

extension TeamMuteMode {
    /// Word of the mute.
    package var word: String {
        switch self {
        case .none: "none"
        case .members: "members"
        case .everyone: "everyone"
        }
    }
}

extension TeamCardRow.Value {
    /// A word for modes and roles, a number for counts, `true` or `false` for switches, else what people wrote.
    package var word: String {
        switch self {
        case .none: ""
        case .text(let text): text
        case .count(let count): String(count)
        case .flag(let isOn): isOn ? "true" : "false"
        case .form(let form): form.word
        case .mute(let mode): mode.word
        case .alerts(let alerts): alerts.rawValue
        case .join(let mode): mode.word
        case .invite(let mode): mode.word
        case .update(let mode): mode.word
        case .beInvited(let mode): mode.word
        case .role(let role): role.word
        case .inviter(let name): name?.text ?? ""
        }
    }
}
