import ByteCodec
import Execution
package import Store

// How the keys come from the store, and how they are replaced.
extension AppAuthenticator {
    /// The file with the key that the app's keys are sealed with.
    package static func keyPath(in folder: String) -> String { "\(folder)/app.key" }

    /// How the ids of apps end that LeanCloud's SDKs take for ones of the region with custom addresses of their own.
    package static let appIDSuffix = "-gzGzoHsz"
    /// Characters of a key made here, and of an id before its end: as many as LeanCloud's have.
    private static let characters = 24
    /// Allowed lengths of a key that an operator brings along, characters.
    package static let keyLengths = 16...256
    /// Allowed lengths of an app ID that an operator brings along, characters.
    package static let appIDLengths = 8...64
    /// The longest time that a key counts beside the one that replaced it, seconds: 90 days.
    package static let longestOverlapSeconds: Int64 = 7_776_000

    /// Reads the app from the store, or makes it, with the file its keys are sealed with. For start-up: blocks.
    ///
    /// - Parameter appID: what the operator wants it to be; `nil` for what it is, at the first start a random one.
    /// - Throws: `invalid` when the file is missing while there are keys that were sealed with it, does not fit them,
    ///   or can be read by others; `full`.
    package func open(appID: String? = nil) throws(StoreError) {
        let (stored, tokenKey, revocations) = try self.store.readAndWait { transaction throws(StoreError) in
            (
                try transaction.apps.application(), try transaction.apps.sessionTokenKey(),
                try transaction.apps.sessionRevocations()
            )
        }
        let (sealingKey, isNew) = try self.sealingKey(hasKeys: stored != nil)
        let vault: AppVault
        if let stored, !isNew {
            vault = try self.opened(stored, with: sealingKey, appID: appID)
        } else {
            vault = try self.makeApplication(appID: appID ?? stored?.appID, with: sealingKey)
        }
        self.state.withLock { state in
            state.vault = vault
            state.tokenKey = tokenKey
            state.revocations.merge(revocations) { max($0, $1) }
        }
    }

    /// The app with its keys; `nil` before `open`.
    package var application: AppDescription? {
        let now = self.now
        guard let vault = self.state.withLock({ $0.vault }) else { return nil }
        return AppDescription(
            appID: vault.appID, appKey: vault.appKey.current, masterKey: vault.masterKey.current,
            previousAppKeyUntilMilliseconds: vault.appKey.previousUntil(at: now),
            previousMasterKeyUntilMilliseconds: vault.masterKey.previousUntil(at: now))
    }

    /// Replaces a key. The one before counts for some time more; one that still counted from before that no longer
    /// does.
    ///
    /// - Parameters:
    ///   - value: `nil` for a random one.
    ///   - overlapSeconds: 0...`longestOverlapSeconds`.
    package func rotate(
        _ kind: AppKeyKind, to value: String? = nil, overlapSeconds: Int64, auditing note: AuditNote? = nil,
        then: @escaping @Sendable (Result<AppDescription, StoreError>) -> Void
    ) {
        let key = value ?? Self.randomText()
        if let problem = Self.problem(withKey: key) { return then(.failure(.invalid(problem))) }
        guard (0...Self.longestOverlapSeconds).contains(overlapSeconds) else {
            return then(.failure(.invalid("the old key may count 0 to \(Self.longestOverlapSeconds) seconds more")))
        }
        let until = self.now + overlapSeconds * 1_000
        guard let sealingKey = self.state.withLock({ $0.vault?.sealingKey }) else {
            return then(.failure(Self.notServed))
        }
        let sealed = Sodium.seal(Array(key.utf8), key: sealingKey)
        self.store.write(
            auditing: note,
            { transaction throws(StoreError) -> StoredApplication in
                guard var stored = try transaction.reading.apps.application() else { throw Self.notServed }
                switch kind {
                case .appKey:
                    stored.previousAppKey =
                        overlapSeconds == 0 ? nil : .init(sealed: stored.sealedAppKey, untilMilliseconds: until)
                    stored.sealedAppKey = sealed
                case .masterKey:
                    stored.previousMasterKey =
                        overlapSeconds == 0 ? nil : .init(sealed: stored.sealedMasterKey, untilMilliseconds: until)
                    stored.sealedMasterKey = sealed
                }
                try transaction.apps.setApplication(stored)
                return stored
            }
        ) { result in
            // On the writer's thread, so in the order of the changes.
            then(result.flatMap { self.replaced($0, with: sealingKey) })
        }
    }

    private func replaced(
        _ stored: StoredApplication, with sealingKey: [UInt8]
    ) -> Result<AppDescription, StoreError> {
        do throws(StoreError) {
            let vault = try self.unsealed(stored, with: sealingKey)
            self.state.withLock { $0.vault = vault }
        } catch {
            return .failure(error)
        }
        return self.application.map { .success($0) } ?? .failure(Self.notServed)
    }

