import CLinux
import Glibc

/// Check that an address can be listened on. Only while no server of ours runs.
func checkListener(_ listener: DoctorInput.Listener) -> Finding {
    let values = ["host": listener.host, "port": String(listener.port)]
    do throws(SystemError) {
        guard try tryToListen(listener) else {
            return Finding(
                .problem, "listener.not_numeric", "{host} is not an address",
                advice: "give a numeric address such as 0.0.0.0, :: or 192.168.1.5", values: values)
        }
        return Finding(.ok, "listener.good", "{host} port {port} is free to listen on", values: values)
    } catch {
        switch error.number {
        case EADDRINUSE:
            return Finding(
                .problem, "listener.in_use", "another program listens on {host} port {port}",
                advice: "find it with: ss -ltnp 'sport = :{port}'; stop it, or choose another port", values: values)
        case EADDRNOTAVAIL:
            return Finding(
                .problem, "listener.foreign", "this machine does not have the address {host}",
                advice: "take one that ip address lists, or 0.0.0.0 for all", values: values)
        case EACCES, EPERM:
            return Finding(
                .problem, "listener.forbidden", "this user may not listen on port {port}",
                advice:
                    "take a port above 1023, or start teahouse by systemd with AmbientCapabilities=CAP_NET_BIND_SERVICE",
                values: values)
        default:
            return Finding(
                .problem, "listener.failed", "cannot listen on {host} port {port}: {reason}",
                advice: "check the address", values: values.merging(["reason": error.text]) { $1 })
        }
    }
}

/// - Returns: false when the host is not a numeric address.
private func tryToListen(_ listener: DoctorInput.Listener) throws(SystemError) -> Bool {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(listener.host, String(listener.port), &hints, &found) == 0, let found else { return false }
    defer { freeaddrinfo(found) }
    let descriptor = socket(found.pointee.ai_family, found.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError.last }
    defer { close(descriptor) }
    var on: Int32 = 1
    // Connections of a server that just ended do not count.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else { throw SystemError.last }
    guard listen(descriptor, 1) == 0 else { throw SystemError.last }
    return true
}

/// Check for a server that runs on the data folder.
struct AdminSocketCheck {
    static let name = "admin.sock"

    var folder: String
    var answers: (@Sendable () -> Bool)?

    func run() -> (isRunning: Bool, finding: Finding) {
        let values = ["path": "\(self.folder)/\(Self.name)"]
        do throws(SystemError) {
            try self.connect()
        } catch {
            return (false, self.notConnected(error, values))
        }
        guard self.answers?() ?? true else {
            return (
                true,
                Finding(
                    .problem, "server.silent", "a server runs on {path}, but does not answer",
                    advice: "look at its log; restart it if it stays like that", values: values)
            )
        }
        return (true, Finding(.ok, "server.running", "the server runs and answers on {path}", values: values))
    }

    private func notConnected(_ error: SystemError, _ values: [String: String]) -> Finding {
        switch error.number {
        case ENOENT, ENOTDIR:
            Finding(.ok, "server.stopped", "no server runs on this data folder", values: values)
        case ECONNREFUSED:
            Finding(
                .ok, "server.gone", "no server runs on this data folder; {path} is left over and will be replaced",
                values: values)
        case EACCES, EPERM:
            Finding(
                .advice, "server.forbidden", "{path} belongs to another user: the server could not be asked",
                advice: "run doctor as the user the server runs as, or as root", values: values)
        default:
            Finding(
                .advice, "server.unknown", "{path} cannot be opened: {reason}", advice: "look at the server's log",
                values: values.merging(["reason": error.text]) { $1 })
        }
    }

    /// Goes through the open folder: a socket's path has at most 107 bytes, a folder's may be longer.
    private func connect() throws(SystemError) {
        let opened = clinux_open(self.folder, O_RDONLY | O_DIRECTORY, 0)
        guard opened >= 0 else { throw SystemError.last }
        defer { close(opened) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: "/proc/self/fd/\(opened)/\(Self.name)".utf8)
        }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw SystemError.last }
    }
}
