package import Accounts
import ByteCodec
import ChatModel
import Diagnostics
import Execution
package import Transport

/// Context that the API gateways of all reactors share.
package final class APIContext: Sendable {
    /// Services that handlers work with.
    package let services: APIServices
    /// How fast people and addresses may ask, at every gateway of this server together.
    package let rates: APIRates
    let groups: [RouteGroup]
    /// Requests of one address in the trial mode; `nil` while it is off.
    let trialRate: AddressRate?

    package init(services: APIServices, groups: [RouteGroup]) {
        self.services = services
        self.groups = groups
        self.rates = APIRates(perPerson: services.settings.perPerson, perAddress: services.settings.perAddress)
        self.trialRate = services.settings.trial.map {
            AddressRate(perSecond: $0.perAddress.perSecond, burst: $0.perAddress.burst)
        }
    }

    /// The first area that knows the path; by it, how failures are worded there.
    func find(_ method: String, _ path: String) -> (Router.Finding, RouteGroup)? {
        for group in self.groups {
            let finding = group.router.find(method, path)
            if case .notMine = finding { continue }
            return (finding, group)
        }
        return nil
    }
}

/// One API among several on the same port.
package struct RouteGroup: Sendable {
    let router: Router
    /// `nil` for the usual one.
    let callerCheck: CallerCheck?
    let wordFailure: @Sendable (APIFailure, _ language: String?) -> APIAnswer

    /// - Parameters:
    ///   - reception: how requests come in; `nil` for our own way, with the header field `token`.
    ///   - wordFailure: the shape of its errors.
    package init(
        _ router: Router, callerCheck: CallerCheck? = nil,
        wordFailure: @escaping @Sendable (APIFailure) -> APIAnswer = { APIAnswer.failure($0) }
    ) {
        self.router = router
        self.callerCheck = callerCheck
        self.wordFailure = { failure, _ in wordFailure(failure) }
    }

    /// - Parameter wordForPeople: the shape of its errors, in the language of the header field `Accept-Language`.
    package init(
        _ router: Router, wordForPeople: @escaping @Sendable (APIFailure, _ language: String?) -> APIAnswer
    ) {
        self.router = router
        self.callerCheck = nil
        self.wordFailure = wordForPeople
    }

    func answer(_ failure: APIFailure, to request: HTTPRequest) -> APIAnswer {
        self.wordFailure(failure, request.headers["accept-language"])
    }
}

