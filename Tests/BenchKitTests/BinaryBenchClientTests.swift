import Glibc
import Testing
import WuKongCrypto
import WuKongWire

@testable import BenchKit

/// The binary client, fed with what a server would say, without a socket. Keys and encrypted texts were computed
/// outside of this package.
@Suite struct BinaryBenchClientTests {
    private static let serverKey = "WGmv9FBUlzLLqu1eXfmzCm2jHLDldCutWtShp2jxpns="
    private static let clientKey = "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw="
    private static let salt = "0123456789abcdef"
    /// Run 0xabc, sender 0, counter 1, sent at 5.
    private static let number = "AAAKvAAAAAAAAQAAAAAAAAAF"
    /// The body with that stamp.
    private static let payload =
        "Xh10EPPP5rWxvUSjeRjAuJF/ap6pj3YhXvmHfF+IN2apkzrTnXle+K9rXR/xpT9g79dc/8G0BmFye6nZEysQ+e8w6im+Ia/n6XLMGKWp"
        + "GlKGJk/2Omqebmbdn99rGC4ePtmQK94L7H+iULs/knH6k4iotJSdbe6MsYhSsDmBaUM="
    private static let upgraded = Array(
        "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n".utf8)

    private let benchClient: BinaryBenchClient
    private let traffic = Traffic(run: 0xabc, layout: .direct(senderOf: [-1, 0]))
    private let connection = LoadConnection(index: 1, account: Account(user: "b", token: "t"), descriptor: -1)

    init() throws {
        self.benchClient = try BinaryBenchClient(
            host: "127.0.0.1:7677", keyUse: .traffic(checking: 2), pair: try KeyPair(privateKey: [UInt8](1...32)))
    }

