package import APIKit
package import Accounts
package import AdminService
package import Broker
import ChatModel
package import Configuration
package import Diagnostics
package import Execution
package import HTTPClient
package import Hooks
package import LeanCloudGateway
package import Search
package import Store
package import Transport
import Glibc
package import WuKongAPI
package import WuKongGateway

/// Everything a server is started with.
package struct ServerOptions: Sendable {
    /// Name of the server that people see.
    package var name = Settings.builtIn[Keys.serverName]
    /// Options of the store.
    package var store: StoreOptions
    /// Options of search.
    package var search = SearchOptions()
    /// Limits of the broker.
    package var broker = BrokerLimits()
    /// Addresses, origins and TLS of the transport.
    package var transport: TransportSettings
    /// Limits of the transport.
    package var transportLimits = TransportLimits()
    /// True when TLS is served on the same port.
    package var servesTLS = true
    /// The operator's own certificates.
    package var certificates: [TLSSettings.Files] = []
    /// Settings of WuKongIM's gateway.
    package var wuKong = WuKongSettings()
    /// True when WuKongIM's clients are served.
    package var servesWuKong = true
    /// Settings of the HTTP APIs.
    package var wuKongAPI = APISettings()
    /// True when WuKongIM's HTTP API is served.
    package var servesWuKongAPI = true
    /// Settings of the API for WuKongIM's apps.
    package var business = BusinessSettings()
    /// True when LeanCloud's clients are served.
    package var servesLeanCloud = true
    /// The id of LeanCloud's clients; `nil` for the one that is stored, at the first start a random one.
    package var appID: String?
    /// Settings of LeanCloud's gateway.
    package var leanCloud = LeanCloudSettings()
    /// Options of the accounts.
    package var accounts = AccountsOptions()
    /// Options of files.
    package var files = FileOptions()
    /// Backups that the server makes by itself.
    package var backup = BackupScheduleOptions()
    /// Settings of profiles.
    package var profiles = ProfileSettings()
    /// Bounds of the journal of sign-ins.
    package var journal = SignInJournalOptions()
    /// Roles at the admin socket.
    package var operators = OperatorRules()
    /// Settings of the metrics.
    package var metrics = MetricsOptions()
    /// How apps reach this server for files; `nil` for as they reached it when they asked.
    package var publicURL: String?
    /// `nil`: nobody outside is told anything.
    package var hooks: HooksOptions?
    /// `nil`: no cloud function is called.
    package var leanCloudHooks: LeanCloudHookOptions?
    /// `nil`: what is not known here is not known at all.
    package var datasource: HTTPAddress?
    /// Signs what is posted to either.
    package var outgoingSecret: [UInt8]?
    /// Options of outgoing requests.
    package var outgoing = HTTPClientOptions()
    /// Settings that the options were made of, for the operator's view; the built-in ones when the options were made
    /// otherwise.
    package var settings = Settings.builtIn
    /// Copies the database before a start upgrades its schema.
    package var copiesBeforeUpgrade = true
    /// Version of Landlock that keeps the process to its folders; 0 for none.
    package var landlockVersion = 0
    /// Clock of every part.
    package var clock = Clock.system
    /// Log of every part.
    package var log = Log.silent

    package init(folder: String, listeners: [ListenAddress]) {
        self.store = StoreOptions(folder: folder)
        self.transport = TransportSettings(listeners: listeners)
    }
}

