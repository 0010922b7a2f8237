import LeanCloudWire

/// Frames of real SDKs as they came over the wire, and frames written by hand from the encoding's specification.
enum GoldenFrames {
    /// The first frame of the JavaScript SDK 5 in Node.
    static let javaScriptOpen = bytes(
        // cmd session, op open, appId
        "0800 1001 1a20 746561686f7573652d6170702d303030303030303030302d4d645958624d4d49"
            // peerId "Tom", i 1, sessionMessage of 72 bytes
            + "2203546f6d 2801 b20648"
            // ua "js/5.0.0-rc.7", r false, tag "Web", deviceId
            + "220d6a732f352e302e302d72632e37 2800 3203576562"
            + "3a2461383432386436652d653361302d343938342d393633632d386462376461333136623063"
            // lastPatchTime, configBitmap 187
            + "900189fdfbc89f34 9801bb01")

    /// The first frame of the C# SDK 2.
    static let cSharpOpen = bytes(
        "0800 1001 1a20 746561686f7573652d6170702d303030303030303030302d4d645958624d4d49"
            + "2205546f6d4353 2801 b2062d"
            // ua, r false, tag "PC", configBitmap 171
            + "22214c65616e436c6f75642d4353686172702d53444b2f322e332e312d6465762e3137 2800 32025043 9801ab01")

    static let opens: [(name: String, bytes: [UInt8], command: GenericCommand)] = [
        (
            "JavaScript", javaScriptOpen,
            open("Tom") {
                $0.ua = "js/5.0.0-rc.7"
                $0.r = false
                $0.tag = "Web"
                $0.deviceId = "a8428d6e-e3a0-4984-963c-8db7da316b0c"
                $0.lastPatchTime = 1_795_180_920_457
                $0.configBitmap = ConfigBitmap(rawValue: 187)
            }
        ),
        (
            "C#", cSharpOpen,
            open("TomCS") {
                $0.ua = "LeanCloud-CSharp-SDK/2.3.1-dev.17"
                $0.r = false
                $0.tag = "PC"
                $0.configBitmap = ConfigBitmap(rawValue: 171)
            }
        ),
    ]

    /// By hand; what each says stands beside it.
    static let written: [(name: String, bytes: [UInt8], command: GenericCommand)] = [
        ("nothing", [], GenericCommand()),
        // Fields 1 and 5, varints: -65536 is 2^64 - 65536, ten bytes.
        (
            "echo with a negative number", bytes("080e 28 8080fcffffffffffff01"),
            GenericCommand {
                $0.cmd = .echo
                $0.i = -65536
            }
        ),
        (
            "echo with number 0", bytes("080e 2800"),
            GenericCommand {
                $0.cmd = .echo
                $0.i = 0
            }
        ),
        // Field 104 is tag 0xc206; in it 1, 11, 20 and 21 (tags 0x0a, 0x5a, 0xa201, 0xa801).
        (
            "message", bytes("0802 2807 c20613 0a0468c3a921 5a0163 a2010161 a20100 a80101"),
            GenericCommand {
                $0.cmd = .direct
                $0.i = 7
                $0.directMessage = DirectCommand {
                    $0.msg = "h\u{e9}!"
                    $0.cid = "c"
                    $0.mentionPids = ["a", ""]
                    $0.mentionAll = true
                }
            }
        ),
        // Field 105, tag 0xca06; t 1700000000123, uid "m".
        (
            "acknowledgement", bytes("0803 2807 ca060c 22 0163 28 fbd095ffbc31 3200"),
            GenericCommand {
                $0.cmd = .ack
                $0.i = 7
                $0.ackMessage = AckCommand {
                    $0.cid = "c"
                    $0.t = 1_700_000_000_123
                    $0.uid = ""
                }
            }
        ),
        // Field 103, tag 0xba06; code 4102 is 0x8620.
        (
            "error", bytes("0807 ba0606 088620 120153"),
            GenericCommand {
                $0.cmd = .error
                $0.errorMessage = ErrorCommand {
                    $0.code = 4102
                    $0.reason = "S"
                }
            }
        ),
        // Field 106, tag 0xd206; a tuple with cid, unread 0 and binary content, then notifTime 5.
        (
            "unread", bytes("0805 4002 d2060f 0a0b 0a0163 1000 4a0400ff0180 1005"),
            GenericCommand {
                $0.cmd = .unread
                $0.service = 2
                $0.unreadMessage = UnreadCommand {
                    $0.convs = [
                        UnreadTuple {
                            $0.cid = "c"
                            $0.unread = 0
                            $0.binaryMsg = [0, 255, 1, 128]
                        }
                    ]
                    $0.notifTime = 5
                }
            }
        ),
        // A body without any field is present all the same: field 102, length 0.
        (
            "closing", bytes("0800 1004 b20600"),
            GenericCommand {
                $0.cmd = .session
                $0.op = .close
                $0.sessionMessage = SessionCommand()
            }
        ),
        // Numbers that no table has.
        (
            "unknown numbers", bytes("08e707 10 ffffffffffffffffff01"),
            GenericCommand {
                $0.cmd = CommandType(rawValue: 999)
                $0.op = OpType(rawValue: -1)
            }
        ),
    ]

    private static func open(_ peer: String, _ fill: (inout SessionCommand) -> Void) -> GenericCommand {
        GenericCommand {
            $0.cmd = .session
            $0.op = .open
            $0.appId = "teahouse-app-0000000000-MdYXbMMI"
            $0.peerId = peer
            $0.i = 1
            $0.sessionMessage = SessionCommand(fill)
        }
    }
}
