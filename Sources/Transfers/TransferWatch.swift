import ChatModel
import Execution

/// Somebody who is told how transfers go, until this is ended or forgotten.
package final class TransferWatch: Sendable {
    private let watchers: TransferWatchers
    private let number: Int

    init(_ watchers: TransferWatchers, number: Int) {
        self.watchers = watchers
        self.number = number
    }

    deinit { self.end() }

    /// Ends the watch.
    package func end() { self.watchers.remove(self.number) }
}

/// Observers of transfers. Any thread.
final class TransferWatchers: Sendable {
    typealias Call = @Sendable ([TransferView]) -> Void

    private struct State {
        var next = 0
        var watchers: [Int: (owner: UserID?, call: Call)] = [:]
    }

    private let state = Lock(State())

    func add(_ owner: UserID?, _ call: @escaping Call) -> Int {
        self.state.withLock { state in
            state.next += 1
            state.watchers[state.next] = (owner, call)
            return state.next
        }
    }

    func remove(_ number: Int) { self.state.withLock { _ = $0.watchers.removeValue(forKey: number) } }

    func tellViews(_ news: [TransferView]) {
        guard !news.isEmpty else { return }
        let watchers = self.state.withLock { Array($0.watchers.values) }
        for watcher in watchers {
            let theirs = watcher.owner.map { owner in news.filter { $0.record.owner == owner } } ?? news
            if !theirs.isEmpty { watcher.call(theirs) }
        }
    }
}
