import WuKongCrypto

/// One handshake, computed outside of this package; its AES and MD5 parts were checked with crypto-js.
enum Vectors {
    static let clientPrivate = [UInt8](1...32)
    static let clientPublic = "B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw="
    static let serverPrivate = [UInt8](33...64)
    static let serverPublic = "WGmv9FBUlzLLqu1eXfmzCm2jHLDldCutWtShp2jxpns="
    static let salt = "0123456789abcdef"
    static let plain = #"{"type":1,"content":"hello"}"#
    static let encrypted = "Xh10EPPP5rWxvUSjeRjAuCCPqQmvV+1SC3HWu4vhOFo="
    static let clientMessageNumber = "c0ffee00-0000-4000-8000-000000000001"
    /// clientSeq, clientMsgNo, channelId, channelType.
    static let sendSignature = "7" + clientMessageNumber + "bob" + "1"
    static let sendKey = "e870191afc94db8d8d13d63830142870"
    /// messageId, messageSeq, clientMsgNo, timestamp, fromUid, channelId, channelType.
    static let receiveSignature = "123456789012345678942" + clientMessageNumber + "1700000000alicealice1"
    static let receiveKey = "75ffb1913c031242813389be226a9b67"
}

/// The keys of the handshake as each side has them.
func sides(salt: String? = Vectors.salt) throws -> (client: SessionKeys, server: SessionKeys) {
    let server = try SessionKeys(
        shared: try KeyPair(privateKey: Vectors.serverPrivate), with: Vectors.clientPublic, salt: salt,
        in: try CryptoWorkspace())
    let client = try SessionKeys(
        shared: try KeyPair(privateKey: Vectors.clientPrivate), with: Vectors.serverPublic, salt: server.salt,
        in: try CryptoWorkspace())
    return (client, server)
}

extension SessionKeys {
    func encrypted(_ payload: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        self.encrypt(payload, appendingTo: &text)
        return text
    }

    func messageKey(_ signature: String, _ payload: [UInt8]) -> String {
        var digits: [UInt8] = []
        self.messageKey(signing: Array(signature.utf8), payload, appendingTo: &digits)
        return String(decoding: digits, as: UTF8.self)
    }
}
