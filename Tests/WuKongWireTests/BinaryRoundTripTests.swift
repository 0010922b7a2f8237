import Testing
import WuKongWire

/// Packets of random content, the same in every run.
@Suite("Binary encoding: random packets")
struct BinaryRoundTripTests {
    @Test("packets of clients come back as they were, in any version and any pieces", arguments: 1...40)
    func client(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let version = BinaryVersion(UInt8.random(in: 2...5, using: &random))
        let packets = (0..<25).map { _ in Self.clientPacket(version, &random) }
        let stream = clientBytes { writer in packets.forEach { writer.write($0, version) } }
        let (frames, error) = split(stream, pieces: Int.random(in: 1...300, using: &random))
        #expect(error == nil)
        #expect(try frames.map { try decodeClient($0, version) } == packets)
    }

    @Test("messages come to clients as they were, in any version and any pieces", arguments: 1...40)
    func receive(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let version = BinaryVersion(UInt8.random(in: 2...5, using: &random))
        let messages = (0..<25).map { _ in Self.message(version, &random) }
        let key = Self.bytes(32, &random)
        let stream = serverBytes { writer in
            for message in messages {
                let shared = BinaryReceiveTemplate(message, version: version)
                writer.receive(shared, messageKey: key, payload: message.payload)
            }
        }
        let (frames, error) = split(stream, pieces: Int.random(in: 1...300, using: &random))
        #expect(error == nil && frames.count == messages.count)
        for (frame, message) in zip(frames, messages) {
            let expected = Self.received(message, key)
            #expect(try decodeServer(frame, version) == .receive(expected))
            #expect(expected.signature == BinaryReceiveTemplate(message, version: version).signature)
        }
    }

    @Test("random bytes never do worse than being refused", arguments: 1...40)
    func garbage(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let bytes = Self.bytes(Int.random(in: 0...60, using: &random), &random)
            let version = BinaryVersion(UInt8.random(in: 0...7, using: &random))
            _ = try? decodeClient(bytes, version)
            _ = try? decodeServer(bytes, version)
            let whole = split(bytes, maximumBytes: 40)
            let cut = split(bytes, pieces: 3, maximumBytes: 40)
            #expect(whole.frames == cut.frames && whole.error == cut.error)
        }
    }

    // MARK: Random content

    private static func clientPacket(
        _ version: BinaryVersion, _ random: inout SeededGenerator
    ) -> BinaryClientPacket {
        switch Int.random(in: 0...5, using: &random) {
        case 0:
            return .connect(
                BinaryConnect(
                    version: .random(in: 0...255, using: &random), deviceFlag: .random(in: 0...255, using: &random),
                    deviceID: Self.text(&random), uid: Self.text(&random), token: Self.text(&random),
                    clientTimestamp: .random(in: .min ... .max, using: &random), clientKey: Self.text(&random)))
        case 1: return .send(Self.send(version, &random))
        case 2:
            return .receiveAcknowledge(
                messageID: .random(in: .min ... .max, using: &random),
                sequence: .random(in: 0 ... .max, using: &random),
                header: Self.header(&random))
        case 3: return .ping
        case 4: return .disconnect(reason: .random(in: 0...255, using: &random), text: Self.text(&random))
        default:
            return .subscribe(
                BinarySubscribe(
                    setting: WuKongSetting(rawValue: .random(in: 0...255, using: &random)), number: Self.text(&random),
                    channelID: Self.text(&random), channelType: .random(in: 0...255, using: &random),
                    action: .allCases.randomElement(using: &random)!, parameter: Self.text(&random)))
        }
    }

    private static func send(_ version: BinaryVersion, _ random: inout SeededGenerator) -> BinarySend {
        let setting = UInt8.random(in: 0...255, using: &random)
        let hasStream = version.number < 5 && setting & 0x06 != 0
        return BinarySend(
            header: Self.header(&random), setting: WuKongSetting(rawValue: setting),
            clientSequence: .random(in: 0 ... .max, using: &random), clientMessageNumber: Self.text(&random),
            streamNumber: hasStream ? Self.text(&random) : nil, channelID: Self.text(&random),
            channelType: .random(in: 0...255, using: &random),
            expire: version.number >= 3 ? .random(in: 0 ... .max, using: &random) : 0,
            messageKey: Self.bytes(Int.random(in: 0...40, using: &random), &random),
            topic: setting & 0x08 != 0 ? Self.text(&random) : nil,
            payload: Self.bytes(Int.random(in: 0...400, using: &random), &random))
    }

    private static func message(_ version: BinaryVersion, _ random: inout SeededGenerator) -> ReceivedMessage {
        let topic = Bool.random(using: &random) ? Self.text(&random) : nil
        var setting: WuKongSetting = topic == nil ? [] : [.topic]
        if Bool.random(using: &random) { setting.insert(.receipt) }
        if version.number == 5, Bool.random(using: &random) { setting.insert(.stream) }
        return ReceivedMessage(
            header: Self.header(&random), setting: setting, messageID: .random(in: 0 ... .max, using: &random),
            sequence: .random(in: 0...Int64(UInt32.max), using: &random),
            timestampSeconds: .random(in: 0...Int64(Int32.max), using: &random), channelID: Self.text(&random),
            channelType: .allCases.randomElement(using: &random)!, fromUID: Self.text(&random),
            payload: Self.bytes(Int.random(in: 0...400, using: &random), &random), payloadIsJSONObject: false,
            clientMessageNumber: Self.text(&random), topic: topic,
            expire: version.number >= 3 ? .random(in: 0 ... .max, using: &random) : 0)
    }

    private static func received(_ message: ReceivedMessage, _ key: [UInt8]) -> BinaryReceive {
        BinaryReceive(
            header: message.header, setting: message.setting, messageKey: key, fromUID: message.fromUID,
            channelID: message.channelID, channelType: message.channelType.rawValue, expire: message.expire,
            clientMessageNumber: message.clientMessageNumber ?? "", messageID: message.messageID,
            sequence: UInt32(message.sequence), timestampSeconds: Int32(message.timestampSeconds),
            topic: message.topic, payload: message.payload)
    }

    private static func header(_ random: inout SeededGenerator) -> WuKongHeader {
        WuKongHeader(
            noPersist: .random(using: &random), redDot: .random(using: &random), syncOnce: .random(using: &random),
            dup: .random(using: &random))
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let letters = Array("az09-_@#茶é🍵")
        return String((0..<Int.random(in: 0...40, using: &random)).map { _ in letters.randomElement(using: &random)! })
    }

    private static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in .random(in: 0...255, using: &random) }
    }
}
