import ByteCodec
import Testing

@testable import LeanCloudWire

struct FaultTests {
    @Test(
        "a required field that is missing is named",
        arguments: [
            ("ba0603 120153", "errorMessage.code"), ("ba0602 0805", "errorMessage.reason"),
            ("d20604 0a02 1001", "unreadMessage.convs.cid"), ("d20605 0a03 0a0163", "unreadMessage.convs.unread"),
            ("da0602 1a00", "readMessage.convs.cid"), ("f20603 a20600", "convMessage.results.data"),
            ("f20603 fa0100", "convMessage.failedPids.code"), ("aa0602 1200", "dataMessage.msg.data"),
        ])
    func required(digits: String, field: String) throws {
        let error = try #require(failure(bytes(digits)))
        #expect(error.reason == .requiredFieldMissing && error.field == field)
        #expect(error.description.hasPrefix(field))
    }

    @Test(
        "a wrong wire type is refused and named",
        arguments: [
            ("0a00", "cmd", .delimited, .varint), ("2d 01020304", "i", .fixed32, .varint),
            ("29 0102030405060708", "i", .fixed64, .varint), ("2001", "peerId", .varint, .delimited),
            ("b00601", "sessionMessage", .varint, .delimited), ("b20602 2a00", "sessionMessage.r", .delimited, .varint),
            ("2b 2c", "i", .groupStart, .varint), ("f20602 0801", "convMessage.m", .varint, .delimited),
            // The first of two is looked at as well.
            ("2a00 2801", "i", .delimited, .varint),
        ] as [(String, String, WireType, WireType)])
    func wrongType(digits: String, field: String, found: WireType, expected: WireType) throws {
        let error = try #require(failure(bytes(digits)))
        #expect(error.reason == .wrongWireType(found: found, expected: expected) && error.field == field)
    }

    @Test("text that is not UTF-8 is refused and named, bytes are free")
    func text() throws {
        let error = try #require(failure(bytes("c20604 0a02 c328")))
        #expect(error == LeanCloudWireError(.invalidUTF8, at: 5, field: "directMessage.msg"))
        let command = try GenericCommand(decoding: bytes("c20605 9a0102 c328"))
        #expect(command.directMessage?.binaryMsg == [0xC3, 0x28])
    }

    @Test(
        "tags that mean nothing are refused",
        arguments: [
            "00", "0501", "0e", "0f", "2c", "80808080 10 01", "c30c cc0c",
        ])
    func tags(digits: String) throws {
        #expect(try #require(failure(bytes(digits))).reason == .invalidTag)
    }

    @Test(
        "numbers beyond 64 bits and ten bytes are refused",
        arguments: [
            "28 ffffffffffffffffff02", "28 8080808080808080808000", "ffffffffffffffffffff01",
        ])
    func varints(digits: String) throws {
        #expect(try #require(failure(bytes(digits))).reason == .invalidVarint)
    }

    @Test(
        "a length beyond the frame is refused, the largest one too",
        arguments: [
            ("2202 61", 1), ("22 ffffffffffffffffff01", Int.max), ("b20604 2203 6161", 1), ("c20c 05", 5), ("21 00", 7),
        ])
    func lengths(digits: String, missing: Int) throws {
        #expect(try #require(failure(bytes(digits))).reason == .inputEnded(missing: missing))
    }

    // MARK: Bounds

