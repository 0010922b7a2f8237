import ChatModel
import TeahouseTesting
import Testing
import WuKongCrypto
import WuKongWire

/// The binary encoding as bytes.
struct BinaryByteScenarios {
    @Test("frames may be cut anywhere, on TCP and over WebSocket", arguments: BinaryClient.Carrier.allCases, [1, 2, 7])
    func cut(carrier: BinaryClient.Carrier, piece: Int) throws {
        let server = try TestServer()
        let token = try server.token("romeo", .app)
        let romeo = try server.binarySocket(over: carrier)
        func sendInPieces(_ bytes: [UInt8]) throws {
            for start in stride(from: 0, to: bytes.count, by: piece) {
                try romeo.send(raw: Array(bytes[start..<min(start + piece, bytes.count)]))
            }
        }
        try sendInPieces(romeo.bytes { $0.connect(romeo.connectPacket("romeo", token: token, .app)) })
        #expect(try romeo.finishSignIn().reason == 1)
        let juliet = try server.connectBinary("juliet")
        let send = try romeo.sendPacket("hello", to: "juliet")
        try sendInPieces(romeo.bytes { $0.send(send, version: .latest) })
        #expect(try romeo.acknowledgement(of: send.clientSequence).reason == 1)
        #expect(try juliet.receive().text == "hello")
    }

