import CLinux
import ChatModel
import Glibc
import Testing

@testable import Store

@Suite("The data folder")
struct FolderTests {
    @Test("is made with the folders above it, for its owner only")
    func made() throws {
        let temporary = TemporaryFolder()
        let path = "\(temporary.path)/a/b/data"
        var options = StoreOptions(folder: path)
        options.ballastBytes = 0
        options.stopWritingFreeBytes = 0
        let store = try Store(options)
        defer { store.close() }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(stat("\(path)/teahouse.db", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("belongs to one server at a time, and is free after it")
    func lock() throws {
        let fixture = try Fixture()
        #expect(throws: StoreError.alreadyRunning(fixture.folder.data)) { try Fixture(fixture.folder) }
        #expect(throws: StoreError.alreadyRunning(fixture.folder.data)) { try verifyFolder(fixture.folder.data) }
        fixture.store.close()
        _ = try Fixture(fixture.folder)
    }

    @Test("is refused while others may write to it", arguments: [mode_t(0o720), 0o702, 0o777])
    func permissions(_ mode: mode_t) throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        chmod(folder.data, mode)
        #expect(throws: StoreError.self) { try Fixture(folder) }
        chmod(folder.data, 0o700)
        _ = try Fixture(folder)
    }

    @Test("that is a file is refused")
    func notAFolder() throws {
        let folder = TemporaryFolder()
        close(clinux_open(folder.data, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: StoreError.self) { try Fixture(folder) }
        unlink(folder.data)
    }

    @Test("of a newer teahouse is refused and not changed")
    func newerSchema() throws {
        let folder = TemporaryFolder()
        try Fixture(folder).store.close()
        let path = DataFolder.databasePath(in: folder.data)
        try Connection(path: path, role: .writer(synchronous: "FULL")).script("PRAGMA user_version = 99")
        let refusal = StoreError.schemaTooNew(found: 99, supported: newestSchemaVersion)
        #expect(throws: refusal) { try Fixture(folder) }
        #expect(throws: refusal) { try verifyFolder(folder.data) }
        #expect(try Connection(path: path, role: .reader).schemaVersion() == 99)
    }

    @Test("with a file that is no database fails, and verify says so")
    func notADatabase() throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let file = clinux_open(DataFolder.databasePath(in: folder.data), O_CREAT | O_WRONLY, 0o600)
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: 8_192)
        #expect(write(file, text, text.count) == text.count)
        close(file)
        #expect(throws: StoreError.self) { try Fixture(folder) }
        #expect(try verifyFolder(folder.data).findings.map(\.kind) == [.damagedFile])
    }

    @Test(
        "whose database is gone is not taken for a new one, by the store, by verify, by doctor",
        arguments: LostDatabase.traces)
    func lost(_ trace: String) throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        #expect(lostDatabase(in: folder.data) == nil)
        mkdir("\(folder.data)/\(trace)", 0o700)
        defer { rmdir("\(folder.data)/\(trace)") }
        let refusal = LostDatabase.isMissing(folder: folder.data, trace: trace).error
        #expect(throws: refusal) { try Fixture(folder) }
        #expect(throws: refusal) { try verifyFolder(folder.data) }
        #expect(lostDatabase(in: folder.data)?.contains(trace) == true)
        #expect(access(DataFolder.databasePath(in: folder.data), F_OK) != 0)
    }

