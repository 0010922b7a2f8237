import Testing
import WuKongWire

@Suite("Requests that SDKs send")
struct WuKongRequestTests {
    @Test("reads the Python SDK's connect")
    func pythonConnect() throws {
        let expected = ConnectParameters(
            uid: "pa", token: "t1", deviceID: "python_0123456789abcdef0123456789abcdef", deviceFlag: 2,
            clientTimestamp: 1_795_180_445_661, version: 0)
        let id = try #require(try requestID(#""7c9e6679-7425-40de-944b-e07fc1f90ae7""#))
        #expect(try decode(RecordedFrames.pythonConnect) == .connect(id, expected))
    }

    @Test("reads the JS SDK's connect, whose id comes last")
    func jsConnect() throws {
        let expected = ConnectParameters(
            uid: "ja", token: "t", deviceID: "web_0f4a3795_1795180480143", deviceFlag: 1,
            clientTimestamp: 1_795_180_480_174, version: 0)
        let id = try #require(try requestID(#""7c9e6679-7425-40de-944b-e07fc1f90ae7""#))
        #expect(try decode(RecordedFrames.jsConnect) == .connect(id, expected))
    }

    @Test("reads the Python SDK's send")
    func pythonSend() throws {
        let expected = SendParameters(
            clientMessageNumber: "1b4e28ba-2fa1-11d2-883f-0016d3cca427", channelID: "pb", channelType: 1,
            payload: Array(#"{"type":1,"content":"hello"}"#.utf8),
            facts: PayloadFacts(of: Array(#"{"type":1,"content":"hello"}"#.utf8)),
            header: WuKongHeader(redDot: true), setting: [], topic: nil, expire: 0)
        #expect(try decodeSend(RecordedFrames.pythonSend) == expected)
    }

    @Test("reads the Python SDK's acknowledgement and ping")
    func pythonRest() throws {
        #expect(
            try decode(RecordedFrames.pythonAcknowledge) == .receiveAcknowledge(messageID: 7_529_532_519_813_742_593))
        let id = try #require(try requestID(#""7c9e6679-7425-40de-944b-e07fc1f90ae7""#))
        #expect(try decode(RecordedFrames.pythonPing) == .ping(id))
    }

    @Test("a frame cut anywhere is a parse error, with the id once that is whole", arguments: RecordedFrames.all)
    func everyCut(_ text: String) {
        let bytes = Array(text.utf8)
        // Recorded frames begin with their id, where they have one.
        let whole = text.firstMatch(of: /"id":("[^"]*")/).flatMap { try? requestID(String($0.output.1)) }
        for count in 0..<bytes.count {
            let error = #expect(throws: WuKongRequestError.self) { try decode(Array(bytes[..<count])) }
            #expect(error?.code == .parseError)
            if let id = error?.id { #expect(id == whole) }
        }
    }

    @Test("a frame with one damaged byte is read or refused, never more", arguments: RecordedFrames.all)
    func everyDamage(_ text: String) {
        let bytes = Array(text.utf8)
        for place in bytes.indices {
            for byte: UInt8 in [0x00, 0x22, 0x5C, 0x7B, 0x7D, 0x2C, 0x39, 0xFF] {
                var damaged = bytes
                damaged[place] = byte
                do {
                    _ = try decode(damaged)
                } catch {
                    #expect(error is WuKongRequestError)
                }
            }
        }
    }

    @Test("the members that may be missing have defaults")
    func defaults() throws {
        let id = try #require(try requestID("1"))
        let connect = ConnectParameters(
            uid: "a", token: "", deviceID: "", deviceFlag: 0, clientTimestamp: nil, version: 0)
        #expect(try decode(#"{"id":1,"method":"connect","params":{"uid":"a"}}"#) == .connect(id, connect))
        let send = SendParameters(
            clientMessageNumber: "", channelID: "b", channelType: 2, payload: [], facts: PayloadFacts(),
            header: WuKongHeader(), setting: [], topic: nil, expire: 0)
        let text = #"{"id":1,"method":"send","params":{"channelId":"b","channelType":2,"payload":""}}"#
        #expect(try decode(text) == .send(id, send))
    }

    @Test("null counts as absent")
    func nulls() throws {
        let text = #"""
            {"jsonrpc":null,"id":1,"method":"send","params":{"channelId":"b","channelType":2,"payload":"","header":null,
            "setting":null,"topic":null,"expire":null,"clientMsgNo":null,"msgKey":null}}
            """#
        let parameters = try #require(try decodeSend(text))
        #expect(parameters.header.isEmpty)
        #expect(parameters.setting.isEmpty)
        #expect(parameters.topic == nil)
        #expect(try decode(#"{"id":null,"method":"disconnect","params":null}"#) == .disconnect(nil))
    }

    @Test("reads every member of a send, and passes over unknown ones")
    func everyMember() throws {
        let text = #"""
            {"jsonrpc":"2.0","extra":[{}],"id":"x","params":{"streamNo":"s","expire":4294967295,"topic":"t",
            "setting":{"receipt":true,"signal":true,"stream":true,"topic":true,"later":1},
            "header":{"noPersist":true,"redDot":true,"syncOnce":true,"dup":true,"later":{}},
            "payload":"aGk=","channelType":99,"channelId":"c","clientMsgNo":"n","msgKey":"k"},"method":"send"}
            """#
        let expected = SendParameters(
            clientMessageNumber: "n", channelID: "c", channelType: 99, payload: Array("hi".utf8),
            facts: PayloadFacts(),
            header: WuKongHeader(noPersist: true, redDot: true, syncOnce: true, dup: true),
            setting: [.receipt, .signal, .stream, .topic], topic: "t", expire: .max)
        #expect(try decodeSend(text) == expected)
    }

    @Test("flags that are false are not set")
    func falseFlags() throws {
        let text = #"""
            {"id":1,"method":"send","params":{"channelId":"c","channelType":1,"payload":"",
            "header":{"redDot":false,"dup":false},"setting":{"receipt":false,"topic":true}}}
            """#
        let parameters = try #require(try decodeSend(text))
        #expect(parameters.header.isEmpty)
        #expect(parameters.setting == .topic)
    }

    @Test(
        "an acknowledged message ID is a string or an integer",
        arguments: [#""7529532519813742593""#, "7529532519813742593"])
    func acknowledge(_ token: String) throws {
        let text = #"{"method":"recvack","params":{"messageSeq":1,"messageId":\#(token)}}"#
        #expect(try decode(text) == .receiveAcknowledge(messageID: 7_529_532_519_813_742_593))
    }

    @Test("a ping may have empty, null or no params", arguments: ["", #","params":{}"#, #","params":null"#])
    func pings(_ params: String) throws {
        let id = try #require(try requestID("7"))
        #expect(try decode(#"{"id":7,"method":"ping"\#(params)}"#) == .ping(id))
    }

    @Test("reads the methods without parameters of ours")
    func otherMethods() throws {
        let id = try #require(try requestID("1"))
        #expect(try decode(#"{"id":1,"method":"subscribe","params":{"subNo":"s"}}"#) == .subscribe(id))
        #expect(try decode(#"{"id":1,"method":"unsubscribe","params":[]}"#) == .unsubscribe(id))
        #expect(try decode(#"{"id":1,"method":"disconnect"}"#) == .disconnect(id))
        #expect(try decode(#"{"method":"disconnect","params":{"reasonCode":0}}"#) == .disconnect(nil))
        #expect(try decode(#"{"id":1,"method":"CONNECT"}"#) == .unknown(id, method: "CONNECT"))
        #expect(try decode(#"{"method":"茶"}"#) == .unknown(nil, method: "茶"))
    }
}
