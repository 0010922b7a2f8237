import Transport
import WuKongCrypto
import WuKongWire

/// Sends one message in the binary encoding to the sessions that see it alike, several at a time. Confined to its
/// reactor.
final class BinaryFanOut {
    private let sealer: MessageSealer
    /// Connections that the sealer has packets for.
    @exclusivity(unchecked) private var receivers: [Connection] = []
    @exclusivity(unchecked) private(set) var hasMessage = false

    init(in workspace: CryptoWorkspace) { self.sealer = MessageSealer(in: workspace) }

    func beginMessage(_ message: ReceivedMessage, _ version: BinaryVersion) {
        let template = BinaryReceiveTemplate(message, version: version)
        let packet = template.packet(payloadBytes: MessageSealer.encryptedCount(of: message.payload.count))
        self.sealer.beginMessage(
            payload: message.payload, signature: template.signature, packet: packet.bytes,
            messageKeyOffset: packet.messageKeyOffset)
        self.hasMessage = true
    }

    func send(to connection: Connection, _ keys: SessionKeys) {
        self.sealer.add(keys)
        self.receivers.append(connection)
        if self.sealer.count == self.sealer.capacity { self.flush() }
    }

    /// Sends what waits for more receivers.
    func flush() {
        guard self.sealer.count > 0 else { return }
        self.sealer.seal()
        for index in self.receivers.indices { self.receivers[index].sendBinary(self.sealer.packet(index)) }
        self.receivers.removeAll(keepingCapacity: true)
        self.sealer.removeAll()
    }

    /// Another message comes next.
    func forget() { self.hasMessage = false }
}
