import ChatModel
import Diagnostics
import Execution
import Store

/// The app whose clients speak LeanCloud's protocols: its keys, what its own server signed, and session tokens. Any
/// thread. What clients show is judged in memory, so a reactor may ask.
///
/// Before `open` nothing is right and no session token is given out.
package final class AppAuthenticator: Sendable {
    struct State {
        /// `nil` until opened.
        var vault: AppVault?
        var policy: AppPolicy
        var used = ReplayMemory()
        var tokenKey: [UInt8]?
        /// How often the session tokens of people were taken back; who is not in it never had that.
        var revocations: [UserID: Int64] = [:]
        /// Behind which use of a signature that was last, since the start: those used before are over too.
        var revokedBehind: [UserID: Int64] = [:]
        var clock: SteadyWallClock
        var refusalLog = RefusalLog()
    }

    let store: Store
    let folder: String
    let clock: Clock
    let log: Log
    let changes: AccountChanges
    let state: Lock<State>
    /// Signatures by what they were worth, since the start.
    package let metrics = SignatureMetrics()

    init(_ store: Store, folder: String, changes: AccountChanges, options: AccountsOptions) {
        self.store = store
        self.folder = folder
        self.clock = options.clock
        self.log = options.log
        self.changes = changes
        let wall = SteadyWallClock(wall: options.clock.wallMilliseconds(), at: options.clock.now())
        self.state = Lock(State(policy: options.app, clock: wall))
    }

    // MARK: What clients have to prove

    /// Policy in force, from any thread.
    package var policy: AppPolicy { self.state.withLock { $0.policy } }

    /// Has another policy hold from now on.
    package func apply(_ policy: AppPolicy) { self.state.withLock { $0.policy = policy } }

    /// True when an action needs a signature now. Leaving a conversation never needs one: some SDKs send none.
    package func needsSignature(for action: SignedAction) -> Bool {
        let policy = self.policy
        switch action {
        case .open: return policy.signIn == .signature
        case .history: return policy.signsHistory
        case .kick(let client, _, let members) where members == [client]: return false
        case .start, .invite, .kick, .block, .unblock: return policy.signsConversations
        }
    }

    // MARK: Keys

    /// The id and the keys as they count now; before `open` keys that fit nothing.
    package var keys: ApplicationKeys {
        let now = self.now
        return self.state.withLock { $0.vault?.keys(at: now) } ?? .none
    }

    /// True once the keys are known: LeanCloud's clients are served.
    package var isOpen: Bool { self.state.withLock { $0.vault != nil } }

    /// The time that signatures and session tokens are held to, UTC milliseconds.
    var now: Int64 {
        let (wall, instant) = (self.clock.wallMilliseconds(), self.clock.now())
        return self.state.withLock { $0.clock.milliseconds(wall: wall, at: instant) }
    }

    // MARK: Signatures

    /// Verifies a signature. It may be shown again for the same action while its time lasts, unless the policy says
    /// that each is good for one use: then the same one is `replayed` from then on. Used signatures are remembered in
    /// memory only, so a restart forgets them.
    package func verify(_ signature: ActionSignature?, for action: SignedAction) -> SignatureVerdict {
        let verdict = self.judge(signature, action)
        self.metrics.count(verdict, of: action)
        if verdict != .valid { self.noteVerdict(verdict, of: action) }
        return verdict
    }

    private func judge(_ signature: ActionSignature?, _ action: SignedAction) -> SignatureVerdict {
        guard let signature else { return .missing }
        guard self.keys.isRight(signature, for: action) else { return .wrong }
        let now = self.now
        return self.state.withLock { state in
            let window = state.policy.signatureWindowSeconds * 1_000
            // What a client sends may be any number: no difference is made of it.
            guard (now - window...now + window).contains(signature.signedAtMilliseconds) else { return .expired }
            let isNew = state.used.use(signature, for: action)
            return isNew || !state.policy.signaturesAreForOneUse ? .valid : .replayed
        }
    }

    /// True when a signature was first used before the person's session tokens were revoked, as by a kick: it lets
    /// nobody in again. Source: LeanCloud realtime guide, a kick ends the signatures of before.
    ///
    /// Judged by its first use and not by its time, which another server's clock has written.
    func isRevoked(_ signature: ActionSignature, for action: SignedAction, of user: UserID) -> Bool {
        self.state.withLock { state in
            guard let last = state.revokedBehind[user], let firstUse = state.used.firstUse(of: signature, for: action)
            else { return false }
            return firstUse <= last
        }
    }

    /// True when a refusal may be logged now: anybody can send wrong signatures, so the log has a rate.
    func takesRefusalLine() -> Bool {
        let now = self.clock.now()
        return self.state.withLock { $0.refusalLog.takes(one: now) }
    }

    private func noteVerdict(_ verdict: SignatureVerdict, of action: SignedAction) {
        guard self.takesRefusalLine() else { return }
        let (reason, advice) =
            switch verdict {
            case .valid: ("", "")
            case .missing: ("missing", "the app's server has to sign this, or the operator asks for no signature")
            case .wrong: ("wrong", "it was made with another key or for something else: compare with ctl app sign")
            case .expired: ("expired", "its time is too far from this server's: compare the clocks of both servers")
            case .replayed:
                ("replayed", "leancloud.signatures_once: take a new nonce for each, and sign anew for each use")
            }
        self.log.warning(
            "signature_refused",
            [
                "user": .name(action.client), "action": .text(action.word), "reason": .text(reason),
                "advice": .text(advice),
            ])
    }
}

/// Bounds how many refused signatures are told in the log: anybody can send wrong ones.
struct RefusalLog {
    static let linesPerMinute = 60

    private var lines = 0
    private var endsAt: Instant?

    mutating func takes(one now: Instant) -> Bool {
        if self.endsAt.map({ $0 <= now }) ?? true {
            self.lines = 0
            self.endsAt = now.advanced(bySeconds: 60)
        }
        self.lines += 1
        return self.lines <= Self.linesPerMinute
    }
}

/// Signatures since the start, by action and by what they were worth. Any thread.
package final class SignatureMetrics: Sendable {
    /// Counts of one action.
    package struct Row: Hashable, Sendable {
        /// As `SignedAction.word`.
        package var action: String
        /// Signatures accepted.
        package var valid: Int64 = 0
        /// Requests without a signature that needed one.
        package var missing: Int64 = 0
        /// Signatures that do not fit.
        package var wrong: Int64 = 0
        /// Signatures whose time is outside the window.
        package var expired: Int64 = 0
        /// Signatures used a second time where one use is allowed.
        package var replayed: Int64 = 0
    }

    private let rows = Lock([String: Row]())

    func count(_ verdict: SignatureVerdict, of action: SignedAction) {
        self.rows.withLock { rows in
            var row = rows[action.word] ?? Row(action: action.word)
            switch verdict {
            case .valid: row.valid += 1
            case .missing: row.missing += 1
            case .wrong: row.wrong += 1
            case .expired: row.expired += 1
            case .replayed: row.replayed += 1
            }
            rows[action.word] = row
        }
    }

    /// Counts of the actions that occurred, by action.
    package var all: [Row] { self.rows.withLock { $0.values.sorted { $0.action < $1.action } } }
}
