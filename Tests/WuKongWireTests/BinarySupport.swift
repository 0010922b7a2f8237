import ByteCodec
import WuKongWire

/// Reads a frame as the server does.
func decodeClient(_ frame: [UInt8], _ version: BinaryVersion = .latest) throws -> BinaryClientPacket {
    try frame.withUnsafeBytes { try BinaryClientPacket(decoding: $0, version: version) }
}

/// Reads a frame as a client does.
func decodeServer(_ frame: [UInt8], _ version: BinaryVersion = .latest) throws -> BinaryServerPacket {
    try frame.withUnsafeBytes { try BinaryServerPacket(decoding: $0, version: version) }
}

/// Bytes that a server writes.
func serverBytes(_ write: (inout BinaryPacketWriter) throws -> Void) rethrows -> [UInt8] {
    var writer = BinaryPacketWriter()
    try write(&writer)
    return writer.bytes
}

/// Bytes that a client writes.
func clientBytes(_ write: (inout BinaryClientWriter) throws -> Void) rethrows -> [UInt8] {
    var writer = BinaryClientWriter()
    try write(&writer)
    return writer.bytes
}

extension BinaryClientWriter {
    /// Any packet of a client.
    mutating func write(_ packet: BinaryClientPacket, _ version: BinaryVersion) {
        switch packet {
        case .connect(let connect): self.connect(connect)
        case .send(let send): self.send(send, version: version)
        case .receiveAcknowledge(let id, let sequence, let header):
            self.receiveAcknowledge(messageID: id, sequence: sequence, header: header)
        case .ping: self.ping()
        case .disconnect(let reason, let text): self.disconnect(reason: reason, text: text)
        case .subscribe(let subscribe): self.subscribe(subscribe)
        }
    }
}

/// The frames that pieces of a stream give, and the error that ended it.
func split(
    _ bytes: [UInt8], pieces size: Int = .max, maximumBytes: Int = 1 << 20
) -> (frames: [[UInt8]], error: BinaryWireError?) {
    var splitter = BinaryFrameSplitter(maximumBytes: maximumBytes)
    var frames: [[UInt8]] = []
    var start = 0
    do throws(BinaryWireError) {
        while start < bytes.count {
            let count = min(size, bytes.count - start)
            try bytes[start..<start + count].withUnsafeBufferPointer { piece throws(BinaryWireError) in
                try splitter.append(UnsafeRawBufferPointer(piece)) { frames.append([UInt8]($0)) }
            }
            start += count
        }
        return (frames, nil)
    } catch {
        return (frames, error)
    }
}

/// The same numbers in every run (xorshift64*), so that a failure can be repeated from its seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func next() -> UInt64 {
        self.state ^= self.state >> 12
        self.state ^= self.state << 25
        self.state ^= self.state >> 27
        return self.state &* 0x2545_F491_4F6C_DD1D
    }
}
