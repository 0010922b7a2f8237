import ChatModel
import Execution
import Glibc
import Testing

@testable import Store

@Suite("A copy of the database while it is written to") struct SnapshotTests {
    private let text = String(repeating: "tea ", count: 1_000)

    private func filled(_ fixture: Fixture, _ count: Int) throws -> (UserID, ConversationID) {
        let romeo = try fixture.user("romeo")
        let group = try fixture.group("verona", owner: romeo)
        let appends = (0..<count).map { fixture.append("\($0) \(self.text)", from: romeo, to: groupAddress("verona")) }
        #expect(fixture.send(appends).allSatisfy { $0.accepted != nil })
        return (romeo, group)
    }

    /// The folder in which a test's copy lies, as a data folder.
    private func folder() -> TemporaryFolder {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        return folder
    }

    @Test("everything that was acknowledged before is in it, from the log too, and nothing that came later")
    func consistent() throws {
        let fixture = try Fixture { $0.appliesOnlyWhenAsked = true }
        let (romeo, group) = try self.filled(fixture, 800)
        let copy = self.folder()
        var (steps, sent): ([Int64], Int) = ([], 0)
        let facts = try fixture.store.takeSnapshot(at: "\(copy.data)/teahouse.db") { done, all in
            steps.append(done)
            #expect(done <= all)
            // A message is taken in the middle of it, and so is a change that is applied and committed.
            let answer = fixture.send("late \(sent)", from: romeo, to: groupAddress("verona"))
            #expect(answer.accepted != nil)
            #expect((try? fixture.store.writeAndWait { _ throws(StoreError) in }) != nil)
            sent += 1
            return true
        }
        #expect(facts?.messages == 800)
        #expect(steps.count > 2 && steps == steps.sorted())
        #expect(try fixture.bodies(group).count == 800 + sent)
        let report = try fixture.verify(copy)
        #expect(report.isClean, "\(report.findings)")
        #expect(report.messages == 800 && report.logged == 0)
        // The copy needs no log, and a second one is as good.
        #expect(access("\(copy.data)/teahouse.db-wal", F_OK) != 0)
        let second = self.folder()
        let more = try fixture.store.takeSnapshot(at: "\(second.data)/teahouse.db")
        #expect(more?.messages == Int64(800 + sent))
        #expect(try fixture.verify(second).isClean)
    }

    @Test("a message waits for no copy, however slow: the log is emptied again afterwards")
    func nobodyWaits() throws {
        let fixture = try Fixture()
        let (romeo, _) = try self.filled(fixture, 800)
        let copy = self.folder()
        var options = SnapshotOptions()
        // Half a second for what there is, in steps.
        options.bytesPerSecond = 8 * 1_024 * 1_024
        var isFirst = true
        _ = try fixture.store.takeSnapshot(at: "\(copy.data)/teahouse.db", options) { _, _ in
            guard isFirst else { return true }
            isFirst = false
            #expect(fixture.store.snapshots.areHeld)
            // What would empty the log returns although a snapshot is held.
            fixture.store.runMaintenance()
            #expect(fixture.send("x", from: romeo, to: groupAddress("verona")).accepted != nil)
            return true
        }
        #expect(!isFirst && !fixture.store.snapshots.areHeld)
        fixture.store.runMaintenance()
        var status = stat()
        #expect(stat("\(fixture.folder.data)/teahouse.db-wal", &status) == 0)
        #expect(status.st_size == 0)
    }

    @Test("a copy that is ended early, one for which the log grows too much, and one of a closing store leave nothing")
    func ended() throws {
        let fixture = try Fixture()
        let (romeo, _) = try self.filled(fixture, 800)
        let copy = self.folder()
        let path = "\(copy.data)/teahouse.db"
        #expect(try fixture.store.takeSnapshot(at: path) { done, all in done == all } == nil)
        #expect(access(path, F_OK) != 0)
        var options = SnapshotOptions()
        options.maximumLogBytes = 4_096
        #expect(throws: StoreError.self) {
            try fixture.store.takeSnapshot(at: path, options) { _, _ in
                _ = fixture.send("x", from: romeo, to: groupAddress("verona"))
                try? fixture.store.writeAndWait { transaction throws(StoreError) in
                    _ = try transaction.people.createUser(UserName("user-\(UInt64.random(in: 0...UInt64.max))")!)
                }
                return true
            }
        }
        #expect(access(path, F_OK) != 0)
        fixture.store.close()
        #expect(throws: StoreError.unavailable) { try fixture.store.takeSnapshot(at: path) }
        #expect(access(path, F_OK) != 0)
    }

    @Test("no server starts in a backup")
    func noServer() throws {
        let copy = self.folder()
        try Fixture(copy).store.close()
        let manifest = "\(copy.data)/\(backupManifestName)"
        let file = try #require(fopen(manifest, "w"))
        fclose(file)
        defer { unlink(manifest) }
        #expect(throws: StoreError.self) { try Store(StoreOptions(folder: copy.data)) }
    }

    @Test("when the last backup was made is kept in the folder")
    func lastBackup() throws {
        let folder = TemporaryFolder()
        defer { unlink("\(folder.path)/last-backup.json") }
        #expect(LastBackup.read(in: folder.path) == nil)
        let last = LastBackup(
            atMilliseconds: 1, verifiedAtMilliseconds: 2, name: "teahouse-茶", bytes: 3, proof: "0123456789abcdef00")
        #expect(last.proof == "0123456789abcdef")
        #expect(last.write(in: folder.path))
        #expect(LastBackup.read(in: folder.path) == last)
    }
}
