import ChatModel
import Glibc
import Store
import TeahouseTesting
import Testing

@testable import Backup

@Suite("Restoring a backup") struct BackupRestoreTests {
    private func target() -> (folder: TemporaryFolder, path: String) {
        let folder = TemporaryFolder()
        return (folder, folder.path + "/new")
    }

    @Test("a new folder has everything, with the rights of a data folder, and a server starts in it")
    func whole() throws {
        let fixture = try BackupFixture()
        try fixture.write(Array("secret".utf8), fixture.data.path + "/app.key")
        let made = try fixture.backup()
        let (folder, path) = self.target()
        defer { withExtendedLifetime(folder) {} }
        let restored = try BackupRestore(made.path, to: path).run()
        #expect(restored.manifest == made.manifest)
        #expect(restored.facts.epoch != made.manifest.facts.database.epoch)
        #expect(!restored.hasConfiguration && !restored.hasDirectory)
        #expect(BackupFiles.all(in: path) == ["app.key", "teahouse.db"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        var options = StoreOptions(folder: path)
        options.ballastBytes = 0
        let store = try Store(options)
        let user = try store.readAndWait { reading throws(StoreError) in
            try reading.people.user(named: UserName("romeo")!)
        }
        #expect(user != nil)
        store.close()
        // The backup is as it was, and can be restored again.
        let again = self.target()
        #expect(try BackupRestore(made.path, to: again.path).run().facts.epoch != restored.facts.epoch)
        withExtendedLifetime(again.folder) {}
    }

    @Test("nothing is overwritten")
    func refuses() throws {
        let fixture = try BackupFixture()
        let made = try fixture.backup()
        let folder = TemporaryFolder()
        try fixture.write([1], folder.path + "/x")
        #expect(throws: BackupError.self) { try BackupRestore(made.path, to: folder.path).run() }
        #expect(BackupFiles.all(in: folder.path) == ["x"])
        #expect(throws: BackupError.self) { try BackupRestore(made.path, to: folder.path + "/x").run() }
        #expect(throws: BackupError.self) { try BackupRestore(made.path, to: fixture.data.path).run() }
    }

    @Test("what is not as the manifest says is not restored, and leaves nothing")
    func damaged() throws {
        let fixture = try BackupFixture()
        try fixture.write(Array("secret".utf8), fixture.data.path + "/app.key")
        let spoil: [(String) throws -> Void] = [
            { try fixture.write(Array("Secret".utf8), $0 + "/app.key") },
            { unlink($0 + "/app.key") },
            { unlink($0 + "/files.sha256") },
            { unlink($0 + "/manifest.json") },
            { path in
                let list = try BackupFiles.read(path + "/files.sha256", at: 0, atMost: 1_000)
                try fixture.write(list + list, path + "/files.sha256")
            },
            { path in
                var manifest = try BackupManifest.read(in: path)
                manifest.verifiedAtMilliseconds = nil
                try fixture.write(manifest.json, path + "/manifest.json")
            },
            { path in
                var bytes = try BackupFiles.read(path + "/teahouse.db", at: 0, atMost: 1 << 24)
                bytes[bytes.count / 2] ^= 1
                try fixture.write(bytes, path + "/teahouse.db")
            },
        ]
        for (number, spoil) in spoil.enumerated() {
            let made = try fixture.backup()
            try spoil(made.path)
            let (folder, path) = self.target()
            #expect(throws: BackupError.self, "\(number)") { try BackupRestore(made.path, to: path).run() }
            #expect(access(path, F_OK) != 0, "\(number)")
            withExtendedLifetime(folder) {}
        }
    }

    @Test("a backup that was broken off is none, whatever is in it")
    func partial() throws {
        let fixture = try BackupFixture()
        let made = try fixture.backup()
        #expect(rename(made.path, made.path + ".partial") == 0)
        let (folder, path) = self.target()
        #expect(throws: BackupError.self) { try BackupRestore(made.path + ".partial", to: path).run() }
        #expect(access(path, F_OK) != 0)
        withExtendedLifetime(folder) {}
    }
}
