import Broker
import ChatModel
import Execution

/// Tells listeners that people come online and go. Any thread.
final class FeedPresence: Sendable {
    /// Called on the broker's thread, so it must be short.
    typealias Call = @Sendable ([(name: UserName, isOnline: Bool)]) -> Void

    private struct State {
        var lastNumber = 0
        var followers: [UserName: [Int: Call]] = [:]
    }

    private let state = Lock(State())
    private let broker: Broker

    init(_ broker: Broker) {
        self.broker = broker
        broker.watch(sessionsOnly: true) { [weak self] events in
            for event in events { self?.noteEvent(event) }
        } then: { _ in
        }
    }

    private func noteEvent(_ event: WatchEvent) {
        switch event {
        case .accepted: return
        case .opened(let session): self.tellPresence(session.userName, isOnline: true)
        case .ended(let session, _):
            // On another device the person may be there still.
            let name = session.userName
            guard self.isFollowed(name) else { return }
            self.broker.online([name]) { [weak self] online in
                self?.tellPresence(name, isOnline: online.contains(name))
            }
        }
    }

    private func isFollowed(_ name: UserName) -> Bool { self.state.withLock { $0.followers[name] != nil } }

    private func tellPresence(_ name: UserName, isOnline: Bool) {
        guard let followers = self.state.withLock({ $0.followers[name] }) else { return }
        for call in followers.values { call([(name, isOnline)]) }
    }

    /// A number for a listener, to follow people by.
    func number() -> Int {
        self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Follows people, and says at once who of them is online. `call` may be told the same twice.
    func follow(_ names: Set<UserName>, by number: Int, _ call: @escaping Call) {
        self.state.withLock { state in
            for name in names { state.followers[name, default: [:]][number] = call }
        }
        self.broker.online(names) { online in
            // In one call: this is the broker's thread.
            call(names.map { ($0, online.contains($0)) })
        }
    }

    /// Follows these people no longer.
    func unfollow(_ names: Set<UserName>, by number: Int) {
        self.state.withLock { state in
            for name in names {
                state.followers[name]?[number] = nil
                if state.followers[name]?.isEmpty == true { state.followers[name] = nil }
            }
        }
    }
}
