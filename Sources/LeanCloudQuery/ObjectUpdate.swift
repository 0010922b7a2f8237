package import ByteCodec

/// The change of a LeanCloud object: the `attr` of a conversation's update, or the body of a `PUT`.
///
/// Each key, which may lead into objects (`attr.type`), is given a value or an operation: `{"__op": "Delete"}`, `Unset`,
/// `Increment` and `Decrement` with `amount`, `Add`, `AddUnique` and `Remove` with `objects`, `BitAnd`, `BitOr` and
/// `BitXor` with `value`. No key may lead into what another one changes.
///
/// Source: LeanCloud REST guide, "Updating objects".
package struct ObjectUpdate: Sendable {
    /// Bytes of the text.
    package static let maximumBytes = 64 * 1024
    /// Keys in one update.
    package static let maximumKeys = 256

    private struct Change: Sendable {
        let path: ObjectPath
        let operation: UpdateOperation
    }

    private let changes: [Change]

    /// The keys as they were written, in their order.
    package var paths: [String] { self.changes.map(\.path.text) }

    /// The names of the row's own columns that the update touches.
    package var keys: Set<String> { Set(self.changes.map { $0.path.parts[0] }) }

    /// Reads the JSON text of an update.
    ///
    /// - Throws: when it is no JSON object, is out of bounds, or has an unknown operation or an operand of the wrong
    ///   kind.
    package init(parsing text: [UInt8]) throws(ObjectQueryError) {
        try self.init(try .bounded(parsing: text, maximumBytes: Self.maximumBytes, subject: "the update"))
    }

    /// Reads the JSON text of an update.
    ///
    /// - Throws: as `init(parsing:)` of bytes.
    package init(parsing text: String) throws(ObjectQueryError) {
        try self.init(parsing: [UInt8](text.utf8))
    }

    /// Makes an update of its JSON object.
    ///
    /// - Throws: as `init(parsing:)`.
    package init(_ value: JSONValue) throws(ObjectQueryError) {
        guard case .object(let members) = value else { throw ObjectQueryError("the update is not a JSON object") }
        guard members.count <= Self.maximumKeys else {
            throw ObjectQueryError("the update has \(members.count) keys, \(Self.maximumKeys) are allowed")
        }
        try value.checkBounds()
        var changes: [Change] = []
        for member in members {
            let path = try ObjectPath(member.name)
            for part in path.parts { try Self.checkName(part) }
            let operation = try UpdateOperation(member.value, under: path)
            for value in operation.values {
                // The row stays as shallow as an update can be. A new element stands one level below its array.
                let depth = ObjectQuery.maximumDepth - path.parts.count - (operation.isOfElements ? 1 : 0)
                try value.checkBounds(depth: depth)
                try Self.checkNames(in: value)
            }
            changes.append(Change(path: path, operation: operation))
        }
        try Self.checkConflicts(changes)
        self.changes = changes
    }

    /// The row after the update.
    ///
    /// - Returns: the row, and the values that the update gave to its keys, as nested objects without dots; what the
    ///   update deleted is missing in both.
    /// - Throws: when an operation does not fit the value that it meets, or a key leads into something that is not an
    ///   object. Nothing is changed then.
    package func apply(
        to row: JSONValue
    ) throws(ObjectQueryError) -> (row: JSONValue, modified: JSONValue) {
        guard row.object != nil else { throw ObjectQueryError("the row is not an object") }
        var row = row
        var modified = JSONValue.object([])
        for change in self.changes {
            let parts = change.path.parts[...]
            let before = try Self.value(at: parts, in: row, change.path)
            guard let after = try change.operation.result(of: before, under: change.path) else {
                Self.remove(parts, from: &row)
                continue
            }
            Self.set(after, at: parts, in: &row)
            Self.set(after, at: parts, in: &modified)
        }
        return (row, modified)
    }

    // MARK: Checks

    /// JavaScript gives this name a meaning of its own, and its apps copy members by name.
    private static func checkName(_ name: String) throws(ObjectQueryError) {
        if name == "__proto__" { throw ObjectQueryError("the name \"__proto__\" is not allowed in an update") }
    }

    private static func checkNames(in value: JSONValue) throws(ObjectQueryError) {
        switch value {
        case .array(let elements): for element in elements { try self.checkNames(in: element) }
        case .object(let members):
            for member in members {
                try self.checkName(member.name)
                if member.name == "__op" {
                    throw ObjectQueryError("an operation stands inside of a value; it belongs right under a key")
                }
                try self.checkNames(in: member.value)
            }
        case .null, .boolean, .integer, .double, .string: break
        }
    }

    private static func checkConflicts(_ changes: [Change]) throws(ObjectQueryError) {
        let whole = Set(changes.map { $0.path.parts.map { [UInt8]($0.utf8) } })
        for change in changes {
            let parts = change.path.parts.map { [UInt8]($0.utf8) }
            for length in 1..<parts.count where whole.contains(Array(parts.prefix(length))) {
                throw ObjectQueryError(
                    "the key \(ObjectQueryError.quoted(change.path.text)) leads into what another key changes")
            }
        }
    }

    // MARK: Places

    private static func value(
        at parts: ArraySlice<String>, in row: JSONValue, _ path: ObjectPath
    ) throws(ObjectQueryError) -> JSONValue? {
        var value = row
        for (index, part) in parts.enumerated() {
            guard case .object = value, index == 0 || value.typeName == nil else {
                if value.isNull { return nil }
                throw ObjectQueryError(
                    "the key \(ObjectQueryError.quoted(path.text)) leads into something that is not an object")
            }
            guard let member = value.member(part) else { return nil }
            value = member
        }
        return value
    }

    /// Sets a value and makes the objects on the way to it.
    private static func set(_ new: JSONValue, at parts: ArraySlice<String>, in value: inout JSONValue) {
        guard let name = parts.first else {
            value = new
            return
        }
        var members = value.object ?? []
        if let place = members.firstIndex(where: { $0.name.isExactly(name) }) {
            self.set(new, at: parts.dropFirst(), in: &members[place].value)
        } else {
            var member = JSONValue.null
            self.set(new, at: parts.dropFirst(), in: &member)
            members.append(JSONValue.Member(name, member))
        }
        value = .object(members)
    }

    private static func remove(_ parts: ArraySlice<String>, from value: inout JSONValue) {
        guard case .object(var members) = value, let name = parts.first,
            let place = members.firstIndex(where: { $0.name.isExactly(name) })
        else { return }
        if parts.count == 1 {
            members.remove(at: place)
        } else {
            self.remove(parts.dropFirst(), from: &members[place].value)
        }
        value = .object(members)
    }
}

