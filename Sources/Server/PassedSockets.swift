import Glibc
import Transport

/// The sockets that a service manager opened for this process, by the variables of `sd_listen_fds(3)`: `LISTEN_PID`,
/// `LISTEN_FDS`, `LISTEN_FDNAMES`.
///
/// The descriptors begin at 3. One named `metrics` is for who watches the server; all others are for people.
struct PassedSockets: Hashable {
    /// Name of a socket for monitoring.
    static let metricsName = "metrics"
    /// Most sockets that are taken.
    static let most = 16
    /// First descriptor. Source: `SD_LISTEN_FDS_START` of `sd-daemon.h`.
    private static let first: Int32 = 3
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Sockets in place of `listen`.
    var people: [PassedSocket] = []
    /// Sockets in place of `metrics.listen`.
    var metrics: [PassedSocket] = []

    /// The sockets of this process. The variables go, so that no child takes the sockets for its own. Call it before
    /// any other thread is made.
    static func take() throws(ServerError) -> PassedSockets {
        defer { for name in Self.variables { unsetenv(name) } }
        return try PassedSockets(processID: getpid()) { name in getenv(name).map { String(cString: $0) } }
    }

    /// The sockets that these variables tell of; none when they are for another process.
    ///
    /// - Throws: `passedSockets` when they say something else than `sd_listen_fds(3)` does.
    init(processID: pid_t, variable: (String) -> String?) throws(ServerError) {
        guard let count = variable("LISTEN_FDS"), let process = variable("LISTEN_PID"), process == String(processID)
        else { return }
        guard let count = Int32(count), (0...Int32(Self.most)).contains(count) else {
            throw .passedSockets("LISTEN_FDS is \(count), not a number up to \(Self.most)")
        }
        let names = variable("LISTEN_FDNAMES").map {
            $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
        guard names == nil || names?.count == Int(count) || count == 0 else {
            throw .passedSockets("LISTEN_FDNAMES has \(names?.count ?? 0) names for \(count) sockets")
        }
        for index in 0..<count {
            let name = names?[Int(index)] ?? "unknown"
            let socket = PassedSocket(descriptor: Self.first + index, name: name)
            if name == Self.metricsName { self.metrics.append(socket) } else { self.people.append(socket) }
        }
    }
}
