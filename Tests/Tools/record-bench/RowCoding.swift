import ByteCodec

/// A field that is missing or of the wrong kind.
struct FieldError: Error {
    /// Name on the wire.
    var field: String
}

/// An encoder that writes through `JSONWriter`, for types that the compiler makes `Encodable`.
final class RowEncoder: Encoder {
    /// Kind of the container that a value opened.
    private enum Open { case none, object, array }

    fileprivate var json = JSONWriter()
    private var open = Open.none
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The bytes of one value.
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = RowEncoder()
        try encoder.write(value)
        return encoder.json.bytes
    }

    /// Writes a value and closes the container that it opened.
    fileprivate func write<Value: Encodable>(_ value: Value) throws {
        // The kinds that would otherwise go through a container of one value each.
        if let text = value as? String { return self.json.string(text) }
        if let number = value as? Int64 { return self.json.integer(number) }
        if let isOn = value as? Bool { return self.json.boolean(isOn) }
        let opened = self.open
        self.open = .none
        try value.encode(to: self)
        switch self.open {
        case .none: break
        case .object: self.json.endObject()
        case .array: self.json.endArray()
        }
        self.open = opened
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.json.beginObject()
        self.open = .object
        return KeyedEncodingContainer(Keyed<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        self.json.beginArray()
        self.open = .array
        return Items(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: RowEncoder
        var codingPath: [any CodingKey] { [] }
        func encodeNil(forKey key: Key) {}
        func encode(_ value: Bool, forKey key: Key) {
            self.encoder.json.key(key.stringValue)
            self.encoder.json.boolean(value)
        }
        func encode(_ value: String, forKey key: Key) {
            self.encoder.json.key(key.stringValue)
            self.encoder.json.string(value)
        }
        func encode(_ value: Int64, forKey key: Key) {
            self.encoder.json.key(key.stringValue)
            self.encoder.json.integer(value)
        }
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            self.encoder.json.key(key.stringValue)
            try self.encoder.write(value)
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { preconditionFailure("no record asks for it") }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            preconditionFailure("no record asks for it")
        }
        func superEncoder() -> any Encoder { self.encoder }
        func superEncoder(forKey key: Key) -> any Encoder { self.encoder }
    }

    private struct Items: UnkeyedEncodingContainer {
        let encoder: RowEncoder
        var count = 0
        var codingPath: [any CodingKey] { [] }
        init(encoder: RowEncoder) { self.encoder = encoder }
        func encodeNil() { self.encoder.json.null() }
        func encode<Value: Encodable>(_ value: Value) throws { try self.encoder.write(value) }
        func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
            preconditionFailure("no record asks for it")
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("no record asks for it") }
        func superEncoder() -> any Encoder { self.encoder }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: RowEncoder
        var codingPath: [any CodingKey] { [] }
        func encodeNil() { self.encoder.json.null() }
        func encode<Value: Encodable>(_ value: Value) throws { try self.encoder.write(value) }
    }
}

/// A decoder that reads a tree of `JSONValue`, for types that the compiler makes `Decodable`.
struct RowDecoder: Decoder {
    let value: JSONValue
    /// Name of the field, for errors.
    let field: String
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = self.value else { throw FieldError(field: self.field) }
        return KeyedDecodingContainer(Keyed<Key>(members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let items) = self.value else { throw FieldError(field: self.field) }
        return Items(items: items, field: self.field)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(value: self.value, field: self.field) }

    static func bool(_ value: JSONValue?, _ field: String) throws -> Bool {
        guard case .boolean(let isOn)? = value else { throw FieldError(field: field) }
        return isOn
    }
    static func text(_ value: JSONValue?, _ field: String) throws -> String {
        guard case .string(let text)? = value else { throw FieldError(field: field) }
        return text
    }
    static func number(_ value: JSONValue?, _ field: String) throws -> Int64 {
        guard case .integer(let number)? = value else { throw FieldError(field: field) }
        return number
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let members: [JSONValue.Member]
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { self.members.compactMap { Key(stringValue: $0.name) } }
        func find(_ key: Key) -> JSONValue? {
            let name = key.stringValue
            return self.members.first { $0.name == name }?.value
        }
        func contains(_ key: Key) -> Bool { self.find(key) != nil }
        func decodeNil(forKey key: Key) -> Bool { self.find(key).map(\.isNull) ?? true }
        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
            try RowDecoder.bool(self.find(key), key.stringValue)
        }
        func decode(_ type: String.Type, forKey key: Key) throws -> String {
            try RowDecoder.text(self.find(key), key.stringValue)
        }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
            try RowDecoder.number(self.find(key), key.stringValue)
        }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try Value(from: RowDecoder(value: self.find(key) ?? .null, field: key.stringValue))
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy: Nested.Type, forKey key: Key
        ) -> KeyedDecodingContainer<Nested> { preconditionFailure("no record asks for it") }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
            preconditionFailure("no record asks for it")
        }
        func superDecoder() -> any Decoder { preconditionFailure("no record asks for it") }
        func superDecoder(forKey key: Key) -> any Decoder { preconditionFailure("no record asks for it") }
    }

    private struct Items: UnkeyedDecodingContainer {
        let items: [JSONValue]
        let field: String
        var currentIndex = 0
        var codingPath: [any CodingKey] { [] }
        var count: Int? { self.items.count }
        var isAtEnd: Bool { self.currentIndex == self.items.count }
        init(items: [JSONValue], field: String) {
            self.items = items
            self.field = field
        }
        mutating func decodeNil() -> Bool {
            guard self.items[self.currentIndex].isNull else { return false }
            self.currentIndex += 1
            return true
        }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            defer { self.currentIndex += 1 }
            return try Value(from: RowDecoder(value: self.items[self.currentIndex], field: self.field))
        }
        func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedDecodingContainer<Nested> {
            preconditionFailure("no record asks for it")
        }
        func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { preconditionFailure("no record asks for it") }
        func superDecoder() -> any Decoder { preconditionFailure("no record asks for it") }
    }

    private struct Single: SingleValueDecodingContainer {
        let value: JSONValue
        let field: String
        var codingPath: [any CodingKey] { [] }
        func decodeNil() -> Bool { self.value.isNull }
        func decode(_ type: Bool.Type) throws -> Bool { try RowDecoder.bool(self.value, self.field) }
        func decode(_ type: String.Type) throws -> String { try RowDecoder.text(self.value, self.field) }
        func decode(_ type: Int64.Type) throws -> Int64 { try RowDecoder.number(self.value, self.field) }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try Value(from: RowDecoder(value: self.value, field: self.field))
        }
    }
}
