import CSodium
import Execution

/// Makes and checks argon2id strings on two threads of its own; hashes that were imported are checked too.
///
/// A hash costs about 19 MiB and some ten milliseconds, so two run at once, 32 wait, and one more is refused: hundreds of
/// sign-ins together cannot take the machine's memory.
package final class PasswordHasher: Sendable {
    /// Hashes at once.
    static let threads = 2
    /// Hashes that may wait.
    static let queue = 32

    /// Result of checking a password.
    package struct Verdict: Sendable {
        /// True when the password fits.
        package var isRight: Bool
        /// A new string for the store, when the password was right and the old one was made with other settings or was
        /// imported.
        package var newHash: String?
    }

    /// Rules for passwords and the cost of their hashes.
    package let policy: PasswordPolicy
    private let pool: WorkerPool<Void>
    /// Hash to compare with when the person has none: so an unknown name costs the same time as a wrong password. Well
    /// formed, and no password fits.
    private let decoy: String

    package init(_ policy: PasswordPolicy) {
        Sodium.start()
        self.policy = policy
        let salt = Sodium.base64(Sodium.randomBytes(Int(crypto_pwhash_SALTBYTES)), forURLs: false)
        let hash = Sodium.base64(Sodium.randomBytes(32), forURLs: false)
        self.decoy = "$argon2id$v=19$m=\(policy.memoryBytes / 1024),t=\(policy.passes),p=1$\(salt)$\(hash)"
        self.pool = WorkerPool(name: "password", threads: Self.threads, capacity: Self.queue) {}
    }

    /// Hashes a password. `then` runs on a hashing thread, with `nil` when there is no memory for it.
    ///
    /// - Returns: false, and `then` is not called, when too many wait.
    package func hash(_ password: String, then: @escaping @Sendable (String?) -> Void) -> Bool {
        let policy = self.policy
        return self.pool.submit { _ in then(Self.hash(password, policy)) }
    }

    /// Compares a password with a stored string; without one it takes as long and says no. `then` runs on a hashing
    /// thread.
    ///
    /// - Returns: false, and `then` is not called, when too many wait.
    package func verify(
        _ password: String, against stored: String?, then: @escaping @Sendable (Verdict) -> Void
    ) -> Bool {
        let (policy, decoy) = (self.policy, self.decoy)
        return self.pool.submit { _ in
            if let imported = stored.flatMap({ ImportedPassword(stored: $0) }) {
                // In vain, so that it takes as long as others and tells nothing.
                _ = Self.verify(password, decoy)
                let fits = imported.fits(password)
                return then(Verdict(isRight: fits, newHash: fits ? Self.hash(password, policy) : nil))
            }
            let fits = Self.verify(password, stored ?? decoy) && stored != nil
            guard fits, let stored, Self.isOutdated(stored, policy) else {
                return then(Verdict(isRight: fits, newHash: nil))
            }
            then(Verdict(isRight: true, newHash: Self.hash(password, policy)))
        }
    }

    /// Works off what waits and ends the threads.
    package func stop() { self.pool.stop() }

    private static func hash(_ password: String, _ policy: PasswordPolicy) -> String? {
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let count = UInt64(password.utf8.count)
        let code = crypto_pwhash_str_alg(
            &text, password, count, UInt64(policy.passes), policy.memoryBytes, crypto_pwhash_ALG_ARGON2ID13)
        guard code == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func verify(_ password: String, _ stored: String) -> Bool {
        // libsodium reads exactly this many bytes at most, up to the zero byte.
        guard stored.utf8.count < Int(crypto_pwhash_STRBYTES) else { return false }
        return crypto_pwhash_str_verify(stored, password, UInt64(password.utf8.count)) == 0
    }

    private static func isOutdated(_ stored: String, _ policy: PasswordPolicy) -> Bool {
        crypto_pwhash_str_needs_rehash(stored, UInt64(policy.passes), policy.memoryBytes) != 0
    }
}
