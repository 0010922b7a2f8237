import Testing

@testable import BenchKit

@Suite struct StampTests {
    private let stamp = Stamp(run: 0xdead_beef, sender: 7, counter: 0xffff_fffe, sentAt: 0x0123_4567_89ab_cdef)

    private func written() -> [UInt8] {
        var text = [UInt8](repeating: 0, count: Stamp.count)
        text.withUnsafeMutableBufferPointer { self.stamp.write(to: $0.baseAddress!) }
        return text
    }

    @Test("a stamp is fixed-width hex digits")
    func layout() {
        #expect(String(decoding: self.written(), as: UTF8.self) == "deadbeef00000007fffffffe0123456789abcdef..")
    }

    @Test(
        "hex digits of both halves of the alphabet",
        arguments: [0, 1, 0x0123_4567, 0x89ab_cdef, 0xffff_ffff] as [UInt32])
    func hex(_ value: UInt32) {
        var text = [UInt8](repeating: 0, count: 8)
        text.withUnsafeMutableBufferPointer { Stamp.writeHex(UInt64(value), digits: 8, to: $0.baseAddress!) }
        #expect(Stamp.readHex(text) == value)
    }

    @Test("a stamp is read from the body as it is, and from its base64 form")
    func roundTrip() {
        var body = MessageBody.bytes()
        let start = MessageBody.prefix.count
        body.replaceSubrange(start..<(start + Stamp.count), with: self.written())
        #expect(body.withUnsafeBytes { MessageBody.stamp(in: $0) } == self.stamp)

        var base64 = [UInt8](repeating: 0, count: body.count / 3 * 4)
        base64.withUnsafeMutableBufferPointer {
            MessageBody.encodeBase64(body, count: body.count, to: $0.baseAddress!)
        }
        #expect(base64.withUnsafeBytes { MessageBody.stamp(inBase64: $0) } == self.stamp)
    }

    @Test("a client message number holds a stamp, and only numbers of its length do")
    func number() {
        let stamp = Stamp(run: 0xdead_beef, sender: 65_535, counter: 0xffff_fffe, sentAt: 0x0123_4567_89ab_cdef)
        var text = [UInt8](repeating: 0, count: Stamp.numberCount)
        text.withUnsafeMutableBufferPointer { stamp.writeNumber(to: $0.baseAddress!) }
        #expect(String(decoding: text, as: UTF8.self) == "3q2+7////////gEjRWeJq83v")
        #expect(text.withUnsafeBytes { Stamp(number: $0) } == stamp)
        #expect(text.dropLast().withUnsafeBytes { Stamp(number: $0) } == nil)
    }

    @Test("the body's base64 form is the standard one")
    func standardBase64() {
        var out = [UInt8](repeating: 0, count: 28)
        out.withUnsafeMutableBufferPointer {
            MessageBody.encodeBase64(Array(#"{"type":1,"content":""#.utf8), count: 21, to: $0.baseAddress!)
        }
        #expect(String(decoding: out, as: UTF8.self) == "eyJ0eXBlIjoxLCJjb250ZW50Ijoi")
    }

    @Test(
        "somebody else's body has no stamp",
        arguments: [
            "", #"{"type":1,"content":"hello"}"#,
            #"{"type":2,"content":"deadbeef00000007fffffffe0123456789abcdef..xxxxxxxxxxxxxx"}"#,
            #"{"type":1,"content":"deadbeef00000007fffffffe0123456789abcdef."#,
            #"{"type":1,"content":"deadbeef00000007fffffffe0123456789abcdefxxxxxxxxxxxxxxxx"}"#,
        ])
    func foreign(_ text: String) {
        #expect(Array(text.utf8).withUnsafeBytes { MessageBody.stamp(in: $0) } == nil)
        #expect(Array(text.utf8).withUnsafeBytes { MessageBody.stamp(inBase64: $0) } == nil)
    }
}
