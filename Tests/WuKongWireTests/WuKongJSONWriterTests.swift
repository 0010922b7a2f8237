import ByteCodec
import Testing
import WuKongWire

@Suite("What the server writes")
struct WuKongJSONWriterTests {
    private let message = ReceivedMessage(
        header: WuKongHeader(), setting: [], messageID: 7_529_532_519_813_742_593, sequence: 3,
        timestampSeconds: 1_795_180_445, channelID: "pa", channelType: .person, fromUID: "pa",
        payload: Array(#"{"type":1,"content":"茶"}"#.utf8), payloadIsJSONObject: true, clientMessageNumber: nil,
        topic: nil, expire: 0)

    @Test("a connect result carries reason 1 and integers")
    func connectResult() throws {
        let id = try #require(try requestID(#""a""#))
        let text = written { $0.connectResult(id: id, timeDifference: -12, nodeID: 1) }
        #expect(
            text == #"""
                {"jsonrpc":"2.0","id":"a","result":{"serverVersion":5,"timeDiff":-12,"reasonCode":1,"nodeId":1}}
                """#)
    }

    @Test("a failed connect is an error object, which both SDKs take for a failure")
    func connectFailure() throws {
        let id = try #require(try requestID(#""a""#))
        let text = written { $0.connectFailure(id: id, reason: .authFail, message: "wrong \"token\"") }
        #expect(text == #"{"jsonrpc":"2.0","id":"a","error":{"code":2,"message":"wrong \"token\""}}"#)
    }

    @Test("a send result gives the message ID as a string, and a refusal as a result too")
    func sendResult() throws {
        let id = try #require(try requestID("5"))
        let stored = written {
            $0.sendResult(
                id: id, messageID: 7_529_532_519_813_742_593, sequence: 3, reason: .success,
                header: WuKongHeader(redDot: true))
        }
        let expected =
            #"{"jsonrpc":"2.0","id":5,"result":{"header":{"redDot":true},"messageId":"7529532519813742593","#
            + #""messageSeq":3,"reasonCode":1}}"#
        #expect(stored == expected)
        let refused = written {
            $0.sendResult(id: id, messageID: 0, sequence: 0, reason: .inBlacklist, header: WuKongHeader())
        }
        #expect(refused == #"{"jsonrpc":"2.0","id":5,"result":{"messageId":"0","messageSeq":0,"reasonCode":4}}"#)
    }

    @Test("a pong has a result, which the Python SDK insists on")
    func pong() throws {
        let id = try #require(try requestID(#""7c9e6679""#))
        #expect(written { $0.pong(to: id) } == #"{"jsonrpc":"2.0","id":"7c9e6679","result":{}}"#)
    }

    @Test(
        "echoes an id exactly as it was written",
        arguments: ["0", "-1", "9223372036854775807", #""\u0041\/é""#, #""""#])
    func echo(_ token: String) throws {
        let id = try #require(try requestID(token))
        #expect(written { $0.pong(to: id) } == #"{"jsonrpc":"2.0","id":\#(token),"result":{}}"#)
    }

    @Test("an error without a known id has a null one")
    func errors() throws {
        let text = written { $0.error(id: nil, code: .parseError, message: "broken") }
        #expect(text == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"broken"}}"#)
        let id = try #require(try requestID("1"))
        let known = written { $0.error(id: id, code: .methodNotFound, message: "no such method") }
        #expect(known == #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}"#)
    }

    @Test("a message always has a header, never an id, and an object for a payload that is one")
    func receive() {
        let text = written { $0.receive(self.message) }
        let expected =
            #"{"jsonrpc":"2.0","method":"recv","params":{"header":{},"messageId":"7529532519813742593","#
            + #""messageSeq":3,"timestamp":1795180445,"channelId":"pa","channelType":1,"fromUid":"pa","#
            + #""payload":{"type":1,"content":"茶"}}}"#
        #expect(text == expected)
    }

    @Test("a message carries whatever else it has")
    func receiveAll() {
        var message = self.message
        message.header = WuKongHeader(noPersist: true, redDot: true, syncOnce: true, dup: true)
        message.setting = [.receipt, .signal, .noEncrypt, .topic, .stream]
        message.channelID = "g\"1"
        message.channelType = .group
        message.payload = [0xFF, 0x00]
        message.payloadIsJSONObject = false
        message.clientMessageNumber = "n1"
        message.topic = "t"
        message.expire = .max
        let expected =
            #"{"jsonrpc":"2.0","method":"recv","params":{"header":{"noPersist":true,"redDot":true,"syncOnce":true,"#
            + #""dup":true},"setting":{"receipt":true,"signal":true,"stream":true,"topic":true},"#
            + #""messageId":"7529532519813742593","messageSeq":3,"timestamp":1795180445,"channelId":"g\"1","#
            + #""channelType":2,"fromUid":"pa","payload":"/wA=","clientMsgNo":"n1","topic":"t","expire":4294967295}}"#
        #expect(written { $0.receive(message) } == expected)
    }

    @Test("members that carry nothing are left out")
    func nothing() {
        var message = self.message
        message.setting = .noEncrypt
        message.clientMessageNumber = ""
        message.topic = ""
        #expect(written { $0.receive(message) } == written { $0.receive(self.message) })
    }

    @Test("a payload comes out as it went in", arguments: [#"{"type":1,"x":{"y":[1,null]}}"#, "text", "", "[1]"])
    func roundTrip(_ payload: String) throws {
        let base64 = String(decoding: Base64.encode(Array(payload.utf8)), as: UTF8.self)
        let sent = try #require(
            try decodeSend(
                #"{"id":1,"method":"send","params":{"channelId":"c","channelType":1,"payload":"\#(base64)"}}"#))
        var message = self.message
        message.payload = sent.payload
        message.payloadIsJSONObject = sent.facts.isJSONObject
        let tree = try JSONValue(parsing: written { $0.receive(message) })
        let received = try #require(tree["params"]?["payload"])
        if let text = received.string {
            #expect(Base64.decode(Array(text.utf8)) == sent.payload)
        } else {
            #expect(received == (try JSONValue(parsing: payload)))
        }
        #expect(tree["id"] == nil)
    }

    @Test("disconnect and event have every member that SDKs check")
    func notifications() {
        let disconnect = written { $0.disconnect(reason: .connectKick, text: "signed in elsewhere") }
        #expect(
            disconnect == #"""
                {"jsonrpc":"2.0","method":"disconnect","params":{"reasonCode":12,"reason":"signed in elsewhere"}}
                """#)
        let event = written {
            $0.event(id: "e1", type: "typing", timestampMilliseconds: 1_795_180_445_661, data: #"{"a":1}"#)
        }
        let expected =
            #"{"jsonrpc":"2.0","method":"event","params":{"id":"e1","type":"typing","timestamp":1795180445661,"#
            + #""data":"{\"a\":1}"}}"#
        #expect(event == expected)
    }

    @Test("the buffer serves one text after another")
    func reuse() throws {
        let id = try #require(try requestID("1"))
        var writer = WuKongJSONWriter()
        writer.pong(to: id)
        let first = writer.bytes
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
        writer.pong(to: id)
        #expect(writer.bytes == first)
    }

    @Test("reason codes are WuKongIM's", arguments: zip(WuKongReason.allCases, 0...25))
    func reasons(_ reason: WuKongReason, _ code: Int) {
        #expect(reason.rawValue == code)
    }

    @Test("channel types are WuKongIM's", arguments: zip(WuKongChannelType.allCases, 1...12 as ClosedRange<UInt8>))
    func channelTypes(_ type: WuKongChannelType, _ number: UInt8) {
        #expect(type.rawValue == number)
    }
}
