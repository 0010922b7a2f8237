import Accounts
import AdminAPI
import AdminService
import Broker
import ChatModel
import Configuration
import Diagnostics
import Execution
import Store
import Transport

/// The settings of the file, and what was set over them at run time: some hold at once, the others need a restart.
final class LiveSettings: Sendable {
    private struct State {
        var overrides: [String: String] = [:]
        /// With the overrides.
        var settings: Settings
    }

    private let options: ServerOptions
    private let store: Store
    private let broker: Broker
    private let accounts: Accounts
    private let state: Lock<State>

    /// Applies the settings stored at run time before it returns.
    init(_ options: ServerOptions, store: Store, broker: Broker, accounts: Accounts) throws(StoreError) {
        self.options = options
        self.store = store
        self.broker = broker
        self.accounts = accounts
        self.state = Lock(State(settings: options.settings))
        let (policy, overrides) = try store.readAndWait { transaction throws(StoreError) in
            (try transaction.sessionSettings.signInPolicy(), try transaction.sessionSettings.serverSettings())
        }
        broker.apply(policy)
        for (name, value) in overrides.sorted(by: { $0.key < $1.key }) {
            do throws(AdminError) {
                self.apply(name, try self.check(name, value))
            } catch {
                // Of another version: the file holds.
                options.log.warning("setting_ignored", ["name": .text(name), "reason": .text(error.message)])
            }
        }
        if overrides[Keys.plainPasswords.definition.name] == nil {
            self.logPlainPasswords(options.accounts.takesPlainPasswords)
        }
    }

    var forOperators: ServerSettings {
        ServerSettings(
            list: { self.list() }, check: { name, value throws(AdminError) in try self.check(name, value) },
            apply: { self.apply($0, $1) })
    }

    // MARK: What is live

    /// Effect of each live key on the broker's limits.
    private static let brokerKeys: [String: @Sendable (inout BrokerLimits, Settings) -> Void] = [
        Keys.userRate.definition.name: { $0.perUser.perSecond = Double($1[Keys.userRate]) },
        Keys.userBurst.definition.name: { $0.perUser.burst = Double($1[Keys.userBurst]) },
        Keys.conversationRate.definition.name: { $0.perConversation.perSecond = Double($1[Keys.conversationRate]) },
        Keys.conversationBurst.definition.name: { $0.perConversation.burst = Double($1[Keys.conversationBurst]) },
        Keys.keptCommandRate.definition.name: { $0.keptCommands.perSecond = Double($1[Keys.keptCommandRate]) },
        Keys.keptCommandBurst.definition.name: { $0.keptCommands.burst = Double($1[Keys.keptCommandBurst]) },
        Keys.sessionsPerUser.definition.name: { $0.sessionsPerUser = Int($1[Keys.sessionsPerUser]) },
    ]

    /// Effect of each live key on the transport's limits.
    private static let transportKeys: [String: @Sendable (TransportLimits) -> Limit] = [
        Keys.connections.definition.name: { $0.connections },
        Keys.connectionsPerAddress.definition.name: { $0.connectionsPerAddress },
        Keys.unauthenticatedConnections.definition.name: { $0.preAuthConnections },
    ]

    /// Effect of each live key on the rules of messages.
    private static let ruleKeys: [String: @Sendable (inout MessageRules, MessageRules) -> Void] = [
        Keys.recallSecondsDirect.definition.name: { $0.recallInDirect = $1.recallInDirect },
        Keys.recallSecondsGroup.definition.name: { $0.recallInGroups = $1.recallInGroups },
        Keys.recallSecondsManagers.definition.name: { $0.recallByManagers = $1.recallByManagers },
        Keys.editSecondsDirect.definition.name: { $0.editInDirect = $1.editInDirect },
        Keys.editSecondsGroup.definition.name: { $0.editInGroups = $1.editInGroups },
        Keys.receiptsDirect.definition.name: { $0.receiptsInDirect = $1.receiptsInDirect },
        Keys.receiptsGroup.definition.name: { $0.receiptsInGroups = $1.receiptsInGroups },
        Keys.reactions.definition.name: { $0.reactions = $1.reactions },
    ]

    /// Effect of each live key on the proofs that LeanCloud's clients owe.
    private static let appKeys: [String: @Sendable (inout AppPolicy, AppPolicy) -> Void] = [
        Keys.leanCloudSignIn.definition.name: { $0.signIn = $1.signIn },
        Keys.leanCloudConversationSignatures.definition.name: { $0.signsConversations = $1.signsConversations },
        Keys.leanCloudHistorySignatures.definition.name: { $0.signsHistory = $1.signsHistory },
        Keys.leanCloudCreatesUsers.definition.name: { $0.createsUsers = $1.createsUsers },
        Keys.leanCloudRegistration.definition.name: { $0.registrationIsOpen = $1.registrationIsOpen },
        Keys.leanCloudSignatureWindowSeconds.definition.name: {
            $0.signatureWindowSeconds = $1.signatureWindowSeconds
        },
        Keys.leanCloudSignaturesOnce.definition.name: { $0.signaturesAreForOneUse = $1.signaturesAreForOneUse },
        Keys.leanCloudSessionTokenSeconds.definition.name: { $0.sessionTokenSeconds = $1.sessionTokenSeconds },
    ]

