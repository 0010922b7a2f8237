package import Accounts
package import Broker
package import Diagnostics
package import Execution
package import Store

/// Services that the LeanCloud gateways of one server share.
package struct LeanCloudServices: Sendable {
    /// Broker of the server.
    package var broker: Broker
    /// Store of the server.
    package var store: Store
    /// Accounts of the server.
    package var accounts: Accounts
    /// Settings of this gateway.
    package var settings: LeanCloudSettings
    /// Clock for time limits.
    package var clock: Clock
    /// Log of the gateway.
    package var log: Log
    /// True where people are told how those alone stand with whom they share a conversation or a friendship.
    package var showsOnlyAcquainted: Bool
    let rooms: LeanCloudRooms
    let rates: LeanCloudRates

    package init(
        broker: Broker, store: Store, accounts: Accounts, settings: LeanCloudSettings, clock: Clock, log: Log,
        showsOnlyAcquainted: Bool = false
    ) {
        self.broker = broker
        self.store = store
        self.accounts = accounts
        self.settings = settings
        self.clock = clock
        self.log = log
        self.showsOnlyAcquainted = showsOnlyAcquainted
        self.rooms = LeanCloudRooms(store: store, rejoinSeconds: settings.roomRejoinSeconds, clock: clock, log: log)
        self.rates = LeanCloudRates(settings)
    }

    /// True when the id is that of the server's app.
    func serves(app id: String) -> Bool { id == self.accounts.app.keys.appID }

    /// Before its gateways open, once; blocks.
    package func begin() throws(StoreError) { try self.rooms.begin(self.broker) }
}

/// Settings of this gateway, from the configuration.
package struct LeanCloudSettings: Sendable {
    /// Bytes of one command from a client. Source: LeanCloud realtime, 5 KiB; its SDKs refuse longer ones themselves.
    package var commandBytes = 5 * 1024
    /// A connection is closed when nothing came from it for so long. The JavaScript SDK says something every 180
    /// seconds.
    package var idleSeconds = 400
    /// Clients on one connection.
    package var clientsPerConnection = 16
    /// Messages of one client that wait for their answer; one more is refused.
    package var unansweredMessages = 1024
    /// A connection on which a device has only announced itself for offline pushes is closed after so long; Java's SDK
    /// comes back by itself when it needs one.
    package var announcedSeconds = 600
    /// Seconds after a person's last session ended until the person leaves the room. Source: LeanCloud realtime guide,
    /// chat rooms: 30 minutes.
    package var roomRejoinSeconds: Int64 = 1800
    /// How apps reach this server, as `wss://chat.example.com`; without the scheme it is as encrypted as the connection
    /// of who asks. `nil` for as they reached it when they asked.
    package var publicServer: String?
    /// Conversations that somebody is not in are not found by them, not even by their ids.
    package var hidesFromStrangers = false
    /// Nobody comes into a conversation by its id alone.
    package var joinsByInvitation = false
    /// The owner of a conversation neither leaves it nor is removed.
    package var ownerStays = false
    /// Requests of one person, all but messages and the history. Source: LeanCloud realtime guide, which allows 30 in a
    /// minute.
    package var requestRate = RateLimit(perSecond: 10, burst: 600)
    /// Pages of history of one person. Source: LeanCloud realtime guide, which allows 120 in a minute.
    package var historyRate = RateLimit(perSecond: 20, burst: 1200)
    /// Refused requests of one connection in a second; above it nothing is read from it for the rest of the second.
    /// Each command gets its answer: SDKs wait for it.
    package var refusalsPerSecond = 1_000
    /// A client that comes back while the server can say neither yes nor no is held for so long without an answer; then
    /// the socket closes, and the SDK tries again with the session that it has.
    package var holdSeconds: Int64 = 5
    /// Longer than this nobody is waited for who does not read.
    package var stallSeconds: Int64 = 30
    /// True to count a message as read when the client says that it received it live, as it did for the first SDKs.
    package var arrivingIsReading = false

    package init() {}
}
