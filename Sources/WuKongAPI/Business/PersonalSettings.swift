import APIKit
import ByteCodec
import ChatModel

/// Settings of a person for one conversation. Source: TangSengDaoDao server, users/{uid}/setting and
/// groups/{no}/setting.
enum PersonalSettings {
    /// Switches that nothing here acts on: they are kept for the person's other devices.
    private static let further: Set<String> = [
        "chat_pwd_on", "screenshot", "revoke_remind", "receipt", "flame", "flame_second", "show_nick",
        "join_group_remind",
    ]

    /// - Returns: `nil` when none of the members is personal.
    /// - Throws: for a value of the wrong type.
    static func patch(_ fields: APIFields, _ body: JSONValue) throws(APIFailure) -> PreferencePatch? {
        var patch = PreferencePatch()
        patch.isSilenced = try fields.optionalSwitch("mute")
        patch.isPinned = try fields.optionalSwitch("top")
        patch.isSaved = try fields.optionalSwitch("save")
        patch.remark = try fields.optionalText("remark")
        let others = (body.object ?? []).filter { Self.further.contains($0.name) }
        for member in others where member.value.integer == nil { throw .bad("\(member.name) must be a whole number") }
        if !others.isEmpty { patch.settingsMergePatch = JSONValue.object(others).serialized() }
        return patch == PreferencePatch() ? nil : patch
    }
}
