import ChatModel
import Execution

/// Slows down whoever guesses. A value without a clock or a lock of its own.
///
/// Failures are counted for each person *at each address*, so that a guesser cannot lock the owner out elsewhere: five
/// are free, then each one closes that pair for 2, 4, 8 ... 300 seconds. Failures are also counted for each address,
/// 30 a minute, against trying one password on everybody. Attempts that were refused unseen do not count.
///
/// A password attempt holds a place while it is checked, so that many at once get no more guesses than one by one.
struct SignInThrottle {
    struct Limits: Sendable {
        /// Failures of a pair before the first pause.
        var freeFailures = 5
        /// The longest pause of a pair, seconds.
        var longestPauseSeconds: Int64 = 300
        /// A pair is forgotten when it was quiet for so long after its last pause, seconds.
        var forgetAfterSeconds: Int64 = 900
        /// Failures of an address within a minute.
        var addressFailuresPerMinute = 30
        /// Pairs, and addresses, that are remembered. Beyond it the half that would be forgotten first is dropped.
        var maximumEntries = 10_000
    }

    /// Tokens and passwords, and tokens of different classes, do not slow each other down: a forgotten tablet that
    /// keeps trying an old token must not keep its owner's phone out.
    enum Kind: Hashable {
        case password
        case token(DeviceClass?)
        /// Signatures of an app's server, session tokens, and nothing.
        case signature
        /// Without a name: only the address is slowed down.
        case bareToken
    }

    /// One person at one address.
    struct Pair: Hashable {
        var user: UserName
        var address: String
        var kind: Kind
    }

    private struct PairState {
        var failures = 0
        var held = 0
        var closedUntil: Instant
        var forgottenAt: Instant
    }

    private struct AddressKey: Hashable {
        enum Means: Hashable {
            case password
            case token
            case signature
            case bareToken
        }

        var address: String
        var means: Means

        init(_ address: String, _ kind: Kind) {
            self.address = address
            switch kind {
            case .password: self.means = .password
            case .token: self.means = .token
            case .signature: self.means = .signature
            case .bareToken: self.means = .bareToken
            }
        }
    }

    private struct AddressState {
        var failures = 0
        var held = 0
        /// When the minute that began with the first failure ends.
        var endsAt: Instant
    }

    /// Consequence of a failure, for the log and the answer.
    struct Consequence: Equatable {
        /// The pair is closed for so long; `nil` while failures are free.
        var pairPauseSeconds: Int64?
        /// The address has now had all its failures of this minute, and had not before.
        var addressIsExhausted = false
    }

    private let limits: Limits
    private var pairs: [Pair: PairState] = [:]
    private var addresses: [AddressKey: AddressState] = [:]

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Pairs and addresses remembered now.
    var count: Int { max(self.pairs.count, self.addresses.count) }

    /// Seconds the pair is closed for, rounded up; `nil` when it is open.
    func pauseSeconds(of pair: Pair, at now: Instant) -> Int64? {
        guard let state = self.pairs[pair], state.closedUntil > now else { return nil }
        return Self.seconds(from: now, to: state.closedUntil)
    }

    /// Seconds until the address may fail again; `nil` when it may now.
    func pauseSeconds(ofAddress address: String, for kind: Kind, at now: Instant) -> Int64? {
        let key = AddressKey(address, kind)
        guard let state = self.addresses[key] else { return nil }
        let failures = state.endsAt > now ? state.failures : 0
        guard failures + state.held >= self.limits.addressFailuresPerMinute else { return nil }
        return max(1, Self.seconds(from: now, to: state.endsAt))
    }

    /// Asks whether a password may be checked now, and if so holds a place for it, to be ended by `failed`, `succeeded`
    /// or `giveBack`.
    ///
    /// - Parameter countsAddress: false where an address stands for nobody, as loopback behind a proxy does.
    /// - Returns: seconds to wait, `nil` when the check may go on.
    mutating func hold(_ pair: Pair, countsAddress: Bool, at now: Instant) -> Int64? {
        if let pause = self.pauseSeconds(of: pair, at: now) { return pause }
        if countsAddress, let pause = self.pauseSeconds(ofAddress: pair.address, for: pair.kind, at: now) {
            return pause
        }
        var state = self.current(pair, at: now)
        guard state.held < max(1, self.limits.freeFailures - state.failures) else { return 1 }
        state.held += 1
        self.pairs[pair] = state
        if countsAddress { self.changeAddress(of: pair, at: now) { $0.held += 1 } }
        return nil
    }

    /// Ends a place without a verdict: the check was not made.
    mutating func giveBack(_ pair: Pair, countsAddress: Bool, at now: Instant) {
        self.release(pair, countsAddress: countsAddress, at: now)
        if let state = self.pairs[pair], state.held == 0, state.failures == 0 { self.pairs[pair] = nil }
    }

