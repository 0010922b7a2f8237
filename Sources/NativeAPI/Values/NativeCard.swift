import ByteCodec
import ChatModel
import Localization
import Profiles
import Store

/// The card of a conversation as one person sees it: the one place that writes the value `Card`.
struct NativeCard: Sendable {
    private let conversation: Conversation
    private let team: Team?
    private let viewer: TeamViewer

    /// - Throws: `refused(.noSuchConversation)` for who is not in it.
    init(
        _ id: ConversationID, for user: UserID, at now: Int64, in store: ReadTransaction
    ) throws(StoreError) {
        guard let conversation = try store.conversations.one(id), try store.conversations.member(user, in: id) != nil
        else {
            throw .refused(.noSuchConversation)
        }
        self.conversation = conversation
        self.team = try store.teams.one(id, at: now)
        self.viewer = try store.teams.viewer(user, of: id)
    }

    /// Words of the rows that show something.
    static let rows = [
        "picture", "title", "nickname", "introduction", "announcement", "members", "muted", "form", "muteAll", "notify",
        "pin", "join", "invite", "updateInfo", "beInvited",
    ]
    /// Words of the rows that do something.
    static let actions = ["invite", "remove", "leave", "dismiss", "handOver", "handOverAndLeave", "clearHistory"]

    /// Shape of the value.
    static let shape = Shape.object([
        .required("conversation", NativeID.conversation), .required("kind", .choice(NativeConversation.kinds)),
        .optional("form", .choice(TeamForm.allCases.map(\.word)), "Of a group."),
        .required(
            "rows",
            .list(
                .object([
                    .required("row", .choice(Self.rows)), .required("label", .anyText),
                    .optional("value", .anyText, "As PATCH takes it."),
                    .optional("shown", .anyText, "The value in words."),
                    .optional(
                        "choices",
                        .list(.object([.required("value", .anyText), .required("label", .anyText)]), 1...8)),
                    .required("canChange", .flag), .optional("no", Self.refusal, "Why it cannot be changed."),
                ]), 0...Self.rows.count)),
        .required(
            "actions",
            .list(
                .object([
                    .required("action", .choice(Self.actions)), .required("label", .anyText),
                    .required("allowed", .flag), .optional("no", Self.refusal),
                ]), 0...Self.actions.count)),
    ])

    private static let refusal = Shape.object([
        .required("code", .choice(ProblemCode.allCases.map(\.rawValue))),
        .optional("setting", .anyText, "Setting of the team that says no."), .required("detail", .anyText),
    ])

    /// Place of a row of the model's card in the answer.
    private enum Place {
        case row(String)
        case action(String)
    }

    private static func place(of name: TeamCardRow.Name) -> Place? {
        switch name {
        case .header: .row("picture")
        case .name: .row("title")
        case .nickname: .row("nickname")
        case .introduction: .row("introduction")
        case .announcement: .row("announcement")
        case .members: .row("members")
        case .mutedList: .row("muted")
        case .kind: .row("form")
        case .mute: .row("muteAll")
        case .alerts: .row("notify")
        case .pinned: .row("pin")
        case .joinMode: .row("join")
        case .inviteMode: .row("invite")
        case .updateInfoMode: .row("updateInfo")
        case .beInvitedMode: .row("beInvited")
        case .invite: .action("invite")
        case .remove: .action("remove")
        case .leave: .action("leave")
        case .dismiss: .action("dismiss")
        case .transfer: .action("handOver")
        case .transferAndLeave: .action("handOverAndLeave")
        case .memberHeader, .memberNickname, .memberRole, .memberInviter, .memberMute, .memberRemove: nil
        }
    }

    /// Values that a row can be changed to, where they are words.
    private func choices(of name: TeamCardRow.Name) -> [String] {
        switch name {
        case .mute: TeamMuteMode.allCases.map(\.word)
        case .alerts: TeamAlerts.choices(in: self.team?.settings.form).map(\.rawValue)
        case .joinMode: TeamJoinMode.allCases.map(\.word)
        case .inviteMode: TeamInviteMode.allCases.map(\.word)
        case .updateInfoMode: TeamUpdateMode.allCases.map(\.word)
        case .beInvitedMode: TeamBeInvitedMode.allCases.map(\.word)
        case .header, .name, .nickname, .introduction, .announcement, .members, .mutedList, .kind, .pinned, .invite,
            .remove, .leave, .dismiss, .transfer, .transferAndLeave, .memberHeader, .memberNickname, .memberRole,
            .memberInviter, .memberMute, .memberRemove:
            []
        }
    }

