import ByteCodec
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
    private static func check(_ bytes: [UInt8]) throws {
        try reading(bytes) { reader in
            try reader.skipValue()
            try reader.finish()
        }
    }

    /// The error of reading `bytes` as one text.
    private static func fault(_ bytes: [UInt8]) -> JSONError? {
        #expect(throws: JSONError.self) { try Self.check(bytes) }
    }

    @Test(
        "accepts well-formed texts",
        arguments: [
            "{}", "[]", "0", "-0", "-1", "10", "1.5", "-0.0", "1e5", "1E+5", "1e-5", "0e1", "0.1e1", "true", "false",
            "null", #""""#, #""a""#, " {} ", "\t\r\n[ ]\n", "[1,2]", "[ 1 , 2 ]", #"{"a":1,"b":2}"#,
            #"{ "a" : { "b" : [ null ] } }"#, #"{"":1}"#, #"{"a":1,"A":2}"#, #""\"\\\/\b\f\n\r\t\u0041""#,
            #""\uD83C\uDF75""#, #""\ud83c\udf75""#, #""\u0000""#, #""é茶🍵""#, "\"\u{7F}\"", "\"\u{2028}\"",
            #"{"\u0061":1,"b":2}"#, #""\uFFFF""#, "123456789012345678901234567890", "1e999999", "[[[[]]]]",
            #"[{"a":[]},{"a":[]}]"#,
        ])
    func accepts(_ text: String) throws {
        try Self.check(Array(text.utf8))
    }

    @Test(
        "refuses malformed texts",
        arguments: [
            "]", "}", ",", ":", "[1,]", "[,1]", "[1 2]", "[1,,2]", "[1}", "{1:2}", "{a:1}", "{'a':1}", #"{"a"}"#,
            #"{"a" 1}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,}"#, #"{"a":1 "b":2}"#, #"{"a":1]"#, "01", "-01", "+1", ".5",
            "[1.]", "1.x", "1ex", "1e+x", "-x", "--1", "0x10", "1_000", "NaN", "Infinity", "-Infinity", "nul1", "trux",
            "True", "nulll", "truefalse", "{}{}", "[] []", "1 2", "/**/1", "{}//", "\u{FEFF}{}", #""\x""#, #""\u12G4""#,
            #""\U0041""#, #""\'""#, "\"\u{9}\"", "\"\u{0}\"", "\"a\nb\"", "\u{B}1", "\u{A0}1", "[\"a\" \"b\"]",
        ])
    func refuses(_ text: String) {
        let error = Self.fault(Array(text.utf8))
        #expect(error?.reason != .inputEnded)
        #expect(error?.isMismatch == false)
    }

    @Test(
        "tells a text that ends too early from a malformed one",
        arguments: [
            #"{"a":[1,true,null,"x\u00e9\ud83c\udf75\n",{"b":false}],"c":-1.5e+10} "#, #""text""#, "true", "false",
            "null", "[[1]]",
        ])
    func everyPrefix(_ text: String) {
        let bytes = Array(text.utf8)
        let whole = bytes.last == 0x20 ? bytes.count - 1 : bytes.count
        for count in 0..<whole {
            let error = Self.fault(Array(bytes[..<count]))
            #expect(error?.reason == .inputEnded, "first \(count) bytes: \(String(describing: error))")
            #expect(error?.offset == count)
        }
    }

    @Test(
        "a number cut after a sign, point or exponent has ended too early",
        arguments: ["-", "1.", "1e", "1e+", "-1.0E-"])
    func cutNumbers(_ text: String) {
        #expect(Self.fault(Array(text.utf8))?.reason == .inputEnded)
    }

    @Test(
        "refuses half of a surrogate pair",
        arguments: [
            #""\uD800""#, #""\uDBFF""#, #""\uDC00""#, #""\uDFFF""#, #""\uD83Cx""#, #""\uD83C\n""#, #""\uD83C\u0041""#,
            #""\uD83C\uD83C""#, #""\uDF75\uD83C""#,
        ])
    func loneSurrogates(_ text: String) {
        #expect(Self.fault(Array(text.utf8))?.reason == .loneSurrogate)
    }

    @Test(
        "refuses strings and keys that are not UTF-8",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
        ] as [[UInt8]])
    func invalidUTF8(_ bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(Self.fault([quote] + bytes + [quote])?.reason == .invalidUTF8)
        let key = Array("{\"".utf8) + bytes + Array("\":1}".utf8)
        #expect(Self.fault(key)?.reason == .invalidUTF8)
    }

    @Test(
        "refuses the same key twice, however it is written",
        arguments: [
            #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"\u0061":1,"\u0061":2}"#,
            #"{"":1,"":2}"#, #"{"x":{"a":1,"b":2,"a":3}}"#, #"[{"é":1,"\u00e9":2}]"#,
        ])
    func duplicateKeys(_ text: String) {
        #expect(Self.fault(Array(text.utf8))?.reason == .duplicateKey)
    }

    @Test("finds a duplicate among many keys", arguments: [1, 2, 11, 12, 13, 14, 40])
    func manyKeys(_ count: Int) throws {
        let members = (0..<count).map { "\"key\($0)\":\($0)" }
        try Self.check(Array("{\(members.joined(separator: ","))}".utf8))
        for repeated in [0, count - 1] {
            let text = "{\(members.joined(separator: ",")),\"key\(repeated)\":0}"
            #expect(Self.fault(Array(text.utf8))?.reason == .duplicateKey)
        }
    }

    @Test("keys that Unicode calls equivalent are different keys")
    func equivalentKeys() throws {
        try Self.check(Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
    }

    @Test("allows 32 levels and no more", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(_ open: String, _ close: String) throws {
        func nested(_ levels: Int) -> [UInt8] {
            let inner = open == "[" ? "" : "1"
            let text = String(repeating: open, count: levels) + inner + String(repeating: close, count: levels)
            return Array(text.utf8)
        }
        try Self.check(nested(32))
        #expect(Self.fault(nested(33))?.reason == .tooDeep(limit: 32))
        #expect(Self.fault(nested(100_000))?.reason == .tooDeep(limit: 32))
    }

    @Test("depth counts nesting, not the number of objects")
    func siblings() throws {
        try Self.check(Array("[\(Array(repeating: "{}", count: 100).joined(separator: ","))]".utf8))
    }

    @Test("errors say where")
    func offsets() {
        #expect(Self.fault(Array(#"{"a":1,"a":2}"#.utf8))?.offset == 7)
        #expect(Self.fault(Array("[1,x]".utf8))?.offset == 3)
        #expect(Self.fault(Array("{} x".utf8)) == JSONError(.trailingBytes, at: 3))
        #expect(JSONError(.unexpectedByte(0x78), at: 3).description == "unexpected byte 0x78 in JSON at byte 3")
    }
}
