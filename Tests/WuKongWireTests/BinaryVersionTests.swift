import ByteCodec
import Testing
import WuKongWire

@Suite("Binary encoding: versions")
struct BinaryVersionTests {
    static let all = [2, 3, 4, 5].map { BinaryVersion($0) }

    @Test(
        "the version is the lower of what both know, and 2 at least",
        arguments: [(0, 2), (1, 2), (2, 2), (3, 3), (4, 4), (5, 5), (6, 5), (255, 5)] as [(UInt8, UInt8)])
    func negotiated(_ asked: UInt8, _ spoken: UInt8) {
        #expect(BinaryVersion(asked).number == spoken)
    }

    @Test(
        "CONNACK tells version and node from version 4 on, also when it refuses",
        arguments: [
            (2, "200e" + "fffffffffffffffe" + "02" + "0001" + "6b" + "0000"),
            (3, "200e" + "fffffffffffffffe" + "02" + "0001" + "6b" + "0000"),
            (4, "2117" + "04" + "fffffffffffffffe" + "02" + "0001" + "6b" + "0000" + "0000000000000007"),
            (5, "2117" + "05" + "fffffffffffffffe" + "02" + "0001" + "6b" + "0000" + "0000000000000007"),
        ] as [(UInt8, String)])
    func connectAcknowledge(_ number: UInt8, _ digits: String) throws {
        let version = BinaryVersion(number)
        let bytes = serverBytes {
            $0.connectAcknowledge(
                version: version, timeDifferenceMilliseconds: -2, reason: .authFail, serverKey: "k", salt: "",
                nodeID: 7)
        }
        #expect(Hex.encode(bytes) == digits)
        let expected = BinaryConnectAcknowledge(
            serverVersion: number >= 4 ? number : nil, timeDifferenceMilliseconds: -2, reason: 2, serverKey: "k",
            salt: "", nodeID: number >= 4 ? 7 : nil)
        #expect(try decodeServer(bytes, version) == .connectAcknowledge(expected))
    }

    /// setting, clientSeq 1, clientMsgNo "n", [streamNo "st"], channelId "c", type 2, [expire 9], msgKey "k",
    /// [topic "t"], payload "p".
    @Test(
        "SEND has expire from 3 on, stream numbers below 5, and a topic when it says so",
        arguments: [
            (2, 0x00, "", "", ""), (3, 0x00, "", "00000009", ""), (4, 0x80, "", "00000009", ""),
            (5, 0x08, "", "00000009", "000174"), (2, 0x08, "", "", "000174"), (2, 0x02, "00027374", "", ""),
            (3, 0x0A, "00027374", "00000009", "000174"), (4, 0x02, "00027374", "00000009", ""),
            (4, 0x04, "00027374", "00000009", ""), (5, 0x02, "", "00000009", ""), (5, 0x04, "", "00000009", ""),
            (5, 0xB1, "", "00000009", ""),
        ] as [(UInt8, UInt8, String, String, String)])
    func send(_ number: UInt8, _ setting: UInt8, _ stream: String, _ expire: String, _ topic: String) throws {
        let body =
            Hex.encode([setting]) + "00000001" + "00016e" + stream + "000163" + "02" + expire + "00016b" + topic + "70"
        let bytes = try #require(Hex.decode("3f" + Hex.encode([UInt8(body.count / 2)]) + body))
        let send = BinarySend(
            header: WuKongHeader(noPersist: true, redDot: true, syncOnce: true, dup: true),
            setting: WuKongSetting(rawValue: setting), clientSequence: 1, clientMessageNumber: "n",
            streamNumber: stream.isEmpty ? nil : "st", channelID: "c", channelType: 2, expire: expire.isEmpty ? 0 : 9,
            messageKey: [0x6B], topic: topic.isEmpty ? nil : "t", payload: [0x70])
        #expect(try decodeClient(bytes, BinaryVersion(number)) == .send(send))
        #expect(clientBytes { $0.send(send, version: BinaryVersion(number)) } == bytes)
    }

    /// The setting of a message, and the one that a receiver of a version is shown.
    @Test(
        "RECV shows a setting that its reader understands",
        arguments: [
            (0xFF, false, [0xE1, 0xE1, 0xE1, 0xE3]), (0xFF, true, [0xE9, 0xE9, 0xE9, 0xEB]),
            (0x00, true, [0x08, 0x08, 0x08, 0x08]), (0x08, false, [0x00, 0x00, 0x00, 0x00]),
            (0x82, false, [0x80, 0x80, 0x80, 0x82]), (0x14, false, [0x00, 0x00, 0x00, 0x00]),
        ] as [(UInt8, Bool, [UInt8])])
    func receiveSetting(_ setting: UInt8, _ hasTopic: Bool, _ shown: [UInt8]) throws {
        for (version, shown) in zip(Self.all, shown) {
            var message = BinaryGoldenFrames.message
            message.setting = WuKongSetting(rawValue: setting)
            message.topic = hasTopic ? "tea" : nil
            let bytes = serverBytes {
                $0.receive(BinaryReceiveTemplate(message, version: version), messageKey: [0x6B], payload: [0x70])
            }
            guard case .receive(let received) = try decodeServer(bytes, version) else { return #expect(Bool(false)) }
            #expect(received.setting.rawValue == shown, "version \(version.number)")
            #expect(received.topic == message.topic, "version \(version.number)")
            #expect(received.messageKey == [0x6B] && received.payload == [0x70])
        }
    }

    @Test("RECV has expire from version 3 on", arguments: all)
    func receiveExpire(_ version: BinaryVersion) throws {
        var message = BinaryGoldenFrames.message
        message.expire = 3600
        message.clientMessageNumber = nil
        let bytes = serverBytes {
            $0.receive(BinaryReceiveTemplate(message, version: version), messageKey: [], payload: [])
        }
        let expire = version.number >= 3 ? "00000e10" : ""
        let body =
            "00" + "0000" + "0005616c696365" + "0005616c696365" + "01" + expire + "0000" + "112210f47de98115"
            + "0000002a" + "6553f100"
        #expect(Hex.encode(bytes) == "52" + Hex.encode([UInt8(body.count / 2)]) + body)
    }

    @Test("what does not fit a field is told, and signed, as the largest that does")
    func clamped() throws {
        var message = BinaryGoldenFrames.message
        message.sequence = 1 << 40
        message.timestampSeconds = 1 << 33
        let shared = BinaryReceiveTemplate(message, version: .latest)
        let bytes = serverBytes { $0.receive(shared, messageKey: [], payload: []) }
        guard case .receive(let received) = try decodeServer(bytes) else { return #expect(Bool(false)) }
        #expect(received.sequence == .max && received.timestampSeconds == .max)
        #expect(received.signature == shared.signature)
    }

    @Test("only version 5 has events", arguments: all)
    func events(_ version: BinaryVersion) {
        #expect(version.hasEvents == (version.number == 5))
    }
}
