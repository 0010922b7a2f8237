import Testing
import WuKongWire

struct CompactAcknowledgementTests {
    static let start = "{\"method\":\"recvack\",\"params\":{\"header\":{"

    func id(_ text: String) -> Int64? {
        Array(text.utf8).withUnsafeBytes { CompactAcknowledgement.messageID(in: $0) }
    }

    @Test("is the id that the full reader finds", arguments: ["", "\"redDot\":true"])
    func recognised(header: String) throws {
        let text = Self.start + header + "},\"messageId\":\"7529532519813742593\",\"messageSeq\":17}}"
        #expect(self.id(text) == 7_529_532_519_813_742_593)
        let full = try Array(text.utf8).withUnsafeBytes { bytes throws(WuKongRequestError) in
            try WuKongRequest(decoding: bytes)
        }
        #expect(full == .receiveAcknowledge(messageID: 7_529_532_519_813_742_593))
    }

    @Test("cut anywhere it is nothing")
    func cut() {
        let text = Array((Self.start + "},\"messageId\":\"12\",\"messageSeq\":1}}").utf8)
        for count in 0..<text.count {
            #expect(text[..<count].withUnsafeBytes { CompactAcknowledgement.messageID(in: $0) } == nil)
        }
    }

    @Test(
        "every other form is left to the full reader",
        arguments: [
            "},\"messageId\":\"\",\"messageSeq\":1}}", "},\"messageId\":\"01\",\"messageSeq\":1}}",
            "},\"messageId\":\"1\",\"messageSeq\":}}", "},\"messageId\":\"1\",\"messageSeq\":01}}",
            "},\"messageId\":\"-1\",\"messageSeq\":1}}", "},\"messageId\":1,\"messageSeq\":1}}",
            "},\"messageId\":\"1\",\"messageSeq\":1}} ", "},\"messageId\":\"1\",\"messageSeq\":1},\"id\":1}",
            "},\"messageId\":\"9223372036854775808\",\"messageSeq\":1}}",
            "\"redDot\":true,\"redDot\":true},\"messageId\":\"1\",\"messageSeq\":1}}",
            "\"dup\":true},\"messageId\":\"1\",\"messageSeq\":1}}",
        ])
    func others(rest: String) {
        #expect(self.id(Self.start + rest) == nil)
    }
}
