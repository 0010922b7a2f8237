import ChatModel
import Testing
import Transport
import WuKongWire

@testable import WuKongGateway

struct JSONCodecTests {
    private let codec = JSONCodec(maximumBytes: 1000)

    private func frames(_ text: String, as kind: InboundKind = .text, isActive: Bool = true) -> [ClientFrame] {
        clientFrames(self.codec, Array(text.utf8), as: kind, isActive: isActive)
    }

    private func text(of reply: ServerReply) -> String? {
        var writers = ReplyWriters()
        guard case .text(let bytes) = self.codec.frame(for: reply, with: &writers) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a connect, and the two answers to it")
    func connect() {
        let parameters = ConnectParameters(
            uid: "romeo", token: "t", deviceID: "", deviceFlag: 1, clientTimestamp: nil, version: 0)
        let frames = self.frames(
            #"{"method":"connect","id":"1","params":{"uid":"romeo","token":"t","deviceFlag":1}}"#, isActive: false)
        #expect(frames == [.connect(requestID("\"1\""), parameters, fault: nil)])
        #expect(
            self.text(of: .connected(requestID("\"1\""), timeDifference: 5))
                == #"{"jsonrpc":"2.0","id":"1","result":{"serverVersion":5,"timeDiff":5,"reasonCode":1,"nodeId":1}}"#)
        #expect(
            self.text(of: .connectRefused(requestID("1"), .authFail, "no"))
                == #"{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"no"}}"#)
    }

    @Test("several objects of a stream, cut anywhere, are several frames")
    func stream() {
        var frames = self.frames(#"{"method":"ping","id":1}{"method":"pi"#, as: .stream)
        #expect(frames == [.ping(requestID("1"))] && self.codec.heldBytes > 0)
        frames = self.frames(#"ng","id":2} {"method":"disconnect"}"#, as: .stream)
        #expect(frames == [.ping(requestID("2")), .disconnect(nil)] && self.codec.heldBytes == 0)
    }

    @Test("an acknowledgement is read in its short form and in any other")
    func acknowledge() {
        let short = #"{"method":"recvack","params":{"header":{"redDot":true},"messageId":"77","messageSeq":1}}"#
        let long = #"{"method": "recvack", "params": {"messageId": "77"}}"#
        let expected = ClientFrame.acknowledge(MessageID(rawValue: 77), syncOnce: true)
        #expect(self.frames(short) == [expected] && self.frames(long) == [expected])
        #expect(self.frames(short, as: .stream) == [expected])
    }

    @Test("an outcome is answered by the id and with the flags of its message, once")
    func send() {
        let message = #"{"channelId":"juliet","channelType":1,"payload":{"type":1,"content":"x"},"#
        let frames = self.frames(
            #"{"method":"send","id":"7","params":"# + message + #""header":{"redDot":true},"clientMsgNo":"n"}}"#)
        guard case .send(let sent, let ticket)? = frames.first, frames.count == 1 else {
            Issue.record("no message: \(frames)")
            return
        }
        #expect(sent.channelID == "juliet" && sent.channelType == 1)
        #expect(sent.clientToken == ClientToken(Array("n".utf8)))
        #expect(sent.content.flags.contains(.countsAsUnread))
        let receipt = PublishReceipt(reason: .success, messageID: 70, sequence: 4)
        #expect(
            self.text(of: .sent(receipt, ticket: ticket))
                == #"{"jsonrpc":"2.0","id":"7","result":{"header":{"redDot":true},"messageId":"70","messageSeq":4,"#
                + #""reasonCode":1}}"#)
        #expect(self.text(of: .sent(receipt, ticket: ticket)) == nil)
    }

    @Test("a command is not taken from a person; its answer still finds its id")
    func command() {
        let frames = self.frames(
            #"{"method":"send","id":"7","params":{"channelId":"juliet","channelType":1,"#
                + #""payload":{"type":99,"cmd":"x"}}}"#)
        #expect(frames == [.unusableSend(.notAllowSend, ticket: 1)])
        #expect(self.text(of: .sent(PublishReceipt(reason: .notAllowSend), ticket: 1))?.contains(#""id":"7""#) == true)
    }

    @Test("what is not served has a name")
    func unsupported() {
        #expect(
            self.frames(#"{"method":"dance","id":1}"#) == [.unsupported(requestID("1"), "there is no method dance")])
        #expect(self.frames(#"{"method":"dance"}"#) == [.unsupported(nil, "there is no method dance")])
        guard case .unsupported(requestID("1"), _)? = self.frames(#"{"method":"subscribe","id":1}"#).first else {
            Issue.record("a subscription is served")
            return
        }
    }

    @Test("a text that is no JSON is malformed, and the next one is read again")
    func malformed() {
        guard case .malformed(nil, _, endsStream: false)? = self.frames("hello").first else {
            Issue.record("a text without an object is not malformed")
            return
        }
        #expect(self.frames(#"{"method":"ping","id":1}"#) == [.ping(requestID("1"))])
        let incomplete = self.frames(#"{"id":2,"method":"ping""#)
        #expect(
            incomplete == [.malformed(requestID("2"), "the message ends inside an object", endsStream: false)])
        #expect(self.codec.heldBytes == 0 && self.frames(#"{"method":"ping","id":3}"#) == [.ping(requestID("3"))])
        guard case .malformed(nil, _, endsStream: true)? = self.frames("hello", as: .stream).first else {
            Issue.record("a stream without an object is not malformed")
            return
        }
    }

    @Test("a request that is too long is refused by its id")
    func tooLong() {
        let start = Array(#"{"id":5,"method":"send","params":{"#.utf8)
        let frame = start.withUnsafeBytes { self.codec.decodeTooLong(beginning: $0) }
        let error = WuKongRequestError(
            id: requestID("5"), code: .invalidRequest, message: "the request is longer than 1000 bytes")
        #expect(frame == .invalid(error))
        #expect(Array("{".utf8).withUnsafeBytes { self.codec.decodeTooLong(beginning: $0) } == nil)
    }

    @Test("the other frames of the server")
    func replies() {
        #expect(self.text(of: .pong(requestID("1"))) == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
        #expect(self.text(of: .pong(nil)) == nil)
        #expect(
            self.text(of: .refused(nil, .parseError, "no"))
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#)
        #expect(
            self.text(of: .disconnect(.connectKick, "go"))
                == #"{"jsonrpc":"2.0","method":"disconnect","params":{"reasonCode":12,"reason":"go"}}"#)
    }
}

/// The frames that a codec makes of bytes, as an active or new session takes them.
func clientFrames(
    _ codec: any SessionCodec, _ bytes: [UInt8], as kind: InboundKind, isActive: Bool
) -> [ClientFrame] {
    var frames: [ClientFrame] = []
    bytes.withUnsafeBytes { bytes in
        codec.read(bytes, as: kind, isActive: isActive) { piece in
            switch piece {
            case .frame(let frame): frames.append(codec.decode(frame))
            case .decoded(let frame): frames.append(frame)
            }
        }
    }
    return frames
}
