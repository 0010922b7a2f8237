import ChatModel
import Execution
import Glibc
import struct SQLite.FreeList
import Testing

@testable import Store

@Suite("Blocks of free pages")
struct FreePagesTests {
    /// Bytes of the file that are not on the disk.
    private static func holes(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) - Int64(status.st_blocks) * 512 : 0
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        return bytes
    }

    private static let body = String(repeating: "tea ", count: 500)

    @Test("go back to the file system while the server runs, and the pages are used again")
    func back() throws {
        let verona = try Verona { options in
            options.retention[.advancedTeam] = RetentionRule(messages: 5)
            options.freeBytesKept = 64 * 1_024
        }
        let path = "\(verona.fixture.folder.data)/teahouse.db"
        for number in 1...600 { try verona.say("\(number) \(Self.body)", verona.romeo) }
        // Retention, and a look for free pages.
        for _ in 1...3 {
            verona.advance(seconds: 6 * 3_600)
            verona.fixture.store.runMaintenance()
        }
        #expect(try verona.fixture.bodies(verona.id).count == 5)
        let list = try #require(try Self.list(path))
        #expect(list.count > 200)
        // All leaves but those of 64 KiB, and a rest for what the file system keeps of its own.
        #expect(Self.holes(path) > Int64(list.leaves.count - 16 - 16) * 4_096)
        // What is written next takes the pages that kept their blocks, then the others.
        for number in 601...900 { try verona.say("\(number) \(Self.body)", verona.romeo) }
        verona.fixture.store.runMaintenance()
        #expect(try #require(try Self.list(path)).count < list.count - 100)
        let bodies = try verona.fixture.bodies(verona.id)
        let again = try verona.fixture.reopened()
        #expect(try again.bodies(verona.id) == bodies)
        #expect(try again.verified().findings == [])
    }

    @Test("stay on the disk where they are few")
    func stay() throws {
        let verona = try Verona { options in
            options.retention[.advancedTeam] = RetentionRule(messages: 5)
            options.freeBytesKept = 4 << 20
        }
        let path = "\(verona.fixture.folder.data)/teahouse.db"
        for number in 1...300 { try verona.say("\(number) \(Self.body)", verona.romeo) }
        for _ in 1...3 {
            verona.advance(seconds: 6 * 3_600)
            verona.fixture.store.runMaintenance()
        }
        #expect(try #require(try Self.list(path)).count > 100)
        #expect(Self.holes(path) < 64 * 4_096)
    }

    @Test("a page that a commit has taken between two slices keeps what it holds")
    func taken() throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let path = "\(folder.data)/teahouse.db"
        let connection = try Connection(path: path, role: .writer(synchronous: "FULL"))
        try connection.script("CREATE TABLE cup (number INTEGER PRIMARY KEY, tea TEXT NOT NULL)")
        let page = String(repeating: "tea ", count: 800)
        func pour(_ numbers: ClosedRange<Int64>) throws(StoreError) {
            for number in numbers {
                try connection.run("INSERT INTO cup (number, tea) VALUES (?, ?)", number, page)
            }
        }
        try pour(1...1_500)
        // A row fills a page. Every second one goes, so that there are more runs than one slice takes.
        try connection.run("DELETE FROM cup WHERE number % 2 = 0")
        let clock = ManualClock()
        let pages = FreePages(path, keptBytes: 4_096, .silent, clock.clock)
        #expect(try pages.slice(connection))
        try pour(2_001...2_600)
        #expect(try pages.slice(connection) == false, "another commit ends it")
        clock.advance(milliseconds: 600_000)
        var slices = 0
        while try pages.slice(connection) { slices += 1 }
        #expect(slices > 0)
        // From the file: the pages that this connection has in its memory are not asked.
        let reader = try Connection(path: path, role: .reader)
        let whole = try reader.first("SELECT count(*) FROM cup WHERE tea = ?", page) { row throws(StoreError) in
            row.int64(0)
        }
        #expect(whole == Int64(750 + 600))
        let check = try reader.query("PRAGMA integrity_check") { row throws(StoreError) in row.text(0) }
        #expect(check == ["ok"])
    }

    private static func list(_ path: String) throws -> FreeList? {
        let bytes = try Self.bytes(path)
        return FreeList(mostLeaves: .max) { offset, count in
            Int(offset) + count <= bytes.count ? Array(bytes[Int(offset)..<Int(offset) + count]) : nil
        }
    }

    @Test("a list that contradicts itself is none")
    func broken() {
        let pageBytes = 512
        var file = [UInt8](repeating: 0, count: 6 * pageBytes)
        func set(_ value: UInt32, at offset: Int) {
            for index in 0..<4 { file[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index)) }
        }
        func read() -> FreeList? {
            FreeList(mostLeaves: .max) { offset, count in
                Int(offset) + count <= file.count ? Array(file[Int(offset)..<Int(offset) + count]) : nil
            }
        }
        #expect(read() == nil, "no database")
        file.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
        (file[16], file[17]) = (2, 0)
        set(6, at: 28)
        #expect(read()?.leaves == [])
        // Trunk 3 with the leaves 6 and 2, then trunk 4 with the leaf 5.
        set(3, at: 32)
        set(5, at: 36)
        set(4, at: 2 * pageBytes)
        set(2, at: 2 * pageBytes + 4)
        set(6, at: 2 * pageBytes + 8)
        set(2, at: 2 * pageBytes + 12)
        set(0, at: 3 * pageBytes)
        set(1, at: 3 * pageBytes + 4)
        set(5, at: 3 * pageBytes + 8)
        #expect(read()?.leaves == [2, 5, 6] && read()?.count == 5)
        let sound = file
        let changes: [(String, UInt32, Int)] = [
            ("a trunk outside of the file", 7, 32), ("fewer pages than the trunks name", 3, 36),
            ("more leaves than a trunk has room for", 200, 2 * pageBytes + 4),
            ("page 1 as a leaf", 1, 2 * pageBytes + 8),
            ("a leaf outside of the file", 7, 2 * pageBytes + 8), ("a ring of trunks", 3, 3 * pageBytes),
            ("a file without as many pages", 600, 32),
        ]
        for (what, value, offset) in changes {
            file = sound
            set(value, at: offset)
            #expect(read() == nil, "\(what)")
        }
    }
}