    private var form: TeamForm { self.team?.settings.form ?? .advanced }

    /// Rows of the model's card; a conversation that is no team has those that everybody sets for themselves.
    private var cardRows: [TeamCardRow] {
        guard let team else {
            let own = [
                TeamCardRow(.alerts, 0, .alerts(self.viewer.alerts), .setAlerts),
                TeamCardRow(.pinned, 0, .flag(self.viewer.isPinned), .setPinned),
            ]
            guard self.conversation.kind.hasMemberList else { return own }
            return [TeamCardRow(.members, 0, .count(self.conversation.memberCount))] + own
        }
        return TeamCard.rows(team, self.viewer).map { row in
            // The model's row opens the announcements, which every member may; here it is written.
            guard row.name == .announcement else { return row }
            let refusal = teamRefusal(.announce, team.facts(.user, role: self.viewer.role))
            return TeamCardRow(row.name, row.section, row.value, .openAnnouncement, refusal)
        }
    }

    /// Writes the value.
    func write(to writer: inout JSONWriter, _ texts: Texts) {
        let rows = self.cardRows
        writer.beginObject()
        writer.text("conversation", NativeID.text(self.conversation.id))
        writer.text("kind", NativeConversation.word(self.conversation.kind))
        writer.text("form", self.team?.settings.form.word)
        writer.key("rows")
        writer.beginArray()
        for row in rows {
            if case .row(let word) = Self.place(of: row.name) { self.write(row, word, to: &writer, texts) }
        }
        writer.endArray()
        writer.key("actions")
        writer.beginArray()
        for row in rows {
            guard case .action(let word) = Self.place(of: row.name) else { continue }
            let label = TeamCard.title(of: row.name, in: self.form, texts)
            Self.writeAction(word, label, row.refusal, to: &writer, texts)
        }
        Self.writeAction("clearHistory", texts("card.row.clearHistory"), nil, to: &writer, texts)
        writer.endArray()
        writer.endObject()
    }

    private func write(_ row: TeamCardRow, _ word: String, to writer: inout JSONWriter, _ texts: Texts) {
        let value = row.value.word
        let choices = self.choices(of: row.name)
        let isOnlyOpened = row.action == .openMembers || row.action == .openMuted
        writer.beginObject()
        writer.text("row", word)
        writer.text("label", TeamCard.title(of: row.name, in: self.form, texts))
        writer.text("value", value.isEmpty ? nil : value)
        if !choices.isEmpty || row.name == .kind { writer.text("shown", TeamCard.value(value, of: row.name, texts)) }
        if !choices.isEmpty {
            writer.key("choices")
            writer.beginArray()
            for choice in choices {
                writer.beginObject()
                writer.text("value", choice)
                writer.text("label", TeamCard.value(choice, of: row.name, texts))
                writer.endObject()
            }
            writer.endArray()
        }
        writer.flag("canChange", row.isEditable && !isOnlyOpened)
        if !isOnlyOpened { Self.write(row.refusal, to: &writer, texts) }
        writer.endObject()
    }

    private static func writeAction(
        _ word: String, _ label: String, _ refusal: TeamRefusal?, to writer: inout JSONWriter, _ texts: Texts
    ) {
        writer.beginObject()
        writer.text("action", word)
        writer.text("label", label)
        writer.flag("allowed", refusal == nil)
        self.write(refusal, to: &writer, texts)
        writer.endObject()
    }

    private static func write(_ refusal: TeamRefusal?, to writer: inout JSONWriter, _ texts: Texts) {
        guard let refusal else { return }
        writer.key("no")
        writer.beginObject()
        writer.text("code", Problem(refusal.action).code.rawValue)
        writer.text("setting", refusal.setting)
        writer.text("detail", TeamCard.refusal(refusal.word, texts))
        writer.endObject()
    }
}
