import ByteCodec
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("puts commas between members and elements, and nowhere else")
    func commas() {
        let text = written { writer in
            writer.beginObject()
            writer.key("a")
            writer.integer(1)
            writer.key("list")
            writer.beginArray()
            writer.boolean(true)
            writer.null()
            writer.beginObject()
            writer.endObject()
            writer.beginArray()
            writer.endArray()
            writer.endArray()
            writer.key("b" as String)
            writer.boolean(false)
            writer.endObject()
        }
        #expect(text == #"{"a":1,"list":[true,null,{},[]],"b":false}"#)
    }

    @Test("writes whole texts one after the other")
    func severalTexts() {
        let text = written { writer in
            for _ in 0..<2 {
                writer.beginObject()
                writer.endObject()
            }
        }
        #expect(text == "{}{}")
    }

    @Test(
        "escapes what JSON demands and nothing else",
        arguments: [
            ("", #""""#),
            ("plain", #""plain""#),
            ("\"", #""\"""#),
            ("\\", #""\\""#),
            ("a/b", #""a/b""#),
            ("\u{8}\u{9}\u{A}\u{C}\u{D}", #""\b\t\n\f\r""#),
            ("\u{0}\u{1}\u{1F}", #""\u0000\u0001\u001f""#),
            ("\u{7F}", "\"\u{7F}\""),
            ("茶馆 🍵 é", "\"茶馆 🍵 é\""),
            ("seven77\"eight888\n", #""seven77\"eight888\n""#),
        ])
    func escapes(_ value: String, _ json: String) {
        #expect(written { $0.string(value) } == json)
        #expect(written { $0.string([UInt8](value.utf8)) } == json)
    }

    @Test("finds a special byte at each place of a word", arguments: 0..<24)
    func everyPlace(_ place: Int) {
        var value = [UInt8](repeating: UInt8(ascii: "x"), count: 24)
        value[place] = UInt8(ascii: "\"")
        var expected = value.map { [$0] }
        expected[place] = Array(#"\""#.utf8)
        let text = written { $0.string(value) }
        #expect(text == "\"" + String(decoding: expected.joined(), as: UTF8.self) + "\"")
    }

    @Test("repairs bytes that are not UTF-8, so that the text stays JSON")
    func repairs() throws {
        let text = written { $0.string([0x61, 0xFF, 0x62]) }
        #expect(text == "\"a\u{FFFD}b\"")
    }

    @Test("writes integers exactly", arguments: [0, 1, -1, 10, 99, 1_000_000, Int64.max, Int64.min])
    func integers(_ value: Int64) {
        #expect(written { $0.integer(value) } == "\(value)")
        #expect(written { $0.decimalString(value) } == "\"\(value)\"")
    }

    @Test(
        "writes doubles so that they read back the same",
        arguments: [0.0, -0.0, 0.1, 1e300, Double.leastNonzeroMagnitude, Double.greatestFiniteMagnitude, 123456789.125])
    func doubles(_ value: Double) throws {
        let text = written { $0.double(value) }
        let back = try reading(text) { try $0.double() }
        #expect(back.bitPattern == value.bitPattern)
    }

    @Test("writes base64 and finished values as they are")
    func base64AndRaw() {
        let text = written { writer in
            writer.beginArray()
            writer.base64(of: Array("foob".utf8))
            writer.raw(Array(#"{"x":1}"#.utf8))
            writer.base64(of: [UInt8]())
            writer.endArray()
        }
        #expect(text == #"["Zm9vYg==",{"x":1},""]"#)
    }

    @Test("starts afresh after removeAll, even inside an object")
    func reuse() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.integer(1)
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
        writer.integer(7)
        #expect(writer.bytes == Array("7".utf8))
    }
}
