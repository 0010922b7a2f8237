package import ChatModel

/// What an operator can ask about settings: those of conversations, those of the server's file, and limits.
package enum AdminSettingsRequest: Hashable, Sendable {
    case list
    case show(String)
    /// A setting of the file holds everywhere, and has no other scope.
    case set(String, SessionScope, String)
    /// Takes back what was set; of a setting of the file, to what the file says.
    case reset(String, SessionScope)
    /// What holds for a person in a conversation, which is named as in `AdminRequest.listMessages`; without a person, for
    /// a plain member.
    case effective(conversation: String, user: UserName?)
    case limits
}

extension AdminSettingsRequest: AdminOperations {
    static let all: [Self] = [
        .list, .show(.sample), .set(.sample, .sample, .sample), .reset(.sample, .sample),
        .effective(conversation: .sample, user: .sample), .limits,
    ]

    package var operation: AdminOperation {
        switch self {
        case .list: .look("setting.list", ctl: ctl("setting list"))
        case .show(let name): .look("setting.show", name, ctl: ctl("setting show", .word(name)))
        case .set(let name, let scope, let value):
            .change("setting.set", name, ctl: ctl("setting set", .word(name), scope.option, .word(value)))
        case .reset(let name, let scope):
            .change("setting.reset", name, ctl: ctl("setting reset", .word(name), scope.option))
        case .effective(let conversation, let user):
            .look(
                "setting.effective", conversation,
                ctl: ctl("setting effective", .word(conversation), .option("user", user?.text)))
        case .limits: .look("setting.limits", ctl: ctl("setting limits"))
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list: self
        case .show(let name): try .show(fields("name", name))
        case .set(let name, let scope, let value):
            try .set(fields("name", name), fields.inline(scope), fields("value", value))
        case .reset(let name, let scope): try .reset(fields("name", name), fields.inline(scope))
        case .effective(let conversation, let user):
            try .effective(conversation: fields("conversation", conversation), user: fields("user", user))
        case .limits: self
        }
    }
}

extension SessionScope: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.init()
        self.kind = try fields("kind", \.kind)
        self.role = try fields("role", \.role)
    }

    /// `group`, `group/manager`, `*/manager`, `*`: as operators write it.
    package var text: String {
        let kind = self.kind?.word ?? "*"
        return self.role.map { "\(kind)/\($0.word)" } ?? kind
    }

    fileprivate var option: CommandPart { .option("in", self == .everywhere ? nil : self.text) }

    /// Reads what `text` writes.
    package init(_ text: String) throws(AdminError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count) else {
            throw AdminError(.invalid, "\(text) is no scope: write KIND, KIND/ROLE or */ROLE, such as group/manager")
        }
        self.init()
        if parts[0] != "*" { self.kind = try Self.find(parts[0]) }
        if parts.count == 2, parts[1] != "*" { self.role = try Self.find(parts[1]) }
    }

    private static func find<Value: AdminWord & AdminText>(_ word: String) throws(AdminError) -> Value {
        guard let value = Value(word: word) else { throw Value.refusal(of: word, "scope") }
        return value
    }
}

/// What the server answers about settings.
package enum AdminSettingsAnswer: Hashable, Sendable {
    case list([AdminSetting])
    case one(AdminSetting)
    case effective([AdminEffectiveSetting])
    case limits([AdminSettingLimit])
}

extension AdminSettingsAnswer: AdminFamily {
    static let all: [Self] = [
        .list(.sample), .one(.sample), .effective(.sample), .limits(.sample),
    ]

    var word: String {
        switch self {
        case .list: "settings"
        case .one: "setting"
        case .effective: "setting.effective"
        case .limits: "setting.limits"
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let settings): try .list(fields("settings", settings))
        case .one(let one): try .one(fields.inline(one))
        case .effective(let settings): try .effective(fields("settings", settings))
        case .limits(let limits): try .limits(fields("limits", limits))
        }
    }
}

