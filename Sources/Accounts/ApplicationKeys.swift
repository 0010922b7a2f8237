import ByteCodec

/// The id and the keys of the app that this server serves, as they count at one moment. Its keys have no printable form.
package struct ApplicationKeys: Sendable, CustomStringConvertible, CustomReflectable {
    /// Rights that a key gives.
    package enum Caller: Hashable, Sendable {
        /// Holds the app key, which is in every client: proves little.
        case client
        /// Holds the master key: may do everything.
        case master
    }

    /// ID of the app.
    package let appID: String
    /// The key first, then one that was replaced and still counts.
    let appKeys: [String]
    let masterKeys: [String]

    /// Fits nothing.
    static let none = ApplicationKeys(appID: "", appKeys: [], masterKeys: [])

    /// How far the time in `X-LC-Sign` may be from the server's, before or after, milliseconds. The bound is ours:
    /// LeanCloud does not tell its own.
    package static let restSignWindowMilliseconds: Int64 = 600_000

    /// True when the text is an app key; the time taken tells nothing.
    package func matchesAppKey(_ text: String) -> Bool { Self.fits(text, self.appKeys) }

    /// True when the text is a master key in force; the time taken tells nothing.
    package func matchesMasterKey(_ text: String) -> Bool { Self.fits(text, self.masterKeys) }

    /// Rights of the header `X-LC-Key`: an app key, or a master key with `,master` behind it.
    ///
    /// - Returns: `nil` when the key is wrong.
    package func verifyRESTKey(_ header: String) -> Caller? {
        let parts = Self.parts(of: header)
        switch parts.count {
        case 1: return self.matchesAppKey(parts[0]) ? .client : nil
        case 2 where parts[1] == Self.masterWord: return self.matchesMasterKey(parts[0]) ? .master : nil
        default: return nil
        }
    }

    /// Rights of the header `X-LC-Sign`: the MD5 of a time and a key, in hexadecimal, the time in milliseconds, and
    /// `master` when the key is the master key, with commas between.
    ///
    /// Source: LeanCloud REST guide, "Signing requests".
    ///
    /// - Parameter now: UTC milliseconds.
    /// - Returns: `nil` when it is wrong, or its time further away than `restSignWindowMilliseconds`.
    package func verifyRESTSign(_ header: String, now: Int64) -> Caller? {
        let parts = Self.parts(of: header)
        guard parts.count == 2 || (parts.count == 3 && parts[2] == Self.masterWord),
            let digest = Hex.decode(parts[0]), digest.count == 16,
            (1...16).contains(parts[1].utf8.count), let time = Int64(parts[1])
        else { return nil }
        let distance = now - ActionSignature.milliseconds(time)
        guard (-Self.restSignWindowMilliseconds...Self.restSignWindowMilliseconds).contains(distance) else {
            return nil
        }
        let isMaster = parts.count == 3
        var isRight = false
        for key in isMaster ? self.masterKeys : self.appKeys {
            guard let wanted = Digest.md5(Array((parts[1] + key).utf8)) else { return nil }
            isRight = Sodium.isEqual(digest, wanted) || isRight
        }
        return isRight ? (isMaster ? .master : .client) : nil
    }

    /// Makes the `X-LC-Sign` of a time.
    ///
    /// - Returns: `nil` without keys, or where there is no MD5.
    func restSign(asMaster: Bool, timestamp: String) -> (text: String, header: String)? {
        guard let key = (asMaster ? self.masterKeys : self.appKeys).first,
            let digest = Digest.md5(Array((timestamp + key).utf8))
        else { return nil }
        let tail = asMaster ? ",\(Self.masterWord)" : ""
        return ("\(timestamp)<\(asMaster ? "master" : "app") key>", "\(Hex.encode(digest)),\(timestamp)\(tail)")
    }

    /// True when a signature fits, whatever its time.
    func isRight(_ signature: ActionSignature, for action: SignedAction) -> Bool {
        guard let given = Hex.decode(signature.signature), given.count == 20 else { return false }
        let texts = action.texts(appID: self.appID, timestamp: String(signature.timestamp), nonce: signature.nonce)
        var isRight = false
        for key in self.masterKeys {
            for text in texts {
                guard let wanted = Digest.hmacSHA1(Array(text.utf8), key: Array(key.utf8)) else { return false }
                isRight = Sodium.isEqual(given, wanted) || isRight
            }
        }
        return isRight
    }

    /// Makes the text that the app's own server has to sign, and the signature.
    ///
    /// - Returns: `nil` without keys, or where there is no HMAC-SHA1.
    func sign(_ action: SignedAction, timestamp: Int64, nonce: String) -> (text: String, signature: String)? {
        let texts = action.texts(appID: self.appID, timestamp: String(timestamp), nonce: nonce)
        guard let key = self.masterKeys.first,
            let digest = Digest.hmacSHA1(Array(texts[0].utf8), key: Array(key.utf8))
        else { return nil }
        return (texts[0], Hex.encode(digest))
    }

    package var description: String { "(the keys of \(self.appID))" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    // MARK: Small parts

    private static let masterWord = "master"

    private static func parts(of header: String) -> [String] {
        // No part holds a space.
        header.split(separator: ",", maxSplits: 3, omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
    }

    /// Compares hashes, in a time that tells neither the length nor a difference.
    private static func fits(_ text: String, _ keys: [String]) -> Bool {
        let given = Sodium.hash(Array(text.utf8))
        var fits = false
        for key in keys { fits = Sodium.isEqual(given, Sodium.hash(Array(key.utf8))) || fits }
        return fits
    }
}
