import AdminAPI
import ChatModel

extension AdminTeamRequest {
    /// The same refusal with the rule that says no, and what to do, where the store only says that it cannot be done.
    func namingRule(_ error: AdminError) -> AdminError {
        guard error.code == .refused, let rule = self.rule(behind: error.message) else { return error }
        return AdminError(.refused, rule)
    }

    private func rule(behind message: String) -> String? {
        if case .invite = self, case .some(let limit) = Self.limit(in: message) {
            return "the group holds \(limit) members: raise its limit, or remove somebody first"
        }
        guard message == ActionRefusal.notApplicable.description else { return nil }
        switch self {
        case .announce, .setNotice: return "a discussion group has no announcements: make an advanced group for that"
        case .set(_, let patch): return patch.ruleOfAdvancedGroups
        case .setRole:
            return """
                a discussion group has no managers, and the role of an owner stays: make an advanced group, or hand the \
                group over
                """
        case .answer, .apply:
            return "a discussion group has no approval of requests to join: make an advanced group for that"
        case .mute, .setBanned, .create, .invite, .remove, .setNickname, .transfer, .dismiss:
            return "a discussion group has no such rule: make an advanced group for that"
        case .show, .announcements, .card, .requests, .withdraw: return nil
        }
    }

    /// The most members of a group, in the refusal of more.
    private static func limit(in message: String) -> Int? {
        let words = message.split(separator: " ")
        guard words.count > 4, let limit = Int(words[3]) else { return nil }
        return message == ActionRefusal.tooMany(limit: limit).description ? limit : nil
    }
}

extension AdminTeamPatch {
    /// The first of what it sets that discussion groups do not have, as a sentence.
    fileprivate var ruleOfAdvancedGroups: String {
        if self.introduction != nil {
            return "a discussion group has no introduction: make an advanced group for that"
        }
        if self.modes.join != nil {
            return "a discussion group has no approval of requests to join: make an advanced group for that"
        }
        if self.modes.invite != nil || self.modes.beInvited != nil {
            return "a discussion group has no rule of who may invite: make an advanced group for that"
        }
        return "a discussion group has no such rule: make an advanced group for that"
    }
}