/// A setting, what it is, and what it may be.
package struct AdminSetting: AdminRecord {
    /// What a setting is about.
    package enum Group: String, AdminWord, AdminText {
        /// Conversations: `SessionSetting`. Has scopes, is always live.
        case session
        /// The server: a key of its file.
        case server
    }

    /// What may stand behind it.
    package enum Form: String, AdminWord, AdminText {
        case number
        case flag
        case choice
        case text
        /// Several words or texts, with commas between.
        case list
    }

    package var name: String
    /// One sentence about a setting of the server, in English; empty for others, of which `setting.about.NAME` in the
    /// language files tells.
    package var about: String
    package var group: Group
    package var form: Form
    /// In words, for people: `0 to 100000 characters`.
    package var bounds: String
    /// Of a choice, or a list of known words; empty for anything.
    package var choices: [String]
    /// As operators write values: `5000`, `on`, `camera,file`.
    package var builtIn: String
    /// What holds where nothing more specific is said.
    package var value: String
    /// Where `value` is from: `built in`, a line of the file, a flag, `console` for what was set at run time.
    package var origin: String
    /// Whether a change holds at once; otherwise it cannot be set here, and needs the file and a restart.
    package var isLive: Bool
    /// Whether the server holds people to it, and not only clients read it.
    package var isEnforced: Bool
    /// Where it was set otherwise.
    package var overrides: [AdminSettingOverride]

    package init(
        name: String, about: String = "", group: Group, form: Form, bounds: String, choices: [String] = [],
        builtIn: String, value: String,
        origin: String, isLive: Bool, isEnforced: Bool, overrides: [AdminSettingOverride] = []
    ) {
        self.name = name
        self.about = about
        self.group = group
        self.form = form
        self.bounds = bounds
        self.choices = choices
        self.builtIn = builtIn
        self.value = value
        self.origin = origin
        self.isLive = isLive
        self.isEnforced = isEnforced
        self.overrides = overrides
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.about = try fields("about", \.about)
        self.group = try fields("group", \.group)
        self.form = try fields("form", \.form)
        self.bounds = try fields("bounds", \.bounds)
        self.choices = try fields("choices", \.choices)
        self.builtIn = try fields("builtIn", \.builtIn)
        self.value = try fields("value", \.value)
        self.origin = try fields("origin", \.origin)
        self.isLive = try fields("live", \.isLive)
        self.isEnforced = try fields("enforced", \.isEnforced)
        self.overrides = try fields("overrides", \.overrides)
    }
}

/// A value for some conversations or roles.
package struct AdminSettingOverride: AdminRecord {
    package var scope: SessionScope
    package var value: String

    package init(_ scope: SessionScope, _ value: String) {
        self.scope = scope
        self.value = value
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.scope = try fields.inline(\.scope)
        self.value = try fields("value", \.value)
    }
}

/// What holds for somebody somewhere.
package struct AdminEffectiveSetting: AdminRecord {
    package var name: String
    package var value: String
    /// Where the value was set; `nil` when it is the built-in one.
    package var scope: SessionScope?

    package init(_ name: String, _ value: String, from scope: SessionScope?) {
        self.name = name
        self.value = value
        self.scope = scope
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.value = try fields("value", \.value)
        self.scope = try fields("scope") { $0.scope.map { ScopeText(scope: $0) } }?.scope
    }
}

/// A limit, and what can be done about it.
package struct AdminSettingLimit: AdminRecord {
    package var limit: AdminLimit
    /// The setting that moves it; `nil` when it is fixed.
    package var setting: String?
    /// Whether that setting is live.
    package var isLive: Bool
    /// What is refused at the bound, and what to do: `limit.advice.` and this is the key of a sentence in the language
    /// files.
    package var advice: String

    package init(_ limit: AdminLimit, setting: String?, isLive: Bool, advice: String) {
        self.limit = limit
        self.setting = setting
        self.isLive = isLive
        self.advice = advice
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.limit = try fields.inline(\.limit)
        self.setting = try fields("setting", \.setting)
        self.isLive = try fields("live", \.isLive)
        self.advice = try fields("advice", \.advice)
    }
}

/// A scope as operators write it.
private struct ScopeText: AdminText {
    var scope: SessionScope

    static var sample: ScopeText { ScopeText(scope: .everywhere) }
    var spelling: String { self.scope.text }
}

extension ScopeText {
    init?(spelling: String) {
        guard let scope = try? SessionScope(spelling) else { return nil }
        self.scope = scope
    }
}
