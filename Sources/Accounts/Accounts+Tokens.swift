package import ChatModel
package import Store

/// A new token: the only time its text is seen.
package struct IssuedToken: Sendable {
    /// Sign-in token; it is shown once and stored as a hash.
    package var token: SignInToken
    /// Person that the token is for.
    package var user: UserID
    /// UTC; `nil` for never.
    package var expiresAtMilliseconds: Int64?
}

extension Accounts {
    /// Makes a token for a person's device. Older ones stay.
    ///
    /// - Parameter lifetimeSeconds: `nil` for no end.
    package func issueToken(
        for name: UserName, class deviceClass: DeviceClass, level: DeviceLevel = .secondary, lifetimeSeconds: Int64?,
        auditing note: AuditNote? = nil, then: @escaping Answer<IssuedToken>
    ) {
        let token = SignInToken.random()
        let hash = token.hash(for: name, class: deviceClass)
        self.change(name, auditing: note, then) { transaction throws(StoreError) in
            guard let user = try transaction.reading.people.user(named: name) else {
                return .failure(.noSuchUser(name))
            }
            try transaction.trial.end(of: user.id)
            let expiry = lifetimeSeconds.map { transaction.wallMilliseconds + max(0, min($0, 1 << 40)) * 1_000 }
            try transaction.people.issueToken(
                hash: hash, bareHash: token.bareHash(key: try transaction.reading.people.bareTokenKey()), user: user.id,
                class: deviceClass, level: level, expiresAtMilliseconds: expiry)
            return .success(IssuedToken(token: token, user: user.id, expiresAtMilliseconds: expiry))
        } committed: { _ in
            self.authenticator.forgiveTokens(of: name)
        }
    }

    /// Takes a token that an app's own server chose, in place of the tokens the person has for that class. The person
    /// is added when missing. Such a token has no end of its own.
    ///
    /// - Parameter trialPeople: bound of the trial mode, for who has proved nothing: then the person must be of the
    ///   trial, or new; `nil` for who may do this, whose choice takes the person out of the trial.
    /// - Returns: through `then`, the sessions of that class; they have lost their token when `revokedTokens`, which
    ///   does not count the same token given again, is not 0.
    package func registerToken(
        _ text: String, for name: UserName, class deviceClass: DeviceClass, level: DeviceLevel, trialPeople: Int? = nil,
        then: @escaping Answer<SessionsToEnd>
    ) {
        guard let token = SignInToken(text) else { return then(.failure(.badToken)) }
        let hash = token.hash(for: name, class: deviceClass)
        self.change(name, then) { transaction throws(StoreError) in
            let user: UserID
            if let trialPeople {
                user = try transaction.trial.ensurePerson(name, most: trialPeople)
            } else {
                user = try transaction.people.ensureUser(name).id
                try transaction.trial.end(of: user)
            }
            try transaction.people.revokeToken(hash: hash)
            let replaced = try transaction.people.revokeTokens(of: user, class: deviceClass)
            try transaction.people.issueToken(
                hash: hash, bareHash: token.bareHash(key: try transaction.reading.people.bareTokenKey()), user: user,
                class: deviceClass, level: level, expiresAtMilliseconds: nil)
            return .success(
                SessionsToEnd(
                    user: user, name: name, deviceClass: deviceClass, revokedTokens: replaced,
                    revocation: replaced > 0 ? try transaction.apps.revokeSessionTokens(of: user) : nil))
        } committed: { sessions in
            self.tookRights(sessions)
            self.authenticator.forgiveTokens(of: name)
        }
    }

    /// Takes back the session tokens of a person who is thrown out, so that no device comes back by itself with the one
    /// it has. Device tokens stay, and so does the right to sign in anew.
    package func revokeSessionTokens(
        of name: UserName, auditing note: AuditNote? = nil, then: @escaping Answer<SessionsToEnd>
    ) {
        self.changeKnown(name, auditing: note, then) { _, _ throws(StoreError) in 0 }
    }

    /// Ends a person's tokens: all, or those of one device class. Session tokens of all classes go with them.
    package func revokeTokens(
        of name: UserName, class deviceClass: DeviceClass? = nil, auditing note: AuditNote? = nil,
        then: @escaping Answer<SessionsToEnd>
    ) {
        self.changeKnown(name, class: deviceClass, auditing: note, then) { transaction, user throws(StoreError) in
            try transaction.people.revokeTokens(of: user.id, class: deviceClass)
        }
    }
}
