import ByteCodec

/// A value as queries and orders compare it.
///
/// Dates are instants, pointers are what they point to, and the members of objects stand in the order of their names:
/// what a query takes for the same is the same here.
indirect enum ObjectTerm: Sendable {
    case null
    case integer(Int64)
    case double(Double)
    case string(String)
    /// Members by the bytes of their names.
    case object([Member])
    case array([ObjectTerm])
    case boolean(Bool)
    /// Milliseconds since 1970.
    case date(Int64)

    struct Member: Sendable {
        let name: String
        let value: ObjectTerm
    }

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .array(elements.map(Self.init))
        case .object(let members): self = Self.object(members, typeName: value.typeName)
        }
    }

    private static func object(_ members: [JSONValue.Member], typeName: String?) -> ObjectTerm {
        var members = members
        if typeName == "Date", let text = members.first(where: { $0.name == "iso" })?.value.string,
            let instant = ISOInstant.milliseconds(text)
        {
            return .date(instant)
        }
        if typeName == "Pointer" {
            // A pointer may carry the whole object that it points to.
            members.removeAll { !["__type", "className", "objectId"].contains($0.name) }
        }
        let terms = members.map { Member(name: $0.name, value: ObjectTerm($0.value)) }
        return .object(terms.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }

    /// The value of a row, as it is compared with this: next to a date, a string that is a date stands for its instant,
    /// because `createdAt` and `updatedAt` are strings.
    func counterpart(_ value: JSONValue) -> ObjectTerm {
        if case .date = self, case .string(let text) = value, let instant = ISOInstant.milliseconds(text) {
            return .date(instant)
        }
        return ObjectTerm(value)
    }

    func equals(_ value: JSONValue) -> Bool {
        if case .string(let mine) = self, case .string(let other) = value { return mine.isExactly(other) }
        return self.canMeet(value) && Self.order(self, self.counterpart(value)) == 0
    }

    /// True when the value of a row may be of this kind; other values are not looked into.
    func canMeet(_ value: JSONValue) -> Bool {
        switch value {
        case .null: self.rank == 0
        case .integer, .double: self.rank == 1
        case .string: self.rank == 2 || self.rank == 6
        case .object: self.rank == 3 || self.rank == 6
        case .array: self.rank == 4
        case .boolean: self.rank == 5
        }
    }

    /// The steps that comparing with the value of a row costs.
    func effort(for value: JSONValue) -> Int { self.canMeet(value) ? value.nodeCount : 1 }

    /// Where values of this kind stand among others. Source: MongoDB manual, "Comparison/Sort Order".
    var rank: Int {
        switch self {
        case .null: 0
        case .integer, .double: 1
        case .string: 2
        case .object: 3
        case .array: 4
        case .boolean: 5
        case .date: 6
        }
    }

    /// Negative when `left` comes first, zero when both are the same, positive when `right` comes first.
    static func order(_ left: ObjectTerm, _ right: ObjectTerm) -> Int {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return self.order(left, right)
        case (.double(let left), .double(let right)): return self.order(left, right)
        case (.integer(let left), .double(let right)): return self.order(left, right)
        case (.double(let left), .integer(let right)): return -self.order(right, left)
        case (.string(let left), .string(let right)): return self.order(left, right)
        case (.boolean(let left), .boolean(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
        case (.date(let left), .date(let right)): return self.order(left, right)
        case (.array(let left), .array(let right)):
            for (left, right) in zip(left, right) {
                let order = self.order(left, right)
                if order != 0 { return order }
            }
            return left.count - right.count
        case (.object(let left), .object(let right)):
            for (left, right) in zip(left, right) {
                let byName = self.order(left.name, right.name)
                let order = byName != 0 ? byName : self.order(left.value, right.value)
                if order != 0 { return order }
            }
            return left.count - right.count
        case (.null, _), (.boolean, _), (.integer, _), (.double, _), (.string, _), (.array, _), (.object, _),
            (.date, _):
            return left.rank - right.rank
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : left > right ? 1 : 0
    }

    /// By bytes, which is also the order of the scalars.
    private static func order(_ left: String, _ right: String) -> Int {
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }

    /// Exactly: a large integer is not rounded to the doubles that exist near it.
    private static func order(_ left: Int64, _ right: Double) -> Int {
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let floor = right.rounded(.down)
        let byFloor = self.order(left, Int64(floor))
        return byFloor != 0 || right == floor ? byFloor : -1
    }
}
