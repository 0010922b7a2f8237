/// Cuts a stream of JSON objects into single ones.
///
/// Objects may follow each other with or without white space and arrive in pieces of any size. Only brackets, strings
/// and escapes are looked at, each byte once; whether an object is well-formed is for its reader to say. Objects that
/// arrive whole are handed out where they lie; memory is held only while one is incomplete, up to the bound.
package struct JSONStreamSplitter: Sendable {
    private let maximumBytes: Int
    /// Bytes of an object that is not complete yet.
    private var pending: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Bytes of the stream before the current piece.
    private var streamOffset = 0
    private var failure: JSONError?

    /// - Parameter maximumBytes: the longest object, brackets included.
    package init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Bytes held of an incomplete object.
    package var heldBytes: Int { self.pending.count }

    /// Takes the next piece of the stream and calls `each` with every object that it completes.
    ///
    /// - Throws: `unexpectedByte` when an object starts with anything but `{`, `tooLong` over the bound. The stream
    ///   cannot be followed after that: each later call throws the same.
    package mutating func append(
        _ bytes: UnsafeRawBufferPointer, _ each: (UnsafeRawBufferPointer) -> Void
    ) throws(JSONError) {
        if let failure = self.failure { throw failure }
        do throws(JSONError) {
            try self.split(bytes, each)
            self.streamOffset += bytes.count
        } catch {
            self.pending = []
            self.failure = error
            throw error
        }
    }

    private mutating func split(
        _ bytes: UnsafeRawBufferPointer, _ each: (UnsafeRawBufferPointer) -> Void
    ) throws(JSONError) {
        var start = 0
        while start < bytes.count {
            if self.depth == 0 {
                guard try self.findStart(in: bytes, from: &start) else { return }
            }
            let room = self.maximumBytes - self.pending.count
            let end = self.endOfObject(in: bytes, from: start)
            guard (end ?? bytes.count) - start <= room else {
                throw JSONError(.tooLong(limit: self.maximumBytes), at: self.streamOffset + start + room)
            }
            guard let end else {
                self.pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
                return
            }
            self.handOut(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), each)
            start = end
        }
    }

    /// Moves `start` to the next object. `false` when only white space is left.
    private func findStart(in bytes: UnsafeRawBufferPointer, from start: inout Int) throws(JSONError) -> Bool {
        while start < bytes.count {
            switch bytes[start] {
            case 0x20, 0x0A, 0x0D, 0x09: start += 1
            case UInt8(ascii: "{"): return true
            case let other: throw JSONError(.unexpectedByte(other), at: self.streamOffset + start)
            }
        }
        return false
    }

    /// The position after the bracket that ends the object, or `nil` when it is not in these bytes.
    private mutating func endOfObject(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        while position < bytes.count {
            if self.isEscaped {
                self.isEscaped = false
                position += 1
                continue
            }
            if self.isInString {
                // Brackets inside strings are passed over here.
                position = JSONScan.endOfPlainRun(in: bytes, from: position, to: bytes.count)
                guard position < bytes.count else { return nil }
            }
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): self.isInString.toggle()
            case UInt8(ascii: "\\"): self.isEscaped = self.isInString
            case UInt8(ascii: "{"), UInt8(ascii: "["): self.depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                self.depth -= 1
                if self.depth == 0 { return position }
            default: break
            }
        }
        return nil
    }

    private mutating func handOut(_ rest: UnsafeRawBufferPointer, _ each: (UnsafeRawBufferPointer) -> Void) {
        guard !self.pending.isEmpty else { return each(rest) }
        var whole: [UInt8] = []
        swap(&whole, &self.pending)
        whole.append(contentsOf: rest)
        whole.withUnsafeBytes(each)
    }
}