extension ServerOptions {
    /// From the checked settings.
    ///
    /// - Throws: `ConfigurationError` for a listening address that is none.
    package init(_ settings: Settings, log: Log, clock: Clock = .system) throws(ConfigurationError) {
        var listeners: [ListenAddress] = []
        for text in settings[Keys.listen] {
            guard let address = ListenAddress(parsing: text) else {
                throw ConfigurationError(
                    origin: settings.origin(of: Keys.listen.definition),
                    problem: "\(text) is no address to listen on: write HOST:PORT, such as 0.0.0.0:7677 or [::1]:7677")
            }
            listeners.append(address)
        }
        self.init(folder: settings.dataFolder, listeners: listeners)
        self.settings = settings
        self.log = log
        self.clock = clock
        self.name = try Self.name(settings)
        self.certificates = try Self.certificates(settings)
        self.applyStore(settings)
        self.applyLimits(settings)
        self.applyDoors(settings)
        self.applyFiles(settings)
        self.applyBackup(settings)
        try self.applyOutbound(settings)
        try self.applyProfiles(settings)
        try self.applyLeanCloud(settings)
        try self.applyLeanCloudDoor(settings)
        try self.applyMetrics(settings)
        try self.applyOperators(settings)
        self.journal.days = settings[Keys.journalDays]
        self.journal.maximumBytes = settings[Keys.journalBytes]
    }

    /// Most characters of the server's name.
    package static let nameCharacters = 40

    private static func name(_ settings: Settings) throws(ConfigurationError) -> String {
        let name = settings[Keys.serverName]
        guard Self.isName(name) else {
            throw ConfigurationError(
                origin: settings.origin(of: Keys.serverName.definition),
                problem:
                    "server.name has 1 to \(Self.nameCharacters) printable characters, none of them blank at an end")
        }
        return name
    }

