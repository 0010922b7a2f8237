/// Limits of the broker. Every value can be set in the configuration file.
package struct BrokerLimits: Sendable {
    /// Messages of one person, over all sessions: a client takes a refusal for final, so that this is what SDKs may
    /// send.
    ///
    /// Source: the SDKs for JS and iOS send five messages each 100 ms. After a reconnect those for JS and Flutter send
    /// at once all that had no answer, iOS's those of the last 80 seconds, Android's ten a second.
    package var perUser = RateLimit(perSecond: 50, burst: 500)
    /// Messages into one group or room: four people at the highest speed, three bursts.
    package var perConversation = RateLimit(perSecond: 200, burst: 1_500)
    /// Commands of one person that are kept for devices that are away; those above it reach who is online only.
    package var keptCommands = RateLimit(perSecond: 1, burst: 60)
    /// Bytes of one message body.
    package var bodyBytes = 32 * 1024
    /// Sessions of one person at a time; with one more the oldest ends.
    package var sessionsPerUser = 20
    /// Refused messages within `refusalWindowSeconds` after which a session is closed, of a gateway whose clients send
    /// again what has no answer.
    package var refusalsBeforeClose = 200
    /// Seconds over which refusals of one session are counted.
    package var refusalWindowSeconds: Int64 = 60

    /// Makes the limits with their defaults.
    package init() {}
}

/// Metrics of the broker since the start.
package struct BrokerMetrics: Hashable, Sendable {
    /// Sessions now.
    package var sessions = 0
    /// Sessions now, by the name of their protocol.
    package var protocols: [String: Int] = [:]
    /// People with a session now.
    package var usersOnline = 0
    /// Messages that were taken, transient ones included.
    package var published: Int64 = 0
    /// Copies handed to sessions.
    package var delivered: Int64 = 0
    /// Messages that came a second time and were answered with the first.
    package var duplicates: Int64 = 0
    /// Messages refused.
    package var refused: Int64 = 0
    /// Messages refused for their rate.
    package var rateLimited: Int64 = 0
    /// Commands that were passed on and not kept, for the rate of who caused them.
    package var commandsNotKept: Int64 = 0
    /// Messages turned away because the queue or the disk was full.
    package var busy: Int64 = 0

    /// Makes metrics of zero.
    package init() {}
}

/// Something that happened, for those who watch: `ctl tail`, the console.
package enum WatchEvent: Sendable {
    case accepted(Delivery)
    case opened(SessionDescription)
    case ended(SessionDescription, SessionEndReason)
}

/// A watch, to end it by.
package struct WatchID: Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
