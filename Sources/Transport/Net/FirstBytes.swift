/// Protocol of a connection, judged by its first bytes. Pure.
///
/// After white space: `16 03` is TLS, `{` a stream of JSON, a capital letter HTTP, any other byte `1x` a binary stream.
/// The method of a request is written in capitals; small letters are, for one, the pings of a lost binary stream.
package enum FirstBytes: Equatable {
    /// Nothing to say yet: wait until at least `minimum` bytes are there.
    case undecided(minimum: Int)
    case tls(skip: Int)
    case http(skip: Int)
    case json(skip: Int)
    case binary(skip: Int)
    /// The PROXY header of a configured proxy; what follows it is judged anew.
    case proxy(length: Int, PeerAddress?)
    case unknown

    /// White space that is skipped at most: more of it is nobody's protocol.
    static let maximumWhiteSpace = 64
    /// Bytes that always suffice to decide.
    static let sufficient = 600

    /// - Parameters:
    ///   - isProxy: the peer is configured as a proxy, and has not introduced a client yet.
    ///   - isInsideTLS: inside, another TLS is not looked for.
    package static func judge(_ bytes: UnsafeRawBufferPointer, isProxy: Bool, isInsideTLS: Bool) -> FirstBytes {
        if isProxy, let verdict = ProxyHeader.judge(bytes) { return verdict }
        let skip = bytes.prefix { $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }.count
        guard skip <= Self.maximumWhiteSpace else { return .unknown }
        guard skip < bytes.count else { return .undecided(minimum: skip + 1) }
        switch bytes[skip] {
        case 0x16:
            // A binary stream may start with 0x16 too: the second byte tells.
            guard bytes.count > skip + 1 else { return .undecided(minimum: skip + 2) }
            guard bytes[skip + 1] == 0x03 else { return .binary(skip: skip) }
            return isInsideTLS ? .unknown : .tls(skip: skip)
        case UInt8(ascii: "{"): return .json(skip: skip)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return .http(skip: skip)
        case 0x10...0x1F: return .binary(skip: skip)
        default: return .unknown
        }
    }
}

/// How a proxy tells whose connection it passes on. Source: "The PROXY protocol", versions 1 and 2, HAProxy.
enum ProxyHeader {
    private static let secondSignature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let firstSignature = Array("PROXY ".utf8)
    /// Maximum bytes of a version 1 line with its CRLF.
    private static let maximumLine = 107

    /// `nil` when the bytes are no PROXY header.
    static func judge(_ bytes: UnsafeRawBufferPointer) -> FirstBytes? {
        guard !bytes.isEmpty else { return .undecided(minimum: 1) }
        if Self.begins(bytes, Self.firstSignature) {
            guard bytes.count >= Self.firstSignature.count else { return .undecided(minimum: bytes.count + 1) }
            return Self.first(bytes)
        }
        if Self.begins(bytes, Self.secondSignature) {
            guard bytes.count >= 16 else { return .undecided(minimum: 16) }
            return Self.second(bytes)
        }
        return nil
    }

    /// True when the bytes that have arrived agree with the signature.
    private static func begins(_ bytes: UnsafeRawBufferPointer, _ signature: [UInt8]) -> Bool {
        bytes.prefix(signature.count).elementsEqual(signature.prefix(bytes.count))
    }

    /// `PROXY TCP4 192.168.1.5 192.168.1.1 56324 7677 CRLF`, or `PROXY UNKNOWN ... CRLF`.
    private static func first(_ bytes: UnsafeRawBufferPointer) -> FirstBytes {
        guard let end = bytes.prefix(Self.maximumLine).firstIndex(of: 0x0A) else {
            return bytes.count >= Self.maximumLine ? .unknown : .undecided(minimum: bytes.count + 1)
        }
        guard bytes[end - 1] == 0x0D else { return .unknown }
        let words = bytes[..<(end - 1)].split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        if words.count >= 2, words[1] == "UNKNOWN" { return .proxy(length: end + 1, nil) }
        guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6",
            let address = IPAddress(words[2]), let port = UInt16(words[4])
        else { return .unknown }
        return .proxy(length: end + 1, PeerAddress(address: address, port: port))
    }

    /// Signature, `version << 4 | command`, `family << 4 | transport`, two bytes of length, addresses, more.
    private static func second(_ bytes: UnsafeRawBufferPointer) -> FirstBytes {
        let length = 16 + (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard bytes[12] >> 4 == 2, length <= FirstBytes.sufficient else { return .unknown }
        guard bytes.count >= length else { return .undecided(minimum: length) }
        // Command 0 is the proxy's own health check.
        guard bytes[12] & 0x0F == 1 else { return .proxy(length: length, nil) }
        let addressBytes: Int
        switch bytes[13] {
        case 0x11: addressBytes = 4
        case 0x21: addressBytes = 16
        default: return .proxy(length: length, nil)
        }
        let portOffset = 16 + 2 * addressBytes
        guard length >= portOffset + 4, let address = IPAddress(bytes: bytes[16..<(16 + addressBytes)]) else {
            return .unknown
        }
        let port = UInt16(bytes[portOffset]) << 8 | UInt16(bytes[portOffset + 1])
        return .proxy(length: length, PeerAddress(address: address, port: port))
    }
}
