package import ChatModel

/// Requests about settings: those of conversations, those of the server's file, and limits.
package enum AdminSettingsRequest: AdminDefinitions {
    case list
    case show(String)
    /// Sets a value. A setting of the file holds everywhere, and has no other scope. With a conversation, named as in
    /// `AdminRequest.listMessages`, it holds there alone, for every role, and the scope is everywhere.
    case set(String, SessionScope, String, conversation: String? = nil)
    /// Removes a value that was set; a setting of the file gets the value of the file again.
    case reset(String, SessionScope, conversation: String? = nil)
    /// Asks for the values that apply to a user in a conversation, named as in `AdminRequest.listMessages`; without a
    /// user, to a plain member.
    case effective(conversation: String, user: UserName?)
    case limits

    static let all: [Self] = [
        .list, .show(.sample), .set(.sample, .sample, .sample, conversation: .sample),
        .reset(.sample, .sample, conversation: .sample),
        .effective(conversation: .sample, user: .sample), .limits,
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list:
            fields.look("setting.list", role: .observer)
            fields.line(ctl("setting list"))
            return self
        case .show(let name):
            fields.look("setting.show", role: .observer, name)
            fields.ctl("setting show", examples: ["max_input", "limits.connections"])
            return try .show(fields("name", name, .setting))
        case .set(let name, let scope, let value, let conversation):
            fields.change(
                "setting.set", .setting(name, scope, conversation: conversation),
                basis: conversation == nil ? .settings(.show(name)) : nil)
            fields.ctl(
                "setting set",
                examples: [
                    "max_input 5000", "input_disabled on --in group/member", "menu_hidden camera,location --in room",
                    "receipts off --conversation tea", "limits.sessions_per_user 5",
                ])
            return try .set(
                fields("name", name, .setting), fields.inline(scope, .scope),
                fields("value", value, .argument("VALUE", "argument.settingValue")),
                conversation: fields("conversation", conversation, .ofConversation))
        case .reset(let name, let scope, let conversation):
            fields.change(
                "setting.reset", .setting(name, scope, conversation: conversation),
                basis: conversation == nil ? .settings(.show(name)) : nil)
            fields.ctl(
                "setting reset",
                examples: ["max_input", "input_disabled --in group/member", "receipts --conversation tea"])
            return try .reset(
                fields("name", name, .setting), fields.inline(scope, .scope),
                conversation: fields("conversation", conversation, .ofConversation))
        case .effective(let conversation, let user):
            fields.look("setting.effective", role: .observer, conversation)
            fields.ctl("setting effective", examples: ["tea", "tea --user ming"])
            return try .effective(
                conversation: fields("conversation", conversation, .conversation),
                user: fields("user", user, .option("user", "NAME", "option.settingUser")))
        case .limits:
            fields.look("setting.limits", role: .observer)
            fields.ctl("setting limits", examples: [""])
            return self
        }
    }
}

extension CommandPlace {
    fileprivate static let setting = argument("NAME", "argument.setting")
    fileprivate static let scope = option("in", "SCOPE", "option.settingScope")
    fileprivate static let ofConversation = option("conversation", "CONVERSATION", "option.settingConversation")
}

extension SessionScope: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.init()
        self.kind = try fields("kind", \.kind)
        self.role = try fields("role", \.role)
    }

    /// Scope as operators write it: `group`, `group/manager`, `*/manager`, `*`.
    package var text: String {
        let kind = self.kind?.word ?? "*"
        return self.role.map { "\(kind)/\($0.word)" } ?? kind
    }

    static func unsaid(at place: CommandPlace) -> SessionScope? { .everywhere }
    func words(at place: CommandPlace) -> [String]? { [self.text] }
    init(words: [String], at place: CommandPlace) throws(AdminError) { try self.init(place.word(of: words)) }

    /// Reads what `text` writes.
    ///
    /// - Throws: `invalid` for a text that is no scope.
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

/// Answers about settings.
package enum AdminSettingsAnswer: AdminFamily {
    case list([AdminSetting])
    case one(AdminSetting)
    case effective([AdminEffectiveSetting])
    case limits([AdminSettingLimit])

    static let all: [Self] = [.list(.sample), .one(.sample), .effective(.sample), .limits(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let settings): try .list(fields.named("settings")("settings", settings))
        case .one(let one): try .one(fields.named("setting").inline(one))
        case .effective(let settings): try .effective(fields.named("setting.effective")("settings", settings))
        case .limits(let limits): try .limits(fields.named("setting.limits")("limits", limits))
        }
    }
}

