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

    private func manifest(_ path: String, app: String = "app") throws -> PulledFolder? {
        let folder = TemporaryFolder()
        let text = #"{"format":1,"kind":"leancloud-pull","app":"\#(app)","tables":[{"path":"\#(path)","rows":1}]}"#
        try text.write(toFile: folder.path + "/manifest.json", atomically: true, encoding: .utf8)
        return try PulledFolder(folder.path)
    }

    @Test(
        "a manifest that names files outside of its folder is refused",
        arguments: ["messages/../../other", "/etc/passwd", "..", "messages//a", "./a", ""])
    func outside(_ path: String) throws {
        #expect(throws: PullError.self) { try self.manifest(path) }
    }

    @Test("a manifest with paths of a pull is read, and one with a name of an app that is none is refused")
    func named() throws {
        #expect(try self.manifest("messages/2026-01-02.jsonl")?.tables.map(\.path) == ["messages/2026-01-02.jsonl"])
        let long = String(repeating: "x", count: 1_025)
        #expect(throws: PullError.self) { try self.manifest("messages/a", app: long) }
    }

    @Test("a line without an end is refused at its bound, and the one that is as long is read")
    func longLine() throws {
        let folder = TemporaryFolder()
        let (path, bound) = (folder.path + "/lines", 1 << 20)
        let line = String(repeating: "x", count: bound)
        try "short\n\(line)\n".write(toFile: path, atomically: true, encoding: .utf8)
        let whole = try #require(try LineReader(path, maximumBytes: bound))
        #expect(try whole.next()?.count == 5)
        #expect(try whole.next()?.count == bound)
        #expect(try whole.next() == nil)
        let endless = String(repeating: "x", count: 2 * bound)
        try "short\n\(endless)".write(toFile: path, atomically: true, encoding: .utf8)
        let reader = try #require(try LineReader(path, maximumBytes: bound))
        #expect(try reader.next()?.count == 5)
        #expect(throws: PullError.input(path: path, reason: "line 2 has more than \(bound) bytes")) {
            _ = try reader.next()
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
