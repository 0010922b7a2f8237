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

extension AdminSettingsRequest {
    var word: String {
        switch self {
        case .list: "setting.list"
        case .show: "setting.show"
        case .set: "setting.set"
        case .reset: "setting.reset"
        case .effective: "setting.effective"
        case .limits: "setting.limits"
        }
    }

    var isChange: Bool {
        switch self {
        case .list, .show, .effective, .limits: false
        case .set, .reset: true
        }
    }

    var subject: String? {
        switch self {
        case .show(let name), .set(let name, _, _), .reset(let name, _): name
        case .effective(let conversation, _): conversation
        case .list, .limits: nil
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list, .limits: break
        case .show(let name): fields.text("name", name)
        case .set(let name, let scope, let value):
            fields.text("name", name)
            scope.write(to: &fields)
            fields.text("value", value)
        case .reset(let name, let scope):
            fields.text("name", name)
            scope.write(to: &fields)
        case .effective(let conversation, let user):
            fields.text("conversation", conversation)
            fields.text("user", user?.text)
        }
    }

    /// - Returns: `nil` for a word that is none of settings.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "setting.list": self = .list
        case "setting.show": self = .show(try with.text("name"))
        case "setting.set": self = .set(try with.text("name"), try SessionScope(with), try with.text("value"))
        case "setting.reset": self = .reset(try with.text("name"), try SessionScope(with))
        case "setting.effective":
            self = .effective(
                conversation: try with.text("conversation"), user: try with.optionalUserName("user"))
        case "setting.limits": self = .limits
        default: return nil
        }
    }
}

extension SessionScope {
    func write(to fields: inout FieldWriter) {
        fields.text("kind", self.kind.map(Word.of))
        fields.text("role", self.role.map(Word.of))
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.init()
        if let word = try fields.optionalText("kind") { self.kind = try Word.kind(word) }
        if let word = try fields.optionalText("role") { self.role = try Word.memberRole(word) }
    }

    /// `group`, `group/manager`, `*/manager`, `*`: as operators write it.
    package var text: String {
        let kind = self.kind.map(Word.of) ?? "*"
        return self.role.map { "\(kind)/\(Word.of($0))" } ?? kind
    }

    /// Reads what `text` writes.
    package init(_ text: String) throws(AdminError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count) else {
            throw AdminError(.invalid, "\(text) is no scope: write KIND, KIND/ROLE or */ROLE, such as group/manager")
        }
        self.init()
        if parts[0] != "*" { self.kind = try Word.kind(parts[0]) }
        if parts.count == 2, parts[1] != "*" { self.role = try Word.memberRole(parts[1]) }
    }
}

/// What the server answers about settings.
package enum AdminSettingsAnswer: Hashable, Sendable {
    case list([AdminSetting])
    case one(AdminSetting)
    case effective([AdminEffectiveSetting])
    case limits([AdminSettingLimit])
}

extension AdminSettingsAnswer {
    var word: String {
        switch self {
        case .list: "settings"
        case .one: "setting"
        case .effective: "setting.effective"
        case .limits: "setting.limits"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let settings): fields.records("settings", settings)
        case .one(let setting): setting.write(to: &fields)
        case .effective(let settings): fields.records("settings", settings)
        case .limits(let limits): fields.records("limits", limits)
        }
    }

    /// - Returns: `nil` for a word that is none of settings.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "settings": self = .list(try with.records("settings"))
        case "setting": self = .one(try AdminSetting(with))
        case "setting.effective": self = .effective(try with.records("settings"))
        case "setting.limits": self = .limits(try with.records("limits"))
        default: return nil
        }
    }
}

/// A setting, what it is, and what it may be.
package struct AdminSetting: AdminRecord {
    /// What a setting is about.
    package enum Group: String, Sendable, CaseIterable {
        /// Conversations: `SessionSetting`. Has scopes, is always live.
        case session
        /// The server: a key of its file.
        case server
    }

    /// What may stand behind it.
    package enum Form: String, Sendable, CaseIterable {
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name)
        fields.text("about", self.about)
        fields.text("group", self.group.rawValue)
        fields.text("form", self.form.rawValue)
        fields.text("bounds", self.bounds)
        fields.texts("choices", self.choices)
        fields.text("builtIn", self.builtIn)
        fields.text("value", self.value)
        fields.text("origin", self.origin)
        fields.flag("live", self.isLive)
        fields.flag("enforced", self.isEnforced)
        fields.records("overrides", self.overrides)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.text("name")
        self.about = try fields.text("about")
        self.group = try Word.value("group", fields)
        self.form = try Word.value("form", fields)
        self.bounds = try fields.text("bounds")
        self.choices = try fields.texts("choices")
        self.builtIn = try fields.text("builtIn")
        self.value = try fields.text("value")
        self.origin = try fields.text("origin")
        self.isLive = try fields.flag("live")
        self.isEnforced = try fields.flag("enforced")
        self.overrides = try fields.records("overrides")
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

    func write(to fields: inout FieldWriter) {
        self.scope.write(to: &fields)
        fields.text("value", self.value)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.scope = try SessionScope(fields)
        self.value = try fields.text("value")
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name)
        fields.text("value", self.value)
        fields.text("scope", self.scope?.text)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.text("name")
        self.value = try fields.text("value")
        self.scope = try fields.optionalText("scope").map { (text) throws(AdminError) in try SessionScope(text) }
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

    func write(to fields: inout FieldWriter) {
        self.limit.write(to: &fields)
        fields.text("setting", self.setting)
        fields.flag("live", self.isLive)
        fields.text("advice", self.advice)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.limit = try AdminLimit(fields)
        self.setting = try fields.optionalText("setting")
        self.isLive = try fields.flag("live")
        self.advice = try fields.text("advice")
    }
}
