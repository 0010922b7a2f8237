import ByteCodec
import Testing

@Suite("JSON tree")
struct JSONValueTests {
    @Test("keeps the order of members and every kind of value")
    func parses() throws {
        let value = try JSONValue(parsing: #" {"z":1,"a":[null,true,-2.5,"\u8336"],"m":{}} "#)
        #expect(
            value
                == .object([
                    .init("z", .integer(1)),
                    .init("a", .array([.null, .boolean(true), .double(-2.5), .string("茶")])),
                    .init("m", .object([])),
                ]))
        #expect(String(decoding: value.serialized(), as: UTF8.self) == #"{"z":1,"a":[null,true,-2.5,"茶"],"m":{}}"#)
    }

    @Test("gives access by name and kind")
    func accessors() throws {
        let value = try JSONValue(parsing: #"{"s":"x","i":3,"d":1.5,"b":true,"n":null,"l":[1],"o":{"k":2}}"#)
        #expect(value["s"]?.string == "x")
        #expect(value["i"]?.integer == 3)
        #expect(value["i"]?.double == 3)
        #expect(value["d"]?.double == 1.5)
        #expect(value["d"]?.integer == nil)
        #expect(value["b"]?.boolean == true)
        #expect(value["n"]?.isNull == true)
        #expect(value["l"]?.array == [.integer(1)])
        #expect(value["o"]?["k"]?.integer == 2)
        #expect(value["o"]?.object?.map(\.name) == ["k"])
        #expect(value["missing"] == nil)
        #expect(value["s"]?["k"] == nil)
        #expect(value.string == nil)
    }

    @Test(
        "numbers that are no 64-bit integer become doubles",
        arguments: [
            ("9223372036854775808", 9.223372036854775808e18), ("1.0", 1), ("1e3", 1000),
        ])
    func numbers(_ text: String, _ value: Double) throws {
        #expect(try JSONValue(parsing: text) == .double(value))
    }

    @Test("refuses broken texts, numbers included", arguments: ["", "{", "[1,]", "1.", "1e999", "{} {}", "-"])
    func refuses(_ text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test("reads back what it wrote", arguments: 0..<300 as Range<UInt64>)
    func roundTrip(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = Self.tree(&generator, depth: 5)
        #expect(try JSONValue(parsing: value.serialized()) == value)
    }

    private static func tree(_ generator: inout SeededGenerator, depth: Int) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 7 : 4), using: &generator) {
        case 0: return .null
        case 1: return .boolean(.random(using: &generator))
        case 2: return .integer(Int64(bitPattern: generator.next()) >> Int64.random(in: 0...63, using: &generator))
        case 3: return Self.double(&generator)
        case 4: return .string(Self.text(&generator))
        case 5:
            let count = Int.random(in: 0...4, using: &generator)
            return .array((0..<count).map { _ in Self.tree(&generator, depth: depth - 1) })
        default:
            let count = Int.random(in: 0...15, using: &generator)
            return .object(
                (0..<count).map { index in
                    .init("\(index)\(Self.text(&generator))", Self.tree(&generator, depth: depth - 1))
                })
        }
    }

    private static func double(_ generator: inout SeededGenerator) -> JSONValue {
        let value = Double(bitPattern: generator.next())
        return .double(value.isFinite ? value : 0.5)
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let limit: UInt32 = [0x30, 0x80, 0x800, 0x11_0000].randomElement(using: &generator)!
            scalars.append(Unicode.Scalar(UInt32.random(in: 0..<limit, using: &generator)) ?? "\"")
        }
        return String(scalars)
    }
}
