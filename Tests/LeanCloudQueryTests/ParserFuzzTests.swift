import ByteCodec
import RegularExpressions
import Testing

@testable import LeanCloudQuery

/// Random texts of the words of the languages: nothing that a client sends stops the server.
struct ParserFuzzTests {
    /// The same numbers each time. Source: Sebastiano Vigna, "SplitMix64".
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var value = self.state
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
    }

    private static let keys = [
        "a", "m", "a.b", "a.0", "attr.type", "objectId", "$and", "$or", "$nor", "$not", "$eq", "$ne", "$gt", "$lte",
        "$in",
        "$nin", "$all", "$size", "$exists", "$regex", "$options", "__type", "iso", "__op", "amount", "objects", "value",
        "__proto__", "", ".", "$", "é",
    ]
    private static let texts = [
        "Date", "Pointer", "2026-11-21T08:00:00Z", "9999-99-99T99:99:99Z", "i", "(a+)+$", "[", "Increment", "Delete",
        "AddUnique", "Remove", "BitXor", "", "x",
    ]

    private func value(_ depth: Int, _ numbers: inout Numbers) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &numbers) {
        case 0: .null
        case 1: .boolean(.random(using: &numbers))
        case 2: .integer([0, 1, -1, .max, .min].randomElement(using: &numbers)!)
        case 3: .double([0.5, -1e308, 0x1p63, -0x1p63, 1e-300].randomElement(using: &numbers)!)
        case 4, 5: .string(Self.texts.randomElement(using: &numbers)!)
        case 6: .array((0..<Int.random(in: 0..<4, using: &numbers)).map { _ in self.value(depth - 1, &numbers) })
        default: self.object(depth - 1, &numbers)
        }
    }

    private func object(_ depth: Int, _ numbers: inout Numbers) -> JSONValue {
        let names = Self.keys.shuffled(using: &numbers).prefix(Int.random(in: 0..<4, using: &numbers))
        return .object(names.map { JSONValue.Member($0, self.value(depth, &numbers)) })
    }

    @Test("queries, orders and updates of random objects never trap, and agree on what a row is", arguments: 0..<4)
    func objects(seed: Int) throws {
        var numbers = Numbers(state: UInt64(seed))
        var effort = QueryEffort()
        var understood = 0
        for _ in 0..<3_000 {
            let first = self.object(3, &numbers)
            let rows = [self.object(3, &numbers), first]
            if let query = try? ObjectQuery(first) {
                understood += 1
                for row in rows { _ = try query.matches(row, effort: &effort) }
            }
            if let update = try? ObjectUpdate(first), let result = try? update.apply(to: rows[0]) {
                understood += 1
                // What the update set is what a query for it finds.
                for key in update.keys {
                    guard let value = result.modified[key] else { continue }
                    #expect(result.row[key] != nil && (value.object != nil || result.row[key] == value))
                }
            }
            if let key = Self.keys.randomElement(using: &numbers), let sort = try? ObjectSort(parsing: "-" + key) {
                #expect(sort.order(of: rows).sorted() == [0, 1])
            }
        }
        #expect(understood > 300)
    }

    /// A condition on the columns that hints know, mostly with values that rows have.
    private func condition(_ depth: Int, _ numbers: inout Numbers) -> JSONValue {
        let texts: [JSONValue] = [.string("a"), .string("b"), .string("c"), .null, .integer(1)]
        let flags: [JSONValue] = [.boolean(true), .boolean(false), .null]
        func pick(_ key: String, _ numbers: inout Numbers) -> JSONValue {
            (key == "tr" || key == "sys" ? flags : texts).randomElement(using: &numbers)!
        }
        func list(_ key: String, _ numbers: inout Numbers) -> JSONValue {
            .array((0..<Int.random(in: 0..<3, using: &numbers)).map { _ in pick(key, &numbers) })
        }
        var members: [JSONValue.Member] = []
        for key in ["objectId", "m", "tr", "sys", "uniqueId"] where Int.random(in: 0..<3, using: &numbers) == 0 {
            let value: JSONValue =
                switch Int.random(in: 0..<8, using: &numbers) {
                case 0: .object([.init("$ne", pick(key, &numbers))])
                case 1: .object([.init("$in", list(key, &numbers))])
                case 2: .object([.init("$nin", list(key, &numbers))])
                case 3: .object([.init("$all", list(key, &numbers))])
                case 4: .object([.init("$not", .object([.init("$eq", pick(key, &numbers))]))])
                case 5: .object([.init("$eq", pick(key, &numbers)), .init("$exists", .boolean(true))])
                default: pick(key, &numbers)
                }
            members.append(.init(key, value))
        }
        for name in ["$and", "$or", "$nor"] where depth > 0 && Int.random(in: 0..<3, using: &numbers) == 0 {
            let count = Int.random(in: 1..<3, using: &numbers)
            members.append(.init(name, .array((0..<count).map { _ in self.condition(depth - 1, &numbers) })))
        }
        return .object(members)
    }

    @Test("no row matches that the hints leave out", arguments: 0..<4)
    func hints(seed: Int) throws {
        var numbers = Numbers(state: UInt64(seed))
        var rows: [(row: JSONValue, id: String, members: [String], isRoom: Bool, isSystem: Bool, uniqueID: String?)] =
            []
        for id in ["a", "b", "c"] {
            for members in [[], ["a"], ["b"], ["a", "b"]] {
                for (isRoom, isSystem, uniqueID) in [(true, false, nil), (false, true, "a"), (false, false, "b")] {
                    // What is not so is sometimes false and sometimes missing.
                    var row: [JSONValue.Member] = [
                        .init("objectId", .string(id)), .init("m", .array(members.map(JSONValue.string))),
                    ]
                    if isRoom || id == "a" { row.append(.init("tr", .boolean(isRoom))) }
                    if isSystem || id == "b" { row.append(.init("sys", .boolean(isSystem))) }
                    if let uniqueID { row.append(.init("uniqueId", .string(uniqueID))) }
                    rows.append((.object(row), id, members, isRoom, isSystem, uniqueID))
                }
            }
        }
        var effort = QueryEffort()
        var used = 0
        for _ in 0..<1_500 {
            let text = self.condition(2, &numbers)
            let query = try ObjectQuery(text)
            let hints = query.hints
            for row in rows where try query.matches(row.row, effort: &effort) {
                let isLeft =
                    hints.objectIDs?.contains(row.id) != false && Set(hints.members).isSubset(of: row.members)
                    && (hints.isRoom ?? row.isRoom) == row.isRoom
                    && (hints.isSystem ?? row.isSystem) == row.isSystem
                    && (hints.uniqueID == nil || hints.uniqueID == row.uniqueID)
                #expect(isLeft, "\(String(decoding: text.serialized(), as: UTF8.self))")
                if hints != ObjectQueryHints() { used += 1 }
            }
        }
        #expect(used > 100)
    }

    @Test("broken texts never trap", arguments: 0..<2)
    func texts(seed: Int) {
        var numbers = Numbers(state: UInt64(seed))
        for _ in 0..<2_000 {
            var text = self.object(3, &numbers).serialized()
            for _ in 0..<Int.random(in: 1..<4, using: &numbers) where !text.isEmpty {
                let place = Int.random(in: 0..<text.count, using: &numbers)
                if Bool.random(using: &numbers) {
                    text[place] = UInt8.random(in: 0...255, using: &numbers)
                } else {
                    text.removeSubrange(place...)
                }
            }
            _ = try? ObjectQuery(parsing: text)
            _ = try? ObjectUpdate(parsing: text)
        }
    }

    @Test("random patterns never trap, and never cost more than their bound", arguments: 0..<4)
    func patterns(seed: Int) {
        let pieces = [
            "a", "b", "ſ", "聊", "😀", ".", "^", "$", "(", "(?:", "(?i)", "(?i-m:", "(?<n>", ")", "|", "*", "+", "?",
            "{2}",
            "{0,3}", "{1,}", "{", "[", "[^", "]", "-", "\\d", "\\W", "\\b", "\\Q", "\\E", "\\u0041", "\\x{41}",
            "\\p{L}",
            "\\P{Han}", "\\1", "(?=", "\\", " ", "#", "\n", "]]",
        ]
        let letters: [Unicode.Scalar] = ["a", "b", "A", "ſ", "聊", "😀", "\n", " ", "1", "-"]
        var numbers = Numbers(state: UInt64(seed))
        var understood = 0
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<14, using: &numbers)
            let pattern = (0..<count).map { _ in pieces.randomElement(using: &numbers)! }.joined()
            let options = ["", "i", "m", "s", "x", "ims"].randomElement(using: &numbers)!
            guard let regex = try? BoundedRegex(pattern, options: options) else { continue }
            understood += 1
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<20, using: &numbers) {
                text.append(letters.randomElement(using: &numbers)!)
            }
            var effort = QueryEffort(steps: 2 * regex.stateCount * (text.count + 1))
            _ = effort.matches(regex, String(text))
            #expect(!effort.isSpent, "/\(pattern)/\(options)")
        }
        #expect(understood > 500)
    }
}
