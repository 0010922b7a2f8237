import ChatModel
import Execution
import Glibc
import TeahouseTesting
import Testing

@testable import Backup
@testable import Store

/// A folder whose database goes through an upgrade. Its tables are today's; the number of its schema is set back.
private final class UpgradedFolder {
    static let older = Int64(newestSchemaVersion - 1)
    let folder = TemporaryFolder()
    let clock = ManualClock()

    var path: String { self.folder.path }

    private var options: StoreOptions {
        var options = StoreOptions(folder: self.path)
        options.ballastBytes = 0
        options.logRoomBytes = 32 * 1_024 * 1_024
        options.stopWritingFreeBytes = 0
        options.clock = self.clock.clock
        return options
    }

    /// Opens the store, adds people and closes it again.
    func add(_ names: [String]) throws {
        let store = try Store(self.options)
        defer { store.close() }
        for name in names {
            try store.writeAndWait { transaction throws(StoreError) in
                _ = try transaction.people.createUser(UserName(name)!)
            }
        }
    }

    func people() throws -> [String] {
        let store = try Store(self.options)
        defer { store.close() }
        return try ["romeo", "juliet"].filter { name in
            try store.readAndWait { reading throws(StoreError) in try reading.people.user(named: UserName(name)!) }
                != nil
        }
    }

    func connection() throws -> Connection {
        try Connection(path: DataFolder.databasePath(in: self.path), role: .writer(synchronous: "OFF"))
    }

    func setSchema(_ version: Int64) throws { try self.connection().script("PRAGMA user_version = \(version)") }

    /// Makes the copy that a start makes before the upgrade.
    @discardableResult
    func copy() throws -> UpgradeCopy {
        let upgrade = try #require(try SchemaUpgrade(DataFolder(self.path)))
        return try UpgradeCopy.make(
            upgrade, version: "2.0", now: self.clock.clock.wallMilliseconds(), withoutCopy: "--no-upgrade-copy")
    }

    /// Makes the copy, and is upgraded.
    @discardableResult
    func upgrade() throws -> UpgradeCopy {
        try self.setSchema(Self.older)
        let copy = try self.copy()
        try self.setSchema(Int64(newestSchemaVersion))
        return copy
    }

    var rollback: Rollback {
        var options = RestoreOptions()
        options.clock = self.clock.clock
        return Rollback(self.path, options)
    }

    var epoch: Int64 { get throws { try self.connection().meta("epoch") } }
}

