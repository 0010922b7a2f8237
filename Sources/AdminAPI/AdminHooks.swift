/// What an operator can ask about the cloud functions of an app, which are asked before and told after things happen.
package enum AdminHookRequest: Hashable, Sendable {
    /// Every function that is called, with how its calls go.
    case list
    /// A function that is not called any more until the next start, or is again.
    case setDisabled(String, Bool)
}

/// A cloud function, and how its calls have gone since the server started.
package struct AdminHookFunction: AdminRecord {
    package var name: String
    package var calls: Int64
    package var failures: Int64
    /// Questions that it answered with no.
    package var rejections: Int64
    /// Of the last call; `nil` before the first.
    package var lastMilliseconds: Int64?
    /// Why the last call failed; `nil` when it did not.
    package var lastError: String?
    package var isDisabled: Bool

    package init(
        name: String, calls: Int64 = 0, failures: Int64 = 0, rejections: Int64 = 0, lastMilliseconds: Int64? = nil,
        lastError: String? = nil, isDisabled: Bool = false
    ) {
        self.name = name
        self.calls = calls
        self.failures = failures
        self.rejections = rejections
        self.lastMilliseconds = lastMilliseconds
        self.lastError = lastError
        self.isDisabled = isDisabled
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.calls = try fields("calls", \.calls)
        self.failures = try fields("failures", \.failures)
        self.rejections = try fields("rejections", \.rejections)
        self.lastMilliseconds = try fields("lastMilliseconds", \.lastMilliseconds)
        self.lastError = try fields("lastError", \.lastError)
        self.isDisabled = try fields("disabled", \.isDisabled)
    }
}

extension AdminHookRequest: AdminOperations {
    static let all: [Self] = [
        .list, .setDisabled(.sample, .sample),
    ]

    package var operation: AdminOperation {
        switch self {
        case .list: .look("hook.list", ctl: ctl("hook list"))
        case .setDisabled(let name, let isDisabled):
            .change(
                "hook.disable", name, ctl: ctl("hook \(isDisabled ? "disable" : "enable")", .word(name)),
                inverse: .hooks(.setDisabled(name, !isDisabled)))
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list: self
        case .setDisabled(let name, let disabled): try .setDisabled(fields("name", name), fields("disabled", disabled))
        }
    }
}

/// What the server answers about cloud functions.
package enum AdminHookAnswer: Hashable, Sendable {
    /// By name. `dropped`: news that were not told, because too much waited.
    case functions([AdminHookFunction], dropped: Int64)
    /// As it is now.
    case function(AdminHookFunction)
}

extension AdminHookAnswer: AdminFamily {
    static let all: [Self] = [
        .functions(.sample, dropped: .sample), .function(.sample),
    ]

    var word: String {
        switch self {
        case .functions: "hooks"
        case .function: "hook"
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .functions(let hooks, let dropped):
            try .functions(fields("hooks", hooks), dropped: fields("dropped", dropped))
        case .function(let function): try .function(fields.inline(function))
        }
    }
}
