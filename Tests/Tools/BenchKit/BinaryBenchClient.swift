import CLinux
import Glibc
import WuKongCrypto
import WuKongWire

/// WuKongIM's binary encoding, version 5, over WebSocket: one packet in each message.
///
/// Messages are sent encrypted and signed, as the server demands. Those that arrive are told apart by their client message
/// number, which is readable, so that the generator need not decrypt it; a sample is decrypted, and its message key
/// checked.
///
/// Source: the packets of WuKongIMGoProto, as `WuKongWire` has them.
final class BinaryBenchClient: WebSocketBenchClient {
    /// Use of the keys that a sign-in agrees on.
    enum KeyUse: Equatable {
        /// They are not even derived: nobody says anything.
        case none
        /// Messages are encrypted and signed, and one in `checking` of those that arrive at a connection is checked.
        case traffic(checking: Int)
    }

    /// The server does not send a message back on the connection that it came from.
    let echoesToSender = false

    let usesTextFrames = false
    let upgrade: WebSocketUpgrade
    private let pair: KeyPair
    private let workspace: CryptoWorkspace
    private let keyUse: KeyUse
    /// By the connection's index; `nil` before its sign-in, and for `KeyUse.none`.
    @exclusivity(unchecked) private var sessions: [Session?] = []
    // Texts on their way into a message, here to keep their memory.
    @exclusivity(unchecked) private var body = MessageBody.bytes()
    @exclusivity(unchecked) private var payload: [UInt8] = []
    @exclusivity(unchecked) private var signature: [UInt8] = []
    @exclusivity(unchecked) private var messageKey: [UInt8] = []

    private final class Session {
        let keys: SessionKeys
        /// Arrivals until the next one that is checked.
        var untilCheck: Int

        init(keys: SessionKeys, untilCheck: Int) {
            self.keys = keys
            self.untilCheck = untilCheck
        }
    }

    /// - Parameters:
    ///   - host: for the upgrade request: the server's address and port.
    ///   - pair: the clients' half of every key exchange; random without. All connections share it: the server sees
    ///     that they do and does the same work, and its salts differ.
    /// - Throws: `unavailable` when OpenSSL refuses the algorithms.
    init(host: String, keyUse: KeyUse, pair: KeyPair? = nil) throws(BenchError) {
        self.upgrade = WebSocketUpgrade(host: host)
        self.keyUse = keyUse
        do throws(WuKongCryptoError) {
            self.pair = if let pair { pair } else { try KeyPair() }
            self.workspace = try CryptoWorkspace()
        } catch {
            throw .unavailable(error.description)
        }
    }

    // MARK: Signing in

    func signIn(_ connection: LoadConnection) {
        var writer = BinaryClientWriter()
        writer.connect(
            BinaryConnect(
                version: BinaryVersion.latest.number, deviceFlag: 2, deviceID: "bench-\(connection.index)",
                uid: connection.account.user, token: connection.account.token,
                clientTimestamp: clinux_wall_milliseconds(), clientKey: self.pair.publicKeyBase64))
        connection.unsent.append(WebSocketFrame.bytes(2, writer.bytes))
        connection.phase = .signingIn
    }

    private func signedIn(
        _ answer: BinaryConnectAcknowledge, _ connection: LoadConnection
    ) throws(BenchError) {
        let user = connection.account.user
        guard connection.phase == .signingIn else { throw .server("the server signs \(user) in a second time") }
        guard answer.reason == WuKongReason.success.rawValue else {
            throw .server("the server does not sign \(user) in: reason \(answer.reason)")
        }
        guard answer.serverVersion == BinaryVersion.latest.number else {
            throw .server("the server speaks version \(answer.serverVersion ?? 2), not \(BinaryVersion.latest.number)")
        }
        if case .traffic(let checking) = self.keyUse {
            while self.sessions.count <= connection.index { self.sessions.append(nil) }
            do throws(WuKongCryptoError) {
                self.sessions[connection.index] = Session(
                    keys: try SessionKeys(
                        shared: self.pair, with: answer.serverKey, salt: answer.salt, in: self.workspace),
                    untilCheck: connection.index % checking)
            } catch {
                throw .server("the server's half of the key exchange with \(user): \(error)")
            }
        }
        connection.phase = .ready
    }

    // MARK: Receiving

    func read(
        _ message: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        var rest = message
        while rest.count > 0 {
            guard let header = try Self.decoding({ () throws(BinaryWireError) in try BinaryFrame(startOf: rest) }),
                header.totalBytes <= rest.count
            else { throw .server("the server ended a WebSocket message inside a packet") }
            try self.handle(header, rest.part(0, header.totalBytes), connection, traffic)
            rest = rest.part(header.totalBytes, rest.count - header.totalBytes)
        }
    }

    /// The packets that come a million times a second are read where they lie; the others become values.
    private func handle(
        _ header: BinaryFrame, _ packet: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        switch header.type {
        case .receive: try self.readArrival(header, packet, connection, traffic)
        case .sendAcknowledge: try self.readAnswer(header, packet, connection, traffic)
        case .connect, .connectAcknowledge, .send, .receiveAcknowledge, .ping, .pong, .disconnect, .subscribe,
            .subscribeAcknowledge, .event:
            switch try Self.decoding({ () throws(BinaryWireError) in try BinaryServerPacket(decoding: packet) }) {
            case .connectAcknowledge(let answer): try self.signedIn(answer, connection)
            case .disconnect(let reason, let text):
                throw .server("the server disconnected \(connection.account.user): \(text) (reason \(reason))")
            case .event, .pong, .receive, .sendAcknowledge, .subscribeAcknowledge: break
            }
        }
    }