    private static var notServed: StoreError {
        .invalid("LeanCloud's clients are not served here: set leancloud.enabled and start again")
    }

    // MARK: What an app's own server does

    /// Makes the text that the app's own server has to sign for an action, and the signature. Uses nothing up.
    ///
    /// - Returns: `nil` before `open`, or where there is no HMAC-SHA1.
    package func sign(_ action: SignedAction, timestamp: Int64, nonce: String) -> (text: String, signature: String)? {
        self.keys.sign(action, timestamp: timestamp, nonce: nonce)
    }

    /// The header `X-LC-Sign` for a time in milliseconds. Its text names the key and does not hold it.
    ///
    /// - Returns: `nil` before `open`, or where there is no MD5.
    package func signREST(asMaster: Bool, timestamp: Int64) -> (text: String, header: String)? {
        self.keys.restSign(asMaster: asMaster, timestamp: String(timestamp))
    }

    // MARK: The key the keys are sealed with

    /// - Returns: with whether it was made now, or is to be taken for a new one.
    private func sealingKey(hasKeys: Bool) throws(StoreError) -> (key: [UInt8], isNew: Bool) {
        let path = Self.keyPath(in: self.folder)
        switch try SecretFile.read(path, maximumBytes: 64) {
        case .text(let text): return (try Self.sealingKey(text, path), false)
        case .missing where hasKeys:
            throw .invalid(
                """
                \(path) is missing, and the app's keys cannot be read without it: put it back from a backup; or, for new \
                keys in place of the lost ones, make it an empty file (install -m 600 /dev/null \(path)) and start again
                """)
        case .empty, .missing:
            let key = Sodium.randomBytes(Sodium.sealingKeyBytes)
            try SecretFile.replace(path, Hex.encode(key))
            return (key, true)
        }
    }

    private static func sealingKey(_ text: String, _ path: String) throws(StoreError) -> [UInt8] {
        guard let key = Hex.decode(text), key.count == Sodium.sealingKeyBytes else {
            throw .invalid("\(path) holds no key of 64 hexadecimal digits: put it back from a backup")
        }
        return key
    }

    // MARK: The app

    private func makeApplication(appID: String?, with sealingKey: [UInt8]) throws(StoreError) -> AppVault {
        let seal: (String) -> [UInt8] = { Sodium.seal(Array($0.utf8), key: sealingKey) }
        let stored = StoredApplication(
            appID: appID ?? Self.randomText() + Self.appIDSuffix, sealedAppKey: seal(Self.randomText()),
            sealedMasterKey: seal(Self.randomText()))
        try self.store.writeAndWait { transaction throws(StoreError) in try transaction.apps.setApplication(stored) }
        self.log.info(
            "app_made", ["app": .name(stored.appID), "advice": .text("teahouse ctl app keys prints its keys")])
        return try self.unsealed(stored, with: sealingKey)
    }

    private func opened(
        _ stored: StoredApplication, with sealingKey: [UInt8], appID: String?
    ) throws(StoreError) -> AppVault {
        var stored = stored
        var vault = try self.unsealed(stored, with: sealingKey)
        if let appID, appID != stored.appID {
            stored.appID = appID
            vault.appID = appID
            let renamed = stored
            try self.store.writeAndWait { transaction throws(StoreError) in try transaction.apps.setApplication(renamed)
            }
        }
        return vault
    }

    private func unsealed(_ stored: StoredApplication, with sealingKey: [UInt8]) throws(StoreError) -> AppVault {
        let folder = self.folder
        let open: ([UInt8]) throws(StoreError) -> String = { (sealed: [UInt8]) throws(StoreError) -> String in
            guard let bytes = Sodium.open(sealed, key: sealingKey) else {
                throw .invalid(
                    """
                    \(Self.keyPath(in: folder)) is not the file that the app's keys were sealed with: put the one back \
                    that belongs to this database
                    """)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        var vault = AppVault(
            sealingKey: sealingKey, appID: stored.appID, appKey: .init(current: try open(stored.sealedAppKey)),
            masterKey: .init(current: try open(stored.sealedMasterKey)))
        if let previous = stored.previousAppKey {
            vault.appKey.previous = (try open(previous.sealed), previous.untilMilliseconds)
        }
        if let previous = stored.previousMasterKey {
            vault.masterKey.previous = (try open(previous.sealed), previous.untilMilliseconds)
        }
        return vault
    }

    /// Problem with a key that an operator brings along; `nil` when it is accepted.
    private static func problem(withKey key: String) -> String? {
        let isPlain = key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }
        guard Self.keyLengths.contains(key.utf8.count), isPlain else {
            return "a key has 16 to 256 printable characters without spaces and commas: nothing was changed"
        }
        return nil
    }

    private static func randomText() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var generator = SystemRandomNumberGenerator()
        let text = (0..<Self.characters).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }
        return String(decoding: text, as: UTF8.self)
    }
}
