import ChatModel
import Execution
import Store

/// Finds whose token it is, or only who has a name.
///
/// Questions that come while a read runs are asked together by the next one: after a restart thousands of devices are
/// back at once, and the store's queue of reads is for everybody.
final class TokenLookup: Sendable {
    /// Reads at once. One of them has a thread of its own.
    static let reads = 2
    /// Questions of one read: keeps it short.
    static let questionsPerRead = 256

    struct Question: Sendable {
        var user: UserName
        /// `nil` for whom the name alone is looked up.
        var token: SignInToken?
        var requestedClass: DeviceClass?
        /// Runs on a reader's thread.
        var then: @Sendable (Finding) -> Void
    }

    /// A token that fits.
    struct Match: Sendable {
        var token: DeviceToken
        var role: UserRole
    }

    enum Finding: Sendable {
        case match(Match)
        /// There was no token to look for.
        case person(User)
        /// The person has this token for a device of another class.
        case otherClass(DeviceClass)
        case unknownToken
        case unknownUser
        case failed(StoreError)
    }

    private struct State {
        var waiting: [Question] = []
        var running = 0
    }

    private let store: Store
    /// Questions that may wait.
    private let capacity: Int
    private let state = Lock(State())

    init(_ store: Store, capacity: Int) {
        self.store = store
        self.capacity = capacity
    }

    /// Asks.
    ///
    /// - Returns: false, and nothing is asked, when too many wait.
    func find(_ question: Question) -> Bool {
        enum Step { case refuse, wait, read }
        let step: Step = self.state.withLock { state in
            guard state.waiting.count < self.capacity else { return .refuse }
            state.waiting.append(question)
            guard state.running < Self.reads else { return .wait }
            state.running += 1
            return .read
        }
        if step == .read { self.read() }
        return step != .refuse
    }

    private func read() {
        let batch = self.state.withLock { state in
            let batch = Array(state.waiting.prefix(Self.questionsPerRead))
            state.waiting.removeFirst(batch.count)
            return batch
        }
        self.store.read(
            as: .signIn,
            { transaction throws(StoreError) in
                var findings: [Finding] = []
                findings.reserveCapacity(batch.count)
                for question in batch { findings.append(try Self.answer(question, transaction)) }
                return findings
            }
        ) { result in
            switch result {
            case .success(let findings):
                for (question, finding) in zip(batch, findings) { question.then(finding) }
            case .failure(let error):
                for question in batch { question.then(.failed(error)) }
            }
            self.finished()
        }
    }

    private func finished() {
        let goesOn = self.state.withLock { state in
            if state.waiting.isEmpty { state.running -= 1 }
            return !state.waiting.isEmpty
        }
        if goesOn { self.read() }
    }

    private static func answer(_ question: Question, _ store: ReadTransaction) throws(StoreError) -> Finding {
        guard let wanted = question.token else {
            return try store.people.user(named: question.user).map { .person($0) } ?? .unknownUser
        }
        let classes = question.requestedClass.map { [$0] } ?? DeviceClass.usual
        for deviceClass in classes {
            let hash = wanted.hash(for: question.user, class: deviceClass)
            guard let token = try store.people.token(hash: hash), let user = try store.people.user(token.user) else {
                continue
            }
            return .match(Match(token: token, role: user.role))
        }
        for deviceClass in DeviceClass.usual where !classes.contains(deviceClass) {
            let hash = wanted.hash(for: question.user, class: deviceClass)
            if try store.people.token(hash: hash) != nil { return .otherClass(deviceClass) }
        }
        return try store.people.user(named: question.user) == nil ? .unknownUser : .unknownToken
    }
}
