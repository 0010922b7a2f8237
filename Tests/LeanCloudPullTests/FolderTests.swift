import CZlib
import Glibc
import Testing

@testable import LeanCloudPull

@Suite("Sorted tables") final class SortedTableTests {
    private let folder: String

    init() throws {
        var template = Array("/tmp/teahouse-pull-XXXXXX".utf8CString)
        self.folder = String(cString: try #require(mkdtemp(&template)))
    }

    deinit {
        for name in Disk.names(in: self.folder) { unlink("\(self.folder)/\(name)") }
        rmdir(self.folder)
    }

    private func table(_ name: String = "t") -> SortedTable {
        SortedTable(path: "\(self.folder)/\(name).jsonl", logPath: "\(self.folder)/\(name).log") { line in
            line.first == UInt8(ascii: "-") ? nil : Array(line.prefix { $0 != UInt8(ascii: "=") })
        }
    }

    private func add(_ lines: [String], to table: SortedTable) throws {
        let log = try OutputFile.appending(table.logPath)
        for line in lines { try log.write(line: Array(line.utf8)) }
        try log.finish()
    }

    private func lines(_ table: SortedTable) throws -> [String] {
        var lines: [String] = []
        try table.forEach { lines.append(String(decoding: $0, as: UTF8.self)) }
        return lines
    }

    @Test(
        "the same comes of rows in any order, any number of times, in chunks of any size", arguments: [1, 40, 1 << 20])
    func order(_ chunk: Int) throws {
        var generator = SystemRandomNumberGenerator()
        let rows = (0..<200).map { "k\(100 + $0 % 90)=\($0 % 90)" }
        let table = self.table()
        for _ in 0..<3 {
            try self.add(rows.shuffled(using: &generator), to: table)
            try table.merge(chunkBytes: chunk)
        }
        #expect(try self.lines(table) == (0..<90).map { "k\(100 + $0)=\($0)" })
        #expect(Disk.names(in: self.folder) == ["t.jsonl"])
    }

    @Test("of one key the line that was written last stays; lines without a key go", arguments: [1, 1 << 20])
    func last(_ chunk: Int) throws {
        let table = self.table()
        try self.add(["b=1", "a=1", "-"], to: table)
        try table.merge(chunkBytes: chunk)
        try self.add(["a=2", "c=1", "a=3"], to: table)
        try table.merge(chunkBytes: chunk)
        #expect(try self.lines(table) == ["a=3", "b=1", "c=1"])
    }

    @Test("a last line without its end is none, and does not spoil the next one")
    func torn() throws {
        let table = self.table()
        try self.add(["a=1"], to: table)
        let log = try OutputFile(table.logPath, keeping: Disk.size(table.logPath))
        try log.write(Array("b=torn".utf8))
        try log.finish()
        try self.add(["c=1"], to: table)
        try table.merge()
        #expect(try self.lines(table) == ["a=1", "c=1"])
    }

    @Test("replaced as a whole, what else was there is told apart")
    func replaced() throws {
        let (old, new) = (self.table("old"), self.table("new"))
        try self.add(["a=1", "b=1", "d=1"], to: old)
        try old.merge()
        try self.add(["b=2", "c=2"], to: new)
        try new.merge(replaces: true)
        var missing: [String] = []
        try new.forEachMissing(of: old) { missing.append(String(decoding: $0, as: UTF8.self)) }
        #expect(missing == ["a=1", "d=1"])
    }

    @Test("a path that cannot be written says which and why")
    func refuses() throws {
        #expect(throws: PullError.disk(path: "/proc/teahouse/x", code: ENOENT)) { try OutputFile("/proc/teahouse/x") }
        #expect(throws: PullError.self) { try Disk.makeFolder("/proc/teahouse") }
    }

    @Test("two pulls do not work in one folder")
    func lock() throws {
        let first = try FolderLock(self.folder + "/lock", folder: "here")
        #expect(throws: PullError.alreadyRunning(path: "here")) {
            try FolderLock(self.folder + "/lock", folder: "here")
        }
        withExtendedLifetime(first) {}
    }
}

@Suite("Archives") struct ArchiveTests {
    /// A tar header and its content, padded.
    static func tar(_ name: String, _ content: String, kind: Character = "0") -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        header.replaceSubrange(0..<name.utf8.count, with: name.utf8)
        let size = String(content.utf8.count, radix: 8)
        let digits = String(repeating: "0", count: 11 - size.count) + size
        header.replaceSubrange(124..<135, with: digits.utf8)
        header[156] = kind.asciiValue ?? 0
        header.replaceSubrange(257..<262, with: "ustar".utf8)
        let padding = [UInt8](repeating: 0, count: (512 - content.utf8.count % 512) % 512)
        return header + Array(content.utf8) + padding
    }

    private func read(_ bytes: [UInt8], piece: Int) -> (files: [String: String], problem: TarReader.Problem?) {
        var reader = TarReader()
        var files: [String: String] = [:]
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + piece)
            let problem = reader.read(bytes[start..<end]) { name, content in
                files[name, default: ""] += String(decoding: content, as: UTF8.self)
            }
            if let problem { return (files, problem) }
            start = end
        }
        return (files, nil)
    }

    @Test("files come with their names, in pieces of any size", arguments: [1, 100, 512, 10_000])
    func tar(_ piece: Int) {
        let long = String(repeating: "d/", count: 80) + "_User.0.jsonl"
        let bytes =
            Self.tar("export/", "", kind: "5") + Self.tar("export/a.jsonl", "one\n")
            + Self.tar("././@LongLink", long + "\u{0}", kind: "L") + Self.tar("short", "two\n")
            + Self.tar("pax", "20 path=named/by-pax\n", kind: "x")
            + Self.tar("short", String(repeating: "x", count: 1_000))
            + [UInt8](repeating: 0, count: 1_024)
        let (files, problem) = self.read(bytes, piece: piece)
        #expect(problem == nil)
        #expect(
            files == [
                "export/a.jsonl": "one\n", long: "two\n", "named/by-pax": String(repeating: "x", count: 1_000),
            ])
    }

    @Test("a size that is no number is damage")
    func damaged() {
        var bytes = Self.tar("a", "b")
        bytes[124] = UInt8(ascii: "x")
        #expect(self.read(bytes, piece: 512).problem == .damaged)
    }

    /// `printf 'tea\n' | gzip -n`, twice.
    private let twice: [UInt8] = [
        0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0x2B, 0x49, 0x4D, 0xE4, 0x02, 0, 0xA2, 0x05, 0x5D, 0x74, 0x04, 0, 0,
        0,
    ]

    @Test("gzip, several members behind each other, byte by byte")
    func gzip() {
        let crc = withUnsafeBytes(of: UInt32(truncatingIfNeeded: crc32_z(0, Array("tea\n".utf8), 4)).littleEndian) {
            Array($0)
        }
        var member = self.twice
        member.replaceSubrange(16..<20, with: crc)
        let reader = GzipReader()
        var text: [UInt8] = []
        for byte in member + member {
            let isGood = reader.read([byte][...]) { text += $0 }
            #expect(isGood)
        }
        #expect(String(decoding: text, as: UTF8.self) == "tea\ntea\n")
        #expect(reader.isWhole)
        #expect(!GzipReader().read([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12][...]) { _ in })
    }
}