    /// True for a text that may be the name of a server: short, on one line, and visible.
    package static func isName(_ text: String) -> Bool {
        (1...Self.nameCharacters).contains(text.unicodeScalars.count)
            && text.first?.isWhitespace == false && text.last?.isWhitespace == false
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
                default: true
                }
            }
    }

    private static func certificates(_ settings: Settings) throws(ConfigurationError) -> [TLSSettings.Files] {
        var files: [TLSSettings.Files] = []
        for text in settings[Keys.certificates] {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw ConfigurationError(
                    origin: settings.origin(of: Keys.certificates.definition),
                    problem: "\(text) is no certificate: write CHAIN.pem:KEY.pem, two files with a colon between")
            }
            files.append(TLSSettings.Files(certificate: parts[0], key: parts[1]))
        }
        return files
    }

    private mutating func applyStore(_ settings: Settings) {
        self.store.queueRequests = Int(settings[Keys.commitQueueRequests])
        self.store.queueBytes = Int(settings[Keys.commitQueueBytes])
        self.store.tokenDays = Int(settings[Keys.tokenDays])
        self.store.ballastBytes = settings[Keys.ballastBytes]
        self.store.stopWritingFreeBytes = settings[Keys.stopWritingFreeBytes]
        self.store.groupMembers = Int(settings[Keys.groupMembers])
        self.store.rules = MessageRules(settings)
        self.store.showsBeforeJoining = settings[Keys.historyBeforeJoining] == "all"
        self.store.reminderDays = Int(settings[Keys.reminderDays])
        self.store.inactiveDays = Int(settings[Keys.conversationExpiryDays])
        self.store.retention = RetentionRules(settings)
        self.store.clock = self.clock
        self.store.trustsClock = settings[Keys.clock] == "trusted"
        self.store.log = self.log
    }

    private mutating func applyLimits(_ settings: Settings) {
        self.broker.perUser = RateLimit(
            perSecond: Double(settings[Keys.userRate]), burst: Double(settings[Keys.userBurst]))
        self.broker.perConversation = RateLimit(
            perSecond: Double(settings[Keys.conversationRate]), burst: Double(settings[Keys.conversationBurst]))
        self.broker.keptCommands = RateLimit(
            perSecond: Double(settings[Keys.keptCommandRate]), burst: Double(settings[Keys.keptCommandBurst]))
        self.broker.bodyBytes = Int(settings[Keys.bodyBytes])
        self.search.milliseconds = settings[Keys.searchMilliseconds]
        self.broker.sessionsPerUser = Int(settings[Keys.sessionsPerUser])
        self.transportLimits.connections = Limit(
            name: "connections", unit: "connections", maximum: settings[Keys.connections])
        self.transportLimits.connectionsPerAddress = Limit(
            name: "connections_per_address", unit: "connections", maximum: settings[Keys.connectionsPerAddress])
        self.transportLimits.preAuthConnections = Limit(
            name: "unauthenticated_connections", unit: "connections", maximum: settings[Keys.unauthenticatedConnections]
        )
        self.transportLimits.messageBytes = Limit(
            name: "frame_bytes", unit: "bytes", maximum: settings[Keys.frameBytes])
        self.transportLimits.outboxBytes = Limit(
            name: "outbox_bytes", unit: "bytes", maximum: settings[Keys.outboxBytes])
        self.transportLimits.outboxLowWaterBytes = Int(settings[Keys.outboxBytes]) / 4
        self.transportLimits.outboxCeilingBytes = max(8 << 20, Int(settings[Keys.outboxBytes]) * 4)
        self.transportLimits.bodyBytesPerSecond = Int(settings[Keys.uploadBytesPerSecond])
        self.transportLimits.stallSeconds = Int(settings[Keys.stallSeconds])
    }

    private mutating func applyDoors(_ settings: Settings) {
        let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let reactors = Int(settings[Keys.reactors])
        self.transport.reactors = reactors > 0 ? reactors : min(64, max(1, cores - 1))
        self.transport.hosts = settings[Keys.hosts]
        self.transport.origins = settings[Keys.origins]
        self.transport.proxies = settings[Keys.proxies]
        self.servesTLS = settings[Keys.tls]
        self.accounts.takesPlainTokens = settings[Keys.plainTokens] == "private"
        self.accounts.takesPlainPasswords = settings[Keys.plainPasswords] == "private"
        self.accounts.passwords.minimumCharacters = Int(settings[Keys.passwordMinimumCharacters])
        self.accounts.clock = self.clock
        self.accounts.log = self.log
        self.servesWuKong = settings[Keys.wukong]
        self.wuKong.catchesUp = settings[Keys.wukongCatchUp] == "json"
        self.wuKong.catchUpMessages = settings[Keys.wukongCatchUpMessages]
        self.wuKong.redeliverySeconds = settings[Keys.wukongRedeliverySeconds]
        self.wuKong.redeliveryAttempts = UInt8(settings[Keys.wukongRedeliveryAttempts])
        self.wuKong.idleSeconds = Int(settings[Keys.idleSecondsWuKong])
        self.wuKong.frameBytes = Int(settings[Keys.frameBytes])
        self.applyAPI(settings)
    }
    private mutating func applyAPI(_ settings: Settings) {
        self.servesWuKongAPI = settings[Keys.wukongAPI]
        self.wuKongAPI.perPerson = RateLimit(
            perSecond: Double(settings[Keys.wukongAPIPersonRate]), burst: Double(settings[Keys.wukongAPIPersonBurst]))
        self.wuKongAPI.perAddress = RateLimit(
            perSecond: Double(settings[Keys.wukongAPIAddressRate]), burst: Double(settings[Keys.wukongAPIAddressBurst]))
        self.wuKongAPI.waitingRequests = Int(settings[Keys.wukongAPIWaiting])
        self.wuKongAPI.takesPlainTokens = settings[Keys.plainTokens] == "private"
        self.wuKongAPI.messageBytes = Int(settings[Keys.bodyBytes])
        self.business.registrationIsOpen = settings[Keys.wukongRegistration] == "open"
        if settings[Keys.wukongTrial] {
            var trial = TrialSettings()
            trial.maximumPeople = Int(settings[Keys.wukongTrialPeople])
            trial.maximumChannels = Int(settings[Keys.wukongTrialChannels])
            self.wuKongAPI.trial = trial
        }
    }
}

