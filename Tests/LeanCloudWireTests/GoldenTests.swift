import ByteCodec
import Testing

@testable import LeanCloudWire

struct GoldenTests {
    @Test("the first frames of real SDKs are read, and written back to the same bytes", arguments: [0, 1])
    func opens(index: Int) throws {
        let golden = GoldenFrames.opens[index]
        #expect(try GenericCommand(decoding: golden.bytes) == golden.command, "\(golden.name)")
        #expect(golden.command.encoded() == golden.bytes, "\(golden.name)")
    }

    @Test("frames written by hand are read, and written back", arguments: GoldenFrames.written.indices)
    func written(index: Int) throws {
        let golden = GoldenFrames.written[index]
        #expect(try GenericCommand(decoding: golden.bytes) == golden.command, "\(golden.name)")
        #expect(golden.command.encoded() == golden.bytes, "\(golden.name)")
    }

    @Test("the feature bits of the JavaScript SDK have their names")
    func features() throws {
        let command = try GenericCommand(decoding: GoldenFrames.javaScriptOpen)
        let features = try #require(command.sessionMessage?.configBitmap)
        let all: ConfigBitmap = [
            .patchMessages, .temporaryConversations, .acknowledgesTransient, .keepsNotifications, .partialFailures,
            .omitsPeerId,
        ]
        #expect(features == all)
        #expect(!features.contains(.bindsInstallation) && !features.contains(.groupReceipts))
    }

    @Test("a field that is there with 0 is not one that is absent")
    func presence() throws {
        let present = try GenericCommand(decoding: bytes("0800 2800 b20602 2800"))
        #expect(present.cmd == .session && present.i == 0 && present.sessionMessage?.r == false)
        let absent = try GenericCommand(decoding: bytes("b20600"))
        #expect(absent.cmd == nil && absent.i == nil && absent.sessionMessage == SessionCommand())
        #expect(absent.sessionMessage?.r == nil && absent.loginMessage == nil)
    }

    @Test(
        "a 32-bit number is read from ten bytes and from five",
        arguments: [
            ("28 ffffffffffffffffff01", -1), ("28 ffffffff0f", -1), ("28 80808080f8ffffffff01", Int32.min),
            ("28 8080808008", Int32.min), ("28 ffffffff07", Int32.max), ("28 81808000", 1),
        ] as [(String, Int32)])
    func signed(digits: String, value: Int32) throws {
        #expect(try GenericCommand(decoding: bytes(digits)).i == value)
    }

    @Test("64-bit numbers keep all of their bits", arguments: [Int64.min, -1, 0, 1, 1 << 53, Int64.max])
    func long(value: Int64) throws {
        let command = GenericCommand { $0.serverTs = value }
        #expect(try GenericCommand(decoding: command.encoded()).serverTs == value)
    }

    @Test("any varint but 0 is true")
    func truth() throws {
        let command = try GenericCommand(decoding: bytes("b20606 2880808080 10"))
        #expect(command.sessionMessage?.r == true)
    }

    @Test("nested messages have lengths of one, two and three bytes", arguments: [1, 127, 128, 16_383, 16_384, 70_000])
    func lengths(count: Int) throws {
        let command = GenericCommand {
            $0.convMessage = ConvCommand {
                $0.attr = JsonObjectMessage { $0.data = String(repeating: "x", count: count) }
                $0.cid = "c"
            }
        }
        let read = try GenericCommand(decoding: command.encoded(), limits: wide)
        #expect(read == command)
        #expect(read.convMessage?.attr?.data.utf8.count == count)
    }

    @Test("every field of the schema goes out and comes back")
    func everything() throws {
        let frame = fullCommand.encoded()
        let read = try GenericCommand(decoding: frame, limits: wide)
        #expect(read == fullCommand)
        #expect(read.encoded() == frame)
    }
}
