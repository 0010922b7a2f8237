import Testing
import WuKongWire

@Suite("Requests that are refused")
struct WuKongRequestErrorTests {
    private static func fault(_ text: String) -> WuKongRequestError? {
        #expect(throws: WuKongRequestError.self) { try decode(text) }
    }

    @Test(
        "what is not JSON is a parse error, told to its id when one can be found",
        arguments: [
            ("", nil), (" ", nil), ("x", nil), ("{", nil), (#"{"id":1,"method":"ping"}}"#, "1"),
            (#"{"id":1,"method":"ping"} x"#, "1"), (#"{"id":1,"id":2,"method":"ping"}"#, "1"),
            (#"{"id":1,"method":"ping","params":{"a":1,"a":2}}"#, "1"),
            (#"{"method":"send","params":{"a":"\ud800","id":7},"id" : "a\"b" }"#, #""a\"b""#),
            (#"{"id":"a","method":"ping","params":"#, #""a""#), (#"{"method":"id","id":"a",}"#, #""a""#),
            (#"{"params":\#(String(repeating: "[", count: 40))\#(String(repeating: "]", count: 40)),"id":3}"#, "3"),
            (#"{'id':1}"#, nil), ("\u{FEFF}{}", nil), (#"{"params":{"id":1},}"#, nil), (#"{"id":1.5,}"#, nil),
            (#"{"id":{},}"#, nil), (#"{"id":"a"#, nil), (#"{"id":"\#(String(repeating: "x", count: 300))",}"#, nil),
        ] as [(String, String?)])
    func parseErrors(_ text: String, _ token: String?) throws {
        let error = Self.fault(text)
        #expect(error?.code == .parseError)
        #expect(error?.id == (try token.flatMap { try requestID($0) }))
    }

    @Test(
        "JSON that is no request is an invalid request, told to its id when it has one",
        arguments: [
            ("[]", nil), ("1", nil), (#"[{"id":1,"method":"ping"}]"#, nil), ("{}", nil), (#"{"id":"a"}"#, #""a""#),
            (#"{"id":"a","method":1}"#, #""a""#), (#"{"id":"a","method":null}"#, #""a""#),
            (#"{"jsonrpc":"1.0","id":2,"method":"ping"}"#, "2"), (#"{"jsonrpc":2.0,"id":2,"method":"ping"}"#, "2"),
            (#"{"method":"ping","id":"a","jsonrpc":{}}"#, #""a""#), (#"{"id":1.5,"method":"ping"}"#, nil),
            (#"{"id":{},"method":"ping"}"#, nil), (#"{"id":true,"method":"ping"}"#, nil),
            (#"{"id":"a","result":{}}"#, #""a""#),
        ] as [(String, String?)])
    func invalidRequests(_ text: String, _ token: String?) throws {
        let error = Self.fault(text)
        #expect(error?.code == .invalidRequest)
        #expect(error?.id == (try token.flatMap { try requestID($0) }))
    }

    @Test(
        "a method that is answered needs an id",
        arguments: ["connect", "send", "ping", "subscribe", "unsubscribe"])
    func missingID(_ method: String) {
        let text = #"""
            {"method":"\#(method)","params":{"uid":"a","channelId":"c","channelType":1,"payload":""}}
            """#
        #expect(Self.fault(text)?.code == .invalidRequest)
        #expect(Self.fault(text)?.message == "id is missing")
    }

    @Test(
        "wrong parameters are named, with the id",
        arguments: [
            (#""connect""#, "params is missing"), (#""connect","params":null"#, "params is missing"),
            (#""connect","params":{}"#, "params.uid is missing"),
            (#""connect","params":{"uid":null}"#, "params.uid is missing"),
            (#""connect","params":[]"#, "params: expected an object, found an array at byte 38"),
            (#""connect","params":{"uid":7}"#, "params: expected a string, found a number at byte 45"),
            (#""connect","params":{"deviceFlag":256}"#, "params: a number is out of range at byte 52"),
            (#""connect","params":{"deviceFlag":-1}"#, "params: a number is out of range at byte 52"),
            (#""send","params":{"channelType":1,"payload":""}"#, "params.channelId is missing"),
            (#""send","params":{"channelId":"c","payload":""}"#, "params.channelType is missing"),
            (#""send","params":{"channelId":"c","channelType":1}"#, "params.payload is missing"),
            (#""send","params":{"expire":4294967296}"#, "params: a number is out of range at byte 45"),
            (#""send","params":{"expire":-1}"#, "params: a number is out of range at byte 45"),
            (#""send","params":{"header":{"redDot":1}}"#, "params: expected a boolean, found a number at byte 55"),
            (#""send","params":{"setting":[]}"#, "params: expected an object, found an array at byte 46"),
            (#""recvack","params":{}"#, "params.messageId is missing or no integer"),
            (#""recvack","params":{"messageId":"x"}"#, "params.messageId is missing or no integer"),
            (#""recvack","params":{"messageId":""}"#, "params.messageId is missing or no integer"),
        ])
    func invalidParams(_ rest: String, _ message: String) throws {
        let error = Self.fault(#"{"id":"7","method":\#(rest)}"#)
        #expect(error?.code == .invalidParams)
        #expect(error?.message == message)
        #expect(error?.id == (try requestID(#""7""#)))
    }

    @Test("an id of the very bound is echoed, a longer one is refused")
    func idBound() throws {
        let longest = "\"" + String(repeating: "x", count: WuKongRequestID.maximumBytes - 2) + "\""
        let id = try #require(try requestID(longest))
        #expect(written { $0.pong(to: id) } == #"{"jsonrpc":"2.0","id":\#(longest),"result":{}}"#)
        let longer = "\"" + String(repeating: "x", count: WuKongRequestID.maximumBytes - 1) + "\""
        let error = Self.fault(#"{"id":\#(longer),"method":"ping"}"#)
        #expect(error?.code == .invalidRequest)
        #expect(error?.id == nil)
    }

    @Test("messages show no values")
    func noValues() {
        let error = Self.fault(#"{"id":1,"method":"connect","params":{"uid":"secret","token":["hidden"]}}"#)
        #expect(error?.description == "params: expected a string, found an array at byte 60 (JSON-RPC -32602)")
    }
}
