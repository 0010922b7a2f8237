import ChatModel
import Execution

/// Observers that the writer tells; other threads set them while it runs.
final class StoreObservers: Sendable {
    private struct State {
        var onOutcomes: @Sendable ([AppendOutcome]) -> Void = { _ in }
        var onWithdrawn: @Sendable ([MessageID]) -> Void = { _ in }
        var onProfileChanges: @Sendable ([ProfileWrite]) -> Void = { _ in }
        var onEvents: @Sendable ([ChangeEvent]) -> Void = { _ in }
        var onPosition: @Sendable (StorePosition) -> Void = { _ in }
        var onFatal: @Sendable (StoreError) -> Void = { _ in }
        var fatal: StoreError?
    }

    private let state = Lock(State())
    /// Number of commits that gave people other names: what readers keep of names is out of date then.
    let renames = Lock(0)

    var onOutcomes: @Sendable ([AppendOutcome]) -> Void {
        get { self.state.withLock { $0.onOutcomes } }
        set { self.state.withLock { $0.onOutcomes = newValue } }
    }

    var onWithdrawn: @Sendable ([MessageID]) -> Void {
        get { self.state.withLock { $0.onWithdrawn } }
        set { self.state.withLock { $0.onWithdrawn = newValue } }
    }

    var onProfileChanges: @Sendable ([ProfileWrite]) -> Void {
        get { self.state.withLock { $0.onProfileChanges } }
        set { self.state.withLock { $0.onProfileChanges = newValue } }
    }

    var onEvents: @Sendable ([ChangeEvent]) -> Void {
        get { self.state.withLock { $0.onEvents } }
        set { self.state.withLock { $0.onEvents = newValue } }
    }

    var onPosition: @Sendable (StorePosition) -> Void {
        get { self.state.withLock { $0.onPosition } }
        set { self.state.withLock { $0.onPosition = newValue } }
    }

    var onFatal: @Sendable (StoreError) -> Void {
        get { self.state.withLock { $0.onFatal } }
        set {
            let missed = self.state.withLock { state in
                state.onFatal = newValue
                return state.fatal
            }
            if let missed { newValue(missed) }
        }
    }

    func tellFatal(_ error: StoreError) {
        let tell = self.state.withLock { state in
            state.fatal = error
            return state.onFatal
        }
        tell(error)
    }
}
