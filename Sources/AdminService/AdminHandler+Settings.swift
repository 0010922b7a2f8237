import AdminAPI
import Broker
import ChatModel
import Store

extension AdminHandler {
    func answerSettingsRequest(_ request: AdminSettingsRequest, _ then: @escaping Answer) {
        switch request {
        case .list:
            let server = self.options.serverSettings?.list() ?? []
            self.read(then) { transaction throws(StoreError) in
                let settings = try transaction.sessionSettings.sessionSettings()
                let counts = try transaction.sessionSettings.conversationCounts()
                return .settings(.list(SessionSetting.all.map { Self.shown($0, settings, counts) } + server))
            }
        case .show(let name): self.showSetting(name, then)
        case .set(let name, let scope, let value, nil): self.setSetting(name, scope, value, then)
        case .reset(let name, let scope, nil): self.resetSetting(name, scope, then)
        case .set(let name, let scope, let value, let conversation?):
            self.changeSetting(name, scope, of: conversation, to: value, then)
        case .reset(let name, let scope, let conversation?):
            self.changeSetting(name, scope, of: conversation, to: nil, then)
        case .effective(let conversation, let user): self.effectiveSettings(conversation, user, then)
        case .limits: then(.success(.settings(.limits(self.settingLimits))))
        }
    }

    // MARK: Looking

    private static func shown(
        _ setting: SessionSetting, _ settings: SessionSettings, _ counts: [String: Int64]
    ) -> AdminSetting {
        let everywhere = settings[setting, .everywhere]
        var shown = AdminSetting(
            name: setting.name, group: .session, form: setting.form, bounds: setting.bounds, choices: setting.choices,
            builtIn: setting.builtIn.text, value: (everywhere ?? setting.builtIn).text,
            origin: everywhere == nil ? "built in" : "set at run time", isLive: true, isEnforced: setting.isEnforced,
            overrides: settings.overrides(of: setting).filter { $0.scope != .everywhere }.map {
                AdminSettingOverride($0.scope, $0.value.text)
            })
        shown.conversationCount = counts[setting.name] ?? 0
        return shown
    }

    /// One setting, with the first conversations that have their own value.
    private static func shown(
        _ setting: SessionSetting, _ transaction: ReadTransaction
    ) throws(StoreError) -> AdminSetting {
        let reads = transaction.sessionSettings
        var shown = Self.shown(setting, try reads.sessionSettings(), try reads.conversationCounts())
        guard shown.conversationCount > 0 else { return shown }
        for (id, value) in try reads.conversations(setting: setting, limit: AdminProtocol.pageRows) {
            guard let conversation = try transaction.conversations.one(id) else { continue }
            shown.conversations.append(
                AdminConversationSetting(try Self.name(of: conversation, transaction), value.text))
        }
        return shown
    }

    private func serverSetting(_ name: String) throws(AdminError) -> AdminSetting {
        guard let setting = self.options.serverSettings?.list().first(where: { $0.name == name }) else {
            throw AdminError(.notFound, "there is no setting \(name): see setting list")
        }
        return setting
    }

    private func showSetting(_ name: String, _ then: @escaping Answer) {
        guard let setting = SessionSetting.named(name) else {
            do throws(AdminError) {
                return then(.success(.settings(.one(try self.serverSetting(name)))))
            } catch {
                return then(.failure(error))
            }
        }
        self.read(then) { transaction throws(StoreError) in
            .settings(.one(try Self.shown(setting, transaction)))
        }
    }

    private func effectiveSettings(_ conversation: String, _ user: UserName?, _ then: @escaping Answer) {
        self.read(then) { transaction throws(StoreError) in
            let found = try Self.find(conversation, transaction)
            var role = MemberRole.member
            if let user {
                let id = try transaction.existingUser(user).id
                role = try transaction.conversations.member(id, in: found.id)?.role ?? .member
            }
            let settings = try transaction.sessionSettings.sessionSettings(in: found.id)
            return .settings(.effective(settings.effective(found.kind, role).map { AdminEffectiveSetting($0) }))
        }
    }

