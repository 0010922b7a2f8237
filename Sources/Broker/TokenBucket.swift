import ChatModel
package import Execution

/// How fast something may happen: `rate` a second on average, `burst` at once.
package struct RateLimit: Hashable, Sendable {
    /// Average rate, tokens per second.
    package var perSecond: Double
    /// Maximum tokens at once.
    package var burst: Double

    package init(perSecond: Double, burst: Double) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

extension PublishPriority {
    /// The part of a room's burst that is left to what is more urgent.
    var share: Double {
        switch self {
        case .high: 0
        case .normal: 0.2
        case .low: 0.6
        }
    }
}

extension ConversationAddress {
    /// True when the conversation has a rate of its own besides that of each person.
    var hasRate: Bool {
        switch self {
        case .channel, .object: true
        case .direct, .id: false
        }
    }
}

/// Counts against a `RateLimit`. A value of two words, kept by whoever is limited.
package struct TokenBucket: Sendable {
    private var tokens: Double
    private var updated: Instant

    /// Makes a full bucket.
    package init(full limit: RateLimit, at now: Instant) {
        self.tokens = limit.burst
        self.updated = now
    }

    /// Takes one, if there is one.
    ///
    /// - Parameter share: this part of the burst is left to others, 0...1.
    package mutating func takeToken(_ limit: RateLimit, leaving share: Double = 0, at now: Instant) -> Bool {
        self.refill(limit, at: now)
        guard self.tokens >= 1 + limit.burst * share else { return false }
        self.tokens -= 1
        return true
    }

    /// Nothing is owed: the bucket may be forgotten.
    package mutating func isFull(_ limit: RateLimit, at now: Instant) -> Bool {
        self.refill(limit, at: now)
        return self.tokens >= limit.burst
    }

    private mutating func refill(_ limit: RateLimit, at now: Instant) {
        guard now > self.updated else { return }
        let seconds = Double(now.nanoseconds - self.updated.nanoseconds) / 1e9
        self.tokens = min(limit.burst, self.tokens + seconds * limit.perSecond)
        self.updated = now
    }
}
