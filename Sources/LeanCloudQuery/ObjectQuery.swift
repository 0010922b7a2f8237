package import ByteCodec

/// The `where` of a LeanCloud query: which rows are asked for.
///
/// The language is MongoDB's, over the values of LeanCloud. A row is an object as clients see it: `m` an array of
/// strings, `lm` an object with `__type` `Date`, `createdAt` a string.
/// - A plain value asks for an equal one, or for an array that has it as an element. Objects are compared member by
///   member in any order, pointers by class and id, dates as instants, numbers exactly.
/// - `$eq $ne $gt $gte $lt $lte $in $nin $all $size $exists $regex` with `$options`, and `$not` around them, stand under
///   a key; `$and $or $nor` hold lists of whole conditions.
/// - `$nearSphere` with `$maxDistanceInKilometers` and its likes, and `$within` with `$box`, ask for places.
/// - `null` asks for `null` or nothing. `$gt` and its likes take only values of the kind that they are given.
/// - A date also meets strings that are dates.
/// - Keys may lead into objects, and through arrays of objects: `attr.type`.
///
/// Everything else, such as `$inQuery`, `$select` or `$elemMatch`, is refused by name.
///
/// Source: LeanCloud REST guide, "Queries"; MongoDB manual, "Query and Projection Operators".
package struct ObjectQuery: Sendable {
    /// Bytes of the text: `maximumArrayItems` ids of 24 letters need 27 KB.
    package static let maximumBytes = 32 * 1024
    /// Objects and arrays within each other, the outermost counted; also in updates.
    package static let maximumDepth = 16
    /// Conditions in all.
    package static let maximumConditions = 256
    /// Items of each array; also in updates.
    package static let maximumArrayItems = 1000

    private let condition: QueryCondition
    /// True when there is no condition: every row matches.
    package let isEmpty: Bool
    /// Hints for the use of an index.
    package let hints: ObjectQueryHints

    /// The order that a `$nearSphere` asks for where the client names none: the nearest first.
    package let nearest: ObjectSort?

    /// Reads the JSON text of a query. An empty text asks for every row.
    ///
    /// - Throws: when it is no JSON object, is out of bounds, or has an unknown operator or an operand of the wrong
    ///   kind.
    package init(parsing text: [UInt8]) throws(ObjectQueryError) {
        let value =
            try text.isEmpty
            ? JSONValue.object([])
            : .bounded(parsing: text, maximumBytes: Self.maximumBytes, subject: "the query")
        try self.init(value)
    }

    /// Reads the JSON text of a query. An empty text asks for every row.
    ///
    /// - Throws: as `init(parsing:)` of bytes.
    package init(parsing text: String) throws(ObjectQueryError) {
        try self.init(parsing: [UInt8](text.utf8))
    }

    /// Makes a query of its JSON object.
    ///
    /// - Throws: as `init(parsing:)`.
    package init(_ value: JSONValue) throws(ObjectQueryError) {
        guard case .object(let members) = value else { throw ObjectQueryError("the query is not a JSON object") }
        try value.checkBounds()
        var parser = QueryParser()
        self.condition = try parser.object(members)
        self.isEmpty = members.isEmpty
        var hints = ObjectQueryHints()
        hints.collect(from: self.condition)
        self.hints = hints
        self.nearest = self.condition.nearest
    }

    /// True when `row` matches.
    ///
    /// - Throws: when `effort` is spent. The query must then not be answered with the rows found so far.
    package func matches(_ row: JSONValue, effort: inout QueryEffort) throws(ObjectQueryError) -> Bool {
        let isMatch = self.condition.holds(for: row, &effort)
        if effort.isSpent {
            throw ObjectQueryError(
                "the query takes too long: use fewer or simpler conditions, or one that finds rows by objectId or m")
        }
        return isMatch
    }
}

extension QueryCondition {
    /// The order of the first `$nearSphere` that every row meets.
    fileprivate var nearest: ObjectSort? {
        switch self {
        case .all(let conditions): conditions.lazy.compactMap(\.nearest).first
        case .field(let path, .inside(.ring(let center, _))): ObjectSort(nearest: center, under: path)
        case .any, .not, .field: nil
        }
    }
}

/// Conditions that every row must meet, as far as an index can use them: no row without these matches. The query itself
/// must still be evaluated for each row.
package struct ObjectQueryHints: Hashable, Sendable {
    /// The row has one of these ids; `nil` when any will do.
    package var objectIDs: Set<String>?
    /// All of these are among the members, `m`.
    package var members: [String] = []
    /// Required value of `tr`: true in the rows of rooms alone.
    package var isRoom: Bool?
    /// Required value of `sys`: true in the rows of system conversations alone.
    package var isSystem: Bool?
    /// The row has this `uniqueId`.
    package var uniqueID: String?

    /// Makes hints that demand nothing.
    package init() {}

    mutating func collect(from condition: QueryCondition) {
        switch condition {
        case .all(let conditions): for condition in conditions { self.collect(from: condition) }
        case .any(let conditions): if conditions.count == 1 { self.collect(from: conditions[0]) }
        case .field(let path, let test): self.collect(path.text, test)
        case .not(.field(let path, .equal(.boolean(true)))): self.demand(path.text, false)
        case .not: break
        }
    }

    private mutating func collect(_ key: String, _ test: QueryTest) {
        switch (key, test) {
        case ("objectId", .equal(.string(let id))): self.narrow([id])
        case ("objectId", .among(let list)): if !list.hasNull { self.narrow(list.strings) }
        case ("m", .equal(let term)): self.add([term])
        case ("m", .holdsAll(let terms)): self.add(terms)
        case ("m", .among(let list)): if list.terms.count == 1 { self.add(list.terms) }
        case ("uniqueId", .equal(.string(let id))): self.uniqueID = self.uniqueID ?? id
        case (_, .equal(.boolean(let value))): self.demand(key, value)
        default: break
        }
    }

    private mutating func narrow(_ ids: Set<String>) {
        self.objectIDs = self.objectIDs?.intersection(ids) ?? ids
    }

    private mutating func add(_ terms: [ObjectTerm]) {
        for case .string(let member) in terms where !self.members.contains(member) { self.members.append(member) }
    }

    private mutating func demand(_ key: String, _ value: Bool) {
        switch key {
        case "tr": self.isRoom = self.isRoom ?? value
        case "sys": self.isSystem = self.isSystem ?? value
        default: break
        }
    }
}