extension ServerOptions {
    private mutating func applyLeanCloudDoor(_ settings: Settings) throws(ConfigurationError) {
        self.leanCloud.idleSeconds = Int(settings[Keys.leanCloudIdleSeconds])
        self.leanCloud.roomRejoinSeconds = settings[Keys.leanCloudRoomRejoinSeconds]
        self.leanCloud.hidesFromStrangers = settings[Keys.leanCloudLookup] == "members"
        self.leanCloud.joinsByInvitation = settings[Keys.leanCloudJoin] == "invited"
        self.leanCloud.ownerStays = settings[Keys.leanCloudOwnerStays]
        self.leanCloud.commandBytes = Int(settings[Keys.leanCloudCommandBytes])
        self.leanCloud.requestRate = RateLimit(perMinute: settings[Keys.leanCloudRequestsPerMinute])
        self.leanCloud.historyRate = RateLimit(perMinute: settings[Keys.leanCloudHistoryPerMinute])
        self.leanCloud.stallSeconds = settings[Keys.stallSeconds]
        self.leanCloud.arrivingIsReading = settings[Keys.leanCloudArrivingIsReading]
        let server = settings[Keys.leanCloudPublicServer]
        guard !server.isEmpty else { return }
        let host = ["wss://", "ws://"].first { server.hasPrefix($0) }.map { server.dropFirst($0.count) } ?? server[...]
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
            throw ConfigurationError(
                origin: settings.origin(of: Keys.leanCloudPublicServer.definition),
                problem: "\(server) is no server: write HOST or HOST:PORT, with or without ws:// or wss:// before it")
        }
        self.leanCloud.publicServer = server
    }
}

extension ServerOptions {
    private mutating func applyLeanCloud(_ settings: Settings) throws(ConfigurationError) {
        self.servesLeanCloud = settings[Keys.leanCloud]
        self.accounts.app = AppPolicy(settings)
        let appID = settings[Keys.leanCloudAppID]
        guard !appID.isEmpty else { return }
        let isPlain = appID.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        guard AppAuthenticator.appIDLengths.contains(appID.utf8.count), isPlain else {
            throw ConfigurationError(
                origin: settings.origin(of: Keys.leanCloudAppID.definition),
                problem: "leancloud.app_id has 8 to 64 printable characters without spaces and colons")
        }
        self.appID = appID
    }
}

extension RateLimit {
    /// As many in a minute, all of them at once too.
    fileprivate init(perMinute count: Int64) { self.init(perSecond: Double(count) / 60, burst: Double(count)) }
}

extension AppPolicy {
    init(_ settings: Settings) {
        self.init()
        // The choices of the key are these words.
        self.signIn = SignIn(rawValue: settings[Keys.leanCloudSignIn]) ?? .signature
        self.signsConversations = settings[Keys.leanCloudConversationSignatures]
        self.signsHistory = settings[Keys.leanCloudHistorySignatures]
        self.createsUsers = settings[Keys.leanCloudCreatesUsers]
        self.registrationIsOpen = settings[Keys.leanCloudRegistration]
        self.signatureWindowSeconds = settings[Keys.leanCloudSignatureWindowSeconds]
        self.signaturesAreForOneUse = settings[Keys.leanCloudSignaturesOnce]
        self.sessionTokenSeconds = settings[Keys.leanCloudSessionTokenSeconds]
    }
}

extension MessageRules {
    init(_ settings: Settings) {
        self.init()
        self.recallInDirect = ActionWindow(setting: settings[Keys.recallSecondsDirect])
        self.recallInGroups = ActionWindow(setting: settings[Keys.recallSecondsGroup])
        self.recallByManagers = ActionWindow(setting: settings[Keys.recallSecondsManagers])
        self.editInDirect = ActionWindow(setting: settings[Keys.editSecondsDirect])
        self.editInGroups = ActionWindow(setting: settings[Keys.editSecondsGroup])
        self.receiptsInDirect = settings[Keys.receiptsDirect]
        self.receiptsInGroups = settings[Keys.receiptsGroup]
        self.reactions = Set(settings[Keys.reactions])
    }
}

extension ActionWindow {
    /// - Parameter seconds: 0 for never, less for always.
    init(setting seconds: Int64) {
        switch seconds {
        case 0: self = .never
        case ..<0: self = .always
        default: self = .seconds(seconds)
        }
    }
}
