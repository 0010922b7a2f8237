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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name)
        fields.number("calls", self.calls)
        fields.number("failures", self.failures)
        fields.number("rejections", self.rejections)
        fields.number("lastMilliseconds", self.lastMilliseconds)
        fields.text("lastError", self.lastError)
        fields.flag("disabled", self.isDisabled)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.text("name")
        self.calls = try fields.number("calls")
        self.failures = try fields.number("failures")
        self.rejections = try fields.number("rejections")
        self.lastMilliseconds = try fields.optionalNumber("lastMilliseconds")
        self.lastError = try fields.optionalText("lastError")
        self.isDisabled = try fields.flag("disabled")
    }
}

extension AdminHookRequest {
    var word: String {
        switch self {
        case .list: "hook.list"
        case .setDisabled: "hook.disable"
        }
    }

    var isChange: Bool {
        switch self {
        case .list: false
        case .setDisabled: true
        }
    }

    /// The name of the function.
    var subject: String? {
        switch self {
        case .list: nil
        case .setDisabled(let name, _): name
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list: break
        case .setDisabled(let name, let isDisabled):
            fields.text("name", name)
            fields.flag("disabled", isDisabled)
        }
    }

    /// - Returns: `nil` for a word that is none of functions.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "hook.list": self = .list
        case "hook.disable": self = .setDisabled(try with.text("name"), try with.flag("disabled"))
        default: return nil
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

extension AdminHookAnswer {
    var word: String {
        switch self {
        case .functions: "hooks"
        case .function: "hook"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .functions(let functions, let dropped):
            fields.records("hooks", functions)
            fields.number("dropped", dropped)
        case .function(let function): function.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of functions.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "hooks": self = .functions(try with.records("hooks"), dropped: try with.number("dropped"))
        case "hook": self = .function(try AdminHookFunction(with))
        default: return nil
        }
    }
}