    private static func decoding<Value>(
        _ body: () throws(BinaryWireError) -> Value
    ) throws(BenchError) -> Value {
        do throws(BinaryWireError) { return try body() } catch { throw .server("the server sent \(error)") }
    }

    /// The body of a SENDACK: messageID 8, clientSequence 4, sequence 4, reason 1.
    private func readAnswer(
        _ header: BinaryFrame, _ packet: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        guard header.bodyBytes == 17 else { throw .server("a SENDACK has \(header.bodyBytes) bytes, not 17") }
        let slot = packet.loadUnaligned(fromByteOffset: header.headerBytes + 8, as: UInt32.self)
        let reason = packet[header.headerBytes + 16]
        try traffic.answered(
            connection, slot: Int(UInt32(bigEndian: slot)),
            reason: reason == WuKongReason.success.rawValue ? 0 : Int(reason))
    }

    private func readArrival(
        _ header: BinaryFrame, _ packet: UnsafeRawBufferPointer, _ connection: LoadConnection, _ traffic: Traffic
    ) throws(BenchError) {
        guard connection.phase == .ready else { throw .server("a message came before the sign-in was answered") }
        guard let arrival = BinaryArrival(header, packet) else { throw .server("a RECV ends inside its fields") }
        arrival.acknowledge(to: &connection.unsent)
        // A message of somebody else's making is acknowledged and not counted.
        guard let stamp = Stamp(number: arrival.clientMessageNumber) else { return }
        traffic.arrived(connection, stamp, sequence: UInt64(arrival.sequence))
        guard stamp.run == traffic.run, case .traffic(let checking) = self.keyUse,
            let session = self.sessions[connection.index]
        else { return }
        if session.untilCheck > 0 {
            session.untilCheck -= 1
        } else {
            session.untilCheck = checking - 1
            try self.check(packet, stamp, session.keys, connection)
        }
    }

    /// Does with one message what every client does with all: checks its key and decrypts it.
    private func check(
        _ packet: UnsafeRawBufferPointer, _ stamp: Stamp, _ keys: SessionKeys, _ connection: LoadConnection
    ) throws(BenchError) {
        let decoded = try Self.decoding({ () throws(BinaryWireError) in try BinaryServerPacket(decoding: packet) })
        guard case .receive(let message) = decoded,
            keys.isMessageKey(message.messageKey, signing: message.signature, message.payload)
        else { throw .server("a message for \(connection.account.user) has a wrong message key") }
        let body: [UInt8]
        do throws(WuKongCryptoError) { body = try keys.decrypt(message.payload) } catch {
            throw .server("a message for \(connection.account.user): \(error)")
        }
        guard body.withUnsafeBytes({ MessageBody.stamp(in: $0) }) == stamp else {
            throw .server("a message for \(connection.account.user) has the payload of another one")
        }
    }

    // MARK: Sending

    func template(run: UInt32, sender: Int, to destination: Destination) -> MessageTemplate {
        BinaryTemplate.make(to: destination)
    }

    func write(_ stamp: Stamp, slot: Int, of sender: Sender, to connection: LoadConnection) {
        guard let keys = self.sessions[connection.index]?.keys else {
            preconditionFailure("a message on a connection without keys")
        }
        let template = sender.template
        let count = template.bytes.count
        let out = connection.unsent.reserve(count).assumingMemoryBound(to: UInt8.self)
        memcpy(out, template.bytes, count)
        UnsafeMutableRawPointer(out + template.slotOffset).storeBytes(of: UInt32(slot).bigEndian, as: UInt32.self)
        let number = out + template.counterOffset!
        stamp.writeNumber(to: number)
        self.encrypt(stamp, keys)
        self.sign(slot: slot, number: number, template, keys)
        memcpy(out + template.stampOffset - BinaryTemplate.messageKeyCount, self.messageKey, self.messageKey.count)
        memcpy(out + template.stampOffset, self.payload, self.payload.count)
        connection.unsent.commit(count)
    }

    private func encrypt(_ stamp: Stamp, _ keys: SessionKeys) {
        self.body.withUnsafeMutableBufferPointer { stamp.write(to: $0.baseAddress! + MessageBody.prefix.count) }
        self.payload.removeAll(keepingCapacity: true)
        keys.encrypt(self.body, appendingTo: &self.payload)
    }

    /// `BinarySignature.send` without strings.
    private func sign(slot: Int, number: UnsafePointer<UInt8>, _ template: MessageTemplate, _ keys: SessionKeys) {
        self.signature.removeAll(keepingCapacity: true)
        self.signature.append(contentsOf: String(slot).utf8)
        self.signature.append(contentsOf: UnsafeBufferPointer(start: number, count: Stamp.numberCount))
        self.signature.append(contentsOf: template.signatureEnd)
        self.messageKey.removeAll(keepingCapacity: true)
        keys.messageKey(signing: self.signature, self.payload, appendingTo: &self.messageKey)
    }
}
