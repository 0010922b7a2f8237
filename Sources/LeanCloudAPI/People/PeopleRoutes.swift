import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import Execution
import LeanCloudQuery
import LeanCloudTranslation
import Store

/// People: signing up and in, their rows, their passwords and sessions.
///
/// A person's name here is their object id, so the client id of an SDK that signs in with a `_User` is who the server
/// knows. Session tokens are device tokens of the server: only their hashes are kept, so each sign-in gets a new one,
/// and what takes rights from an account ends them. Source: LeanCloud REST guide, "Users".
struct PeopleRoutes: Sendable {
    /// Says whether anybody may sign up.
    let app: AppAuthenticator
    /// Ten accounts from one address, and then one each six minutes.
    private let registrations = AddressRate(perSecond: 1.0 / 360, burst: 10)

    init(app: AppAuthenticator) { self.app = app }

    var routes: [Route] {
        var routes = [
            Route("POST", "/1.1/login", .caller, self.signIn),
            Route("GET", "/1.1/users/me", .caller, Self.own),
        ]
        for path in ["/1.1/users", "/1.1/classes/_User"] {
            routes += [
                Route("POST", path, .caller, self.signUp), Route("GET", path, .caller, UserSearch.find),
                Route("GET", "\(path)/{id}", .caller, Self.show), Route("PUT", "\(path)/{id}", .caller, Self.change),
                Route("DELETE", "\(path)/{id}", .caller, Self.delete),
            ]
        }
        return routes + [
            Route("PUT", "/1.1/users/{id}/updatePassword", .caller, Self.changePassword),
            Route("PUT", "/1.1/users/{id}/refreshSessionToken", .caller, Self.refreshToken),
        ]
    }

    // MARK: Up

    @Sendable private func signUp(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        if !call.isMaster {
            guard self.app.policy.registrationIsOpen else {
                throw APIFailure(403, "nobody can sign up here: ask the operator for an account", code: 1)
            }
            try Self.checkSecrecy(request, services)
            let isCounted = request.peer.scope != .loopback
            guard !isCounted || self.registrations.takeToken(request.peer.throttleKey, at: services.clock.now()) else {
                throw APIFailure(429, "too many accounts were made from there: try later", retryAfterSeconds: 360)
            }
        }
        let entry = try UserEntry(request)
        guard let username = entry.patch.username, !username.isEmpty else {
            throw APIFailure(400, "Username is missing or empty", code: 200)
        }
        guard let password = entry.password, !password.isEmpty else {
            throw APIFailure(400, "Password is missing or empty", code: 201)
        }
        let fields = try entry.fields(of: .object([])).row
        var patch = entry.patch
        patch.fields = fields.serialized()
        guard let name = UserName(ObjectID(atMilliseconds: services.clock.wallMilliseconds()).text) else {
            throw APIFailure(500, "no name could be made")
        }
        let profile = ShownProfile.patch(from: .object([]), to: fields, now: nil)
        services.accounts.signUp(name, patch, password: password, profile: profile) { result in
            switch result {
            case .failure(let error): call.refuse(.accounts(error))
            case .success(.taken(let login)): call.refuse(.taken(login))
            case .success(.added): Self.issue(name, call, status: 201)
            }
        }
    }

    /// Passwords cross no network that others can read.
    private static func checkSecrecy(_ request: APIRequest, _ services: APIServices) throws(APIFailure) {
        guard request.mayShowPassword(to: services) else {
            throw APIFailure(403, SignInRefusal.plainPassword, code: 1)
        }
    }

    // MARK: In

    @Sendable private func signIn(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let fields = try request.fields()
        let login: AppLogin
        if let text = try fields.optionalText("username"), !text.isEmpty {
            login = .username(text)
        } else if let text = try fields.optionalText("email"), !text.isEmpty {
            login = .email(text)
        } else if let text = try fields.optionalText("mobilePhoneNumber"), !text.isEmpty {
            login = .phone(text)
        } else {
            throw APIFailure(400, "Username is missing or empty", code: 200)
        }
        guard let password = try fields.optionalText("password"), !password.isEmpty else {
            throw APIFailure(400, "Password is missing or empty", code: 201)
        }
        services.store.read(as: .signIn) { store throws(StoreError) in
            try store.apps.appUser(by: login)?.name
        } then: { result in
            switch result {
            case .failure(let error): call.refuse(APIFailure(error))
            case .success(let name): self.signIn(name, login, password, call)
            }
        }
    }

