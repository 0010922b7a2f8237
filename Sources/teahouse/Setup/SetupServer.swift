import AdminAPI
import ChatModel
import CommandLineKit
import Configuration
import Diagnostics
import Glibc
import Server
import Transport

/// Service of the package, as systemd runs it.
struct ServiceUnit {
    /// Configuration that it reads.
    static let configuration = "/etc/teahouse/teahouse.toml"
    /// The one folder that it may write.
    static let data = "/var/lib/teahouse"
    private static let folders = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]

    /// - Returns: `nil` where systemd does not run, the unit is not installed, who asks is not root, or the
    ///   configuration is
    ///   not the unit's.
    init?(configuration path: String) {
        guard path == Self.configuration, geteuid() == 0, access("/run/systemd/system", F_OK) == 0,
            Self.folders.contains(where: { access("\($0)/teahouse.service", F_OK) == 0 })
        else { return nil }
    }

    /// True while systemd runs it.
    var isActive: Bool { Self.run(["systemctl", "is-active", "--quiet", "teahouse"]) }

    /// Starts it now and with the machine, again if it runs; waits until it serves.
    ///
    /// - Returns: false when systemd says that it did not start.
    func start() -> Bool {
        Self.run(["systemctl", "enable", "--quiet", "teahouse"]) && Self.run(["systemctl", "restart", "teahouse"])
    }

    private static func run(_ words: [String]) -> Bool {
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        var status: Int32 = 0
        guard posix_spawnp(&process, words[0], nil, nil, arguments, environ) == 0 else { return false }
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
        return status == 0
    }
}

/// Place of a server: its folder, and the service that runs it.
struct SetupPlace {
    var folder: String
    var unit: ServiceUnit?

    /// True when a server has made the folder before.
    var hasDatabase: Bool { access(self.folder + "/teahouse.db", F_OK) == 0 }

    /// Reason why a server could not listen there; `nil` when it could. The ports of a server that runs on the folder
    /// are not tried: it holds them itself.
    func problem(of listen: [String]) -> String? {
        var addresses = listen.compactMap { ListenAddress(parsing: $0) }
        if let client = try? AdminClient(dataFolder: self.folder), case .status(let status) = try? client.ask(.status) {
            let own = Set(status.addresses.compactMap { ListenAddress(parsing: $0)?.port })
            addresses.removeAll { own.contains($0.port) }
            guard !addresses.isEmpty else { return nil }
        }
        let settings = TransportSettings(listeners: addresses)
        do throws(TransportError) {
            _ = try TransportServer(settings: settings, log: .silent) { _ in [] }
            return nil
        } catch {
            return error.description
        }
    }
}

/// The server that a first run talks to: one that runs, the service, or else one in this process for as long as that
/// takes.
final class SetupServer {
    /// Kind of server.
    enum Kind {
        case running, service, here
    }

    /// Pages of people in which an administrator is looked for.
    private static let mostPages = 1000

    let kind: Kind
    /// Address that people type; `nil` when it knows none.
    private(set) var address: String?
    private let client: AdminClient
    private let folder: String
    private let terminal: Terminal
    private var own: TeahouseServer?

    /// - Parameter changes: true when the configuration has changed, which a service that runs has to read.
    init(_ setup: Setup, _ place: SetupPlace, changes: Bool) throws(CommandFailure) {
        self.terminal = setup.terminal
        self.folder = place.folder
        let isOld = changes && place.unit?.isActive == true
        if !isOld, let client = try Self.client(place.folder, setup.terminal) {
            (self.kind, self.client) = (.running, client)
        } else if let unit = place.unit {
            setup.tell("setup.starting")
            guard unit.start(), let client = try Self.client(place.folder, setup.terminal) else {
                throw CommandFailure(.refused, setup.text("setup.notStarted"))
            }
            (self.kind, self.client) = (.service, client)
        } else {
            let own = try Self.serve(setup, place)
            guard let client = try Self.client(place.folder, setup.terminal) else {
                own.stop(deadlineMilliseconds: 0)
                throw CommandFailure(.notRunning, setup.text("ctl.notRunning", ["path": place.folder]))
            }
            (self.kind, self.client, self.own) = (.here, client, own)
        }
        if case .status(let status) = try self.ask(.status) { self.address = status.publicAddress }
    }

