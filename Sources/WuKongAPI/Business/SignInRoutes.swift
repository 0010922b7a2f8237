import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import Execution
import Store
import WuKongTranslation

/// Signing up, in and out with a password. The token that comes back is for this API and for the connection alike.
struct SignInRoutes: Sendable {
    let settings: BusinessSettings
    /// Ten accounts from one address, and then one each six minutes.
    private let registrations = AddressRate(perSecond: 1.0 / 360, burst: 10)

    init(settings: BusinessSettings) { self.settings = settings }

    var routes: [Route] {
        [
            Route("POST", "/v1/user/login", .anyone, self.signIn),
            Route("POST", "/v1/user/usernamelogin", .anyone, self.signIn),
            Route("POST", "/v1/user/register", .anyone, self.register),
            Route("POST", "/v1/user/usernameregister", .anyone, self.register),
            Route("POST", "/v1/user/pc/quit", Self.quitComputers),
        ]
    }

    /// Sign-in request: person and device.
    private struct Entry: Sendable {
        var name: UserName
        var password: String
        var deviceClass: DeviceClass

        init(_ fields: APIFields) throws(APIFailure) {
            guard let name = Translation.userName(try fields.text("username")) else {
                throw .bad("username has 1 to 64 characters without @, # and &")
            }
            self.name = name
            self.password = try fields.text("password")
            guard let deviceClass = Translation.deviceClass(Int(clamping: try fields.integer("flag"))) else {
                throw .bad("flag must be 0 (app), 1 (web) or 2 (desktop)")
            }
            self.deviceClass = deviceClass
        }
    }

    // MARK: In

    @Sendable private func signIn(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let entry = try Entry(try request.fields())
        let asked = SignInRequest(
            user: entry.name, credentials: .password(entry.password), requestedClass: entry.deviceClass,
            address: request.peer.text, throttleKey: request.peer.throttleKey, isEncrypted: request.isEncrypted,
            origin: request.peer.signInOrigin, gateway: .wuKongAPI)
        services.accounts.authenticator.authenticate(asked) { result in
            switch result {
            case .signedIn: Self.issue(for: entry, services, reply)
            case .refused(let refusal): reply(.failure(.signIn(refusal)))
            }
        }
    }

    /// Makes a token for a device. The app's is the primary one of its person, as in the open server.
    private static func issue(for entry: Entry, _ services: APIServices, _ reply: @escaping APIReply) {
        let level: DeviceLevel = entry.deviceClass == .app ? .primary : .secondary
        services.accounts.issueToken(for: entry.name, class: entry.deviceClass, level: level, lifetimeSeconds: nil) {
            result in
            switch result {
            case .success(let issued): Self.answerToken(issued, services, reply)
            case .failure(let error): reply(.failure(.business(error)))
            }
        }
    }

    private static func answerToken(_ issued: IssuedToken, _ services: APIServices, _ reply: @escaping APIReply) {
        services.store.read(as: .signIn) { store throws(StoreError) in
            guard let profile = try store.people.profile(of: issued.user) else { throw .refused(.noSuchUser) }
            return (profile: profile, settings: try store.people.settings(of: issued.user))
        } then: { result in
            switch result {
            case .success(let found):
                reply(.json(Self.row(found.profile, found.settings, token: issued.token.text)))
            case .failure(let error): reply(.failure(.business(error)))
            }
        }
    }

    /// Source: TangSengDaoDao server, loginUserDetailResp.
    private static func row(_ profile: Profile, _ settings: [UInt8]?, token: String) -> JSONValue {
        let attributes = JSONValue.stored(profile.attributes)
        return .fields(
            ("uid", .string(profile.name.text)), ("app_id", .string("")),
            ("name", .string(profile.displayName ?? profile.name.text)), ("username", .string(profile.name.text)),
            ("sex", attributes.switchValue("sex")), ("category", .text(attributes["category"]?.string)),
            ("short_no", .text(attributes["short_no"]?.string)), ("zone", .text(attributes["zone"]?.string)),
            ("phone", .text(attributes["phone"]?.string)), ("avatar", .text(profile.avatar)),
            ("token", .string(token)), ("im_token", .string(token)), ("chat_pwd", .string("")),
            ("lock_screen_pwd", .string("")), ("lock_after_minute", .integer(0)),
            ("setting", OwnSettings.row(.stored(settings))), ("rsa_public_key", .string("")),
            ("short_status", .integer(0)), ("msg_expire_second", .integer(0)))
    }

    // MARK: Up

    @Sendable private func register(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        guard self.settings.registrationIsOpen else {
            throw .bad("nobody can register here: ask the operator for an account")
        }
        guard request.mayShowPassword(to: services) else { throw .bad(SignInRefusal.plainPassword) }
        let fields = try request.fields()
        let entry = try Entry(fields)
        let displayName = try fields.optionalText("name").flatMap { $0.isEmpty ? nil : $0 }
        guard (displayName ?? "").unicodeScalars.count <= PeopleLimits.nameScalars else {
            throw .bad("name has at most \(PeopleLimits.nameScalars) characters")
        }
        let isCounted = request.peer.scope != .loopback
        guard !isCounted || self.registrations.takeToken(request.peer.throttleKey, at: services.clock.now()) else {
            throw APIFailure(429, "too many accounts were made from there: try again later", retryAfterSeconds: 360)
        }
        services.accounts.addUser(entry.name, displayName: displayName, password: entry.password) { result in
            switch result {
            case .success: Self.issue(for: entry, services, reply)
            case .failure(let error): reply(.failure(.business(error)))
            }
        }
    }

    // MARK: Out

    /// Ends the person's sessions and tokens on web and desktop.
    @Sendable private static func quitComputers(_ call: BusinessCall) throws(APIFailure) {
        let (services, person, reply) = (call.services, call.person, call.reply)
        Self.quit([.web, .desktop], person, services) { error in
            if let error { return reply(.failure(.business(error))) }
            services.sendTransient(.computersQuit, to: [person.user], from: person.user)
            reply(.ok)
        }
    }

    /// One class after the other.
    private static func quit(
        _ classes: [DeviceClass], _ person: Identity, _ services: APIServices,
        then: @escaping @Sendable (AccountsError?) -> Void
    ) {
        guard let deviceClass = classes.first else { return then(nil) }
        services.accounts.revokeTokens(of: person.name, class: deviceClass) { result in
            switch result {
            case .failure(let error): then(error)
            case .success(let sessions):
                services.broker.end(allOf: sessions.user, deviceClass: deviceClass, reason: .signedOut)
                Self.quit(Array(classes.dropFirst()), person, services, then: then)
            }
        }
    }
}

extension APIFailure {
    /// Failure for a refusal by the accounts, as apps understand it.
    static func business(_ error: AccountsError) -> APIFailure {
        let failure = APIFailure(error)
        return [403, 404, 409].contains(failure.status) ? .bad(failure.message) : failure
    }

    /// Why somebody may not sign in. Not a 401, which apps take for the end of a session they do not have.
    static func signIn(_ refusal: SignInRefusal) -> APIFailure {
        switch refusal {
        case .wrongCredentials, .expired: .bad("the username or the password is wrong")
        case .disabled: .bad("the account is disabled")
        case .throttled(let seconds):
            APIFailure(429, "too many wrong passwords: try again later", retryAfterSeconds: seconds)
        case .plainNotAllowed: .bad(SignInRefusal.plainPassword)
        case .busy, .unavailable: APIFailure(503, "the server is busy: try again", retryAfterSeconds: 1)
        }
    }
}
