package import Accounts
package import Transport

/// Caller found by the token alone: for gateways where no uid stands in the request.
extension APIContext {
    /// Proves the caller of a request and takes from their rate.
    ///
    /// The token is the manager's or that of one device of a person. It stands in the header field `token`, or in
    /// `Authorization: Bearer` (RFC 6750 section 2.1) for clients that know no other place.
    ///
    /// - Parameters:
    ///   - token: one that was shown otherwise, for those who cannot send header fields.
    ///   - then: called once: on any thread, or on the caller's before this returns. It must be short.
    package func prove(
        _ request: HTTPRequest, token: String? = nil,
        then: @escaping @Sendable (Result<APICaller, APIFailure>) -> Void
    ) {
        guard let token = token ?? Self.token(of: request) else {
            return then(.failure(APIFailure(401, "the header field token is missing")))
        }
        let mayShow = self.mayShowToken(request)
        if mayShow, self.services.managerToken.isRight(token) { return then(.success(.manager)) }
        if let failure = self.takeFromAddress(request) { return then(.failure(failure)) }
        guard mayShow else {
            return then(.failure(APIFailure(403, "tokens are taken over https only from there")))
        }
        guard let find = self.services.findSession else {
            return then(.failure(APIFailure(501, "sessions by token alone are not served here")))
        }
        find(TokenHolder(token, of: request)) { found in
            then(
                found.identity.flatMap { identity in
                    self.takeFromPerson(identity).map { .failure($0) } ?? .success(.person(identity))
                })
        }
    }

    /// Takes a request from the rate of its address, for who is not the manager. Loopback is exempt.
    ///
    /// - Returns: 429 when there is nothing left.
    package func takeFromAddress(_ request: HTTPRequest) -> APIFailure? {
        guard request.peer.scope != .loopback else { return nil }
        guard !self.rates.takeToken(address: request.peer.throttleKey, at: self.services.clock.now()) else {
            return nil
        }
        return APIFailure(429, "too many requests come from this address", retryAfterSeconds: 1)
    }

    /// Takes a request from a person's rate.
    ///
    /// - Returns: 429 when there is nothing left.
    package func takeFromPerson(_ identity: Identity) -> APIFailure? {
        guard !self.rates.takeToken(person: identity.name, at: self.services.clock.now()) else { return nil }
        return APIFailure(429, "\(identity.name) asks too fast", retryAfterSeconds: 1)
    }

    /// True when a token may cross the connection as it is.
    func mayShowToken(_ request: HTTPRequest) -> Bool {
        switch request.peer.scope {
        case _ where request.isEncrypted: true
        case .loopback: true
        case .privateNetwork: self.services.settings.takesPlainTokens
        case .publicNetwork: false
        }
    }

    /// The token a request shows.
    package static func token(of request: HTTPRequest) -> String? { self.token(in: request.headers) }

    static func token(in headers: HTTPHeaders) -> String? {
        if let token = headers["token"], !token.isEmpty { return token }
        guard let field = headers["authorization"] else { return nil }
        let words = field.split(separator: " ")
        guard words.count == 2, ASCII.lowercased(words[0]) == "bearer" else { return nil }
        return String(words[1])
    }
}

extension APIRequest {
    /// True when a password may cross the connection as it is.
    package func mayShowPassword(to services: APIServices) -> Bool {
        services.accounts.authenticator.takesPassword(isEncrypted: self.isEncrypted, origin: self.peer.signInOrigin)
    }
}

extension TokenHolder {
    /// Token as shown with a request.
    package init(_ token: String, of request: HTTPRequest) {
        self.init(
            token: token, address: request.peer.text, throttleKey: request.peer.throttleKey,
            isEncrypted: request.isEncrypted, origin: request.peer.signInOrigin)
    }
}

extension PersonByToken {
    /// The person, or what a request is answered.
    package var identity: Result<Identity, APIFailure> {
        switch self {
        case .found(let identity): .success(identity)
        case .refused(.wrongCredentials): .failure(APIFailure(401, "the token is wrong: sign in again"))
        case .refused(let refusal): .failure(APIFailure(refusal: refusal))
        case .sharedToken:
            .failure(APIFailure(401, "several people were given this token: each needs one of their own"))
        }
    }
}