/// A setting: its meaning, its value and the values that it may have.
package struct AdminSetting: AdminRecord {
    /// Subject of a setting.
    package enum Group: String, AdminWord, AdminText {
        /// Conversations: `SessionSetting`. It has scopes and is always live.
        case session
        /// The server: a key of its file.
        case server
    }

    /// Form of a value.
    package enum Form: String, AdminWord, AdminText {
        case number
        case flag
        case choice
        case text
        /// Several words or texts, separated by commas.
        case list
    }

    /// Name of the setting.
    package var name: String
    /// One English sentence about a setting of the server; empty for others, which `setting.about.NAME` in the language
    /// files describes.
    package var about: String
    /// Subject of the setting.
    package var group: Group
    /// Form of the value.
    package var form: Form
    /// Bounds of the value, as a sentence: `0 to 100000 characters`.
    package var bounds: String
    /// Values of a choice, or known words of a list; empty for any value.
    package var choices: [String]
    /// Built-in value, as operators write it: `5000`, `on`, `camera,file`.
    package var builtIn: String
    /// Value that applies where no override does.
    package var value: String
    /// Origin of `value`: `built in`, a line of the file, a flag, or `console` for a value set at run time.
    package var origin: String
    /// True when a change applies at once; false when it needs a change of the file and a restart.
    package var isLive: Bool
    /// True when the server enforces the value, false when only clients read it.
    package var isEnforced: Bool
    /// Values for some conversations or roles.
    package var overrides: [AdminSettingOverride]
    /// Number of single conversations that have their own value.
    package var conversationCount: Int64 = 0
    /// The first of those conversations, at most `AdminProtocol.pageRows`; only in the answer about one setting.
    package var conversations: [AdminConversationSetting] = []

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
        self.conversationCount = try fields("conversationCount", \.conversationCount, usually: 0)
        self.conversations = try fields("conversations", \.conversations, usually: [])
    }
}

/// A value for one conversation.
package struct AdminConversationSetting: AdminRecord {
    /// Conversation, named as in `AdminRequest.listMessages`.
    package var conversation: String
    /// Value, as operators write it.
    package var value: String

    package init(_ conversation: String, _ value: String) {
        self.conversation = conversation
        self.value = value
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.conversation = try fields("conversation", \.conversation)
        self.value = try fields("value", \.value)
    }
}

/// A value for some conversations or roles.
package struct AdminSettingOverride: AdminRecord {
    /// Conversations and roles that the value is for.
    package var scope: SessionScope
    /// Value, as operators write it.
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

/// Value of a setting that applies to one user in one conversation.
package struct AdminEffectiveSetting: AdminRecord {
    /// Name of the setting.
    package var name: String
    /// Value, as operators write it.
    package var value: String
    /// Origin of the value.
    package var source: SessionSettings.Source

    package init(_ name: String, _ value: String, from source: SessionSettings.Source) {
        self.name = name
        self.value = value
        self.source = source
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.value = try fields("value", \.value)
        self.source = try fields("scope", { SourceText($0.source) })?.source ?? .builtIn
    }
}

/// A limit, with the setting that changes it.
package struct AdminSettingLimit: AdminRecord {
    /// Name, unit, use and maximum of the limit.
    package var limit: AdminLimit
    /// Setting that changes the limit; `nil` for a fixed limit.
    package var setting: String?
    /// True when a change of that setting applies at once.
    package var isLive: Bool
    /// Key of a sentence in the language files, after `limit.advice.`: the effect of reaching the limit, and what the
    /// operator can do.
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

/// Origin of a value that was set: a scope as operators write it, or `conversation`.
private struct SourceText: AdminText {
    private static let conversation = "conversation"

    var source: SessionSettings.Source
    var spelling: String

    static var sample: SourceText { SourceText(source: .scope(.everywhere), spelling: SessionScope.everywhere.text) }
}

extension SourceText {
    /// - Returns: `nil` for a built-in value.
    init?(_ source: SessionSettings.Source) {
        switch source {
        case .builtIn: return nil
        case .scope(let scope): self.init(source: source, spelling: scope.text)
        case .conversation: self.init(source: source, spelling: Self.conversation)
        }
    }

    init?(spelling: String) {
        if spelling == Self.conversation {
            self.init(source: .conversation, spelling: spelling)
        } else {
            guard let scope = try? SessionScope(spelling) else { return nil }
            self.init(source: .scope(scope), spelling: scope.text)
        }
    }
}
