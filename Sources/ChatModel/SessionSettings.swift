/// Value of a setting of conversations.
package enum SessionSettingValue: Hashable, Sendable {
    case number(Int64)
    case flag(Bool)
    case text(String)
    /// Each once, in the order that they are shown.
    case words([String])

    /// As operators write it: `5000`, `on`, the text itself, `camera,file`.
    package var text: String {
        switch self {
        case .number(let number): String(number)
        case .flag(let isOn): isOn ? "on" : "off"
        case .text(let text): text
        case .words(let words): words.joined(separator: ",")
        }
    }
}

/// Where a value holds: in conversations of a kind or of all, for members of a role or of all.
package struct SessionScope: Hashable, Sendable {
    /// `nil`: of every kind.
    package var kind: ConversationKind?
    /// `nil`: in every role. Who has no role, as in direct conversations and rooms, is a member.
    package var role: MemberRole?

    package init(_ kind: ConversationKind? = nil, _ role: MemberRole? = nil) {
        self.kind = kind
        self.role = role
    }

    /// Scope of every conversation.
    package static let everywhere = SessionScope()

    /// The scopes that hold for a role in a kind of conversation, the most specific first: a kind says more than a role.
    package static func scopes(_ kind: ConversationKind, _ role: MemberRole) -> [SessionScope] {
        [SessionScope(kind, role), SessionScope(kind), SessionScope(nil, role), .everywhere]
    }
}

/// A setting of conversations: how long a message may be, what a client shows beside the text, and so on.
package struct SessionSetting: Hashable, Sendable {
    /// Shape of a setting's value.
    package enum Shape: Hashable, Sendable {
        case number(ClosedRange<Int64>, unit: String)
        case flag
        /// One of a few words.
        case choice([String])
        /// At most so many characters, none of them control.
        case text(most: Int)
        /// Some of a few words, each at most once, in any order.
        case words([String])
    }

    /// Name of the setting.
    package let name: String
    /// Shape of the value.
    package let shape: Shape
    /// Where nothing was set, and `directBuiltIn` says nothing else.
    package let builtIn: SessionSettingValue
    /// The same for direct conversations; `nil` for no other.
    package let directBuiltIn: SessionSettingValue?
    /// True when the server enforces the setting. The others are for clients, which read them.
    package let isEnforced: Bool

    private init(
        _ name: String, _ shape: Shape, _ builtIn: SessionSettingValue, direct: SessionSettingValue? = nil,
        isEnforced: Bool = false
    ) {
        self.name = name
        self.shape = shape
        self.builtIn = builtIn
        self.directBuiltIn = direct
        self.isEnforced = isEnforced
    }

    /// Value where nothing is set.
    package func builtIn(in kind: ConversationKind) -> SessionSettingValue {
        kind == .direct ? self.directBuiltIn ?? self.builtIn : self.builtIn
    }
}

// MARK: All of them

extension SessionSetting {
    private static let kindWords = ContentKind.allCases.map(\.rawValue)
    private static let menuWords = ["album", "camera", "file", "location", "card", "custom"]

    /// Characters of a message's text, at most; 0 for as many as its bytes allow. Edits are held to it too.
    package static let maxInput = SessionSetting(
        "max_input", .number(0...100_000, unit: "characters"), .number(0), isEnforced: true)
    /// Read-only conversations for people. Binds everybody who may be muted: neither the system nor business servers.
    package static let inputDisabled = SessionSetting("input_disabled", .flag, .flag(false), isEnforced: true)
    /// Recording of readers when a sender asks for it: `small` in teams of at most `receipts_team_size`. Where the
    /// server's file says no, nobody is recorded in any case.
    package static let receipts = SessionSetting(
        "receipts", .choice(["off", "on", "small"]), .text("on"), isEnforced: true)
    /// Largest team, in members, in which `receipts` set to `small` records readers.
    package static let receiptsTeamSize = SessionSetting(
        "receipts_team_size", .number(2...100_000, unit: "members"), .number(50), isEnforced: true)

    /// Kinds of content that people may send. Kinds of apps and what the server cannot read are not held to it.
    package static let allowedKinds = SessionSetting(
        "allowed_kinds", .words(Self.kindWords), .words(Self.kindWords), isEnforced: true)

