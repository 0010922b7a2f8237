import ByteCodec
import Testing

@Suite("Base64 and hex")
struct Base64Tests {
    @Test(
        "agrees with the vectors of RFC 4648 section 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(_ text: String, _ base64: String) {
        let (bytes, encoded) = (Array(text.utf8), Array(base64.utf8))
        #expect(Base64.encode(bytes) == encoded)
        #expect(Base64.decode(encoded) == bytes)
        let unpadded = encoded.filter { $0 != UInt8(ascii: "=") }
        #expect(Base64.encode(bytes, .urlSafe) == unpadded)
        #expect(Base64.decode(unpadded, .urlSafe) == bytes)
    }

    @Test("uses the 64 characters of its alphabet", arguments: [Base64.Alphabet.standard, .urlSafe])
    func alphabet(_ alphabet: Base64.Alphabet) {
        let last = alphabet == .standard ? "+/" : "-_"
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
        let bytes = Base64.decode(characters, alphabet)
        #expect(bytes?.count == 48)
        #expect(Base64.encode(bytes ?? [], alphabet) == characters)
    }

    @Test(
        "refuses what encode does not write",
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "=", "==", "====", "Z===", "Zm9v=", "Zm9v====", "Zg==Zg==", "Z=g=", "Zm9=v",
            "Zm 9v", "Zm9v\n", "Zm-_", "Zh==", "Zm9=", "Zm\u{0}v", "茶AA", "Zm9vYg==Zm9v",
        ])
    func refuses(_ text: String) {
        #expect(Base64.decode(Array(text.utf8)) == nil)
    }

    @Test(
        "refuses padding, the other alphabet and stray bits when URL-safe",
        arguments: ["Zg==", "+/+/", "Z", "Zh", "Zm9"])
    func refusesURLSafe(_ text: String) {
        #expect(Base64.decode(Array(text.utf8), .urlSafe) == nil)
    }

    @Test("reads back what it wrote, at every length", arguments: 0..<100)
    func roundTrip(_ count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        #expect(Base64.decode(Base64.encode(bytes, .urlSafe), .urlSafe) == bytes)
        #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    }

    @Test("writes what it counts, and leaves alone what is around it", arguments: 0..<30)
    func writesIntoRoom(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 91) }
        for alphabet in [Base64.Alphabet.standard, .urlSafe] {
            let length = Base64.encodedCount(of: count, alphabet)
            var room = [UInt8](repeating: 0, count: length + 3)
            room.withUnsafeMutableBytes { room in
                bytes.withUnsafeBytes { Base64.encode($0, alphabet, to: room) }
            }
            #expect(room == Base64.encode(bytes, alphabet) + [0, 0, 0])
            var text: [UInt8] = [7]
            bytes.withUnsafeBytes { Base64.encode($0, alphabet, appendingTo: &text) }
            #expect(text == [7] + room.prefix(length))
        }
    }

    @Test("writes hex into room")
    func hexIntoRoom() {
        var room = [UInt8](repeating: 0, count: 7)
        room.withUnsafeMutableBytes { room in [UInt8]([0x00, 0xFF, 0x7A]).withUnsafeBytes { Hex.write($0, to: room) } }
        #expect(room == Array("00ff7a\u{0}".utf8))
    }

    @Test(
        "writes hex in lower case and reads either",
        arguments: [("", []), ("00ff7f", [0, 255, 127]), ("09aF", [9, 175])])
    func hex(_ text: String, _ bytes: [UInt8]) {
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.encode(bytes) == text.lowercased())
    }

    @Test("refuses odd and foreign hex", arguments: ["0", "000", "0g", " 00", "0x00", "é0"])
    func badHex(_ text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
