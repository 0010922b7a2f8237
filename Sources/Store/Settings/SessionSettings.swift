package import ChatModel

extension SessionScope {
    /// The number of all kinds and of all roles in the database.
    private static let all: Int64 = -1

    fileprivate var kindNumber: Int64 { self.kind?.rawValue ?? Self.all }
    fileprivate var roleNumber: Int64 { self.role?.rawValue ?? Self.all }

    /// As a row says it; `nil` for what no row says.
    init?(kind: Int64, role: Int64) {
        self.init(ConversationKind(rawValue: kind), MemberRole(rawValue: role))
        guard self.kindNumber == kind && self.roleNumber == role else { return nil }
    }
}

extension Connection {
    /// Reads the settings of conversations. Ignores a row that this version does not understand: it may be of a newer
    /// one.
    func sessionSettings() throws(StoreError) -> SessionSettings {
        let rows = try self.query("SELECT name, kind, role, value FROM session_setting") { row throws(StoreError) in
            (row.text(0), SessionScope(kind: row.int64(1), role: row.int64(2)), row.text(3))
        }
        var settings = SessionSettings()
        for (name, scope, text) in rows {
            guard let setting = SessionSetting.named(name), let scope, let value = setting.value(text) else { continue }
            settings[setting, scope] = value
        }
        return settings
    }
}

extension Connection {
    /// Reads the settings of single conversations. Ignores a row that this version does not understand.
    ///
    /// - Parameter id: `nil` for those of all.
    func settingsOfConversations(
        _ id: ConversationID? = nil
    ) throws(StoreError) -> [ConversationID: ConversationSettings] {
        let read = { (row: Row) throws(StoreError) in (row.conversationID(0), row.text(1), row.text(2)) }
        let rows =
            if let id {
                try self.query(
                    "SELECT conversation_id, name, value FROM conversation_setting WHERE conversation_id = ?", id,
                    read: read)
            } else {
                try self.query("SELECT conversation_id, name, value FROM conversation_setting", read: read)
            }
        var settings: [ConversationID: ConversationSettings] = [:]
        for (id, name, text) in rows {
            guard let setting = SessionSetting.named(name), let value = setting.value(text) else { continue }
            settings[id, default: ConversationSettings()][setting] = value
        }
        return settings
    }
}

/// The rows of `setting` that have a meaning.
private enum SettingKey {
    static let signInPolicy = "sign_in.policy"
    /// Before the key of a setting of the server's file.
    static let server = "server."
}

extension SettingsReads {
    /// Reads the settings of conversations.
    package func sessionSettings() throws(StoreError) -> SessionSettings {
        try self.transaction.connection.sessionSettings()
    }

    /// Reads the settings as they hold in a conversation: its own before the others.
    package func sessionSettings(in id: ConversationID) throws(StoreError) -> SessionSettings {
        try self.sessionSettings().with(self.own(of: id))
    }

    /// Reads the settings that were set for a conversation alone.
    package func own(of id: ConversationID) throws(StoreError) -> ConversationSettings {
        try self.transaction.connection.settingsOfConversations(id)[id] ?? ConversationSettings()
    }

