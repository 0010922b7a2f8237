import Testing

@testable import BenchKit

@Suite struct MQTTPacketTests {
    private func read(_ bytes: [UInt8]) throws(BenchError) -> (packet: MQTTPacket, count: Int)? {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BenchError) in try MQTTPacket.read(bytes) }
        }
        return try result.get()
    }

    @Test("writes what the standard says")
    func written() {
        #expect(
            MQTTPacket.connect(client: "u1", cleanSession: true)
                == [0x10, 14, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 0, 0, 2, 0x75, 0x31])
        #expect(MQTTPacket.connect(client: "u1", cleanSession: false)[9] == 0)
        #expect(
            MQTTPacket.subscribe(identifier: 0x1234, topic: "a/b")
                == [0x82, 8, 0x12, 0x34, 0, 3, 0x61, 0x2f, 0x62, 1])
        #expect(MQTTPacket.publishAcknowledged(identifier: 0x0102) == [0x40, 2, 1, 2])
        let publish = MQTTPacket.publish(identifier: 9, topic: "a/b", payload: [0xaa, 0xbb])
        #expect(publish.bytes == [0x32, 9, 0, 3, 0x61, 0x2f, 0x62, 0, 9, 0xaa, 0xbb])
        #expect(publish.identifierOffset == 7)
        #expect(publish.payloadOffset == 9)
    }

    @Test("a body of 128 bytes or more has a remaining length of two bytes")
    func longLength() {
        let publish = MQTTPacket.publish(identifier: 1, topic: "t", payload: [UInt8](repeating: 0, count: 300))
        #expect(Array(publish.bytes.prefix(3)) == [0x32, 0xb1, 0x02])
    }

    @Test(
        "reads what a broker sends",
        arguments: [
            ([0x20, 2, 0, 0], MQTTPacket.connectAcknowledged(code: 0)),
            ([0x20, 2, 0, 5], .connectAcknowledged(code: 5)),
            ([0x90, 3, 0, 1, 1], .subscribed(code: 1)),
            ([0x40, 2, 1, 2], .published(identifier: 0x0102)),
            (
                [0x32, 9, 0, 3, 0x61, 0x2f, 0x62, 0, 9, 0xaa, 0xbb],
                .publish(identifier: 9, payloadOffset: 9, payloadCount: 2)
            ),
            (
                [0x30, 7, 0, 3, 0x61, 0x2f, 0x62, 0xaa, 0xbb],
                .publish(identifier: 0, payloadOffset: 7, payloadCount: 2)
            ),
            ([0xd0, 0], .pong),
        ] as [([UInt8], MQTTPacket)])
    func golden(_ bytes: [UInt8], _ packet: MQTTPacket) throws {
        let read = try #require(try self.read(bytes + [0xff]))
        #expect(read.packet == packet)
        #expect(read.count == bytes.count)
        for count in 0..<bytes.count { #expect(try self.read(Array(bytes.prefix(count))) == nil) }
    }

    @Test(
        "refuses packets that make no sense",
        arguments: [
            [0x10, 0], [0x20, 3, 0, 0, 0], [0x32, 4, 0, 3, 0x61, 0x62], [0x30, 0xff, 0xff, 0xff, 0xff],
            [0x30, 0xff, 0xff, 0x7f],
        ] as [[UInt8]])
    func refused(_ bytes: [UInt8]) {
        #expect(throws: BenchError.self) { try self.read(bytes) }
    }
}
