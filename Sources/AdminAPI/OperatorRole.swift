/// Role of an operator. Each role may use every operation of the roles before it.
package enum OperatorRole: String, AdminWord, Comparable {
    /// Looks at the server, its people and its settings: no texts of messages, no secrets, no changes.
    case observer
    /// Helps people and keeps order: reads conversations, ends sessions, mutes, recalls, answers requests to join.
    case helper
    /// Uses every operation.
    case administrator

    package static func < (one: OperatorRole, other: OperatorRole) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .observer: 0
        case .helper: 1
        case .administrator: 2
        }
    }

    /// Number of the refusal of an operation that needs a higher role.
    package static let refusalNumber: Int64 = 151

    /// Refusal of an operation that needs a higher role.
    ///
    /// - Parameter word: name of the operation: `user.add`.
    package func refusal(of word: String, needing least: OperatorRole) -> AdminError {
        AdminError(
            .notAllowed,
            "\(word) needs the role \(least.rawValue), and this account has the role \(self.rawValue): nothing was done"
        )
    }
}