/// The gateway of the HTTP API on one reactor: finds the route, proves the caller, decodes the body, runs the handler,
/// and answers when it has answered. Confined to its reactor.
package final class RouteGateway: Gateway {
    private let context: APIContext
    private unowned let reactor: Reactor
    private var waiting: [UInt64: Waiting] = [:]
    private var lastTicket: UInt64 = 0

    private struct Waiting {
        var responder: HTTPResponder
        var group: RouteGroup
        /// The header field `Accept-Language`, for an error's words.
        var language: String?

        init(_ responder: HTTPResponder, _ group: RouteGroup, _ request: HTTPRequest) {
            self.responder = responder
            self.group = group
            self.language = request.headers["accept-language"]
        }
    }

    package init(context: APIContext, reactor: Reactor) {
        self.context = context
        self.reactor = reactor
    }

    package func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer { .notMine }

    package func takesAnyOrigin(_ request: HTTPRequest) -> Bool {
        self.context.find(request.method, request.path)?.1.callerCheck != nil
    }

    /// Only who may do everything may make the server read a long body.
    package func plan(for request: HTTPRequest, on connection: Connection) -> BodyPlan? {
        guard let (finding, group) = self.context.find(request.method, request.path) else { return nil }
        switch finding {
        case .notMine: return nil
        case .refused: return .buffered(maximumBytes: Route.usualBytes)
        case .route(let route, _):
            let isManager =
                group.callerCheck.map { self.isManager(request, at: $0) } ?? self.isManager(request)
            return .buffered(maximumBytes: self.maximumBytes(of: route, isManager: isManager))
        }
    }

    private func isManager(_ request: HTTPRequest, at callerCheck: CallerCheck) -> Bool {
        let caller = try? callerCheck.prove(request, .manager, self.context.mayShowToken(request))
        return caller == .manager
    }

    /// A whole message in base64 has room in any body.
    private func maximumBytes(of route: Route, isManager: Bool) -> Int {
        let message = self.context.services.settings.messageBytes * 3 / 2 + 8192
        if isManager { return max(route.maximumBytes, Route.managerBytes, message) }
        guard route.access == .manager else { return max(route.maximumBytes, message) }
        return min(route.maximumBytes, Route.usualBytes)
    }

    package func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard let (finding, group) = self.context.find(request.method, request.path) else { return false }
        if case .notMine = finding { return false }
        guard let callerCheck = group.callerCheck else {
            self.answerRequest(request, finding, group, responder)
            return true
        }
        if request.method == "OPTIONS" {
            Self.send(callerCheck.preflight, group, responder)
            return true
        }
        do throws(APIFailure) {
            let meant = try callerCheck.unfold(request)
            self.answerRequest(meant, group.router.find(meant.method, meant.path), group, responder)
        } catch {
            Self.send(group.answer(error, to: request), group, responder)
        }
        return true
    }

    private func answerRequest(
        _ request: HTTPRequest, _ finding: Router.Finding, _ group: RouteGroup, _ responder: HTTPResponder
    ) {
        do throws(APIFailure) {
            switch finding {
            // The path is of this area, whatever the method.
            case .notMine: throw APIFailure(404, "\(request.path) is no path of this server")
            case .refused(let failure): throw failure
            case .route(let route, let parameters): try self.beginRequest(request, route, parameters, group, responder)
            }
        } catch {
            Self.send(group.answer(error, to: request), group, responder)
        }
    }

    // MARK: One request

    private func beginRequest(
        _ request: HTTPRequest, _ route: Route, _ parameters: [String: String], _ group: RouteGroup,
        _ responder: HTTPResponder
    ) throws(APIFailure) {
        guard self.waiting.count < self.context.services.settings.waitingRequests else {
            throw APIFailure(503, "too many requests wait for their answer", retryAfterSeconds: 1)
        }
        if let callerCheck = group.callerCheck {
            return try self.beginRequest(request, route, parameters, group, callerCheck, responder)
        }
        let isManager = self.isManager(request)
        if !isManager, let failure = self.context.takeFromAddress(request) { throw failure }
        if let use = route.trial, try self.context.isTrial(request) {
            return try self.beginTrial(request, route, parameters, use, group, responder)
        }
        let proof = try self.proof(of: request, route, isManager: isManager)
        var asked = try Self.decode(request, route, parameters)
        let question = try self.question(proof, asked, request)
        self.lastTicket += 1
        self.waiting[self.lastTicket] = Waiting(responder, group, request)
        let reply = self.reply(to: self.lastTicket)
        switch question {
        case .none:
            if isManager { asked.caller = .manager }
            self.run(route, asked, reply)
        case .person(let signIn): self.authenticate(signIn, route, asked, reply)
        case .session(let session): self.find(session, route, asked, reply)
        }
    }

    /// A request of the trial mode, which shows no token.
    private func beginTrial(
        _ request: HTTPRequest, _ route: Route, _ parameters: [String: String], _ use: TrialUse, _ group: RouteGroup,
        _ responder: HTTPResponder
    ) throws(APIFailure) {
        let asked = try Self.decode(request, route, parameters)
        switch use {
        case .handler(let handler):
            self.lastTicket += 1
            self.waiting[self.lastTicket] = Waiting(responder, group, request)
            let reply = self.reply(to: self.lastTicket)
            do throws(APIFailure) {
                try handler(asked, self.context.services, reply)
            } catch {
                reply(.failure(error))
            }
        case .person:
            guard case .person(let place) = route.access, let name = UserName(try Self.uid(at: place, asked)) else {
                throw .bad("the uid is missing")
            }
            self.lastTicket += 1
            self.waiting[self.lastTicket] = Waiting(responder, group, request)
            let go = self.continuation(route, asked, self.reply(to: self.lastTicket))
            self.context.findTrialPerson(name, for: asked.asker, then: go)
        }
    }

    /// A request in an area whose callers are proved at once.
    private func beginRequest(
        _ request: HTTPRequest, _ route: Route, _ parameters: [String: String], _ group: RouteGroup,
        _ callerCheck: CallerCheck, _ responder: HTTPResponder
    ) throws(APIFailure) {
        let caller: Result<APICaller, APIFailure>
        do throws(APIFailure) {
            caller = .success(try callerCheck.prove(request, route.access, self.context.mayShowToken(request)))
        } catch {
            caller = .failure(error)
        }
        // Who guesses keys is held to the rate as well.
        if caller != .success(.manager), let failure = self.context.takeFromAddress(request) { throw failure }
        let proved = try caller.get()
        var asked = try Self.decode(request, route, parameters)
        asked.caller = proved
        self.lastTicket += 1
        self.waiting[self.lastTicket] = Waiting(responder, group, request)
        self.run(route, asked, self.reply(to: self.lastTicket))
    }

    /// Proof of the caller that a route needs.
    private enum Proof {
        case none
        case person(RouteAccess.UIDPlace, token: String)
        case session(token: String)
    }

    private enum Question {
        case none
        case person(SignInRequest)
        case session(TokenHolder)
    }

    private func isManager(_ request: HTTPRequest) -> Bool {
        guard let token = APIContext.token(of: request), self.context.mayShowToken(request) else { return false }
        return self.context.services.managerToken.isRight(token)
    }

    private func proof(of request: HTTPRequest, _ route: Route, isManager: Bool) throws(APIFailure) -> Proof {
        if route.access == .anyone { return .none }
        let connectionToken = route.takesConnectionTokens ? request.headers["x-lc-im-session-token"] : nil
        guard let token = APIContext.token(of: request) ?? connectionToken else {
            throw APIFailure(401, "the header field token is missing")
        }
        guard self.context.mayShowToken(request) else {
            throw APIFailure(403, "tokens are taken over https only from there")
        }
        switch route.access {
        case .anyone: return .none
        case .manager:
            try self.demandManager(token, request)
            return .none
        case .person(let place): return isManager ? .none : .person(place, token: token)
        case .caller: return isManager ? .none : .session(token: token)
        case .session:
            guard !isManager else { throw APIFailure(403, "the manager's token stands for no person") }
            return .session(token: token)
        }
    }

    private func demandManager(_ token: String, _ request: HTTPRequest) throws(APIFailure) {
        let asker = ManagerToken.Asker(
            address: request.peer.text, throttleKey: request.peer.throttleKey,
            isLoopback: request.peer.scope == .loopback)
        switch self.context.services.managerToken.judge(token, from: asker) {
        case .right: return
        case .wrong: throw APIFailure(401, "the token is not the manager's")
        case .throttled(let seconds):
            throw APIFailure(429, "too many wrong tokens came from there", retryAfterSeconds: seconds)
        }
    }

    private static func decode(
        _ request: HTTPRequest, _ route: Route, _ parameters: [String: String]
    ) throws(APIFailure) -> APIRequest {
        guard let query = HTTPQuery(request.query) else {
            throw .bad("the query cannot be decoded, or has more than \(HTTPQuery.maximumMembers) members")
        }
        var body = JSONValue.null
        if route.bodyKind == .json, !request.body.isEmpty {
            do throws(JSONError) {
                body = try JSONValue(parsing: request.body)
            } catch {
                throw .bad("the body is no JSON: \(error)")
            }
        }
        return APIRequest(
            method: request.method, path: request.path, parameters: parameters, query: query, body: body,
            hasBody: !request.body.isEmpty, bytes: route.bodyKind == .bytes ? request.body : [], caller: .anyone,
            peer: request.peer,
            isEncrypted: request.isEncrypted, authority: request.head.authority,
            contentType: request.headers["content-type"], signature: request.headers["x-teahouse-signature"],
            headers: request.headers)
    }

    private func question(
        _ proof: Proof, _ asked: APIRequest, _ request: HTTPRequest
    ) throws(APIFailure) -> Question {
        switch proof {
        case .none: return .none
        case .person(let place, let token):
            let uid = try Self.uid(at: place, asked)
            guard let name = UserName(uid) else { throw .bad("\(place.name) is no uid") }
            return .person(
                SignInRequest(
                    user: name, credentials: .token(token), requestedClass: nil, address: request.peer.text,
                    throttleKey: request.peer.throttleKey, isEncrypted: request.isEncrypted,
                    origin: request.peer.signInOrigin, gateway: .wuKongAPI))
        case .session(let token):
            return .session(TokenHolder(token, of: request))
        }
    }

    private static func uid(at place: RouteAccess.UIDPlace, _ asked: APIRequest) throws(APIFailure) -> String {
        switch place {
        case .body(let name): try asked.fields().text(name)
        case .query(let name): try asked.queryText(name)
        case .path(let name): try asked.parameter(name)
        }
    }

    // MARK: Proving a person

    private func authenticate(
        _ signIn: SignInRequest, _ route: Route, _ asked: APIRequest, _ reply: @escaping APIReply
    ) {
        let go = self.continuation(route, asked, reply)
        let services = self.context.services
        services.accounts.authenticator.authenticate(signIn) { result in
            guard case .refused(.wrongCredentials) = result, let find = services.findSession,
                case .token(let token) = signIn.credentials
            else { return go(result.map { APIFailure(refusal: $0) }) }
            // A good token of somebody else is told so: who asks has the right to their own things only.
            let session = TokenHolder(
                token: token, address: signIn.address, throttleKey: signIn.throttleKey,
                isEncrypted: signIn.isEncrypted, origin: signIn.origin)
            find(session) { other in
                if case .found = other {
                    go(.failure(APIFailure(403, "this token is not \(signIn.user)'s: people act for themselves only")))
                } else {
                    go(result.map { APIFailure(refusal: $0) })
                }
            }
        }
    }

    private func find(
        _ session: TokenHolder, _ route: Route, _ asked: APIRequest, _ reply: @escaping APIReply
    ) {
        let go = self.continuation(route, asked, reply)
        if route.takesConnectionTokens,
            case .valid(let claims) = self.context.services.accounts.app.readSessionToken(session.token, for: nil)
        {
            let signIn = SignInRequest(
                user: claims.name, credentials: .sessionToken(session.token), requestedClass: nil,
                address: session.address, throttleKey: session.throttleKey, isEncrypted: session.isEncrypted,
                origin: session.origin)
            return self.context.services.accounts.authenticator.authenticate(signIn) { result in
                go(result.map { APIFailure(refusal: $0) })
            }
        }
        guard let find = self.context.services.findSession else {
            return reply(.failure(501, "sessions by token alone are not served here"))
        }
        find(session) { go($0.identity) }
    }

    /// Goes on, on any thread, when it is known who asks.
    private func continuation(
        _ route: Route, _ asked: APIRequest, _ reply: @escaping APIReply
    ) -> @Sendable (Result<Identity, APIFailure>) -> Void {
        let context = self.context
        return { result in
            switch result {
            case .failure(let failure): reply(.failure(failure))
            case .success(let identity):
                if let failure = context.takeFromPerson(identity) { return reply(.failure(failure)) }
                var asked = asked
                asked.caller = .person(identity)
                Self.run(route, asked, context.services, reply)
            }
        }
    }

    private func run(_ route: Route, _ asked: APIRequest, _ reply: @escaping APIReply) {
        Self.run(route, asked, self.context.services, reply)
    }

    private static func run(_ route: Route, _ asked: APIRequest, _ services: APIServices, _ reply: @escaping APIReply) {
        do throws(APIFailure) {
            try route.handler(asked, services, reply)
        } catch {
            reply(.failure(error))
        }
    }

    // MARK: Answers

    /// Reply that a handler gets: it posts the answer back to this thread.
    private func reply(to ticket: UInt64) -> APIReply {
        guard let connection = self.waiting[ticket]?.responder.connectionID else { return { _ in } }
        let jobs = self.reactor.jobs
        let one = OneReply { answer in
            jobs.post(for: connection) { reactor in reactor.gateway(RouteGateway.self)?.answerTicket(ticket, answer) }
        }
        return { answer in one.give(answer) }
    }

    private func answerTicket(_ ticket: UInt64, _ answer: APIAnswer) {
        guard let waiting = self.waiting.removeValue(forKey: ticket) else { return }
        let (responder, group) = (waiting.responder, waiting.group)
        // Only who was somebody keeps the connection for longer between requests.
        if answer.status < 400 { responder.connection?.authenticated() }
        let worded = answer.failure.map { group.wordFailure($0, waiting.language) }
        Self.send(worded ?? answer, group, responder)
    }

    private static func send(_ answer: APIAnswer, _ group: RouteGroup, _ responder: HTTPResponder) {
        let type = answer.contentType.isEmpty ? [] : [("Content-Type", answer.contentType)]
        responder.respond(
            status: answer.status,
            headers: type + [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")] + answer.headers
                + (group.callerCheck?.headers ?? []), body: answer.body)
    }
}

