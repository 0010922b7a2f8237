/// Visitor of the fields of a message, in the order of their numbers: the reader and the writer.
///
/// Each message lists its fields once, and the list serves both.
protocol FieldVisitor {
    associatedtype Failure: Error

    /// A field that may be absent.
    mutating func optional<Value: ProtobufValue>(
        _ number: Int, _ name: String, _ value: inout Value?
    ) throws(Self.Failure)

    /// A message that may be absent, kept on the heap.
    mutating func optional<Message: ProtobufMessage>(
        _ number: Int, _ name: String, _ box: inout Boxed<Message>
    ) throws(Self.Failure)

    /// A field without which the message is invalid.
    mutating func required<Value: ProtobufValue>(
        _ number: Int, _ name: String, _ value: inout Value
    ) throws(Self.Failure)

    /// A field that stands there as often as it has values.
    mutating func repeated<Value: ProtobufValue>(
        _ number: Int, _ name: String, _ values: inout [Value]
    ) throws(Self.Failure)
}

/// An absent or present message behind one pointer, so that a command with eighteen of them stays small.
@propertyWrapper
package struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    private indirect enum Storage: Hashable, Sendable {
        case absent
        case present(Value)
    }

    private var storage = Storage.absent

    package init() {}

    /// Cheaper than looking at the value, which may be large.
    var isAbsent: Bool { if case .absent = self.storage { true } else { false } }

    /// Value, or `nil` when the field is absent.
    package var wrappedValue: Value? {
        get {
            guard case .present(let value) = self.storage else { return nil }
            return value
        }
        set { self.storage = newValue.map { .present($0) } ?? .absent }
    }
}
