package import ChatModel
import Execution

/// Part of the database that a read looks at: it waits for nothing else to be applied.
package enum ReadScope: Hashable, Sendable {
    /// Whatever the database holds: for work that is behind anyway, such as the search index.
    case applied
    /// Messages, head and positions of some conversations.
    case conversations([ConversationID])
    /// All conversations of a person.
    case person(UserID)
    /// Anything.
    case everything
}

/// Lets reads begin that look at nothing but what the database holds, and keeps the others until it does.
///
/// Told of records by the thread that syncs them, before their senders are, and of commits by the writer. So a read that is
/// asked for after an acknowledgement sees what was acknowledged. All methods may be called from any thread.
package final class ReadGate<Waiter: Sendable>: Sendable {
    /// Answer to a read at the gate.
    package enum Passage: Hashable, Sendable {
        /// It may begin.
        case open
        /// It is kept. The first one that is kept since the last commit asks the writer to apply.
        case kept(isFirst: Bool)
    }

    /// A conversation that synced records are about.
    package struct Touch: Hashable, Sendable {
        /// Conversation concerned.
        package var conversation: ConversationID
        /// Its members.
        package var members: [UserID]

        package init(_ conversation: ConversationID, members: [UserID]) {
            self.conversation = conversation
            self.members = members
        }
    }

    private struct State {
        var synced: UInt64 = 0
        var applied: UInt64 = 0
        /// Newest record of each conversation that the database does not hold.
        var conversations: [ConversationID: UInt64] = [:]
        /// Conversations among those of which a person is a member.
        var people: [UserID: Set<ConversationID>] = [:]
        var waiting: [(position: UInt64, waiter: Waiter)] = []

        func position(of scope: ReadScope) -> UInt64 {
            switch scope {
            case .applied: 0
            case .conversations(let some): some.reduce(0) { max($0, self.conversations[$1] ?? 0) }
            case .person(let user):
                self.people[user, default: []].reduce(0) { max($0, self.conversations[$1] ?? 0) }
            case .everything: self.synced
            }
        }
    }

    private let state: Lock<State>

    /// Makes a gate for a database that holds everything up to a position.
    package init(applied: UInt64) {
        var state = State()
        state.synced = applied
        state.applied = applied
        self.state = Lock(state)
    }

    /// Notes records that are on the disk. Before anybody hears of them.
    ///
    /// - Parameter position: of the newest of them.
    package func noteSynced(_ touched: [Touch], through position: UInt64) {
        self.state.withLock { state in
            state.synced = max(state.synced, position)
            guard position > state.applied else { return }
            for touch in touched {
                let isNew = state.conversations.updateValue(position, forKey: touch.conversation) == nil
                guard isNew else { continue }
                for member in touch.members { state.people[member, default: []].insert(touch.conversation) }
            }
        }
    }

    /// Position of the newest record that a read has to see which is asked for now; 0 when the database holds all of them.
    package func newest(of scope: ReadScope) -> UInt64 {
        self.state.withLock { state in
            let position = state.position(of: scope)
            return position > state.applied ? position : 0
        }
    }

    /// Lets a read begin, or keeps it.
    package func pass(_ scope: ReadScope, _ waiter: Waiter) -> Passage {
        self.pass(through: self.newest(of: scope), waiter)
    }

    /// Lets a read begin that has to see everything up to a position, or keeps it.
    package func pass(through position: UInt64, _ waiter: Waiter) -> Passage {
        self.state.withLock { state in
            guard position > state.applied else { return .open }
            state.waiting.append((position, waiter))
            return .kept(isFirst: state.waiting.count == 1)
        }
    }

    /// Notes a commit.
    ///
    /// - Returns: the reads that may begin now, in the order in which they came. When others are still kept, the writer has
    ///   to apply again: see `hasWaiting`.
    package func noteApplied(through position: UInt64) -> [Waiter] {
        self.state.withLock { state in
            state.applied = max(state.applied, position)
            let applied = state.applied
            let gone = state.conversations.filter { $0.value <= applied }
            if gone.count == state.conversations.count {
                state.conversations.removeAll(keepingCapacity: true)
                state.people.removeAll(keepingCapacity: true)
            } else if !gone.isEmpty {
                state.conversations = state.conversations.filter { $0.value > applied }
                state.people = state.people.compactMapValues { known in
                    let left = known.filter { state.conversations[$0] != nil }
                    return left.isEmpty ? nil : left
                }
            }
            let free = state.waiting.filter { $0.position <= applied }.map(\.waiter)
            state.waiting.removeAll { $0.position <= applied }
            return free
        }
    }

    /// True while reads are kept.
    package var hasWaiting: Bool { self.state.withLock { !$0.waiting.isEmpty } }

    /// Gives up all that are kept: what they look at cannot be applied now, or the store closes.
    package func takeWaiting() -> [Waiter] {
        self.state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting.map(\.waiter)
        }
    }
}
