import ByteCodec
import Testing

@Suite("Values from the JSON reader")
struct JSONReaderValueTests {
    @Test(
        "reads integers exactly",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9007199254740993", 9_007_199_254_740_993),
        ])
    func integers(_ text: String, _ value: Int64) throws {
        #expect(try reading(text) { try $0.int64() } == value)
    }

    @Test(
        "refuses integers that do not fit",
        arguments: ["9223372036854775808", "-9223372036854775809", "18446744073709551616", "99999999999999999999999"])
    func tooBig(_ text: String) {
        let error = #expect(throws: JSONError.self) { try reading(text) { try $0.int64() } }
        #expect(error?.reason == .numberOutOfRange)
        #expect(error?.isMismatch == true)
    }

    @Test("refuses a fraction or an exponent as an integer", arguments: ["1.0", "1e3", "1E0", "-0.0"])
    func fractions(_ text: String) {
        let error = #expect(throws: JSONError.self) { try reading(text) { try $0.int64() } }
        #expect(error?.reason == .notAnInteger)
    }

    @Test("reads doubles", arguments: [("1", 1.0), ("-1.5e2", -150), ("0.1", 0.1), ("1e-400", 0), ("1E5", 100_000)])
    func doubles(_ text: String, _ value: Double) throws {
        #expect(try reading(text) { try $0.double() } == value)
    }

    @Test("refuses doubles that would be infinite")
    func infinite() {
        let error = #expect(throws: JSONError.self) { try reading("-1e400") { try $0.double() } }
        #expect(error?.reason == .numberOutOfRange)
    }

    @Test(
        "resolves escapes in strings",
        arguments: [
            (#""""#, ""), (#""plain""#, "plain"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\u8336""#, "Aé茶"), (#""\ud83c\udf75!""#, "🍵!"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
            (#""\ud800\udc00""#, "\u{10000}"), (#""é\n茶""#, "é\n茶"), (#""\u0000""#, "\0"),
        ])
    func strings(_ text: String, _ value: String) throws {
        #expect(try reading(text) { try $0.string() } == value)
        #expect(try reading(text) { try $0.utf8() } == Array(value.utf8))
    }

    @Test("reads base64, also with escaped slashes", arguments: [#""+/+/""#, #""+\/+\/""#, #""\u002b/+/""#])
    func base64(_ text: String) throws {
        #expect(try reading(text) { try $0.base64() } == [0xFB, 0xFF, 0xBF])
    }

    @Test("refuses a string that is not base64", arguments: [#""Zg""#, #""Z===""#, #""Zm 9v""#, #""茶馆""#])
    func notBase64(_ text: String) {
        let error = #expect(throws: JSONError.self) { try reading(text) { try $0.base64() } }
        #expect(error?.reason == .invalidBase64)
    }

    @Test("tells the kind of a value without reading it")
    func kinds() throws {
        let kinds = try reading(#" [ {} , [] , "" , -1 , 0 , true , false , null ] "#) { reader in
            var kinds: [JSONKind] = []
            try reader.readArray { reader throws(JSONError) in
                kinds.append(try reader.peek())
                try reader.skipValue()
            }
            try reader.finish()
            return kinds
        }
        #expect(kinds == [.object, .array, .string, .number, .number, .boolean, .boolean, .null])
    }

    @Test("a value of another kind is a mismatch, not a malformed text")
    func wrongKind() {
        let error = #expect(throws: JSONError.self) { try reading("  12") { try $0.string() } }
        #expect(error == JSONError(.wrongKind(expected: .string, found: .number), at: 2))
        #expect(error?.isMismatch == true)
        #expect(error?.description == "expected a string, found a number at byte 2")
    }

    @Test("walks an object by key, and skips to the exact bytes of a value")
    func walk() throws {
        let text = #"{"id": "x" , "n":5,"flag":true,"none":null, "deep" : {"a":[1, "}"]} }"#
        try reading(text) { reader in
            var id: String?
            var number: Int64?
            var flag: Bool?
            var isNull = false
            var deep: Range<Int>?
            var deepCopy: [UInt8] = []
            try reader.readObject { (key, reader) throws(JSONError) in
                if key == "id" {
                    id = try reader.string()
                } else if key == "n" {
                    number = try reader.int64()
                } else if key == "flag" {
                    flag = try reader.boolean()
                } else if key == "none" {
                    isNull = try reader.isNull()
                } else {
                    #expect(key.text == "deep")
                    var copy = reader
                    deepCopy = try copy.rawValue()
                    deep = try reader.skipValue()
                }
            }
            try reader.finish()
            #expect(id == "x")
            #expect(number == 5)
            #expect(flag == true)
            #expect(isNull)
            let range = try #require(deep)
            #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == #"{"a":[1, "}"]}"#)
            #expect(deepCopy == Array(text.utf8)[range].map { $0 })
        }
    }

    @Test("isNull leaves any other value unread")
    func isNull() throws {
        try reading("5") { reader in
            let isNull = try reader.isNull()
            let value = try reader.int64()
            #expect(!isNull)
            #expect(value == 5)
        }
    }

    @Test("matches keys by the text they stand for", arguments: [#"{"method":1}"#, #"{"m\u0065thod":1}"#])
    func keys(_ text: String) throws {
        var matched: [Bool] = []
        try reading(text) { reader in
            try reader.readObject { (key, reader) throws(JSONError) in
                matched = [key == "method", key == "metho", key == "methods", key == "", key == "m"]
                try reader.skipValue()
            }
        }
        #expect(matched == [true, false, false, false, false])
    }

    @Test("reads a part of a buffer and counts offsets from its start")
    func range() throws {
        let bytes = Array(#"{"a":[1,2]}"#.utf8)
        try bytes.withUnsafeBytes { buffer in
            var part = JSONReader(buffer, 5..<10)
            var sum: Int64 = 0
            try part.readArray { reader throws(JSONError) in sum += try reader.int64() }
            try part.finish()
            #expect(sum == 3)
            var cut = JSONReader(buffer, 5..<9)
            let error = #expect(throws: JSONError.self) { try cut.skipValue() }
            #expect(error == JSONError(.inputEnded, at: 9))
        }
    }
}
