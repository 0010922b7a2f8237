package import ChatModel

/// Requests about the sign-in policy: sessions that may be open at the same time.
package enum AdminPolicyRequest: AdminDefinitions {
    case show
    /// Lists the sessions that this policy would end. Changes nothing.
    case preview(SignInPolicy)
    /// Sets the policy for sign-ins from now on. With `endingNow` it also ends the sessions that a preview lists.
    case set(SignInPolicy, endingNow: Bool)

    static let all: [Self] = [.show, .preview(.sample), .set(.sample, endingNow: .sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .show:
            fields.look("policy.show", role: .observer)
            fields.ctl("policy show", examples: [""])
            return self
        case .preview(let policy):
            fields.look("policy.preview", role: .observer)
            fields.ctl("policy preview", examples: ["one-per-class", "'*=1' app=2 'desktop!web'"])
            return try .preview(fields("policy", policy, .words("POLICY", "argument.policy")))
        case .set(let policy, let endingNow):
            fields.change("policy.set", .policy)
            fields.asks(
                endingNow ? "console.policy.applyNow" : "console.policy.apply",
                ["console.policy.applyConsequence"] + (endingNow ? ["console.users.kickConsequence"] : []), of: [],
                ["policy": policy.text])
            fields.ctl(
                "policy set", says: "ctl.policy.set",
                examples: ["pc-and-web-exclusive", "'*=level' app=2 'desktop!web' --end"])
            return try .set(
                fields("policy", policy, .words("POLICY", "argument.policy")),
                endingNow: fields("end", endingNow, .flag("end", "option.policyEnd")))
        }
    }
}

/// Answers about policies. `policy` is the text of `SignInPolicy`, `preset` the word of a known one.
package enum AdminPolicyAnswer: AdminFamily {
    /// Policy that is set.
    case policy(SignInPolicy)
    /// Sessions that would end, at most `AdminProtocol.pageRows`, and their number.
    case preview([AdminSession], count: Int64)
    /// Policy that was set, and the number of sessions that it ended.
    case changed(SignInPolicy, ended: Int64)

    static let all: [Self] = [.policy(.sample), .preview(.sample, count: .sample), .changed(.sample, ended: .sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .policy(let policy): try .policy(Self.pass(policy, fields.named("policy")))
        case .preview(let sessions, let count):
            try .preview(fields.named("policy.preview")("sessions", sessions), count: fields("count", count))
        case .changed(let policy, let ended):
            try .changed(Self.pass(policy, fields.named("policy.changed")), ended: fields("ended", ended))
        }
    }

    private static func pass(
        _ policy: SignInPolicy, _ fields: AdminFields<Self>
    ) throws(AdminError) -> SignInPolicy {
        let policy = try fields("policy", policy)
        // For people; the policy says it all.
        let _: String? = try fields("preset", policy.preset?.rawValue)
        return policy
    }
}

extension SignInPolicy {
    /// The word of a preset, or the parts of its text, as a shell takes them.
    func words(at place: CommandPlace) -> [String]? {
        (self.preset?.rawValue ?? self.text).split(separator: " ").map { String($0) }
    }

    init(words: [String], at place: CommandPlace) throws(AdminError) {
        try self.init(.string(words.joined(separator: " ")), place.name)
    }
}