extension RouteAccess.UIDPlace {
    fileprivate var name: String {
        switch self {
        case .body(let name), .query(let name), .path(let name): name
        }
    }
}

extension PeerAddress {
    /// For the authenticator.
    package var signInOrigin: SignInOrigin {
        switch self.scope {
        case .loopback: .loopback
        case .privateNetwork: .privateNetwork
        case .publicNetwork: .publicNetwork
        }
    }
}

extension SignInResult {
    fileprivate func map(_ failure: (SignInRefusal) -> APIFailure) -> Result<Identity, APIFailure> {
        switch self {
        case .signedIn(let identity): .success(identity)
        case .refused(let refusal): .failure(failure(refusal))
        }
    }
}

extension APIFailure {
    /// Why somebody is not who they say.
    init(refusal: SignInRefusal) {
        switch refusal {
        case .wrongCredentials: self.init(401, "the uid or the token is wrong")
        case .expired: self.init(401, "the session is over: sign in again")
        case .disabled: self.init(403, "the account is disabled")
        case .throttled(let seconds):
            self.init(429, "too many wrong tokens came for this uid from there", retryAfterSeconds: seconds)
        case .plainNotAllowed: self.init(403, "tokens are taken over https only from there")
        case .busy: self.init(503, "the server is busy: ask again in a second", retryAfterSeconds: 1)
        case .unavailable: self.init(503, "the account cannot be checked now: ask again", retryAfterSeconds: 1)
        }
    }
}
