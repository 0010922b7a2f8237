import Testing

@testable import Transport

/// Everything that a reader told, in words.
func events(_ input: [UInt8], cut: Int = .max, maximumMessageBytes: Int = 1000, maximumFragments: Int = 8) -> [String] {
    var reader = WebSocketReader(maximumFragments: maximumFragments)
    var waiting = ByteQueue()
    var seen: [String] = []
    var position = 0
    do throws(WebSocketError) {
        while position < input.count {
            let end = cut == .max ? input.count : min(input.count, position + cut)
            waiting.append(Array(input[position..<end]))
            position = end
            reading: while true {
                switch try reader.next(waiting.bytes, maximumMessageBytes: maximumMessageBytes) {
                case .incomplete: break reading
                case .fragment(let consumed): waiting.consume(consumed)
                case .event(let event, let consumed):
                    switch event {
                    case .message(true, let bytes): seen.append("text \(String(decoding: bytes, as: UTF8.self))")
                    case .message(false, let bytes): seen.append("binary \(Array(bytes))")
                    case .ping(let bytes): seen.append("ping \(String(decoding: bytes, as: UTF8.self))")
                    case .pong: seen.append("pong")
                    case .close(let code): seen.append("close \(code.map { String($0.rawValue) } ?? "-")")
                    }
                    waiting.consume(consumed)
                }
            }
        }
    } catch {
        seen.append("error \(error.code.rawValue)")
    }
    return seen
}

