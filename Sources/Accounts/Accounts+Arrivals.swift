import ByteCodec
package import ChatModel
package import Store

/// A person as an app on another server knew them, who is to be here too.
package struct ArrivingPerson: Sendable {
    /// Name of the person, unique on the server.
    package var name: UserName
    /// With a username.
    package var app: AppUserPatch
    /// Name to show; `nil` leaves it.
    package var displayName: String?
    /// Address of the picture; `nil` leaves it.
    package var avatar: String?
    /// `nil` when none came along that can be used.
    package var password: ImportedPassword?
    /// Token that installed apps hold, which goes on being right; `nil` for none.
    package var sessionToken: SignInToken?

    package init(
        name: UserName, app: AppUserPatch, displayName: String? = nil, avatar: String? = nil,
        password: ImportedPassword? = nil
    ) {
        self.name = name
        self.app = app
        self.displayName = displayName
        self.avatar = avatar
        self.password = password
    }
}

/// How somebody is here after their arrival.
package struct Arrival: Hashable, Sendable {
    /// Password of an arrival: plain text, or the hash of the former system.
    package enum Password: Hashable, Sendable {
        /// The one that came along holds from now on.
        case set
        /// There was one here, which stays.
        case kept
        case missing
    }

    /// Name that the person signs in with.
    package var username: String
    /// The person was there before.
    package var existed: Bool
    /// Something was missing here and was set.
    package var hasChanged: Bool
    /// Password, or its hash.
    package var password: Password
}

/// Outcome of bringing one person.
package enum ArrivalOutcome: Hashable, Sendable {
    case arrived(Arrival)
    /// Somebody else has that; nothing was changed.
    case taken(AppLogin)
    /// The account with this name was deleted; nothing was changed.
    case deleted
    /// It is the name of the server's own user; nothing was changed.
    case systemUser

    var isChange: Bool {
        if case .arrived(let arrival) = self { arrival.hasChanged } else { false }
    }
}

extension Accounts {
    /// Adds a person as an app knew them elsewhere, or sets what is missing of who is here; one change. What somebody
    /// has here stays, their password above all, so that doing it again is harmless. Nobody gets a token.
    ///
    /// - Parameter note: kept in the audit log when anything was changed.
    package func bring(
        _ person: ArrivingPerson, auditing note: AuditNote? = nil, then: @escaping Answer<ArrivalOutcome>
    ) {
        self.store.write(auditing: note, counts: { $0.isChange }) { store throws(StoreError) in
            let plan = try ArrivalPlan(person, in: store.reading)
            try plan.carryOut(in: store)
            return plan.outcome
        } then: { (result: Result<ArrivalOutcome, StoreError>) in
            if case .success(.arrived(let arrival)) = result, arrival.password == .set {
                self.authenticator.forgive(person.name)
            }
            then(result.mapError { AccountsError.store($0) })
        }
    }

    /// The same inside a change.
    package static func bring(
        _ person: ArrivingPerson, in store: WriteTransaction
    ) throws(StoreError) -> ArrivalOutcome {
        let plan = try ArrivalPlan(person, in: store.reading)
        try plan.carryOut(in: store)
        return plan.outcome
    }

    /// Outcome that `bring` would have now; nothing changes.
    package static func foresee(
        _ person: ArrivingPerson, in store: ReadTransaction
    ) throws(StoreError) -> ArrivalOutcome {
        try ArrivalPlan(person, in: store).outcome
    }
}

/// Changes for one arrival; nothing when it cannot be brought.
private struct ArrivalPlan {
    let outcome: ArrivalOutcome
    private let name: UserName
    /// `nil` for who is not here yet.
    private var user: UserID?
    private var app = AppUserPatch()
    private var profile = ProfilePatch()
    private var passwordHash: String?
    private var token: SignInToken?