    private func signIn(_ name: UserName?, _ login: AppLogin, _ password: String, _ call: AppCall) {
        // Nobody is asked about too: it takes as long as a wrong password, and counts as one.
        guard let asked = name ?? Self.nobody(login) else { return call.refuse(.wrongPassword) }
        Self.prove(asked, password, call) { refusal in
            switch refusal {
            case nil where name != nil: Self.issue(asked, call, status: 200)
            case nil: call.refuse(.wrongPassword)
            // Where anybody may sign up everybody can find out who is here, and apps offer to.
            case .wrongCredentials? where name == nil && self.app.policy.registrationIsOpen:
                call.refuse(APIFailure(400, "Could not find user.", code: 211))
            case let refusal?: call.refuse(.password(refusal))
            }
        }
    }

    /// A name that nobody can have, and that is the same each time.
    private static func nobody(_ login: AppLogin) -> UserName? {
        switch login {
        case .username(let text), .email(let text), .phone(let text):
            UserName(text) ?? UserName(String(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(60)))
        }
    }

    private static func prove(
        _ name: UserName, _ password: String, _ call: AppCall, then: @escaping @Sendable (SignInRefusal?) -> Void
    ) {
        let request = call.request
        let asked = SignInRequest(
            user: name, credentials: .password(password), requestedClass: .app, address: request.peer.text,
            throttleKey: request.peer.throttleKey, isEncrypted: request.isEncrypted,
            origin: request.peer.signInOrigin, gateway: .leanCloudAPI)
        call.services.accounts.authenticator.authenticate(asked) { result in
            switch result {
            case .signedIn: then(nil)
            case .refused(let refusal): then(refusal)
            }
        }
    }

    /// Answers with the person and a new session token.
    private static func issue(_ name: UserName, _ call: AppCall, status: Int) {
        call.services.accounts.issueToken(for: name, class: .app, lifetimeSeconds: nil) { result in
            switch result {
            case .failure(let error): call.refuse(.accounts(error))
            case .success(let issued):
                call.read { store throws(StoreError) in
                    guard let user = try store.apps.appUser(issued.user) else { throw .refused(.noSuchUser) }
                    return user
                } answer: { user in
                    .json(UserRow.json(user, isPrivate: true, token: issued.token.text), status: status)
                }
            }
        }
    }

    // MARK: Rows

    /// The person whose session it is. The token is told again, as SDKs expect who become somebody with it.
    @Sendable private static func own(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        call.asPerson { identity in
            call.read { store throws(StoreError) in
                guard let user = try store.apps.appUser(identity.user) else { throw .refused(.noSuchUser) }
                return user
            } answer: { user in
                .json(UserRow.json(user, isPrivate: true, token: call.sessionToken))
            }
        }
    }

    @Sendable private static func show(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let name = try Self.name(request)
        Self.asOwnerOrOther(call, name) { isPrivate in
            call.read { store throws(StoreError) in
                try store.apps.appUser(named: name)
            } answer: { user throws(APIFailure) in
                guard let user else { throw .noSuchPerson }
                return .json(UserRow.json(user, isPrivate: isPrivate))
            }
        }
    }

    /// The app's own server and the person see everything, other people what is public.
    private static func asOwnerOrOther(
        _ call: AppCall, _ name: UserName, then: @escaping @Sendable (_ isPrivate: Bool) -> Void
    ) {
        if call.isMaster { return then(true) }
        call.asPerson { then($0.name == name) }
    }

    static func name(_ request: APIRequest) throws(APIFailure) -> UserName {
        guard let name = UserName(try request.parameter("id")) else { throw .noSuchPerson }
        return name
    }

    /// Goes on for the person themselves, and for the app's own server.
    private static func asOwner(
        _ call: AppCall, _ name: UserName, then: @escaping @Sendable (_ isMaster: Bool) -> Void
    ) {
        if call.isMaster { return then(true) }
        call.asPerson { identity in
            guard identity.name == name else {
                return call.refuse(
                    APIFailure(403, "The user cannot be altered by a client without the session.", code: 206))
            }
            then(false)
        }
    }

    @Sendable private static func change(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let name = try Self.name(request)
        let entry = try UserEntry(request)
        if entry.password != nil { try Self.checkSecrecy(request, services) }
        Self.asOwner(call, name) { isMaster in
            call.write { store throws(StoreError) -> Changed in
                try entry.apply(to: name, in: store)
            } then: { changed in
                switch changed {
                case .refused(let failure): call.refuse(failure)
                case .done(let user, let modified):
                    guard let password = entry.password else {
                        return reply(.json(Self.answer(user, modified, nil)))
                    }
                    Self.setPassword(of: name, to: password, call) {
                        guard !isMaster else { return reply(.json(Self.answer(user, modified, nil))) }
                        Self.issueAgain(name, call) { reply(.json(Self.answer(user, modified, $0))) }
                    }
                }
            }
        }
    }

