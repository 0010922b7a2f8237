package import ChatModel
package import Localization

/// The words of a team's card: its rows, its questions, and what became of an action. Which rows somebody sees is decided
/// by who they are in the team. Source of the Chinese texts: NIMKit's team cards.
package enum TeamCardText: String, Sendable, CaseIterable {
    case rowPicture = "row.picture"
    case rowMembers = "row.members"
    case rowKind = "row.kind"
    case rowKindNormal = "row.kind.normal"
    case rowKindAdvanced = "row.kind.advanced"
    case rowKindLarge = "row.kind.large"
    case rowDiscussionName = "row.discussionName"
    case rowName = "row.name"
    case rowNick = "row.nick"
    case rowIntroduction = "row.introduction"
    case rowIntroductionEmpty = "row.introduction.empty"
    case rowNotice = "row.notice"
    case rowNoticeOpen = "row.notice.open"
    case rowMute = "row.mute"
    case rowMutedList = "row.mutedList"
    case rowAlerts = "row.alerts"
    case rowPinned = "row.pinned"
    case rowJoinMode = "row.joinMode"
    case rowInviteMode = "row.inviteMode"
    case rowUpdateMode = "row.updateMode"
    case rowInviteeMode = "row.inviteeMode"
    case rowLeaveDiscussion = "row.leaveDiscussion"
    case rowLeave = "row.leave"
    case rowDismiss = "row.dismiss"
    case rowTransfer = "row.transfer"
    case rowTransferAndLeave = "row.transferAndLeave"
    case rowInvite = "row.invite"
    case rowMemberCard = "row.memberCard"
    case rowRole = "row.role"
    case rowInviter = "row.inviter"
    case rowInviterUnknown = "row.inviter.unknown"
    case rowMemberMute = "row.memberMute"
    case rowRemove = "row.remove"
    case rowMakeManager = "row.makeManager"
    case rowUnmakeManager = "row.unmakeManager"
    case rowMe = "row.me"
    case valueOn = "value.on"
    case valueOff = "value.off"
    case confirmLeaveDiscussion = "confirm.leaveDiscussion"
    case confirmLeave = "confirm.leave"
    case confirmDismiss = "confirm.dismiss"
    case resultInvited = "result.invited"
    case resultInvitedWaiting = "result.invitedWaiting"
    case resultInviteFailed = "result.inviteFailed"
    case resultRemoveFailed = "result.removeFailed"
    case resultChanged = "result.changed"
    case resultChangeFailed = "result.changeFailed"
    case resultTransferred = "result.transferred"
    case resultTransferFailed = "result.transferFailed"
    case resultNotMember = "result.notMember"
    case resultFailed = "result.failed"

    /// - Parameter code: the number of what failed, for the results that show one.
    package func text(_ texts: Texts, code: Int? = nil) -> String {
        texts("card.\(self.rawValue)", code.map { ["code": String($0)] } ?? [:])
    }
}

/// The texts of a team's card that have values in them.
extension TeamCard {
    /// Over the list of members, which comes in pages from 1.
    package static func membersTitle(page: Int, of pages: Int, _ texts: Texts) -> String {
        texts("card.title.members", ["page": String(page), "pages": String(pages)])
    }

    /// Title of the list of muted members.
    package static func mutedTitle(count: Int, _ texts: Texts) -> String {
        texts("card.title.muted", ["count": String(count)])
    }

    /// - Parameter date: from `TimeLabel`.
    package static func created(_ date: String, _ texts: Texts) -> String { texts("card.created", ["date": date]) }

    /// Text of an invitation without words by the inviter.
    package static func invitation(_ team: TeamWord, _ texts: Texts) -> String {
        texts(team == .normal ? "card.invitation.normal" : "card.invitation.advanced")
    }

    /// Title of a row.
    package static func title(of row: TeamCardRow.Name, in form: TeamForm, _ texts: Texts) -> String {
        texts(row.titleKey(in: form))
    }

    /// Value of a row, from the word or the text that the admin socket has for it.
    package static func value(_ value: String, of row: TeamCardRow.Name, _ texts: Texts) -> String {
        row.valueKey(value).map { texts($0) } ?? PlainLine.of(value, maximum: MessageDigest.maximumCharacters)
    }

    /// Why somebody may not use a row, from the word that the admin socket has for it.
    package static func refusal(_ word: String, _ texts: Texts) -> String { texts("card.refusal.\(word)") }

    /// How far a message of a group was read: by how many it was not, or that all have read it.
    package static func readState(unread: Int64, _ texts: Texts) -> String {
        unread > 0 ? texts.counted("message.unread", unread) : texts("message.readByAll")
    }
}
