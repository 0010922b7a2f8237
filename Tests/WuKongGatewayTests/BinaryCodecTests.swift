import ChatModel
import Diagnostics
import Testing
import Transport
import WuKongCrypto
import WuKongWire

@testable import WuKongGateway

/// A codec and the client on the other side of it, which has keys of its own.
private struct Sides {
    let codec: BinaryCodec
    let serverKeys: BinaryKeys
    let clientPair: KeyPair
    let workspace: CryptoWorkspace

    init() throws {
        let serverKeys = try #require(BinaryKeys(log: Log(level: .error, write: { _ in })))
        self.serverKeys = serverKeys
        self.clientPair = try KeyPair()
        self.workspace = try CryptoWorkspace()
        self.codec = BinaryCodec(maximumBytes: 1000, keys: serverKeys)
    }

    func connectFrame(version: UInt8 = 5, key: String? = nil) -> BinaryConnect {
        BinaryConnect(
            version: version, deviceFlag: 0, deviceID: "phone", uid: "romeo", token: "t", clientTimestamp: 9,
            clientKey: key ?? self.clientPair.publicKeyBase64)
    }

    func frames(
        isActive: Bool = true, as kind: InboundKind = .stream, _ write: (inout BinaryClientWriter) -> Void
    ) -> [ClientFrame] {
        var writer = BinaryClientWriter()
        write(&writer)
        return clientFrames(self.codec, writer.bytes, as: kind, isActive: isActive)
    }

    func packet(for reply: ServerReply, _ version: BinaryVersion = .latest) throws -> BinaryServerPacket? {
        var writers = ReplyWriters()
        guard case .binary(let bytes) = self.codec.frame(for: reply, with: &writers) else { return nil }
        return try bytes.withUnsafeBytes { try BinaryServerPacket(decoding: $0, version: version) }
    }

    /// Connects, and makes the client's keys from the answer.
    func connect() throws -> SessionKeys {
        _ = self.frames(isActive: false) { $0.connect(self.connectFrame()) }
        guard case .connectAcknowledge(let answer) = try self.packet(for: .connected(nil, timeDifference: 0)) else {
            throw WuKongCryptoError.unavailable("CONNACK")
        }
        return try SessionKeys(shared: self.clientPair, with: answer.serverKey, salt: answer.salt, in: self.workspace)
    }

    func send(_ content: String, _ keys: SessionKeys) -> BinarySend {
        var payload: [UInt8] = []
        keys.encrypt(Array(content.utf8), appendingTo: &payload)
        var send = BinarySend(
            header: WuKongHeader(redDot: true), setting: [], clientSequence: 3, clientMessageNumber: "n",
            channelID: "juliet", channelType: 1, expire: 0, messageKey: [], topic: nil, payload: payload)
        keys.messageKey(signing: send.signature, send.payload, appendingTo: &send.messageKey)
        return send
    }
}

struct BinaryCodecTests {
    private let ticket = SendTicket(clientSequence: 3, header: WuKongHeader(redDot: true)).rawValue

