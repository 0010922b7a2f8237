import ChatModel

extension SignInJournal {
    /// Notes the end of a sign-in with a name.
    ///
    /// - Parameters:
    ///   - identity: person who signed in; `nil` with a refusal.
    ///   - refusal: why not; `nil` for a sign-in.
    func note(_ request: SignInRequest, _ identity: Identity?, _ refusal: SignInRefusal?, reason: String? = nil) {
        var entry = self.entry()
        entry.user = identity?.name.text ?? request.user.text
        entry.address = Self.bounded(request.address)
        entry.device = (identity?.deviceClass ?? request.requestedClass)?.name
        entry.gateway = request.gateway.rawValue
        entry.credentials = request.credentials.word
        entry.result = refusal?.word ?? Self.signedIn
        entry.reason = reason
        self.note(entry, throttleKey: request.throttleKey)
    }

    /// Notes the end of a look for the person of a token.
    func note(_ holder: TokenHolder, _ identity: Identity?, _ refusal: SignInRefusal?, reason: String? = nil) {
        var entry = self.entry()
        entry.user = identity?.name.text
        entry.address = Self.bounded(holder.address)
        entry.device = identity?.deviceClass.name
        entry.gateway = holder.gateway.rawValue
        entry.credentials = "token"
        entry.result = refusal?.word ?? Self.signedIn
        entry.reason = reason
        self.note(entry, throttleKey: holder.throttleKey)
    }

    /// Bytes of an address that are kept.
    private static let addressBytes = 64

    private static func bounded(_ address: String) -> String {
        guard address.utf8.count > Self.addressBytes else { return address }
        return String(decoding: address.utf8.prefix(Self.addressBytes), as: UTF8.self)
    }
}

extension Credentials {
    /// Word of the kind in the journal.
    fileprivate var word: String {
        switch self {
        case .token: "token"
        case .password: "password"
        case .signature: "signature"
        case .sessionToken: "session_token"
        case .none: "none"
        }
    }
}

extension SignInRefusal {
    /// Word in the journal; that of the metrics.
    package var word: String {
        switch self {
        case .wrongCredentials: "wrong_credentials"
        case .expired: "expired"
        case .disabled: "disabled"
        case .throttled: "throttled"
        case .plainNotAllowed: "plain_not_allowed"
        case .busy: "busy"
        case .unavailable: "unavailable"
        }
    }
}
