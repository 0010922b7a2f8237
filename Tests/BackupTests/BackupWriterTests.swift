import ChatModel
import Execution
import Glibc
import Store
import TeahouseTesting
import Testing

@testable import Backup

/// A store with some messages, and a folder for backups beside it.
final class BackupFixture {
    let data = TemporaryFolder()
    let shelf = TemporaryFolder()
    let store: Store

    init() throws {
        var options = StoreOptions(folder: self.data.path)
        options.ballastBytes = 0
        options.logRoomBytes = 32 * 1_024 * 1_024
        options.stopWritingFreeBytes = 0
        self.store = try Store(options)
        try self.store.writeAndWait { transaction throws(StoreError) in
            _ = try transaction.people.createUser(UserName("romeo")!)
        }
    }

    deinit { self.store.close() }

    var source: LiveSource {
        LiveSource(self.store, LiveBackupOptions(folder: self.data.path, version: "1.0", tokenDays: 30))
    }

    func write(_ bytes: [UInt8], _ path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    @discardableResult
    func backup() throws -> MadeBackup { try BackupWriter(self.shelf.path).run(self.source) }

    var names: [String] { BackupFiles.names(in: self.shelf.path).filter { $0 != ".lock" } }
}

@Suite("Writing a backup") struct BackupWriterTests {
    @Test("of the journal of sign-ins, files that never change are links, and the newest is copied")
    func journal() throws {
        let fixture = try BackupFixture()
        let folder = fixture.data.path + "/sign-ins"
        #expect(mkdir(folder, 0o700) == 0)
        let (old, new) = ("000000000001-20260101.log", "000000000003-20260102.log")
        try fixture.write(Array("first".utf8), "\(folder)/\(old)")
        try fixture.write(Array("second".utf8), "\(folder)/\(new)")
        let first = try fixture.backup()
        try fixture.write(Array("second and third".utf8), "\(folder)/\(new)")
        let second = try fixture.backup()
        func status(_ made: MadeBackup, _ name: String) -> stat {
            var status = stat()
            #expect(stat("\(made.path)/sign-ins/\(name)", &status) == 0)
            return status
        }
        #expect(status(first, old).st_ino == status(second, old).st_ino)
        #expect(status(first, new).st_size == 6 && status(second, new).st_size == 16)
        let list = try BackupList.read(in: second.path, try BackupManifest.read(in: second.path))
        #expect(list.paths.contains("sign-ins/\(old)") && list.paths.contains("sign-ins/\(new)"))
    }

