import ByteCodec

extension JSONValue {
    /// The member of exactly this name. Two spellings of one letter are two names, as they are for the client.
    func member(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.isExactly(name) }?.value
    }

    /// Type named by an object's `__type`, such as `Date` or `Pointer`.
    var typeName: String? { self.member("__type")?.string }

    /// How many values this is made of, itself counted.
    var nodeCount: Int {
        switch self {
        case .array(let elements): elements.reduce(1) { $0 + $1.nodeCount }
        case .object(let members): members.reduce(1) { $0 + $1.value.nodeCount }
        case .null, .boolean, .integer, .double, .string: 1
        }
    }

    /// Refuses objects and arrays that are nested deeper than `depth`, and longer arrays than the languages allow.
    func checkBounds(
        depth: Int = ObjectQuery.maximumDepth, items: Int = ObjectQuery.maximumArrayItems
    ) throws(ObjectQueryError) {
        switch self {
        case .array(let elements):
            guard depth > 0 else { throw Self.tooDeep }
            guard elements.count <= items else {
                throw ObjectQueryError("an array has \(elements.count) items, \(items) are allowed")
            }
            for element in elements { try element.checkBounds(depth: depth - 1, items: items) }
        case .object(let members):
            guard depth > 0 else { throw Self.tooDeep }
            for member in members { try member.value.checkBounds(depth: depth - 1, items: items) }
        case .null, .boolean, .integer, .double, .string: break
        }
    }

    private static var tooDeep: ObjectQueryError {
        ObjectQueryError("objects and arrays are nested deeper than \(ObjectQuery.maximumDepth)")
    }

    /// Reads a JSON text of bounded size, within the bounds of the languages.
    ///
    /// - Parameter subject: what the text is, as the subject of the sentence of an error.
    static func bounded(
        parsing text: [UInt8], maximumBytes: Int, subject: String
    ) throws(ObjectQueryError) -> JSONValue {
        guard text.count <= maximumBytes else {
            throw ObjectQueryError("\(subject) has \(text.count) bytes, \(maximumBytes) are allowed")
        }
        do throws(JSONError) {
            return try text.withUnsafeBufferPointer { text throws(JSONError) in
                var reader = JSONReader(UnsafeRawBufferPointer(text), maximumDepth: ObjectQuery.maximumDepth)
                let value = try JSONValue(from: &reader)
                try reader.finish()
                return value
            }
        } catch {
            throw ObjectQueryError("\(subject) is not valid JSON: \(error)")
        }
    }
}

extension String {
    /// True when both have the same scalars, where `==` would take two spellings of one letter for the same.
    func isExactly(_ other: String) -> Bool { self == other && self.utf8.elementsEqual(other.utf8) }

    /// True when the first byte is a dollar, which an operator starts with.
    var isOperator: Bool { self.utf8.first == UInt8(ascii: "$") }
}
