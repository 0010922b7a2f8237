import Glibc

/// Why a benchmark stopped before it had metrics.
package enum BenchError: Error, Equatable, CustomStringConvertible {
    /// The arguments make no sense; the text says which and what is accepted.
    case usage(String)
    /// A system call failed: what was tried, and `errno`.
    case system(String, Int32)
    /// A server did not do what its protocol says, or refused something that it has to accept.
    case server(String)
    /// This machine cannot run the generator: why.
    case unavailable(String)
    /// Something took longer than its bound: what, and the seconds it had.
    case timeout(String, seconds: Double)
    /// The person pressed Ctrl-C, or a service manager asked this process to stop.
    case interrupted

    /// `errno` of the call that just failed, with what was tried.
    static func failed(_ what: String) -> BenchError { .system(what, errno) }

    package var description: String {
        switch self {
        case .usage(let text): text
        case .system(let what, let number): "\(what): \(String(cString: strerror(number)))"
        case .server(let text), .unavailable(let text): text
        case .timeout(let what, let seconds): "\(what) took longer than \(decimal(seconds, places: 1)) s"
        case .interrupted: "interrupted"
        }
    }
}
