import ChatModel
import LeanCloudImport
import Testing

@Suite("Rows of files, and addresses in texts") struct FileRowTests {
    private static func read(_ members: String) throws(RowProblem) -> [String] {
        let row = try FileImportRow.read(Array(#"{"objectId":"5f00000000000000000000f1"\#(members)}"#.utf8))
        return [
            row.name, row.mediaType, row.address, row.metadata.map { String(decoding: $0, as: UTF8.self) } ?? "",
            "\(row.createdAtMilliseconds)", "\(row.isElsewhere)", row.link?.text ?? "",
        ]
    }

    private static let date = #","createdAt":"1970-01-01T00:00:01.000Z""#

    @Test("a row is read with its name, type, address and metadata")
    func reads() throws {
        let link = "th-l" + String(repeating: "a", count: 26)
        #expect(
            try Self.read(
                Self.date
                    + #","name":"a\/..\/画\n.png","mime_type":"image/png","url":"http://x/k","key":"k","metaData":{"size":3}"#
            ) == ["画.png", "image/png", "http://x/k", #"{"size":3}"#, "1000", "false", ""])
        #expect(try Self.read(Self.date + #","url":"u","key":"\#(link)","mime_type":"undefined""#).last == link)
        #expect(try Self.read(Self.date + #","url":"u""#)[5] == "true")
        #expect(
            try Self.read(Self.date + #","url":"u","bucket":"b","metaData":{"__source":"external"}"#)[5] == "true")
    }

    @Test("a row that cannot be a file says why")
    func refuses() {
        #expect(throws: RowProblem.noTime) { try Self.read(#","url":"u""#) }
        #expect(throws: RowProblem.noContent) { try Self.read(Self.date) }
        #expect(throws: RowProblem.badMember("metaData")) { try Self.read(Self.date + #","url":"u","metaData":3"#) }
        let long = String(repeating: "a", count: AppLimits.addressBytes + 1)
        #expect(throws: RowProblem.tooLong("url", long.utf8.count)) { try Self.read(Self.date + #","url":"\#(long)""#) }
    }

    @Test(
        "strings of JSON that are an address are another one, and nothing else changes",
        arguments: [
            (#"{"url":"http://old/a","n":1.0}"#, #"{"url":"http://new/\"a","n":1.0}"#),
            (#"{"url" : "http:\/\/old\/a" }"#, #"{"url" : "http://new/\"a" }"#),
            (#"[["http://old/a"],"http://old/a"]"#, #"[["http://new/\"a"],"http://new/\"a"]"#),
            (#"{"t":"see http://old/a","u":"http://old/ab"}"#, nil),
            (#"{"http://old/a" : 1}"#, nil),
            (#"{"t":"\"http://old/a\""}"#, nil),
            (#"{"t":"http://old/a"#, nil),
            ("http://old/a", #"http://new/"a"#),
            ("see http://old/a", nil),
            ("", nil),
        ])
    func rewrites(_ text: String, _ expected: String?) {
        let result = AddressRewriting.rewrite(Array(text.utf8)) { $0 == "http://old/a" ? #"http://new/"a"# : nil }
        #expect(result.map { String(decoding: $0, as: UTF8.self) } == expected)
    }
}
