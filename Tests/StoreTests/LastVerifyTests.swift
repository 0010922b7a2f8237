import Glibc
import Testing

@testable import Store

@Suite("When a folder was last verified") struct LastVerifyTests {
    private func put(_ text: String, in folder: TemporaryFolder) throws {
        let file = try #require(fopen("\(folder.path)/last-verify.json", "w"))
        fputs(text, file)
        fclose(file)
    }

    @Test("what was written is read, the newest replaces the one before, and only the owner may read it")
    func written() throws {
        let folder = TemporaryFolder()
        #expect(LastVerify.read(in: folder.path) == nil)
        let first = LastVerify(atMilliseconds: 1_800_000_000_000, findings: 3, isQuick: true)
        #expect(first.write(in: folder.path))
        #expect(LastVerify.read(in: folder.path) == first)
        let second = LastVerify(atMilliseconds: 1_900_000_000_000, findings: 0, isQuick: false)
        #expect(second.write(in: folder.path))
        #expect(LastVerify.read(in: folder.path) == second)
        var status = stat()
        #expect(stat("\(folder.path)/last-verify.json", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(access("\(folder.path)/last-verify.json.new", F_OK) != 0)
    }

    @Test("a folder that is not there, and one in which something is in the way, is left alone")
    func unwritable() throws {
        let verify = LastVerify(atMilliseconds: 1, findings: 0, isQuick: false)
        #expect(!verify.write(in: "/tmp/no-teahouse-here"))
        let folder = TemporaryFolder()
        #expect(mkdir("\(folder.path)/last-verify.json", 0o700) == 0)
        #expect(!verify.write(in: folder.path))
        #expect(LastVerify.read(in: folder.path) == nil)
        #expect(access("\(folder.path)/last-verify.json.new", F_OK) != 0)
    }

    @Test(
        "what cannot be read is unknown",
        arguments: [
            "", "{", "[]", #"{"at":"x","findings":0,"quick":false}"#, #"{"at":-1,"findings":0,"quick":false}"#,
            #"{"at":1,"findings":-1,"quick":false}"#, #"{"at":1,"findings":0}"#,
            #"{"at":1,"findings":0,"quick":false}"# + String(repeating: " ", count: 2_000),
        ])
    func unreadable(_ text: String) throws {
        let folder = TemporaryFolder()
        try self.put(text, in: folder)
        #expect(LastVerify.read(in: folder.path) == nil)
    }

    @Test("a pipe in its place does not hold the reader up")
    func pipe() throws {
        let folder = TemporaryFolder()
        #expect(mkfifo("\(folder.path)/last-verify.json", 0o600) == 0)
        #expect(LastVerify.read(in: folder.path) == nil)
    }
}
