import ByteCodec

/// Value that a field can hold: how it is read and written once its number and wire type are known.
///
/// Source: protobuf.dev, "Encoding".
protocol ProtobufValue: Hashable, Sendable {
    static var wireType: WireType { get }

    /// Reads the value of a field from all its occurrences: at least one, each of the wire type above.
    static func read(
        _ fields: ArraySlice<RawField>, with reader: inout FieldReader
    ) throws(LeanCloudWireError) -> Self

    func write(to writer: inout FieldWriter)
}

extension Int32: ProtobufValue {
    static var wireType: WireType { .varint }

    /// Higher bits are dropped, so that a negative number is read from ten bytes and from five.
    static func read(_ fields: ArraySlice<RawField>, with reader: inout FieldReader) -> Int32 {
        Int32(truncatingIfNeeded: fields[fields.endIndex - 1].value)
    }

    /// A negative number is extended to 64 bits: ten bytes.
    func write(to writer: inout FieldWriter) { writer.varint(UInt64(bitPattern: Int64(self))) }
}

extension Int64: ProtobufValue {
    static var wireType: WireType { .varint }

    static func read(_ fields: ArraySlice<RawField>, with reader: inout FieldReader) -> Int64 {
        Int64(bitPattern: fields[fields.endIndex - 1].value)
    }

    func write(to writer: inout FieldWriter) { writer.varint(UInt64(bitPattern: self)) }
}

extension Bool: ProtobufValue {
    static var wireType: WireType { .varint }

    static func read(_ fields: ArraySlice<RawField>, with reader: inout FieldReader) -> Bool {
        fields[fields.endIndex - 1].value != 0
    }

    func write(to writer: inout FieldWriter) { writer.varint(self ? 1 : 0) }
}

extension String: ProtobufValue {
    static var wireType: WireType { .delimited }

    static func read(
        _ fields: ArraySlice<RawField>, with reader: inout FieldReader
    ) throws(LeanCloudWireError) -> String {
        let content = fields[fields.endIndex - 1].content
        let utf8 = UnsafeRawBufferPointer(rebasing: reader.bytes[content])
        guard UTF8Check.isValid(utf8) else { throw LeanCloudWireError(.invalidUTF8, at: content.lowerBound) }
        return String(decoding: utf8, as: UTF8.self)
    }

    func write(to writer: inout FieldWriter) {
        var text = self
        text.withUTF8 { writer.delimited(UnsafeRawBufferPointer($0)) }
    }
}

extension Array: ProtobufValue where Element == UInt8 {
    static var wireType: WireType { .delimited }

    static func read(_ fields: ArraySlice<RawField>, with reader: inout FieldReader) -> [UInt8] {
        [UInt8](reader.bytes[fields[fields.endIndex - 1].content])
    }

    func write(to writer: inout FieldWriter) { self.withUnsafeBytes { writer.delimited($0) } }
}

/// A number with a meaning of its own. One that has no name is kept as it is.
protocol ProtobufNumber: ProtobufValue, RawRepresentable where RawValue: ProtobufValue {
    init(rawValue: RawValue)
}

extension ProtobufNumber {
    static var wireType: WireType { RawValue.wireType }

    static func read(
        _ fields: ArraySlice<RawField>, with reader: inout FieldReader
    ) throws(LeanCloudWireError) -> Self {
        Self(rawValue: try RawValue.read(fields, with: &reader))
    }

    func write(to writer: inout FieldWriter) { self.rawValue.write(to: &writer) }
}

/// A message as the other modules see it: empty, or filled in place.
package protocol LeanCloudMessage: Hashable, Sendable {
    /// Every field absent, required ones 0 or empty.
    init()
}

extension LeanCloudMessage {
    /// A message whose fields `fill` sets; the others are absent.
    package init(_ fill: (inout Self) -> Void) {
        self.init()
        fill(&self)
    }
}

/// A message on the wire.
protocol ProtobufMessage: LeanCloudMessage, ProtobufValue {
    /// Hands every field to `fields`, by ascending number.
    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure)
}

extension ProtobufMessage {
    static var wireType: WireType { .delimited }

    static func read(
        _ fields: ArraySlice<RawField>, with reader: inout FieldReader
    ) throws(LeanCloudWireError) -> Self {
        try reader.nested(fields)
    }

    func write(to writer: inout FieldWriter) {
        var message = self
        writer.nested(&message)
    }
}
