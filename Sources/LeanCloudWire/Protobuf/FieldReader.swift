/// Fills the fields of one message from the bytes of a frame.
///
/// Unknown fields are skipped. Of a field that stands there twice the last one counts; a nested message that stands
/// there twice is read as if its parts stood behind each other, which is what merging comes to.
///
/// Source: protobuf.dev, "Encoding", last one wins.
///
/// SAFETY: it keeps the buffer's address and must not leave the closure that lent the buffer.
struct FieldReader: FieldVisitor {
    typealias Failure = LeanCloudWireError

    let bytes: UnsafeRawBufferPointer
    private let limits: WireLimits
    /// In the order of their numbers; equal numbers as they stand.
    private var fields: [RawField] = []
    /// Fields before this one have been read, or skipped as unknown.
    private var cursor = 0
    private let end: Int
    private var fieldsLeft: Int

    /// More than most messages have.
    private static let usualFields = 16

    init(_ frame: UnsafeRawBufferPointer, limits: WireLimits) throws(LeanCloudWireError) {
        guard frame.count <= limits.frameBytes else {
            throw LeanCloudWireError(.frameTooLong(bytes: frame.count, limit: limits.frameBytes), at: 0)
        }
        try self.init(frame, CollectionOfOne(0..<frame.count), limits: limits, fieldsLeft: limits.fields)
    }

    private init(
        _ bytes: UnsafeRawBufferPointer, _ parts: some BidirectionalCollection<Range<Int>>, limits: WireLimits,
        fieldsLeft: Int
    ) throws(LeanCloudWireError) {
        self.bytes = bytes
        self.limits = limits
        self.end = parts.last?.upperBound ?? 0
        self.fieldsLeft = fieldsLeft
        var isAscending = true
        self.fields.reserveCapacity(Self.usualFields)
        for part in parts {
            var scanner = FieldScanner(bytes, part, limits: limits, fieldsLeft: self.fieldsLeft)
            while let field = try scanner.next() {
                if let last = self.fields.last, last.number > field.number { isAscending = false }
                self.fields.append(field)
            }
            self.fieldsLeft = scanner.fieldsLeft
        }
        if !isAscending { self.fields.sort { ($0.number, $0.offset) < ($1.number, $1.offset) } }
    }

    mutating func optional<Value: ProtobufValue>(
        _ number: Int, _ name: String, _ value: inout Value?
    ) throws(LeanCloudWireError) {
        let found = self.occurrences(of: number)
        guard !found.isEmpty else { return }
        value = try self.read(found, name)
    }

    mutating func optional<Message: ProtobufMessage>(
        _ number: Int, _ name: String, _ box: inout Boxed<Message>
    ) throws(LeanCloudWireError) {
        let found = self.occurrences(of: number)
        guard !found.isEmpty else { return }
        box.wrappedValue = try self.read(found, name)
    }

    mutating func required<Value: ProtobufValue>(
        _ number: Int, _ name: String, _ value: inout Value
    ) throws(LeanCloudWireError) {
        let found = self.occurrences(of: number)
        guard !found.isEmpty else { throw LeanCloudWireError(.requiredFieldMissing, at: self.end, field: name) }
        value = try self.read(found, name)
    }

    mutating func repeated<Value: ProtobufValue>(
        _ number: Int, _ name: String, _ values: inout [Value]
    ) throws(LeanCloudWireError) {
        let found = self.occurrences(of: number)
        guard !found.isEmpty else { return }
        values.reserveCapacity(found.count)
        for index in found.indices { values.append(try self.read(found[index...index], name)) }
    }

    /// Reads a nested message whose parts are the contents of `fields`.
    mutating func nested<Message: ProtobufMessage>(
        _ fields: ArraySlice<RawField>
    ) throws(LeanCloudWireError) -> Message {
        var message = Message()
        var reader = try FieldReader(
            self.bytes, fields.lazy.map(\.content), limits: self.limits, fieldsLeft: self.fieldsLeft)
        try message.visit(&reader)
        self.fieldsLeft = reader.fieldsLeft
        return message
    }

    private mutating func occurrences(of number: Int) -> ArraySlice<RawField> {
        // Most fields of most messages are absent.
        if self.cursor == self.fields.count || self.fields[self.cursor].number > number { return [] }
        while self.cursor < self.fields.count, self.fields[self.cursor].number < number { self.cursor += 1 }
        let first = self.cursor
        while self.cursor < self.fields.count, self.fields[self.cursor].number == number { self.cursor += 1 }
        return self.fields[first..<self.cursor]
    }

    private mutating func read<Value: ProtobufValue>(
        _ found: ArraySlice<RawField>, _ name: String
    ) throws(LeanCloudWireError) -> Value {
        for field in found where field.wireType != Value.wireType {
            let reason = LeanCloudWireError.Reason.wrongWireType(found: field.wireType, expected: Value.wireType)
            throw LeanCloudWireError(reason, at: field.offset, field: name)
        }
        do throws(LeanCloudWireError) {
            return try Value.read(found, with: &self)
        } catch {
            throw error.inside(name)
        }
    }
}
