import Execution
import Store

/// Proof for a watchdog that the server works: the writer, the broker and every reactor are asked something that costs
/// nothing, and the service manager hears of it once all of them have answered. One that hangs, hangs the probe.
struct LivenessProbe {
    private let server: TeahouseServer
    private let manager: ServiceManager
    private let everyMilliseconds: Int64
    private let round = Round()
    /// Commits when the writer was last asked.
    private var commits: Int64 = 0
    private var next: Instant

    /// One round on its way through the server.
    private final class Round: Sendable {
        struct State {
            /// Threads that have not answered.
            var unanswered = 0
            /// All that have answered gave proof.
            var isProof = true
        }
        let state = Lock(State())

        func answer(isProof: Bool = true) {
            self.state.withLock { state in
                state.unanswered -= 1
                state.isProof = state.isProof && isProof
            }
        }
    }

    /// A probe that begins at once; `nil` when no watchdog listens.
    init?(_ server: TeahouseServer, _ manager: ServiceManager) {
        guard let watchdog = manager.watchdogMilliseconds else { return nil }
        self.server = server
        self.manager = manager
        // A round that ends late by a slow disk's worst moment is still in time.
        self.everyMilliseconds = max(1, watchdog / 4)
        self.next = Clock.system.now()
    }

    /// Milliseconds until the next round, at least one.
    func milliseconds(from now: Instant) -> Int64 { max(1, self.next.milliseconds(since: now) + 1) }

    /// Tells the manager when the last round has come back from everywhere, and sends the next one round. Does nothing
    /// before its time.
    mutating func probe(at now: Instant) {
        guard now >= self.next else { return }
        self.next = now.advanced(byMilliseconds: self.everyMilliseconds)
        let last = self.round.state.withLock { $0 }
        guard last.unanswered == 0 else { return }
        if last.isProof { self.manager.tell(.alive) }
        self.ask()
    }

    private mutating func ask() {
        let reactors = self.server.transport.jobs
        let round = self.round
        round.state.withLock { $0 = Round.State(unanswered: reactors.count + 2) }
        for reactor in reactors { reactor.post { _ in round.answer() } }
        self.server.broker.metrics { _ in round.answer() }
        let before = self.commits
        self.commits = self.server.store.metrics.commits
        let hasCommitted = self.commits != before
        // A change that changes nothing: the writer has nothing to commit for it. One whose queue is full lives when it has
        // committed since.
        self.server.store.write({ _ in }) { result in
            if case .failure(.busy) = result { round.answer(isProof: hasCommitted) } else { round.answer() }
        }
    }
}