/// Change of one value by an update.
enum UpdateOperation: Sendable {
    case set(JSONValue)
    case delete
    /// A number.
    case increment(JSONValue)
    case add([JSONValue])
    case addUnique([JSONValue])
    case remove([JSONValue])
    case bits(BitOperation, Int64)

    enum BitOperation: Sendable { case and, or, xor }

    init(_ value: JSONValue, under path: ObjectPath) throws(ObjectQueryError) {
        guard let operation = value.member("__op") else {
            self = .set(value)
            return
        }
        guard let name = operation.string else {
            throw ObjectQueryError("__op of \(Self.named(path)) needs a string")
        }
        switch name {
        case "Delete", "Unset": self = .delete
        case "Increment": self = .increment(try Self.amount(value, path))
        case "Decrement": self = .increment(try Self.negated(Self.amount(value, path), path))
        case "Add": self = .add(try Self.objects(value, path))
        case "AddUnique": self = .addUnique(try Self.objects(value, path))
        case "Remove": self = .remove(try Self.objects(value, path))
        case "BitAnd": self = .bits(.and, try Self.bits(value, path))
        case "BitOr": self = .bits(.or, try Self.bits(value, path))
        case "BitXor": self = .bits(.xor, try Self.bits(value, path))
        default: throw ObjectQueryError("the operation \(ObjectQueryError.quoted(name)) is not supported here")
        }
    }

    /// The values that the operation may put into the row.
    var values: [JSONValue] {
        switch self {
        case .set(let value): [value]
        case .add(let values), .addUnique(let values), .remove(let values): values
        case .delete, .increment, .bits: []
        }
    }

