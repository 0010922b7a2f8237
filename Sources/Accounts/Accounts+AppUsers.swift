package import ChatModel
import Store

/// Outcome of a sign-up in an app.
package enum SignUpOutcome: Hashable, Sendable {
    case added(UserID)
    /// Somebody else has that; nothing was changed.
    case taken(AppLogin)
}

extension Accounts {
    /// Adds a person as an app knows them, all in one change.
    ///
    /// - Parameters:
    ///   - name: what the person is called in the protocols; nobody has it yet.
    ///   - person: with a username.
    ///   - profile: what others are shown.
    package func signUp(
        _ name: UserName, _ person: AppUserPatch, password: String, profile: ProfilePatch,
        then: @escaping Answer<SignUpOutcome>
    ) {
        if person.username.map({ $0.lowercased() == password.lowercased() }) == true {
            return then(.failure(.password(.sameAsName)))
        }
        self.hashed(password, for: name, then) { hash in
            self.change(name, then) { transaction throws(StoreError) in
                if let taken = try transaction.reading.apps.taken(person, for: nil) { return .success(.taken(taken)) }
                guard try transaction.reading.people.user(named: name) == nil else {
                    return .failure(.userExists(name))
                }
                let user = try transaction.people.createUser(name, passwordHash: hash)
                try transaction.apps.setAppUser(user, person)
                if profile != ProfilePatch() { try transaction.people.setProfile(of: user, profile) }
                return .success(.added(user))
            } committed: { _ in
            }
        }
    }
}
