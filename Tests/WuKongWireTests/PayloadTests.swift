import ByteCodec
import Testing
import WuKongWire

@Suite("Payloads")
struct PayloadTests {
    private static func send(payload: String) throws -> SendParameters? {
        try decodeSend(#"{"id":1,"method":"send","params":{"channelId":"c","channelType":1,"payload":\#(payload)}}"#)
    }

    private static func base64(_ text: String) -> String {
        "\"" + String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) + "\""
    }

    @Test(
        "an object and the base64 of its text give the same bytes",
        arguments: [
            #"{"type":1,"content":"hello"}"#, "{}", #"{ "type" : 99, "cmd":"茶🍵", "param":{"a":[1,2]} }"#,
            #"{"content":"\"\\/"}"#,
        ])
    func bothForms(_ object: String) throws {
        let plain = try #require(try Self.send(payload: object))
        let encoded = try #require(try Self.send(payload: Self.base64(object)))
        #expect(plain == encoded)
        #expect(plain.payload == Array(object.utf8))
        #expect(plain.facts.isJSONObject)
    }

    @Test(
        "the content type is the integer called type at the top, else 0",
        arguments: [
            (#"{"type":99}"#, 99), (#"{"a":{"type":5},"type":-1}"#, -1), ("{}", 0), (#"{"type":"1"}"#, 0),
            (#"{"type":1.5}"#, 0), (#"{"type":null}"#, 0), (#"{"a":{"type":5}}"#, 0), (#"{"\u0074ype":7}"#, 7),
        ])
    func contentTypes(_ object: String, _ contentType: Int) throws {
        let parameters = try #require(try Self.send(payload: Self.base64(object)))
        #expect(parameters.facts.contentType == contentType)
        #expect(parameters.facts.isJSONObject)
    }

    @Test(
        "base64 of anything but one well-formed object travels as bytes",
        arguments: [
            "", "hello", "[1]", "1", "null", #"{"type":1"#, #"{"type":1}x"#, #"{"type":1}{"#, #"{"type":1,"type":2}"#,
            #"{"type":1,"a":"\ud800"}"#, #"{"type":1,}"#, "{\"type\":1,\"a\":\"\u{1}\"}",
        ])
    func bytes(_ text: String) throws {
        let parameters = try #require(try Self.send(payload: Self.base64(text)))
        #expect(parameters.payload == Array(text.utf8))
        #expect(!parameters.facts.isJSONObject)
    }

    @Test("base64 of bytes that are not UTF-8 travels as bytes")
    func notUTF8() throws {
        let parameters = try #require(try Self.send(payload: #""eyJhIjoi/yJ9""#))
        #expect(parameters.payload == Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8))
        #expect(!parameters.facts.isJSONObject && parameters.facts.fault != nil)
    }

    @Test("slashes in base64 may be escaped")
    func escapedSlashes() throws {
        #expect(try Self.send(payload: #""\/\/79""#)?.payload == [0xFF, 0xFE, 0xFD])
    }

    @Test("an object too deep to stand inside a frame travels as bytes")
    func deep() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        }
        #expect(try Self.send(payload: Self.base64(nested(30)))?.facts.isJSONObject == true)
        #expect(try Self.send(payload: Self.base64(nested(31)))?.facts.isJSONObject == false)
        #expect(try Self.send(payload: nested(30))?.facts.isJSONObject == true)
    }

    @Test("a payload of another kind is refused", arguments: ["1", "[]", "true", #""not base64!""#, #""Zg""#])
    func refused(_ payload: String) {
        let error = #expect(throws: WuKongRequestError.self) { try Self.send(payload: payload) }
        #expect(error?.code == .invalidParams)
    }
}
