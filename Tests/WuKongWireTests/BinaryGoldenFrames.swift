import ByteCodec
import WuKongWire

/// Frames of one conversation, computed outside of this package. The keys that belong to it are in the tests of
/// `WuKongCrypto`.
enum BinaryGoldenFrames {
    static let clientMessageNumber = "c0ffee00-0000-4000-8000-000000000001"
    static let clientKey = "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw="
    static let serverKey = "WGmv9FBUlzLLqu1eXfmzCm2jHLDldCutWtShp2jxpns="
    static let salt = "0123456789abcdef"
    static let plain = #"{"type":1,"content":"hello"}"#
    static let encrypted = "Xh10EPPP5rWxvUSjeRjAuCCPqQmvV+1SC3HWu4vhOFo="
    static let sendKey = "e870191afc94db8d8d13d63830142870"
    static let receiveKey = "75ffb1913c031242813389be226a9b67"

    // MARK: From clients

    static let connectBytes =
        bytes(
            // CONNECT, 75 bytes; version 5, device flag 1
            "104b" + "0501"
                // deviceId "dev1W", uid "alice", token "tok"
                + "00056465763157" + "0005616c696365" + "0003746f6b"
                // clientTimestamp 1700000000123, clientKey
                + "0000018bcfe5687b"
                + "002c42364e38764251676b38693356647762454f687374435933537446717146507443392f41737268744848773d")
    static let connect = BinaryClientPacket.connect(
        BinaryConnect(
            version: 5, deviceFlag: 1, deviceID: "dev1W", uid: "alice", token: "tok",
            clientTimestamp: 1_700_000_000_123, clientKey: clientKey))

    static let sendBytes =
        bytes(
            // SEND with redDot, 131 bytes in two groups; setting 0, clientSeq 7
            "328301" + "00" + "00000007"
                // clientMsgNo, channelId "bob", channelType 1, expire 0
                + "002463306666656530302d303030302d343030302d383030302d303030303030303030303031"
                + "0003626f62" + "01" + "00000000"
                // msgKey, encrypted payload
                + "00206538373031393161666339346462386438643133643633383330313432383730"
                + "5868313045505050357257787655536a65526a417543435071516d76562b315343334857753476684f466f3d")
    static let send = BinaryClientPacket.send(
        BinarySend(
            header: WuKongHeader(redDot: true), setting: [], clientSequence: 7,
            clientMessageNumber: clientMessageNumber, channelID: "bob", channelType: 1, expire: 0,
            messageKey: Array(sendKey.utf8), payload: Array(encrypted.utf8)))

    static let receiveAcknowledgeBytes = bytes("620c" + "112210f47de98115" + "0000002a")
    static let receiveAcknowledge = BinaryClientPacket.receiveAcknowledge(
        messageID: 1_234_567_890_123_456_789, sequence: 42, header: WuKongHeader(redDot: true))

    static let client: [(name: String, bytes: [UInt8], packet: BinaryClientPacket)] = [
        ("CONNECT", connectBytes, connect), ("SEND", sendBytes, send),
        ("RECVACK", receiveAcknowledgeBytes, receiveAcknowledge), ("PING", [0x70], .ping),
        ("DISCONNECT", disconnectBytes, .disconnect(reason: 12, text: "login in other device")),
        // setting 0, subNo "s1", channelId "c", type 6, action 1, param ""
        (
            "SUB", bytes("a00c" + "00" + "00027331" + "000163" + "06" + "01" + "0000"),
            .subscribe(
                BinarySubscribe(
                    setting: [], number: "s1", channelID: "c", channelType: 6, action: .unsubscribe, parameter: ""))
        ),
    ]

    // MARK: From the server

    static let connectAcknowledgeBytes =
        bytes(
            // CONNACK with hasServerVersion, 82 bytes; version 5, timeDiff 0, success
            "2152" + "05" + "0000000000000000" + "01"
                // serverKey, salt, node 1001
                + "002c57476d76394642556c7a4c4c7175316558666d7a436d326a484c446c644375745774536870326a78706e733d"
                + "001030313233343536373839616263646566" + "00000000000003e9")
    static let sendAcknowledgeBytes =
        // SENDACK with redDot: messageId, clientSeq 7, messageSeq 42, success
        bytes("4211" + "112210f47de98115" + "00000007" + "0000002a" + "01")
    static let receiveBytes =
        bytes(
            // RECV with redDot, 152 bytes; setting 0, msgKey
            "529801" + "00" + "00203735666662313931336330333132343238313333383962653232366139623637"
                // fromUid "alice", channelId "alice", channelType 1, expire 0
                + "0005616c696365" + "0005616c696365" + "01" + "00000000"
                // clientMsgNo, messageId, messageSeq 42, timestamp 1700000000
                + "002463306666656530302d303030302d343030302d383030302d303030303030303030303031"
                + "112210f47de98115" + "0000002a" + "6553f100"
                // encrypted payload
                + "5868313045505050357257787655536a65526a417543435071516d76562b315343334857753476684f466f3d")
    static let disconnectBytes = bytes("9018" + "0c" + "00156c6f67696e20696e206f7468657220646576696365")
    static let eventBytes =
        // EVENT: id "e1", type "stream.delta", timestamp 1700000000123, {"x":1}
        bytes("c021" + "00026531" + "000c73747265616d2e64656c7461" + "0000018bcfe5687b" + "7b2278223a317d")

    /// The message that `receiveBytes` carries, as the server has it.
    static let message = ReceivedMessage(
        header: WuKongHeader(redDot: true), setting: [], messageID: 1_234_567_890_123_456_789, sequence: 42,
        timestampSeconds: 1_700_000_000, channelID: "alice", channelType: .person, fromUID: "alice",
        payload: Array(plain.utf8), payloadIsJSONObject: true, clientMessageNumber: clientMessageNumber, topic: nil,
        expire: 0)

    private static func bytes(_ digits: String) -> [UInt8] {
        guard let bytes = Hex.decode(digits) else { preconditionFailure("a golden frame is no hexadecimal text") }
        return bytes
    }
}