    @Test("several frames in one WebSocket message, as the JS SDK sends them")
    func several() throws {
        let server = try TestServer()
        let romeo = try server.connectBinary("romeo", .web, over: .webSocket)
        let juliet = try server.connectBinary("juliet")
        let sends = try (0..<5).map { try romeo.sendPacket("\($0)", to: "juliet") }
        try romeo.send(
            raw: romeo.bytes { writer in
                writer.ping()
                for send in sends { writer.send(send, version: .latest) }
            })
        #expect(try romeo.next() == .pong)
        for send in sends { #expect(try romeo.acknowledgement(of: send.clientSequence).reason == 1) }
        #expect(try juliet.receive(5) == ["0", "1", "2", "3", "4"])
    }

    @Test("a WebSocket that begins with a brace is JSON, whatever frame it comes in, and is answered in text")
    func jsonInBinaryFrame() throws {
        let server = try TestServer()
        let token = try server.token("romeo", .desktop)
        let socket = try ClientWebSocket(port: server.port)
        let connect =
            " {\"id\":\"1\",\"method\":\"connect\",\"params\":{\"uid\":\"romeo\",\"token\":\"\(token)\",\"deviceFlag\":2}}"
        try socket.send(.binary(Array(connect.utf8)))
        guard case .text(let answer) = try socket.receive() else {
            Issue.record("no text")
            return
        }
        #expect(String(decoding: answer, as: UTF8.self).contains("\"reasonCode\":1"))
    }

    @Test(
        "a broken frame ends a session that is signed in",
        arguments: [[0x30, 0x01, 0x00], [0x00], [0xD0, 0x00], [0x20]])
    func broken(bytes: [UInt8]) throws {
        let server = try TestServer()
        let romeo = try server.connectBinary("romeo")
        try romeo.send(raw: bytes + [0])
        #expect(try romeo.waitForEnd().isEmpty)
    }

    /// A frame as it stands on the wire, read by the rules of the protocol's document alone.
    struct Frame {
        var first: UInt8
        var body: [UInt8]

        func number(_ offset: Int, _ count: Int) -> Int {
            self.body[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
        }

        func text(_ offset: Int) -> String {
            let count = self.number(offset, 2)
            return String(decoding: self.body[offset + 2..<offset + 2 + count], as: UTF8.self)
        }
    }

    /// A device on a socket that knows bytes only.
    final class Device {
        private let socket: ClientSocket
        private var input: [UInt8] = []

        init(_ server: TestServer) throws { self.socket = try ClientSocket(port: server.port) }

        func send(_ bytes: [UInt8]) throws { try self.socket.send(bytes) }

        /// The next frame; bodies here are shorter than 16,384 bytes.
        func next() throws -> Frame {
            while true {
                if let first = self.input.first, first == 0x80 {
                    self.input.removeFirst()
                    return Frame(first: first, body: [])
                }
                if self.input.count >= 3 {
                    let isLong = self.input[1] >= 0x80
                    let length = Int(self.input[1] & 0x7F) + (isLong ? Int(self.input[2]) << 7 : 0)
                    let start = isLong ? 3 : 2
                    if self.input.count >= start + length {
                        let frame = Frame(first: self.input[0], body: Array(self.input[start..<start + length]))
                        self.input.removeFirst(start + length)
                        return frame
                    }
                }
                guard let more = try self.socket.receive() else { throw TestClientError(description: "closed") }
                self.input += more
            }
        }
    }

    private static func string(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + Array(text.utf8)
    }

    private static func frame(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
        body.count < 128
            ? [first, UInt8(body.count)] + body
            : [first, 0x80 | UInt8(body.count & 0x7F), UInt8(body.count >> 7)] + body
    }

    /// CONNECT of an iOS device: version 4, app, device, uid, token, 1,700,000,000,123 ms, public key.
    private static func connect(_ uid: String, _ token: String, _ key: String) -> [UInt8] {
        let time: [UInt8] = [0x00, 0x00, 0x01, 0x8B, 0xCF, 0xE5, 0x68, 0x7B]
        return Self.frame(
            0x10, [4, 0] + Self.string("ios-\(uid)") + Self.string(uid) + Self.string(token) + time + Self.string(key))
    }

    /// Reads CONNACK of version 4 and agrees on the keys.
    private static func keys(_ answer: Frame, _ pair: KeyPair) throws -> SessionKeys {
        // Flag 0: the version is there. Version, clock difference, reason, key, salt, node.
        #expect(answer.first == 0x21 && answer.body.count == 1 + 8 + 1 + 46 + 18 + 8)
        #expect(answer.body[0] == 4 && answer.body[9] == 1 && answer.number(74, 8) == 1)
        return try SessionKeys(
            shared: pair, with: answer.text(10), salt: answer.text(56), in: try CryptoWorkspace())
    }

    @Test("a session of a version 4 device, byte for byte")
    func versionFour() throws {
        let server = try TestServer()
        let (romeo, juliet) = (try Device(server), try Device(server))
        let (romeoPair, julietPair) = (try KeyPair(), try KeyPair())
        try romeo.send(Self.connect("romeo", try server.token("romeo", .app), romeoPair.publicKeyBase64))
        let romeoKeys = try Self.keys(try romeo.next(), romeoPair)
        try juliet.send(Self.connect("juliet", try server.token("juliet", .app), julietPair.publicKeyBase64))
        let julietKeys = try Self.keys(try juliet.next(), julietPair)
        try romeo.send([0x70])
        #expect(try romeo.next().first == 0x80)

        var payload: [UInt8] = []
        romeoKeys.encrypt(Array("{\"type\":1,\"content\":\"hello\"}".utf8), appendingTo: &payload)
        var key: [UInt8] = []
        romeoKeys.messageKey(signing: Array("7n-1juliet1".utf8), payload, appendingTo: &key)
        // Setting, client sequence 7, number, channel, type, expire, message key, payload.
        let send =
            [0, 0, 0, 0, 7] + Self.string("n-1") + Self.string("juliet") + [1, 0, 0, 0, 0]
            + Self.string(String(decoding: key, as: UTF8.self)) + payload
        try romeo.send(Self.frame(0x32, send))

        let acknowledgement = try romeo.next()
        #expect(acknowledgement.first == 0x42 && acknowledgement.body.count == 17)
        #expect(Array(acknowledgement.body[8...]) == [0, 0, 0, 7, 0, 0, 0, 1, 1])
        let id = acknowledgement.number(0, 8)

        let received = try juliet.next()
        #expect(received.first == 0x52 && received.body[0] == 0 && received.number(1, 2) == 32)
        let afterKey = 35
        let fixed = Self.string("romeo") + Self.string("romeo") + [1, 0, 0, 0, 0] + Self.string("n-1")
        #expect(Array(received.body[afterKey..<afterKey + fixed.count]) == fixed)
        let place = afterKey + fixed.count
        #expect(received.number(place, 8) == id && received.number(place + 8, 4) == 1)
        let time = received.number(place + 12, 4)
        let encrypted = Array(received.body[(place + 16)...])
        let signed = Array("\(id)1n-1\(time)romeoromeo1".utf8)
        #expect(julietKeys.isMessageKey(Array(received.text(1).utf8), signing: signed, encrypted))
        #expect(try julietKeys.decrypt(encrypted) == Array("{\"type\":1,\"content\":\"hello\"}".utf8))
        // RECVACK: id and sequence, with the flags of the RECV.
        try juliet.send([0x62, 12] + received.body[place..<place + 12])

        server.server.broker.end(
            allOf: try server.id("juliet"), deviceClass: nil, reason: .kickedByOperator("bye"))
        let end = try juliet.next()
        #expect(end.first == 0x90 && end.body == [12, 0, 3] + Array("bye".utf8))
    }
}