    // MARK: Changing

    private func setSetting(_ name: String, _ scope: SessionScope, _ text: String, _ then: @escaping Answer) {
        guard let setting = SessionSetting.named(name) else { return self.changeServer(name, scope, to: text, then) }
        guard let value = setting.value(text) else {
            return then(.failure(AdminError(.invalid, "\(name): \(setting.bounds)")))
        }
        self.change(setting, scope, to: value, then)
    }

    private func resetSetting(_ name: String, _ scope: SessionScope, _ then: @escaping Answer) {
        guard let setting = SessionSetting.named(name) else { return self.changeServer(name, scope, to: nil, then) }
        self.change(setting, scope, to: nil, then)
    }

    private func change(
        _ setting: SessionSetting, _ scope: SessionScope, to value: SessionSettingValue?, _ then: @escaping Answer
    ) {
        self.write(then) { transaction throws(StoreError) in
            try transaction.sessionSettings.setSessionSetting(setting, in: scope, to: value)
            return .settings(.one(try Self.shown(setting, transaction.reading)))
        }
    }

    /// Sets or resets a setting of one conversation. Answers with what holds there now.
    ///
    /// - Parameter text: `nil` to reset.
    private func changeSetting(
        _ name: String, _ scope: SessionScope, of conversation: String, to text: String?, _ then: @escaping Answer
    ) {
        let setting: SessionSetting
        let value: SessionSettingValue?
        do throws(AdminError) {
            (setting, value) = try self.conversationSetting(name, scope, text)
        } catch {
            return then(.failure(error))
        }
        self.write(then) { transaction throws(StoreError) in
            let found = try Self.find(conversation, transaction.reading)
            try transaction.sessionSettings.setConversationSetting(setting, in: found.id, to: value)
            let settings = try transaction.reading.sessionSettings.sessionSettings(in: found.id)
            return .settings(.effective([AdminEffectiveSetting(settings.effective(setting, found.kind, .member))]))
        }
    }

    private func conversationSetting(
        _ name: String, _ scope: SessionScope, _ text: String?
    ) throws(AdminError) -> (SessionSetting, SessionSettingValue?) {
        guard let setting = SessionSetting.named(name) else {
            _ = try self.serverSetting(name)
            throw AdminError(.invalid, "\(name) is a setting of the server: it holds everywhere")
        }
        guard scope == .everywhere else {
            throw AdminError(.invalid, "a value for one conversation holds for every role: say --conversation or --in")
        }
        guard let text else { return (setting, nil) }
        guard let value = setting.value(text) else { throw AdminError(.invalid, "\(name): \(setting.bounds)") }
        return (setting, value)
    }

    /// - Parameter text: `nil` for what the file says.
    private func changeServer(_ name: String, _ scope: SessionScope, to text: String?, _ then: @escaping Answer) {
        let value: String?
        do throws(AdminError) {
            let setting = try self.serverSetting(name)
            guard scope == .everywhere else {
                throw AdminError(.invalid, "\(name) is a setting of the server: it holds everywhere")
            }
            value = try self.options.serverSettings?.check(name, text ?? setting.builtIn)
        } catch {
            return then(.failure(error))
        }
        let stored = text == nil ? nil : value
        let told: Answer = { result in
            if case .success = result { self.options.serverSettings?.apply(name, stored) }
            then(result.flatMap { _ in self.serverAnswer(name) })
        }
        self.write(told) { transaction throws(StoreError) in
            try transaction.sessionSettings.setServerSetting(name, stored)
            return .done
        }
    }

    private func serverAnswer(_ name: String) -> Result<AdminAnswer, AdminError> {
        do throws(AdminError) {
            return .success(.settings(.one(try self.serverSetting(name))))
        } catch {
            return .failure(error)
        }
    }

