import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// A group, or any other conversation with members, as one of them sees it.
struct GroupView: Sendable {
    let conversation: Conversation
    let card: ConversationCard
    let member: Member?
    let preference: ConversationPreference

    private var attributes: JSONValue { .stored(self.card.attributes) }
    private var switches: JSONValue { .stored(self.preference.settings) }
    private var flags: ConversationFlags { self.conversation.flags }

    var number: String { self.conversation.channel?.text ?? "" }

    /// 0 closed by the operator, 1 normal, 2 disbanded. Source: TangSengDaoDao server, group status.
    private var status: Int64 {
        if self.flags.contains(.disbanded) { return 2 }
        return self.flags.contains(.banned) ? 0 : 1
    }

    /// The names of `row`, which no app gives its own keys.
    static let names: Set<String> = [
        "group_no", "group_type", "name", "remark", "notice", "logo", "mute", "top", "show_nick", "save", "forbidden",
        "invite", "chat_pwd_on", "screenshot", "revoke_remind", "join_group_remind", "receipt", "flame", "flame_second",
        "forbidden_add_friend", "allow_view_history_msg", "allow_member_pinned_message", "status", "member_count",
        "quit",
        "role", "forbidden_expir_time", "version", "created_at", "updated_at",
    ]

    /// Content of a channel's `extra`: the group, and what apps keep with it themselves.
    var extra: JSONValue {
        let own = (self.attributes.object ?? []).filter { !Self.names.contains($0.name) }
        return own.isEmpty ? self.row : self.row.adding(.object(own))
    }

    /// Source: TangSengDaoDao server, GroupResp.
    var row: JSONValue {
        let (attributes, switches) = (self.attributes, self.switches)
        let first = JSONValue.fields(
            ("group_no", .string(self.number)), ("group_type", .flag(self.flags.contains(.large))),
            ("name", .text(self.card.title)), ("remark", .text(self.preference.remark)),
            ("notice", .text(self.card.notice)), ("logo", .text(self.card.logo)),
            ("mute", .flag(self.preference.isSilenced)), ("top", .flag(self.preference.isPinned)),
            ("show_nick", switches.switchValue("show_nick")), ("save", .flag(self.preference.isSaved)),
            ("forbidden", .flag(self.flags.muteMode != .none)),
            ("invite", .flag(self.flags.contains(.invitationsNeedConsent))),
            ("chat_pwd_on", switches.switchValue("chat_pwd_on")),
            ("screenshot", switches.switchValue("screenshot", otherwise: 1)),
            ("revoke_remind", switches.switchValue("revoke_remind", otherwise: 1)),
            ("join_group_remind", switches.switchValue("join_group_remind")),
            ("receipt", switches.switchValue("receipt", otherwise: 1)))
        return first.adding(
            .fields(
                ("flame", switches.switchValue("flame")), ("flame_second", switches.switchValue("flame_second")),
                ("forbidden_add_friend", attributes.switchValue("forbidden_add_friend")),
                ("allow_view_history_msg", attributes.switchValue("allow_view_history_msg", otherwise: 1)),
                ("allow_member_pinned_message", .integer(0)),
                ("status", .integer(self.status)), ("member_count", .number(self.conversation.memberCount)),
                ("quit", .flag(self.member == nil)), ("role", .integer(self.member?.role.groupNumber ?? 0)),
                ("forbidden_expir_time", .integer(self.member?.mutedUntilSeconds ?? 0)),
                ("version", .integer(self.conversation.revision)),
                (
                    "created_at",
                    .string(BusinessTime.text(milliseconds: self.conversation.createdAtMilliseconds))
                ),
                (
                    "updated_at",
                    .string(BusinessTime.text(milliseconds: self.conversation.activeAtMilliseconds))
                )))
    }
}

extension MemberRole {
    /// Source: TangSengDaoDao server, GroupMemberRole: 1 is who made the group, 2 a manager.
    var groupNumber: Int64 {
        switch self {
        case .member: 0
        case .owner: 1
        case .manager: 2
        }
    }
}

extension Member {
    /// 0 for who is not muted; a muting without an end ends in 2106 for apps, whose numbers have 32 bits.
    var mutedUntilSeconds: Int64 { min(self.mutedUntilMilliseconds / 1_000, Int64(UInt32.max)) }
}

extension ReadTransaction {
    func view(of conversation: Conversation, for user: UserID) throws(StoreError) -> GroupView {
        GroupView(
            conversation: conversation,
            card: try self.conversations.card(of: conversation.id) ?? ConversationCard(conversation: conversation.id),
            member: try self.conversations.member(user, in: conversation.id),
            preference: try self.inbox.preference(of: user, in: conversation.id))
    }
}