    /// Reads how many conversations have a value of their own, by the names of the settings.
    package func conversationCounts() throws(StoreError) -> [String: Int64] {
        let rows = try self.transaction.connection.query(
            "SELECT name, count(*) FROM conversation_setting GROUP BY name"
        ) { row throws(StoreError) in (row.text(0), row.int64(1)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Reads conversations that have their own value of a setting, by number, with that value.
    ///
    /// - Parameter limit: 1...1000.
    package func conversations(
        setting: SessionSetting, limit: Int
    ) throws(StoreError) -> [(id: ConversationID, value: SessionSettingValue)] {
        let rows = try self.transaction.connection.query(
            "SELECT conversation_id, value FROM conversation_setting WHERE name = ? ORDER BY conversation_id LIMIT ?",
            setting.name, try ReadTransaction.page(limit)
        ) { row throws(StoreError) in (row.conversationID(0), row.text(1)) }
        return rows.compactMap { id, text in setting.value(text).map { (id, $0) } }
    }

    /// Reads the policy by which sessions of a person exclude each other; the default where nothing was set, or nothing
    /// that this version understands.
    package func signInPolicy() throws(StoreError) -> SignInPolicy {
        let text = try self.transaction.setting(SettingKey.signInPolicy)
        return text.flatMap { try? SignInPolicy($0) } ?? SignInPolicy.Preset.byLevel.policy
    }

    /// Reads settings made at run time over the server's file, by key, as operators write values.
    package func serverSettings() throws(StoreError) -> [String: String] {
        let rows = try self.transaction.settings().filter { $0.key.hasPrefix(SettingKey.server) }
        return Dictionary(
            uniqueKeysWithValues: rows.map { (String($0.key.dropFirst(SettingKey.server.count)), $0.value) })
    }
}

extension SettingsWrites {
    /// Stores which sessions of a person exclude each other. The broker has to be told too.
    package func setSignInPolicy(_ policy: SignInPolicy) throws(StoreError) {
        try self.transaction.setSetting(SettingKey.signInPolicy, policy.text)
    }

    /// Stores what holds over the server's file, until it is taken back with `nil`. Who uses it has to be told too.
    package func setServerSetting(_ key: String, _ value: String?) throws(StoreError) {
        try self.transaction.setSetting(SettingKey.server + key, value)
    }

    /// Sets a setting of conversations, or takes back what was set. Holds from the next message on.
    ///
    /// - Parameter value: one that `SessionSetting.value(_:)` returned; `nil` takes it back.
    /// - Returns: whether that is a change.
    @discardableResult
    package func setSessionSetting(
        _ setting: SessionSetting, in scope: SessionScope, to value: SessionSettingValue?
    ) throws(StoreError) -> Bool {
        var settings = try self.transaction.memory.sessionSettings()
        guard settings[setting, scope] != value else { return false }
        if let value {
            try self.transaction.connection.run(
                "INSERT OR REPLACE INTO session_setting (name, kind, role, value) VALUES (?, ?, ?, ?)", setting.name,
                scope.kindNumber, scope.roleNumber, value.text)
        } else {
            try self.transaction.connection.run(
                "DELETE FROM session_setting WHERE name = ? AND kind = ? AND role = ?", setting.name,
                scope.kindNumber, scope.roleNumber)
        }
        settings[setting, scope] = value
        self.transaction.memory.setSessionSettings(settings)
        return true
    }

    /// Sets a setting for one conversation, or takes back what was set, and tells the people in it. Holds from the next
    /// message on.
    ///
    /// - Parameter value: one that `SessionSetting.value(_:)` returned; `nil` takes it back.
    /// - Returns: whether that is a change.
    /// - Throws: `notFound`; `refused` with `tooMany` above `ConversationSettings.maximumValues` of all conversations.
    @discardableResult
    package func setConversationSetting(
        _ setting: SessionSetting, in id: ConversationID, to value: SessionSettingValue?
    ) throws(StoreError) -> Bool {
        let conversation = try self.transaction.knownConversation(id)
        let all = try self.transaction.memory.settingsOfConversations()
        var own = all[id] ?? ConversationSettings()
        guard own[setting] != value else { return false }
        if let value {
            let count = all.values.reduce(0) { $0 + $1.count }
            guard own[setting] != nil || count < ConversationSettings.maximumValues else {
                throw .refused(.tooMany(limit: ConversationSettings.maximumValues))
            }
            try self.transaction.connection.run(
                "INSERT OR REPLACE INTO conversation_setting (conversation_id, name, value) VALUES (?, ?, ?)", id,
                setting.name, value.text)
        } else {
            try self.transaction.connection.run(
                "DELETE FROM conversation_setting WHERE conversation_id = ? AND name = ?", id, setting.name)
        }
        own[setting] = value
        self.transaction.memory.setSettings(own.isEmpty ? nil : own, of: id)
        try self.transaction.noteSettings([.other], in: conversation, by: .system)
        return true
    }

    /// True when readers of this role are recorded for senders who ask for it.
    func recordsReaders(in conversation: ConversationState, for user: UserID) throws(StoreError) -> Bool {
        let settings = try self.transaction.memory.sessionSettings(in: conversation.id)
        guard settings.isSet(.receipts) else { return true }
        let roles = try self.transaction.memory.home(of: conversation).roles
        return settings.recordsReaders(
            conversation.kind, roles[user] ?? .member, people: conversation.pair == nil ? roles.count : 2)
    }

    /// Holds what a person edits a message to, to the length and the kinds that they may send there.
    ///
    /// - Throws: `invalid` when it is too long, `refused` with `mayNotSend` for a kind that is not allowed.
    func checkEdit(
        of content: MessageContent, in conversation: ConversationState, by actor: Actor
    ) throws(StoreError) {
        let settings = try self.transaction.memory.sessionSettings(in: conversation.id)
        guard actor.authority == .user, settings.bindsSenders else { return }
        let role = try self.transaction.messages.role(of: actor.user, in: conversation) ?? .member
        if let allowed = settings.allowedKinds(conversation.kind, role),
            !self.transaction.options.contentKinds(content).isSubset(of: allowed)
        {
            throw .refused(.mayNotSend)
        }
        guard let most = settings.maximumCharacters(conversation.kind, role),
            isLonger(content, than: most, count: self.transaction.options.readableCharacters)
        else { return }
        throw .invalid("a message has at most \(most) characters here")
    }
}

/// True when the text of a message has more characters than allowed.
///
/// - Parameter count: reads the body, which costs; not called for what is short enough in bytes: a character has at least
///   one in every encoding.
func isLonger(_ content: MessageContent, than most: Int, count: (MessageContent) -> Int) -> Bool {
    content.body.count > most && count(content) > most
}
