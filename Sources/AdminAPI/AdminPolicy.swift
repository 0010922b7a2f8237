package import ChatModel

/// What an operator can ask about which sessions exclude each other.
package enum AdminPolicyRequest: Hashable, Sendable {
    case show
    /// Which sessions would not be open under this policy. Changes nothing.
    case preview(SignInPolicy)
    /// Holds from the next sign-in on; with `endingNow` also for the sessions that a preview shows, which end.
    case set(SignInPolicy, endingNow: Bool)
}

extension AdminPolicyRequest: AdminOperations {
    static let all: [Self] = [
        .show, .preview(.sample), .set(.sample, endingNow: .sample),
    ]

    package var operation: AdminOperation {
        switch self {
        case .show: .look("policy.show", ctl: ctl("policy show"))
        case .preview(let policy): .look("policy.preview", ctl: ctl("policy preview", .words(policy.words)))
        case .set(let policy, let endingNow):
            .change("policy.set", ctl: ctl("policy set", .words(policy.words), .flag("end", endingNow)))
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .show: self
        case .preview(let policy): try .preview(fields("policy", policy))
        case .set(let policy, let endingNow): try .set(fields("policy", policy), endingNow: fields("end", endingNow))
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

extension AdminPolicyAnswer: AdminFamily {
    static let all: [Self] = [
        .policy(.sample), .preview(.sample, count: .sample), .changed(.sample, ended: .sample),
    ]

    var word: String {
        switch self {
        case .policy: "policy"
        case .preview: "policy.preview"
        case .changed: "policy.changed"
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .policy(let policy): try .policy(Self.pass(policy, fields))
        case .preview(let sessions, let count):
            try .preview(fields("sessions", sessions), count: fields("count", count))
        case .changed(let policy, let ended):
            try .changed(Self.pass(policy, fields), ended: fields("ended", ended))
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
    fileprivate var words: [String] {
        (self.preset?.rawValue ?? self.text).split(separator: " ").map { String($0) }
    }
}
