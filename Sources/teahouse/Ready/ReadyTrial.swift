import AdminAPI
import CommandLineKit
import Doctor
import HTTPClient
import Transport

/// A trial of a running server as an app would use it, over its own listeners.
///
/// Two people and a file are made by the doors that apps use, and deleted again; their conversation is a temporary one,
/// which ends by itself. With `--dry-run`, and with `--read-only`, nothing is made.
final class ReadyTrial {
    /// Maximum number of names, and of origins, that are tried.
    private static let most = 16

    private let control: Control
    private let app: AdminApp
    private let keys: AdminAppKeys
    private let settings: [String: String]
    private let cancellation = HTTPCancellation()
    private let doors: AppDoors
    private var state: AppState

    /// Asks the server what it is set to and where it listens.
    init(_ control: Control) throws(CommandFailure) {
        self.control = control
        guard case .app(.app(let app)) = try control.ask(.app(.show)),
            case .app(.keys(let keys)) = try control.ask(.app(.keys)),
            case .settings(.list(let settings)) = try control.ask(.settings(.list)),
            case .status(let status) = try control.ask(.status)
        else { throw control.unexpectedAnswer }
        self.app = app
        self.keys = keys
        self.settings = Dictionary(settings.map { ($0.name, $0.value) }) { first, _ in first }
        guard let listener = AppDoors.listener(among: status.addresses) else {
            throw CommandFailure(.refused, control.text("ctl.app.noListener"))
        }
        let servesTLS = self.settings["tls.enabled"] != "off"
        self.doors = AppDoors(
            listener, keys, servesTLS: servesTLS, authority: control.folder + "/tls/ca.pem", self.cancellation)
        self.state = AppState(appID: app.appID, address: listener.description, signIn: app.signIn)
        self.state.servesTLS = servesTLS
        self.state.isIDGiven = self.settings["leancloud.app_id"].map { !$0.isEmpty } ?? false
        self.state.registrationIsOpen = self.settings["leancloud.registration"] == "on"
        self.state.takesPlainPasswords = self.settings["server.plain_passwords"] == "private"
    }

    /// Tries everything, in the order in which an app meets it.
    func run() throws(CommandFailure) -> AppState {
        self.tryRouter()
        self.state.keys = self.outcome { () throws(ReadyFailure) in try self.doors.proveKeys() }
        self.tryNames()
        self.tryOrigins()
        self.tryFunctions()
        let isDry = self.control.invocation.has("dry-run") || self.control.invocation.has("read-only")
        if self.state.keys == .passed, !isDry { self.tryPeople() }
        return self.state
    }

    private func outcome(_ body: () throws(ReadyFailure) -> Void) -> AppState.Trial {
        do throws(ReadyFailure) {
            try body()
            return .passed
        } catch {
            return .failed(error.reason)
        }
    }

    // MARK: Where it is

    private func tryRouter() {
        self.state.router = self.outcome { () throws(ReadyFailure) in
            self.state.webSocket = try self.doors.askRouter()
        }
    }

    private func tryNames() {
        var names = self.control.invocation.values("host")
        if names.isEmpty { names = self.list("server.hosts") }
        for name in names.prefix(Self.most) where IPAddress(name) == nil {
            var found = AppState.Name(
                name, self.outcome { () throws(ReadyFailure) in try self.doors.ask(by: name) })
            let addresses = (try? CertificateLook.addresses(of: name)) ?? []
            found.addresses = addresses.map(\.text)
            let own = SocketAddress.ofInterfaces()
            found.leadsHere = addresses.contains { $0.scope == .loopback || own.contains($0) }
            if self.state.servesTLS { found.certificate = self.doors.certificate(for: name, now: self.control.now()) }
            self.state.names.append(found)
        }
    }

    private func tryOrigins() {
        var origins = self.control.invocation.values("origin")
        if origins.isEmpty { origins = self.list("server.origins") }
        self.state.origins = origins.prefix(Self.most).map { origin in
            AppState.Origin(origin, self.outcome { () throws(ReadyFailure) in try self.doors.openAsPage(of: origin) })
        }
    }

    private func list(_ setting: String) -> [String] {
        self.settings[setting]?.split(separator: ",").map(String.init) ?? []
    }

    // MARK: The app's own server

    private func tryFunctions() {
        self.state.functionsAddress = self.settings["leancloud.hooks_url"] ?? ""
        guard !self.state.functionsAddress.isEmpty else { return }
        self.state.functionsTrial = self.outcome { () throws(ReadyFailure) in
            try self.doors.knock(at: self.state.functionsAddress)
        }
        guard case .success(.hooks(.functions(let functions, _))) = self.ask(.hooks(.list)) else { return }
        self.state.functions = functions.map {
            AppState.Function($0.name, lastError: $0.lastError, isDisabled: $0.isDisabled)
        }
    }

    private func ask(_ request: AdminRequest) -> Result<AdminAnswer, CommandFailure> {
        do throws(CommandFailure) {
            return .success(try self.control.talk { client throws(AdminError) in try client.ask(request) })
        } catch {
            return .failure(error)
        }
    }

    // MARK: People

    private func tryPeople() {
        var people: [AppDoors.Person] = []
        self.state.people = self.outcome { () throws(ReadyFailure) in
            for _ in 0..<2 { people.append(try self.doors.addPerson()) }
            for index in people.indices { people[index].token = try self.doors.signIn(people[index]) }
        }
        if self.state.people == .passed { self.tryChat(people[0], people[1]) }
        var left: [String] = []
        self.state.upload = self.outcome { () throws(ReadyFailure) in
            let file = try self.doors.addFile()
            defer { if let reason = self.doors.delete("files/\(file.id)") { left.append("\(file.id), \(reason)") } }
            try self.doors.fetch(file)
        }
        for person in people {
            if let reason = self.doors.delete("users/\(person.id)") { left.append("\(person.id), \(reason)") }
        }
        self.state.cleanUp = left.isEmpty ? .passed : .failed(left.joined(separator: "; "))
    }

    private func tryChat(_ sender: AppDoors.Person, _ receiver: AppDoors.Person) {
        var chats: [ReadyChat] = []
        self.state.session = self.outcome { () throws(ReadyFailure) in
            for person in [sender, receiver] {
                let chat = try ReadyChat(self.doors.webSocket(), appID: self.keys.appID, client: person.id)
                try chat.open(try self.proof(of: person))
                chats.append(chat)
            }
        }
        guard self.state.session == .passed else { return }
        self.state.message = self.outcome { () throws(ReadyFailure) in
            let conversation = try chats[0].start(with: receiver.id)
            let message = try chats[0].send(to: conversation)
            try chats[1].receive(message)
            try chats[1].findInHistory(message, of: conversation)
        }
        for chat in chats { chat.close() }
    }

    /// Proof that the policy asks for.
    private func proof(of person: AppDoors.Person) throws(ReadyFailure) -> ReadyChat.Proof {
        switch self.app.signIn {
        case "open": return .none
        case "token": return .token(person.token)
        default:
            switch self.ask(.app(.sign(AdminAppSigning(.open, client: person.id)))) {
            case .success(.app(.signed(let signed))):
                return .signature(signed.signature, timestamp: signed.timestamp, nonce: signed.nonce ?? "")
            case .success: throw ReadyFailure("the server signs nothing")
            case .failure(let failure): throw ReadyFailure(failure.message)
            }
        }
    }
}

/// Why a trial failed, in words of the server or of the system.
struct ReadyFailure: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
