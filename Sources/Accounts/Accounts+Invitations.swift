package import ChatModel
package import Store

/// An invitation to be made.
package struct InvitationOrder: Hashable, Sendable {
    /// Name that the new person gets; `nil` for one of their choice.
    package var name: UserName?
    /// Name to show; `nil` for none.
    package var displayName: String?
    /// One of `InvitationBounds.hours`.
    package var hours: Int64
    /// Key by which a repeated order is known again; `nil` for an order that is made once.
    package var clientToken: String?

    package init(name: UserName?, displayName: String?, hours: Int64, clientToken: String?) {
        self.name = name
        self.displayName = displayName
        self.hours = hours
        self.clientToken = clientToken
    }
}

/// A new invitation: the only time its code is seen.
package struct IssuedInvitation: Sendable {
    /// 22 characters of base64url, 128 bits.
    package var code: String
    /// Invitation.
    package var invitation: Invitation

    /// Path of the page for who has a code.
    package static func path(ofCode code: String) -> String { "/join/\(code)" }
}

/// Somebody who comes in by an invitation.
package struct InvitedPerson: Sendable {
    /// Name of the person, unique on the server.
    package var name: UserName
    /// Name to show; `nil` for the one of the invitation.
    package var displayName: String?
    /// `nil` for none: the person signs in with the token of this device.
    package var password: String?
    /// Class of the device.
    package var deviceClass: DeviceClass
    /// Address by which wrong codes are slowed down.
    package var throttleKey: String

    package init(
        name: UserName, displayName: String?, password: String?, deviceClass: DeviceClass, throttleKey: String
    ) {
        self.name = name
        self.displayName = displayName
        self.password = password
        self.deviceClass = deviceClass
        self.throttleKey = throttleKey
    }
}

extension Accounts {
    /// Random bytes of a code.
    private static let codeBytes = 16

    /// Makes an invitation, for an administrator or the operator. Ordered again with the same client token, it is answered
    /// as the first time: the code of such an order is made from the token, under a key that only this server has.
    ///
    /// - Parameter inviter: `UserID.system` for the operator.
    package func invite(
        _ order: InvitationOrder, by inviter: UserID, auditing note: AuditNote?,
        then: @escaping Answer<IssuedInvitation>
    ) {
        let random = Sodium.randomBytes(Self.codeBytes)
        let isNew: @Sendable (Result<IssuedInvitation, AccountsError>) -> Bool = {
            if case .success = $0 { true } else { false }
        }
        self.store.write(
            auditing: note, counts: isNew,
            { transaction throws(StoreError) in
                guard try transaction.reading.people.user(inviter)?.role == .administrator else {
                    return .failure(.invitation(.notAdministrator))
                }
                let code: String
                if let token = order.clientToken {
                    let input = Array("teahouse invitation \(inviter.rawValue) ".utf8) + Array(token.utf8)
                    let key = try transaction.reading.people.bareTokenKey()
                    code = Sodium.base64(Array(Sodium.hash(input, key: key).prefix(Self.codeBytes)))
                } else {
                    code = Sodium.base64(random)
                }
                let hash = Self.hash(ofCode: code)
                if let known = try transaction.reading.invitations.one(codeHash: hash) {
                    let asked = order.hours * 3_600_000
                    guard known.name == order.name, known.displayName == order.displayName,
                        known.endsAtMilliseconds - known.createdAtMilliseconds == asked
                    else { return .failure(.invitation(.tokenConflict)) }
                    return .success(IssuedInvitation(code: code, invitation: known))
                }
                if let name = order.name, try transaction.reading.people.user(named: name) != nil {
                    return .failure(.userExists(name))
                }
                let invitation = try transaction.invitations.add(
                    codeHash: hash, by: inviter, name: order.name, displayName: order.displayName, hours: order.hours)
                return .success(IssuedInvitation(code: code, invitation: invitation))
            },
            then: { Self.finish($0, then) })
    }

