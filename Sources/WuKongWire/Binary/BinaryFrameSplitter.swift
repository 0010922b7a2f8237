/// Cuts a stream of bytes into frames of the binary encoding.
///
/// Frames arrive in pieces of any size and several at once; also over WebSocket, where the JS SDK puts up to five into
/// one message. A frame that lies whole in a piece is handed out where it is; memory is held only while one is
/// incomplete, up to the bound, and only as much as has come.
package struct BinaryFrameSplitter: Sendable {
    private let maximumBytes: Int
    /// What came of a frame that is not complete.
    private var pending: [UInt8] = []
    private var failure: BinaryWireError?

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
        if let failure = self.failure { throw failure }
        do throws(BinaryWireError) {
            try self.split(bytes, each)
        } catch {
            self.pending = []
            self.failure = error
            throw error
        }
    }

    private mutating func split(
        _ bytes: UnsafeRawBufferPointer, _ each: (UnsafeRawBufferPointer) throws(BinaryWireError) -> Void
    ) throws(BinaryWireError) {
        var position = 0
        if !self.pending.isEmpty {
            guard try self.completePending(from: bytes, &position) else { return }
            var frame: [UInt8] = []
            swap(&frame, &self.pending)
            try frame.withUnsafeBufferPointer { frame throws(BinaryWireError) in
                try each(UnsafeRawBufferPointer(frame))
            }
        }
        while position < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            guard let count = try self.frameBytes(rest), count <= rest.count else {
                self.pending.append(contentsOf: rest)
                return
            }
            try each(UnsafeRawBufferPointer(rebasing: rest[..<count]))
            position += count
        }
    }

    /// Moves what belongs to the held frame from `bytes` to it. `true` when it is whole.
    private mutating func completePending(
        from bytes: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(BinaryWireError) -> Bool {
        while true {
            if let count = try self.pendingFrameBytes() {
                let missing = count - self.pending.count
                let taken = min(missing, bytes.count - position)
                self.pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[position..<position + taken]))
                position += taken
                return taken == missing
            }
            // The header is incomplete: it has five bytes at most.
            guard position < bytes.count else { return false }
            self.pending.append(bytes[position])
            position += 1
        }
    }

    private func pendingFrameBytes() throws(BinaryWireError) -> Int? {
        try self.pending.withUnsafeBufferPointer { bytes throws(BinaryWireError) in
            try self.frameBytes(UnsafeRawBufferPointer(bytes))
        }
    }

    /// How long the frame is that these bytes start; `nil` when they end within its header.
    private func frameBytes(_ bytes: UnsafeRawBufferPointer) throws(BinaryWireError) -> Int? {
        guard let header = try BinaryFrame(startOf: bytes) else { return nil }
        guard header.totalBytes <= self.maximumBytes else {
            throw .frameTooLong(bytes: header.totalBytes, limit: self.maximumBytes)
        }
        return header.totalBytes
    }
}
