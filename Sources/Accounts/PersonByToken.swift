import ChatModel
import Diagnostics
import Execution
import Store

/// Somebody who shows a token and does not say who they are, as each request to an app's server does.
package struct TokenHolder: Sendable {
    /// Token as shown.
    package var token: String
    /// The peer's address as the operator knows it: for the log.
    package var address: String
    /// Key by which failures count: the address, for IPv6 its /64.
    package var throttleKey: String
    /// Inside TLS.
    package var isEncrypted: Bool
    /// Part of the network that the request came from.
    package var origin: SignInOrigin
    /// Gateway that asks.
    package var gateway: SignInGateway

    package init(
        token: String, address: String, throttleKey: String, isEncrypted: Bool, origin: SignInOrigin,
        gateway: SignInGateway = .native
    ) {
        self.gateway = gateway
        self.token = token
        self.address = address
        self.throttleKey = throttleKey
        self.isEncrypted = isEncrypted
        self.origin = origin
    }
}

/// Person found by a token alone.
package enum PersonByToken: Hashable, Sendable {
    case found(Identity)
    case refused(SignInRefusal)
    /// Several people were given this text: it says nothing about who asks. Each needs a token of their own.
    case sharedToken
}

extension Authenticator {
    /// Finds the person whose token this is. A token that an app gave to several people finds nobody.
    ///
    /// A right token is remembered for a minute, so that requests in a row cost no reading, and goes on working from an
    /// address that is slowed down; a token that is not remembered waits there until the minute is over, or guessing
    /// would be free. Taking rights away from an account ends what is remembered at once.
    ///
    /// - Parameter then: called once: on a reader's thread, or on the caller's before this returns. It must be short.
    package func findPerson(_ holder: TokenHolder, then: @escaping @Sendable (PersonByToken) -> Void) {
        let epoch = self.changes.epoch
        guard self.takesToken(isEncrypted: holder.isEncrypted, origin: holder.origin) else {
            self.noteRefusal(
                holder, "plain_not_allowed", "tokens need TLS, or a private network and the setting for it")
            return self.refuse(holder, .plainNotAllowed, then)
        }
        guard let token = SignInToken(holder.token) else {
            return self.failed(holder, "malformed_token", "a token has 1 to 256 bytes", then)
        }
        let now = self.options.clock.now()
        if let known = self.knownTokens.identity(of: token, at: now), self.isStillValid(known) {
            return then(.found(known))
        }
        if let pause = self.pause(of: holder) {
            return self.refuse(holder, .throttled(retryAfterSeconds: pause), then)
        }
        self.store.read(
            as: .signIn,
            { transaction throws(StoreError) in
                let rows = try transaction.people.tokens(
                    bareHash: token.bareHash(key: try transaction.people.bareTokenKey()))
                let role = try rows.first.flatMap { row throws(StoreError) in try transaction.people.user(row.user) }?
                    .role
                return (rows: rows, role: role ?? .member)
            }
        ) { result in
            switch result {
            case .success(let found): self.judge(found.rows, found.role, token, holder, epoch, then)
            case .failure(let error):
                self.options.log.warning("token_not_checked", ["why": .text("\(error)")])
                self.refuse(holder, error == .busy ? .busy : .unavailable, then)
            }
        }
    }

