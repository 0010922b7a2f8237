import Glibc

/// Why the network part cannot start or take new certificates.
package enum TransportError: Error, Equatable, CustomStringConvertible {
    case notAnAddress(String)
    case cannotListen(host: String, port: UInt16, code: Int32)
    /// A descriptor that the service manager passed on cannot be listened on.
    case notAListener(descriptor: Int32, name: String, reason: String)
    /// A system call that has no other case failed.
    case system(call: String, code: Int32)
    case file(path: String, operation: String, code: Int32)
    /// The certificate of our own authority is there without its key.
    case authorityKeyMissing(path: String)
    case badCertificate(path: String, reason: String)
    case openSSL(operation: String, reason: String)

    package var description: String {
        switch self {
        case .notAnAddress(let host):
            "cannot listen on `\(host)`: that is not an IP address; write an address of this machine, or * for all"
        case .cannotListen(let host, let port, EADDRINUSE):
            """
            port \(port) on \(host) is in use by another program, perhaps a teahouse that already runs: \
            stop that one, or choose another port
            """
        case .cannotListen(let host, let port, EACCES):
            """
            not allowed to listen on port \(port) on \(host): ports under 1024 need CAP_NET_BIND_SERVICE, or a socket \
            that systemd opens (teahouse.socket); or choose another port
            """
        case .cannotListen(let host, let port, EADDRNOTAVAIL):
            "cannot listen on \(host) port \(port): this machine does not have that address"
        case .cannotListen(let host, let port, let code):
            "cannot listen on \(host) port \(port): \(Self.text(code))"
        case .notAListener(let descriptor, let name, let reason):
            "the service manager passed descriptor \(descriptor) (\(name)), which cannot be listened on: \(reason)"
        case .system(let call, let code):
            "\(call) failed: \(Self.text(code))"
        case .file(let path, let operation, let code):
            "cannot \(operation) \(path): \(Self.text(code))"
        case .authorityKeyMissing(let path):
            """
            the certificate authority has its certificate but not its key \(path): restore the key from a backup; a new \
            authority is made only on command, because every device that trusts the old one would have to be visited
            """
        case .badCertificate(let path, let reason):
            "cannot use the certificate \(path): \(reason)"
        case .openSSL(let operation, let reason):
            "OpenSSL could not \(operation): \(reason)"
        }
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
