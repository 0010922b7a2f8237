import ChatModel
import Store

// How clients of an app sign in that its own server vouches for.
extension Authenticator {
    /// Checks a signature, a session token, or nothing.
    ///
    /// Nobody guesses a signature or a session token, which are hashes under keys that only servers have: a right one is
    /// taken however many wrong ones came before it. A device that comes back with an old token does not keep its owner out.
    func checkApp(_ attempt: Attempt) {
        let request = attempt.request
        guard self.app.isOpen else {
            return self.appFailed(attempt, "app_not_served", "LeanCloud's clients are not served: leancloud.enabled")
        }
        guard request.user != systemUserName else {
            return self.appFailed(attempt, "system_user", "the server's own user signs in nowhere")
        }
        switch request.credentials {
        case .sessionToken(let text): self.checkSessionToken(text, attempt)
        case .signature(let signature): self.check(signature, attempt)
        case .token, .password, .none: self.check(nil, attempt)
        }
    }

    /// Refuses wrong credentials. The failure counts against the person at this address; a caller who has to wait
    /// already is told that instead.
    private func appFailed(_ attempt: Attempt, _ reason: String, _ advice: String) {
        let pair = Self.pair(of: attempt.request)
        if let pause = self.throttle.withLock({ $0.pauseSeconds(of: pair, at: self.options.clock.now()) }) {
            return self.refuse(attempt, .throttled(retryAfterSeconds: pause))
        }
        self.tokenFailed(attempt, reason, advice)
    }

    private func check(_ signature: ActionSignature?, _ attempt: Attempt) {
        switch self.app.policy.signIn {
        // As LeanCloud does where signatures are switched off, one that is shown all the same is not looked at.
        case .open: return self.admit(attempt, isProven: false)
        case .token:
            return self.appFailed(
                attempt, "token_wanted", "leancloud.sign_in asks for a device token in place of a signature")
        case .signature: break
        }
        switch self.app.verify(signature, for: .open(client: attempt.request.user.text)) {
        case .valid: self.admit(attempt, isProven: true)
        // Who shows nothing guesses nothing. The JavaScript SDK comes back like this when its session token is over.
        case .missing:
            if self.app.takesRefusalLine() {
                self.log(attempt.request, "no_signature", "the app has to ask its own server for a signature")
            }
            self.refuse(attempt, .wrongCredentials, reason: "no_signature")
        case .wrong:
            self.appFailed(
                attempt, "wrong_signature", "made with another key or for somebody else: compare with ctl app sign")
        // Who shows one of these has had a right one: nobody guesses here.
        case .expired:
            self.log(attempt.request, "expired_signature", "compare the clocks of the app's server and this one")
            self.refuse(attempt, .expired, reason: "expired_signature")
        case .replayed:
            self.log(attempt.request, "replayed_signature", "each signature is good for one sign-in")
            self.refuse(attempt, .expired, reason: "replayed_signature")
        }
    }

    private func checkSessionToken(_ text: String, _ attempt: Attempt) {
        switch self.app.readSessionToken(text, for: attempt.request.user) {
        case .wrong:
            self.appFailed(attempt, "wrong_session_token", "no session token of this server for this user")
        case .expired:
            // What happens to every device that was away for long; it then signs in anew.
            self.refuse(attempt, .expired)
        case .valid(let claims):
            self.accept(
                attempt,
                Identity(
                    user: claims.user, name: claims.name, role: claims.role,
                    deviceClass: attempt.request.requestedClass ?? .app, level: .secondary, epoch: attempt.epoch))
        }
    }

    // MARK: Who it is

    private func admit(_ attempt: Attempt, isProven: Bool) {
        let question = TokenLookup.Question(user: attempt.request.user, token: nil, requestedClass: nil) { finding in
            switch finding {
            case .person(let user): self.admit(user, attempt, isProven: isProven)
            case .unknownUser: self.addUser(attempt, isProven: isProven)
            case .match, .otherClass, .unknownToken: self.refuse(attempt, .unavailable)
            case .failed(let error): self.refuse(attempt, after: error)
            }
        }
        if !self.tokens.find(question) { self.refuse(attempt, .busy) }
    }

    private func admit(_ user: User, _ attempt: Attempt, isProven: Bool) {
        if user.isDisabled {
            self.log(attempt.request, "disabled", "the operator disabled this account, or deleted it")
            return self.refuse(attempt, .disabled)
        }
        if isProven, case .signature(let signature) = attempt.request.credentials,
            self.app.isRevoked(signature, for: .open(client: user.name.text), of: user.id)
        {
            self.log(attempt.request, "revoked_signature", "it was used before the person was signed out: sign anew")
            return self.refuse(attempt, .expired)
        }
        self.accept(
            attempt,
            Identity(
                // Who is only believed has nobody's rights over others.
                user: user.id, name: user.name, role: isProven ? user.role : .member,
                deviceClass: attempt.request.requestedClass ?? .app, level: .secondary, epoch: attempt.epoch))
    }

    private func addUser(_ attempt: Attempt, isProven: Bool) {
        let name = attempt.request.user
        guard self.app.policy.createsUsers else {
            return self.appFailed(
                attempt, "unknown_user", "no user has this name: add the user, or have leancloud.creates_users on")
        }
        self.store.write({ transaction throws(StoreError) -> User? in
            let user = try transaction.people.ensureUser(name).id
            return try transaction.reading.people.user(user)
        }) { result in
            switch result {
            case .success(let user?):
                self.options.log.info("user_added_at_sign_in", ["user": .name(name.text)])
                self.admit(user, attempt, isProven: isProven)
            case .success(nil): self.refuse(attempt, .unavailable)
            case .failure(let error): self.refuse(attempt, after: error)
            }
        }
    }
}
