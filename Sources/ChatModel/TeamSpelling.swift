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
