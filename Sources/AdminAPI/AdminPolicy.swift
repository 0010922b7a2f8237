package import ChatModel

/// What an operator can ask about which sessions exclude each other.
package enum AdminPolicyRequest: Hashable, Sendable {
    case show
    /// Which sessions would not be open under this policy. Changes nothing.
    case preview(SignInPolicy)
    /// Holds from the next sign-in on; with `endingNow` also for the sessions that a preview shows, which end.
    case set(SignInPolicy, endingNow: Bool)
}

extension AdminPolicyRequest {
    var word: String {
        switch self {
        case .show: "policy.show"
        case .preview: "policy.preview"
        case .set: "policy.set"
        }
    }

    var isChange: Bool {
        switch self {
        case .show, .preview: false
        case .set: true
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .show: break
        case .preview(let policy): fields.text("policy", policy.text)
        case .set(let policy, let endingNow):
            fields.text("policy", policy.text)
            fields.flag("end", endingNow)
        }
    }

    /// - Returns: `nil` for a word that is none of policies.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "policy.show": self = .show
        case "policy.preview": self = .preview(try with.policy("policy"))
        case "policy.set": self = .set(try with.policy("policy"), endingNow: try with.flag("end"))
        default: return nil
        }
    }
}

/// What the server answers about policies. `policy` is the text of `SignInPolicy`, `preset` the word of one that is known.
package enum AdminPolicyAnswer: Hashable, Sendable {
    /// The one that holds.
    case policy(SignInPolicy)
    /// Sessions that would end, at most `AdminProtocol.pageRows` of them, and how many there are.
    case preview([AdminSession], count: Int64)
    /// It holds, and so many sessions were ended.
    case changed(SignInPolicy, ended: Int64)
}

extension AdminPolicyAnswer {
    var word: String {
        switch self {
        case .policy: "policy"
        case .preview: "policy.preview"
        case .changed: "policy.changed"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .policy(let policy): Self.write(policy, to: &fields)
        case .preview(let sessions, let count):
            fields.records("sessions", sessions)
            fields.number("count", count)
        case .changed(let policy, let ended):
            Self.write(policy, to: &fields)
            fields.number("ended", ended)
        }
    }

    private static func write(_ policy: SignInPolicy, to fields: inout FieldWriter) {
        fields.text("policy", policy.text)
        fields.text("preset", policy.preset?.rawValue)
    }

    /// - Returns: `nil` for a word that is none of policies.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "policy": self = .policy(try with.policy("policy"))
        case "policy.preview": self = .preview(try with.records("sessions"), count: try with.number("count"))
        case "policy.changed": self = .changed(try with.policy("policy"), ended: try with.number("ended"))
        default: return nil
        }
    }
}

extension FieldReader {
    fileprivate func policy(_ key: String) throws(AdminError) -> SignInPolicy {
        let text = try self.text(key)
        do throws(SignInPolicyError) {
            return try SignInPolicy(text)
        } catch {
            throw AdminError(.invalid, error.description)
        }
    }
}
