/// Kind of a frame. Source: RFC 6455 section 5.2.
package enum WebSocketOpcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames are never fragmented and carry at most 125 bytes.
    var isControl: Bool { self.rawValue >= 0x8 }
}

/// Why a WebSocket was closed. Source: RFC 6455 section 7.4 and the IANA WebSocket registry.
package struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Normal end.
    package static let normal = WebSocketCloseCode(rawValue: 1000)
    /// The server stops, or the page was left.
    package static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// The peer broke the protocol.
    package static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// A kind of message that this endpoint does not take.
    package static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
    /// A payload that does not fit its kind, such as text that is not UTF-8.
    package static let invalidPayload = WebSocketCloseCode(rawValue: 1007)
    /// A rule of the server was broken.
    package static let policyViolation = WebSocketCloseCode(rawValue: 1008)
    /// A message over the maximum size.
    package static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
    /// An error of the server.
    package static let internalError = WebSocketCloseCode(rawValue: 1011)
    /// The server restarts; the client may connect again.
    package static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
    /// The server has no room; the client should wait before it connects again.
    package static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)

    /// True when the code may stand in a close frame: 1004-1006 and 1015 may not, 1016-2999 have no meaning yet.
    package var mayBeSent: Bool {
        switch self.rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// Layout of a frame.
///
/// Byte 0: FIN, three reserved bits, opcode. Byte 1: MASK, 7 bits of length; 126 means that two bytes of length follow,
/// 127 eight, both big-endian. Then four bytes of masking key when MASK is set. Source: RFC 6455 section 5.2.
package enum WebSocketFrame {
    /// Maximum bytes of a header without a mask.
    package static let maximumHeaderCount = 10
    /// Maximum payload bytes of a control frame. Source: RFC 6455 section 5.5.
    package static let maximumControlPayload = 125

    /// Writes the header of a final, unmasked frame; returns its length, 2, 4 or 10.
    static func writeHeader(_ opcode: WebSocketOpcode, payloadCount: Int, to room: UnsafeMutableRawPointer) -> Int {
        room.storeBytes(of: 0x80 | opcode.rawValue, as: UInt8.self)
        if payloadCount < 126 {
            room.storeBytes(of: UInt8(payloadCount), toByteOffset: 1, as: UInt8.self)
            return 2
        }
        if payloadCount <= 0xFFFF {
            room.storeBytes(of: 126, toByteOffset: 1, as: UInt8.self)
            room.storeBytes(of: UInt16(payloadCount).bigEndian, toByteOffset: 2, as: UInt16.self)
            return 4
        }
        room.storeBytes(of: 127, toByteOffset: 1, as: UInt8.self)
        room.storeBytes(of: UInt64(payloadCount).bigEndian, toByteOffset: 2, as: UInt64.self)
        return 10
    }

    /// The payload of a close frame: the code, then the reason in UTF-8, cut at a character so that both fit.
    package static func closePayload(_ code: WebSocketCloseCode, reason: String) -> [UInt8] {
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for character in reason.unicodeScalars {
            let encoded = UTF8.encode(character).map(Array.init) ?? []
            guard payload.count + encoded.count <= Self.maximumControlPayload else { break }
            payload += encoded
        }
        return payload
    }

    /// Applies the masking key in place, eight bytes at a time. Source: RFC 6455 section 5.3.
    ///
    /// - Parameter key: the four key bytes as they stand on the wire, loaded as a native integer.
    package static func unmask(_ bytes: UnsafeMutableRawBufferPointer, key: UInt32) {
        guard let base = bytes.baseAddress else { return }
        let wide = UInt64(key) | UInt64(key) << 32
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            base.storeBytes(of: word ^ wide, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        // `offset` is a multiple of 8, so byte `n` of the tail meets key byte `n % 4`; Linux here is little-endian.
        var rest = wide
        while offset < bytes.count {
            bytes[offset] ^= UInt8(truncatingIfNeeded: rest)
            rest >>= 8
            offset += 1
        }
    }
}
