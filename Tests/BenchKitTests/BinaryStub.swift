import CBench
import CLinux
import Execution
import Glibc
import WuKongCrypto
import WuKongWire

@testable import BenchKit

/// A small server of the binary encoding over WebSocket, one thread and blocking writes. Everyone who is signed in is a
/// member of every group; any token is right but "wrong".
final class BinaryStub {
    /// What goes wrong with every tenth message.
    enum Fault: Sendable {
        case none, lose, twice, wrongKey, otherPayload, cutPacket
    }

    private final class Peer {
        let descriptor: Int32
        var unread: [UInt8] = []
        var unsent: [UInt8] = []
        var isUpgraded = false
        var uid = ""
        var keys: SessionKeys?

        init(_ descriptor: Int32) { self.descriptor = descriptor }
    }

    private let listener: Int32
    private let stop: Int32
    private let fault: Fault
    private let pair: KeyPair
    private let workspace: CryptoWorkspace
    private var peers: [Peer] = []
    private var messages: Int64 = 0

    private init(listener: Int32, stop: Int32, fault: Fault) throws(WuKongCryptoError) {
        self.listener = listener
        self.stop = stop
        self.fault = fault
        self.pair = try KeyPair()
        self.workspace = try CryptoWorkspace()
    }

    /// Serves in another thread for as long as `body` takes.
    static func serving<Result>(_ fault: Fault = .none, _ body: (Endpoint) throws -> Result) throws -> Result {
        var port: UInt16 = 0
        let listener = cbench_listen(&port)
        guard listener >= 0 else { throw BenchError.failed("listen") }
        let stop = clinux_eventfd()
        let thread = Thread(name: "binary-stub") {
            if let stub = try? BinaryStub(listener: listener, stop: stop, fault: fault) { stub.run() }
        }
        defer {
            clinux_eventfd_signal(stop)
            thread.join()
            close(listener)
            close(stop)
        }
        return try body(Endpoint(port: port))
    }

    // MARK: Sockets

    private func run() {
        while true {
            let descriptors = [self.stop, self.listener] + self.peers.map(\.descriptor)
            var watched = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&watched, nfds_t(watched.count), -1) > 0 || errno == EINTR, watched[0].revents == 0 else {
                break
            }
            let ready = Set(watched.filter { $0.revents != 0 }.map(\.fd))
            self.peers = self.peers.filter { !ready.contains($0.descriptor) || self.read($0) }
            for peer in self.peers where !peer.unsent.isEmpty { self.flush(peer) }
            if ready.contains(self.listener) { self.accept() }
        }
        for peer in self.peers { close(peer.descriptor) }
    }

    private func accept() {
        while case let descriptor = Glibc.accept(self.listener, nil, nil), descriptor >= 0 {
            self.peers.append(Peer(descriptor))
        }
    }

    /// Reads and handles; false when the connection is over.
    private func read(_ peer: Peer) -> Bool {
        var space = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(peer.descriptor, &space, space.count, 0)
        if count > 0 {
            peer.unread += space.prefix(count)
            if (try? self.handle(peer)) != nil { return true }
            self.flush(peer)
        }
        close(peer.descriptor)
        return false
    }

    private func flush(_ peer: Peer) {
        var sent = 0
        while sent < peer.unsent.count {
            let count = peer.unsent.withUnsafeBytes {
                send(peer.descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        peer.unsent = []
    }

    // MARK: WebSocket

    private static let accepted = Array(
        "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n".utf8)

    private func handle(_ peer: Peer) throws {
        if !peer.isUpgraded {
            guard peer.unread.suffix(4) == Array("\r\n\r\n".utf8) else { return }
            peer.unread = []
            peer.isUpgraded = true
            peer.unsent += Self.accepted
        }
        while peer.unread.count >= 8 {
            let isLong = peer.unread[1] & 0x7f == 126
            let start = isLong ? 8 : 6
            let length = isLong ? Int(peer.unread[2]) << 8 | Int(peer.unread[3]) : Int(peer.unread[1] & 0x7f)
            guard peer.unread.count >= start + length else { return }
            let packet = try peer.unread[start..<start + length].withUnsafeBytes { bytes in
                try BinaryClientPacket(decoding: bytes)
            }
            peer.unread.removeFirst(start + length)
            try self.handle(packet, peer)
        }
    }

    private static func message(_ packet: [UInt8]) -> [UInt8] {
        packet.count < 126
            ? [0x82, UInt8(packet.count)] + packet
            : [0x82, 126, UInt8(packet.count >> 8), UInt8(packet.count & 0xff)] + packet
    }

    // MARK: Packets

    private func handle(_ packet: BinaryClientPacket, _ peer: Peer) throws {
        switch packet {
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
        peer.uid = connect.uid
        peer.keys = keys
        peer.unsent += Self.message(writer.bytes)
    }

    private func publish(_ send: BinarySend, _ sender: Peer) throws {
        guard let keys = sender.keys, keys.isMessageKey(send.messageKey, signing: send.signature, send.payload) else {
            return self.answer(send, .payloadDecodeError, sender)
        }
        let payload = try keys.decrypt(send.payload)
        self.messages += 1
        self.answer(send, .success, sender)
        for peer in self.peers where peer !== sender && peer.keys != nil {
            guard send.channelType == 2 || peer.uid == send.channelID else { continue }
            self.deliver(send, payload, from: sender, to: peer)
        }
    }

    private func answer(_ send: BinarySend, _ reason: WuKongReason, _ peer: Peer) {
        var writer = BinaryPacketWriter()
        writer.sendAcknowledge(
            messageID: self.messages, clientSequence: send.clientSequence, sequence: UInt32(self.messages),
            reason: reason, header: send.header)
        peer.unsent += Self.message(writer.bytes)
    }

    private func deliver(_ send: BinarySend, _ payload: [UInt8], from sender: Peer, to peer: Peer) {
        guard let keys = peer.keys else { return }
        let fault = self.messages % 10 == 0 ? self.fault : .none
        if fault == .lose { return }
        let message = ReceivedMessage(
            header: send.header, setting: [], messageID: self.messages, sequence: self.messages,
            timestampSeconds: 1_700_000_000, channelID: send.channelType == 2 ? send.channelID : sender.uid,
            channelType: send.channelType == 2 ? .group : .person, fromUID: sender.uid, payload: payload,
            payloadIsJSONObject: true, clientMessageNumber: send.clientMessageNumber, topic: nil, expire: 0)
        let template = BinaryReceiveTemplate(message, version: .latest)
        var encrypted: [UInt8] = []
        keys.encrypt(fault == .otherPayload ? MessageBody.bytes() : payload, appendingTo: &encrypted)
        var key: [UInt8] = []
        keys.messageKey(signing: template.signature, encrypted, appendingTo: &key)
        if fault == .wrongKey { key[0] ^= 1 }
        var writer = BinaryPacketWriter()
        writer.receive(template, messageKey: key, payload: encrypted)
        if fault == .cutPacket { return peer.unsent += Self.message(Array(writer.bytes.dropLast())) }
        peer.unsent += Self.message(writer.bytes)
        if fault == .twice { peer.unsent += Self.message(writer.bytes) }
    }
}
