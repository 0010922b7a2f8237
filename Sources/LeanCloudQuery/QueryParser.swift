import ByteCodec
import RegularExpressions

/// Turns the JSON of a query into conditions, whose number it bounds.
struct QueryParser {
    private var conditions = 0
    private var states = 0

    mutating func object(_ members: [JSONValue.Member]) throws(ObjectQueryError) -> QueryCondition {
        var conditions: [QueryCondition] = []
        for member in members {
            try self.count()
            guard member.name.isOperator else {
                conditions.append(try self.field(ObjectPath(member.name), member.value))
                continue
            }
            switch member.name {
            case "$and": conditions.append(.all(try self.list(member)))
            case "$or": conditions.append(.any(try self.list(member)))
            case "$nor": conditions.append(.not(.any(try self.list(member))))
            default: throw Self.unsupported(member.name)
            }
        }
        return .all(conditions)
    }

    private static func unsupported(_ name: String) -> ObjectQueryError {
        ObjectQueryError("the operator \(ObjectQueryError.quoted(name)) is not supported here")
    }

    private mutating func count() throws(ObjectQueryError) {
        self.conditions += 1
        guard self.conditions <= ObjectQuery.maximumConditions else {
            throw ObjectQueryError("the query has more than \(ObjectQuery.maximumConditions) conditions")
        }
    }

    private mutating func list(_ member: JSONValue.Member) throws(ObjectQueryError) -> [QueryCondition] {
        guard case .array(let elements) = member.value, !elements.isEmpty else {
            throw ObjectQueryError("\(member.name) needs a list of conditions that is not empty")
        }
        var conditions: [QueryCondition] = []
        for element in elements {
            guard case .object(let members) = element else {
                throw ObjectQueryError("\(member.name) has an element that is not an object")
            }
            try self.count()
            conditions.append(try self.object(members))
        }
        return conditions
    }

    // MARK: Under a key

    private mutating func field(_ path: ObjectPath, _ value: JSONValue) throws(ObjectQueryError) -> QueryCondition {
        guard case .object(let members) = value, members.contains(where: { $0.name.isOperator }) else {
            return .field(path, .equal(try self.term(value, under: path)))
        }
        return .all(try self.operators(path, members))
    }

    private mutating func operators(
        _ path: ObjectPath, _ members: [JSONValue.Member]
    ) throws(ObjectQueryError) -> [QueryCondition] {
        var conditions: [QueryCondition] = []
        for member in members {
            try self.count()
            guard member.name.isOperator else {
                throw ObjectQueryError("\(Self.named(path)) has operators and plain values in one object")
            }
            // What is read together with the operator that it belongs to.
            if member.name == "$options", members.contains(where: { $0.name == "$regex" }) { continue }
            if GeoArea.isDistance(member.name), members.contains(where: { $0.name == "$nearSphere" }) { continue }
            conditions.append(try self.condition(path, member, among: members))
        }
        return conditions
    }

