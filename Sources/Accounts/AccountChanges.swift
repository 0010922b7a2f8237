import ChatModel
import Execution

/// When each account last lost a right: how a sign-in that was being checked meanwhile is noticed. Any thread.
///
/// A sign-in takes `epoch` before it reads the store; when the account was changed after that, what was read may be old.
final class AccountChanges: Sendable {
    private struct State {
        var epoch: UInt64 = 0
        var changedAt: [UserID: UInt64] = [:]
        /// Accounts that are not in `changedAt` were not changed after this.
        var floor: UInt64 = 0
    }

    /// Most accounts remembered; beyond it all are forgotten at once, and sign-ins of that moment are asked to repeat.
    private let maximumAccounts: Int
    private let state = Lock(State())

    init(maximumAccounts: Int = 10_000) { self.maximumAccounts = maximumAccounts }

    var epoch: UInt64 { self.state.withLock { $0.epoch } }

    /// Notes a change. To be called after its commit and before the account's sessions are ended.
    func changed(_ user: UserID) {
        self.state.withLock { state in
            state.epoch += 1
            if state.changedAt.count >= self.maximumAccounts && state.changedAt[user] == nil {
                state.changedAt.removeAll(keepingCapacity: true)
                state.floor = state.epoch
            }
            state.changedAt[user] = state.epoch
        }
    }

    /// True when facts read about the account at `epoch` or later still hold.
    func isUnchanged(_ user: UserID, since epoch: UInt64) -> Bool {
        self.state.withLock { epoch >= $0.changedAt[user] ?? $0.floor }
    }
}
