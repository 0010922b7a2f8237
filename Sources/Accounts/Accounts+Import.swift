package import ChatModel
package import Store

/// A person who was imported, with a new token: the only time its text is seen.
package struct ImportedUser: Sendable {
    /// Person that was imported.
    package var user: UserID
    /// The person was there before and only got the token.
    package var existed: Bool
    /// Sign-in token of the person.
    package var token: SignInToken
}

extension Accounts {
    /// Adds a person when missing, and makes a token that signs in on devices of all the classes; one change, for many
    /// people in a row. Older tokens stay.
    ///
    /// - Parameter classes: at least one.
    package func importUser(
        _ name: UserName, displayName: String? = nil, classes: [DeviceClass], level: DeviceLevel = .secondary,
        auditing note: AuditNote? = nil, then: @escaping Answer<ImportedUser>
    ) {
        let token = SignInToken.random()
        let hashes = classes.map { (deviceClass: $0, hash: token.hash(for: name, class: $0)) }
        self.change(name, auditing: note, then) { transaction throws(StoreError) in
            let (user, isNew) = try transaction.people.ensureUser(name)
            if isNew, let displayName { try transaction.people.setDisplayName(user, displayName) }
            let bareHash = token.bareHash(key: try transaction.reading.people.bareTokenKey())
            for (deviceClass, hash) in hashes {
                try transaction.people.issueToken(
                    hash: hash, bareHash: bareHash, user: user, class: deviceClass, level: level,
                    expiresAtMilliseconds: nil)
            }
            return .success(ImportedUser(user: user, existed: !isNew, token: token))
        } committed: { _ in
            self.authenticator.forgiveTokens(of: name)
        }
    }
}
