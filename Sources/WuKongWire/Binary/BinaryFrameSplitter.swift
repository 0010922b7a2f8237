/// Cuts a stream of bytes into frames of the binary encoding.
///
/// Frames arrive in pieces of any size and several at once; also over WebSocket, where the JS SDK puts up to five into
/// one message. A frame that lies whole in a piece is handed out where it is; memory is held only while one is
/// incomplete, up to the bound, and only as much as has come.
package struct BinaryFrameSplitter: Sendable {
    private let maximumBytes: Int
    /// Bytes of a frame that is not complete.
    private var pending: [UInt8] = []
    private var failure: BinaryWireError?
    /// Bytes still to come of a SEND that was too long: they are passed over.
    private var skipped = 0
    /// True when the piece at hand brought an answer to SENDs over the bound.
    private var asksAboutLongSends = false

    /// - Parameter maximumBytes: the longest frame, header included.
    package init(maximumBytes: Int) {
        precondition(maximumBytes > 0, "no frame would fit")
        self.maximumBytes = maximumBytes
    }

    /// Bytes held of an incomplete frame.
    package var heldBytes: Int { self.pending.count }

    /// Takes the next piece of the stream and calls `each` with every frame that it completes, header included.
    ///
    /// - Throws: `unknownType`, `lengthTooLong`, `frameTooLong`, as soon as the header of a frame shows it, and what
    ///   `each` throws. The stream cannot be followed after that: each later call throws the same.
    package mutating func append(
        _ bytes: UnsafeRawBufferPointer, each: (UnsafeRawBufferPointer) throws(BinaryWireError) -> Void
    ) throws(BinaryWireError) {
        try self.append(bytes, asksAboutLongSends: false, { _ in false }, each)
    }

    /// Does the same where a SEND over the bound can be answered.
    ///
    /// - Parameter tooLong: gets its start, as soon as its number is there. When it returns true the rest is passed over
    ///   and the stream goes on behind it: a client sends again what nobody answers.
    package mutating func append(
        _ bytes: UnsafeRawBufferPointer, tooLong: (BinarySendStart) -> Bool,
        each: (UnsafeRawBufferPointer) throws(BinaryWireError) -> Void
    ) throws(BinaryWireError) {
        try self.append(bytes, asksAboutLongSends: true, tooLong, each)
    }

    private mutating func append(
        _ bytes: UnsafeRawBufferPointer, asksAboutLongSends: Bool, _ tooLong: (BinarySendStart) -> Bool,
        _ each: (UnsafeRawBufferPointer) throws(BinaryWireError) -> Void
    ) throws(BinaryWireError) {
        if let failure = self.failure { throw failure }
        self.asksAboutLongSends = asksAboutLongSends
        do throws(BinaryWireError) {
            try self.split(bytes, tooLong, each)
        } catch {
            self.pending = []
            self.failure = error
            throw error
        }
    }

    /// How far the frame reaches that some bytes begin.
    private enum Extent {
        /// The bytes end too early to tell.
        case unknown
        case frame(Int)
        /// A SEND over the bound, which was answered.
        case passedOver(Int)
    }

    private mutating func split(
        _ bytes: UnsafeRawBufferPointer, _ tooLong: (BinarySendStart) -> Bool,
        _ each: (UnsafeRawBufferPointer) throws(BinaryWireError) -> Void
    ) throws(BinaryWireError) {
        var position = self.passOver(bytes, from: 0)
        if !self.pending.isEmpty {
            switch try self.completePending(from: bytes, &position, tooLong) {
            case .unknown: return
            case .passedOver(let count):
                self.skipped = count - self.pending.count
                self.pending = []
                position = self.passOver(bytes, from: position)
            case .frame:
                var frame: [UInt8] = []
                swap(&frame, &self.pending)
                try frame.withUnsafeBufferPointer { frame throws(BinaryWireError) in
                    try each(UnsafeRawBufferPointer(frame))
                }
            }
        }
        while position < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            switch try self.extent(rest, tooLong) {
            case .frame(let count) where count <= rest.count:
                try each(UnsafeRawBufferPointer(rebasing: rest[..<count]))
                position += count
            case .frame, .unknown:
                self.pending.append(contentsOf: rest)
                return
            case .passedOver(let count):
                self.skipped = count
                position = self.passOver(bytes, from: position)
            }
        }
    }

    /// Passes over what belongs to a SEND that was too long; the answer is where the stream goes on.
    private mutating func passOver(_ bytes: UnsafeRawBufferPointer, from position: Int) -> Int {
        let count = min(self.skipped, bytes.count - position)
        self.skipped -= count
        return position + count
    }

    /// Moves what belongs to the held frame from `bytes` to it. `frame` when it is whole, `unknown` when it is not.
    private mutating func completePending(
        from bytes: UnsafeRawBufferPointer, _ position: inout Int, _ tooLong: (BinarySendStart) -> Bool
    ) throws(BinaryWireError) -> Extent {
        while true {
            let extent = try self.pending.withUnsafeBufferPointer { bytes throws(BinaryWireError) in
                try self.extent(UnsafeRawBufferPointer(bytes), tooLong)
            }
            switch extent {
            case .passedOver: return extent
            case .frame(let count):
                let missing = count - self.pending.count
                let taken = min(missing, bytes.count - position)
                self.pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[position..<position + taken]))
                position += taken
                return taken == missing ? extent : .unknown
            case .unknown:
                // The header is incomplete: it has five bytes at most, and five more tell a SEND's number.
                guard position < bytes.count else { return .unknown }
                self.pending.append(bytes[position])
                position += 1
            }
        }
    }

    private func extent(
        _ bytes: UnsafeRawBufferPointer, _ tooLong: (BinarySendStart) -> Bool
    ) throws(BinaryWireError) -> Extent {
        guard let header = try BinaryFrame(startOf: bytes) else { return .unknown }
        guard header.totalBytes > self.maximumBytes else { return .frame(header.totalBytes) }
        if header.type == .send, self.asksAboutLongSends {
            guard let start = BinarySendStart(header, bytes) else { return .unknown }
            if tooLong(start) { return .passedOver(header.totalBytes) }
        }
        throw .frameTooLong(bytes: header.totalBytes, limit: self.maximumBytes)
    }
}

/// The start of a SEND: enough to answer it.
package struct BinarySendStart: Hashable, Sendable {
    /// Header flags.
    package let header: WuKongHeader
    /// Client's number of the message, for the acknowledgement.
    package let clientSequence: UInt32

    /// - Returns: `nil` when `bytes`, which begin with the frame of this header, end before the number.
    init?(_ frame: BinaryFrame, _ bytes: UnsafeRawBufferPointer) {
        // The setting, one byte, comes first.
        let place = frame.headerBytes + 1
        guard frame.type == .send, bytes.count >= place + 4 else { return nil }
        self.header = WuKongHeader(flags: frame.flags)
        self.clientSequence = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    /// The SEND that these bytes begin; `nil` for anything else.
    package init?(startOf bytes: UnsafeRawBufferPointer) {
        guard let frame = try? BinaryFrame(startOf: bytes) else { return nil }
        self.init(frame, bytes)
    }
}
