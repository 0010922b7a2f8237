import ByteCodec

/// A key of a row, which may lead into nested objects: `name`, `attr.type`.
struct ObjectPath: Hashable, Sendable {
    /// The key as it was written.
    let text: String
    /// The names between the dots, one at least.
    let parts: [String]

    init(_ text: String) throws(ObjectQueryError) {
        self.text = text
        self.parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard self.parts.count <= ObjectQuery.maximumDepth else {
            throw ObjectQueryError("the key \(ObjectQueryError.quoted(text)) has too many dots")
        }
        for part in self.parts {
            if part.isEmpty { throw ObjectQueryError("the key \(ObjectQueryError.quoted(text)) has an empty name") }
            if part.isOperator {
                throw ObjectQueryError("the operator \(ObjectQueryError.quoted(part)) stands where a key belongs")
            }
        }
    }

    /// Offers `found` the values that the path leads to until it says `true`, and says whether it did.
    ///
    /// An array on the way stands for each object in it, and a number after it for one element. `found` is given `nil`
    /// where an object lacks the name, or something else than an object stands in its place; nothing at all for arrays
    /// without objects.
    ///
    /// Source: MongoDB manual, "Query an Array of Embedded Documents" and "Query for Null or Missing Fields".
    func anyValue(
        in row: JSONValue, _ effort: inout QueryEffort, _ found: (JSONValue?, inout QueryEffort) -> Bool
    ) -> Bool {
        Self.walk(row, self.parts[...], &effort, found)
    }

    private static func walk(
        _ value: JSONValue, _ parts: ArraySlice<String>, _ effort: inout QueryEffort,
        _ found: (JSONValue?, inout QueryEffort) -> Bool
    ) -> Bool {
        guard let name = parts.first else { return found(value, &effort) }
        switch value {
        case .object:
            guard let member = value.member(name) else { return found(nil, &effort) }
            return self.walk(member, parts.dropFirst(), &effort, found)
        case .array(let elements):
            guard effort.spend(elements.count) else { return false }
            if let index = Int(name), elements.indices.contains(index),
                self.walk(elements[index], parts.dropFirst(), &effort, found)
            {
                return true
            }
            for case .object(let members) in elements where self.walk(.object(members), parts, &effort, found) {
                return true
            }
            return false
        case .null, .boolean, .integer, .double, .string: return found(nil, &effort)
        }
    }
}
