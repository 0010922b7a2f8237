import CLinux
import Glibc
package import Store

/// Why there is no backup, or nothing was restored.
package enum BackupError: Error, Hashable, Sendable, CustomStringConvertible {
    case store(StoreError)
    /// A call of the system failed.
    case io(action: String, errno: Int32)
    /// No room on the disk.
    case full(path: String)
    /// A folder is no backup, or not what its manifest says.
    case damaged(String)
    /// The copy was made and does not hold what it should; the first findings.
    case unsound([String])
    /// It cannot be done now or here; the text says why.
    case refused(String)
    /// It is not wanted any more.
    case ended
    /// The server, which is asked for everything, said no.
    case server(String)

    package var description: String {
        switch self {
        case .store(let error): error.description
        case .io(let action, let errno): "cannot \(action): \(String(cString: strerror(errno)))"
        case .full(let path): "no space left to write \(path): free some room; what was there is untouched"
        case .damaged(let text): text
        case .unsound(let findings):
            "the copy is not in order, and does not count as a backup: " + findings.joined(separator: " ")
        case .refused(let text): text
        case .ended: "it was ended before the backup was whole; nothing of it counts"
        case .server(let text): text
        }
    }

    /// The same for a start of the server that is refused.
    package var ofStart: StoreError {
        switch self {
        case .store(let error): error
        case .full, .refused, .damaged, .unsound, .ended, .server: .invalid(self.description)
        case .io(_, let errno) where errno == EIO || errno == EUCLEAN: .fatal(self.description)
        case .io: .invalid(self.description)
        }
    }

    static func failure(_ action: String, _ path: String) -> BackupError {
        let reason = clinux_errno()
        return reason == ENOSPC || reason == EDQUOT
            ? .full(path: path) : .io(action: "\(action) \(path)", errno: reason)
    }
}
