import Testing
import WuKongCrypto

@Suite("Messages for many sessions")
struct MessageSealerTests {
    /// A packet with marks around the room for the message key.
    private static let messageKeyOffset = 3

    private static func packet(payloadBytes: Int) -> [UInt8] {
        [1, 2, 3] + [UInt8](repeating: 0, count: 32) + [4, 5]
            + [UInt8](repeating: 0, count: MessageSealer.encryptedCount(of: payloadBytes))
    }

    /// What one session gets, made by its keys alone.
    private static func expected(_ keys: SessionKeys, _ payload: [UInt8], _ signature: String) -> [UInt8] {
        let encrypted = keys.encrypted(payload)
        return [1, 2, 3] + Array(keys.messageKey(signature, encrypted).utf8) + [4, 5] + encrypted
    }

    /// Sessions of one thread, each with a client and a salt of its own.
    private static func sessions(_ count: Int) throws -> [SessionKeys] {
        let (workspace, pair) = (try CryptoWorkspace(), try KeyPair())
        return try (0..<count).map { _ in
            try SessionKeys(shared: pair, with: try KeyPair().publicKeyBase64, in: workspace)
        }
    }

    private static func begin(_ sealer: MessageSealer, _ payload: [UInt8], _ signature: String) {
        sealer.beginMessage(
            payload: payload, signature: Array(signature.utf8), packet: Self.packet(payloadBytes: payload.count),
            messageKeyOffset: Self.messageKeyOffset)
    }

    /// Sends to the sessions, as many at a time as the sealer takes.
    private static func packets(_ sealer: MessageSealer, _ sessions: [SessionKeys]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        for (index, keys) in sessions.enumerated() {
            sealer.add(keys)
            guard sealer.count == sealer.capacity || index == sessions.count - 1 else { continue }
            sealer.seal()
            packets += (0..<sealer.count).map { Array(sealer.packet($0)) }
            sealer.removeAll()
        }
        return packets
    }

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) } }

    @Test("every session gets what its own keys make, however many they are", arguments: 1...20)
    func sessions(count: Int) throws {
        let sessions = try Self.sessions(count)
        let sealer = MessageSealer(in: sessions[0].workspace)
        let (payload, signature) = (Self.bytes(123), "123456789012345678942alicealice1")
        Self.begin(sealer, payload, signature)
        let expected = sessions.map { Self.expected($0, payload, signature) }
        #expect(Self.packets(sealer, sessions) == expected)
    }

    @Test("for every length of payload and signature around the blocks of AES and MD5", arguments: 0...100)
    func lengths(count: Int) throws {
        let sessions = try Self.sessions(3)
        let sealer = MessageSealer(in: sessions[0].workspace)
        let signature = String(repeating: "s", count: count * 7 % 50)
        Self.begin(sealer, Self.bytes(count), signature)
        let expected = sessions.map { Self.expected($0, Self.bytes(count), signature) }
        #expect(Self.packets(sealer, sessions) == expected)
    }

    @Test("a sealer takes one message after another, large and small")
    func reuse() throws {
        let sessions = try Self.sessions(10)
        let sealer = MessageSealer(in: sessions[0].workspace)
        for count in [10, 8191, 8192, 300_001, 0, 5000, 100, 100] {
            Self.begin(sealer, Self.bytes(count), "sign\(count)")
            let expected = sessions.map { Self.expected($0, Self.bytes(count), "sign\(count)") }
            let isRight = Self.packets(sealer, sessions) == expected
            #expect(isRight, "\(count) bytes")
        }
    }

    @Test("the client reads what the server sealed")
    func vector() throws {
        let (client, server) = try sides()
        let sealer = MessageSealer(in: server.workspace)
        Self.begin(sealer, Array(Vectors.plain.utf8), Vectors.receiveSignature)
        let packet = Self.packets(sealer, [server])[0]
        #expect(String(decoding: packet[3..<35], as: UTF8.self) == Vectors.receiveKey)
        #expect(String(decoding: packet[37...], as: UTF8.self) == Vectors.encrypted)
        #expect(try client.decrypt(Array(packet[37...])) == Array(Vectors.plain.utf8))
    }
}
