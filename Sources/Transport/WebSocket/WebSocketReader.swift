import ByteCodec

/// Why a client's frames cannot be read on.
package struct WebSocketError: Error, Equatable {
    /// Close code that the peer is told.
    package let code: WebSocketCloseCode
    /// Reason that the peer is told, at most 123 bytes.
    package let reason: String

    init(_ code: WebSocketCloseCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

/// Reads the frames of a WebSocket client and puts fragmented messages together. Pure: bytes in, events out.
///
/// Source: RFC 6455 sections 5.2 to 5.6, 7.1.5 and 8.1.
package struct WebSocketReader: ~Copyable {
    /// Event that the reader reports.
    package enum Event {
        /// A whole message; a text is valid UTF-8.
        case message(isText: Bool, UnsafeRawBufferPointer)
        /// To be answered with a pong of the same payload.
        case ping(UnsafeRawBufferPointer)
        case pong
        /// The client closes; without a code the frame was empty.
        case close(WebSocketCloseCode?)
    }

    /// Result of `next`.
    package enum Step {
        /// Not a whole frame yet: give the same bytes again, with more behind them.
        case incomplete
        /// A fragment was taken; `consumed` bytes are done.
        case fragment(consumed: Int)
        /// The event's bytes are valid until the next call or change of the input.
        case event(Event, consumed: Int)
    }

    private let maximumFragments: Int
    private var message = ByteQueue()
    /// The kind of the message whose fragments are being collected.
    private var messageOpcode: WebSocketOpcode?
    private var fragments = 0
    /// The fragments of a message that was handed out are freed at the next call.
    private var isDelivered = false

    /// Makes a reader that refuses a message of more fragments than this.
    package init(maximumFragments: Int) { self.maximumFragments = maximumFragments }

    /// Reads one frame from the front of `input`, which is unmasked in place.
    ///
    /// A frame is judged by its header alone as soon as that is there: nothing is ever allocated by a declared length.
    ///
    /// - Parameter maximumMessageBytes: 1009 for a message, in one frame or in fragments, that is longer.
    package mutating func next(
        _ input: UnsafeMutableRawBufferPointer, maximumMessageBytes: Int
    ) throws(WebSocketError) -> Step {
        if self.isDelivered {
            self.message.removeAll()
            self.isDelivered = false
        }
        guard input.count >= 2 else { return .incomplete }
        let header = try Header(input)
        try self.check(header)
        guard let payload = try header.payload(of: input) else {
            try self.checkSize(header, maximumMessageBytes)
            return .incomplete
        }
        try self.checkSize(header, maximumMessageBytes)
        guard payload.upperBound <= input.count else { return .incomplete }
        let bytes = UnsafeMutableRawBufferPointer(rebasing: input[payload])
        let key = input.loadUnaligned(fromByteOffset: payload.lowerBound - 4, as: UInt32.self)
        WebSocketFrame.unmask(bytes, key: key)
        return try self.takeFrame(header, UnsafeRawBufferPointer(bytes), consumed: payload.upperBound)
    }

    /// Most bytes that are looked at of a message that is too long.
    static let startBytes = 1_024

    /// The first bytes of the message that the frame at the front of `input` belongs to, unmasked; `nil` when none came.
    func startOfMessage(_ input: UnsafeRawBufferPointer) -> (bytes: [UInt8], isText: Bool)? {
        if let opcode = self.messageOpcode {
            return (Array(self.message.bytes.prefix(Self.startBytes)), opcode == .text)
        }
        var copy = Array(input.prefix(Self.startBytes))
        return copy.withUnsafeMutableBytes { bytes -> (bytes: [UInt8], isText: Bool)? in
            guard bytes.count >= 2, let header = try? Header(bytes), let payload = try? header.payload(of: bytes),
                payload.lowerBound < bytes.count
            else { return nil }
            let key = bytes.loadUnaligned(fromByteOffset: payload.lowerBound - 4, as: UInt32.self)
            let start = UnsafeMutableRawBufferPointer(rebasing: bytes[payload.lowerBound...])
            WebSocketFrame.unmask(start, key: key)
            return (Array(start), header.opcode == .text)
        }
    }

    /// Checks all that a frame's first two bytes tell.
    private func check(_ header: Header) throws(WebSocketError) {
        if header.opcode.isControl {
            guard header.isFinal else { throw WebSocketError(.protocolError, "fragmented control frame") }
            guard header.shortLength <= WebSocketFrame.maximumControlPayload else {
                throw WebSocketError(.protocolError, "control frame over 125 bytes")
            }
        } else if header.opcode == .continuation {
            guard self.messageOpcode != nil else {
                throw WebSocketError(.protocolError, "continuation without a start")
            }
        } else if self.messageOpcode != nil {
            throw WebSocketError(.protocolError, "new message inside a fragmented one")
        }
    }

    private func checkSize(_ header: Header, _ maximum: Int) throws(WebSocketError) {
        guard !header.opcode.isControl else { return }
        let soFar = self.messageOpcode == nil ? 0 : self.message.count
        guard header.length <= UInt64(max(0, maximum - soFar)) else {
            throw WebSocketError(.messageTooBig, "message over \(maximum) bytes")
        }
    }

    private mutating func takeFrame(
        _ header: Header, _ payload: UnsafeRawBufferPointer, consumed: Int
    ) throws(WebSocketError) -> Step {
        switch header.opcode {
        case .ping: return .event(.ping(payload), consumed: consumed)
        case .pong: return .event(.pong, consumed: consumed)
        case .close: return .event(.close(try Self.closeCode(payload)), consumed: consumed)
        case .text, .binary:
            if header.isFinal {
                let isText = header.opcode == .text
                return .event(try Self.whole(payload, isText: isText), consumed: consumed)
            }
            self.messageOpcode = header.opcode
            self.fragments = 1
        case .continuation:
            self.fragments += 1
        }
        guard self.fragments <= self.maximumFragments else {
            throw WebSocketError(.messageTooBig, "message in over \(self.maximumFragments) fragments")
        }
        self.message.append(payload)
        guard header.isFinal else { return .fragment(consumed: consumed) }
        let isText = self.messageOpcode == .text
        self.messageOpcode = nil
        self.isDelivered = true
        return .event(try Self.whole(UnsafeRawBufferPointer(self.message.bytes), isText: isText), consumed: consumed)
    }

    private static func whole(_ bytes: UnsafeRawBufferPointer, isText: Bool) throws(WebSocketError) -> Event {
        guard !isText || UTF8Check.isValid(bytes) else {
            throw WebSocketError(.invalidPayload, "text is not UTF-8")
        }
        return .message(isText: isText, bytes)
    }

    private static func closeCode(_ payload: UnsafeRawBufferPointer) throws(WebSocketError) -> WebSocketCloseCode? {
        if payload.isEmpty { return nil }
        guard payload.count >= 2 else { throw WebSocketError(.protocolError, "close code of one byte") }
        let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.mayBeSent else { throw WebSocketError(.protocolError, "close code that must not be sent") }
        guard UTF8Check.isValid(UnsafeRawBufferPointer(rebasing: payload[2...])) else {
            throw WebSocketError(.invalidPayload, "close reason is not UTF-8")
        }
        return code
    }
}

extension WebSocketReader {
    /// The first bytes of a frame.
    private struct Header {
        let isFinal: Bool
        let opcode: WebSocketOpcode
        /// 0...125, or 126 and 127 for a longer form.
        let shortLength: Int
        /// As declared; 0 while the bytes that hold it are missing.
        private(set) var length: UInt64 = 0

        /// Reads the first two bytes, which must be there, and the length when it is.
        init(_ input: UnsafeMutableRawBufferPointer) throws(WebSocketError) {
            guard input[0] & 0x70 == 0 else { throw WebSocketError(.protocolError, "reserved bits are set") }
            guard let opcode = WebSocketOpcode(rawValue: input[0] & 0x0F) else {
                throw WebSocketError(.protocolError, "unknown opcode")
            }
            guard input[1] & 0x80 != 0 else { throw WebSocketError(.protocolError, "client frame without a mask") }
            self.isFinal = input[0] & 0x80 != 0
            self.opcode = opcode
            self.shortLength = Int(input[1] & 0x7F)
            switch self.shortLength {
            case 126 where input.count >= 4:
                self.length = UInt64(UInt16(bigEndian: input.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            case 127 where input.count >= 10:
                self.length = UInt64(bigEndian: input.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            case 126, 127: break
            default: self.length = UInt64(self.shortLength)
            }
        }

        /// Where the payload is, or `nil` while the header or a representable length is missing.
        func payload(of input: UnsafeMutableRawBufferPointer) throws(WebSocketError) -> Range<Int>? {
            let start = self.shortLength == 126 ? 8 : self.shortLength == 127 ? 14 : 6
            guard input.count >= start, self.length <= UInt64(Int.max - start) else { return nil }
            return start..<(start + Int(self.length))
        }
    }
}
