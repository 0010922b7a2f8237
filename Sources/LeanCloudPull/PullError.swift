import Glibc

/// Why a pull ended before it was whole. What was saved until then stays, and the same command goes on from there.
package enum PullError: Error, Hashable, Sendable {
    /// The source does not know the app or its key.
    case wrongKey(status: Int, text: String)
    /// The peer answers, but not as LeanCloud's API.
    case notLeanCloud(String)
    /// The WuKongIM server refuses the manager's token, or asks for one.
    case wrongToken(status: Int, text: String)
    /// The peer answers, but not as a WuKongIM server of version 2 does.
    case notWuKong(String)
    /// The source could not be reached, or had too much to do, for longer than is waited.
    case gaveUp(String)
    /// The source refused a request that a pull cannot do without.
    case refused(what: String, status: Int, text: String)
    /// The master key would go in the clear to a place on the internet.
    case plainKey(host: String)
    /// The folder holds another app, or the same from somewhere else.
    case otherSource(found: String)
    /// The folder is from a newer teahouse.
    case newerFolder(format: Int64)
    case alreadyRunning(path: String)
    /// A folder that is to be written anew holds something.
    case notEmpty(path: String)
    /// The disk is full, or refuses; the number is `errno`.
    case disk(path: String, code: Int32)
    /// A file that was named cannot be read.
    case input(path: String, reason: String)
    /// Somebody said stop.
    case stopped
}

extension PullError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wrongKey(let status, let text):
            """
            the source refuses the app id or the key (HTTP \(status), \(text)): compare --app-id and the master key with \
            the console, Settings, App keys
            """
        case .notLeanCloud(let reason):
            "the address does not answer as LeanCloud's API does: \(reason); take the API server address of the console"
        case .wrongToken(let status, let text):
            """
            the source refuses the token (HTTP \(status), \(text)): put the value of managerToken of its wk.yaml into a \
            file and name it with --token-file
            """
        case .notWuKong(let reason):
            "the address does not answer as the HTTP API of WuKongIM version 2 does: \(reason)"
        case .gaveUp(let reason):
            "the source does not answer: \(reason); run the same command again, it goes on from here"
        case .refused(let what, let status, let text): "the source refuses \(what) (HTTP \(status)): \(text)"
        case .plainKey(let host):
            "\(host) is on the internet and the address is not encrypted: write https://, or the key could be read"
        case .otherSource(let found): "the folder holds \(found): take another folder for this app"
        case .newerFolder(let format): "the folder has format \(format), this teahouse knows 1: run the newer teahouse"
        case .alreadyRunning(let path): "another pull works in \(path): wait for it, or stop it"
        case .notEmpty(let path): "\(path) is not empty: name a folder that is not there yet, or empty it"
        case .disk(let path, let code):
            """
            \(path): \(String(cString: strerror(code))); what is saved stays, run the same command again when there is room
            """
        case .input(let path, let reason): "\(path): \(reason)"
        case .stopped: "stopped; run the same command again to go on from here"
        }
    }
}