    /// Outcome of a change.
    enum Changed: Sendable {
        case done(AppUser, modified: JSONValue)
        case refused(APIFailure)
    }

    private static func answer(_ user: AppUser, _ modified: JSONValue, _ token: String?) -> JSONValue {
        var members = [
            JSONValue.Member("objectId", .string(user.name.text)),
            JSONValue.Member("updatedAt", .string(LeanCloudDates.text(user.updatedAtMilliseconds))),
        ]
        members += modified.object ?? []
        if let token { members.append(JSONValue.Member("sessionToken", .string(token))) }
        return .object(members)
    }

    @Sendable private static func delete(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let name = try Self.name(request)
        Self.asOwner(call, name) { _ in
            services.accounts.delete(name, by: EventOrigin(.leanCloud)) { result in
                switch result {
                case .failure(let error): call.refuse(.accounts(error))
                case .success(let sessions):
                    services.broker.end(allOf: sessions.user, deviceClass: nil, reason: .signedOut)
                    reply(.nothing)
                }
            }
        }
    }

    // MARK: Passwords and sessions

    @Sendable private static func changePassword(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let name = try Self.name(request)
        let fields = try request.fields()
        guard let old = try fields.optionalText("old_password"), !old.isEmpty,
            let new = try fields.optionalText("new_password"), !new.isEmpty
        else { throw APIFailure(400, "old_password and new_password are needed", code: 201) }
        call.asPerson { identity in
            guard identity.name == name else { return call.refuse(.noSession) }
            Self.prove(name, old, call) { refusal in
                if let refusal { return call.refuse(.password(refusal)) }
                Self.setPassword(of: name, to: new, call) { Self.issue(name, call, status: 200) }
            }
        }
    }

    /// All sessions and tokens of the person end with the old password.
    private static func setPassword(
        of name: UserName, to password: String, _ call: AppCall, then: @escaping @Sendable () -> Void
    ) {
        call.services.accounts.setPassword(of: name, to: password) { result in
            switch result {
            case .failure(let error): call.refuse(.accounts(error))
            case .success(let sessions):
                call.services.broker.end(allOf: sessions.user, deviceClass: nil, reason: .signedOut)
                then()
            }
        }
    }

    /// Ends all tokens of the person, and gives out a new one.
    @Sendable private static func refreshToken(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let name = try Self.name(request)
        Self.asOwner(call, name) { _ in
            services.accounts.revokeTokens(of: name) { result in
                switch result {
                case .failure(let error): call.refuse(.accounts(error))
                case .success(let sessions):
                    services.broker.end(allOf: sessions.user, deviceClass: nil, reason: .signedOut)
                    Self.issue(name, call, status: 200)
                }
            }
        }
    }

    private static func issueAgain(
        _ name: UserName, _ call: AppCall, then: @escaping @Sendable (String) -> Void
    ) {
        call.services.accounts.issueToken(for: name, class: .app, lifetimeSeconds: nil) { result in
            switch result {
            case .failure(let error): call.refuse(.accounts(error))
            case .success(let issued): then(issued.token.text)
            }
        }
    }
}

extension APIFailure {
    /// Source: LeanCloud error codes, 202, 203 and 214.
    static func taken(_ login: AppLogin) -> APIFailure {
        switch login {
        case .username: APIFailure(400, "Username has already been taken", code: 202)
        case .email: APIFailure(400, "Email has already been taken", code: 203)
        case .phone: APIFailure(400, "Mobile phone number has already been taken", code: 214)
        }
    }

    static let wrongPassword = APIFailure(400, "The username and password mismatch.", code: 210)
    static let noSuchPerson = APIFailure(404, "Could not find user.", code: 211)

    /// Why a password is not taken.
    static func password(_ refusal: SignInRefusal) -> APIFailure {
        switch refusal {
        case .wrongCredentials, .expired: .wrongPassword
        case .disabled: APIFailure(403, "the account is disabled", code: 1)
        case .throttled(let seconds): .tooManyFailures(seconds)
        case .plainNotAllowed: APIFailure(403, SignInRefusal.plainPassword, code: 1)
        case .busy, .unavailable: APIFailure(503, "the server is busy: try again", retryAfterSeconds: 1)
        }
    }
}
