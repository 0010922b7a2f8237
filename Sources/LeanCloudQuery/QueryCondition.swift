import ByteCodec
import RegularExpressions

/// A condition on a row, as a tree.
indirect enum QueryCondition: Sendable {
    case all([QueryCondition])
    case any([QueryCondition])
    case not(QueryCondition)
    case field(ObjectPath, QueryTest)
}

/// A condition on what stands under one key.
enum QueryTest: Sendable {
    case equal(ObjectTerm)
    case compare(QueryComparison, ObjectTerm)
    case among(QueryTermList)
    case holdsAll([ObjectTerm])
    case size(Int64)
    case exists(Bool)
    case regex(BoundedRegex)
    case inside(GeoArea)
}

enum QueryComparison: Sendable {
    case greater, greaterOrEqual, less, lessOrEqual

    /// - Parameter order: negative when the value of the row is the smaller one.
    func accepts(_ order: Int) -> Bool {
        switch self {
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        }
    }
}

/// The values of an `$in`, of which long lists of ids are looked up rather than compared.
struct QueryTermList: Sendable {
    let terms: [ObjectTerm]
    let strings: Set<String>
    private let others: [ObjectTerm]
    let hasNull: Bool

    init(_ terms: [ObjectTerm]) {
        self.terms = terms
        var strings: Set<String> = []
        var others: [ObjectTerm] = []
        var hasNull = false
        for term in terms {
            switch term {
            case .string(let text): strings.insert(text)
            case .null:
                hasNull = true
                others.append(term)
            case .boolean, .integer, .double, .array, .object, .date: others.append(term)
            }
        }
        self.strings = strings
        self.others = others
        self.hasNull = hasNull
    }

    func contains(_ value: JSONValue, _ effort: inout QueryEffort) -> Bool {
        let steps = self.others.reduce(1) { $0 + $1.effort(for: value) }
        guard effort.spend(steps) else { return false }
        if case .string(let text) = value, self.strings.contains(text) {
            // The set takes two spellings of one letter for the same.
            return effort.spend(self.terms.count) && self.terms.contains { $0.equals(value) }
        }
        return self.others.contains { $0.equals(value) }
    }
}

extension QueryCondition {
    func holds(for row: JSONValue, _ effort: inout QueryEffort) -> Bool {
        guard effort.spend() else { return false }
        switch self {
        case .all(let conditions):
            for condition in conditions where !condition.holds(for: row, &effort) { return false }
            return true
        case .any(let conditions):
            for condition in conditions where condition.holds(for: row, &effort) { return true }
            return false
        case .not(let condition): return !condition.holds(for: row, &effort)
        case .field(let path, let test): return test.holds(at: path, in: row, &effort)
        }
    }
}

extension QueryTest {
    func holds(at path: ObjectPath, in row: JSONValue, _ effort: inout QueryEffort) -> Bool {
        switch self {
        case .equal(let term): return Self.isEqual(term, at: path, in: row, &effort)
        case .holdsAll(let terms):
            for term in terms where !Self.isEqual(term, at: path, in: row, &effort) { return false }
            return !terms.isEmpty
        case .among(let list):
            return path.anyValue(in: row, &effort) { value, effort in
                guard let value else { return list.hasNull }
                return Self.anyOf(value, &effort) { list.contains($0, &$1) }
            }
        case .compare(let comparison, let term):
            return path.anyValue(in: row, &effort) { value, effort in
                // What is missing compares as `null` does.
                Self.anyOf(value ?? .null, &effort) { value, effort in
                    guard effort.spend(term.effort(for: value)), term.canMeet(value) else { return false }
                    let found = term.counterpart(value)
                    return found.rank == term.rank && comparison.accepts(ObjectTerm.order(found, term))
                }
            }
        case .size(let count):
            return path.anyValue(in: row, &effort) { value, _ in
                value?.array.map { Int64($0.count) == count } ?? false
            }
        case .exists(let isWanted):
            return path.anyValue(in: row, &effort) { value, _ in value != nil } == isWanted
        case .regex(let regex):
            return path.anyValue(in: row, &effort) { value, effort in
                guard let value else { return false }
                return Self.anyOf(value, &effort) { value, effort in
                    guard case .string(let text) = value else { return false }
                    return effort.matches(regex, text)
                }
            }
        case .inside(let group):
            return path.anyValue(in: row, &effort) { value, effort in
                guard let value else { return false }
                return Self.anyOf(value, &effort) { value, effort in
                    effort.spend() && GeoPlace(value).map(group.contains) ?? false
                }
            }
        }
    }

    private static func isEqual(
        _ term: ObjectTerm, at path: ObjectPath, in row: JSONValue, _ effort: inout QueryEffort
    ) -> Bool {
        path.anyValue(in: row, &effort) { value, effort in
            guard let value else {
                if case .null = term { return true }
                return false
            }
            return Self.anyOf(value, &effort) { $1.spend(term.effort(for: $0)) && term.equals($0) }
        }
    }

    /// True when `accepts` takes the value, or an element of it when it is an array.
    private static func anyOf(
        _ value: JSONValue, _ effort: inout QueryEffort, _ accepts: (JSONValue, inout QueryEffort) -> Bool
    ) -> Bool {
        if case .array(let elements) = value {
            guard effort.spend(elements.count) else { return false }
            for element in elements where accepts(element, &effort) { return true }
        }
        return accepts(value, &effort)
    }
}
