package import APIKit
import Broker
import ChatModel
import Execution
package import Profiles
package import Transfers

/// Context that the feed gateways of all reactors share.
package final class FeedContext: Sendable {
    /// Clients of one person that listen at the same time; one more is refused with 429.
    static let listenersPerPerson = 32

    let api: APIContext
    let profiles: Profiles
    let transfers: Transfers
    let presence: FeedPresence
    private let listeners = Lock([UserID: Int]())

    package init(api: APIContext, profiles: Profiles, transfers: Transfers) {
        self.api = api
        self.profiles = profiles
        self.transfers = transfers
        self.presence = FeedPresence(api.services.broker)
    }

    /// - Returns: false when this person has as many as one may have.
    func enter(_ user: UserID) -> Bool {
        self.listeners.withLock { listeners in
            guard listeners[user, default: 0] < Self.listenersPerPerson else { return false }
            listeners[user, default: 0] += 1
            return true
        }
    }

    func leave(_ user: UserID) {
        self.listeners.withLock { listeners in
            let left = listeners[user, default: 0] - 1
            listeners[user] = left > 0 ? left : nil
        }
    }
}
