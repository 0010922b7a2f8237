package import ChatModel

/// How the socket and the commands spell what teams are set to.
package enum TeamWords {
    package static func form(_ form: TeamForm) -> String {
        switch form {
        case .normal: "normal"
        case .advanced: "advanced"
        }
    }

    package static func join(_ mode: TeamJoinMode) -> String {
        switch mode {
        case .open: "open"
        case .approval: "approval"
        case .closed: "closed"
        }
    }

    package static func invite(_ mode: TeamInviteMode) -> String {
        switch mode {
        case .managers: "managers"
        case .everyone: "everyone"
        }
    }

    package static func beInvited(_ mode: TeamBeInvitedMode) -> String {
        switch mode {
        case .approval: "approval"
        case .none: "none"
        }
    }

    package static func update(_ mode: TeamUpdateMode) -> String {
        switch mode {
        case .managers: "managers"
        case .everyone: "everyone"
        }
    }

    package static func mute(_ mode: TeamMuteMode) -> String {
        switch mode {
        case .none: "none"
        case .members: "members"
        case .everyone: "everyone"
        }
    }

    package static func ownerLeaving(_ mode: TeamOwnerLeaving) -> String {
        switch mode {
        case .transferFirst: "transfer-first"
        case .successor: "successor"
        }
    }

    package static func requestKind(_ kind: TeamRequestKind) -> String { kind.word }

    package static func requestState(_ state: TeamRequestState) -> String { state.word }

    /// The rule or setting that says no.
    package static func refusal(_ refusal: TeamRefusal) -> String { refusal.word }

    static func value(_ value: TeamCardRow.Value) -> String {
        switch value {
        case .none: ""
        case .text(let text): text
        case .count(let count): String(count)
        case .flag(let isOn): isOn ? "true" : "false"
        case .form(let form): Self.form(form)
        case .mute(let mode): Self.mute(mode)
        case .alerts(let alerts): alerts.rawValue
        case .join(let mode): Self.join(mode)
        case .invite(let mode): Self.invite(mode)
        case .update(let mode): Self.update(mode)
        case .beInvited(let mode): Self.beInvited(mode)
        case .role(let role): Word.of(role)
        case .inviter(let name): name?.text ?? ""
        }
    }
}
