package import Diagnostics
package import Execution
package import Store

/// The key of an app's own server: who has it may do everything over the HTTP API.
///
/// `DATA/wukong-manager-token`, mode 0600, holds it as one line. The first start makes it of 32 random bytes; an
/// operator may write another one of 32 to 256 bytes, or remove the file for a new one, and start again.
package final class ManagerToken: Sendable {
    /// Verdict on a token.
    package enum Verdict: Hashable, Sendable {
        case right
        case wrong
        /// Too many wrong ones came from there. A right one is always taken: nobody guesses 256 bits, and a business
        /// server that was just corrected need not wait.
        case throttled(retryAfterSeconds: Int64)
    }

    /// Source of a token, for the log and for slowing guesses down.
    package struct Asker: Sendable {
        /// Address for the log.
        package var address: String
        /// Key by which failures count: the address, for IPv6 its /64.
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

    /// Path of the token's file in the data folder.
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

    /// True when this is the token; nothing is counted.
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
        switch try SecretFile.read(path, maximumBytes: Self.allowedBytes.upperBound) {
        case .missing: return nil
        case .text(let token) where Self.allowedBytes.contains(token.utf8.count): return token
        case .empty, .text:
            throw .invalid("\(path) holds no token of 32 to 256 characters: write one, or remove it for a new one")
        }
    }

    private static func make(_ path: String) throws(StoreError) -> String {
        let text = Self.prefix + Sodium.base64(Sodium.randomBytes(Self.randomBytes))
        try SecretFile.make(path, text)
        return text
    }
}