    /// Every setting there is, in the order that they are listed. What is from ChatKit carries its default: 60 seconds
    /// of recording, 300 seconds without a time between two messages.
    package static let all: [SessionSetting] = [
        Self.maxInput, Self.inputDisabled, Self.receipts, Self.receiptsTeamSize,
        // Messages that a client asks for at once.
        SessionSetting("page_size", .number(1...500, unit: "messages"), .number(20)),
        // Between two messages, after which a client shows the time between them.
        SessionSetting("time_gap", .number(0...86_400, unit: "seconds"), .number(300)),
        // Whether a client fetches history when a conversation is entered.
        SessionSetting("fetch_on_entry", .flag, .flag(true)),
        // What an empty input says.
        SessionSetting("placeholder.en", .text(most: 64), .text("Write a message")),
        SessionSetting("placeholder.zh-Hans", .text(most: 64), .text("请输入消息")),
        SessionSetting(
            "input_buttons", .words(["voice", "text", "emoji", "more"]), .words(["voice", "text", "emoji", "more"])),
        // What is behind "more", in this order, without what is hidden.
        SessionSetting("menu_items", .words(Self.menuWords), .words(Self.menuWords)),
        SessionSetting("menu_hidden", .words(Self.menuWords), .words([])),
        SessionSetting("recording_seconds", .number(1...3600, unit: "seconds"), .number(60)),
        // What a client may record voice as, the best first.
        SessionSetting(
            "recording_types", .words(["opus", "m4a", "mp3", "amr", "wav"]),
            .words(["opus", "m4a", "mp3", "amr", "wav"])),
        // Whether voice messages that were not played are marked.
        SessionSetting("unread_dot_on_voice", .flag, .flag(true)),
        // Whether a client offers to choose between loudspeaker and ear-piece.
        SessionSetting("output_choice", .flag, .flag(true)),
        SessionSetting("show_avatar", .flag, .flag(true)),
        // Beside whose messages, where pictures are shown.
        SessionSetting("avatar_of", .choice(["all", "others"]), .text("others")),
        // Beside messages of others. In a direct conversation there is only one other.
        SessionSetting("show_name", .flag, .flag(true), direct: .flag(false)),
        SessionSetting("layout", .choice(["roomy", "compact"]), .text("roomy")),
        // Whether the voice messages after one that is played follow by themselves.
        SessionSetting("auto_play", .flag, .flag(false)),
        Self.allowedKinds,
        // Colour of what can be pressed, as #rrggbb, and address of a picture of the app's name; empty for the client's own.
        SessionSetting("theme.accent", .text(most: 7), .text("")),
        SessionSetting("theme.avatar_shape", .choice(["round", "rounded", "square"]), .text("round")),
        SessionSetting("theme.logo", .text(most: 256), .text("")),
    ]

    /// - Returns: `nil` when there is none.
    package static func named(_ name: String) -> SessionSetting? { Self.all.first { $0.name == name } }
}

// MARK: Checking

extension SessionSetting {
    /// Bounds of the value in words: `0 to 100000 characters`.
    package var bounds: String {
        switch self.shape {
        case .number(let range, let unit): "\(range.lowerBound) to \(range.upperBound) \(unit)"
        case .flag: "on or off"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .text(let most): "a text of at most \(most) characters"
        case .words(let words): "some of \(words.joined(separator: ", ")), with commas; - for none"
        }
    }

    /// Reads what an operator wrote.
    ///
    /// - Returns: `nil` when it may not stand behind this setting: see `bounds`.
    package func value(_ text: String) -> SessionSettingValue? {
        switch self.shape {
        case .number(let range, _): return Int64(text).flatMap { range.contains($0) ? .number($0) : nil }
        case .flag:
            switch text {
            case "on", "true": return .flag(true)
            case "off", "false": return .flag(false)
            default: return nil
            }
        case .choice(let words): return words.contains(text) ? .text(text) : nil
        case .text(let most):
            let scalars = text.unicodeScalars
            let isPlain = !scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
            return scalars.count <= most && isPlain ? .text(text) : nil
        case .words(let known):
            if text.isEmpty || text == "-" { return .words([]) }
            let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            return Set(words).count == words.count && words.allSatisfy(known.contains) ? .words(words) : nil
        }
    }
}

// MARK: What was set

/// Values of settings for one conversation alone, for everybody in it.
package struct ConversationSettings: Hashable, Sendable {
    /// Most values of all conversations together.
    package static let maximumValues = 10_000

    private var values: [String: SessionSettingValue] = [:]

    package init() {}

    /// True when there is none.
    package var isEmpty: Bool { self.values.isEmpty }
    /// Number of values; at most one of each setting.
    package var count: Int { self.values.count }

    /// Value of a setting; `nil` for none.
    package subscript(setting: SessionSetting) -> SessionSettingValue? {
        get { self.values.isEmpty ? nil : self.values[setting.name] }
        set { self.values[setting.name] = newValue }
    }
}

