import Broker
import ChatModel
import Execution
import LeanCloudTranslation
import LeanCloudWire

/// How fast people may ask, over all their sessions and all reactors. Messages have the broker's rates; what is not
/// answered, as that something arrived or was read, has none. Any thread.
final class LeanCloudRates: Sendable {
    enum Kind {
        case history
        case other
    }

    private struct State {
        var history: [UserID: TokenBucket] = [:]
        var others: [UserID: TokenBucket] = [:]
    }

    /// Most people that are remembered; then those who owe nothing are forgotten, and if that is not enough, all.
    private static let maximumEntries = 100_000

    private let history: RateLimit
    private let others: RateLimit
    private let state = Lock(State())

    init(_ settings: LeanCloudSettings) {
        self.history = settings.historyRate
        self.others = settings.requestRate
    }

    func takeToken(_ kind: Kind, by user: UserID, at now: Instant) -> Bool {
        self.state.withLock { state in
            switch kind {
            case .history: Self.takeToken(user, &state.history, self.history, now)
            case .other: Self.takeToken(user, &state.others, self.others, now)
            }
        }
    }

    private static func takeToken(
        _ user: UserID, _ buckets: inout [UserID: TokenBucket], _ limit: RateLimit, _ now: Instant
    ) -> Bool {
        if buckets.count >= Self.maximumEntries, buckets[user] == nil {
            buckets = buckets.filter { entry in
                var bucket = entry.value
                return !bucket.isFull(limit, at: now)
            }
            if buckets.count >= Self.maximumEntries { buckets.removeAll(keepingCapacity: true) }
        }
        return buckets[user, default: TokenBucket(full: limit, at: now)].takeToken(limit, at: now)
    }
}

extension LeanCloudSession {
    /// Why a command is one too many; `nil` when it is not. Source: LeanCloud realtime guide, which bounds what a
    /// client asks in a minute; 4318 is the code for conversations, 4116 the one for everything.
    func excess(of command: GenericCommand) -> LeanCloudFault? {
        guard let user = self.identity?.user else { return nil }
        let kind: LeanCloudRates.Kind
        let fault: LeanCloudFault
        switch command.cmd {
        case .direct?, .ack?, .read?: return nil
        // Who goes is not held up.
        case .session? where command.op == .close: return nil
        case .logs?: (kind, fault) = (.history, .conversationAPIQuotaExceeded)
        case .conv?, .blacklist?: (kind, fault) = (.other, .conversationAPIQuotaExceeded)
        default: (kind, fault) = (.other, .messageQuotaExceeded)
        }
        if self.services.rates.takeToken(kind, by: user, at: self.gateway.now()) { return nil }
        return fault.saying("too many requests in a minute: wait a little")
    }
}
