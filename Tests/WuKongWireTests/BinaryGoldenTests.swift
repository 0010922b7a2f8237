import ByteCodec
import Testing
import WuKongCrypto
import WuKongWire

@Suite("Binary encoding: known frames")
struct BinaryGoldenTests {
    typealias Frames = BinaryGoldenFrames

    @Test("packets of clients are read, and written back as the same bytes", arguments: Frames.client.indices)
    func client(_ index: Int) throws {
        let (name, bytes, packet) = Frames.client[index]
        #expect(try decodeClient(bytes) == packet, "\(name)")
        #expect(clientBytes { $0.write(packet, .latest) } == bytes, "\(name)")
    }

    @Test("CONNACK")
    func connectAcknowledge() throws {
        let bytes = serverBytes {
            $0.connectAcknowledge(
                version: BinaryVersion(5), timeDifferenceMilliseconds: 0, reason: .success,
                serverKey: Frames.serverKey, salt: Frames.salt, nodeID: 1001)
        }
        #expect(bytes == Frames.connectAcknowledgeBytes)
        let expected = BinaryConnectAcknowledge(
            serverVersion: 5, timeDifferenceMilliseconds: 0, reason: 1, serverKey: Frames.serverKey,
            salt: Frames.salt, nodeID: 1001)
        #expect(try decodeServer(bytes) == .connectAcknowledge(expected))
    }

    @Test("SENDACK")
    func sendAcknowledge() throws {
        let bytes = serverBytes {
            $0.sendAcknowledge(
                messageID: 1_234_567_890_123_456_789, clientSequence: 7, sequence: 42, reason: .success,
                header: WuKongHeader(redDot: true))
        }
        #expect(bytes == Frames.sendAcknowledgeBytes)
        let expected = BinarySendAcknowledge(
            header: WuKongHeader(redDot: true), messageID: 1_234_567_890_123_456_789, clientSequence: 7, sequence: 42,
            reason: 1)
        #expect(try decodeServer(bytes) == .sendAcknowledge(expected))
    }

    @Test("RECV")
    func receive() throws {
        let shared = BinaryReceiveTemplate(Frames.message, version: .latest)
        let bytes = serverBytes {
            $0.receive(shared, messageKey: Array(Frames.receiveKey.utf8), payload: Array(Frames.encrypted.utf8))
        }
        #expect(bytes == Frames.receiveBytes)
        guard case .receive(let received) = try decodeServer(bytes) else { return #expect(Bool(false), "no RECV") }
        #expect(received.fromUID == "alice" && received.channelID == "alice" && received.channelType == 1)
        #expect(received.messageID == 1_234_567_890_123_456_789 && received.sequence == 42)
        #expect(received.timestampSeconds == 1_700_000_000 && received.expire == 0 && received.topic == nil)
        #expect(received.clientMessageNumber == Frames.clientMessageNumber)
        #expect(received.header == WuKongHeader(redDot: true) && received.setting.isEmpty)
        #expect(received.messageKey == Array(Frames.receiveKey.utf8))
        #expect(received.payload == Array(Frames.encrypted.utf8))
        #expect(received.signature == shared.signature)
    }

    @Test("PONG, DISCONNECT, SUBACK and EVENT")
    func others() throws {
        #expect(serverBytes { $0.pong() } == [0x80])
        #expect(try decodeServer([0x80]) == .pong)
        let disconnect = serverBytes { $0.disconnect(.connectKick, text: "login in other device") }
        #expect(disconnect == Frames.disconnectBytes)
        #expect(try decodeServer(disconnect) == .disconnect(reason: 12, text: "login in other device"))
        let subscribe = BinarySubscribe(
            setting: [], number: "s1", channelID: "c", channelType: 6, action: .unsubscribe, parameter: "")
        let answer = serverBytes { $0.subscribeAcknowledge(subscribe, reason: .notSupportChannelType) }
        #expect(Hex.encode(answer) == "b00a" + "00027331" + "000163" + "06" + "01" + "17")
        let expected = BinarySubscribeAcknowledge(
            number: "s1", channelID: "c", channelType: 6, action: 1, reason: 23)
        #expect(try decodeServer(answer) == .subscribeAcknowledge(expected))
        let event = serverBytes {
            $0.event(
                id: "e1", type: "stream.delta", timestampMilliseconds: 1_700_000_000_123, data: Array(#"{"x":1}"#.utf8),
                version: .latest)
        }
        #expect(event == Frames.eventBytes)
        #expect(
            try decodeServer(event)
                == .event(
                    id: "e1", type: "stream.delta", timestampMilliseconds: 1_700_000_000_123,
                    data: Array(#"{"x":1}"#.utf8)))
    }

    @Test("a message goes from the sender's frame to the receiver's with the keys of the handshake")
    func endToEnd() throws {
        guard case .send(let send) = try decodeClient(Frames.sendBytes) else { return #expect(Bool(false)) }
        let keys = try SessionKeys(
            shared: try KeyPair(privateKey: [UInt8](33...64)), with: Frames.clientKey, salt: Frames.salt,
            in: try CryptoWorkspace())
        #expect(keys.isMessageKey(send.messageKey, signing: send.signature, send.payload))
        let payload = try keys.decrypt(send.payload)
        #expect(payload == Array(Frames.plain.utf8))

        let shared = BinaryReceiveTemplate(Frames.message, version: .latest)
        var (text, key): ([UInt8], [UInt8]) = ([], [])
        keys.encrypt(payload, appendingTo: &text)
        keys.messageKey(signing: shared.signature, text, appendingTo: &key)
        #expect(serverBytes { $0.receive(shared, messageKey: key, payload: text) } == Frames.receiveBytes)
    }

    @Test("a packet with room is the packet, but for message key and payload")
    func packetWithRoom() {
        let shared = BinaryReceiveTemplate(Frames.message, version: .latest)
        let (bytes, offset) = shared.packet(payloadBytes: 44)
        let key = [UInt8](repeating: 7, count: 32)
        let payload = [UInt8](repeating: 9, count: 44)
        var filled = bytes
        filled.replaceSubrange(offset..<(offset + 32), with: key)
        filled.replaceSubrange((bytes.count - 44)..., with: payload)
        #expect(filled == serverBytes { $0.receive(shared, messageKey: key, payload: payload) })
    }

    @Test("several frames follow each other in one buffer, which can be used again")
    func buffer() {
        var writer = BinaryPacketWriter()
        writer.pong()
        writer.disconnect(.ban, text: "")
        #expect(Hex.encode(writer.bytes) == "80" + "9003" + "13" + "0000")
        writer.removeAll()
        writer.pong()
        #expect(writer.bytes == [0x80])
    }
}
