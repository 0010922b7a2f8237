import CLinux
package import Diagnostics
package import Execution
import Glibc
package import Store

/// The key of an app's own server: who has it may do everything over the HTTP API.
///
/// `DATA/wukong-manager-token`, mode 0600, holds it as one line. The first start makes it of 32 random bytes; an
/// operator may write another one of 32 to 256 bytes, or remove the file for a new one, and start again.
package final class ManagerToken: Sendable {
    package enum Verdict: Hashable, Sendable {
        case right
        case wrong
        /// Too many wrong ones came from there. A right one is always taken: nobody guesses 256 bits, and a business
        /// server that was just corrected need not wait.
        case throttled(retryAfterSeconds: Int64)
    }

    /// Who shows a token, for the log and for slowing guessers down.
    package struct Asker: Sendable {
        package var address: String
        package var throttleKey: String
        /// Behind loopback there may be a proxy, and then everybody.
        package var isLoopback: Bool

        package init(address: String, throttleKey: String, isLoopback: Bool) {
            self.address = address
            self.throttleKey = throttleKey
            self.isLoopback = isLoopback
        }
    }

    private static let fileName = "wukong-manager-token"
    private static let prefix = "tea_manager_"
    private static let randomBytes = 32
    private static let allowedBytes = 32...256

    private let hash: [UInt8]
    private let clock: Clock
    private let log: Log
    private let throttle = Lock(SignInThrottle())

    package static func path(in folder: String) -> String { "\(folder)/\(Self.fileName)" }

    /// Reads the token of a data folder, or makes it.
    ///
    /// - Throws: `invalid` when the file can be read by others, holds no token, or cannot be written; `full`.
    package init(folder: String, clock: Clock = .system, log: Log = .silent) throws(StoreError) {
        let path = Self.path(in: folder)
        let text = if let found = try Self.read(path) { found } else { try Self.make(path) }
        self.hash = Sodium.hash(Array(text.utf8))
        self.clock = clock
        self.log = log
    }

    /// The token of a data folder, for its operator; `nil` before the first start.
    ///
    /// - Throws: `invalid`.
    package static func text(in folder: String) throws(StoreError) -> String? { try Self.read(Self.path(in: folder)) }

    /// Whether this is the token; nothing is counted.
    package func isRight(_ text: String) -> Bool { Sodium.isEqual(Sodium.hash(Array(text.utf8)), self.hash) }

    /// Checks a token that must be the manager's. Wrong ones are logged and counted against the address.
    package func judge(_ text: String, from asker: Asker) -> Verdict {
        if self.isRight(text) { return .right }
        let now = self.clock.now()
        let pair = SignInThrottle.Pair(user: systemUserName, address: asker.throttleKey, kind: .token(nil))
        let pause: Int64? = self.throttle.withLock { throttle in
            if let pause = throttle.pauseSeconds(of: pair, at: now) { return pause }
            _ = throttle.failed(pair, isHeld: false, countsAddress: !asker.isLoopback, at: now)
            return nil
        }
        if let pause { return .throttled(retryAfterSeconds: pause) }
        self.log.warning(
            "manager_token_refused",
            [
                "address": .name(asker.address),
                "advice": .text("a wrong token was used for the HTTP API: ctl wukong token prints the right one"),
            ])
        return .wrong
    }

    // MARK: The file

    private static func read(_ path: String) throws(StoreError) -> String? {
        let descriptor = clinux_open(path, O_RDONLY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else {
            if clinux_errno() == ENOENT { return nil }
            throw Self.failure("read", path)
        }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("read", path) }
        guard status.st_mode & 0o077 == 0 else {
            throw .invalid("\(path) can be read by others: chmod 600 it, or remove it for a new one")
        }
        var bytes = [UInt8](repeating: 0, count: Self.allowedBytes.upperBound + 64)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw Self.failure("read", path) }
        let token = bytes[..<count].filter { $0 > 0x20 && $0 < 0x7F }
        guard Self.allowedBytes.contains(token.count) else {
            throw .invalid("\(path) holds no token of 32 to 256 characters: write one, or remove it for a new one")
        }
        return String(decoding: token, as: UTF8.self)
    }

    private static func make(_ path: String) throws(StoreError) -> String {
        let text = Self.prefix + Sodium.base64(Sodium.randomBytes(Self.randomBytes))
        let descriptor = clinux_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("write", path) }
        defer { Glibc.close(descriptor) }
        let line = Array((text + "\n").utf8)
        guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            let error = Self.failure("write", path)
            unlink(path)
            throw error
        }
        return text
    }

    private static func failure(_ what: String, _ path: String) -> StoreError {
        let reason = clinux_errno()
        if reason == ENOSPC || reason == EDQUOT { return .full }
        return .invalid("cannot \(what) \(path): \(String(cString: strerror(reason)))")
    }
}