    /// Ends a server of this process.
    func close() {
        self.own?.stop(deadlineMilliseconds: 0)
        self.own = nil
    }

    /// - Returns: `nil` when no server runs on the folder.
    private static func client(_ folder: String, _ terminal: Terminal) throws(CommandFailure) -> AdminClient? {
        do throws(AdminError) {
            return try AdminClient(dataFolder: folder)
        } catch {
            guard error.code != .notRunning else { return nil }
            throw Control.failure(error, folder: folder, terminal)
        }
    }

    /// A server of this process, as the user who will run it, on the configuration that was just written.
    private static func serve(_ setup: Setup, _ place: SetupPlace) throws(CommandFailure) -> TeahouseServer {
        let owner = SetupOwner(folder: place.folder)
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
        if owner.isOther, mkdir(place.folder, 0o700) == 0 { chown(place.folder, owner.user, owner.group) }
        guard owner.become() else { throw CommandFailure(.notAllowed, setup.text("setup.notBecome")) }
        var arguments = CommandLineSettings()
        arguments.configPath = setup.path
        do {
            let settings = try Settings(arguments: arguments)
            return try TeahouseServer(try ServerOptions(settings, log: .silent))
        } catch {
            let reason = (error as? any CustomStringConvertible)?.description ?? ""
            throw CommandFailure(.refused, DisplayText.escaped(reason))
        }
    }

    // MARK: Asking

    /// True when a server runs on the folder and has no administrator.
    static func runsWithoutAdministrator(_ folder: String, _ terminal: Terminal) throws(CommandFailure) -> Bool {
        guard let client = try Self.client(folder, terminal) else { return false }
        return try Self.hasNoAdministrator { request throws(CommandFailure) in
            try Self.answer(of: client, to: request, folder, terminal)
        }
    }

    func needsAdministrator() throws(CommandFailure) -> Bool {
        try Self.hasNoAdministrator { request throws(CommandFailure) in try self.ask(request) }
    }

    private static func hasNoAdministrator(
        _ ask: (AdminRequest) throws(CommandFailure) -> AdminAnswer
    ) throws(CommandFailure) -> Bool {
        var after: Int64?
        for _ in 0..<Self.mostPages {
            guard case .users(let users, let next) = try ask(.listUsers(after: after)) else { break }
            let isThere = users.contains {
                $0.role == .administrator && !$0.isDisabled && $0.deletedAtMilliseconds == nil
            }
            if isThere { return false }
            guard let next else { return true }
            after = next
        }
        return false
    }

    func add(_ administrator: SetupAdministrator) throws(CommandFailure) {
        let user = AdminNewUser(name: administrator.name, role: .administrator, password: administrator.password)
        _ = try self.ask(.addUser(user))
    }

    func invite(address: String?) throws(CommandFailure) -> AdminIssuedInvitation {
        guard case .invited(let issued) = try self.ask(.people(.invite(AdminNewInvitation(address: address)))) else {
            throw CommandFailure(.internalError, self.terminal.text("ctl.unexpectedAnswer"))
        }
        return issued
    }

    private func ask(_ request: AdminRequest) throws(CommandFailure) -> AdminAnswer {
        try Self.answer(of: self.client, to: request, self.folder, self.terminal)
    }

    private static func answer(
        of client: AdminClient, to request: AdminRequest, _ folder: String, _ terminal: Terminal
    ) throws(CommandFailure) -> AdminAnswer {
        do throws(AdminError) {
            return try client.ask(request)
        } catch {
            throw Control.failure(error, folder: folder, terminal)
        }
    }
}
