import Accounts
import AdminAPI
import AdminService
import Broker
import ChatModel
import Configuration
import ContentTranslation
import Diagnostics
import HTTPClient
import Hooks
import LeanCloudAPI
import LeanCloudTranslation
import Monitoring
import Store
import Transport
import WuKongTranslation

/// Outbound requests that the server sends of its own accord: hooks to a business server, questions to a datasource.
final class OutboundServices: Sendable {
    private let hooks: Hooks?
    private let hookClient: HTTPClient?
    private let datasourceClient: HTTPClient?
    private let leanCloudClient: HTTPClient?
    private let functionClient: HTTPClient?
    /// Client that calls functions for apps' clients.
    private let functionCalls: FunctionClient?
    /// Calls of an app's cloud functions; `nil` when none are called.
    let leanCloudHooks: LeanCloudHooks?
    let datasource: DatasourceClient?

    /// Before the gateways open, so that everybody's coming is told.
    ///
    /// - Parameter listening: our own gateways, to which nothing is posted.
    init(
        _ options: ServerOptions, store: Store, broker: Broker, app: AppAuthenticator, listening: [BoundAddress]
    ) throws(ServerError) {
        var outgoing = options.outgoing
        outgoing.rule = AddressRule(listening: listening)
        do throws(HTTPClientError) {
            self.hookClient = options.hooks == nil ? nil : try HTTPClient(outgoing)
            // A client of its own: somebody waits for these answers, and a slow receiver of hooks must not delay them.
            self.datasourceClient = options.datasource == nil ? nil : try HTTPClient(outgoing)
            self.leanCloudClient = options.leanCloudHooks == nil ? nil : try HTTPClient(outgoing)
            // And this one works for clients, who may call a slow function as often as they like.
            outgoing.threads = Self.functionThreads
            outgoing.waitingRequests = Self.waitingFunctions
            self.functionClient = options.leanCloudHooks == nil ? nil : try HTTPClient(outgoing)
        } catch {
            throw .outgoing(error)
        }
        if var hooks = options.leanCloudHooks, let client = self.leanCloudClient {
            hooks.clock = options.clock
            hooks.log = options.log
            hooks.credentials = { Self.credentials(of: app, isMaster: false, at: $0) }
            let functions = LeanCloudHooks(hooks, store: store, client: client)
            functions.start(with: broker)
            self.leanCloudHooks = functions
        } else {
            self.leanCloudHooks = nil
        }
        self.functionCalls = self.functionClient.flatMap { client in
            options.leanCloudHooks.map { hooks in
                FunctionClient(base: hooks.base, client: client, clock: options.clock, log: options.log) {
                    Self.credentials(of: app, isMaster: $0, at: $1)
                }
            }
        }
        if var hooks = options.hooks, let client = self.hookClient {
            hooks.secret = options.outgoingSecret
            hooks.clock = options.clock
            hooks.log = options.log
            if hooks.secret == nil {
                options.log.warning(
                    "hooks_not_signed", ["help": .text("set hooks.secret_file, so that receivers know who speaks")])
            }
            self.hooks = Hooks(hooks, store: store, broker: broker, client: client)
        } else {
            self.hooks = nil
        }
        if let address = options.datasource, let client = self.datasourceClient {
            let datasource = DatasourceClient(address: address, client: client, secret: options.outgoingSecret)
            self.datasource = datasource
            Self.use(datasource, store: store, broker: broker, log: options.log)
        } else {
            self.datasource = nil
        }
    }

    /// Functions that are called for clients at the same time, and that may wait.
    private static let (functionThreads, waitingFunctions) = (8, 64)

    /// Signed: who reads a call does not learn the key.
    private static func credentials(
        of app: AppAuthenticator, isMaster: Bool, at now: Int64
    ) -> [(name: String, value: String)] {
        guard let appID = app.application?.appID, let signed = app.signREST(asMaster: isMaster, timestamp: now) else {
            return []
        }
        return [(name: "X-LC-Id", value: appID), (name: "X-LC-Sign", value: signed.header)]
    }

    /// Lets clients call the app's functions; without an address of functions nothing is opened.
    func open(_ functions: AppFunctions) {
        guard let calls = self.functionCalls else { return }
        functions.open { call, then in
            var fields = [(name: "X-Real-IP", value: call.address)]
            // What came in a header field has no control characters.
            if let token = call.sessionToken { fields.append((name: "X-LC-Session", value: token)) }
            if let environment = call.environment { fields.append((name: "X-LC-Prod", value: environment)) }
            let path = "/1.1/\(call.form.rawValue)/\(PercentEncoding.segment(call.name))"
            calls.call(path, isMaster: call.isMaster, fields: fields, body: call.body) { result in
                switch result {
                case .success(let response): then(.answered(status: response.status, body: response.body))
                case .failure(.busy), .failure(.stopped): then(.busy)
                case .failure(.timedOut): then(.timedOut)
                case .failure: then(.failed)
                }
            }
        }
    }

