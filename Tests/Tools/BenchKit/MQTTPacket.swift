/// The few packets of MQTT 3.1.1 that a publisher and subscriber with QoS 1 needs.
///
/// Source: MQTT Version 3.1.1, OASIS Standard; sections named below.
package enum MQTTPacket: Equatable {
    /// Section 3.2: return code 0 is yes.
    case connectAcknowledged(code: UInt8)
    /// Section 3.9, for one topic: the granted QoS, or 0x80 for no.
    case subscribed(code: UInt8)
    /// Section 3.4.
    case published(identifier: UInt16)
    /// Section 3.3; where the payload starts and how long it is. The identifier is 0 for QoS 0.
    case publish(identifier: UInt16, payloadOffset: Int, payloadCount: Int)
    /// Section 3.13.
    case pong

    /// Reads the packet at the start of `bytes` and its length; `nil` when it is not whole yet.
    ///
    /// - Throws: `server` for packets that a broker has no reason to send to this client.
    package static func read(
        _ bytes: UnsafeRawBufferPointer
    ) throws(BenchError) -> (packet: MQTTPacket, count: Int)? {
        guard let (header, length) = try self.readLength(bytes), bytes.count >= header + length else { return nil }
        let count = header + length
        switch (bytes[0] >> 4, length) {
        case (2, 2): return (.connectAcknowledged(code: bytes[header + 1]), count)
        case (9, 3): return (.subscribed(code: bytes[header + 2]), count)
        case (4, 2): return (.published(identifier: bytes.big16(at: header)), count)
        case (13, 0): return (.pong, count)
        case (3, 4...):
            var start = header + 2 + Int(bytes.big16(at: header))
            let hasIdentifier = bytes[0] & 0x06 != 0
            guard start + (hasIdentifier ? 2 : 0) <= count else { throw .server("a PUBLISH ends inside its header") }
            let identifier = hasIdentifier ? bytes.big16(at: start) : 0
            start += hasIdentifier ? 2 : 0
            return (.publish(identifier: identifier, payloadOffset: start, payloadCount: count - start), count)
        default: throw .server("the broker sent a packet of type \(bytes[0] >> 4) and length \(length)")
        }
    }

    /// Section 2.2.3: seven bits a byte, the lowest first. Returns the whole header's length and the body's.
    private static func readLength(
        _ bytes: UnsafeRawBufferPointer
    ) throws(BenchError) -> (header: Int, length: Int)? {
        var length = 0
        for place in 1...4 {
            guard place < bytes.count else { return nil }
            length |= Int(bytes[place] & 0x7f) << (7 * (place - 1))
            guard length <= 1 << 20 else { throw .server("the broker sent a packet of more than 1 MiB") }
            if bytes[place] & 0x80 == 0 { return (place + 1, length) }
        }
        throw .server("the broker sent a remaining length of more than four bytes")
    }

    private static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
        var bytes = [first]
        var rest = body.count
        repeat {
            bytes.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes + body
    }

    private static func text(_ text: String) -> [UInt8] { self.big16(UInt16(text.utf8.count)) + Array(text.utf8) }

    private static func big16(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }

    /// Section 3.1, without keep-alive, will, user name or password.
    package static func connect(client: String, cleanSession: Bool) -> [UInt8] {
        self.packet(0x10, self.text("MQTT") + [4, cleanSession ? 2 : 0, 0, 0] + self.text(client))
    }

    /// Section 3.8: one topic with QoS 1.
    package static func subscribe(identifier: UInt16, topic: String) -> [UInt8] {
        self.packet(0x82, self.big16(identifier) + self.text(topic) + [1])
    }

    /// Section 3.3 with QoS 1, and where its identifier and payload are.
    package static func publish(
        identifier: UInt16, topic: String, payload: [UInt8]
    ) -> (bytes: [UInt8], identifierOffset: Int, payloadOffset: Int) {
        let bytes = self.packet(0x32, self.text(topic) + self.big16(identifier) + payload)
        let payloadOffset = bytes.count - payload.count
        return (bytes, payloadOffset - 2, payloadOffset)
    }

    /// Section 3.4.
    package static func publishAcknowledged(identifier: UInt16) -> [UInt8] {
        self.packet(0x40, self.big16(identifier))
    }

    /// Section 3.12.
    package static let ping: [UInt8] = [0xc0, 0]
}

extension UnsafeRawBufferPointer {
    fileprivate func big16(at offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }
}