    private mutating func condition(
        _ path: ObjectPath, _ member: JSONValue.Member, among members: [JSONValue.Member]
    ) throws(ObjectQueryError) -> QueryCondition {
        let value = member.value
        switch member.name {
        case "$eq": return .field(path, .equal(try self.term(value, under: path)))
        case "$ne": return .not(.field(path, .equal(try self.term(value, under: path))))
        case "$gt": return .field(path, .compare(.greater, try self.term(value, under: path)))
        case "$gte": return .field(path, .compare(.greaterOrEqual, try self.term(value, under: path)))
        case "$lt": return .field(path, .compare(.less, try self.term(value, under: path)))
        case "$lte": return .field(path, .compare(.lessOrEqual, try self.term(value, under: path)))
        case "$in": return .field(path, .among(QueryTermList(try self.terms(member, under: path))))
        case "$nin": return .not(.field(path, .among(QueryTermList(try self.terms(member, under: path)))))
        case "$all": return .field(path, .holdsAll(try self.terms(member, under: path)))
        case "$size":
            guard let size = value.integer, size >= 0 else {
                throw ObjectQueryError("$size of \(Self.named(path)) needs an integer of 0 or more")
            }
            return .field(path, .size(size))
        case "$exists":
            guard let isWanted = value.boolean else {
                throw ObjectQueryError("$exists of \(Self.named(path)) needs true or false")
            }
            return .field(path, .exists(isWanted))
        case "$regex": return .field(path, .regex(try self.regex(path, value, among: members)))
        case "$options": throw ObjectQueryError("$options of \(Self.named(path)) stands without $regex")
        case "$nearSphere":
            guard let group = GeoArea(near: value, among: members) else {
                throw ObjectQueryError("$nearSphere of \(Self.named(path)) needs a GeoPoint and distances of 0 or more")
            }
            return .field(path, .inside(group))
        case "$within":
            guard let group = GeoArea(within: value) else {
                throw ObjectQueryError(
                    "$within of \(Self.named(path)) needs a $box of two GeoPoints, southwest and northeast")
            }
            return .field(path, .inside(group))
        case "$not":
            guard case .object(let inner) = value, !inner.isEmpty else {
                throw ObjectQueryError("$not of \(Self.named(path)) needs an object of operators")
            }
            return .not(.all(try self.operators(path, inner)))
        default: throw Self.unsupported(member.name)
        }
    }

    private mutating func regex(
        _ path: ObjectPath, _ value: JSONValue, among members: [JSONValue.Member]
    ) throws(ObjectQueryError) -> BoundedRegex {
        guard let pattern = value.string else {
            throw ObjectQueryError("$regex of \(Self.named(path)) needs a string")
        }
        let options = members.first { $0.name == "$options" }?.value ?? .string("")
        guard let options = options.string else {
            throw ObjectQueryError("$options of \(Self.named(path)) needs a string")
        }
        do throws(PatternError) {
            let regex = try BoundedRegex(
                pattern, options: options, maximumStates: BoundedRegex.maximumStates - self.states)
            self.states += regex.stateCount
            return regex
        } catch {
            throw ObjectQueryError(error.reason)
        }
    }

    // MARK: Values

    private static func named(_ path: ObjectPath) -> String { "the key \(ObjectQueryError.quoted(path.text))" }

    private func terms(
        _ member: JSONValue.Member, under path: ObjectPath
    ) throws(ObjectQueryError) -> [ObjectTerm] {
        guard case .array(let elements) = member.value else {
            throw ObjectQueryError("\(member.name) of \(Self.named(path)) needs a list of values")
        }
        var terms: [ObjectTerm] = []
        for element in elements { terms.append(try self.term(element, under: path)) }
        return terms
    }

    private func term(_ value: JSONValue, under path: ObjectPath) throws(ObjectQueryError) -> ObjectTerm {
        try self.checkPlain(value, under: path)
        return ObjectTerm(value)
    }

    /// A value that is compared has no operators in it, and its dates are dates.
    private func checkPlain(_ value: JSONValue, under path: ObjectPath) throws(ObjectQueryError) {
        switch value {
        case .array(let elements): for element in elements { try self.checkPlain(element, under: path) }
        case .object(let members):
            for member in members {
                if member.name.isOperator {
                    throw ObjectQueryError(
                        """
                        the operator \(ObjectQueryError.quoted(member.name)) stands inside of a value that \
                        \(Self.named(path)) is compared with
                        """)
                }
                try self.checkPlain(member.value, under: path)
            }
            if value.typeName == "Date", value.member("iso")?.string.flatMap(ISOInstant.milliseconds) == nil {
                throw ObjectQueryError("\(Self.named(path)) is compared with a Date whose iso is not a date and time")
            }
        case .null, .boolean, .integer, .double, .string: break
        }
    }
}
