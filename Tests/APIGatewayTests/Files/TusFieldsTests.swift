import Testing
import Transfers

@testable import APIGateway

@Suite("Header fields of tus")
struct TusFieldsTests {
    @Test(
        "numbers are digits",
        arguments: [("0", 0), ("007", 7), ("9223372036854775807", Int64.max)] as [(String, Int64)])
    func numbers(_ text: String, _ number: Int64) {
        #expect(TusFields.number(text) == number)
    }

    @Test("and nothing else", arguments: ["", "-1", "+1", " 1", "1.0", "0x1", "9223372036854775808", "\u{661}"])
    func noNumbers(_ text: String) {
        #expect(TusFields.number(text) == nil)
    }

    @Test("metadata of the protocol's own example")
    func metadata() throws {
        let field = "filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,is_confidential"
        let pairs = try #require(TusFields.metadata(field))
        #expect(pairs.map(\.key) == ["filename", "is_confidential"])
        #expect(pairs.map(\.text) == ["world_domination_plan.pdf", ""])
        #expect(TusFields.metadata(pairs) == field)
    }

    @Test("metadata: blanks around, binary values, empty")
    func kindMetadata() throws {
        let pairs = try #require(TusFields.metadata(" a /w== , b "))
        #expect(pairs == [TusFields.MetadataPair(key: "a", value: [0xFF]), .init(key: "b", value: [])])
        #expect(TusFields.metadata("") == [])
    }

    @Test(
        "metadata that is none",
        arguments: [
            "a b c", "a ,", ",a", "a !!!", "a YQ", "a YQ==,a YQ==", "\u{4F60} YQ==", "a,,b",
            "a " + String(repeating: "QUFB", count: 1100),
            (0..<33).map { "k\($0)" }.joined(separator: ","),
        ])
    func badMetadata(_ field: String) {
        #expect(TusFields.metadata(field) == nil)
    }

    @Test("checksums of the three algorithms")
    func checksums() throws {
        let sha1 = try #require(TusFields.checksum("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0="))
        #expect(sha1.algorithm == .sha1 && sha1.digest.count == 20 && sha1.digest.first == 0x2A)
        #expect(TusFields.checksum("MD5 1B2M2Y8AsgTpgAmY7PhCfg==")?.algorithm == .md5)
        #expect(TusFields.checksum("sha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")?.algorithm == .sha256)
        for wrong in [
            "", "sha1", "sha1 ", "crc32 AAAAAA==", "sha1 AAAA", "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0= x", "sha1 ????",
        ] {
            #expect(TusFields.checksum(wrong) == nil, "\(wrong)")
        }
    }
}
