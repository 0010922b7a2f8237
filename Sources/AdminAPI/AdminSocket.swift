import CLinux
import Glibc

/// Opens both ends of the socket in a data folder, however long the folder's path is.
package enum AdminSocket {
    /// A socket address has room for 107 bytes and a zero. Source: unix(7).
    private static let maximumPathBytes = 107

    /// Listens in `folder`. A socket file that is there already is replaced: hold the folder's lock.
    ///
    /// The file gets its mode before anybody can connect.
    ///
    /// - Parameter isForAll: true when every account of the machine may connect; the server then decides by the account
    ///   that the kernel names. Otherwise only this process's user and root can.
    /// - Returns: a non-blocking descriptor.
    /// - Throws: `failed`.
    package static func listen(in folder: String, isForAll: Bool = false) throws(AdminError) -> Int32 {
        let place = try Place(folder)
        defer { place.close() }
        unlink(place.path)
        let descriptor = try Self.makeSocket()
        var succeeded = false
        defer { if !succeeded { Glibc.close(descriptor) } }
        guard Self.withAddress(place.path, { Glibc.bind(descriptor, $0, $1) }) == 0 else {
            throw Self.failure("make", folder)
        }
        guard chmod(place.path, isForAll ? 0o666 : 0o600) == 0 else { throw Self.failure("protect", folder) }
        guard clinux_set_nonblocking(descriptor) == 0, Glibc.listen(descriptor, 16) == 0 else {
            throw Self.failure("listen on", folder)
        }
        succeeded = true
        return descriptor
    }

    /// Removes the socket file, so that nobody waits at it.
    package static func remove(in folder: String) {
        guard let place = try? Place(folder) else { return }
        defer { place.close() }
        unlink(place.path)
    }

    /// Connects to the server of `folder`.
    ///
    /// - Returns: a blocking descriptor.
    /// - Throws: `notRunning`, `notAllowed`, `failed`.
    package static func connect(to folder: String) throws(AdminError) -> Int32 {
        let place = try Place(folder)
        defer { place.close() }
        let descriptor = try Self.makeSocket()
        if Self.withAddress(place.path, { Glibc.connect(descriptor, $0, $1) }) == 0 { return descriptor }
        let reason = clinux_errno()
        Glibc.close(descriptor)
        switch reason {
        case ENOENT, ECONNREFUSED: throw Self.notRunning(folder)
        case EACCES, EPERM: throw Self.notAllowed(folder)
        default: throw AdminError(.failed, "cannot connect to \(folder): \(String(cString: strerror(reason)))")
        }
    }

    private static func makeSocket() throws(AdminError) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else {
            throw AdminError(.failed, "cannot make a socket: \(String(cString: strerror(clinux_errno())))")
        }
        return descriptor
    }

    private static func failure(_ action: String, _ folder: String) -> AdminError {
        let reason = String(cString: strerror(clinux_errno()))
        return AdminError(.failed, "cannot \(action) \(folder)/\(AdminProtocol.socketName): \(reason)")
    }

    fileprivate static func notRunning(_ folder: String) -> AdminError {
        AdminError(.notRunning, "no teahouse is running on \(folder)")
    }

    fileprivate static func notAllowed(_ folder: String) -> AdminError {
        AdminError(.notAllowed, "the admin socket in \(folder) belongs to another user")
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // SAFETY: `Place` only gives paths that leave room for the zero; the pointers stay inside the closures.
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            precondition(path.utf8.count < room.count, "the path of a socket is too long")
            room.copyBytes(from: path.utf8)
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// The socket's path as the system takes it: as it is, or, when that is too long, through an opened folder.
    private struct Place {
        let path: String
        private let folder: Int32?

        init(_ folder: String) throws(AdminError) {
            let plain = "\(folder)/\(AdminProtocol.socketName)"
            guard plain.utf8.count > AdminSocket.maximumPathBytes else {
                self.path = plain
                self.folder = nil
                return
            }
            let opened = clinux_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
            guard opened >= 0 else {
                throw clinux_errno() == EACCES ? AdminSocket.notAllowed(folder) : AdminSocket.notRunning(folder)
            }
            self.path = "/proc/self/fd/\(opened)/\(AdminProtocol.socketName)"
            self.folder = opened
        }

        func close() { if let folder = self.folder { Glibc.close(folder) } }
    }
}
