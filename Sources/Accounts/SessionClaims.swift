import ByteCodec
package import ChatModel

/// Claims of a session token about the session it was given to.
///
/// Its text is base64url of a payload and its HMAC-SHA256 under a key of this server: at most 512 bytes, and nothing is
/// stored for it.
package struct SessionClaims: Hashable, Sendable {
    /// Person of the session.
    package var user: UserID
    /// Name of the person.
    package var name: UserName
    /// Role of the person.
    package var role: UserRole
    /// The tag under which sessions exclude each other, as `tagMark` makes it; `nil` for none.
    package let tag: String?
    /// Device, as `deviceMark` makes it; `nil` when the client did not name it.
    package let deviceID: String?
    /// UTC milliseconds; set when the token is issued.
    package internal(set) var issuedAtMilliseconds: Int64 = 0
    /// How long it is good for; set when it is issued.
    package internal(set) var lifetimeSeconds: Int64 = 0

    package init(_ identity: Identity, tag: String? = nil, deviceID: String? = nil) {
        self.init(
            user: identity.user, name: identity.name, role: identity.role, tag: tag.map(Self.tagMark),
            deviceID: deviceID.map(Self.deviceMark))
    }

    fileprivate init(user: UserID, name: UserName, role: UserRole, tag: String?, deviceID: String?) {
        self.user = user
        self.name = name
        self.role = role
        self.tag = tag
        self.deviceID = deviceID
    }

    var expiresAtMilliseconds: Int64 { self.issuedAtMilliseconds + self.lifetimeSeconds * 1_000 }

    /// A tag as claims hold it: itself up to 28 bytes, else a hash of it.
    package static func tagMark(_ tag: String) -> String { Self.mark(tag, keepingBytes: 28) }

    /// A device id as claims hold it: itself up to 36 bytes, as a UUID has, else a hash of it.
    package static func deviceMark(_ deviceID: String) -> String { Self.mark(deviceID, keepingBytes: 36) }

    private static func mark(_ text: String, keepingBytes kept: Int) -> String {
        guard text.utf8.count > kept else { return text }
        return "~" + Sodium.base64(Array(Sodium.hash(Array(text.utf8)).prefix(16)))
    }
}

/// The text of a session token.
struct SessionToken: Equatable {
    var claims: SessionClaims
    /// How often the person's tokens were taken back when it was issued.
    var revocation: Int64
    /// Everybody was believed when it was issued: it proves nothing where that is no longer so.
    var isFromOpenSignIn: Bool

    /// Most bytes of a text.
    static let maximumBytes = 512
    private static let version: UInt8 = 1
    private static let proofBytes = 32
    /// In the byte of the role.
    private static let openSignInBit: UInt8 = 0x80

    func text(key: [UInt8]) -> String {
        let payload = self.payload
        return Sodium.base64(payload + Digest.hmacSHA256(payload, key: key))
    }

    /// - Returns: `nil` unless it is what `text` made with this key.
    init?(_ text: String, key: [UInt8]) {
        guard text.utf8.count <= Self.maximumBytes, let bytes = Base64.decode(Array(text.utf8), .urlSafe),
            bytes.count > Self.proofBytes
        else { return nil }
        let payload = Array(bytes.dropLast(Self.proofBytes))
        guard Sodium.isEqual(Digest.hmacSHA256(payload, key: key), Array(bytes.suffix(Self.proofBytes))) else {
            return nil
        }
        guard let token = payload.withUnsafeBytes({ (try? Self.read($0)) ?? nil }) else { return nil }
        self = token
    }

    init(claims: SessionClaims, revocation: Int64, isFromOpenSignIn: Bool) {
        self.claims = claims
        self.revocation = revocation
        self.isFromOpenSignIn = isFromOpenSignIn
    }

    // MARK: The payload

    // Version, role, user, revocation, issue and lifetime as numbers; name, tag and device as texts, an empty one for
    // none. With the longest of all of them 352 bytes, which with the proof make 512 characters.
    private var payload: [UInt8] {
        var writer = ByteWriter(capacity: 352)
        writer.u8(Self.version)
        writer.u8(UInt8(self.claims.role.rawValue) | (self.isFromOpenSignIn ? Self.openSignInBit : 0))
        writer.varint(UInt64(self.claims.user.rawValue))
        writer.varint(UInt64(self.revocation))
        writer.varint(UInt64(max(0, self.claims.issuedAtMilliseconds)))
        writer.varint(UInt64(self.claims.lifetimeSeconds))
        for text in [self.claims.name.text, self.claims.tag ?? "", self.claims.deviceID ?? ""] { writer.string(text) }
        return writer.bytes
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) -> SessionToken? {
        var reader = ByteReader(bytes)
        guard try reader.u8() == Self.version else { return nil }
        let roleByte = try reader.u8()
        guard let role = UserRole(rawValue: Int64(roleByte & ~Self.openSignInBit)) else { return nil }
        let numbers = [try reader.varint(), try reader.varint(), try reader.varint(), try reader.varint()]
        let (name, tag, device) = (try reader.string(), try reader.string(), try reader.string())
        try reader.finish()
        guard let name = UserName(name), numbers.allSatisfy({ $0 <= UInt64(Int64.max) }) else { return nil }
        var claims = SessionClaims(
            user: UserID(rawValue: Int64(numbers[0])), name: name, role: role, tag: tag.isEmpty ? nil : tag,
            deviceID: device.isEmpty ? nil : device)
        claims.issuedAtMilliseconds = Int64(numbers[2])
        claims.lifetimeSeconds = Int64(numbers[3])
        return SessionToken(
            claims: claims, revocation: Int64(numbers[1]), isFromOpenSignIn: roleByte & Self.openSignInBit != 0)
    }
}