    /// State of a setting for the audit log: its value in a scope or a conversation, `-` for nothing set.
    static func stateOfSetting(
        _ name: String, _ scope: SessionScope, in conversation: String?
    ) -> AuditNote.State {
        { transaction throws(StoreError) in
            let value: String?
            if let conversation {
                guard let setting = SessionSetting.named(name) else { return nil }
                let own: ConversationSettings
                do throws(StoreError) {
                    own = try transaction.sessionSettings.own(of: try Self.find(conversation, transaction).id)
                } catch .notFound {
                    return nil
                }
                return Self.object { json in
                    json.text("conversation", conversation)
                    json.text("value", own[setting]?.text ?? "-")
                }
            } else if let setting = SessionSetting.named(name) {
                value = try transaction.sessionSettings.sessionSettings()[setting, scope]?.text
            } else {
                value = try transaction.sessionSettings.serverSettings()[name]
            }
            return Self.object { json in
                json.text("scope", scope.text)
                json.text("value", value ?? "-")
            }
        }
    }

    // MARK: Limits

    /// The settings that move limits, by the names of those.
    private static let settingsOfLimits = [
        "connections": "limits.connections", "connections_per_address": "limits.connections_per_address",
        "unauthenticated_connections": "limits.unauthenticated_connections",
        "pre_auth_connections": "limits.unauthenticated_connections", "frame_bytes": "limits.frame_bytes",
        "message_bytes": "limits.frame_bytes", "outbox_bytes": "limits.outbox_bytes",
        "commit_queue_requests": "limits.commit_queue_requests", "commit_queue_bytes": "limits.commit_queue_bytes",
    ]

    private var settingLimits: [AdminSettingLimit] {
        let live = Set((self.options.serverSettings?.list() ?? []).filter(\.isLive).map(\.name))
        return self.limits.map { limit in
            let setting = Self.settingsOfLimits[limit.name]
            return AdminSettingLimit(
                limit, setting: setting, isLive: setting.map(live.contains) ?? false,
                advice: setting.map { String($0.dropFirst("limits.".count)) } ?? "fixed")
        }
    }
}

// MARK: The sign-in policy

extension AdminHandler {
    func answerPolicyRequest(_ request: AdminPolicyRequest, _ then: @escaping Answer) {
        switch request {
        case .show:
            self.read(then) { transaction throws(StoreError) in
                .policy(.policy(try transaction.sessionSettings.signInPolicy()))
            }
        case .preview(let policy):
            self.broker.preview(policy) { sessions in
                let page = sessions.prefix(AdminProtocol.pageRows).map { AdminSession($0) }
                then(.success(.policy(.preview(page, count: Int64(sessions.count)))))
            }
        case .set(let policy, let endingNow): self.set(policy, endingNow: endingNow, then)
        }
    }

    private func set(_ policy: SignInPolicy, endingNow: Bool, _ then: @escaping Answer) {
        let broker = self.broker
        let told: Answer = { result in
            if case .failure = result { return then(result) }
            broker.apply(policy, endingNow: endingNow) { ended in
                then(.success(.policy(.changed(policy, ended: Int64(ended)))))
            }
        }
        self.write(told) { transaction throws(StoreError) in
            try transaction.sessionSettings.setSignInPolicy(policy)
            return .done
        }
    }

    static let stateOfPolicy: AuditNote.State = { transaction throws(StoreError) in
        let policy = try transaction.sessionSettings.signInPolicy()
        return Self.object { $0.text("policy", policy.text) }
    }
}

extension AdminEffectiveSetting {
    fileprivate init(_ effective: SessionSettings.Effective) {
        self.init(effective.setting.name, effective.value.text, from: effective.source)
    }
}

extension SessionSetting {
    fileprivate var form: AdminSetting.Form {
        switch self.shape {
        case .number: .number
        case .flag: .flag
        case .choice: .choice
        case .text: .text
        case .words: .list
        }
    }

    fileprivate var choices: [String] {
        switch self.shape {
        case .choice(let words), .words(let words): words
        case .number, .flag, .text: []
        }
    }
}
