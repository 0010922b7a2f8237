import Execution
import HTTPClient

/// A few threads that fetch contents. The thread of the pull gives them work and takes what became of it, a few at a time.
final class ContentFetchers {
    private struct State: Sendable {
        var plans: [FilePlan] = []
        var entries: [FileEntry] = []
        var working = 0
        var isClosed = false
        var failure: PullError?
    }

    private let state: ConditionLock<State>
    private let threads: [Thread]
    private let capacity: Int

    /// - Parameter gate: spaces requests out.
    init(_ options: PullOptions, isSourcePrivate: Bool, _ cancellation: HTTPCancellation) {
        let state = ConditionLock(State())
        let gate = Lock(RateGate(perSecond: options.rate))
        self.state = state
        self.capacity = options.fileThreads * 2
        self.threads = (0..<options.fileThreads).map { number in
            Thread(name: "pull-files-\(number)") {
                do throws(PullError) {
                    let fetch = try ContentFetch(options, isSourcePrivate: isSourcePrivate, cancellation)
                    while let plan = Self.next(from: state) {
                        let pause = gate.withLock { $0.takePlace(atNanoseconds: Clock.system.now().nanoseconds) }
                        if cancellation.wait(milliseconds: pause) { throw PullError.stopped }
                        let entry = try fetch.fetch(plan)
                        state.change { state in
                            state.entries.append(entry)
                            state.working -= 1
                        }
                    }
                } catch {
                    state.change { state in
                        if state.failure == nil || state.failure == .stopped { state.failure = error }
                    }
                }
            }
        }
    }

    private static func next(from state: ConditionLock<State>) -> FilePlan? {
        let plan = state.waitForWork(
            until: { !$0.plans.isEmpty || $0.isClosed || $0.failure != nil }
        ) { state -> FilePlan? in
            guard !state.plans.isEmpty, state.failure == nil else { return nil }
            state.working += 1
            return state.plans.removeFirst()
        }
        if plan != nil { state.change { _ in } }
        return plan
    }

    /// Gives work; waits while enough waits already.
    ///
    /// - Returns: what became of earlier work.
    func add(_ plan: FilePlan) throws(PullError) -> [FileEntry] {
        let capacity = self.capacity
        let (entries, failure) = self.state.wait(
            until: { $0.plans.count < capacity || $0.failure != nil },
            then: { state -> ([FileEntry], PullError?) in
                defer { state.entries = [] }
                return (state.entries, state.failure)
            })
        self.state.change { $0.plans.append(plan) }
        if let failure { throw failure }
        return entries
    }

    /// Takes the results of finished work; waits until there are some, or all work is done.
    ///
    /// - Returns: `nil` when all is done.
    func finish() throws(PullError) -> [FileEntry]? {
        let (entries, failure) = self.state.wait(
            until: { !$0.entries.isEmpty || $0.failure != nil || ($0.plans.isEmpty && $0.working == 0) },
            then: { state -> ([FileEntry], PullError?) in
                defer { state.entries = [] }
                return (state.entries, state.failure)
            })
        if let failure { throw failure }
        return entries.isEmpty ? nil : entries
    }

    /// Ends the threads and waits for them. Once only.
    func stop() {
        self.state.change { $0.isClosed = true }
        for thread in self.threads { thread.join() }
    }
}
