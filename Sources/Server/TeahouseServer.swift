import APIGateway
import APIKit
package import Accounts
package import AdminAPI
import AdminService
import Backup
package import Broker
import Diagnostics
package import FileStore
package import HTTPClient
package import Hooks
import LeanCloudAPI
import LeanCloudGateway
import Monitoring
package import Profiles
package import Search
package import Store
package import Transfers
package import Transport
import WuKongAPI
import WuKongGateway

/// A whole server: everything started and stopped in one visible order.
package final class TeahouseServer: Sendable {
    /// Store of the server.
    package let store: Store
    /// Search over the messages.
    package let search: SearchIndex
    /// Accounts of the server.
    package let accounts: Accounts
    /// Broker of the server.
    package let broker: Broker
    /// Uploads and downloads of the server.
    package let transfers: Transfers
    /// Profiles of the server.
    package let profiles: Profiles
    /// Listeners and reactors of the server.
    package let transport: TransportServer
    private let address: ServerAddress
    private let lateProfiles: LateProfileProvider?
    private let backups: BackupService
    private let backupSchedule: BackupSchedule
    private let scrub: ScrubSchedule
    private let outbound: OutboundServices
    private let admin: AdminService
    private let live: LiveSettings
    private let metricsPort: MetricsPort
    /// `nil` when there is no API for apps.
    private let friendPresence: FriendPresence?

    /// Where channels that are not known may be asked for; `nil` when nowhere.
    package var datasource: DatasourceClient? { self.outbound.datasource }

    /// How hooks go; `nil` when there are none.
    package var hookMetrics: HookMetrics? { self.outbound.hookMetrics }

    /// Where it listens, with real ports.
    package var addresses: [BoundAddress] { self.transport.addresses }

    /// Where it answers who watches it, with real ports; empty where no such address is configured.
    package var metricsAddresses: [BoundAddress] { self.metricsPort.addresses }

    /// Opens the data folder, binds the ports, and accepts connections when it returns.
    ///
    /// - Throws: `ServerError`; then nothing runs and the folder is free again.
    package init(_ options: ServerOptions) throws(ServerError) {
        do throws(StoreError) {
            self.store = try Store(Self.storeOptions(options))
            Self.keepForRollback(options)
        } catch {
            throw .store(error)
        }
        var accounts = options.accounts
        accounts.journal = Self.makeJournal(options, store: self.store)
        self.accounts = Accounts(self.store, folder: options.store.folder, options: accounts)
        self.broker = Broker(store: self.store, limits: options.broker, clock: options.clock, log: options.log)
        let moderation: Moderation
        do throws(StoreError) {
            if options.servesLeanCloud { try self.accounts.app.open(appID: options.appID) }
            self.live = try LiveSettings(options, store: self.store, broker: self.broker, accounts: self.accounts)
            moderation = try Moderation(store: self.store, broker: self.broker, bodies: OutboundServices.bodies)
        } catch {
            Self.stop(self.broker, self.accounts, self.store)
            throw .store(error)
        }
        do throws(ServerError) {
            self.transfers = try Self.makeTransfers(options, store: self.store)
        } catch {
            Self.stop(self.broker, self.accounts, self.store)
            throw error
        }
        self.lateProfiles = options.profiles.remote.map(LateProfileProvider.init)
        self.profiles = Profiles(
            store: self.store, options: options.profiles.service, remote: self.lateProfiles, clock: options.clock,
            log: options.log)
        self.search = SearchIndex(
            self.store, folder: options.store.folder, options: options.search, clock: options.clock, log: options.log)
        let api: APIContext
        let functions = AppFunctions()
        do throws(ServerError) {
            api = try Self.apiContext(
                options, store: self.store, search: self.search, broker: self.broker, accounts: self.accounts,
                profiles: self.profiles, transfers: self.transfers, functions: functions)
            let files = FilesContext(api: api, transfers: self.transfers, settings: options.files.routes)
            let events = EventsContext(api: api, profiles: self.profiles, transfers: self.transfers)
            let feed = FeedContext(api: api, profiles: self.profiles, transfers: self.transfers)
            let parts = ServerMetrics.Parts(
                store: self.store, accounts: self.accounts, broker: self.broker, transfers: self.transfers,
                profiles: self.profiles, search: self.search, folder: options.store.folder, version: Version.text,
                limits: options.transportLimits.all)
            let (metrics, readiness) = (ServerMetrics(parts, clock: options.clock), Readiness(self.store))
            let tls = try Self.makeTLS(options)
            let address = ServerAddress(configured: options.publicURL)
            self.address = address
            self.transport = try Self.makeTransport(
                options, tls: tls, address: address, store: self.store, broker: self.broker, accounts: self.accounts,
                api: api,
                files: files, events: events, feed: feed
            ) { reactor in
                MonitoringGateway(
                    metrics, readiness, access: options.metrics.isOnPeoplesPort ? options.metrics.access : nil,
                    tellsReasons: false, reactor: reactor)
            }
            address.open(self.transport.addresses)
            try self.lateProfiles?.open(options.outgoing, listening: self.transport.addresses)
            self.outbound = try OutboundServices(
                options, store: self.store, broker: self.broker, app: self.accounts.app,
                listening: self.transport.addresses)
            self.outbound.open(functions)
            let outbound = self.outbound
            api.services.facts.transport.open(self.transport)
            metrics.open(self.transport, certificates: { tls?.expiries ?? [] }, outbound: { outbound.reading })
            do throws(TransportError) {
                self.metricsPort = try MetricsPort(options, tls: tls, metrics: metrics, readiness: readiness)
            } catch {
                outbound.stop()
                throw .transport(error)
            }
        } catch {
            self.search.stop()
            Self.stop(self.transfers, self.profiles, self.lateProfiles)
            Self.stop(self.broker, self.accounts, self.store)
            throw error
        }
        self.backups = Self.makeBackups(options, store: self.store)
        let schedule = BackupSchedule(options, self.backups)
        self.backupSchedule = schedule
        let scrub = ScrubSchedule(options, self.store)
        self.scrub = scrub
        do throws(AdminError) {
            var admin = Self.adminOptions(options, self.transport, self.address, self.outbound, self.live, self.search)
            admin.backups = self.backups
            let troubles = admin.moreTroubles
            admin.moreTroubles = { troubles() + schedule.troubles + scrub.troubles }
            self.admin = try AdminService(
                admin, store: self.store, accounts: self.accounts, broker: self.broker, moderation: moderation,
                transfers: self.transfers,
                profiles: self.profiles)
        } catch {
            self.metricsPort.stop()
            self.backups.stop()
            self.backupSchedule.stop()
            self.scrub.stop()
            self.outbound.stop()
            self.search.stop()
            Self.stop(self.transfers, self.profiles, self.lateProfiles)
            Self.stop(self.broker, self.accounts, self.store)
            throw .admin(error)
        }
        do throws(AccountsError) {
            _ = try self.accounts.wait { [accounts = self.accounts] in accounts.openSetup(then: $0) }
        } catch {
            options.log.warning("no setup token", ["reason": .text(error.description)])
        }
        self.friendPresence =
            options.servesWuKong && options.servesWuKongAPI
            ? FriendPresence(api.services, settleMilliseconds: options.business.presenceSettleMilliseconds) : nil
        self.transport.start()
    }

    /// - Returns: `nil` when TLS is not served.
    private static func makeTLS(_ options: ServerOptions) throws(ServerError) -> TLSStore? {
        guard options.servesTLS else { return nil }
        let settings = TLSSettings(
            folder: options.store.folder + "/tls", certificates: options.certificates, hosts: options.transport.hosts)
        do throws(TransportError) {
            return try TLSStore(settings, log: options.log, clock: options.clock)
        } catch {
            throw .transport(error)
        }
    }

    /// - Returns: `nil` where none is kept.
    private static func makeJournal(_ options: ServerOptions, store: Store) -> SignInJournal? {
        guard options.journal.days > 0 else { return nil }
        return SignInJournal(in: options.store.folder, options: options.journal, clock: options.clock, log: options.log)
        {
            store.metrics.clock == .believed
        }
    }

    private static func makeTransport(
        _ options: ServerOptions, tls: TLSStore?, address: ServerAddress, store: Store, broker: Broker,
        accounts: Accounts, api: APIContext,
        files: FilesContext, events: EventsContext, feed: FeedContext,
        monitoring: @escaping @Sendable (Reactor) -> MonitoringGateway
    ) throws(ServerError) -> TransportServer {
        let services = WuKongServices(
            broker: broker, authenticator: accounts.authenticator, settings: options.wuKong, log: options.log)
        let leanCloud = LeanCloudServices(
            broker: broker, store: store, accounts: accounts, settings: options.leanCloud, clock: options.clock,
            log: options.log, showsOnlyAcquainted: options.profiles.service.visibility == .acquainted)
        if options.servesLeanCloud {
            do throws(StoreError) { try leanCloud.begin() } catch { throw .store(error) }
        }
        let card = CardPage.Facts(name: options.name, tls: tls, address: address)
        let (servesLeanCloud, servesWuKong) = (options.servesLeanCloud, options.servesWuKong)
        do throws(TransportError) {
            return try TransportServer(
                settings: options.transport, limits: options.transportLimits, tls: tls, log: options.log,
                clock: options.clock
            ) { reactor in
                // The feed and LeanCloud's take those that offer their subprotocols, WuKongIM's every other WebSocket.
                var gateways: [any Gateway] = [
                    FeedGateway(context: feed, reactor: reactor), EventsGateway(context: events, reactor: reactor),
                ]
                if servesLeanCloud { gateways.append(LeanCloudGateway(services: leanCloud, reactor: reactor)) }
                if servesWuKong { gateways.append(WuKongGateway(services: services, reactor: reactor)) }
                let contents = FilesGateway(context: files, reactor: reactor)
                gateways += [contents, RouteGateway(context: api, reactor: reactor)]
                return gateways + [
                    monitoring(reactor), SetupPage(accounts: accounts, reactor: reactor), Page(), CardPage(card),
                    LandingPage(name: card.name, tls: tls), FormerFilesGateway(contents),
                ]
            }
        } catch {
            throw .transport(error)
        }
    }

    private static func adminOptions(
        _ options: ServerOptions, _ transport: TransportServer, _ address: ServerAddress, _ outbound: OutboundServices,
        _ live: LiveSettings,
        _ search: SearchIndex
    ) -> AdminServiceOptions {
        var admin = AdminServiceOptions(
            folder: options.store.folder, version: Version.text, addresses: transport.addresses.map(\.description),
            limits: options.transportLimits.all)
        admin.clock = options.clock
        admin.log = options.log
        admin.publicAddress = { address.url }
        admin.filesAddress = options.publicURL
        let confinement = AdminMetric("landlockVersion", Int64(options.landlockVersion))
        admin.moreMetrics = { outbound.metrics + [confinement] }
        let trial = options.runsTrial ? [TrialMode.trouble] : []
        admin.moreTroubles = { outbound.troubles + trial }
        admin.serverSettings = live.forOperators
        admin.functions = outbound.functions
        admin.operators = options.operators
        admin.search = search
        return admin
    }

    /// Accepts no more, tells every client to come back, finishes what was taken, and closes the folder.
    ///
    /// - Parameter deadlineMilliseconds: how long clients get to take what waits for them.
    package func stop(deadlineMilliseconds: Int64 = 5000) {
        // That everybody goes is no news of anybody.
        self.friendPresence?.stop()
        self.metricsPort.beginDraining()
        self.transport.drain(deadlineMilliseconds: deadlineMilliseconds)
        self.admin.stop()
        self.metricsPort.stop()
        self.backups.stop()
        self.backupSchedule.stop()
        self.scrub.stop()
        self.outbound.stop()
        self.search.stop()
        Self.stop(self.transfers, self.profiles, self.lateProfiles)
        Self.stop(self.broker, self.accounts, self.store)
    }

    /// Makes uploads durable and answers callers who wait for a profile, while the store still works.
    private static func stop(_ transfers: Transfers, _ profiles: Profiles, _ late: LateProfileProvider?) {
        transfers.stop()
        profiles.stop()
        late?.stop()
    }

    /// In the order in which nobody speaks to somebody who has gone: the store finishes its queue last.
    private static func stop(_ broker: Broker, _ accounts: Accounts, _ store: Store) {
        accounts.stop()
        accounts.journal?.stop()
        store.close()
        broker.stop()
    }

    /// Reads certificates again.
    package func reload() throws(ServerError) {
        do throws(TransportError) {
            try self.transport.reloadTLS()
        } catch {
            throw .transport(error)
        }
    }
}

/// Why a server does not start.
package enum ServerError: Error, CustomStringConvertible {
    case store(StoreError)
    case transport(TransportError)
    case admin(AdminError)
    case outgoing(HTTPClientError)
    case files(FileStoreError)
    /// Sockets that the service manager says it opened, and that cannot be those.
    case passedSockets(String)

    package var description: String {
        switch self {
        case .store(let error): error.description
        case .transport(let error): error.description
        case .admin(let error): "the admin socket cannot be opened: \(error)"
        case .outgoing(let error): error.description
        case .files(let error): error.description
        case .passedSockets(let problem): "the service manager's sockets cannot be taken: \(problem)"
        }
    }
}