    @Test("a frame of the allowed size is read, one byte more is refused")
    func frameBytes() throws {
        let frame = bytes("22") + [0x83, 0x28] + [UInt8](repeating: 0x61, count: 5123)
        #expect(frame.count == 5126)
        #expect(failure(frame, limits: WireLimits(frameBytes: 5126)) == nil)
        #expect(
            failure(frame, limits: WireLimits(frameBytes: 5125))?.reason == .frameTooLong(bytes: 5126, limit: 5125))
        #expect(failure(frame)?.reason == .frameTooLong(bytes: 5126, limit: 5120))
    }

    @Test("fields are counted over the whole frame, unknown and nested ones as well")
    func fields() throws {
        // One each: cmd, convMessage, m, m, an unknown group, what is in it, its end.
        let frame = bytes("0801 f20604 0a00 0a00 c30c 0801 c40c")
        #expect(failure(frame, limits: WireLimits(fields: 7)) == nil)
        #expect(failure(frame, limits: WireLimits(fields: 6))?.reason == .tooManyFields(limit: 6))
        #expect(failure(bytes("f20604 0a00 0a00"), limits: WireLimits(fields: 2))?.field == "convMessage")
        // Two messages with a field each: what the first one used up is not there for the second.
        let siblings = bytes("c20602 0a00 f20602 0a00")
        #expect(failure(siblings, limits: WireLimits(fields: 4)) == nil)
        #expect(failure(siblings, limits: WireLimits(fields: 3))?.field == "convMessage")
    }

    @Test("groups nest as deep as allowed and no deeper")
    func groups() throws {
        let start = bytes("c30c")
        let end = bytes("c40c")
        let sixteen = (0..<16).flatMap { _ in start } + (0..<16).flatMap { _ in end }
        #expect(failure(sixteen) == nil)
        #expect(failure(start + sixteen + end)?.reason == .groupsTooDeep(limit: 16))
        let endless = (0..<200_000).flatMap { _ in start }
        #expect(failure(endless, limits: wide)?.reason == .groupsTooDeep(limit: 16))
    }

    // MARK: Damage

    /// Where the fields of a frame end.
    static func boundaries(of frame: [UInt8]) throws -> Set<Int> {
        try frame.withUnsafeBytes { frame in
            var scanner = FieldScanner(frame, 0..<frame.count, limits: wide, fieldsLeft: wide.fields)
            var ends: Set<Int> = [0]
            while let field = try scanner.next() { ends.insert(field.content.upperBound) }
            return ends
        }
    }

    @Test("a frame cut anywhere but between two fields is refused", arguments: [0, 1, 2])
    func cuts(index: Int) throws {
        let frame = [GoldenFrames.javaScriptOpen, GoldenFrames.cSharpOpen, fullCommand.encoded()][index]
        let boundaries = try Self.boundaries(of: frame)
        for count in frame.indices {
            let error = failure(Array(frame[..<count]), limits: wide)
            if boundaries.contains(count) {
                #expect(error == nil, "cut after \(count) bytes")
            } else if case .inputEnded(let missing) = error?.reason {
                #expect(missing > 0)
            } else {
                Issue.record("cut after \(count) bytes: \(String(describing: error))")
            }
        }
    }

    /// Reads `frame`; what is read must be a command that is written and read to the same value.
    static func survives(_ frame: [UInt8]) -> Bool {
        guard let command = try? GenericCommand(decoding: frame, limits: wide) else { return true }
        return (try? GenericCommand(decoding: command.encoded(), limits: wide)) == command
    }

    @Test("a frame with any bit flipped is refused, or read as a whole command", arguments: [0, 1, 2])
    func flips(index: Int) {
        let frame = [GoldenFrames.javaScriptOpen, GoldenFrames.cSharpOpen, fullCommand.encoded()][index]
        var broken: [Int] = []
        // The long one at every 41st bit, which meets each of the eight.
        for bit in stride(from: 0, to: frame.count * 8, by: frame.count > 500 ? 41 : 1) {
            var damaged = frame
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            if !Self.survives(damaged) { broken.append(bit) }
        }
        #expect(broken.isEmpty)
    }

    @Test("random bytes are refused, or read as a whole command", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var broken: [[UInt8]] = []
        for _ in 0..<5000 {
            let frame = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if !Self.survives(frame) { broken.append(frame) }
        }
        #expect(broken.isEmpty)
    }

    @Test(
        "a frame of random pieces of good ones is refused, or read as a whole command", arguments: [4, 5] as [UInt64])
    func spliced(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        let frame = fullCommand.encoded()
        var broken: [[UInt8]] = []
        for _ in 0..<500 {
            var mixed: [UInt8] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let start = Int.random(in: 0..<frame.count, using: &random)
                mixed += frame[start..<min(frame.count, start + Int.random(in: 1...90, using: &random))]
            }
            if !Self.survives(mixed) { broken.append(mixed) }
        }
        #expect(broken.isEmpty)
    }
}
