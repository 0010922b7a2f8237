/// A JSON value as a tree, for configuration and answers where comfort counts more than speed.
///
/// Objects keep the order of their members. A number that is an integer and fits 64 bits keeps its exact value; any
/// other is a double.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// Name and value of an object's member.
    package struct Member: Hashable, Sendable {
        /// Name, escapes decoded.
        package var name: String
        /// Value of the member.
        package var value: JSONValue

        /// Makes a member.
        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    // MARK: Text

    /// - Throws: what `JSONReader` throws; the text must hold one value and nothing else.
    package init(parsing text: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(text)
        self = try JSONValue(from: &reader)
        try reader.finish()
    }

    /// - Throws: what `JSONReader` throws; the text must hold one value and nothing else.
    package init(parsing text: [UInt8]) throws(JSONError) {
        self = try text.withUnsafeBufferPointer { text throws(JSONError) in
            try JSONValue(parsing: UnsafeRawBufferPointer(text))
        }
    }

    /// - Throws: what `JSONReader` throws; the text must hold one value and nothing else.
    package init(parsing text: String) throws(JSONError) {
        try self.init(parsing: [UInt8](text.utf8))
    }

    /// Reads the next value.
    package init(from reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .null: self = try Self.null(from: &reader)
        case .boolean: self = .boolean(try reader.boolean())
        case .number: self = try Self.number(from: &reader)
        case .string: self = .string(try reader.string())
        case .array: self = try Self.array(from: &reader)
        case .object: self = try Self.object(from: &reader)
        }
    }

    /// Writes the value and everything in it.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .integer(let value): writer.integer(value)
        case .double(let value): writer.double(value)
        case .string(let value): writer.string(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.name)
                member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }

    /// Compact JSON text.
    package func serialized() -> [UInt8] {
        var writer = JSONWriter()
        self.write(to: &writer)
        return writer.bytes
    }

    // MARK: Access

    /// The member of this name; `nil` also when this is no object.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// True for `null`.
    package var isNull: Bool { self == .null }

    /// Boolean, or `nil` for another kind.
    package var boolean: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    /// Integer, or `nil` for another kind.
    package var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// Any number, an integer rounded to the nearest double.
    package var double: Double? {
        if case .integer(let value) = self { return Double(value) }
        guard case .double(let value) = self else { return nil }
        return value
    }

    /// String, or `nil` for another kind.
    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// Elements, or `nil` for another kind.
    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// Members in the order of the text, or `nil` for another kind.
    package var object: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    // MARK: Pieces

    private static func null(from reader: inout JSONReader) throws(JSONError) -> JSONValue {
        try reader.skipValue()
        return .null
    }

    private static func number(from reader: inout JSONReader) throws(JSONError) -> JSONValue {
        var attempt = reader
        do throws(JSONError) {
            let value = try attempt.int64()
            reader = attempt
            return .integer(value)
        } catch {
            guard error.isMismatch else { throw error }
            return .double(try reader.double())
        }
    }

    private static func array(from reader: inout JSONReader) throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        try reader.readArray { reader throws(JSONError) in elements.append(try JSONValue(from: &reader)) }
        return .array(elements)
    }

    private static func object(from reader: inout JSONReader) throws(JSONError) -> JSONValue {
        var members: [Member] = []
        try reader.readObject { (key, reader) throws(JSONError) in
            members.append(Member(key.text, try JSONValue(from: &reader)))
        }
        return .object(members)
    }
}
