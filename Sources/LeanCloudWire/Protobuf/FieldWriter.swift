/// Writes the fields of a message in the order of their numbers: equal messages have equal bytes.
struct FieldWriter: FieldVisitor {
    typealias Failure = Never

    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: bytes that are likely to come, so that they are not moved on the way.
    init(capacity: Int) { self.bytes.reserveCapacity(capacity) }

    mutating func optional<Value: ProtobufValue>(_ number: Int, _ name: String, _ value: inout Value?) {
        guard let value else { return }
        self.field(number, value)
    }

    mutating func optional<Message: ProtobufMessage>(_ number: Int, _ name: String, _ box: inout Boxed<Message>) {
        guard !box.isAbsent, var message = box.wrappedValue else { return }
        self.nested(number, &message)
    }

    /// Writes a message that is there, and leaves it as it is.
    mutating func nested<Message: ProtobufMessage>(_ number: Int, _ message: inout Message) {
        self.varint(UInt64(number) << 3 | UInt64(Message.wireType.rawValue))
        self.nested(&message)
    }

    /// Fields that have been written elsewhere.
    mutating func raw(_ fields: [UInt8]) { self.bytes.append(contentsOf: fields) }

    mutating func required<Value: ProtobufValue>(_ number: Int, _ name: String, _ value: inout Value) {
        self.field(number, value)
    }

    mutating func repeated<Value: ProtobufValue>(_ number: Int, _ name: String, _ values: inout [Value]) {
        for value in values { self.field(number, value) }
    }

    /// Seven bits a byte, lowest group first, the top bit says that another byte follows.
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(rest))
    }

    /// A length, then that many bytes.
    mutating func delimited(_ content: UnsafeRawBufferPointer) {
        self.varint(UInt64(content.count))
        self.bytes.append(contentsOf: content)
    }

    /// A length, then the fields of `message`, which stays as it is.
    mutating func nested(_ message: inout some ProtobufMessage) {
        let start = self.bytes.count
        // Most messages are short; room for one byte of length saves moving them.
        self.bytes.append(0)
        message.visit(&self)
        let count = self.bytes.count - start - 1
        guard count >= 0x80 else {
            self.bytes[start] = UInt8(count)
            return
        }
        var length = FieldWriter(capacity: 4)
        length.varint(UInt64(count))
        self.bytes.replaceSubrange(start...start, with: length.bytes)
    }

    private mutating func field(_ number: Int, _ value: some ProtobufValue) {
        self.varint(UInt64(number) << 3 | UInt64(type(of: value).wireType.rawValue))
        value.write(to: &self)
    }
}
