import ByteCodec
import Testing
import WuKongWire

@Suite("Binary encoding: what is refused")
struct BinaryErrorTests {
    @Test("a body that ends early is refused wherever it ends", arguments: BinaryGoldenFrames.client.indices)
    func cut(_ index: Int) throws {
        let (name, bytes, packet) = BinaryGoldenFrames.client[index]
        guard packet != .ping else { return }
        let headerBytes = bytes[1] < 0x80 ? 2 : 3
        let body = bytes[headerBytes...]
        // The payload of SEND is what is left, so that a shorter one is a SEND too.
        let payload = name == "SEND" ? BinaryGoldenFrames.encrypted.utf8.count : 0
        for count in 0..<body.count - payload {
            #expect(throws: BinaryWireError.self, "\(name) with \(count) bytes") {
                try decodeClient(Self.frame(bytes[0], Array(body.prefix(count))))
            }
        }
        guard payload == 0 else { return }
        let error = #expect(throws: BinaryWireError.self) {
            try decodeClient(Self.frame(bytes[0], Array(body) + [0]))
        }
        guard case .malformed(_, let cause) = error else { return #expect(Bool(false), "\(name)") }
        #expect(cause == DecodeError(.trailingBytes(1), at: body.count), "\(name)")
    }

    @Test("what the server sends is refused from a client by its name, and the other way round")
    func wrongDirection() {
        let serverTypes: [BinaryPacketType] = [
            .connectAcknowledge, .sendAcknowledge, .receive, .pong, .subscribeAcknowledge, .event,
        ]
        let clientTypes: [BinaryPacketType] = [.connect, .send, .receiveAcknowledge, .ping, .subscribe]
        for type in serverTypes {
            #expect(throws: BinaryWireError.wrongDirection(type)) { try decodeClient(Self.empty(type)) }
        }
        for type in clientTypes {
            #expect(throws: BinaryWireError.wrongDirection(type)) { try decodeServer(Self.empty(type)) }
        }
    }

    @Test(
        "bytes that are not exactly one frame",
        arguments: ["", "30", "7070", "3001", "30020000ff", "6000000000"])
    func notOneFrame(_ digits: String) throws {
        let bytes = try #require(Hex.decode(digits))
        #expect(throws: BinaryWireError.notOneFrame) { try decodeClient(bytes) }
        #expect(throws: BinaryWireError.notOneFrame) { try decodeServer(bytes) }
    }

    @Test("a string with a negative length")
    func negativeLength() throws {
        let bytes = Self.frame(0x90, [0x0C, 0x80, 0x00] + [UInt8](repeating: 0x61, count: 32768))
        let cause = DecodeError(.tooLong(bytes: 32768, limit: 32767), at: 1)
        #expect(throws: BinaryWireError.malformed(.disconnect, cause)) { try decodeClient(bytes) }
    }

    @Test("a string that is no UTF-8")
    func invalidUTF8() throws {
        let cause = DecodeError(.invalidUTF8, at: 1)
        #expect(throws: BinaryWireError.malformed(.disconnect, cause)) {
            try decodeClient(Self.frame(0x90, [0x0C, 0x00, 0x02, 0xC3, 0x28]))
        }
    }

    @Test("a message key may hold any bytes: it is only compared")
    func messageKeyBytes() throws {
        var bytes = BinaryGoldenFrames.sendBytes
        let start = bytes.count - BinaryGoldenFrames.encrypted.utf8.count - 32
        bytes[start] = 0xFF
        guard case .send(let send) = try decodeClient(bytes) else { return #expect(Bool(false)) }
        #expect(send.messageKey.first == 0xFF)
    }

    @Test("a subscription that does something unknown")
    func unknownAction() throws {
        let cause = DecodeError(.unknownValue, at: 7)
        #expect(throws: BinaryWireError.malformed(.subscribe, cause)) {
            try decodeClient(Self.frame(0xA0, [0, 0, 1, 0x73, 0, 0, 6, 2, 0, 0]))
        }
    }

    @Test("stream fields from a server")
    func streamFields() {
        let frame = Self.frame(0x50, [0x02])
        #expect(throws: BinaryWireError.malformed(.receive, DecodeError(.unknownValue, at: 0))) {
            try decodeServer(frame, BinaryVersion(4))
        }
    }

    @Test("errors say what happened, and show nothing of the content")
    func descriptions() {
        let errors: [(BinaryWireError, String)] = [
            (.unknownType(13), "a frame of the unknown type 13"),
            (.lengthTooLong, "the length of a frame has more than four bytes"),
            (.frameTooLong(bytes: 9, limit: 8), "a frame of 9 bytes, where 8 are allowed"),
            (.notOneFrame, "the bytes are not exactly one frame"),
            (.wrongDirection(.connectAcknowledge), "CONNACK came from the side that only receives it"),
            (
                .malformed(.send, DecodeError(.tooLong(bytes: 40000, limit: 32767), at: 5)),
                "SEND: the field at byte 5 has 40000 bytes, 32767 are allowed"
            ),
            (
                .malformed(.subscribe, DecodeError(.unknownValue, at: 7)),
                "SUB: the number at byte 7 has no meaning there"
            ),
        ]
        for (error, text) in errors { #expect(error.description == text) }
    }

    /// A frame with this body.
    private static func frame(_ firstByte: UInt8, _ body: [UInt8]) -> [UInt8] {
        var length = ByteWriter()
        length.varint(UInt64(body.count))
        return [firstByte] + length.bytes + body
    }

    private static func empty(_ type: BinaryPacketType) -> [UInt8] {
        type.isSingleByte ? [type.rawValue << 4] : [type.rawValue << 4, 0]
    }
}
