package import ByteCodec

/// The order of the rows of a query, such as `-lm,name`: keys by weight, each from the smallest value to the largest,
/// or with a minus the other way round.
///
/// Values of different kinds stand in MongoDB's order: nothing and `null`, numbers, strings, objects, arrays, booleans,
/// dates. An array stands where its smallest element does, or its largest when the key has a minus, and an empty one
/// before everything. `createdAt` and `updatedAt` are dates although they are strings. Rows that are the same to all
/// keys keep their order.
///
/// Source: LeanCloud REST guide, "order"; MongoDB manual, "Comparison/Sort Order".
package struct ObjectSort: Sendable {
    /// Keys in one order.
    package static let maximumKeys = 8
    /// Bytes of its text.
    package static let maximumBytes = 1024

    private struct Key: Sendable {
        let path: ObjectPath
        let isDescending: Bool
        let isDateText: Bool
        /// Where the distances of places are measured from.
        var origin: GeoPlace?
    }

    private let keys: [Key]

    /// Reads keys with commas between them. An empty text has no keys and keeps the order of the rows.
    ///
    /// - Throws: when there are too many keys, or one is none.
    package init(parsing text: String) throws(ObjectQueryError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw ObjectQueryError("the order has \(text.utf8.count) bytes, \(Self.maximumBytes) are allowed")
        }
        var keys: [Key] = []
        guard text.utf8.contains(where: { $0 != 0x20 }) else {
            self.keys = []
            return
        }
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard keys.count < Self.maximumKeys else {
                throw ObjectQueryError("the order has more than \(Self.maximumKeys) keys")
            }
            var name = part.drop { $0 == 0x20 }
            while name.last == 0x20 { name.removeLast() }
            let isDescending = name.first == UInt8(ascii: "-")
            if isDescending { name.removeFirst() }
            let path = try ObjectPath(String(Substring(name)))
            let isDateText = path.text == "createdAt" || path.text == "updatedAt"
            keys.append(Key(path: path, isDescending: isDescending, isDateText: isDateText))
        }
        self.keys = keys
    }

    /// The nearest first; rows without a place before them.
    init(nearest origin: GeoPlace, under path: ObjectPath) {
        self.keys = [Key(path: path, isDescending: false, isDateText: false, origin: origin)]
    }

    /// The rows in order.
    package func sorted(_ rows: [JSONValue]) -> [JSONValue] { self.order(of: rows).map { rows[$0] } }

    /// The positions of `rows`, in order.
    package func order(of rows: [JSONValue]) -> [Int] {
        guard !self.keys.isEmpty else { return Array(rows.indices) }
        let places = rows.map { row in self.keys.map { Self.place(of: row, by: $0) } }
        return rows.indices.sorted { left, right in
            for (index, key) in self.keys.enumerated() {
                let order = Self.order(places[left][index], places[right][index])
                if order != 0 { return (order < 0) != key.isDescending }
            }
            return left < right
        }
    }

    /// Where a row stands by one key; `nil` is before everything.
    private static func place(of row: JSONValue, by key: Key) -> ObjectTerm? {
        var place: ObjectTerm?
        var isFound = false
        // Each row is looked at once, so this needs no bound of its own.
        var effort = QueryEffort(steps: .max)
        _ = key.path.anyValue(in: row, &effort) { value, _ in
            for term in self.terms(value ?? .null, key) {
                if let best = place, (ObjectTerm.order(term, best) < 0) == key.isDescending { continue }
                place = term
            }
            isFound = true
            return false
        }
        return isFound ? place : .some(.null)
    }

    private static func terms(_ value: JSONValue, _ key: Key) -> [ObjectTerm] {
        if case .array(let elements) = value {
            guard key.origin == nil else { return elements.flatMap { self.terms($0, key) } }
            return elements.map(ObjectTerm.init)
        }
        if key.isDateText, let text = value.string, let instant = ISOInstant.milliseconds(text) {
            return [.date(instant)]
        }
        if let origin = key.origin {
            return GeoPlace(value).map { [.double(origin.distance(to: $0))] } ?? []
        }
        return [ObjectTerm(value)]
    }

    private static func order(_ left: ObjectTerm?, _ right: ObjectTerm?) -> Int {
        switch (left, right) {
        case (let left?, let right?): ObjectTerm.order(left, right)
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        }
    }
}
