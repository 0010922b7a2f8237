import Testing
import WuKongCrypto

@Suite("Session keys")
struct SessionKeysTests {
    @Test("encrypt and decrypt the known payload, on both sides")
    func payloadVector() throws {
        let (client, server) = try sides()
        for keys in [client, server] {
            #expect(String(decoding: keys.encrypted(Array(Vectors.plain.utf8)), as: UTF8.self) == Vectors.encrypted)
            #expect(try keys.decrypt(Array(Vectors.encrypted.utf8)) == Array(Vectors.plain.utf8))
        }
    }

    @Test(
        "make the known message keys, on both sides",
        arguments: [
            (Vectors.sendSignature, Vectors.sendKey), (Vectors.receiveSignature, Vectors.receiveKey),
        ])
    func messageKeyVector(_ signature: String, _ key: String) throws {
        let (client, server) = try sides()
        for keys in [client, server] {
            #expect(keys.messageKey(signature, Array(Vectors.encrypted.utf8)) == key)
            let isKnown = keys.isMessageKey(
                Array(key.utf8), signing: Array(signature.utf8), Array(Vectors.encrypted.utf8))
            #expect(isKnown)
        }
    }

    @Test("every message starts anew, whatever went before and how long it was")
    func independent() throws {
        let (_, used) = try sides()
        for count in 0...100 {
            let payload = [UInt8](repeating: UInt8(count), count: count)
            let (_, fresh) = try sides()
            let (again, first) = (used.encrypted(payload), fresh.encrypted(payload))
            #expect(again == first)
            #expect(used.messageKey("sign\(count)", again) == fresh.messageKey("sign\(count)", first))
        }
    }

    @Test("what one side encrypts the other decrypts, for every length around a block", arguments: 0...70)
    func lengths(count: Int) throws {
        let (client, server) = try sides(salt: nil)
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        #expect(try client.decrypt(server.encrypted(payload)) == payload)
        #expect(try server.decrypt(client.encrypted(payload)) == payload)
    }

    @Test("a large payload survives")
    func large() throws {
        let (client, server) = try sides()
        let payload = (0..<300_001).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try client.decrypt(server.encrypted(payload)) == payload)
    }

    @Test("text is appended, and what stood before it stays")
    func appends() throws {
        let (_, server) = try sides()
        var text = Array("before".utf8)
        server.encrypt(Array(Vectors.plain.utf8), appendingTo: &text)
        #expect(String(decoding: text, as: UTF8.self) == "before" + Vectors.encrypted)
        server.messageKey(
            signing: Array(Vectors.sendSignature.utf8), Array(Vectors.encrypted.utf8), appendingTo: &text)
        #expect(String(decoding: text, as: UTF8.self) == "before" + Vectors.encrypted + Vectors.sendKey)
    }

    @Test("another field, payload or key makes a wrong message key")
    func wrongMessageKey() throws {
        let (_, server) = try sides()
        let key = Array(Vectors.sendKey.utf8)
        let (signature, payload) = (Array(Vectors.sendSignature.utf8), Array(Vectors.encrypted.utf8))
        #expect(!server.isMessageKey(key, signing: Array("8\(Vectors.sendSignature.dropFirst())".utf8), payload))
        #expect(!server.isMessageKey(key, signing: signature, Array(payload.dropLast())))
        #expect(!server.isMessageKey(Array(key.dropLast()), signing: signature, payload))
        #expect(!server.isMessageKey(Array(Vectors.sendKey.uppercased().utf8), signing: signature, payload))
        #expect(!server.isMessageKey([], signing: signature, payload))
    }

    @Test("a salt is 16 letters and digits, and a new one each time")
    func salts() throws {
        let salts = try (0..<50).map { _ in try sides(salt: nil).server.salt }
        #expect(Set(salts).count == salts.count)
        for salt in salts {
            #expect(salt.wholeMatch(of: /[A-Za-z0-9]{16}/) != nil)
        }
    }

    @Test("sessions of one workspace do not disturb each other")
    func sharedWorkspace() throws {
        let workspace = try CryptoWorkspace()
        let pair = try KeyPair(privateKey: Vectors.serverPrivate)
        let first = try SessionKeys(shared: pair, with: Vectors.clientPublic, salt: Vectors.salt, in: workspace)
        let another = try KeyPair(privateKey: [UInt8](65...96)).publicKeyBase64
        let second = try SessionKeys(shared: pair, with: another, salt: Vectors.salt, in: workspace)
        let other = second.encrypted(Array(Vectors.plain.utf8))
        #expect(String(decoding: first.encrypted(Array(Vectors.plain.utf8)), as: UTF8.self) == Vectors.encrypted)
        #expect(try second.decrypt(other) == Array(Vectors.plain.utf8))
        #expect(try first.decrypt(Array(Vectors.encrypted.utf8)) == Array(Vectors.plain.utf8))
        #expect(throws: WuKongCryptoError.payloadNotDecryptable) { try first.decrypt(other) }
    }
}

@Suite("Payloads that cannot be decrypted")
struct BrokenPayloadTests {
    @Test(
        "are refused for what they are",
        arguments: [
            ("", .payloadNotDecryptable), ("AAAA", .payloadNotDecryptable),
            ("AAAAAAAAAAAAAAAAAAAAAA==", .payloadNotDecryptable), ("Xh10EPPP5rWxvUSjeRjAuCCPqQmvV", .payloadNotBase64),
            ("{\"type\":1}", .payloadNotBase64), ("Xh10\u{e9}", .payloadNotBase64),
            ("Xh10EPPP5rWxvUSjeRjAuCCPqQmvV+1SC3HWu4vhOFA=", .payloadNotDecryptable),
        ] as [(String, WuKongCryptoError)])
    func refused(_ text: String, _ error: WuKongCryptoError) throws {
        let (_, server) = try sides()
        #expect(throws: error) { try server.decrypt(Array(text.utf8)) }
    }

    @Test("line breaks in the base64 are passed over", arguments: ["\n", "\r\n"])
    func lineBreaks(_ lineBreak: String) throws {
        let (_, server) = try sides()
        let text = Vectors.encrypted.prefix(20) + lineBreak + Vectors.encrypted.dropFirst(20) + lineBreak
        #expect(try server.decrypt(Array(text.utf8)) == Array(Vectors.plain.utf8))
    }
}
