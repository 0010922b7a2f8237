import Glibc

/// MQTT 3.1.1 with QoS 1 both ways: a person is the topic `d/<user>`, a group the topic `g/<name>`.
final class MQTTBenchClient: BenchClient {
    /// A publisher that subscribes to its own topic gets its messages back; version 3.1.1 has no way to say no.
    let echoesToSender = true
    /// Topic that everybody subscribes to; `nil` for each person's own topic.
    private let group: String?
    /// Without a clean session the broker keeps messages for who is away.
    private let cleanSession: Bool

    init(group: String?, cleanSession: Bool) {
        self.group = group
        self.cleanSession = cleanSession
    }

    func greet(_ connection: LoadConnection) {
        connection.unsent.append(
            MQTTPacket.connect(client: connection.account.user, cleanSession: self.cleanSession))
        connection.phase = .signingIn
    }

    func receive(
        _ bytes: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) -> Int {
        var used = 0
        while let (packet, count) = try MQTTPacket.read(UnsafeRawBufferPointer(rebasing: bytes[used...])) {
            try self.handle(packet, bytes.part(used, count), connection, traffic)
            used += count
        }
        return used
    }

    private func handle(
        _ packet: MQTTPacket, _ bytes: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        switch packet {
        case .connectAcknowledged(0):
            let topic = self.group.map { "g/\($0)" } ?? "d/\(connection.account.user)"
            connection.unsent.append(MQTTPacket.subscribe(identifier: 1, topic: topic))
            connection.phase = .subscribing
        case .subscribed(1): connection.phase = .ready
        case .connectAcknowledged(let code), .subscribed(let code):
            throw .server("the broker refuses \(connection.account.user): code \(code)")
        case .published(let identifier):
            try traffic.answered(connection, slot: Int(identifier) - 1, reason: 0)
        case .publish(let identifier, let offset, let count):
            if identifier > 0 { Self.acknowledge(identifier, to: &connection.unsent) }
            if let stamp = MessageBody.stamp(in: bytes.part(offset, count)) {
                traffic.arrived(connection, stamp, sequence: 0)
            }
        case .pong: break
        }
    }

    /// `MQTTPacket.publishAcknowledged` without an array.
    private static func acknowledge(_ identifier: UInt16, to unsent: inout ByteBuffer) {
        let out = unsent.reserve(4).assumingMemoryBound(to: UInt8.self)
        out[0] = 0x40
        out[1] = 2
        out[2] = UInt8(identifier >> 8)
        out[3] = UInt8(identifier & 0xff)
        unsent.commit(4)
    }

    func template(run: UInt32, sender: Int, to destination: Destination) -> MessageTemplate {
        let topic =
            switch destination {
            case .person(let user): "d/\(user)"
            case .group(let name): "g/\(name)"
            }
        let publish = MQTTPacket.publish(identifier: 0, topic: topic, payload: MessageBody.bytes())
        return MessageTemplate(
            bytes: publish.bytes, slotOffset: publish.identifierOffset, counterOffset: nil,
            stampOffset: publish.payloadOffset + MessageBody.prefix.count)
    }

    func write(_ stamp: Stamp, slot: Int, of sender: Sender, to connection: LoadConnection) {
        let count = sender.template.bytes.count
        let out = connection.unsent.reserve(count).assumingMemoryBound(to: UInt8.self)
        memcpy(out, sender.template.bytes, count)
        // Packet identifier 0 is not allowed (section 2.3.1).
        out[sender.template.slotOffset] = UInt8((slot + 1) >> 8)
        out[sender.template.slotOffset + 1] = UInt8((slot + 1) & 0xff)
        stamp.write(to: out + sender.template.stampOffset)
        connection.unsent.commit(count)
    }
}
