package import APIKit
package import Profiles
package import Transfers

/// Context that the event gateways of all reactors share.
package final class EventsContext: Sendable {
    let api: APIContext
    let profiles: Profiles
    let transfers: Transfers
    /// Clients that listen now.
    let listeners = ListenerCounts()

    package init(api: APIContext, profiles: Profiles, transfers: Transfers) {
        self.api = api
        self.profiles = profiles
        self.transfers = transfers
    }

    var services: APIServices { self.api.services }
}
