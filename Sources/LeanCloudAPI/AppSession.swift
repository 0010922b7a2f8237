import APIKit
import Accounts
import ByteCodec
import ChatModel
import Execution
import LeanCloudTranslation
import Store

/// One request of a client that may have a person behind it.
struct AppCall: StoreCall {
    let request: APIRequest
    let services: APIServices
    let reply: APIReply

    init(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply) {
        self.request = request
        self.services = services
        self.reply = reply
    }

    var isMaster: Bool { self.request.caller == .manager }
    var store: Store { self.services.store }
    var asker: ReadAsker { self.request.asker }

    func failure(_ error: StoreError) -> APIFailure { APIFailure(error) }

    // MARK: Who is behind it

    /// The session token of the person, where SDKs put it: the header field, its older name, and the place in which
    /// `/users/me` was asked for before there was one.
    var sessionToken: String? {
        let headers = self.request.headers
        let shown =
            headers["x-lc-session"] ?? headers["x-avoscloud-session-token"] ?? self.request.query["session_token"]
        return shown.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Goes on with the person whose session it is; nobody else is let through.
    func asPerson(_ token: String? = nil, then: @escaping @Sendable (Identity) -> Void) {
        guard let token = token ?? self.sessionToken else {
            return self.refuse(APIFailure(401, "a session token is needed: X-LC-Session", code: 206))
        }
        let holder = TokenHolder(
            token: token, address: self.request.peer.text, throttleKey: self.request.peer.throttleKey,
            isEncrypted: self.request.isEncrypted, origin: self.request.peer.signInOrigin,
            gateway: .leanCloudAPI)
        self.services.accounts.authenticator.findPerson(holder) { found in
            switch found {
            case .found(let identity): then(identity)
            case .sharedToken: self.refuse(.noSession)
            case .refused(let refusal): self.refuse(.session(refusal))
            }
        }
    }

    /// Goes on as who asks: the app's own server, a person, or nobody in particular, for whom there is only the app's
    /// key. A session that is shown has to be good.
    func asAnybody(then: @escaping @Sendable (Actor) -> Void) {
        if self.isMaster { return then(.application) }
        if self.sessionToken != nil { return self.asPerson { then(Actor($0.user)) } }
        let app = self.services.accounts.app
        if let text = self.request.headers["x-lc-im-session-token"], !text.isEmpty {
            guard case .valid(let claims) = app.readSessionToken(text, for: nil) else {
                return self.refuse(.noSession)
            }
            return then(Actor(claims.user))
        }
        then(Actor(.system))
    }

    // MARK: Answers

    func refuse(_ failure: APIFailure) { self.reply(.failure(failure)) }
}

extension APIFailure {
    static let noSession = APIFailure(401, "Could not find user.", code: 211)

    /// Why a session token is not taken.
    static func session(_ refusal: SignInRefusal) -> APIFailure {
        switch refusal {
        case .wrongCredentials, .expired: .noSession
        case .disabled: APIFailure(403, "the account is disabled")
        case .throttled(let seconds): .tooManyFailures(seconds)
        case .plainNotAllowed: APIFailure(403, "session tokens are taken over https only from there")
        case .busy, .unavailable: APIFailure(503, "the server is busy: try again", retryAfterSeconds: 1)
        }
    }

    static func tooManyFailures(_ seconds: Int64) -> APIFailure {
        var failure = APIFailure(429, "too many failures: try again later", code: 219)
        failure.retryAfterSeconds = seconds
        return failure
    }

    /// Failure for a refusal by the accounts. Source: LeanCloud error codes, 218 for a password that cannot be taken.
    static func accounts(_ error: AccountsError) -> APIFailure {
        switch error {
        case .store(let error): APIFailure(error)
        case .noSuchUser: APIFailure(400, "Could not find user.", code: 211)
        case .password(let problem): APIFailure(400, problem.description, code: 218)
        case .busy: APIFailure(503, error.description, retryAfterSeconds: 1)
        case .userExists, .badToken, .setup, .systemUser, .invitation: .bad(error.description)
        }
    }
}