    @Test("whose database is empty, or has no tables, is not taken for a new one", arguments: [0, 4_096])
    func emptied(_ bytes: Int) throws {
        let folder = TemporaryFolder()
        try Fixture(folder).store.close()
        let path = DataFolder.databasePath(in: folder.data)
        #expect(truncate(path, 0) == 0)
        // A database that SQLite has made and nobody has written to.
        if bytes > 0 { _ = try Connection(path: path, role: .writer(synchronous: "OFF")) }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == bytes)
        let lost = bytes == 0 ? LostDatabase.isEmpty(folder.data) : .hasNoTables(folder.data)
        #expect(throws: lost.error) { try Fixture(folder) }
        #expect(throws: lost.error) { try verifyFolder(folder.data) }
        #expect(stat(path, &status) == 0 && status.st_size == bytes)
    }

    @Test("goes on where the first start was interrupted")
    func interrupted() throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let path = DataFolder.databasePath(in: folder.data)
        for name in ["", "-wal", "-shm"] {
            close(clinux_open("\(path).new\(name)", O_CREAT | O_WRONLY, 0o600))
        }
        let fixture = try Fixture(folder)
        _ = try fixture.user("romeo")
        #expect(access("\(path).new", F_OK) != 0)
        fixture.store.close()
        #expect(try verifyFolder(folder.data).findings.isEmpty)
    }

    @Test("a disk that fails is no mistake in the configuration", arguments: [EIO, EUCLEAN, EACCES, ENOENT, ENOSPC])
    func failures(_ reason: Int32) {
        let error = DataFolder.failure("make /srv/teahouse", reason)
        switch reason {
        case ENOSPC: #expect(error == .full)
        case EIO, EUCLEAN:
            guard case .fatal(let text) = error else { return #expect(Bool(false), "\(error)") }
            #expect(text.contains("make /srv/teahouse"))
        default:
            guard case .invalid = error else { return #expect(Bool(false), "\(error)") }
        }
    }

    @Test("keeps its ballast while there is room")
    func ballast() throws {
        let fixture = try Fixture { $0.ballastBytes = 1024 * 1024 }
        var status = stat()
        #expect(stat("\(fixture.folder.data)/ballast", &status) == 0 && status.st_size == 1024 * 1024)
    }

    @Test("is left with an empty log when the store is closed")
    func closedLog() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        fixture.send("hi", from: romeo, to: direct("romeo"))
        _ = try fixture.unread(romeo)
        fixture.store.close()
        #expect(access("\(fixture.folder.data)/teahouse.db-wal", F_OK) != 0)
    }
}

@Suite("Migrations")
struct MigrationTests {
    /// The schemas ever shipped, and what a further step would add.
    private static let next =
        migrations + [
            Migration(
                version: newestSchemaVersion + 1, sql: "ALTER TABLE user ADD COLUMN colour INTEGER NOT NULL DEFAULT 7")
        ]

    @Test("a database of each version reaches the newest, with what it holds", arguments: 1...newestSchemaVersion)
    func upgrade(_ version: Int) throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let path = DataFolder.databasePath(in: folder.data)
        let connection = try Connection(path: path, role: .writer(synchronous: "FULL"))
        try connection.makeDatabase(ofVersion: version)
        try connection.script("INSERT INTO user (name, created_at) VALUES ('romeo', 1)")
        try connection.migrate(Self.next, clock: 3, epoch: 4)
        #expect(try connection.schemaVersion() == newestSchemaVersion + 1)
        let rows = try connection.query("SELECT name, colour FROM user ORDER BY id") { row throws(StoreError) in
            "\(row.text(0)) \(row.int64(1))"
        }
        #expect(rows == ["____system 7", "romeo 7"])
        let epoch = try connection.first("SELECT value FROM meta WHERE key = 'epoch'") { row throws(StoreError) in
            row.int64(0)
        }
        #expect(epoch == 2)
    }

    @Test("a step that fails leaves the old database as it was")
    func failingStep() throws {
        let folder = TemporaryFolder()
        try Fixture(folder).store.close()
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "FULL"))
        let steps =
            Self.next + [
                Migration(version: newestSchemaVersion + 2, sql: "CREATE TABLE half (x); CREATE TABLE user (x)")
            ]
        #expect(throws: StoreError.self) { try connection.migrate(steps, clock: 1, epoch: 2) }
        #expect(try connection.schemaVersion() == newestSchemaVersion)
        let added = try connection.query("SELECT name FROM pragma_table_info('user') WHERE name = 'colour'") {
            row throws(StoreError) in row.text(0)
        }
        #expect(added == [])
    }
}
