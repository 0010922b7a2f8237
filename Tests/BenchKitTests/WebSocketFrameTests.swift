import Testing

@testable import BenchKit

@Suite struct WebSocketFrameTests {
    private func read(_ bytes: [UInt8]) throws(BenchError) -> WebSocketFrame? {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BenchError) in try WebSocketFrame.read(bytes) }
        }
        return try result.get()
    }

    @Test("reads a frame with each kind of length")
    func lengths() throws {
        // RFC 6455, section 5.7: a single-frame unmasked text message "Hello".
        let hello: [UInt8] = [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]
        #expect(try self.read(hello) == WebSocketFrame(kind: .text, payloadOffset: 2, payloadCount: 5))
        let medium = [0x81, 0x7e, 0x01, 0x00] + [UInt8](repeating: 0x20, count: 256)
        #expect(try self.read(medium) == WebSocketFrame(kind: .text, payloadOffset: 4, payloadCount: 256))
        let large = [0x81, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 0x20, count: 65_536)
        #expect(try self.read(large) == WebSocketFrame(kind: .text, payloadOffset: 10, payloadCount: 65_536))
    }

    @Test("waits for the rest of a frame, wherever it is cut", arguments: 0..<260)
    func cut(_ count: Int) throws {
        let whole = [0x81, 0x7e, 0x01, 0x00] + [UInt8](repeating: 0x20, count: 256)
        #expect(try self.read(Array(whole.prefix(count))) == nil)
    }

    @Test("knows binary messages and control frames")
    func kinds() throws {
        #expect(try self.read([0x82, 0x01, 0x80])?.kind == .binary)
        #expect(try self.read([0x88, 0x02, 0x03, 0xf5])?.kind == .close)
        #expect(try self.read([0x89, 0x00])?.kind == .ping)
        #expect(try self.read([0x8a, 0x00])?.kind == .pong)
    }

    @Test(
        "refuses fragments, masked and huge frames",
        arguments: [
            [0x01, 0x00], [0x80, 0x00], [0x81, 0x80, 0, 0, 0, 0],
            [0x81, 0x7f, 0, 0, 0, 0, 0, 0x20, 0, 0], [0x81, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        ] as [[UInt8]])
    func refused(_ bytes: [UInt8]) {
        #expect(throws: BenchError.self) { try self.read(bytes) }
    }

    @Test("writes client frames with a mask of zeros")
    func written() {
        #expect(WebSocketFrame.bytes(1, [0x48, 0x69]) == [0x81, 0x82, 0, 0, 0, 0, 0x48, 0x69])
        let long = [UInt8](repeating: 1, count: 300)
        #expect(WebSocketFrame.bytes(1, long) == [0x81, 0xfe, 0x01, 0x2c, 0, 0, 0, 0] + long)
    }
}