    /// Channels that are not known here are asked for when somebody writes to them, system accounts once, now.
    private static func use(_ datasource: DatasourceClient, store: Store, broker: Broker, log: Log) {
        broker.askForChannels { kind, name, then in
            let type = Translation.channelType(kind)
            datasource.importChannel(id: name.text, type: type, into: store) { result in
                switch result {
                case .success(let made): then(made != nil)
                case .failure(let error):
                    log.warning(
                        "datasource_failed", ["channel": .name(name.text), "reason": .text(error.description)])
                    then(false)
                }
            }
        }
        datasource.systemUIDs { result in
            switch result {
            case .failure(let error):
                log.warning("datasource_failed", ["ask": .text("getSystemUIDs"), "reason": .text(error.description)])
            case .success(let names):
                store.write { transaction throws(StoreError) in
                    for name in names where name != systemUserName {
                        _ = try transaction.people.setSystemAccount(try transaction.people.ensureUser(name).id, true)
                    }
                } then: { _ in
                }
            }
        }
    }

    /// Readers of message bodies, by protocol.
    static let bodies: Moderation.Bodies = [
        .native: WuKongBodies(), .wuKong: WuKongBodies(), .leanCloud: LeanCloudBodies(),
    ]

    /// The store's, with the queue when hooks need it.
    static func storeOptions(_ options: ServerOptions) -> StoreOptions {
        var store = options.store
        store.readableCharacters = { Content.readableCharacters(of: $0) }
        store.contentKinds = { Content.kinds(of: $0) }
        store.completed = LeanCloudBodies.completed
        store.systemMessages = WuKongSystemMessages.messages
        store.readableTexts = { content in OutboundServices.bodies[content.wire]?.texts(of: content) ?? [] }
        store.queuesHooks = options.hooks?.events.contains { $0.needsQueuedMessages } ?? false
        return store
    }

    /// Before the broker and the store stop; once only.
    func stop() {
        self.hooks?.stop()
        self.hookClient?.stop()
        self.datasourceClient?.stop()
        self.leanCloudClient?.stop()
        self.functionClient?.stop()
    }

    // MARK: For the operator

    var hookMetrics: HookMetrics? { self.hooks?.metrics }

    /// For who watches the server.
    var reading: OutboundReading {
        OutboundReading(
            hooks: self.hookMetrics, functions: self.leanCloudHooks?.metrics ?? [],
            functionsDropped: self.leanCloudHooks?.dropped ?? 0)
    }

    var metrics: [AdminMetric] { self.eventMetrics + self.functionMetrics }

    /// How the cloud functions go: over all functions; what fails is among the troubles by its name.
    private var functionMetrics: [AdminMetric] {
        guard let hooks = self.leanCloudHooks else { return [] }
        let functions = hooks.metrics
        return [
            AdminMetric("leanCloudHooksCalls", functions.reduce(0) { $0 + $1.calls }),
            AdminMetric("leanCloudHooksFailures", functions.reduce(0) { $0 + $1.failures }),
            AdminMetric("leanCloudHooksRejections", functions.reduce(0) { $0 + $1.rejections }),
            AdminMetric("leanCloudHooksMilliseconds", functions.compactMap(\.lastMilliseconds).max() ?? 0),
            AdminMetric("leanCloudHooksDropped", hooks.dropped),
        ]
    }

    /// The cloud functions for `ctl hook`; `nil` when none are called.
    var functions: ServerFunctions? {
        guard let hooks = self.leanCloudHooks else { return nil }
        return ServerFunctions(
            list: {
                hooks.metrics.map { metrics in
                    AdminHookFunction(
                        name: metrics.function, calls: metrics.calls, failures: metrics.failures,
                        rejections: metrics.rejections, lastMilliseconds: metrics.lastMilliseconds,
                        lastError: metrics.lastError, isDisabled: metrics.isDisabled)
                }
            }, dropped: { hooks.dropped },
            setDisabled: { name, isDisabled in _ = hooks.setDisabled(name, isDisabled) })
    }

    private var eventMetrics: [AdminMetric] {
        guard let hooks = self.hookMetrics else { return [] }
        return [
            AdminMetric("hooksWaiting", hooks.waiting), AdminMetric("hooksOldestSeconds", hooks.oldestSeconds),
            AdminMetric("hooksDelivered", hooks.delivered), AdminMetric("hooksFailures", hooks.failures),
            AdminMetric("hooksDropped", hooks.dropped),
        ]
    }

