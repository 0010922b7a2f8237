import ChatModel
import Diagnostics
import Execution
import Store

/// The one place that decides who somebody is, for every gateway. Any thread.
package final class Authenticator: Sendable {
    let store: Store
    private let hasher: PasswordHasher
    let options: AccountsOptions
    let changes: AccountChanges
    let app: AppAuthenticator
    let tokens: TokenLookup
    let touches: TokenTouches
    let throttle = Lock(SignInThrottle())
    private let wallClock: Lock<SteadyWallClock>
    private let takesPlainPasswords: Lock<Bool>
    /// Sign-ins that succeeded, and refusals by kind.
    package let metrics = SignInMetrics()
    let knownTokens = KnownTokens()

    init(
        _ store: Store, _ hasher: PasswordHasher, _ changes: AccountChanges, _ app: AppAuthenticator,
        _ options: AccountsOptions
    ) {
        self.app = app
        self.store = store
        self.hasher = hasher
        self.options = options
        self.changes = changes
        self.tokens = TokenLookup(store, capacity: options.queuedTokenSignIns)
        self.touches = TokenTouches(store)
        self.takesPlainPasswords = Lock(options.takesPlainPasswords)
        let clock = options.clock
        self.wallClock = Lock(SteadyWallClock(wall: clock.wallMilliseconds(), at: clock.now()))
    }

    /// Checks who somebody is.
    ///
    /// - Parameter then: called once: on a reader's or hashing thread, or on the caller's before this returns. It must
    ///   be short: post to a mailbox.
    package func authenticate(_ request: SignInRequest, then: @escaping @Sendable (SignInResult) -> Void) {
        self.start(Attempt(request: request, epoch: self.changes.epoch) { result, _ in then(result) })
    }

    /// Checks the present password of somebody who is about to replace it, as a sign-in with it is checked.
    ///
    /// - Parameter then: as in `authenticate`, with the stored hash that the password matches; `nil` with a refusal.
    func provePassword(_ request: SignInRequest, then: @escaping @Sendable (SignInResult, String?) -> Void) {
        self.start(Attempt(request: request, epoch: self.changes.epoch, replacesPassword: true, then: then))
    }

    private func start(_ attempt: Attempt) {
        let request = attempt.request
        if !self.isAllowedThrough(request) {
            self.log(request, "plain_not_allowed", Self.plainAdvice(request))
            return self.refuse(attempt, .plainNotAllowed)
        }
        switch request.credentials {
        case .token(let text): self.checkToken(text, attempt)
        case .password(let password): self.checkPassword(password, attempt)
        case .signature, .sessionToken, .none: self.checkApp(attempt)
        }
    }

    /// True when nothing was taken from the account since the credentials were read.
    ///
    /// Ask it once, *after* the session was opened, and close the session when it says no: whoever takes a right away
    /// says so here first and ends the account's sessions then, so that one of the two always meets a session that was
    /// just being opened.
    package func isStillValid(_ identity: Identity) -> Bool {
        self.changes.isUnchanged(identity.user, since: identity.epoch)
    }

    /// Forgets the failures of a person, everywhere: for new credentials.
    func forgive(_ user: UserName) { self.throttle.withLock { $0.forgive(user) } }

    /// Forgets the wrong tokens of a person, everywhere: for a new token.
    func forgiveTokens(of user: UserName) { self.throttle.withLock { $0.forgiveTokens(of: user) } }

    /// One sign-in on its way.
    struct Attempt: Sendable {
        var request: SignInRequest
        /// Taken before anything was read.
        var epoch: UInt64
        /// True when the hash of the password is about to go, so that it is not renewed.
        var replacesPassword = false
        /// Stored hash that the password matches.
        var provenHash: String?
        var then: @Sendable (SignInResult, String?) -> Void
    }

    // MARK: Plain sockets

    private func isAllowedThrough(_ request: SignInRequest) -> Bool {
        switch request.credentials {
        case .password: self.takesPassword(isEncrypted: request.isEncrypted, origin: request.origin)
        case .token, .signature, .sessionToken, .none:
            self.takesToken(isEncrypted: request.isEncrypted, origin: request.origin)
        }
    }

    /// True when a password may cross the connection as it is, for gateways that take one without signing in with it.
    package func takesPassword(isEncrypted: Bool, origin: SignInOrigin) -> Bool {
        if isEncrypted || origin == .loopback { return true }
        return origin == .privateNetwork && self.takesPlainPasswords.withLock { $0 }
    }

    /// Changes `AccountsOptions.takesPlainPasswords` while the server runs.
    package func setTakesPlainPasswords(_ areTaken: Bool) { self.takesPlainPasswords.withLock { $0 = areTaken } }

    func takesToken(isEncrypted: Bool, origin: SignInOrigin) -> Bool {
        if isEncrypted || origin == .loopback { return true }
        return origin == .privateNetwork && self.options.takesPlainTokens
    }

    private static func plainAdvice(_ request: SignInRequest) -> String {
        switch request.credentials {
        case .password: SignInRefusal.plainPassword
        case .token, .signature, .sessionToken, .none:
            "tokens and signatures need TLS, or a private network and the setting that takes plain tokens"
        }
    }

    // MARK: Tokens

    private func checkToken(_ text: String, _ attempt: Attempt) {
        let request = attempt.request
        let pair = Self.pair(of: request)
        if let pause = self.throttle.withLock({ $0.pauseSeconds(of: pair, at: self.options.clock.now()) }) {
            return self.refuse(attempt, .throttled(retryAfterSeconds: pause))
        }
        guard let token = SignInToken(text) else {
            return self.tokenFailed(attempt, "malformed_token", "a token has 1 to 256 bytes")
        }
        let question = TokenLookup.Question(user: request.user, token: token, requestedClass: request.requestedClass) {
            self.judge($0, attempt)
        }
        if !self.tokens.find(question) { self.refuse(attempt, .busy) }
    }

    private func judge(_ finding: TokenLookup.Finding, _ attempt: Attempt) {
        switch finding {
        case .match(let match): self.judge(match, attempt)
        case .otherClass(let found):
            self.tokenFailed(
                attempt, "wrong_device_class", "the token is right, but it was issued for a device of class \(found)")
        case .unknownToken:
            self.tokenFailed(attempt, "unknown_token", "no such token for this user and device class: issue one")
        // Without a token nobody asked.
        case .person: self.refuse(attempt, .unavailable)
        case .unknownUser:
            self.tokenFailed(attempt, "unknown_user", "no user has this name: add the user or check the app's spelling")
        case .failed(let error): self.refuse(attempt, after: error)
        }
    }

    private func judge(_ match: TokenLookup.Match, _ attempt: Attempt) {
        let token = match.token
        if let expiry = token.expiresAtMilliseconds, expiry <= self.nowForExpiry() {
            return self.tokenFailed(attempt, "expired_token", "the token's lifetime is over: issue a new one")
        }
        if token.userIsDisabled {
            self.log(attempt.request, "disabled", "the operator disabled this account")
            return self.refuse(attempt, .disabled)
        }
        self.touch(token, attempt.request.credentials)
        self.accept(
            attempt,
            Identity(
                user: token.user, name: token.userName, role: match.role, deviceClass: token.deviceClass,
                level: token.level, epoch: attempt.epoch))
    }

    /// Notes from time to time that a token is in use, and at once how it is found alone when that was never noted.
    private func touch(_ token: DeviceToken, _ credentials: Credentials) {
        var unfound: SignInToken?
        if case .token(let text) = credentials, !token.isFoundAlone { unfound = SignInToken(text) }
        let age = self.options.clock.wallMilliseconds() - token.lastSeenAtMilliseconds
        if unfound != nil || age >= TokenTouches.everyMilliseconds {
            self.touches.noteTouch(token.hash, unfoundToken: unfound)
        }
    }

    /// A wrong token says so until its pair is closed. An address with too many of them is told to wait instead, but a
    /// right token from there is still taken: many people may sit behind one address.
    func tokenFailed(_ attempt: Attempt, _ reason: String, _ advice: String) {
        let (request, now) = (attempt.request, self.options.clock.now())
        let pair = Self.pair(of: request)
        let counts = Self.countsAddress(request)
        let (pause, consequence) = self.throttle.withLock { throttle in
            let pause = counts ? throttle.pauseSeconds(ofAddress: pair.address, for: pair.kind, at: now) : nil
            return (pause, throttle.failed(pair, isHeld: false, countsAddress: counts, at: now))
        }
        self.log(request, reason, advice)
        self.log(request, consequence)
        self.refuse(attempt, pause.map { .throttled(retryAfterSeconds: $0) } ?? .wrongCredentials, reason: reason)
    }

    func nowForExpiry() -> Int64 {
        let clock = self.options.clock
        return self.wallClock.withLock { $0.milliseconds(wall: clock.wallMilliseconds(), at: clock.now()) }
    }

    // MARK: Passwords

    private func checkPassword(_ password: String, _ attempt: Attempt) {
        let (request, now) = (attempt.request, self.options.clock.now())
        let pair = Self.pair(of: request)
        let counts = Self.countsAddress(request)
        if let pause = self.throttle.withLock({ $0.hold(pair, countsAddress: counts, at: now) }) {
            return self.refuse(attempt, .throttled(retryAfterSeconds: pause))
        }
        guard (1...PasswordPolicy.maximumBytes).contains(password.utf8.count) else {
            return self.passwordFailed(attempt, "malformed_password", "a password has 1 to 256 bytes")
        }
        self.store.read(
            as: .signIn,
            { transaction throws(StoreError) in
                guard let user = try transaction.people.user(named: request.user) else { return nil as Account? }
                return Account(user: user, hash: try transaction.people.passwordHash(of: user.id))
            }
        ) { result in
            switch result {
            case .success(let account): self.compare(password, account, attempt)
            case .failure(let error):
                self.giveBack(attempt)
                self.refuse(attempt, after: error)
            }
        }
    }

    private struct Account: Sendable {
        var user: User
        var hash: String?
    }

    private func compare(_ password: String, _ account: Account?, _ attempt: Attempt) {
        let isQueued = self.hasher.verify(password, against: account?.hash) { verdict in
            self.judge(verdict, account, attempt)
        }
        guard !isQueued else { return }
        self.giveBack(attempt)
        self.refuse(attempt, .busy)
    }

    private func judge(_ verdict: PasswordHasher.Verdict, _ account: Account?, _ attempt: Attempt) {
        guard let account else {
            return self.passwordFailed(attempt, "unknown_user", "no user has this name")
        }
        guard verdict.isRight else {
            guard account.hash != nil else {
                return self.passwordFailed(attempt, "no_password", "this user has no password: set one, or use a token")
            }
            return self.passwordFailed(attempt, "wrong_password", "the user can have a new one set by the operator")
        }
        let (pair, counts) = (Self.pair(of: attempt.request), Self.countsAddress(attempt.request))
        self.throttle.withLock { $0.succeeded(pair, countsAddress: counts, at: self.options.clock.now()) }
        if let newHash = verdict.newHash, !attempt.replacesPassword { self.replace(account, with: newHash) }
        if account.user.isDisabled {
            self.log(attempt.request, "disabled", "the operator disabled this account")
            return self.refuse(attempt, .disabled)
        }
        var proven = attempt
        proven.provenHash = account.hash
        self.accept(
            proven,
            Identity(
                user: account.user.id, name: account.user.name, role: account.user.role,
                deviceClass: attempt.request.requestedClass ?? .desktop, level: .secondary, epoch: attempt.epoch))
    }

    private func passwordFailed(_ attempt: Attempt, _ reason: String, _ advice: String) {
        let (request, now) = (attempt.request, self.options.clock.now())
        let (pair, counts) = (Self.pair(of: request), Self.countsAddress(request))
        let consequence = self.throttle.withLock {
            $0.failed(pair, isHeld: true, countsAddress: counts, at: now)
        }
        self.log(request, reason, advice)
        self.log(request, consequence)
        self.refuse(attempt, .wrongCredentials, reason: reason)
    }

    private func giveBack(_ attempt: Attempt) {
        let (pair, counts) = (Self.pair(of: attempt.request), Self.countsAddress(attempt.request))
        self.throttle.withLock { $0.giveBack(pair, countsAddress: counts, at: self.options.clock.now()) }
    }

    /// Stores a hash made with the settings of today, unless the password was changed meanwhile.
    private func replace(_ account: Account, with newHash: String) {
        let log = self.options.log
        self.store.write({ transaction throws(StoreError) in
            guard try transaction.reading.people.passwordHash(of: account.user.id) == account.hash else { return }
            try transaction.people.setPasswordHash(account.user.id, newHash)
        }) { result in
            // The old hash still works; the next sign-in tries again.
            guard case .failure(let error) = result else { return }
            log.warning("password_hash_not_renewed", ["user": .name(account.user.name.text), "why": .text("\(error)")])
        }
    }

    // MARK: The end of an attempt

    func accept(_ attempt: Attempt, _ identity: Identity) {
        guard self.isStillValid(identity) else { return self.refuse(attempt, .unavailable) }
        self.metrics.signedIn.add()
        self.options.journal?.note(attempt.request, identity, nil)
        attempt.then(.signedIn(identity), attempt.provenHash)
    }

    func refuse(_ attempt: Attempt, after error: StoreError) {
        self.options.log.warning(
            "sign_in_not_checked", ["user": .name(attempt.request.user.text), "why": .text("\(error)")])
        self.refuse(attempt, error == .busy ? .busy : .unavailable)
    }

    /// - Parameter reason: why the credentials are wrong, for the journal; `nil` where the refusal says it.
    func refuse(_ attempt: Attempt, _ refusal: SignInRefusal, reason: String? = nil) {
        self.metrics.count(refusal)
        self.options.journal?.note(attempt.request, nil, refusal, reason: reason)
        if case .throttled(let seconds) = refusal {
            self.options.log.debug(
                "sign_in_throttled",
                [
                    "user": .name(attempt.request.user.text), "address": .name(attempt.request.address),
                    "seconds": .number(seconds),
                ])
        }
        attempt.then(.refused(refusal), nil)
    }

    static func pair(of request: SignInRequest) -> SignInThrottle.Pair {
        let kind: SignInThrottle.Kind
        switch request.credentials {
        case .token: kind = .token(request.requestedClass)
        case .password: kind = .password
        case .signature, .sessionToken, .none: kind = .signature
        }
        return SignInThrottle.Pair(user: request.user, address: request.throttleKey, kind: kind)
    }

    /// Behind loopback there may be a proxy, and then everybody.
    private static func countsAddress(_ request: SignInRequest) -> Bool { request.origin != .loopback }

    // MARK: The log

    func log(_ request: SignInRequest, _ reason: String, _ advice: String) {
        self.options.log.warning(
            "sign_in_refused",
            [
                "user": .name(request.user.text), "address": .name(request.address), "reason": .text(reason),
                "class": .name(request.requestedClass?.name ?? "any"), "advice": .text(advice),
            ])
    }

    private func log(_ request: SignInRequest, _ consequence: SignInThrottle.Consequence) {
        if let pause = consequence.pairPauseSeconds {
            self.options.log.warning(
                "sign_in_slowed_down",
                [
                    "user": .name(request.user.text), "address": .name(request.address), "seconds": .number(pause),
                    "advice": .text(
                        "too many failures of this user at this address; other addresses are not concerned"),
                ])
        }
        if consequence.addressIsExhausted {
            self.options.log.warning(
                "sign_in_address_slowed_down",
                [
                    "address": .name(request.address),
                    "advice": .text("too many failed sign-ins from there within a minute: somebody may be guessing"),
                ])
        }
    }
}