@Suite("WebSocket reader")
struct WebSocketReaderTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let expected: [String]

        init(_ name: String, _ bytes: [UInt8], _ expected: [String]) {
            (self.testDescription, self.bytes, self.expected) = (name, bytes, expected)
        }
    }

    static let good = [
        // RFC 6455 section 5.7: a single-frame masked text message.
        Vector("Hello of the RFC", [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], ["text Hello"]),
        Vector("an empty text", clientFrame(1, []), ["text "]),
        Vector("an empty binary", clientFrame(2, []), ["binary []"]),
        Vector("Chinese", clientFrame(text: "茶馆"), ["text 茶馆"]),
        Vector(
            "fragments with a ping between them",
            clientFrame(1, [0xE8, 0x8C], isFinal: false) + clientFrame(9, Array("p".utf8))
                + clientFrame(0, [0xB6], isFinal: false) + clientFrame(0, []),
            ["ping p", "text 茶"]),
        Vector(
            "two fragmented messages",
            clientFrame(2, [1], isFinal: false) + clientFrame(0, [2]) + clientFrame(2, [3], isFinal: false)
                + clientFrame(0, [4]),
            ["binary [1, 2]", "binary [3, 4]"]),
        Vector("a pong nobody asked for", clientFrame(10, [1]), ["pong"]),
        Vector("a close without a code", clientFrame(8, []), ["close -"]),
        Vector("a close with a reason", clientFrame(8, [3, 0xE8] + Array("bye".utf8)), ["close 1000"]),
        Vector("a private close code", clientFrame(8, [0x0F, 0xA1]), ["close 4001"]),
        Vector(
            "a ping of 125 bytes", clientFrame(9, Array(repeating: 0x61, count: 125)),
            ["ping " + String(repeating: "a", count: 125)]),
    ]

    @Test("reads", arguments: good)
    func reads(_ vector: Vector) { #expect(events(vector.bytes) == vector.expected) }

    @Test("reads the same when the input is cut at every byte", arguments: good)
    func readsCut(_ vector: Vector) { #expect(events(vector.bytes, cut: 1) == vector.expected) }

    static let bad = [
        Vector("no mask", [0x81, 0x01, 0x61], ["error 1002"]),
        Vector("the first reserved bit", [0xC1, 0x80, 0, 0, 0, 0], ["error 1002"]),
        Vector("the second reserved bit", [0xA1, 0x80, 0, 0, 0, 0], ["error 1002"]),
        Vector("the third reserved bit", [0x91, 0x80, 0, 0, 0, 0], ["error 1002"]),
        Vector("an unknown opcode", clientFrame(3, []), ["error 1002"]),
        Vector("an unknown control opcode", clientFrame(0xF, []), ["error 1002"]),
        Vector("a fragmented ping", clientFrame(9, [], isFinal: false), ["error 1002"]),
        Vector("a ping of 126 bytes", clientFrame(9, Array(repeating: 0, count: 126)), ["error 1002"]),
        Vector("a continuation without a start", clientFrame(0, [1]), ["error 1002"]),
        Vector(
            "a continuation after the end",
            clientFrame(1, [], isFinal: false) + clientFrame(0, []) + clientFrame(0, []),
            ["text ", "error 1002"]),
        Vector("a text inside a text", clientFrame(1, [], isFinal: false) + clientFrame(1, []), ["error 1002"]),
        Vector("a close of one byte", clientFrame(8, [3]), ["error 1002"]),
        Vector("close code 999", clientFrame(8, [0x03, 0xE7]), ["error 1002"]),
        Vector("close code 1005", clientFrame(8, [0x03, 0xED]), ["error 1002"]),
        Vector("close code 5000", clientFrame(8, [0x13, 0x88]), ["error 1002"]),
        Vector("a close reason that is not UTF-8", clientFrame(8, [3, 0xE8, 0xFF]), ["error 1007"]),
        Vector("text that is not UTF-8", clientFrame(1, [0xFF]), ["error 1007"]),
        Vector("an overlong form", clientFrame(1, [0xC0, 0x80]), ["error 1007"]),
        Vector("a surrogate", clientFrame(1, [0xED, 0xA0, 0x80]), ["error 1007"]),
        Vector("above U+10FFFF", clientFrame(1, [0xF4, 0x90, 0x80, 0x80]), ["error 1007"]),
        Vector("half a character", clientFrame(1, [0xE8, 0x8C]), ["error 1007"]),
        Vector(
            "half a character in fragments", clientFrame(1, [0xE8], isFinal: false) + clientFrame(0, [0x8C]),
            ["error 1007"]),
        Vector("a length of 2^63", clientFrame(2, [], length: 1 << 63), ["error 1009"]),
        Vector("the largest length", clientFrame(2, [], length: .max), ["error 1009"]),
        Vector("one byte over the limit", clientFrame(2, [], length: 1001), ["error 1009"]),
        Vector(
            "one byte over the limit in fragments",
            clientFrame(2, Array(repeating: 0, count: 500), isFinal: false) + clientFrame(0, [], length: 501),
            ["error 1009"]),
        Vector(
            "a fragment over the limit of fragments",
            clientFrame(2, [], isFinal: false) + (0..<8).flatMap { _ in clientFrame(0, [], isFinal: false) },
            ["error 1009"]),
    ]

    @Test("refuses", arguments: bad)
    func refuses(_ vector: Vector) { #expect(events(vector.bytes) == vector.expected) }

    @Test("refuses the same when the input is cut at every byte", arguments: bad)
    func refusesCut(_ vector: Vector) { #expect(events(vector.bytes, cut: 1) == vector.expected) }

    @Test("takes a message of exactly the limit, whole and in fragments")
    func limit() {
        let half = [UInt8](repeating: 7, count: 500)
        let expected = "binary \(half + half)"
        #expect(events(clientFrame(2, half + half)) == [expected])
        #expect(events(clientFrame(2, half, isFinal: false) + clientFrame(0, half)) == [expected])
        let eight = clientFrame(2, [], isFinal: false) + (0..<6).flatMap { _ in clientFrame(0, [], isFinal: false) }
        #expect(events(eight + clientFrame(0, [])) == ["binary []"])
    }

    @Test("judges a declared length before the mask is there")
    func earlyLength() {
        #expect(events([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0]) == ["error 1009"])
    }

    @Test("unmasks like the formula of the RFC at every length and offset", arguments: 0..<40)
    func unmask(count: Int) {
        let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        let plain = (0..<count).map { UInt8($0) }
        for offset in 0..<8 {
            var bytes =
                [UInt8](repeating: 0, count: offset) + plain.enumerated().map { $0.element ^ key[$0.offset % 4] }
            let native = key.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
            bytes.withUnsafeMutableBytes { raw in
                WebSocketFrame.unmask(UnsafeMutableRawBufferPointer(rebasing: raw[offset...]), key: native)
            }
            #expect(Array(bytes[offset...]) == plain)
        }
    }

    @Test(
        "writes the shortest header",
        arguments: [
            (0, [0x81, 0]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]), (65_535, [0x81, 126, 0xFF, 0xFF]),
            (65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])])
    func header(count: Int, expected: [UInt8]) {
        var room = [UInt8](repeating: 0, count: WebSocketFrame.maximumHeaderCount)
        let written = room.withUnsafeMutableBytes {
            WebSocketFrame.writeHeader(.text, payloadCount: count, to: $0.baseAddress!)
        }
        #expect(Array(room[..<written]) == expected)
    }

    @Test("cuts a close reason at a character, so that the frame stays a control frame")
    func closeReason() {
        let payload = WebSocketFrame.closePayload(.normal, reason: String(repeating: "茶", count: 60))
        #expect(payload.count == 2 + 41 * 3)
        #expect(String(validating: payload[2...], as: UTF8.self) == String(repeating: "茶", count: 41))
    }
}