    private func receive(_ bytes: [UInt8]) throws(BenchError) -> Int {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BenchError) in try self.benchClient.receive(bytes, self.connection, self.traffic) }
        }
        return try result.get()
    }

    /// Hands over packets in one WebSocket message.
    private func receive(packets: [UInt8]) throws(BenchError) {
        let count = packets.count
        let header = count < 126 ? [0x82, UInt8(count)] : [0x82, 126, UInt8(count >> 8), UInt8(count & 0xff)]
        #expect(try self.receive(header + packets) == header.count + count)
    }

    /// Returns the packets that the client wants to send, and empties the buffer.
    private func sent() -> [UInt8] {
        let bytes = Array(self.connection.unsent.bytes)
        self.connection.unsent.removeAll()
        return bytes
    }

    private static func written(_ write: (inout BinaryPacketWriter) -> Void) -> [UInt8] {
        var writer = BinaryPacketWriter()
        write(&writer)
        return writer.bytes
    }

    private static func signInAnswer(_ reason: WuKongReason = .success, version: BinaryVersion = .latest) -> [UInt8] {
        self.written {
            $0.connectAcknowledge(
                version: version, timeDifferenceMilliseconds: 0, reason: reason, serverKey: self.serverKey,
                salt: self.salt, nodeID: 1)
        }
    }

    private func signIn() throws {
        self.connection.phase = .signingIn
        try self.receive(packets: Self.signInAnswer())
        _ = self.sent()
    }

    private static func arrival(
        number: String = number, sequence: Int64 = 42, key: String = "b75680808a497f4c38202f011c44f13c",
        payload: String = payload
    ) -> [UInt8] {
        let message = ReceivedMessage(
            header: WuKongHeader(redDot: true), setting: [], messageID: 1_234_567_890_123_456_789, sequence: sequence,
            timestampSeconds: 1_700_000_000, channelID: "alice", channelType: .person, fromUID: "alice", payload: [],
            payloadIsJSONObject: true, clientMessageNumber: number, topic: nil, expire: 0)
        return self.written {
            $0.receive(
                BinaryReceiveTemplate(message, version: .latest), messageKey: Array(key.utf8),
                payload: Array(payload.utf8))
        }
    }

    @Test("asks for the upgrade, then signs in, then is ready")
    func signingIn() throws {
        self.benchClient.greet(self.connection)
        #expect(self.sent().starts(with: Array("GET / HTTP/1.1\r\nHost: 127.0.0.1:7677\r\n".utf8)))
        #expect(try self.receive(Array(Self.upgraded.dropLast())) == 0)
        #expect(try self.receive(Self.upgraded) == Self.upgraded.count)
        let frame = self.sent()
        #expect(frame.starts(with: [0x82, 0x80 | UInt8(frame.count - 6), 0, 0, 0, 0]))
        guard case .connect(let connect) = try Self.decoded(Array(frame.dropFirst(6))) else {
            Issue.record("no CONNECT")
            return
        }
        #expect(connect.version == 5 && connect.deviceFlag == 2 && connect.deviceID == "bench-1")
        #expect(connect.uid == "b" && connect.token == "t" && connect.clientKey == Self.clientKey)
        try self.receive(packets: Self.signInAnswer())
        #expect(self.connection.phase == .ready)
    }

    private static func decoded(_ packet: [UInt8]) throws -> BinaryClientPacket {
        try packet.withUnsafeBytes { try BinaryClientPacket(decoding: $0) }
    }

    @Test(
        "a refused or older sign-in ends the run",
        arguments: [
            (signInAnswer(.authFail), "the server does not sign b in: reason 2"),
            (signInAnswer(version: BinaryVersion(4)), "the server speaks version 4, not 5"),
        ])
    func signInRefused(_ answer: [UInt8], _ complaint: String) {
        self.connection.phase = .signingIn
        #expect(throws: BenchError.server(complaint)) { try self.receive(packets: answer) }
    }

    @Test("sends a message whose every byte is as a client of its own would write it")
    func sending() throws {
        try self.signIn()
        let template = self.benchClient.template(run: 0xabc, sender: 0, to: .person("bob"))
        let sender = Sender(ordinal: 0, window: 2, template: template)
        self.connection.sender = sender
        self.traffic.isSending = true
        self.traffic.now = 5
        self.benchClient.sendAllowed(self.connection, self.traffic)
        let frames = self.sent()
        let golden =
            // WebSocket header and mask; SEND with redDot, 247 bytes; setting 0, clientSequence 1
            [0x82, 0xfe, 0x00, 0xfa, 0, 0, 0, 0, 0x32, 0xf7, 0x01, 0x00, 0, 0, 0, 1, 0, 24] + Array(Self.number.utf8)
            // channelID, channelType, expire, messageKey
            + [0, 3] + Array("bob".utf8) + [1, 0, 0, 0, 0, 0, 32] + Array("f5bea5814af5b74c4e26723cb36b4576".utf8)
            + Array(Self.payload.utf8)
        #expect(frames.count == 2 * golden.count)
        #expect(Array(frames.suffix(golden.count)) == golden)
    }

    @Test("a message to a group is signed for the group")
    func sendingToGroup() throws {
        try self.signIn()
        let sender = Sender(
            ordinal: 3, window: 1, template: self.benchClient.template(run: 0xabc, sender: 3, to: .group("gruppe")))
        let stamp = Stamp(run: 0xabc, sender: 3, counter: 9, sentAt: 77)
        self.benchClient.write(stamp, slot: 12_345, of: sender, to: self.connection)
        guard case .send(let send) = try Self.decoded(Array(self.sent().dropFirst(8))) else {
            Issue.record("no SEND")
            return
        }
        #expect(send.channelID == "gruppe" && send.channelType == 2 && send.clientSequence == 12_345)
        #expect(Array(send.clientMessageNumber.utf8).withUnsafeBytes { Stamp(number: $0) } == stamp)
        let keys = try SessionKeys(
            shared: try KeyPair(privateKey: [UInt8](33...64)), with: Self.clientKey, salt: Self.salt,
            in: try CryptoWorkspace())
        #expect(keys.isMessageKey(send.messageKey, signing: send.signature, send.payload))
        #expect(try keys.decrypt(send.payload).withUnsafeBytes { MessageBody.stamp(in: $0) } == stamp)
    }

    @Test("takes the answer to a message, whatever it is")
    func answers() throws {
        try self.signIn()
        let sender = Sender(
            ordinal: 0, window: 2, template: self.benchClient.template(run: 0xabc, sender: 0, to: .person("a")))
        self.connection.sender = sender
        self.traffic.isSending = true
        self.traffic.now = 5
        self.benchClient.sendAllowed(self.connection, self.traffic)
        let answers = [(0, WuKongReason.success), (1, .rateLimit)].map { slot, reason in
            Self.written {
                $0.sendAcknowledge(
                    messageID: 9, clientSequence: slot, sequence: 1, reason: reason, header: WuKongHeader(redDot: true))
            }
        }
        try self.receive(packets: answers[0] + answers[1])
        #expect(self.traffic.acknowledged == 1 && self.traffic.owed == 1)
        let faults = self.traffic.faults(of: [sender])
        #expect(faults.refused == 1 && faults.refusalReason == Int(WuKongReason.rateLimit.rawValue))
        #expect(throws: BenchError.server("b got an answer to a message that it did not send")) {
            try self.receive(packets: answers[1])
        }
    }

    @Test("takes a message, repeats its flags, ID and sequence in the acknowledgement, and checks it")
    func arrival() throws {
        try self.signIn()
        self.traffic.isMeasuring = true
        self.traffic.now = 1_005
        // The first one on connection 1 is not checked, the second one is.
        let first = Self.arrival(number: "AAAKvAAAAAAAAAAAAAAAAAAF", sequence: 41, key: "", payload: "")
        try self.receive(packets: first + Self.arrival())
        #expect(self.traffic.ledger.delivered == 2 && self.traffic.ledger.reordered == 0)
        #expect(self.traffic.deliveryLatency.percentile(0.5) >= 1_000)
        #expect(
            Array(self.sent().suffix(20)) == [
                0x82, 0x8e, 0, 0, 0, 0, 0x62, 12, 0x11, 0x22, 0x10, 0xf4, 0x7d, 0xe9, 0x81, 0x15, 0, 0, 0, 42,
            ])
    }

    @Test("another run's and another program's messages are acknowledged and not counted")
    func foreign() throws {
        try self.signIn()
        for number in ["AAAKvQAAAAAAAQAAAAAAAAAF", "c0ffee00-0000-4000-8000-000000000001", ""] {
            try self.receive(packets: Self.arrival(number: number))
        }
        #expect(self.traffic.stale == 1 && self.traffic.ledger.delivered == 0)
        #expect(self.sent().count == 3 * 20)
    }

    @Test("a message that is cut short anywhere before its payload is a fault of the server", arguments: 3..<95)
    func cut(_ count: Int) throws {
        try self.signIn()
        // The length is put right: what ends too early is the body.
        let body = Array(Self.arrival().dropFirst(3).prefix(count - 3))
        #expect(throws: BenchError.server("a RECV ends inside its fields")) {
            try self.receive(packets: [0x52, UInt8(body.count)] + body)
        }
    }

    @Test(
        "what no server sends to this client ends the run",
        arguments: [
            [0x81, 2, 0x7b, 0x7d], [0x82, 1, 0x00], [0x82, 2, 0x32, 0x00], [0x82, 3, 0x40, 0x01, 0x00],
            [0x82, 2, 0x52, 0x05],
        ] as [[UInt8]])
    func nonsense(_ bytes: [UInt8]) throws {
        try self.signIn()
        #expect(throws: BenchError.self) { try self.receive(bytes) }
    }

    @Test("events and pongs are passed over, a ping is answered, a disconnect ends the run with its words")
    func others() throws {
        try self.signIn()
        try self.receive(
            packets: Self.written {
                $0.event(id: "1", type: "x", timestampMilliseconds: 1, data: Array("{}".utf8), version: .latest)
                $0.pong()
            })
        #expect(self.sent() == [])
        #expect(try self.receive([0x89, 2, 0x68, 0x69]) == 4)
        #expect(self.sent() == [0x8a, 0x82, 0, 0, 0, 0, 0x68, 0x69])
        #expect(throws: BenchError.server("the server disconnected b: elsewhere (reason 12)")) {
            try self.receive(packets: Self.written { $0.disconnect(.connectKick, text: "elsewhere") })
        }
        #expect(throws: BenchError.server("the server closed b with WebSocket code 1013")) {
            try self.receive([0x88, 2, 0x03, 0xf5])
        }
    }
}
