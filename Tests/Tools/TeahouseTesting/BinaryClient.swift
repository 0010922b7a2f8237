package import ChatModel
import Glibc
import WuKongCrypto
package import WuKongWire

/// A client of the binary encoding with keys of its own, over raw TCP or a WebSocket, that does what the full SDKs do: it
/// drops a message whose key is wrong without a word, and repeats the flags of a message when it acknowledges it.
package final class BinaryClient {
    /// Carrier of the binary protocol.
    package enum Carrier: Sendable, CaseIterable {
        case tcp
        case webSocket
    }

    private enum Pipe {
        case tcp(ClientSocket)
        case webSocket(ClientWebSocket)
    }

    private let pipe: Pipe
    private let keyPair: KeyPair
    private let workspace: CryptoWorkspace
    private var keys: SessionKeys?
    private var splitter = BinaryFrameSplitter(maximumBytes: 1 << 24)
    private var inbox: [BinaryServerPacket] = []
    private var hasEnded = false
    private var lastSequence: UInt32 = 0
    /// Version that the client asks for and speaks.
    package let version: UInt8
    /// Answer receives with RECVACK.
    package var acknowledges = true
    /// Messages dropped because their key was wrong.
    package private(set) var forged = 0

    package init(port: UInt16, over carrier: Carrier = .tcp, version: UInt8 = 5) throws {
        self.version = version
        self.keyPair = try KeyPair()
        self.workspace = try CryptoWorkspace()
        switch carrier {
        case .tcp: self.pipe = .tcp(try ClientSocket(port: port))
        case .webSocket: self.pipe = .webSocket(try ClientWebSocket(port: port))
        }
    }

    /// Drops the connection.
    package func drop() {
        switch self.pipe {
        case .tcp(let socket): socket.drop()
        case .webSocket(let socket): socket.drop()
        }
    }

    // MARK: Bytes and packets

    /// On a WebSocket, one binary message.
    package func send(raw bytes: [UInt8]) throws {
        switch self.pipe {
        case .tcp(let socket): try socket.send(bytes)
        case .webSocket(let socket): try socket.send(.binary(bytes))
        }
    }

    /// The bytes that a client of this version writes.
    package func bytes(_ write: (inout BinaryClientWriter) -> Void) -> [UInt8] {
        var writer = BinaryClientWriter()
        write(&writer)
        return writer.bytes
    }

    /// Waits for one more packet; `nil` when the server has closed.
    package func next() throws -> BinaryServerPacket? {
        while self.inbox.isEmpty {
            if self.hasEnded { return nil }
            guard let bytes = try self.receiveBytes() else {
                self.hasEnded = true
                continue
            }
            let version = BinaryVersion(self.version)
            var packets: [BinaryServerPacket] = []
            try bytes.withUnsafeBytes { bytes in
                try self.splitter.append(bytes) { (frame) throws(BinaryWireError) in
                    packets.append(try BinaryServerPacket(decoding: frame, version: version))
                }
            }
            self.inbox += packets
        }
        return self.inbox.removeFirst()
    }

    private func receiveBytes() throws -> [UInt8]? {
        switch self.pipe {
        case .tcp(let socket): return try socket.receive().map(Array.init)
        case .webSocket(let socket):
            switch try socket.receive() {
            case .binary(let bytes): return bytes
            case .text: throw TestClientError(description: "a text message to a binary client")
            case nil: return nil
            }
        }
    }

    /// Waits for the packet that `match` finds; the others stay.
    private func wait<Value>(for what: String, _ match: (BinaryServerPacket) -> Value?) throws -> Value {
        var others: [BinaryServerPacket] = []
        defer { self.inbox = others + self.inbox }
        while let packet = try self.next() {
            if let value = match(packet) { return value }
            others.append(packet)
        }
        throw TestClientError(description: "the server closed before \(what); it said \(others)")
    }

    // MARK: Signing in

    /// Makes a CONNECT packet.
    package func connectPacket(
        _ name: String, token: String, _ deviceClass: DeviceClass, device: String? = nil, key: String? = nil,
        flag: UInt8? = nil
    ) -> BinaryConnect {
        let flags: [DeviceClass: UInt8] = [.app: 0, .web: 1, .desktop: 2]
        return BinaryConnect(
            version: self.version, deviceFlag: flag ?? flags[deviceClass] ?? 2, deviceID: device ?? "", uid: name,
            token: token, clientTimestamp: 1_700_000_000, clientKey: key ?? self.keyPair.publicKeyBase64)
    }

    /// Sends CONNECT and takes the keys of the answer when it is a yes.
    package func tryToSignIn(_ connect: BinaryConnect) throws -> BinaryConnectAcknowledge {
        try self.send(raw: self.bytes { $0.connect(connect) })
        return try self.finishSignIn()
    }

    /// Waits for the answer to a CONNECT that was sent.
    package func finishSignIn() throws -> BinaryConnectAcknowledge {
        let answer = try self.wait(for: "CONNACK") { packet in
            if case .connectAcknowledge(let answer) = packet { answer } else { nil }
        }
        if answer.reason == 1 {
            self.keys = try SessionKeys(
                shared: self.keyPair, with: answer.serverKey, salt: answer.salt, in: self.workspace)
        }
        return answer
    }

    /// Signs in and expects success.
    package func signIn(_ name: String, token: String, _ deviceClass: DeviceClass, device: String? = nil) throws {
        let answer = try self.tryToSignIn(self.connectPacket(name, token: token, deviceClass, device: device))
        guard answer.reason == 1 else {
            throw TestClientError(description: "sign-in of \(name) refused: \(answer)")
        }
    }

    // MARK: Messages

    /// A SEND of a text, encrypted and signed; a test may spoil it afterwards.
    package func sendPacket(
        _ text: String, to channel: String, type: UInt8 = 1, number: String = "",
        header: WuKongHeader = WuKongHeader(redDot: true), setting: WuKongSetting = [], topic: String? = nil
    ) throws -> BinarySend {
        try self.sendPacket(
            content: "{\"type\":1,\"content\":\"\(text)\"}", to: channel, type: type, number: number, header: header,
            setting: setting, topic: topic)
    }

    /// A SEND of any payload, encrypted and signed.
    package func sendPacket(
        content: String, to channel: String, type: UInt8 = 1, number: String = "",
        header: WuKongHeader = WuKongHeader(redDot: true), setting: WuKongSetting = [], topic: String? = nil
    ) throws -> BinarySend {
        guard let keys = self.keys else { throw TestClientError(description: "not signed in") }
        self.lastSequence += 1
        var payload: [UInt8] = []
        keys.encrypt(Array(content.utf8), appendingTo: &payload)
        var send = BinarySend(
            header: header, setting: setting, clientSequence: self.lastSequence, clientMessageNumber: number,
            channelID: channel, channelType: type, expire: 0, messageKey: [], topic: topic, payload: payload)
        keys.messageKey(signing: send.signature, send.payload, appendingTo: &send.messageKey)
        return send
    }

    /// Sends a text and waits for its SENDACK.
    @discardableResult
    package func publish(
        _ text: String, to channel: String, type: UInt8 = 1, number: String = "",
        header: WuKongHeader = WuKongHeader(redDot: true)
    ) throws -> BinarySendAcknowledge {
        try self.publish(try self.sendPacket(text, to: channel, type: type, number: number, header: header))
    }

    /// Sends a message and waits for its acknowledgement.
    package func publish(_ send: BinarySend) throws -> BinarySendAcknowledge {
        let version = BinaryVersion(self.version)
        try self.send(raw: self.bytes { $0.send(send, version: version) })
        return try self.acknowledgement(of: send.clientSequence)
    }

    /// Waits for the SENDACK of a SEND that was sent.
    package func acknowledgement(of sequence: UInt32) throws -> BinarySendAcknowledge {
        try self.wait(for: "SENDACK \(sequence)") { packet in
            if case .sendAcknowledge(let answer) = packet, answer.clientSequence == sequence { answer } else { nil }
        }
    }

    /// Waits for the next message with the right key, and acknowledges it unless `acknowledges` is off.
    package func receive() throws -> BinaryMessage {
        while true {
            let packet = try self.wait(for: "RECV") { packet in
                if case .receive(let packet) = packet { packet } else { nil }
            }
            guard let keys = self.keys, keys.isMessageKey(packet.messageKey, signing: packet.signature, packet.payload)
            else {
                self.forged += 1
                continue
            }
            if self.acknowledges { try self.acknowledge(packet, header: packet.header) }
            return BinaryMessage(packet: packet, payload: try keys.decrypt(packet.payload))
        }
    }

    /// Sends a RECVACK of a message.
    package func acknowledge(_ packet: BinaryReceive, header: WuKongHeader) throws {
        try self.send(
            raw: self.bytes {
                $0.receiveAcknowledge(messageID: packet.messageID, sequence: packet.sequence, header: header)
            })
    }

    /// Texts of the next messages.
    package func receive(_ count: Int) throws -> [String] { try (0..<count).map { _ in try self.receive().text } }

    /// Waits for an event; returns its type and data.
    package func event() throws -> (type: String, data: String) {
        try self.wait(for: "EVENT") { packet in
            guard case .event(_, let type, _, let data) = packet else { return nil }
            return (type, String(decoding: data, as: UTF8.self))
        }
    }

    /// Waits until everything the server did before now has arrived, by a PING.
    package func settle() throws {
        try self.send(raw: self.bytes { $0.ping() })
        try self.wait(for: "PONG") { $0 == .pong ? () : nil }
    }

    /// Messages that have arrived and were not taken.
    package var waiting: [BinaryReceive] {
        self.inbox.compactMap { packet in
            if case .receive(let packet) = packet { packet } else { nil }
        }
    }

    /// Events that have arrived and were not taken.
    package var waitingEvents: Int {
        self.inbox.count { packet in
            if case .event = packet { true } else { false }
        }
    }

    /// Waits for the server to close; returns what came before.
    package func waitForEnd() throws -> [BinaryServerPacket] {
        var packets: [BinaryServerPacket] = []
        while let packet = try self.next() { packets.append(packet) }
        return packets
    }
}

/// A message as a binary client gets it, decrypted.
package struct BinaryMessage: Hashable {
    /// Packet as received.
    package var packet: BinaryReceive
    /// Payload, decrypted.
    package var payload: [UInt8]

    /// Text in `content`, as far as a test writes it.
    package var text: String {
        let text = String(decoding: self.payload, as: UTF8.self)
        guard text.hasPrefix("{\"type\":1,\"content\":\""), text.hasSuffix("\"}") else { return text }
        return String(text.dropFirst(21).dropLast(2))
    }
}