    /// Counts a failure; with `isHeld` it ends a place.
    mutating func failed(_ pair: Pair, isHeld: Bool, countsAddress: Bool, at now: Instant) -> Consequence {
        if isHeld { self.release(pair, countsAddress: countsAddress, at: now) }
        self.makeRoom()
        var state = self.current(pair, at: now)
        state.failures += 1
        var consequence = Consequence()
        let over = state.failures - self.limits.freeFailures
        if over >= 0 {
            let pause = min(self.limits.longestPauseSeconds, 2 << Int64(min(over, 20)))
            state.closedUntil = now.advanced(bySeconds: Double(pause))
            consequence.pairPauseSeconds = pause
        }
        state.forgottenAt = max(now, state.closedUntil).advanced(bySeconds: Double(self.limits.forgetAfterSeconds))
        self.pairs[pair] = state
        if countsAddress {
            self.changeAddress(of: pair, at: now) { $0.failures += 1 }
            let key = AddressKey(pair.address, pair.kind)
            consequence.addressIsExhausted = self.addresses[key]?.failures == self.limits.addressFailuresPerMinute
        }
        return consequence
    }

    /// A token that came without a name was wrong.
    ///
    /// - Returns: whether the address has now had all its failures of this minute, and had not before.
    mutating func failed(address: String, at now: Instant) -> Bool {
        self.makeRoom()
        let key = AddressKey(address, .bareToken)
        self.changeAddress(key, at: now) { $0.failures += 1 }
        return self.addresses[key]?.failures == self.limits.addressFailuresPerMinute
    }

    /// Ends a place; the pair's failures are forgiven, the address's are not.
    mutating func succeeded(_ pair: Pair, countsAddress: Bool, at now: Instant) {
        self.release(pair, countsAddress: countsAddress, at: now)
        guard let state = self.pairs[pair] else { return }
        var forgiven = self.newPair(at: now)
        forgiven.held = state.held
        self.pairs[pair] = forgiven.held == 0 ? nil : forgiven
    }

    /// Forgives a person everywhere: the operator gave them new credentials.
    mutating func forgive(_ user: UserName) {
        for (pair, state) in self.pairs where pair.user == user && state.held == 0 { self.pairs[pair] = nil }
    }

    /// Forgives a person's wrong tokens everywhere: they have a new one. Wrong passwords count on, since each sign-in with
    /// the right one gives a token, and a guesser elsewhere must not begin anew whenever the owner signs in.
    mutating func forgiveTokens(of user: UserName) {
        for (pair, state) in self.pairs where pair.user == user && pair.kind != .password && state.held == 0 {
            self.pairs[pair] = nil
        }
    }

    // MARK: Entries

    private func newPair(at now: Instant) -> PairState {
        PairState(
            closedUntil: now, forgottenAt: now.advanced(bySeconds: Double(self.limits.forgetAfterSeconds)))
    }

    /// The pair as it counts now: what is old enough is forgotten.
    private func current(_ pair: Pair, at now: Instant) -> PairState {
        guard let state = self.pairs[pair] else { return self.newPair(at: now) }
        guard state.forgottenAt <= now else { return state }
        var fresh = self.newPair(at: now)
        fresh.held = state.held
        return fresh
    }

    private mutating func changeAddress(of pair: Pair, at now: Instant, _ change: (inout AddressState) -> Void) {
        self.changeAddress(AddressKey(pair.address, pair.kind), at: now, change)
    }

    private mutating func changeAddress(_ key: AddressKey, at now: Instant, _ change: (inout AddressState) -> Void) {
        var state = self.addresses[key] ?? AddressState(endsAt: now.advanced(bySeconds: 60))
        if state.endsAt <= now {
            state.failures = 0
            state.endsAt = now.advanced(bySeconds: 60)
        }
        change(&state)
        self.addresses[key] = state.failures == 0 && state.held == 0 ? nil : state
    }

    private mutating func release(_ pair: Pair, countsAddress: Bool, at now: Instant) {
        self.pairs[pair]?.held -= 1
        if countsAddress { self.changeAddress(of: pair, at: now) { $0.held -= 1 } }
    }

    /// Drops entries when a table is full: places that are held stay, and they are few.
    private mutating func makeRoom() {
        if self.pairs.count >= self.limits.maximumEntries {
            let order = self.pairs.values.map(\.forgottenAt).sorted()
            let middle = order[order.count / 2]
            self.pairs = self.pairs.filter { $0.value.held > 0 || $0.value.forgottenAt > middle }
        }
        if self.addresses.count >= self.limits.maximumEntries {
            let order = self.addresses.values.map(\.endsAt).sorted()
            let middle = order[order.count / 2]
            self.addresses = self.addresses.filter { $0.value.held > 0 || $0.value.endsAt > middle }
        }
    }

    private static func seconds(from now: Instant, to later: Instant) -> Int64 {
        (later.nanoseconds - now.nanoseconds + 999_999_999) / 1_000_000_000
    }
}