    var troubles: [String] {
        var troubles: [String] = []
        if let error = self.hookMetrics?.lastError {
            troubles.append("hooks: the receiver takes no events: \(error); they wait, and are sent again")
        }
        // An app has those functions that it needs; one that has none is asked for in the wrong place.
        let functions = (self.leanCloudHooks?.metrics ?? []).filter { $0.calls > 0 }
        if !functions.isEmpty, functions.allSatisfy(\.isAbsent) {
            troubles.append("leancloud.hooks: the app has none of the functions: see leancloud.hooks_url")
        }
        for function in functions where !function.isAbsent {
            if let error = function.lastError {
                troubles.append("leancloud.hooks: \(function.function) failed: \(error)")
            }
        }
        return troubles
    }
}

extension ServerOptions {
    /// - Throws: `ConfigurationError` for addresses, events and secrets that are none.
    mutating func applyOutbound(_ settings: Settings) throws(ConfigurationError) {
        self.outgoingSecret = try Self.secret(settings, Keys.hooksSecretFile)
        let caFile = settings[Keys.hooksCAFile]
        self.outgoing.caFile = caFile.isEmpty ? nil : caFile
        self.datasource = try Self.address(settings, Keys.wukongDatasource)
        self.leanCloudHooks = try Self.functions(settings)
        guard let address = try Self.address(settings, Keys.hooksURL) else { return }
        var hooks = HooksOptions(address: address, events: try Self.events(settings))
        hooks.timeoutMilliseconds = settings[Keys.hooksTimeoutSeconds] * 1_000
        hooks.queueEvents = settings[Keys.hooksQueueEvents]
        hooks.giveUpMilliseconds = settings[Keys.hooksGiveUpHours] * 3_600_000
        self.hooks = hooks
    }

    /// - Returns: `nil` when no address is set.
    private static func functions(_ settings: Settings) throws(ConfigurationError) -> LeanCloudHookOptions? {
        let base = settings[Keys.leanCloudHooksURL]
        guard !base.isEmpty else { return nil }
        let names = settings[Keys.leanCloudHooks]
        if let unknown = names.first(where: { !LeanCloudHookOptions.functions.contains($0) }) {
            throw ConfigurationError(
                origin: settings.origin(of: Keys.leanCloudHooks.definition),
                problem:
                    "there is no function \(unknown): it takes \(LeanCloudHookOptions.functions.joined(separator: ", "))"
            )
        }
        var options: LeanCloudHookOptions
        do throws(HTTPClientError) {
            options = try LeanCloudHookOptions(base: base, functions: Set(names))
        } catch {
            throw ConfigurationError(
                origin: settings.origin(of: Keys.leanCloudHooksURL.definition), problem: error.description)
        }
        options.key = try Self.secret(settings, Keys.leanCloudHooksKeyFile).map { String(decoding: $0, as: UTF8.self) }
        options.timeoutMilliseconds = settings[Keys.leanCloudHooksTimeoutSeconds] * 1_000
        options.onFailure = settings[Keys.leanCloudHooksOnFailure] == "reject" ? .reject : .ignore
        return options
    }

    /// - Returns: `nil` when no file is named.
    static func secret(_ settings: Settings, _ key: SettingKey<String>) throws(ConfigurationError) -> [UInt8]? {
        let file = settings[key]
        guard !file.isEmpty else { return nil }
        do throws(HookSecretError) {
            return try HookSecret.read(file)
        } catch {
            throw ConfigurationError(origin: settings.origin(of: key.definition), problem: error.description)
        }
    }

    static func address(
        _ settings: Settings, _ key: SettingKey<String>
    ) throws(ConfigurationError) -> HTTPAddress? {
        let text = settings[key]
        guard !text.isEmpty else { return nil }
        do throws(HTTPClientError) {
            return try HTTPAddress(text)
        } catch {
            throw ConfigurationError(origin: settings.origin(of: key.definition), problem: error.description)
        }
    }

    private static func events(_ settings: Settings) throws(ConfigurationError) -> Set<HookEvent> {
        var events: Set<HookEvent> = []
        for name in settings[Keys.hooksEvents] {
            guard let event = HookEvent(rawValue: name) else {
                throw ConfigurationError(
                    origin: settings.origin(of: Keys.hooksEvents.definition),
                    problem:
                        "there is no event \(name): it takes \(HookEvent.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            events.insert(event)
        }
        return events
    }
}