    init(_ person: ArrivingPerson, in store: ReadTransaction) throws(StoreError) {
        self.name = person.name
        guard person.name != systemUserName else {
            self.outcome = .systemUser
            return
        }
        let user = try store.people.user(named: person.name)
        guard user?.deletedAtMilliseconds == nil else {
            self.outcome = .deleted
            return
        }
        self.user = user?.id
        var before: AppUser?
        self.app = person.app
        if let user {
            before = try store.apps.appUser(user.id)
            self.app = try Self.missing(person.app, before, isKept: store.apps.keepsAppUser(user.id))
        }
        if let taken = try store.apps.taken(self.app, for: user?.id) {
            self.outcome = .taken(taken)
            return
        }
        if user?.displayName == nil { self.profile.displayName = person.displayName }
        let avatar = try user.flatMap { (user) throws(StoreError) in try store.people.profile(of: user.id)?.avatar }
        if avatar == nil { self.profile.avatar = person.avatar }
        let hasPassword = user?.hasPassword == true
        if !hasPassword { self.passwordHash = person.password?.stored }
        self.token = try person.sessionToken.flatMap { (token) throws(StoreError) in
            try Self.isMissing(token, of: person.name, user, in: store) ? token : nil
        }
        let isAnything =
            self.app != AppUserPatch() || self.profile != ProfilePatch() || self.passwordHash != nil
            || self.token != nil
        self.outcome = .arrived(
            Arrival(
                username: self.app.username ?? before?.username ?? person.name.text, existed: user != nil,
                hasChanged: user == nil || isAnything,
                password: hasPassword ? .kept : self.passwordHash == nil ? .missing : .set))
    }

    /// True for a token that is to be brought. What was taken from a person here does not come back, and who was here before
    /// any import gets none: with a token a folder could let somebody in as them.
    private static func isMissing(
        _ token: SignInToken, of name: UserName, _ user: User?, in store: ReadTransaction
    ) throws(StoreError) -> Bool {
        guard let user else { return true }
        if user.isDisabled || user.role == .administrator { return false }
        guard try store.apps.wasImported(user.id) else { return false }
        if try store.apps.hasRevokedSessions(user.id) { return false }
        return try store.people.token(hash: token.hash(for: name, class: .app)) == nil
    }

    /// Returns the part of `new` that is not stored yet.
    ///
    /// - Parameter isKept: true when an app keeps anything of the person; a person who signs in with the bare name gets
    ///   a username.
    private static func missing(_ new: AppUserPatch, _ before: AppUser?, isKept: Bool) -> AppUserPatch {
        var patch = new
        let isSame = before?.username == new.username && before?.createdAtMilliseconds == new.createdAtMilliseconds
        if isKept || isSame {
            patch.username = nil
            patch.createdAtMilliseconds = nil
        }
        if before?.email != nil { patch.email = nil }
        if before?.phone != nil { patch.phone = nil }
        // What was verified is the address that the source had, and no other.
        if before?.isEmailVerified == true || (before?.email ?? new.email) != new.email { patch.isEmailVerified = nil }
        if before?.isPhoneVerified == true || (before?.phone ?? new.phone) != new.phone { patch.isPhoneVerified = nil }
        if before?.authData != nil { patch.authData = nil }
        if let fields = before?.fields { patch.fields = patch.fields.flatMap { Self.added($0, to: fields) } }
        return patch
    }

    /// All fields, with those that are not there; `nil` when there are none of these.
    private static func added(_ new: [UInt8], to fields: [UInt8]) -> [UInt8]? {
        guard let members = (try? JSONValue(parsing: fields))?.object,
            let more = (try? JSONValue(parsing: new))?.object
        else { return nil }
        let known = Set(members.map(\.name))
        let missing = more.filter { !known.contains($0.name) }
        return missing.isEmpty ? nil : JSONValue.object(members + missing).serialized()
    }

    func carryOut(in store: WriteTransaction) throws(StoreError) {
        guard case .arrived = self.outcome else { return }
        let user: UserID
        if let known = self.user {
            user = known
            if let passwordHash { try store.people.setPasswordHash(user, passwordHash) }
        } else {
            user = try store.people.createUser(self.name, passwordHash: self.passwordHash)
        }
        if self.app != AppUserPatch() { try store.apps.setAppUser(user, self.app) }
        if self.profile != ProfilePatch() { try store.people.setProfile(of: user, self.profile) }
        if let token {
            try store.people.issueToken(
                hash: token.hash(for: self.name, class: .app),
                bareHash: token.bareHash(key: try store.reading.people.bareTokenKey()), user: user, class: .app,
                level: .secondary, expiresAtMilliseconds: nil)
        }
    }
}
