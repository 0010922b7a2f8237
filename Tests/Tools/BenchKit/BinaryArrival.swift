import Glibc
import WuKongWire

/// Facts that the generator needs of every RECV, at their place in the packet.
///
/// The body in version 5: setting 1, messageKey, fromUID, channelID, channelType 1, expire 4, clientMessageNumber,
/// messageID 8, sequence 4, timestamp 4, payload; a string is a 16-bit length and its bytes.
struct BinaryArrival {
    /// Valid as long as the packet is.
    let clientMessageNumber: UnsafeRawBufferPointer
    let sequence: UInt32
    private let flags: UInt8
    /// messageID and sequence as they stand in the packet, which is how RECVACK has them.
    private let identity: UnsafeRawBufferPointer

    private static let identityCount = 12

    /// - Parameter packet: one whole RECV.
    /// - Returns: `nil` when it ends too early.
    init?(_ header: BinaryFrame, _ packet: UnsafeRawBufferPointer) {
        var offset = header.headerBytes + 1
        guard Self.skipString(packet, &offset) != nil, Self.skipString(packet, &offset) != nil,
            Self.skipString(packet, &offset) != nil
        else { return nil }
        offset += 5
        guard let number = Self.skipString(packet, &offset), offset + Self.identityCount <= packet.count else {
            return nil
        }
        self.clientMessageNumber = number
        self.identity = packet.part(offset, Self.identityCount)
        self.sequence = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self))
        self.flags = header.flags
    }

    private static func skipString(
        _ packet: UnsafeRawBufferPointer, _ offset: inout Int
    ) -> UnsafeRawBufferPointer? {
        guard offset + 2 <= packet.count else { return nil }
        let count = Int(packet[offset]) << 8 | Int(packet[offset + 1])
        let start = offset + 2
        guard start + count <= packet.count else { return nil }
        offset = start + count
        return packet.part(start, count)
    }

    /// Writes the RECVACK, with the flags of the RECV as most SDKs do, in a WebSocket frame of its own.
    func acknowledge(to unsent: inout ByteBuffer) {
        let count = 2 + Self.identityCount
        let out = unsent.reserve(count + WebSocketFrame.longestHeader).assumingMemoryBound(to: UInt8.self)
        let header = WebSocketFrame.writeHeader(2, payloadCount: count, to: out)
        out[header] = BinaryPacketType.receiveAcknowledge.rawValue << 4 | self.flags
        out[header + 1] = UInt8(Self.identityCount)
        memcpy(out + header + 2, self.identity.baseAddress!, Self.identityCount)
        unsent.commit(header + count)
    }
}