    private func judge(
        _ rows: [DeviceToken], _ role: UserRole, _ token: SignInToken, _ holder: TokenHolder, _ epoch: UInt64,
        _ then: @Sendable (PersonByToken) -> Void
    ) {
        let now = self.nowForExpiry()
        let valid = rows.filter { row in row.expiresAtMilliseconds.map { $0 > now } ?? true }
        guard let first = valid.first else {
            let isKnown = !rows.isEmpty
            return self.failed(
                holder, isKnown ? "expired_token" : "unknown_token",
                isKnown ? "the token's lifetime is over: issue a new one" : "no such token, or never used to sign in",
                then)
        }
        guard valid.allSatisfy({ $0.user == first.user }) else {
            self.noteRefusal(holder, "shared_token", "several people have this token: give each their own")
            self.options.journal?.note(holder, nil, .wrongCredentials, reason: "shared_token")
            return then(.sharedToken)
        }
        guard !first.userIsDisabled else {
            self.noteRefusal(holder, "disabled", "the operator disabled this account")
            return self.refuse(holder, .disabled, then)
        }
        // One text may be good for several kinds of devices; the usual order decides, as it does at the gateways.
        let row = DeviceClass.usual.lazy.compactMap { usual in valid.first { $0.deviceClass == usual } }.first ?? first
        let identity = Identity(
            user: row.user, name: row.userName, role: role, deviceClass: row.deviceClass, level: row.level, epoch: epoch
        )
        guard self.isStillValid(identity) else { return self.refuse(holder, .unavailable, then) }
        if self.options.clock.wallMilliseconds() - row.lastSeenAtMilliseconds >= TokenTouches.everyMilliseconds {
            self.touches.noteTouch(row.hash)
        }
        self.knownTokens.remember(token, identity, at: self.options.clock.now())
        self.metrics.signedIn.add()
        self.options.journal?.note(holder, identity, nil)
        then(.found(identity))
    }

    // MARK: Refusals

    private func pause(of holder: TokenHolder) -> Int64? {
        guard holder.origin != .loopback else { return nil }
        let now = self.options.clock.now()
        return self.throttle.withLock { $0.pauseSeconds(ofAddress: holder.throttleKey, for: .bareToken, at: now) }
    }

    private func failed(
        _ holder: TokenHolder, _ reason: String, _ advice: String, _ then: @Sendable (PersonByToken) -> Void
    ) {
        if holder.origin != .loopback {
            let now = self.options.clock.now()
            let isExhausted = self.throttle.withLock { $0.failed(address: holder.throttleKey, at: now) }
            if isExhausted {
                self.options.log.warning(
                    "sign_in_address_slowed_down",
                    [
                        "address": .name(holder.address),
                        "advice": .text("too many wrong tokens from there within a minute: somebody may be guessing"),
                    ])
            }
        }
        self.noteRefusal(holder, reason, advice)
        self.refuse(holder, .wrongCredentials, reason: reason, then)
    }

    private func noteRefusal(_ holder: TokenHolder, _ reason: String, _ advice: String) {
        self.options.log.warning(
            "token_refused",
            ["address": .name(holder.address), "reason": .text(reason), "advice": .text(advice)])
    }

    private func refuse(
        _ holder: TokenHolder, _ refusal: SignInRefusal, reason: String? = nil,
        _ then: @Sendable (PersonByToken) -> Void
    ) {
        self.options.journal?.note(holder, nil, refusal, reason: reason)
        self.metrics.count(refusal)
        then(.refused(refusal))
    }
}

/// Tokens that were right within the last minute. Any thread.
final class KnownTokens: Sendable {
    /// How long a token is remembered; what its issuer changes otherwise is seen after that.
    static let seconds = 60.0
    /// Most tokens; beyond it all are forgotten at once and read again.
    static let maximumEntries = 20_000

    private struct Entry {
        var identity: Identity
        var until: Instant
    }

    private let entries = Lock([[UInt8]: Entry]())
    /// Key of this process alone: the entries kept here are no tokens.
    private let key = Sodium.randomBytes(32)

    func identity(of token: SignInToken, at now: Instant) -> Identity? {
        let hash = token.bareHash(key: self.key)
        return self.entries.withLock { entries in
            guard let entry = entries[hash] else { return nil }
            guard entry.until > now else {
                entries[hash] = nil
                return nil
            }
            return entry.identity
        }
    }

    func remember(_ token: SignInToken, _ identity: Identity, at now: Instant) {
        let hash = token.bareHash(key: self.key)
        self.entries.withLock { entries in
            if entries.count >= Self.maximumEntries { entries.removeAll(keepingCapacity: true) }
            entries[hash] = Entry(identity: identity, until: now.advanced(bySeconds: Self.seconds))
        }
    }
}