    /// The invitation with this code, while somebody may come in by it.
    ///
    /// - Parameter throttleKey: address by which wrong codes are slowed down.
    package func findInvitation(_ code: String, throttleKey: String, then: @escaping Answer<Invitation>) {
        if let seconds = self.authenticator.pauseForCodes(from: throttleKey) {
            return then(.failure(.invitation(.throttled(retryAfterSeconds: seconds))))
        }
        let hash = Self.hash(ofCode: code)
        let now = self.options.clock.wallMilliseconds()
        self.store.read(
            as: .signIn,
            { transaction throws(StoreError) in
                guard let found = try transaction.invitations.one(codeHash: hash),
                    try transaction.invitations.isUsable(found, at: now)
                else { return nil as Invitation? }
                return found
            }
        ) { result in
            switch result {
            case .failure(let error): then(.failure(.store(error)))
            case .success(.some(let invitation)): then(.success(invitation))
            case .success(.none):
                self.authenticator.noteWrongCode(from: throttleKey)
                then(.failure(.invitation(.ended)))
            }
        }
    }

    /// Adds the person who comes in by an invitation, and makes a token for their device, in one change.
    package func comeIn(by code: String, _ person: InvitedPerson, then: @escaping Answer<IssuedToken>) {
        // Nobody without a code has a password hashed.
        self.findInvitation(code, throttleKey: person.throttleKey) { result in
            switch result {
            case .failure(let error): then(.failure(error))
            case .success:
                self.hashed(person.password, for: person.name, then) { self.add(person, passwordHash: $0, code, then) }
            }
        }
    }

    private func add(
        _ person: InvitedPerson, passwordHash: String?, _ code: String, _ then: @escaping Answer<IssuedToken>
    ) {
        let hash = Self.hash(ofCode: code)
        let token = SignInToken.random()
        let (name, deviceClass) = (person.name, person.deviceClass)
        self.change(name, then) { transaction throws(StoreError) in
            guard let invitation = try transaction.reading.invitations.one(codeHash: hash),
                try transaction.reading.invitations.isUsable(invitation, at: transaction.wallMilliseconds)
            else { return .failure(.invitation(.ended)) }
            if let wanted = invitation.name, wanted != name { return .failure(.invitation(.otherName(wanted))) }
            guard try transaction.reading.people.user(named: name) == nil else { return .failure(.userExists(name)) }
            let user = try transaction.people.createUser(
                name, displayName: person.displayName ?? invitation.displayName, passwordHash: passwordHash)
            try transaction.invitations.use(invitation.number, by: user)
            try transaction.people.issueToken(
                hash: token.hash(for: name, class: deviceClass),
                bareHash: token.bareHash(key: try transaction.reading.people.bareTokenKey()), user: user,
                class: deviceClass,
                level: .secondary, expiresAtMilliseconds: nil)
            return .success(IssuedToken(token: token, user: user, expiresAtMilliseconds: nil))
        } committed: { _ in
        }
    }

    private static func hash(ofCode code: String) -> [UInt8] {
        Sodium.hash(Array("teahouse invitation code".utf8) + [0] + Array(code.utf8))
    }

    private static func finish<Value: Sendable>(
        _ result: Result<Result<Value, AccountsError>, StoreError>, _ then: Answer<Value>
    ) {
        switch result {
        case .success(let result): then(result)
        case .failure(let error): then(.failure(.store(error)))
        }
    }
}

extension Authenticator {
    /// Seconds for which an address with too many wrong codes waits; `nil` for none. They are counted with tokens that
    /// come alone.
    func pauseForCodes(from address: String) -> Int64? {
        self.throttle.withLock { $0.pauseSeconds(ofAddress: address, for: .bareToken, at: self.options.clock.now()) }
    }

    func noteWrongCode(from address: String) {
        let now = self.options.clock.now()
        _ = self.throttle.withLock { $0.failed(address: address, at: now) }
    }
}