    /// True when `values` are elements of the array that the row has.
    var isOfElements: Bool {
        switch self {
        case .add, .addUnique, .remove: true
        case .set, .delete, .increment, .bits: false
        }
    }

    /// - Returns: `nil` when there is to be no value.
    func result(of before: JSONValue?, under path: ObjectPath) throws(ObjectQueryError) -> JSONValue? {
        // `null` is what a client that knows of no value yet has written.
        let before = before?.isNull == true ? nil : before
        switch self {
        case .set(let value): return value
        case .delete: return nil
        case .increment(let amount): return try Self.sum(before ?? .integer(0), amount, path)
        case .add(let objects): return .array(try Self.elements(before, path) + objects)
        case .addUnique(let objects):
            var elements = try Self.elements(before, path)
            for object in objects {
                let term = ObjectTerm(object)
                if !elements.contains(where: { ObjectTerm.order(term, ObjectTerm($0)) == 0 }) {
                    elements.append(object)
                }
            }
            return .array(elements)
        case .remove(let objects):
            let terms = objects.map(ObjectTerm.init)
            let kept = try Self.elements(before, path).filter { element in
                let element = ObjectTerm(element)
                return !terms.contains { ObjectTerm.order($0, element) == 0 }
            }
            return .array(kept)
        case .bits(let operation, let operand):
            guard let bits = (before ?? .integer(0)).integer else { throw Self.mismatch(path, "an integer") }
            return switch operation {
            case .and: .integer(bits & operand)
            case .or: .integer(bits | operand)
            case .xor: .integer(bits ^ operand)
            }
        }
    }

    // MARK: Operands

    private static func named(_ path: ObjectPath) -> String { "the key \(ObjectQueryError.quoted(path.text))" }

    private static func amount(_ value: JSONValue, _ path: ObjectPath) throws(ObjectQueryError) -> JSONValue {
        guard let amount = value.member("amount"), amount.double != nil else {
            throw ObjectQueryError("the operation on \(Self.named(path)) needs a number as its amount")
        }
        return amount
    }

    private static func negated(_ amount: JSONValue, _ path: ObjectPath) throws(ObjectQueryError) -> JSONValue {
        guard let integer = amount.integer else { return .double(-(amount.double ?? 0)) }
        guard integer != .min else { throw Self.outOfRange(path) }
        return .integer(-integer)
    }

    private static func objects(_ value: JSONValue, _ path: ObjectPath) throws(ObjectQueryError) -> [JSONValue] {
        guard let objects = value.member("objects")?.array else {
            throw ObjectQueryError("the operation on \(Self.named(path)) needs a list as its objects")
        }
        return objects
    }

    private static func bits(_ value: JSONValue, _ path: ObjectPath) throws(ObjectQueryError) -> Int64 {
        guard let bits = value.member("value")?.integer else {
            throw ObjectQueryError("the operation on \(Self.named(path)) needs an integer as its value")
        }
        return bits
    }

    // MARK: Results

    private static func mismatch(_ path: ObjectPath, _ expected: String) -> ObjectQueryError {
        ObjectQueryError("the operation on \(self.named(path)) needs \(expected) there, and finds something else")
    }

    private static func outOfRange(_ path: ObjectPath) -> ObjectQueryError {
        ObjectQueryError("the operation on \(self.named(path)) makes a number that is too large")
    }

    private static func elements(_ before: JSONValue?, _ path: ObjectPath) throws(ObjectQueryError) -> [JSONValue] {
        guard let before else { return [] }
        guard let elements = before.array else { throw Self.mismatch(path, "a list") }
        return elements
    }

    private static func sum(
        _ before: JSONValue, _ amount: JSONValue, _ path: ObjectPath
    ) throws(ObjectQueryError) -> JSONValue {
        if let left = before.integer, let right = amount.integer {
            let (sum, isOverflow) = left.addingReportingOverflow(right)
            if isOverflow { throw self.outOfRange(path) }
            return .integer(sum)
        }
        guard let left = before.double, let right = amount.double else { throw self.mismatch(path, "a number") }
        guard (left + right).isFinite else { throw self.outOfRange(path) }
        return .double(left + right)
    }
}
