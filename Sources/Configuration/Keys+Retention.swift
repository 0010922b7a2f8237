/// Rules of retention for one class of conversations.
package struct RetentionKeys: Sendable {
    /// Days after which a message is deleted.
    package let days: SettingKey<Int64>
    /// Newest messages that a conversation keeps.
    package let messages: SettingKey<Int64>
    /// Days after which an attachment is removed.
    package let attachmentDays: SettingKey<Int64>

    fileprivate init(_ name: String, _ places: String) {
        self.days = SettingKey<Int64>(
            "retention.\(name)_days", 0, in: 0...36_500, "days",
            "Time after which a message in \(places) is deleted; the newest of each conversation stays. 0 for never.")
        self.messages = SettingKey<Int64>(
            "retention.\(name)_messages", 0, in: 0...1_000_000_000, "messages",
            "Newest messages that each of them keeps; 0 for all.")
        self.attachmentDays = SettingKey<Int64>(
            "retention.\(name)_attachment_days", 0, in: 0...36_500, "days",
            "Time after which their attachments are removed although the message stays. 0 for never.")
    }

    fileprivate var definitions: [SettingDefinition] {
        [self.days.definition, self.messages.definition, self.attachmentDays.definition]
    }
}

/// Deletion of messages and attachments by age and number.
extension Keys {
    /// Rules for conversations of two people.
    package static let retentionDirect = RetentionKeys("direct", "conversations of two people")
    /// Rules for normal teams.
    package static let retentionNormalTeam = RetentionKeys("normal_team", "normal teams (discussion groups)")
    /// Rules for all other groups.
    package static let retentionAdvancedTeam = RetentionKeys("advanced_team", "all other groups")
    /// Rules for chat rooms and temporary conversations.
    package static let retentionRoom = RetentionKeys("room", "chat rooms and temporary conversations")
    /// Rules for system conversations.
    package static let retentionService = RetentionKeys("service", "system conversations")
    /// Rules for all other kinds of conversations.
    package static let retentionOther = RetentionKeys(
        "other", "communities, customer service and other kinds of WuKongIM's channels")
    /// Size from which attachments go before their message.
    package static let retentionAttachmentBytes = SettingKey<Int64>(
        "retention.attachment_bytes", 0, in: 0...(1 << 40), "bytes",
        "Size from which attachments go before their message; smaller ones stay as long as it does. 0 for all sizes.")

    static let retention: [SettingDefinition] =
        [
            retentionDirect, retentionNormalTeam, retentionAdvancedTeam, retentionRoom, retentionService,
            retentionOther,
        ].flatMap(\.definitions) + [retentionAttachmentBytes.definition]
}
