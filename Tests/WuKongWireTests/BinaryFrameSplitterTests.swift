import ByteCodec
import Testing
import WuKongWire

@Suite("Binary frame splitter")
struct BinaryFrameSplitterTests {
    /// Every known frame of both sides, PINGs with flags among them.
    static let frames =
        BinaryGoldenFrames.client.map(\.bytes) + [
            [0x80], BinaryGoldenFrames.connectAcknowledgeBytes, BinaryGoldenFrames.receiveBytes, [0x7F],
            BinaryGoldenFrames.eventBytes, [0x8B],
        ]
    static let stream = Array(frames.joined())

    @Test("gives the same frames however the stream is cut", arguments: 1...200)
    func anyPieces(_ size: Int) {
        let (frames, error) = split(Self.stream, pieces: size)
        #expect(frames == Self.frames)
        #expect(error == nil)
    }

    @Test("a stream cut in two anywhere gives the same frames, and holds what is incomplete")
    func cutOnce() throws {
        let ends = Self.frames.reduce(into: [0]) { $0.append($0.last! + $1.count) }
        for cut in 0...Self.stream.count {
            var splitter = BinaryFrameSplitter(maximumBytes: 1000)
            var frames: [[UInt8]] = []
            try Self.stream.withUnsafeBytes { bytes in
                try splitter.append(UnsafeRawBufferPointer(rebasing: bytes[..<cut])) { frames.append([UInt8]($0)) }
                #expect(splitter.heldBytes == cut - ends.last { $0 <= cut }!)
                try splitter.append(UnsafeRawBufferPointer(rebasing: bytes[cut...])) { frames.append([UInt8]($0)) }
            }
            #expect(frames == Self.frames, "cut at \(cut)")
            #expect(splitter.heldBytes == 0)
        }
    }

    @Test("frames that lie whole in a piece are handed out where they are")
    func inPlace() throws {
        var splitter = BinaryFrameSplitter(maximumBytes: 1000)
        try Self.stream.withUnsafeBytes { bytes in
            var position = bytes.baseAddress!
            try splitter.append(bytes) { frame in
                #expect(frame.baseAddress == position)
                position += frame.count
            }
        }
    }

    @Test("an empty piece is none")
    func empty() throws {
        var splitter = BinaryFrameSplitter(maximumBytes: 10)
        try splitter.append(UnsafeRawBufferPointer(start: nil, count: 0)) { _ in #expect(Bool(false)) }
        #expect(splitter.heldBytes == 0)
    }

    @Test("a frame of the longest length is taken, one byte more is not", arguments: [2, 129, 130, 200])
    func longest(_ bodyBytes: Int) {
        var writer = BinaryClientWriter()
        writer.disconnect(reason: 0, text: String(repeating: "a", count: bodyBytes - 3 + 3))
        let frame = writer.bytes
        #expect(split(frame, maximumBytes: frame.count).frames == [frame])
        let (frames, error) = split([0x70] + frame, maximumBytes: frame.count - 1)
        #expect(frames == [[0x70]])
        #expect(error == .frameTooLong(bytes: frame.count, limit: frame.count - 1))
    }

    @Test("a SEND over the bound is told with its number and passed over, however it is cut", arguments: 1...40)
    func passedOver(_ size: Int) throws {
        var large = BinaryClientWriter()
        let send = BinarySend(
            header: WuKongHeader(redDot: true), setting: [], clientSequence: 0x0102_0304, clientMessageNumber: "n",
            channelID: "juliet", channelType: 1, expire: 0, messageKey: [], topic: nil,
            payload: [UInt8](repeating: 7, count: 300))
        large.send(send, version: .latest)
        let small = BinaryGoldenFrames.client[0].bytes
        let stream = [0x70] + large.bytes + small + large.bytes + [0x70]
        var splitter = BinaryFrameSplitter(maximumBytes: large.bytes.count - 1)
        var (frames, starts): ([[UInt8]], [BinarySendStart]) = ([], [])
        for start in stride(from: 0, to: stream.count, by: size) {
            try stream[start..<min(start + size, stream.count)].withUnsafeBytes { piece in
                try splitter.append(piece) { start in
                    starts.append(start)
                    return true
                } each: {
                    frames.append([UInt8]($0))
                }
            }
            #expect(splitter.heldBytes < large.bytes.count, "nothing of it is held")
        }
        #expect(frames == [[0x70], small, [0x70]])
        #expect(starts.map(\.clientSequence) == [0x0102_0304, 0x0102_0304] && starts[0].header.redDot)
    }

    @Test("a SEND over the bound that nobody answers ends the stream")
    func notPassedOver() {
        var splitter = BinaryFrameSplitter(maximumBytes: 20)
        let bytes: [UInt8] = [0x30, 0x7F, 0, 0, 0, 0, 1]
        #expect(throws: BinaryWireError.frameTooLong(bytes: 129, limit: 20)) {
            try bytes.withUnsafeBytes { try splitter.append($0, tooLong: { _ in false }, each: { _ in }) }
        }
    }

    @Test(
        "a header that cannot be is refused with its last byte, and the stream is over",
        arguments: [
            ("00", .unknownType(0)), ("d0", .unknownType(13)), ("ff", .unknownType(15)),
            ("30ffffffff", .lengthTooLong), ("3080808080", .lengthTooLong),
            ("30ffffff7f", .frameTooLong(bytes: 268_435_460, limit: 1 << 20)),
            ("3081808001", .frameTooLong(bytes: 2_097_158, limit: 1 << 20)),
        ] as [(String, BinaryWireError)])
    func refused(_ digits: String, _ error: BinaryWireError) throws {
        let bytes = try #require(Hex.decode(digits))
        for size in [1, 2, 3, bytes.count] {
            let result = split([0x70] + bytes + [0x70], pieces: size)
            #expect(result.frames == [[0x70]])
            #expect(result.error == error)
        }
        var splitter = BinaryFrameSplitter(maximumBytes: 1 << 20)
        #expect(throws: error) { try bytes.withUnsafeBytes { try splitter.append($0) { _ in } } }
        #expect(throws: error) { try [UInt8]([0x70]).withUnsafeBytes { try splitter.append($0) { _ in } } }
        #expect(splitter.heldBytes == 0)
    }

    @Test("what the caller throws ends the stream")
    func callerThrows() {
        var splitter = BinaryFrameSplitter(maximumBytes: 100)
        var count = 0
        let fault = BinaryWireError.wrongDirection(.pong)
        #expect(throws: fault) {
            try [UInt8]([0x70, 0x80, 0x70]).withUnsafeBufferPointer { bytes throws(BinaryWireError) in
                try splitter.append(UnsafeRawBufferPointer(bytes)) { frame throws(BinaryWireError) in
                    count += 1
                    if frame[0] == 0x80 { throw fault }
                }
            }
        }
        #expect(count == 2)
        #expect(throws: fault) { try [UInt8]([0x70]).withUnsafeBytes { try splitter.append($0) { _ in } } }
    }

    @Test("memory is held for what has come, not for what was promised")
    func promised() throws {
        var splitter = BinaryFrameSplitter(maximumBytes: 1 << 21)
        try [UInt8]([0x30, 0xFF, 0xFF, 0x3F, 0x00]).withUnsafeBytes { try splitter.append($0) { _ in } }
        #expect(splitter.heldBytes == 5)
    }
}
