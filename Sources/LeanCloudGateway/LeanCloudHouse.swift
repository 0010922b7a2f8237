package import Accounts
package import Broker
package import Diagnostics
package import Execution
package import Store

/// What the LeanCloud doors of one server share.
package struct LeanCloudHouse: Sendable {
    package var broker: Broker
    package var store: Store
    package var accounts: Accounts
    package var settings: LeanCloudSettings
    package var clock: Clock
    package var log: Log
    let rooms: LeanCloudRooms

    package init(
        broker: Broker, store: Store, accounts: Accounts, settings: LeanCloudSettings, clock: Clock, log: Log
    ) {
        self.broker = broker
        self.store = store
        self.accounts = accounts
        self.settings = settings
        self.clock = clock
        self.log = log
        self.rooms = LeanCloudRooms(store: store, rejoinSeconds: settings.roomRejoinSeconds, clock: clock, log: log)
    }

    /// Before its doors open, once; blocks.
    package func begin() throws(StoreError) { try self.rooms.begin(self.broker) }
}

/// What the operator may set about this door.
package struct LeanCloudSettings: Sendable {
    /// Bytes of one command from a client. Source: LeanCloud realtime, 5 KiB; its SDKs refuse longer ones themselves.
    package var commandBytes = 5 * 1024
    /// A connection is closed when nothing came from it for so long. The JavaScript SDK says something every 180 seconds.
    package var idleSeconds = 400
    /// Clients on one connection.
    package var clientsPerConnection = 16
    /// Messages of one client that wait for their answer; one more is refused.
    package var unansweredMessages = 1024
    /// A connection on which a device has only announced itself for offline pushes is closed after so long; Java's SDK
    /// comes back by itself when it needs one.
    package var announcedSeconds = 600
    /// Whose last session ended is taken out of the room they were in after so long. Source: LeanCloud realtime guide,
    /// chat rooms: 30 minutes.
    package var roomRejoinSeconds: Int64 = 1800
    /// How apps reach this server, as `wss://chat.example.com`; without the scheme it is as encrypted as the connection
    /// of who asks. `nil` for as they reached it when they asked.
    package var publicServer: String?

    package init() {}
}
