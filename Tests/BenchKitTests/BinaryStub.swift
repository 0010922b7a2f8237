import WuKongCrypto
import WuKongWire

@testable import BenchKit

/// A small server of the binary encoding. Everyone who is signed in is a member of every group; any token is right but
/// "wrong".
final class BinaryStub: WebSocketStub<SessionKeys> {
    /// What goes wrong with every tenth message.
    enum Fault: Sendable {
        case none, lose, twice, wrongKey, otherPayload, cutPacket
    }

    private let fault: Fault
    private let pair: KeyPair
    private let workspace: CryptoWorkspace
    private var messages: Int64 = 0

    private init(listener: Int32, stop: Int32, fault: Fault) throws(WuKongCryptoError) {
        self.fault = fault
        self.pair = try KeyPair()
        self.workspace = try CryptoWorkspace()
        super.init(listener: listener, stop: stop)
    }

    /// Serves in another thread for as long as `body` takes.
    static func serving<Result>(_ fault: Fault = .none, _ body: (Endpoint) throws -> Result) throws -> Result {
        try self.serving(making: { try? BinaryStub(listener: $0, stop: $1, fault: fault) }, body)
    }

    override func handle(_ message: UnsafeRawBufferPointer, _ peer: Peer) throws {
        switch try BinaryClientPacket(decoding: message) {
        case .connect(let connect): try self.signIn(connect, peer)
        case .send(let send): try self.publish(send, peer)
        case .receiveAcknowledge, .ping, .disconnect, .subscribe: break
        }
    }

    private func signIn(_ connect: BinaryConnect, _ peer: Peer) throws {
        let keys = try SessionKeys(shared: self.pair, with: connect.clientKey, in: self.workspace)
        let isRight = connect.token != "wrong"
        var writer = BinaryPacketWriter()
        writer.connectAcknowledge(
            version: BinaryVersion(connect.version), timeDifferenceMilliseconds: 0,
            reason: isRight ? .success : .authFail, serverKey: isRight ? self.pair.publicKeyBase64 : "",
            salt: isRight ? keys.salt : "", nodeID: 1)
        peer.name = connect.uid
        peer.note = keys
        peer.send(writer.bytes)
    }

    private func publish(_ send: BinarySend, _ sender: Peer) throws {
        guard let keys = sender.note, keys.isMessageKey(send.messageKey, signing: send.signature, send.payload) else {
            return self.answer(send, .payloadDecodeError, sender)
        }
        let payload = try keys.decrypt(send.payload)
        self.messages += 1
        self.answer(send, .success, sender)
        for peer in self.peers where peer !== sender && peer.note != nil {
            guard send.channelType == 2 || peer.name == send.channelID else { continue }
            self.deliver(send, payload, from: sender, to: peer)
        }
    }

    private func answer(_ send: BinarySend, _ reason: WuKongReason, _ peer: Peer) {
        var writer = BinaryPacketWriter()
        writer.sendAcknowledge(
            messageID: self.messages, clientSequence: send.clientSequence, sequence: UInt32(self.messages),
            reason: reason, header: send.header)
        peer.send(writer.bytes)
    }

    private func deliver(_ send: BinarySend, _ payload: [UInt8], from sender: Peer, to peer: Peer) {
        guard let keys = peer.note else { return }
        let fault = self.messages % 10 == 0 ? self.fault : .none
        if fault == .lose { return }
        let message = ReceivedMessage(
            header: send.header, setting: [], messageID: self.messages, sequence: self.messages,
            timestampSeconds: 1_700_000_000, channelID: send.channelType == 2 ? send.channelID : sender.name,
            channelType: send.channelType == 2 ? .group : .person, fromUID: sender.name, payload: payload,
            payloadIsJSONObject: true, clientMessageNumber: send.clientMessageNumber, topic: nil, expire: 0)
        let template = BinaryReceiveTemplate(message, version: .latest)
        var encrypted: [UInt8] = []
        keys.encrypt(fault == .otherPayload ? MessageBody.bytes() : payload, appendingTo: &encrypted)
        var key: [UInt8] = []
        keys.messageKey(signing: template.signature, encrypted, appendingTo: &key)
        if fault == .wrongKey { key[0] ^= 1 }
        var writer = BinaryPacketWriter()
        writer.receive(template, messageKey: key, payload: encrypted)
        if fault == .cutPacket { return peer.send(Array(writer.bytes.dropLast())) }
        peer.send(writer.bytes)
        if fault == .twice { peer.send(writer.bytes) }
    }
}