@Suite("Going back from an upgrade") struct RollbackTests {
    @Test("what came since is told, kept beside and gone; numbers go on above it")
    func back() throws {
        let folder = UpgradedFolder()
        try folder.add(["romeo"])
        let epoch = try folder.epoch
        let copy = try folder.upgrade()
        #expect(copy.from == UpgradedFolder.older && copy.canJump && !copy.hasLog)
        try folder.add(["juliet"])
        let planned = try folder.rollback.look()
        #expect(planned.lostMessages == 0 && !planned.mayMissContents)
        #expect(try schemaVersion(ofDatabaseIn: folder.path) == newestSchemaVersion)
        let done = try folder.rollback.run()
        #expect(done.copy == copy)
        #expect(try schemaVersion(ofDatabaseIn: folder.path) == Int(UpgradedFolder.older))
        #expect(try folder.epoch != epoch)
        #expect(try folder.connection().sequenceFloor() >= 1_000_000)
        // The newer one is whole.
        let newer = try Connection(path: "\(done.newer)/teahouse.db", role: .reader)
        #expect(try newer.schemaVersion() == newestSchemaVersion)
        #expect(
            try newer.first("SELECT count(*) FROM user WHERE name = 'juliet'") { row throws(StoreError) in row.int64(0)
            }
                == 1)
        #expect(throws: BackupError.self, "there is nothing to go back from") { try folder.rollback.run() }
        try folder.setSchema(Int64(newestSchemaVersion))
        #expect(try folder.people() == ["romeo"])
        #expect(try verifyFolder(folder.path).findings == [])
    }

    @Test("where nothing came since, all is as it was")
    func unchanged() throws {
        let folder = UpgradedFolder()
        try folder.add(["romeo"])
        let epoch = try folder.epoch
        try folder.upgrade()
        _ = try folder.rollback.run()
        #expect(try folder.epoch == epoch)
        #expect(try folder.connection().sequenceFloor() == 0)
    }

    @Test("is refused where clients would miss messages, and changes nothing")
    func cannotJump() throws {
        let folder = UpgradedFolder()
        try folder.add(["romeo"])
        let copy = try folder.upgrade()
        let note = "\(copy.path)/copy.json"
        let text = String(decoding: try BackupFiles.read(note, at: 0, atMost: 4_096), as: UTF8.self)
        let parts = text.split(separator: "\"canJump\":true", omittingEmptySubsequences: false)
        #expect(parts.count == 2)
        unlink(note)
        _ = try BackupFiles.write(note) { offset throws(BackupError) in
            Array(Array(parts.joined(separator: "\"canJump\":false").utf8).dropFirst(Int(offset)))
        }
        try folder.add(["juliet"])
        #expect(throws: BackupError.self) { try folder.rollback.run() }
        #expect(try schemaVersion(ofDatabaseIn: folder.path) == newestSchemaVersion)
        #expect(try folder.people() == ["romeo", "juliet"])
    }

    @Test("is refused while a server runs, without a copy, and with one that is damaged")
    func refused() throws {
        let folder = UpgradedFolder()
        try folder.add(["romeo"])
        #expect(throws: BackupError.self) { try folder.rollback.run() }
        let copy = try folder.upgrade()
        do {
            let held = try StoppedFolder(folder.path)
            #expect(throws: BackupError.store(.alreadyRunning(folder.path))) { try folder.rollback.run() }
            withExtendedLifetime(held) {}
        }
        let database = "\(copy.path)/teahouse.db"
        var bytes = try BackupFiles.read(database, at: 0, atMost: 1 << 26)
        bytes[bytes.count / 2] ^= 1
        unlink(database)
        _ = try BackupFiles.write(database) { offset throws(BackupError) in Array(bytes.dropFirst(Int(offset))) }
        #expect(throws: BackupError.self) { try folder.rollback.run() }
        #expect(try folder.people() == ["romeo"])
    }

    @Test("an upgrade that fails again and again uses its first copy; another state gets another, and two are kept")
    func copies() throws {
        let folder = UpgradedFolder()
        try folder.add(["romeo"])
        try folder.setSchema(UpgradedFolder.older)
        let first = try folder.copy()
        #expect(try folder.copy() == first)
        #expect(UpgradeCopy.all(in: folder.path) == [first])
        var all = [first]
        for name in ["juliet", "nurse"] {
            try folder.setSchema(Int64(newestSchemaVersion))
            try folder.add([name])
            folder.clock.advance(milliseconds: 60_000)
            try folder.setSchema(UpgradedFolder.older)
            all.append(try folder.copy())
        }
        #expect(UpgradeCopy.all(in: folder.path) == all)
        UpgradeCopy.prune(in: folder.path)
        #expect(UpgradeCopy.all(in: folder.path) == Array(all.suffix(2)))
        // One that was broken off is none.
        #expect(rename(all[2].path, all[2].path + ".partial") == 0)
        #expect(UpgradeCopy.all(in: folder.path) == [all[1]])
    }

    @Test("contents are kept for a young copy alone")
    func contents() throws {
        let folder = UpgradedFolder()
        try folder.add(["romeo"])
        let copy = try folder.upgrade()
        let keeps = { UpgradeCopy.keepsContents(in: folder.path, now: copy.atMilliseconds + $0) }
        #expect(keeps(0) && keeps(UpgradeCopy.youngMilliseconds - 1))
        #expect(!keeps(UpgradeCopy.youngMilliseconds) && !keeps(-1))
    }

    @Test("a rollback that was broken off between its two renames is finished by the next one")
    func brokenOff() throws {
        let folder = UpgradedFolder()
        try folder.add(["romeo"])
        try folder.upgrade()
        try folder.add(["juliet"])
        // As after a kill: the log and the index have gone, the database has not.
        let partial = "\(folder.path)/after-rollback/schema-9-20260101T000000Z.partial"
        try BackupFiles.makeFolder(partial)
        #expect(rename("\(folder.path)/log", "\(partial)/log") == 0)
        let done = try folder.rollback.run()
        #expect(BackupFiles.names(in: "\(folder.path)/after-rollback") == ["schema-9-20260101T000000Z"])
        #expect(BackupFiles.names(in: done.newer).contains("log"))
        #expect(try schemaVersion(ofDatabaseIn: folder.path) == Int(UpgradedFolder.older))
    }
}
