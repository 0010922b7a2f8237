/// Requests about the cloud functions of an app: functions that are called before and after events.
package enum AdminHookRequest: Equatable, Sendable {
    /// Lists every function that is called, with statistics of its calls.
    case list
    /// Disables a function until the next start of the server, or enables it again.
    case setDisabled(String, Bool)
}

/// A cloud function, with statistics of its calls since the server started.
package struct AdminHookFunction: AdminRecord {
    /// Name of the function.
    package var name: String
    /// Number of calls.
    package var calls: Int64
    /// Number of calls that failed.
    package var failures: Int64
    /// Number of calls in which the function refused what it was asked.
    package var rejections: Int64
    /// Duration of the last call, milliseconds; `nil` before the first.
    package var lastMilliseconds: Int64?
    /// Reason why the last call failed; `nil` when it succeeded.
    package var lastError: String?
    /// True when the function is not called.
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

extension AdminHookRequest: AdminDefinitions {
    static let all: [Self] = [.list, .setDisabled(.sample, .sample)]

    static let more: [Self] = [.setDisabled(.sample, false)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list:
            fields.look("hook.list", role: .observer)
            fields.ctl("hook list", examples: [""])
            return self
        case .setDisabled(let name, let isDisabled):
            fields.change("hook.disable", .text(name), inverse: .hooks(.setDisabled(name, !isDisabled)))
            fields.ctl(
                "hook \(isDisabled ? "disable" : "enable")",
                says: isDisabled ? "ctl.hook.disabled" : "ctl.hook.enabled", evenForNone: true, ["name": name],
                examples: ["_messageReceived"])
            return try .setDisabled(
                fields("name", name, .argument("FUNCTION", "argument.hookFunction")), fields("disabled", isDisabled))
        }
    }
}

/// Answers about cloud functions.
package enum AdminHookAnswer: AdminFamily {
    /// Functions by name. `dropped`: number of events that no function was told, because the queue was full.
    case functions([AdminHookFunction], dropped: Int64)
    /// State after the request.
    case function(AdminHookFunction)

    static let all: [Self] = [.functions(.sample, dropped: .sample), .function(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .functions(let hooks, let dropped):
            try .functions(fields.named("hooks")("hooks", hooks), dropped: fields("dropped", dropped))
        case .function(let function): try .function(fields.named("hook").inline(function))
        }
    }
}
