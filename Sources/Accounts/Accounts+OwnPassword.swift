package import ChatModel
import Store

/// Why a person's own change of their password was not made.
package enum OwnPasswordError: Error, Hashable, Sendable {
    /// The present password was not proved.
    case proof(SignInRefusal)
    /// The new one was not taken.
    case change(AccountsError)
}

extension Accounts {
    /// Replaces the password of a person who shows the present one. Wrong ones count as those of a sign-in do, and sign-ins
    /// with the former one that are being checked meanwhile do not count.
    ///
    /// Nothing is changed when somebody else set a password between the proof and the change.
    ///
    /// - Parameters:
    ///   - proof: the person with the present password.
    ///   - device: the only device that keeps its token, by its id; `nil` when all keep theirs.
    ///   - then: the classes of the devices that lost their token, for ending their sessions.
    package func changeOwnPassword(
        _ proof: SignInRequest, to password: String, keepingOnly device: String?,
        then: @escaping @Sendable (Result<Set<DeviceClass>, OwnPasswordError>) -> Void
    ) {
        self.authenticator.provePassword(proof) { result, proven in
            switch result {
            case .refused(let refusal): then(.failure(.proof(refusal)))
            case .signedIn(let identity):
                self.replacePassword(of: identity, proven, with: password, keepingOnly: device) { result in
                    then(result.mapError { .change($0) })
                }
            }
        }
    }

    private func replacePassword(
        of identity: Identity, _ proven: String?, with password: String, keepingOnly device: String?,
        _ then: @escaping Answer<Set<DeviceClass>>
    ) {
        let finishing: Answer<Revoked> = { result in then(result.map(\.classes)) }
        self.hashed(password, for: identity.name, finishing) { hash in
            self.change(identity.name, finishing) { transaction throws(StoreError) in
                guard try transaction.reading.people.passwordHash(of: identity.user) == proven else {
                    throw .refused(.changedMeanwhile)
                }
                try transaction.people.setPasswordHash(identity.user, hash)
                guard let device else { return .success(Revoked()) }
                return .success(try Self.revoke(.allBut(device), of: identity.user, transaction))
            } committed: { revoked in
                self.took(revoked, from: identity.user)
            }
        }
    }
}