    private static func isLive(_ name: String) -> Bool {
        Self.brokerKeys[name] != nil || Self.ruleKeys[name] != nil || Self.transportKeys[name] != nil
            || Self.appKeys[name] != nil || name == Keys.logLevel.definition.name
            || name == Keys.historyBeforeJoining.definition.name || name == Keys.plainPasswords.definition.name
            || name == Keys.clock.definition.name
    }

    // MARK: For operators

    private func list() -> [AdminSetting] {
        let settings = self.state.withLock { $0.settings }
        return Keys.all.map { definition in
            AdminSetting(
                name: definition.name, about: definition.reason, group: .server, form: definition.form,
                bounds: definition.bounds, choices: definition.choices, builtIn: definition.builtIn.text,
                value: settings[definition].text, origin: settings.origin(of: definition).description,
                isLive: Self.isLive(definition.name), isEnforced: true)
        }
    }

    private func check(_ name: String, _ value: String) throws(AdminError) -> String {
        guard let definition = Keys.all.first(where: { $0.name == name }) else {
            throw AdminError(.notFound, "there is no setting \(name)")
        }
        guard Self.isLive(name) else {
            throw AdminError(.refused, "\(name) needs a restart: change it in the server's file")
        }
        do throws(ConfigurationError) {
            return try self.options.settings.setting(name, to: value)[definition].text
        } catch {
            throw AdminError(.invalid, error.problem)
        }
    }

    /// - Parameter value: checked; `nil` for what the file says.
    private func apply(_ name: String, _ value: String?) {
        // What is handed on goes in the order of the changes.
        self.state.withLock { state in
            state.overrides[name] = value
            var settings = self.options.settings
            for (name, value) in state.overrides { settings = (try? settings.setting(name, to: value)) ?? settings }
            state.settings = settings
            if Self.brokerKeys[name] != nil {
                var limits = self.options.broker
                for name in state.overrides.keys { Self.brokerKeys[name]?(&limits, settings) }
                self.broker.apply(limits)
            }
            if Self.ruleKeys[name] != nil {
                var rules = self.options.store.rules
                let wanted = MessageRules(settings)
                for name in state.overrides.keys { Self.ruleKeys[name]?(&rules, wanted) }
                self.store.setRules(rules)
            }
            if Self.appKeys[name] != nil {
                var policy = self.options.accounts.app
                let wanted = AppPolicy(settings)
                for name in state.overrides.keys { Self.appKeys[name]?(&policy, wanted) }
                self.accounts.app.apply(policy)
            }
            if name == Keys.historyBeforeJoining.definition.name {
                self.store.setShowsBeforeJoining(settings[Keys.historyBeforeJoining] == "all")
            }
            if name == Keys.plainPasswords.definition.name {
                let areTaken = settings[Keys.plainPasswords] == "private"
                self.accounts.authenticator.setTakesPlainPasswords(areTaken)
                self.logPlainPasswords(areTaken)
            }
            if name == Keys.clock.definition.name {
                let isTrusted = settings[Keys.clock] == "trusted"
                self.store.write({ transaction in transaction.trustClock(isTrusted) }, then: { _ in })
            }
            if let limit = Self.transportKeys[name]?(self.options.transportLimits),
                let definition = Keys.all.first(where: { $0.name == name }),
                case .integer(let maximum) = settings[definition]
            {
                limit.setMaximum(maximum)
            }
            if name == Keys.logLevel.definition.name,
                let level = LogLevel.allCases.first(where: { $0.name == settings[Keys.logLevel] })
            {
                self.options.log.setLevel(level)
            }
        }
    }

    private func logPlainPasswords(_ areTaken: Bool) {
        guard areTaken else { return }
        self.options.log.warning(
            "plain_passwords",
            [
                "from": .text("private networks"),
                "advice": .text(
                    "whoever listens there reads them: set server.plain_passwords = \"loopback\" once apps know TLS"),
            ])
    }
}

extension SettingDefinition {
    fileprivate var form: AdminSetting.Form {
        switch self.kind {
        case .integer: .number
        case .boolean: .flag
        case .choice: .choice
        case .text: .text
        case .texts: .list
        }
    }

    fileprivate var choices: [String] {
        if case .choice(let words) = self.kind { return words }
        return []
    }
}
