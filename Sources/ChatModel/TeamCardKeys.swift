/// The texts of a card's rows: every gateway and the operator's tools find them under the same keys.
extension TeamCardRow.Name {
    /// Text key of what the row is called.
    package func titleKey(in form: TeamForm) -> String {
        let isNormal = form == .normal
        switch self {
        case .header: return "card.row.picture"
        case .remove, .memberRemove: return "card.row.remove"
        case .name: return isNormal ? "card.row.discussionName" : "card.row.name"
        case .nickname, .memberNickname: return "card.row.nick"
        case .announcement: return "card.row.notice"
        case .updateInfoMode: return "card.row.updateMode"
        case .beInvitedMode: return "card.row.inviteeMode"
        case .leave: return isNormal ? "card.row.leaveDiscussion" : "card.row.leave"
        case .memberHeader: return "card.row.memberCard"
        case .memberRole: return "card.row.role"
        case .memberInviter: return "card.row.inviter"
        case .transfer, .transferAndLeave, .members, .invite, .kind, .introduction, .mute, .mutedList, .alerts, .pinned,
            .joinMode, .inviteMode, .dismiss, .memberMute:
            return "card.row.\(self.rawValue)"
        }
    }

    /// Text key of what the row shows, from the word or the text that the admin socket has for it; `nil` when that is
    /// shown as it is.
    package func valueKey(_ value: String) -> String? {
        switch self {
        case .kind: "card.row.kind.\(value)"
        case .joinMode: "card.value.join.\(value)"
        case .inviteMode: "card.value.invite.\(value)"
        case .updateInfoMode: "card.value.update.\(value)"
        case .beInvitedMode: "card.value.beInvited.\(value)"
        case .mute: "card.value.mute.\(value)"
        case .alerts: "card.value.alerts.\(value)"
        case .memberRole: "card.value.role.\(value)"
        case .pinned, .memberMute: value == "true" ? "card.value.on" : "card.value.off"
        case .introduction where value.isEmpty: "card.row.introduction.empty"
        case .announcement: "card.row.notice.open"
        case .memberInviter where value.isEmpty: "card.row.inviter.unknown"
        case .header, .transfer, .transferAndLeave, .members, .invite, .remove, .name, .nickname, .introduction,
            .mutedList, .leave, .dismiss, .memberHeader, .memberNickname, .memberInviter, .memberRemove:
            nil
        }
    }
}
