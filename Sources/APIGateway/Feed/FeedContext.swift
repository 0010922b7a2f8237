package import APIKit
import Broker
package import Profiles
package import Transfers

/// Context that the feed gateways of all reactors share.
package final class FeedContext: Sendable {
    let api: APIContext
    let profiles: Profiles
    let transfers: Transfers
    let presence: FeedPresence
    /// Clients that listen now.
    let listeners = ListenerCounts()

    package init(api: APIContext, profiles: Profiles, transfers: Transfers) {
        self.api = api
        self.profiles = profiles
        self.transfers = transfers
        self.presence = FeedPresence(api.services.broker)
    }
}
