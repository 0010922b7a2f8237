import Configuration
import Store

extension RetentionRules {
    /// Rules of the configuration.
    init(_ settings: Settings) {
        self.init()
        for kind in RetentionClass.allCases {
            let keys = Self.keys(of: kind)
            self[kind] = RetentionRule(
                days: settings[keys.days], messages: settings[keys.messages],
                attachmentDays: settings[keys.attachmentDays])
        }
        self.attachmentBytes = settings[Keys.retentionAttachmentBytes]
    }

    private static func keys(of kind: RetentionClass) -> RetentionKeys {
        switch kind {
        case .direct: Keys.retentionDirect
        case .normalTeam: Keys.retentionNormalTeam
        case .advancedTeam: Keys.retentionAdvancedTeam
        case .room: Keys.retentionRoom
        case .service: Keys.retentionService
        case .other: Keys.retentionOther
        }
    }
}
