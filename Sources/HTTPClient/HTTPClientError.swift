import Glibc

/// Why a request got no response.
package enum HTTPClientError: Error, Hashable, Sendable {
    /// The text is no address; what is wrong with it.
    case badAddress(String)
    /// The host resolved to an address where we never connect to, and why.
    case refusedAddress(host: String, address: String, reason: String)
    case cannotResolve(host: String, reason: String)
    case cannotConnect(host: String, port: UInt16, code: Int32)
    case tls(host: String, reason: String)
    /// The time for connecting, or for the whole request, is over.
    case timedOut(host: String)
    /// The connection ended in the middle of a request or response.
    case brokenOff(host: String)
    case badResponse(host: String, reason: String)
    /// A file with certificates that cannot be used.
    case badTrust(path: String)
    /// Too many requests wait. Nothing was sent.
    case busy
    /// The client was stopped.
    case stopped
}

extension HTTPClientError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badAddress(let problem): problem
        case .refusedAddress(let host, let address, let reason):
            "\(host) is \(address), \(reason): teahouse does not connect there; name another host"
        case .cannotResolve(let host, let reason): "\(host) has no address: \(reason); check the name and the DNS"
        case .cannotConnect(let host, let port, let code):
            "cannot connect to \(host) port \(port): \(String(cString: strerror(code)))"
        case .tls(let host, let reason):
            "\(host) does not prove who it is: \(reason); name its authority in a CA file when it has its own"
        case .timedOut(let host): "\(host) did not answer in time"
        case .brokenOff(let host): "\(host) ended the connection before its answer was complete"
        case .badResponse(let host, let reason): "\(host) does not speak HTTP/1.1: \(reason)"
        case .badTrust(let path): "\(path) holds no certificate in PEM form, or cannot be read"
        case .busy: "too many requests are under way"
        case .stopped: "the server is stopping"
        }
    }
}
