import APIGateway
import APIKit
import Accounts
import Broker
import LeanCloudAPI
import NativeAPI
import Profiles
import Search
import Store
import Transfers
import WuKongAPI

/// The HTTP APIs: which routes there are, and what their handlers share.
extension TeahouseServer {
    static func apiContext(
        _ options: ServerOptions, store: Store, search: SearchIndex, broker: Broker, accounts: Accounts,
        profiles: Profiles, transfers: Transfers, functions: AppFunctions
    ) throws(ServerError) -> APIContext {
        let token: ManagerToken
        do throws(StoreError) {
            token = try ManagerToken(folder: options.store.folder, clock: options.clock, log: options.log)
        } catch {
            throw .store(error)
        }
        let facts = ServerFacts(
            version: Version.text, servesTLS: options.servesTLS, hasOwnCertificates: !options.certificates.isEmpty,
            startedAtMilliseconds: options.clock.wallMilliseconds(), limits: options.transportLimits.all)
        var services = APIServices(
            broker: broker, accounts: accounts, store: store, search: search, managerToken: token,
            settings: options.wuKongAPI, facts: facts, clock: options.clock, log: options.log,
            findSession: BusinessServer.sessions(of: accounts))
        let watchers = PersonWatchers()
        services.didShow = { watchers.didShow($0, to: $1) }
        if options.profiles.remote != nil {
            services.saidElsewhere = { name in
                let info = profiles.info(user: name)
                guard !info.isPlaceholder || info.displayName != nil else { return nil }
                return SaidElsewhere(displayName: info.displayName, avatar: info.picture.full)
            }
        }
        services.publicURL = options.publicURL
        services.showsOnlyAcquainted = profiles.showsOnlyAcquainted
        var groups = [
            RouteGroup(
                Router(
                    ProfileRoutes(profiles, secret: options.profiles.secret).routes + SessionConfigRoute().routes
                        + TeamRequestRoutes.routes, sharesTerritory: true),
                wordFailure: { .nativeFailure($0) })
        ]
        let native = NativeServices(
            profiles: profiles, serverName: options.name, fileBytes: options.files.transfers.fileBytes)
        groups.append(NativeServer(native, version: Version.text).group)
        TrialMode.begin(options, store)
        if options.servesWuKong, options.servesWuKongAPI {
            watchers.tellNews(of: profiles, services)
            groups += Self.groups(options, services, watchers)
        }
        if options.servesLeanCloud {
            let server = LeanCloudServer(
                app: accounts.app, transfers: transfers, functions: functions, clock: options.clock)
            groups.append(server.group)
        }
        return APIContext(services: services, groups: groups)
    }

    private static func groups(
        _ options: ServerOptions, _ services: APIServices, _ watchers: PersonWatchers
    ) -> [RouteGroup] {
        BusinessServer.deliverAnnouncements(services, to: watchers)
        var business = options.business
        let store = services.store
        business.rules = { store.rules }
        let router = Router(
            WuKongRows.all + BusinessServer(business).routes,
            notServed: WuKongRows.notServed + BusinessServer.notServed)
        return [RouteGroup(router)]
    }
}
