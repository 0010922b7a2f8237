package import ChatModel

/// From how far away somebody signs in.
package enum SignInOrigin: Hashable, Sendable, CaseIterable {
    /// The same machine.
    case loopback
    /// A private or link-local range.
    case privateNetwork
    case publicNetwork
}

/// Credentials that a person shows. Prints as a kind only.
package enum Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    case token(String)
    case password(String)
    /// Signature of `SignedAction.open` by the app's own server.
    case signature(ActionSignature)
    /// Token of a session that was open before.
    case sessionToken(String)
    /// Nothing: where the operator has everybody believed.
    case none

    package var description: String {
        switch self {
        case .token: "(a token)"
        case .password: "(a password)"
        case .signature: "(a signature)"
        case .sessionToken: "(a session token)"
        case .none: "(nothing)"
        }
    }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Somebody at a gateway.
package struct SignInRequest: Sendable {
    /// Name that the person gave.
    package var user: UserName
    /// Credentials that the person showed.
    package var credentials: Credentials
    /// Class of the device that asks. `nil` when the gateway cannot tell: then a token of the class app, web or desktop
    /// will do, and a password makes a desktop session.
    package var requestedClass: DeviceClass?
    /// The peer's address as the operator knows it: for the log.
    package var address: String
    /// Key by which failures count: the address, for IPv6 its /64.
    package var throttleKey: String
    /// Inside TLS.
    package var isEncrypted: Bool
    /// Part of the network that the request came from.
    package var origin: SignInOrigin
    /// Gateway that asks.
    package var gateway: SignInGateway

    package init(
        user: UserName, credentials: Credentials, requestedClass: DeviceClass?, address: String, throttleKey: String,
        isEncrypted: Bool, origin: SignInOrigin, gateway: SignInGateway = .native
    ) {
        self.gateway = gateway
        self.user = user
        self.credentials = credentials
        self.requestedClass = requestedClass
        self.address = address
        self.throttleKey = throttleKey
        self.isEncrypted = isEncrypted
        self.origin = origin
    }
}

/// Person who signed in, and the device's class.
package struct Identity: Hashable, Sendable {
    /// Person.
    package var user: UserID
    /// Name of the person.
    package var name: UserName
    /// Role of the person.
    package var role: UserRole
    /// Class of the device.
    package var deviceClass: DeviceClass
    /// A password gives `secondary`: it ends nobody's session.
    package var level: DeviceLevel
    /// Compared by `Authenticator.isStillValid`.
    package var epoch: UInt64

    package init(
        user: UserID, name: UserName, role: UserRole, deviceClass: DeviceClass, level: DeviceLevel, epoch: UInt64
    ) {
        self.user = user
        self.name = name
        self.role = role
        self.deviceClass = deviceClass
        self.level = level
        self.epoch = epoch
    }
}

/// Why somebody may not come in. It never says whether the user exists.
package enum SignInRefusal: Hashable, Sendable {
    /// User, token or password is wrong. The log says which.
    case wrongCredentials
    /// The signature or session token was right once: its time is over, it was used before, or it was taken back. Sign
    /// in with a new signature.
    case expired
    /// The credentials are right, but the operator disabled the account.
    case disabled
    /// Too many failures: ask again after this many seconds, 1...300.
    case throttled(retryAfterSeconds: Int64)
    /// Such credentials are not taken without TLS from there.
    case plainNotAllowed
    /// Too many sign-ins wait; nothing was checked: ask again in a second.
    case busy
    /// The store is stopping or failed, or the account changed at this moment: ask again.
    case unavailable

    /// The refusal of a password that crosses a network in plain text, for the client and for the log. It names what
    /// the operator can do.
    package static let plainPassword =
        "passwords are taken over https only; on a private network the operator may take them without: "
        + "server.plain_passwords = \"private\""
}

/// Result of a sign-in.
package enum SignInResult: Hashable, Sendable {
    case signedIn(Identity)
    case refused(SignInRefusal)
}
