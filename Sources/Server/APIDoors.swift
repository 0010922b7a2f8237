import APIKit
import Accounts
import Broker
import Store
import WuKongAPI

/// The HTTP APIs: which routes there are, and what their handlers share.
extension TeahouseServer {
    static func apiDesk(
        _ options: ServerOptions, store: Store, broker: Broker, accounts: Accounts
    ) throws(ServerError) -> APIDesk {
        let token: ManagerToken
        do throws(StoreError) {
            token = try ManagerToken(folder: options.store.folder, clock: options.clock, log: options.log)
        } catch {
            throw .store(error)
        }
        let facts = ServerFacts(
            version: Version.text, servesTLS: options.servesTLS,
            startedAtMilliseconds: options.clock.wallMilliseconds(), limits: options.transportLimits.all)
        let house = APIHouse(
            broker: broker, accounts: accounts, store: store, managerToken: token, settings: options.wuKongAPI,
            facts: facts, clock: options.clock, log: options.log, findSession: BusinessServer.sessions(of: accounts))
        return APIDesk(house: house, areas: Self.areas(options, house))
    }

    private static func areas(_ options: ServerOptions, _ house: APIHouse) -> [APIArea] {
        guard options.servesWuKong, options.servesWuKongAPI else { return [] }
        BusinessServer.tellReminders(house)
        var business = options.business
        business.rules = options.store.rules
        let router = Router(
            WuKongRows.all + BusinessServer(business).routes,
            notServed: WuKongRows.notServed + BusinessServer.notServed)
        return [APIArea(router)]
    }
}