    @Test("the first CONNECT agrees on keys, with which a message is read")
    func keys() throws {
        let sides = try Sides()
        let keys = try sides.connect()
        let frames = sides.frames { $0.send(sides.send(#"{"type":1,"content":"x"}"#, keys), version: .latest) }
        guard case .send(let message, self.ticket)? = frames.first, frames.count == 1 else {
            Issue.record("no message: \(frames)")
            return
        }
        #expect(message.channelID == "juliet" && message.content.body == Array(#"{"type":1,"content":"x"}"#.utf8))
    }

    @Test("a wrong message key, or a message before the keys, cannot be read")
    func wrongKey() throws {
        let sides = try Sides()
        let others = try Sides().connect()
        let early = sides.frames(isActive: false) { $0.send(sides.send("{}", others), version: .latest) }
        #expect(early == [.unusableSend(.payloadDecodeError, ticket: self.ticket)])
        let keys = try sides.connect()
        var spoilt = sides.send(#"{"type":1}"#, keys)
        spoilt.channelID = "tybalt"
        let frames = sides.frames { $0.send(spoilt, version: .latest) }
        #expect(frames == [.unusableSend(.payloadDecodeError, ticket: self.ticket)])
    }

    @Test("a second CONNECT leaves keys and version as they are")
    func secondConnect() throws {
        let sides = try Sides()
        let keys = try sides.connect()
        let frames = sides.frames { $0.connect(sides.connectFrame(version: 2, key: "")) }
        guard case .connect(nil, _, fault: nil)? = frames.first else {
            Issue.record("not a CONNECT: \(frames)")
            return
        }
        #expect(sides.codec.protocolName == "wukong-5")
        let message = sides.frames { $0.send(sides.send(#"{"type":1}"#, keys), version: .latest) }
        guard case .send? = message.first else {
            Issue.record("the keys are others: \(message)")
            return
        }
    }

    @Test("a CONNECT without a key, with a key that is none, or where the encoding is off, has a fault")
    func faults() throws {
        let sides = try Sides()
        #expect(self.fault(sides.codec, sides.connectFrame(key: "")) == .clientKeyEmpty)
        #expect(self.fault(sides.codec, sides.connectFrame(key: "AAAA")) == .authFail)
        #expect(self.fault(BinaryCodec(maximumBytes: 1000, keys: nil), sides.connectFrame()) == .systemError)
    }

    private func fault(_ codec: BinaryCodec, _ connect: BinaryConnect) -> WuKongReason? {
        var writer = BinaryClientWriter()
        writer.connect(connect)
        let frames = clientFrames(codec, writer.bytes, as: .stream, isActive: false)
        guard case .connect(nil, _, let fault)? = frames.first else { return nil }
        return fault?.reason
    }

    @Test("the answer to CONNECT is in the version that was asked for", arguments: [2, 4, 5, 9] as [UInt8])
    func versions(_ asked: UInt8) throws {
        let sides = try Sides()
        _ = sides.frames(isActive: false) { $0.connect(sides.connectFrame(version: asked)) }
        let version = BinaryVersion(asked)
        #expect(sides.codec.protocolName == "wukong-\(version.number)")
        guard
            case .connectAcknowledge(let answer) = try sides.packet(for: .connected(nil, timeDifference: 7), version)
        else {
            Issue.record("no CONNACK")
            return
        }
        #expect(answer.reason == 1 && answer.timeDifferenceMilliseconds == 7 && answer.salt.utf8.count == 16)
        #expect(answer.serverKey == sides.serverKeys.publicKeyBase64)
        #expect(answer.serverVersion == (asked >= 4 ? version.number : nil))
    }

    @Test("the frames of a client, several in one message")
    func frames() throws {
        let sides = try Sides()
        let frames = sides.frames(as: .binary) {
            $0.ping()
            $0.receiveAcknowledge(messageID: 77, sequence: 1, header: WuKongHeader(syncOnce: true))
            $0.receiveAcknowledge(messageID: 78, sequence: 2, header: WuKongHeader())
            $0.disconnect(reason: 0, text: "")
        }
        #expect(
            frames == [
                .ping(nil), .acknowledge(MessageID(rawValue: 77), syncOnce: true),
                .acknowledge(MessageID(rawValue: 78), syncOnce: false), .disconnect(nil),
            ])
    }

    @Test("bytes that are no frame break the stream")
    func broken() throws {
        let sides = try Sides()
        let frames = clientFrames(sides.codec, [0x70, 0x00], as: .stream, isActive: true)
        guard frames.count == 2, frames[0] == .ping(nil), case .broken = frames[1] else {
            Issue.record("not broken: \(frames)")
            return
        }
    }

    @Test("a SEND that is too long is answered where somebody is signed in, and breaks the stream elsewhere")
    func tooLong() throws {
        let sides = try Sides()
        let keys = try sides.connect()
        let large = sides.send(#"{"type":1,"content":"\#(String(repeating: "x", count: 1000))"}"#, keys)
        let answered = sides.frames {
            $0.send(large, version: .latest)
            $0.ping()
        }
        #expect(answered == [.unusableSend(.notAllowSend, ticket: self.ticket), .ping(nil)])
        let refused = try Sides().frames(isActive: false) { $0.send(large, version: .latest) }
        guard refused.count == 1, case .broken? = refused.first else {
            Issue.record("not broken: \(refused)")
            return
        }
        var writer = BinaryClientWriter()
        writer.send(large, version: .latest)
        let start = writer.bytes.withUnsafeBytes { sides.codec.decodeTooLong(beginning: $0) }
        #expect(start == .unusableSend(.notAllowSend, ticket: self.ticket))
    }

    @Test("the frames of the server")
    func replies() throws {
        let sides = try Sides()
        #expect(try sides.packet(for: .pong(nil)) == .pong)
        let receipt = PublishReceipt(reason: .success, messageID: 70, sequence: 4)
        #expect(
            try sides.packet(for: .sent(receipt, ticket: self.ticket))
                == .sendAcknowledge(
                    BinarySendAcknowledge(
                        header: WuKongHeader(redDot: true), messageID: 70, clientSequence: 3, sequence: 4, reason: 1)))
        #expect(try sides.packet(for: .refused(nil, .parseError, "no")) == nil)
        let long = String(repeating: "x", count: 600)
        #expect(
            try sides.packet(for: .disconnect(.ban, long))
                == .disconnect(reason: 19, text: String(repeating: "x", count: 512)))
        guard case .connectAcknowledge(let answer)? = try sides.packet(for: .connectRefused(nil, .authFail, "no"))
        else {
            Issue.record("no CONNACK")
            return
        }
        #expect(answer.reason == 2 && answer.serverKey.isEmpty && answer.salt.isEmpty)
    }
}
