import APIKit
import ByteCodec
import ChatModel
import Store

/// Settings of a team that the open server does not have, for apps that go beyond it: in the card of a group, and in what
/// changes it. The numbers are NetEase IM's, as the store has them.
struct GroupModes: Sendable {
    private var modes = TeamModesPatch()
    private var introduction: String?

    /// Reads those that a body has.
    ///
    /// - Returns: `nil` when it has none.
    /// - Throws: for a number that is none of the setting, and for a setting named twice, in the open server's words too.
    init?(_ fields: APIFields) throws(APIFailure) {
        self.modes.join = try Self.mode("join_mode", fields)
        self.modes.invite = try Self.mode("invite_mode", fields)
        self.modes.beInvited = try Self.mode("be_invite_mode", fields)
        self.modes.updateInfo = try Self.mode("update_info_mode", fields)
        self.modes.mute = try Self.mode("mute_mode", fields)
        self.introduction = try fields.optionalText("introduction")
        if self.modes.invite != nil, try fields.optionalSwitch("invite") != nil {
            throw .bad("invite and invite_mode are the same setting: send one of them")
        }
        if self.modes.mute != nil, try fields.optionalSwitch("forbidden") != nil {
            throw .bad("forbidden and mute_mode are the same setting: send one of them")
        }
        if self.modes.modes.isEmpty && self.introduction == nil { return nil }
    }

    private static func mode<Mode: RawRepresentable & CaseIterable>(
        _ name: String, _ fields: APIFields
    ) throws(APIFailure) -> Mode? where Mode.RawValue == Int64 {
        guard let number = try fields.optionalInteger(name) else { return nil }
        guard let mode = Mode(rawValue: number) else {
            throw .bad("\(name) must be one of \(Mode.allCases.map { String($0.rawValue) }.joined(separator: ", "))")
        }
        return mode
    }

    /// Makes the changes, as far as the person may.
    func apply(to id: ConversationID, by actor: Actor, _ store: WriteTransaction) throws(StoreError) {
        if let introduction { try store.teams.setIntroduction(of: id, introduction, by: actor) }
        if !self.modes.modes.isEmpty { try store.teams.setModes(of: id, self.modes, by: actor) }
    }

    /// Members of a group's card; none for what is no team.
    static func row(_ team: Team?) -> JSONValue {
        guard let team else { return .object([]) }
        let (settings, flags) = (team.settings, team.conversation.flags)
        return .fields(
            ("team_type", .integer(settings.form.rawValue)), ("join_mode", .integer(settings.join.rawValue)),
            ("invite_mode", .integer(flags.inviteMode.rawValue)),
            ("be_invite_mode", .integer(settings.beInvited.rawValue)),
            ("update_info_mode", .integer(settings.updateInfo.rawValue)),
            ("mute_mode", .integer(flags.muteMode.rawValue)), ("introduction", .text(team.introduction)))
    }
}
