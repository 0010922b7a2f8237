package import ChatModel
import Store

/// Device of a person that may sign in with a token.
package struct DeviceEntry: Hashable, Sendable {
    /// Name of the device in requests: 32 hexadecimal digits that say nothing of the token.
    package var id: String
    /// Class of the device.
    package var deviceClass: DeviceClass
    /// When the token was given out, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// When the token was used last, to about an hour, UTC milliseconds.
    package var lastSeenAtMilliseconds: Int64
    /// `nil` for never.
    package var expiresAtMilliseconds: Int64?
}

extension Accounts {
    /// Devices of a person, the one used last first.
    package func devices(of identity: Identity, then: @escaping Answer<[DeviceEntry]>) {
        self.store.read(as: .page, for: .person(identity.user)) { transaction throws(StoreError) in
            let issued = try transaction.people.tokenIssueTimes(of: identity.user)
            return try transaction.people.tokens(of: identity.user).map { token in
                DeviceEntry(
                    id: Self.deviceID(token.hash), deviceClass: token.deviceClass,
                    createdAtMilliseconds: issued[token.hash] ?? 0,
                    lastSeenAtMilliseconds: token.lastSeenAtMilliseconds,
                    expiresAtMilliseconds: token.expiresAtMilliseconds)
            }
        } then: { (result: Result<[DeviceEntry], StoreError>) in
            then(result.mapError { AccountsError.store($0) })
        }
    }

    /// Name of the device that a person's token is for; `nil` for a text that is no token.
    package static func deviceID(ofToken text: String, of identity: Identity) -> String? {
        SignInToken(text).map { self.deviceID($0.hash(for: identity.name, class: identity.deviceClass)) }
    }

    /// Choice of the devices of a person that lose their token.
    package enum DeviceChoice: Hashable, Sendable {
        case only(String)
        case allBut(String)
    }

    /// Takes the tokens of devices back.
    ///
    /// - Returns: through `then`, the classes of the devices, for ending their sessions; none when there was no such
    ///   device.
    package func revokeDevices(
        of identity: Identity, _ choice: DeviceChoice, then: @escaping Answer<Set<DeviceClass>>
    ) {
        let finishing: Answer<Revoked> = { result in then(result.map(\.classes)) }
        self.change(identity.name, finishing) { transaction throws(StoreError) in
            .success(try Self.revoke(choice, of: identity.user, transaction))
        } committed: { revoked in
            self.took(revoked, from: identity.user)
        }
    }

    /// Tokens that a change took back.
    struct Revoked: Sendable {
        /// Classes of the devices.
        var classes: Set<DeviceClass> = []
        /// How often the person's session tokens were taken back; `nil` when they were not now.
        var revocation: Int64?
    }

    /// Takes the tokens of devices back, in a transaction.
    static func revoke(
        _ choice: DeviceChoice, of user: UserID, _ transaction: WriteTransaction
    ) throws(StoreError) -> Revoked {
        var revoked = Revoked()
        for token in try transaction.reading.people.tokens(of: user) {
            let id = Self.deviceID(token.hash)
            let isChosen =
                switch choice {
                case .only(let wanted): id == wanted
                case .allBut(let kept): id != kept
                }
            if isChosen, try transaction.people.revokeToken(hash: token.hash) {
                revoked.classes.insert(token.deviceClass)
            }
        }
        // Whoever has one of LeanCloud's session tokens is another device.
        if case .allBut = choice { revoked.revocation = try transaction.apps.revokeSessionTokens(of: user) }
        return revoked
    }

    /// After the commit: tokens are remembered for a minute, and what is remembered of this person ends now.
    func took(_ revoked: Revoked, from user: UserID) {
        if let count = revoked.revocation { self.app.revoked(user, count: count) }
        self.changes.changed(user)
    }

    private static func deviceID(_ hash: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let name = Sodium.hash(Array("teahouse device".utf8) + [0] + hash).prefix(16)
        return String(decoding: name.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
