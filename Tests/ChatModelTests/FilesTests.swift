import ChatModel
import Testing

@Suite("Names of files")
struct FilesTests {
    @Test("a key is made of five bits of each random byte, and read back")
    func keys() throws {
        let key = FileKey(random: [UInt8](0..<26))
        #expect(key.text == "th-fabcdefghijklmnopqrstuvwxyz")
        #expect(FileKey(key.text) == key)
        #expect(FileLinkKey(random: [UInt8](repeating: 255, count: 26)).text == "th-l77777777777777777777777777")
    }

    @Test(
        "anything else is no key",
        arguments: [
            "", "th-f", "th-fabcdefghijklmnopqrstuvwxy", "th-fabcdefghijklmnopqrstuvwxyz2",
            "th-labcdefghijklmnopqrstuvwxyz",
            "th-fABCDEFGHIJKLMNOPQRSTUVWXYZ", "th-fabcdefghijklmnopqrstuvwxy1", "xx-fabcdefghijklmnopqrstuvwxyz",
        ])
    func strangers(_ text: String) { #expect(FileKey(text) == nil) }

    @Test("a hash is 64 digits in lower case")
    func hashes() throws {
        let bytes = [UInt8](0..<32)
        let hash = try #require(ContentHash(bytes))
        #expect(hash.hex == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
        #expect(ContentHash(hex: hash.hex) == hash)
        #expect(ContentHash(hex: hash.hex.uppercased()) == nil)
        #expect(ContentHash(hex: String(hash.hex.dropLast())) == nil)
        #expect(ContentHash([1, 2]) == nil)
    }
}