/// Settings of the operator, over the built-in ones.
package struct SessionSettings: Hashable, Sendable {
    /// Origin of a value.
    package enum Source: Hashable, Sendable {
        case builtIn
        case scope(SessionScope)
        /// Set for the one conversation.
        case conversation
    }

    /// A value and its origin.
    package struct Effective: Hashable, Sendable {
        /// Setting.
        package var setting: SessionSetting
        /// Value.
        package var value: SessionSettingValue
        /// Origin of the value.
        package var source: Source
    }

    private struct Key: Hashable, Sendable {
        var name: String
        var scope: SessionScope
    }

    private var values: [Key: SessionSettingValue] = [:]
    /// The settings that were set for a scope.
    private var names: Set<String> = []
    /// Values of one conversation, which win over every scope.
    private var own = ConversationSettings()
    /// True when a setting was set that decides who may send what. Otherwise no role and place are looked up.
    package private(set) var bindsSenders = false

    package init() {}

    /// The same settings in a conversation with values of its own.
    package func with(_ own: ConversationSettings) -> SessionSettings {
        guard !own.isEmpty else { return self }
        var settings = self
        settings.own = own
        settings.findOutWhomItBinds()
        return settings
    }

    private mutating func findOutWhomItBinds() {
        self.bindsSenders = self.isSet(.inputDisabled) || self.isSet(.maxInput) || self.isSet(.allowedKinds)
    }

    /// True when a setting was set anywhere.
    package func isSet(_ setting: SessionSetting) -> Bool {
        self.own[setting] != nil || self.names.contains(setting.name)
    }

    /// Value set for exactly this scope; `nil` for none.
    package subscript(setting: SessionSetting, scope: SessionScope) -> SessionSettingValue? {
        get { self.values[Key(name: setting.name, scope: scope)] }
        set {
            self.values[Key(name: setting.name, scope: scope)] = newValue
            if newValue != nil {
                self.names.insert(setting.name)
            } else if !self.values.keys.contains(where: { $0.name == setting.name }) {
                self.names.remove(setting.name)
            }
            self.findOutWhomItBinds()
        }
    }

    /// Scopes where a setting was set and to what, the most specific scopes last.
    package func overrides(of setting: SessionSetting) -> [(scope: SessionScope, value: SessionSettingValue)] {
        let order: (SessionScope) -> (Int, Int64, Int64) = { scope in
            let depth = (scope.kind == nil ? 0 : 2) + (scope.role == nil ? 0 : 1)
            return (depth, scope.kind?.rawValue ?? 0, scope.role?.rawValue ?? 0)
        }
        return self.values.filter { $0.key.name == setting.name }.map { ($0.key.scope, $0.value) }
            .sorted { order($0.0) < order($1.0) }
    }

    /// Value of a setting for a role in a kind of conversation: the conversation's own, else the most specific one, else
    /// the built-in one.
    package func effective(_ setting: SessionSetting, _ kind: ConversationKind, _ role: MemberRole) -> Effective {
        if let value = self.own[setting] { return Effective(setting: setting, value: value, source: .conversation) }
        if self.isSet(setting) {
            for scope in SessionScope.scopes(kind, role) {
                guard let value = self[setting, scope] else { continue }
                return Effective(setting: setting, value: value, source: .scope(scope))
            }
        }
        return Effective(setting: setting, value: setting.builtIn(in: kind), source: .builtIn)
    }

    /// All settings for a role in a kind of conversation.
    package func effective(_ kind: ConversationKind, _ role: MemberRole) -> [Effective] {
        SessionSetting.all.map { self.effective($0, kind, role) }
    }
}

// MARK: What the server holds people to

extension SessionSettings {
    /// True when people of this role may only read.
    package func isReadOnly(_ kind: ConversationKind, _ role: MemberRole) -> Bool {
        guard self.isSet(.inputDisabled) else { return false }
        return self.effective(.inputDisabled, kind, role).value == .flag(true)
    }

    /// Most characters of a message's text; `nil` for as many as its bytes allow.
    package func maximumCharacters(_ kind: ConversationKind, _ role: MemberRole) -> Int? {
        guard self.isSet(.maxInput), case .number(let most) = self.effective(.maxInput, kind, role).value, most > 0
        else { return nil }
        return Int(most)
    }

    /// Kinds of content that people of this role may send; `nil` for all.
    package func allowedKinds(_ kind: ConversationKind, _ role: MemberRole) -> Set<ContentKind>? {
        guard self.isSet(.allowedKinds), case .words(let words) = self.effective(.allowedKinds, kind, role).value,
            words.count < ContentKind.allCases.count
        else { return nil }
        return Set(words.compactMap(ContentKind.init))
    }

    /// True when readers are recorded for senders who ask for it.
    ///
    /// - Parameter people: members of the conversation.
    package func recordsReaders(_ kind: ConversationKind, _ role: MemberRole, people: Int) -> Bool {
        guard self.isSet(.receipts) else { return true }
        let choice = self.effective(.receipts, kind, role).value
        if choice == .text("off") { return false }
        guard choice == .text("small"),
            case .number(let size) = self.effective(.receiptsTeamSize, kind, role).value
        else { return true }
        return Int64(people) <= size
    }
}
