import CLinux
import Glibc
import Testing

@testable import MessageLog

@Suite("The log in a real folder") struct FolderDiskTests {
    /// A new folder, which goes with the value.
    private final class Folder {
        let path: String

        init() throws {
            var template = Array("/var/tmp/teahouse-log-XXXXXX".utf8CString)
            self.path = String(cString: try #require(mkdtemp(&template)))
        }

        deinit {
            for name in ["segment-0", "segment-1", "segment-2", "segment-3", "segment.new", "other"] {
                unlink("\(self.path)/log/\(name)")
            }
            rmdir("\(self.path)/log")
            rmdir(self.path)
        }
    }

    @Test("what one server wrote the next one reads, and uses the files again")
    func restarts() throws {
        let folder = try Folder()
        var applied: UInt64 = 0
        for run in 1...4 as ClosedRange<UInt32> {
            var owner = LogFixture.owner
            owner.run = run - 1
            let disk = try FolderDisk(folder.path + "/log")
            let log = try SegmentedLog(
                disk, owner: owner, applied: applied, expectedSegments: run == 1 ? 0 : 1, sizes: LogFixture.sizes)
            #expect(log.recovered.records.count == (run == 1 ? 0 : 5))
            applied += UInt64(log.recovered.records.count)
            try log.beginRun(run, after: applied)
            let first = Int64(applied) + 1
            for sequence in first..<first + 5 {
                try log.append([try LogFixture.batch(LogFixture.messages(sequence...sequence))])
            }
            #expect(log.segmentCount == 2)
        }
    }

    @Test("files are for their owner alone, and what was being made goes")
    func files() throws {
        let folder = try Folder()
        let disk = try FolderDisk(folder.path + "/log")
        disk.close(try disk.create("segment.new"))
        disk.close(try disk.create("other"))
        let log = try SegmentedLog(disk, owner: LogFixture.owner, applied: 0, sizes: LogFixture.sizes)
        try log.beginRun(2, after: 0)
        try log.append([try LogFixture.batch(LogFixture.messages(1...1))])
        #expect(try disk.names().sorted() == ["other", "segment-0"])
        var status = stat()
        #expect(stat(folder.path + "/log/segment-0", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(stat(folder.path + "/log", &status) == 0 && status.st_mode & 0o777 == 0o700)
    }

    @Test("a folder that cannot be made is a failure with its name")
    func noFolder() {
        #expect(throws: LogError.self) { try FolderDisk("/nowhere/at/all/log") }
    }
}
