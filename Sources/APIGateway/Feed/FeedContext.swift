package import APIKit
import Accounts
import Broker
import NativeAPI
package import Profiles
import Store
package import Transfers

/// Context that the feed gateways of all reactors share.
package final class FeedContext: Sendable {
    /// Proves who asks, and counts their requests.
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

    var broker: Broker { self.api.services.broker }

    var store: Store { self.api.services.store }

    /// False when the account has lost a right since it signed in.
    func isStillValid(_ identity: Identity) -> Bool {
        self.api.services.accounts.authenticator.isStillValid(identity)
    }

    /// Reader of the rounds of one person.
    ///
    /// - Parameter language: the header field `Accept-Language` of the client; `nil` for none.
    func reader(for identity: Identity, epoch: Int64, language: String?) -> FeedReader {
        FeedReader(
            identity, epoch: epoch, NativeReader(identity, self.api.services),
            NativeWords(self.profiles, for: identity.user, language: language))
    }
}
