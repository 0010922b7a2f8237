import Broker
import ChatModel
import Execution

/// What a session keeps of messages on their way to it.
struct LeanCloudDeliveries {
    /// Stored messages that were sent and not acknowledged.
    var unacknowledged = 0
}

/// What a session is sent: live messages, what it missed.
extension LeanCloudSession {
    var unacknowledged: Int { self.deliveries.unacknowledged }

    /// The client has been told that it is signed in: what it missed comes next.
    func began() {}

    /// A live message for this session; the gateway's frames have been told of it, and end it.
    func offer(_ delivery: Delivery) {}

    /// About once a second.
    func tick(at now: Instant) {}

    /// More than the high-water mark waits to be sent on the connection.
    func outboxRose() {}

    /// Less than the low-water mark waits again.
    func outboxDrained() {}
}

/// Words each message once for all the sessions of a reactor that get it. Confined to its reactor.
struct LeanCloudFrames {
    private var delivery: Delivery?

    /// Sets the message that is sent next, until `end`.
    mutating func begin(_ delivery: Delivery) { self.delivery = delivery }

    mutating func end() { self.delivery = nil }

    /// The bodies of these messages do not go out any more.
    mutating func withdraw(_ messages: [MessageID]) {
        if let delivery = self.delivery, messages.contains(delivery.message.id) { self.delivery = delivery.withdrawn }
    }
}
