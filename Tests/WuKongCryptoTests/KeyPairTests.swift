import ByteCodec
import Testing
import WuKongCrypto

@Suite("Key pairs")
struct KeyPairTests {
    @Test(
        "have the known public keys",
        arguments: [
            (Vectors.clientPrivate, Vectors.clientPublic), (Vectors.serverPrivate, Vectors.serverPublic),
        ])
    func publicKeys(_ privateKey: [UInt8], _ publicKey: String) throws {
        #expect(try KeyPair(privateKey: privateKey).publicKeyBase64 == publicKey)
    }

    @Test("random ones differ, and agree with each other")
    func random() throws {
        let (one, other) = (try KeyPair(), try KeyPair())
        #expect(one.publicKeyBase64 != other.publicKeyBase64)
        let here = try SessionKeys(shared: one, with: other.publicKeyBase64, in: try CryptoWorkspace())
        let there = try SessionKeys(
            shared: other, with: one.publicKeyBase64, salt: here.salt, in: try CryptoWorkspace())
        #expect(try there.decrypt(here.encrypted([1, 2, 3])) == [1, 2, 3])
    }

    @Test(
        "no key of a client is refused as such",
        arguments: [
            "", "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHA==", "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHwA",
            "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw", "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9_AsrhtHHw=",
            String(repeating: "A", count: 40_000), "\u{1F375}",
        ])
    func invalid(_ key: String) throws {
        #expect(throws: WuKongCryptoError.invalidPublicKey) {
            try SessionKeys(shared: try KeyPair(), with: key, in: try CryptoWorkspace())
        }
    }

    /// Points of low order: 0, 1, and one of order 8 (RFC 7748, section 6.1; the list is on cr.yp.to/ecdh.html).
    @Test(
        "a key that makes the secret known is refused",
        arguments: [
            String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31),
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ])
    func lowOrder(_ point: String) throws {
        let key = String(decoding: Base64.encode(try #require(Hex.decode(point))), as: UTF8.self)
        #expect(throws: WuKongCryptoError.weakPublicKey) {
            try SessionKeys(shared: try KeyPair(), with: key, in: try CryptoWorkspace())
        }
    }

    @Test("one pair agrees with many clients, whatever became of those before")
    func manyClients() throws {
        let (pair, workspace) = (try KeyPair(privateKey: Vectors.serverPrivate), try CryptoWorkspace())
        let weak = String(decoding: Base64.encode([UInt8](repeating: 0, count: 32)), as: UTF8.self)
        for _ in 0..<3 {
            #expect(throws: WuKongCryptoError.weakPublicKey) {
                try SessionKeys(shared: pair, with: weak, in: workspace)
            }
            #expect(throws: WuKongCryptoError.invalidPublicKey) {
                try SessionKeys(shared: pair, with: "", in: workspace)
            }
            let another = try KeyPair()
            let here = try SessionKeys(shared: pair, with: another.publicKeyBase64, in: workspace)
            let there = try SessionKeys(
                shared: another, with: pair.publicKeyBase64, salt: here.salt, in: try CryptoWorkspace())
            #expect(try there.decrypt(here.encrypted([1, 2, 3])) == [1, 2, 3])
            let known = try SessionKeys(shared: pair, with: Vectors.clientPublic, salt: Vectors.salt, in: workspace)
            #expect(try known.decrypt(Array(Vectors.encrypted.utf8)) == Array(Vectors.plain.utf8))
        }
    }

    @Test("a salt that is no initialisation vector is refused", arguments: ["", "0123456789abcde", "0123456789abcdé"])
    func badSalt(_ salt: String) throws {
        #expect(throws: WuKongCryptoError.invalidSalt) {
            try SessionKeys(
                shared: try KeyPair(), with: Vectors.clientPublic, salt: salt, in: try CryptoWorkspace())
        }
    }

    @Test("a key with a line break behind it is read")
    func lineBreak() throws {
        let keys = try SessionKeys(
            shared: try KeyPair(privateKey: Vectors.serverPrivate), with: Vectors.clientPublic + "\n",
            salt: Vectors.salt, in: try CryptoWorkspace())
        #expect(try keys.decrypt(Array(Vectors.encrypted.utf8)) == Array(Vectors.plain.utf8))
    }
}
