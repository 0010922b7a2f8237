package import Diagnostics
package import Execution
package import HTTPClient

/// Event for a business server, by WuKongIM's name.
package enum HookEvent: String, Sendable, CaseIterable {
    /// Stored messages, up to a hundred together.
    case messages = "msg.notify"
    /// One stored message, with those of its receivers who have no primary device online.
    case offline = "msg.offline"
    /// Devices that came online or went, together.
    case onlineStatus = "user.onlinestatus"

    /// True when each stored message waits in the store's queue for this event.
    package var needsQueuedMessages: Bool { self != .onlineStatus }
}

/// Options of the dispatcher, fixed when it starts.
package struct HooksOptions: Sendable {
    /// Where events are posted to; `?event=NAME` is added.
    package var address: HTTPAddress
    /// Events that are posted.
    package var events: Set<HookEvent>
    /// Signs each request; `nil` for receivers that check nothing.
    package var secret: [UInt8]?
    /// For one request.
    package var timeoutMilliseconds: Int64 = 5_000
    /// Events that may wait; above it the oldest are dropped.
    package var queueEvents: Int64 = 1_000_000
    /// An event older than this is dropped.
    package var giveUpMilliseconds: Int64 = 24 * 3_600_000
    /// How long events wait for company, unless a batch is full before.
    package var lingerMilliseconds: Int64 = 500
    /// Wait after the first failure; doubled with each further one.
    package var firstRetryMilliseconds: Int64 = 1_000
    /// Longest pause between two attempts, milliseconds.
    package var lastRetryMilliseconds: Int64 = 60_000
    /// Clock for attempts and for the age of events.
    package var clock = Clock.system
    /// Log of the dispatcher.
    package var log = Log.silent

    package init(address: HTTPAddress, events: Set<HookEvent> = Set(HookEvent.allCases)) {
        self.address = address
        self.events = events
    }
}

/// How delivery goes.
package struct HookMetrics: Hashable, Sendable {
    /// Events in the queue at the last look, at most a second ago while there are any.
    package var waiting: Int64 = 0
    /// Age of the oldest of them.
    package var oldestSeconds: Int64 = 0
    /// Events that the receiver took.
    package var delivered: Int64 = 0
    /// Requests that it did not take.
    package var failures: Int64 = 0
    /// Events given up: too old, or too many.
    package var dropped: Int64 = 0
    /// Why the last request failed; `nil` since one succeeded. Holds no secret and no message.
    package var lastError: String?

    package init() {}
}
