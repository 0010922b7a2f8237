import ByteCodec
import Glibc
import Testing

@testable import LeanCloudPull

/// The folder of a pull, written from rows that somebody else has.
struct FolderWriterTests {
    private let path: String

    init() throws {
        var template = Array("/tmp/teahouse-writer-XXXXXX".utf8CString)
        self.path = String(cString: try #require(mkdtemp(&template)))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try Disk.read("\(self.path)/\(name)") ?? [], as: UTF8.self)
    }

    private func message(_ time: Int64, _ id: String) -> [UInt8] {
        Array(#"{"timestamp":\#(time),"conv-id":"c","msg-id":"\#(id)"}"#.utf8)
    }

    @Test("rows are sorted, messages stand in their days by time, contents are hashed, and all of it is counted")
    func whole() throws {
        let writer = try FolderWriter(self.path, source: "here", app: "app", command: "test")
        try writer.begin(class: "_File")
        try writer.begin(class: "_Role")
        for id in ["b2", "a1"] {
            let row = Array(#"{"objectId":"\#(id)","name":"x.txt","url":"http://h/\#(id)"}"#.utf8)
            try writer.add(row: row, of: "_File")
            var pieces: [[UInt8]] = [[1, 2], [3], []]
            try writer.add(contentOf: row) { .success(pieces.removeFirst()) }
        }
        let gone = Array(#"{"objectId":"c3","url":"http://h/c3"}"#.utf8)
        try writer.add(contentOf: gone) { .failure(ContentFailure("never came", isGone: true)) }
        // 2026-07-15 and the day before, out of order.
        for (time, id) in [(1_784_073_600_001, "late"), (1_784_073_599_999, "early"), (1_784_073_600_000, "first")] {
            try writer.add(message: self.message(Int64(time), id))
        }
        let odd = Array(#"{"objectId":"小明"}"#.utf8)
        try writer.add(row: odd, of: "_Role")
        try writer.add(exportedUser: Array(#"{"objectId":"u1","password":"h"}"#.utf8))
        let report = try writer.finish()
        #expect(report.classes.map(\.name) == ["_File", "_Role"] && report.classes.map(\.here) == [2, 0])
        #expect(report.classes.map(\.odd) == [0, 1] && report.classes.allSatisfy { $0.missing == 0 })
        #expect(try self.text("odd/_Role.jsonl").contains(String(decoding: Base64.encode(odd), as: UTF8.self)))
        #expect(report.messages.here == 3 && report.files.here == 2 && report.fileBytes == 6)
        #expect(report.badFileCount == 1 && !report.isWhole && report.exported.here == 1)
        #expect(try self.text("classes/_File.jsonl").hasPrefix(#"{"objectId":"a1""#))
        #expect(Disk.names(in: self.path + "/messages") == ["2026-07-14.jsonl", "2026-07-15.jsonl"])
        let day = try self.text("messages/2026-07-15.jsonl").split(separator: "\n")
        #expect(day.count == 2 && day[0].contains("first") && day[1].contains("late"))
        #expect(try Disk.read(self.path + "/files/a1/a1-x.txt") == [1, 2, 3])
        let sum = Digest.of(.sha256, [1, 2, 3])
        #expect(try self.text("SHA256SUMS").contains("\(sum)  files/b2/b2-x.txt\n"))
        #expect(try self.text("manifest.json").contains(#""messages":3,"contents":2,"contentBytes":6"#))
        #expect(try self.text("files.jsonl").contains(#""state":"gone","why":"never came""#))
        #expect(Disk.names(in: self.path + "/.pull").filter { $0.hasSuffix(".log") || $0.hasSuffix(".jsonl") } == [])
    }

    @Test("a folder that holds something is left alone")
    func full() throws {
        try Disk.write([1], to: self.path + "/mine")
        #expect(throws: PullError.notEmpty(path: self.path)) {
            _ = try FolderWriter(self.path, source: "here", app: "app", command: "test")
        }
        #expect(try Disk.read(self.path + "/mine") == [1])
    }
}
