import CLinux
import Glibc

/// The service manager that started this process, by the datagrams of `sd_notify(3)`: it hears when the server serves, when
/// it stops, and that it still lives. Where none started it, nothing is told.
struct ServiceManager: Sendable {
    /// Path of the manager's socket; the name of an abstract one begins with `@`. `nil` when nobody listens.
    private let socketPath: String?
    /// Milliseconds within which it has to hear from us, or else restarts us; `nil` when it does not watch.
    let watchdogMilliseconds: Int64?

    /// The manager that the environment names: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`.
    init() {
        self.init(processID: getpid()) { name in getenv(name).map { String(cString: $0) } }
    }

    /// The manager that these variables name.
    ///
    /// - Parameter processID: process that a watchdog has to mean to count.
    init(processID: pid_t, variable: (String) -> String?) {
        let path = variable("NOTIFY_SOCKET") ?? ""
        let isAddress = path.utf8.count > 1 && (path.hasPrefix("/") || path.hasPrefix("@"))
        self.socketPath = isAddress && path.utf8.count < Self.maximumPathBytes ? path : nil
        let isMeant = variable("WATCHDOG_PID").map { $0 == String(processID) } ?? true
        let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        self.watchdogMilliseconds =
            self.socketPath != nil && isMeant && microseconds >= 1000 ? microseconds / 1000 : nil
    }

    /// Bytes of a socket's path in the kernel's address.
    private static let maximumPathBytes = 108

    /// News for a service manager.
    enum News {
        /// It serves, on this address.
        case ready(String)
        /// It still works.
        case alive
        /// It drains, and ends by itself.
        case stopping
    }

    /// Tells it, without waiting for anybody; a manager that cannot take it is left alone.
    func tell(_ news: News) {
        switch news {
        case .ready(let address): self.send("READY=1\nSTATUS=Serving on \(address)\n")
        case .alive: self.send("WATCHDOG=1\n")
        case .stopping: self.send("STOPPING=1\nSTATUS=Draining\n")
        }
    }

    private func send(_ text: String) {
        guard let path = self.socketPath else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // SAFETY: `init` let only shorter paths in; the pointers stay inside the closures.
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8)
            if room[0] == UInt8(ascii: "@") { room[0] = 0 }
        }
        // An abstract name is as long as it says, zeros included.
        let length = MemoryLayout<sa_family_t>.size + path.utf8.count + (path.hasPrefix("@") ? 0 : 1)
        let bytes = Array(text.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
    }
}
