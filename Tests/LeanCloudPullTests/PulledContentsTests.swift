import Foundation
import LeanCloudPull
import TeahouseTesting
import Testing

@Suite("Contents of a pulled folder") struct PulledContentsTests {
    private static let hash = "01064c082a57b792544bbb6d2cb9cef502a54cfd915642ad70fcbd562758afdd"

    private static func folder(_ lines: [String], content: String = "the picture") throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/files/a1", withIntermediateDirectories: true)
        try content.write(toFile: folder.path + "/files/a1/a1", atomically: true, encoding: .utf8)
        try "secret".write(toFile: folder.path + "/other", atomically: true, encoding: .utf8)
        try lines.map { $0 + "\n" }.joined().write(
            toFile: folder.path + "/files.jsonl", atomically: true, encoding: .utf8)
        return folder
    }

    private static func entry(_ id: String, _ path: String, _ bytes: Int = 11, _ state: String = "ok") -> String {
        #"{"objectId":"\#(id)","state":"\#(state)","path":"\#(path)","bytes":\#(bytes),"sha256":"\#(hash)","why":"w","url":"u"}"#
    }

    @Test("a content is found in any order of ids, with what its entry remarks")
    func finds() throws {
        let folder = try Self.folder([
            Self.entry("a1", "files/a1/a1"), "no JSON", Self.entry("a2", "files/a1/a1", 11, "differs"),
            #"{"objectId":"a3","state":"gone","why":"HTTP 404","url":"u"}"#,
        ])
        let contents = PulledContents(folder.path)
        guard case .here(let first) = try contents.find("a1"), case .here(let second) = try contents.find("a2") else {
            Issue.record("a content is not found")
            return
        }
        #expect(try first.isWhole() && first.bytes == 11 && first.remark == nil)
        #expect(second.remark?.contains("w") == true)
        #expect(try contents.find("a3") == .missing("gone, HTTP 404"))
        #expect(try contents.find("a1") == .here(first))
        guard case .missing = try contents.find("a4") else {
            Issue.record("a content that nobody has is found")
            return
        }
    }

    @Test(
        "what is not there, of another size, or outside of the folder's contents is missing",
        arguments: [
            entry("a1", "files/a1/none"), entry("a1", "files/a1/a1", 12), entry("a1", "other", 6),
            entry("a1", "files/../other", 6), "",
        ])
    func misses(_ line: String) throws {
        let folder = try Self.folder([line])
        guard case .missing = try PulledContents(folder.path).find("a1") else {
            Issue.record("it was found")
            return
        }
    }

    @Test("a content that was changed is not whole")
    func changed() throws {
        let folder = try Self.folder([Self.entry("a1", "files/a1/a1")], content: "the victure")
        guard case .here(let content) = try PulledContents(folder.path).find("a1") else {
            Issue.record("it was not found")
            return
        }
        #expect(try !content.isWhole())
    }
}
