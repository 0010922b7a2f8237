/// One frame from a WebSocket server.
///
/// Source: RFC 6455, section 5.2.
package struct WebSocketFrame: Equatable {
    /// Kind of a frame.
    package enum Kind: Equatable { case text, binary, close, ping, pong }

    /// Kind of the frame.
    package var kind: Kind
    /// Where the payload starts in the bytes that were read, and its length.
    package var payloadOffset: Int
    /// Bytes of the payload.
    package var payloadCount: Int

    package init(kind: Kind, payloadOffset: Int, payloadCount: Int) {
        self.kind = kind
        self.payloadOffset = payloadOffset
        self.payloadCount = payloadCount
    }

    /// Bytes of the whole frame.
    package var count: Int { self.payloadOffset + self.payloadCount }

    /// Reads the frame at the start of `bytes`; `nil` when it is not whole yet.
    ///
    /// - Throws: `server` for what no server has a reason to send: masked, fragmented or huge frames.
    package static func read(_ bytes: UnsafeRawBufferPointer) throws(BenchError) -> WebSocketFrame? {
        guard bytes.count >= 2 else { return nil }
        let kind = try self.kind(of: bytes[0])
        guard bytes[1] & 0x80 == 0 else { throw .server("the server sent a masked WebSocket frame") }
        var header = 2
        var count = Int(bytes[1])
        if count >= 126 {
            let lengthBytes = count == 126 ? 2 : 8
            header += lengthBytes
            guard bytes.count >= header else { return nil }
            count = 0
            for place in 2..<header { count = count << 8 | Int(bytes[place]) }
            guard count >= 0, count <= 1 << 20 else { throw .server("the server sent a frame of more than 1 MiB") }
        }
        guard bytes.count >= header + count else { return nil }
        return WebSocketFrame(kind: kind, payloadOffset: header, payloadCount: count)
    }

    private static func kind(of first: UInt8) throws(BenchError) -> Kind {
        switch first {
        case 0x81: return .text
        case 0x82: return .binary
        case 0x88: return .close
        case 0x89: return .ping
        case 0x8a: return .pong
        default: throw .server("the server sent a WebSocket frame that starts with byte \(first): no whole message")
        }
    }

    /// Most bytes of a client's header.
    static let longestHeader = 8

    /// Writes a client's header for a payload below 64 KiB; returns its length.
    ///
    /// The mask is four zeros: the server has to do its work all the same, and the generator saves its own.
    @discardableResult
    static func writeHeader(_ opcode: UInt8, payloadCount: Int, to out: UnsafeMutablePointer<UInt8>) -> Int {
        out[0] = 0x80 | opcode
        var offset = 2
        if payloadCount < 126 {
            out[1] = 0x80 | UInt8(payloadCount)
        } else {
            out[1] = 0x80 | 126
            out[2] = UInt8(payloadCount >> 8)
            out[3] = UInt8(payloadCount & 0xff)
            offset = 4
        }
        for place in offset..<(offset + 4) { out[place] = 0 }
        return offset + 4
    }

    /// A client's frame.
    package static func bytes(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: self.longestHeader)
        let count = header.withUnsafeMutableBufferPointer {
            self.writeHeader(opcode, payloadCount: payload.count, to: $0.baseAddress!)
        }
        return header.prefix(count) + payload
    }
}
