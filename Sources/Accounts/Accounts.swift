package import ChatModel
import Diagnostics
import Execution
package import Store

/// Accounts as operators and business servers change them, and the authenticator that every gateway asks. Any thread.
/// A change by an operator is given a note for the audit log.
///
/// Each change calls `then` once, on the store's writer, a reader's or a hashing thread, or on the caller's before the
/// method returns. It must be short. Tools and start-up may use `wait`.
package final class Accounts: Sendable {
    /// Receives the result, on a thread of the store.
    package typealias Answer<Value> = @Sendable (Result<Value, AccountsError>) -> Void

    /// Checks credentials for every gateway.
    package let authenticator: Authenticator
    /// The app whose clients speak LeanCloud's protocols.
    package let app: AppAuthenticator
    /// Journal of sign-ins; `nil` for none.
    package var journal: SignInJournal? { self.options.journal }
    let store: Store
    let hasher: PasswordHasher
    let options: AccountsOptions
    let setup: SetupToken
    let changes: AccountChanges

    /// - Parameter folder: the data folder, for the setup token. The store is not closed by `stop`.
    package init(_ store: Store, folder: String, options: AccountsOptions = AccountsOptions()) {
        let hasher = PasswordHasher(options.passwords)
        let changes = AccountChanges()
        self.store = store
        self.hasher = hasher
        self.options = options
        self.changes = changes
        self.setup = SetupToken(folder: folder, clock: options.clock)
        self.app = AppAuthenticator(store, folder: folder, changes: changes, options: options)
        self.authenticator = Authenticator(store, hasher, changes, self.app, options)
    }

    /// Works off the passwords that wait and ends the hashing threads. Before the store is closed.
    package func stop() { self.hasher.stop() }

    /// Waits for one change: `try accounts.wait { accounts.revokeTokens(of: name, then: $0) }`.
    ///
    /// For tools, tests and start-up; never on a thread that must not block.
    package func wait<Value: Sendable>(_ start: (@escaping Answer<Value>) -> Void) throws(AccountsError) -> Value {
        let state = ConditionLock<Result<Value, AccountsError>?>(nil)
        start { result in state.change { $0 = result } }
        return try state.wait(until: { $0 != nil }, then: { $0! }).get()
    }

    // MARK: People

    /// Adds a person.
    ///
    /// - Parameter password: `nil` for none: the person signs in with tokens.
    package func addUser(
        _ name: UserName, role: UserRole = .member, displayName: String? = nil, password: String? = nil,
        auditing note: AuditNote? = nil, then: @escaping Answer<UserID>
    ) {
        self.hashed(password, for: name, then) { hash in
            self.change(name, auditing: note, then) { transaction throws(StoreError) in
                guard try transaction.reading.people.user(named: name) == nil else {
                    return .failure(.userExists(name))
                }
                return .success(
                    try transaction.people.createUser(name, role: role, displayName: displayName, passwordHash: hash))
            } committed: { _ in
                if role == .administrator { self.setup.finish() }
            }
        }
    }

    /// Sets a new password. All the person's tokens end with it, for who changes a password may fear a thief.
    ///
    /// - Returns: through `then`, the sessions to end.
    package func setPassword(
        of name: UserName, to password: String, auditing note: AuditNote? = nil, then: @escaping Answer<SessionsToEnd>
    ) {
        self.hashed(password, for: name, then) { hash in
            self.changeKnown(name, auditing: note, then) { transaction, user throws(StoreError) in
                try transaction.people.setPasswordHash(user.id, hash)
                return try transaction.people.revokeTokens(of: user.id)
            }
        }
    }

    /// Disables an account, or enables it again with the tokens it had.
    package func setDisabled(
        _ name: UserName, _ isDisabled: Bool, auditing note: AuditNote? = nil, then: @escaping Answer<SessionsToEnd>
    ) {
        self.changeKnown(name, auditing: note, then) { transaction, user throws(StoreError) in
            try transaction.people.setDisabled(user.id, isDisabled)
            return 0
        }
    }

    /// Deletes an account for good; what goes with it is told by `WriteTransaction.deleteUser`.
    ///
    /// - Returns: through `then`, whose sessions to end.
    package func delete(
        _ name: UserName, auditing note: AuditNote? = nil, by origin: EventOrigin,
        then: @escaping Answer<SessionsToEnd>
    ) {
        self.change(name, auditing: note, then) { transaction throws(StoreError) in
            transaction.origin = origin
            guard let user = try transaction.reading.people.user(named: name) else {
                return .failure(.noSuchUser(name))
            }
            let deleted = try transaction.people.deleteUser(user.id)
            let sessions = SessionsToEnd(
                user: user.id, name: name, deviceClass: nil, revokedTokens: deleted.revokedTokens,
                revocation: try transaction.apps.revokeSessionTokens(of: user.id))
            return .success(sessions)
        } committed: { sessions in
            self.tookRights(sessions)
            self.authenticator.forgive(name)
        }
    }

    /// Changes what is known of somebody, all in one change; `nil` leaves a thing as it is, empty text removes it.
    ///
    /// - Returns: through `then`, the sessions to end, when the role is another one than before.
    package func edit(
        _ name: UserName, displayName: String? = nil, externalID: String? = nil, role: UserRole? = nil,
        auditing note: AuditNote? = nil, then: @escaping Answer<SessionsToEnd?>
    ) {
        self.change(name, auditing: note, then) { transaction throws(StoreError) in
            guard let user = try transaction.reading.people.user(named: name) else {
                return .failure(.noSuchUser(name))
            }
            if let displayName {
                try transaction.people.setDisplayName(user.id, displayName.isEmpty ? nil : displayName)
            }
            if let externalID { try transaction.people.setExternalID(user.id, externalID.isEmpty ? nil : externalID) }
            guard let role, role != user.role else { return .success(nil) }
            try transaction.people.setRole(user.id, role)
            return .success(
                SessionsToEnd(
                    user: user.id, name: name, deviceClass: nil, revokedTokens: 0,
                    revocation: try transaction.apps.revokeSessionTokens(of: user.id)))
        } committed: { sessions in
            guard let sessions else { return }
            if role == .administrator { self.setup.finish() }
            self.tookRights(sessions)
        }
    }

    // MARK: Changes

    /// Makes a change to somebody who exists; afterwards sign-ins that were being checked meanwhile do not count, and
    /// failures are forgiven.
    ///
    /// - Parameter body: returns how many tokens it ended.
    func changeKnown(
        _ name: UserName, class deviceClass: DeviceClass? = nil, auditing note: AuditNote?,
        _ then: @escaping Answer<SessionsToEnd>,
        _ body: @escaping @Sendable (WriteTransaction, User) throws(StoreError) -> Int
    ) {
        self.change(name, auditing: note, then) { transaction throws(StoreError) in
            guard let user = try transaction.reading.people.user(named: name) else {
                return .failure(.noSuchUser(name))
            }
            let count = try body(transaction, user)
            return .success(
                SessionsToEnd(
                    user: user.id, name: name, deviceClass: deviceClass, revokedTokens: count,
                    revocation: try transaction.apps.revokeSessionTokens(of: user.id)))
        } committed: { sessions in
            self.tookRights(sessions)
            self.authenticator.forgive(name)
        }
    }

    /// Holds to it that accounts are gone which an import had made. After the commit, and before their sessions are ended.
    package func tookBack(_ people: [UserID]) {
        for user in people { self.app.revoked(user, count: .max) }
    }

    /// After the commit of a change that took rights away, and before the sessions are ended.
    func tookRights(_ sessions: SessionsToEnd) {
        if let count = sessions.revocation { self.app.revoked(sessions.user, count: count) }
    }

    /// Makes a change in one transaction; a failure that `body` returns must come before it changed anything.
    func change<Value: Sendable>(
        _ name: UserName, auditing note: AuditNote? = nil, _ then: @escaping Answer<Value>,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result<Value, AccountsError>,
        committed: @escaping @Sendable (Value) -> Void
    ) {
        guard name != systemUserName else { return then(.failure(.systemUser)) }
        let isChange: @Sendable (Result<Value, AccountsError>) -> Bool = {
            if case .success = $0 { true } else { false }
        }
        self.store.write(auditing: note, counts: isChange, body) { result in
            switch result {
            case .success(.success(let value)):
                committed(value)
                then(.success(value))
            case .success(.failure(let error)): then(.failure(error))
            case .failure(let error): then(.failure(.store(error)))
            }
        }
    }

    /// Checks a new password and goes on with its hash; without one at once.
    func hashed<Value: Sendable>(
        _ password: String?, for name: UserName, _ then: @escaping Answer<Value>,
        _ next: @escaping @Sendable (String?) -> Void
    ) {
        guard let password else { return next(nil) }
        if let problem = self.options.passwords.problem(with: password, for: name) {
            return then(.failure(.password(problem)))
        }
        let isQueued = self.hasher.hash(password) { hash in
            guard let hash else { return then(.failure(.busy)) }
            next(hash)
        }
        if !isQueued { then(.failure(.busy)) }
    }
}

/// The sessions that a change took the right from: the caller has the broker end them.
package struct SessionsToEnd: Hashable, Sendable {
    /// Person that was changed.
    package var user: UserID
    /// Name of the person.
    package var name: UserName
    /// `nil` for the sessions of every class.
    package var deviceClass: DeviceClass?
    /// Tokens that ended with the change.
    package var revokedTokens: Int
    /// How often the person's session tokens were taken back; `nil` when nothing was taken.
    var revocation: Int64?
}
