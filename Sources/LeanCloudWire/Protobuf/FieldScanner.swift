/// A field as it stands on the wire, before anyone says what it means.
struct RawField {
    let number: Int
    let wireType: WireType
    /// Where its tag begins in the frame.
    let offset: Int
    /// Value of a varint; 0 for any other wire type.
    let value: UInt64
    /// The bytes after tag and length.
    let content: Range<Int>
}

/// Cuts a part of a frame into fields, without recursion.
///
/// SAFETY: it keeps the buffer's address and must not leave the closure that lent the buffer.
struct FieldScanner {
    private let bytes: UnsafeRawBufferPointer
    private let end: Int
    private let limits: WireLimits
    private var offset: Int
    /// Remainder of `WireLimits.fields` for the whole frame.
    private(set) var fieldsLeft: Int

    init(_ bytes: UnsafeRawBufferPointer, _ part: Range<Int>, limits: WireLimits, fieldsLeft: Int) {
        self.bytes = bytes
        self.end = part.upperBound
        self.limits = limits
        self.offset = part.lowerBound
        self.fieldsLeft = fieldsLeft
    }

    /// The next field, `nil` at the end of the part.
    mutating func next() throws(LeanCloudWireError) -> RawField? {
        guard self.offset < self.end else { return nil }
        let start = self.offset
        let (number, wireType) = try self.tag()
        var value: UInt64 = 0
        let content: Range<Int>
        switch wireType {
        case .varint:
            let first = self.offset
            value = try self.varint()
            content = first..<self.offset
        case .delimited:
            content = try self.takeBytes(try self.varint())
        case .fixed64:
            content = try self.takeBytes(8)
        case .fixed32:
            content = try self.takeBytes(4)
        case .groupStart:
            let first = self.offset
            try self.skipGroup(number)
            content = first..<self.offset
        case .groupEnd:
            throw LeanCloudWireError(.invalidTag, at: start)
        }
        return RawField(number: number, wireType: wireType, offset: start, value: value, content: content)
    }

    /// A field number of 1...2^29-1 and a wire type.
    private mutating func tag() throws(LeanCloudWireError) -> (number: Int, wireType: WireType) {
        let start = self.offset
        guard self.fieldsLeft > 0 else {
            throw LeanCloudWireError(.tooManyFields(limit: self.limits.fields), at: start)
        }
        self.fieldsLeft -= 1
        let tag = try self.varint()
        guard tag >> 3 > 0, tag <= UInt64(UInt32.max), let wireType = WireType(rawValue: UInt8(tag & 7)) else {
            throw LeanCloudWireError(.invalidTag, at: start)
        }
        return (Int(tag >> 3), wireType)
    }

    /// At most ten bytes. Longer forms than needed are legal: encoders that patch a length later write them.
    private mutating func varint() throws(LeanCloudWireError) -> UInt64 {
        let start = self.offset
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard self.offset < self.end else { throw LeanCloudWireError(.inputEnded(missing: 1), at: start) }
            let byte = self.bytes[self.offset]
            // The tenth byte has room for one bit only.
            guard shift < 63 || byte <= 1 else { break }
            self.offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw LeanCloudWireError(.invalidVarint, at: start)
    }

    private mutating func takeBytes(_ count: UInt64) throws(LeanCloudWireError) -> Range<Int> {
        let remaining = self.end - self.offset
        guard count <= UInt64(remaining) else {
            let missing = Int(min(count, UInt64(Int.max))) - remaining
            throw LeanCloudWireError(.inputEnded(missing: missing), at: self.offset)
        }
        defer { self.offset += Int(count) }
        return self.offset..<self.offset + Int(count)
    }

    /// Steps over what follows the start of group `number`, its end included.
    private mutating func skipGroup(_ number: Int) throws(LeanCloudWireError) {
        var open = [number]
        while let innermost = open.last {
            let start = self.offset
            let (number, wireType) = try self.tag()
            switch wireType {
            case .varint: _ = try self.varint()
            case .delimited: _ = try self.takeBytes(try self.varint())
            case .fixed64: _ = try self.takeBytes(8)
            case .fixed32: _ = try self.takeBytes(4)
            case .groupStart:
                guard open.count < self.limits.groupDepth else {
                    throw LeanCloudWireError(.groupsTooDeep(limit: self.limits.groupDepth), at: start)
                }
                open.append(number)
            case .groupEnd:
                guard number == innermost else { throw LeanCloudWireError(.invalidTag, at: start) }
                open.removeLast()
            }
        }
    }
}
