import CBench
import Glibc

/// Servers, started one at a time and stopped again, with what they need: a folder, accounts, a port.
package final class Stage {
    private let folder: TemporaryFolder
    private let options: Options
    private let signals: SignalWatch
    private var child: ChildProcess?
    /// By data folder: these stay from one start to the next, and are prepared once.
    private var prepared: [String: Prepared] = [:]

    /// Facts about a server that was prepared.
    private struct Prepared {
        var accounts: [Account]
        var appID = ""
    }

    /// Servers have to take their first connection within this time.
    private static let startSeconds = 20.0

    package init(_ options: Options, _ signals: SignalWatch) throws(BenchError) {
        self.options = options
        self.signals = signals
        self.folder = try TemporaryFolder(in: options.workFolder)
    }

    /// Starts a server that the last one has made room for.
    package func start(_ choice: ServerChoice) throws(BenchError) -> ServerUnderTest {
        self.stop()
        switch choice {
        case .target(let endpoint, let process, let encoding):
            guard let file = self.options.usersFile else {
                throw .usage("--target needs --users FILE, with a line \"uid token\" for each person")
            }
            return ServerUnderTest(
                name: choice.name, endpoint: endpoint, speech: Self.speech(encoding), process: process,
                accounts: try Preparation.accounts(from: readFile(file)), group: self.options.group,
                keepsForAbsent: true, appID: self.options.appID)
        case .teahouse(let binary, let configuration, let encoding):
            return try self.startTeahouse(choice.name, binary, configuration, encoding)
        case .bare, .log: return try self.startReference(choice)
        case .mosquitto(let saving): return try self.startMosquitto(choice, saving: saving)
        }
    }

    /// Stops every server that was started.
    package func stop() {
        self.child?.stop()
        self.child = nil
    }

    private func spawn(_ path: String, _ arguments: [String], name: String) throws(BenchError) -> ChildProcess {
        let child = try ChildProcess(
            path, arguments, errors: "\(self.folder.path)/\(name).err", signals: self.signals)
        self.child = child
        return child
    }

    private static func speech(_ encoding: ClientProtocol) -> ServerUnderTest.Speech {
        switch encoding {
        case .json: .json
        case .binary: .binary
        case .leanCloud: .leanCloud
        }
    }

    private func startTeahouse(
        _ name: String, _ binary: String, _ configuration: String?, _ encoding: ClientProtocol
    ) throws(BenchError) -> ServerUnderTest {
        // A folder of its own: clients of one protocol would get what those of the other did not fetch.
        let data = "\(self.folder.path)/\(encoding == .leanCloud ? "leancloud" : "teahouse")"
        let child = try self.spawn(
            binary, Preparation.serveArguments(data: data, configuration: configuration), name: "teahouse")
        let address = try child.line(after: Preparation.readyPrefix, seconds: Self.startSeconds)
        let endpoint = try Options.endpoint(address)
        let prepared: Prepared
        if let known = self.prepared[data] {
            prepared = known
        } else {
            prepared = try self.prepare(binary, data: data, encoding)
            self.prepared[data] = prepared
        }
        return ServerUnderTest(
            name: name, endpoint: endpoint, speech: Self.speech(encoding), process: child.process,
            accounts: prepared.accounts, group: self.options.group, keepsForAbsent: true, appID: prepared.appID)
    }

    private func prepare(
        _ binary: String, data: String, _ encoding: ClientProtocol
    ) throws(BenchError) -> Prepared {
        var prepared = Prepared(accounts: try self.makeAccounts(binary, data: data))
        if encoding == .leanCloud {
            prepared.appID = try Preparation.appID(
                in: self.output(of: binary, Preparation.appArguments(data: data)))
        }
        return prepared
    }

    private func makeAccounts(_ binary: String, data: String) throws(BenchError) -> [Account] {
        let names = Preparation.inventedAccounts(self.options.users).map(\.user)
        let people = "\(self.folder.path)/people.txt"
        try writeFile(people, names.joined(separator: "\n") + "\n")
        let accounts = try Preparation.accounts(
            from: self.output(of: binary, Preparation.importArguments(data: data, file: people)))
        if self.options.groupMembers > 0 {
            let members = "\(self.folder.path)/members.txt"
            try writeFile(members, names.prefix(self.options.groupMembers).joined(separator: "\n") + "\n")
            _ = try self.output(
                of: binary, Preparation.groupArguments(data: data, group: self.options.group, file: members))
        }
        return accounts
    }

    /// Output of a command, waiting for its end.
    private func output(of binary: String, _ arguments: [String]) throws(BenchError) -> String {
        let tool = try ChildProcess(
            binary, arguments, errors: "\(self.folder.path)/accounts.err", signals: self.signals)
        return try tool.outputToEnd(seconds: Preparation.accountSeconds)
    }

    private func startReference(_ choice: ServerChoice) throws(BenchError) -> ServerUnderTest {
        let child = try self.spawn(
            "/proc/self/exe", [ReferenceServer.command, choice.name, self.folder.path], name: choice.name)
        let address = try child.line(after: ReferenceServer.readyPrefix, seconds: Self.startSeconds)
        return ServerUnderTest(
            name: choice.name, endpoint: try Options.endpoint(address), speech: .json, process: child.process,
            accounts: Preparation.inventedAccounts(self.options.users), group: self.options.group,
            keepsForAbsent: false)
    }

    private func startMosquitto(_ choice: ServerChoice, saving: Bool) throws(BenchError) -> ServerUnderTest {
        let port = try freePort()
        let configuration = "\(self.folder.path)/\(choice.name).conf"
        try writeFile(configuration, Mosquitto.configuration(port: port, folder: saving ? self.folder.path : nil))
        let child = try self.spawn(ServerChoice.mosquittoPath, ["-c", configuration], name: choice.name)
        let endpoint = Endpoint(port: port)
        try self.awaitListener(endpoint)
        return ServerUnderTest(
            name: choice.name, endpoint: endpoint, speech: .mqtt, process: child.process,
            accounts: Preparation.inventedAccounts(self.options.users), group: self.options.group,
            keepsForAbsent: true)
    }

    /// Tries to connect until somebody answers.
    private func awaitListener(_ endpoint: Endpoint) throws(BenchError) {
        for _ in 0..<Int(Self.startSeconds * 50) {
            let descriptor = cbench_connect(endpoint.address, endpoint.port, 0)
            guard descriptor >= 0 else { throw .failed("connect to \(endpoint)") }
            defer { close(descriptor) }
            var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&watched, 1, 1_000) == 1, cbench_connect_result(descriptor) == 0 { return }
            try self.signals.sleep(milliseconds: 20)
        }
        throw .timeout("the start of the server on \(endpoint)", seconds: Self.startSeconds)
    }
}

/// A port on loopback that nobody listens on right now.
func freePort() throws(BenchError) -> UInt16 {
    var port: UInt16 = 0
    let listener = cbench_listen(&port)
    guard listener >= 0 else { throw .failed("listen on a free port of 127.0.0.1") }
    close(listener)
    return port
}

/// Debian's broker, as the benchmark runs it.
package enum Mosquitto {
    /// No limits on what waits for a slow subscriber, as a chat must not drop messages either. Started by root, the
    /// broker would give up its rights and then could not write to `folder`, so it is told not to.
    package static func configuration(port: UInt16, folder: String?) -> String {
        let saving = folder.map {
            """
            persistence true
            persistence_location \($0)/
            autosave_interval 1
            """
        }
        return """
            listener \(port) 127.0.0.1
            allow_anonymous true
            max_inflight_messages 0
            max_queued_messages 0
            set_tcp_nodelay true
            log_dest none
            \(getuid() == 0 ? "user root" : "")
            \(saving ?? "persistence false")

            """
    }
}
