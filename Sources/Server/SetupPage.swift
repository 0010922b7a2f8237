import Accounts
import ByteCodec
import ChatModel
import Transport

/// Makes the first administrator over the network, for whoever has the setup token of the data folder:
/// `POST /api/v1/setup` with `{"token":"...","name":"...","password":"..."}`. Confined to its reactor.
///
/// Passwords are taken inside TLS or from this machine only. Once there is an administrator the route does not exist.
final class SetupPage: Gateway {
    private static let path = "/api/v1/setup"
    private static let maximumBytes = 4096

    private let accounts: Accounts
    private unowned let reactor: Reactor
    private var waiting: [UInt64: HTTPResponder] = [:]
    private var lastTicket: UInt64 = 0

    init(accounts: Accounts, reactor: Reactor) {
        self.accounts = accounts
        self.reactor = reactor
    }

    func open(_ opening: Opening, on connection: Connection) -> OpeningAnswer { .notMine }

    func plan(for request: HTTPRequest, on connection: Connection) -> BodyPlan? {
        guard request.path == Self.path else { return nil }
        return .buffered(maximumBytes: Self.maximumBytes)
    }

    func respond(to request: HTTPRequest, with responder: HTTPResponder) -> Bool {
        guard request.path == Self.path, request.method == "POST" else { return false }
        guard !request.isFromForeignOrigin else {
            responder.respond(status: 403, error: "setup is not taken from pages of other origins")
            return true
        }
        guard request.isEncrypted || request.peer.scope == .loopback else {
            responder.respond(status: 403, error: "passwords are taken over https or on the server itself only")
            return true
        }
        guard let body = try? JSONValue(parsing: request.body), let token = body["token"]?.string,
            let name = body["name"]?.string.flatMap({ UserName($0) }), let password = body["password"]?.string
        else {
            responder.respond(status: 400, error: "expected {\"token\":\"...\",\"name\":\"...\",\"password\":\"...\"}")
            return true
        }
        self.lastTicket += 1
        let ticket = self.lastTicket
        self.waiting[ticket] = responder
        let jobs = self.reactor.jobs
        self.accounts.firstAdministrator(
            setupToken: token, name: name, password: password, address: request.peer.text
        ) { result in
            jobs.post { reactor in reactor.gateway(SetupPage.self)?.answerTicket(ticket, result) }
        }
        return true
    }

    private func answerTicket(_ ticket: UInt64, _ result: Result<UserID, AccountsError>) {
        guard let responder = self.waiting.removeValue(forKey: ticket) else { return }
        switch result {
        case .success: responder.respond(status: 201, headers: [("Cache-Control", "no-store")])
        case .failure(let error): responder.respond(status: Self.status(error), error: error.description)
        }
    }

    private static func status(_ error: AccountsError) -> Int {
        switch error {
        case .setup(.done): 404
        case .setup, .invitation: 403
        case .userExists: 409
        case .busy, .store: 503
        case .password, .noSuchUser, .badToken, .systemUser: 400
        }
    }
}