    @Test("keys are in it and what a server makes anew is not; the manifest and sha256sum agree")
    func files() throws {
        let fixture = try BackupFixture()
        try fixture.write(Array("secret".utf8), fixture.data.path + "/app.key")
        #expect(mkdir(fixture.data.path + "/tls", 0o700) == 0)
        try fixture.write(Array("pem".utf8), fixture.data.path + "/tls/茶.pem")
        for name in ["search.db", "ballast", "last-verify.json", "app.key.new"] {
            try fixture.write([1], "\(fixture.data.path)/\(name)")
        }
        let made = try fixture.backup()
        #expect(fixture.names == [made.name])
        let manifest = try BackupManifest.read(in: made.path)
        #expect(manifest == made.manifest && manifest.verifiedAtMilliseconds != nil)
        let list = try BackupList.read(in: made.path, manifest)
        #expect(list.paths == ["app.key", "teahouse.db", "tls/茶.pem"])
        for path in list.paths {
            #expect(try BackupFiles.hash("\(made.path)/\(path)").hash == list.hashes[path])
        }
        #expect(Set(BackupFiles.all(in: made.path)) == Set(list.paths + ["files.sha256", "manifest.json"]))
        var status = stat()
        #expect(stat(made.path + "/app.key", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("a backup that is ended leaves nothing, and what a killed one left goes with the next")
    func partial() throws {
        let fixture = try BackupFixture()
        var writer = BackupWriter(fixture.shelf.path)
        writer.isWanted = { false }
        #expect(throws: BackupError.ended) { try writer.run(fixture.source) }
        #expect(fixture.names.isEmpty)
        let rest = "\(fixture.shelf.path)/teahouse-20260101T000000Z.partial"
        #expect(mkdir(rest, 0o700) == 0)
        try fixture.write([1], "\(rest)/teahouse.db")
        let made = try fixture.backup()
        #expect(fixture.names == [made.name])
        #expect(BackupShelf(fixture.shelf.path).newest == made.path)
    }

    @Test("a stop of the server does not wait for the end of a verification")
    func endedWhileVerified() throws {
        let fixture = try BackupFixture()
        var writer = BackupWriter(fixture.shelf.path)
        let shelf = fixture.shelf.path
        let looks = Lock(0)
        // The list of files is there when the verification begins.
        let isVerified: @Sendable () -> Bool = {
            BackupFiles.names(in: shelf).contains { BackupFiles.size("\(shelf)/\($0)/files.sha256") != nil }
        }
        writer.isWanted = {
            guard isVerified() else { return true }
            return looks.withLock { looks in
                looks += 1
                return looks < 3
            }
        }
        #expect(throws: BackupError.ended) { try writer.run(fixture.source) }
        // It was asked within the first statements, broken off there, and asked for why.
        #expect(looks.withLock { $0 } <= 5)
        #expect(fixture.names.isEmpty)
    }

    @Test("a folder without a manifest, or with one that was not verified, is no backup")
    func unverified() throws {
        let fixture = try BackupFixture()
        let made = try fixture.backup()
        var manifest = made.manifest
        manifest.verifiedAtMilliseconds = nil
        try fixture.write(manifest.json, "\(made.path)/manifest.json")
        #expect(BackupShelf(fixture.shelf.path).all.isEmpty)
        unlink("\(made.path)/manifest.json")
        #expect(BackupShelf(fixture.shelf.path).all.isEmpty)
        #expect(throws: BackupError.self) { try BackupManifest.read(in: made.path) }
        // The next one does without it.
        let next = try fixture.backup()
        #expect(BackupShelf(fixture.shelf.path).newest == next.path)
    }

    @Test("a copy that is not in order does not count, and is not kept")
    func unsound() throws {
        let fixture = try BackupFixture()
        let source = SpoilingSource(fixture.source)
        #expect(throws: BackupError.self) { try BackupWriter(fixture.shelf.path).run(source) }
        #expect(fixture.names.isEmpty)
    }

    @Test("two backups into one folder at once are refused")
    func twice() throws {
        let fixture = try BackupFixture()
        var writer = BackupWriter(fixture.shelf.path)
        var inner: BackupError?
        writer.progress = { progress in
            guard progress.phase == .files, inner == nil else { return }
            do throws(BackupError) {
                _ = try BackupWriter(fixture.shelf.path).run(SpoilingSource(fixture.source))
            } catch {
                inner = error
            }
        }
        _ = try writer.run(fixture.source)
        guard case .refused = inner else {
            Issue.record("\(String(describing: inner))")
            return
        }
    }

    @Test("names of backups sort by time, and a second one of the same second has its own")
    func names() throws {
        let folder = TemporaryFolder()
        #expect(BackupName.next(at: 1_795_455_012_345, in: folder.path) == "teahouse-20261123T173012Z")
        #expect(mkdir("\(folder.path)/teahouse-20261123T173012Z", 0o700) == 0)
        #expect(BackupName.next(at: 1_795_455_012_345, in: folder.path) == "teahouse-20261123T173012Z-2")
        for path in ["", "/etc", "a/../b", "a//b", "./a", "a\nb"] { #expect(!BackupList.isInside(path), "\(path)") }
    }
}

/// A real source, one byte of whose database is another on the way.
private final class SpoilingSource: BackupSource {
    private let source: LiveSource

    init(_ source: LiveSource) { self.source = source }

    func begin(progress: (Int64, Int64) -> Void) throws(BackupError) -> BackupFacts {
        try self.source.begin(progress: progress)
    }

    func items(after: String?) throws(BackupError) -> BackupPage { try self.source.items(after: after) }

    func read(_ path: String, at offset: Int64) throws(BackupError) -> [UInt8] {
        var bytes = try self.source.read(path, at: offset)
        if path == "teahouse.db", offset == 0 { for index in 8_192..<12_288 { bytes[index] ^= 0x55 } }
        return bytes
    }
}
