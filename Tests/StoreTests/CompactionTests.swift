import ChatModel
import Glibc
import Testing

@testable import Store

@Suite("Compacting a stopped server's database")
struct CompactionTests {
    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("gives free pages back, keeps everything that is in it, and leaves nothing beside it")
    func smaller() throws {
        let verona = try Verona { $0.retention[.advancedTeam] = RetentionRule(messages: 5) }
        let body = String(repeating: "tea ", count: 500)
        for number in 1...300 { try verona.say("\(number) \(body)", verona.romeo) }
        verona.advance(seconds: 2 * 3_600)
        verona.fixture.store.runMaintenance()
        verona.advance(seconds: 6 * 3_600)
        verona.fixture.store.runMaintenance()
        let bodies = try verona.fixture.bodies(verona.id)
        #expect(bodies.count == 5)
        verona.fixture.store.close()
        let data = verona.fixture.folder.data
        let compaction = try compactFolder(data)
        #expect(compaction.after < compaction.before - 400_000, "\(compaction)")
        #expect(Self.mode("\(data)/teahouse.db") == 0o600)
        for name in ["teahouse.db.compact", "teahouse.db.compact-wal", "teahouse.db-wal"] {
            #expect(access("\(data)/\(name)", F_OK) != 0, "\(name)")
        }
        let again = try verona.fixture.reopened()
        #expect(try again.bodies(verona.id) == bodies)
        let sent = try #require(again.send("next", from: verona.romeo, to: .id(verona.id)).accepted)
        #expect(sent.message.sequence == 301)
        #expect(try again.verified().findings == [])
    }

    @Test("is refused while a server runs and where there is no database, and loses nothing after one that was killed")
    func refused() throws {
        let verona = try LoggedMessageTests.verona()
        // The second one is in the log alone.
        for text in ["one", "two"] { try verona.say(text, verona.romeo) }
        #expect(throws: StoreError.alreadyRunning(verona.fixture.folder.data)) {
            try compactFolder(verona.fixture.folder.data)
        }
        // Refused, or carried out: what the log alone holds is there afterwards.
        let killed = try verona.fixture.folder.copied()
        _ = Result { try compactFolder(killed.data) }
        #expect(access("\(killed.data)/teahouse.db.compact", F_OK) != 0)
        let opened = try Fixture(killed, clock: verona.fixture.clock)
        #expect(try opened.bodies(verona.id) == ["one", "two"])
        let empty = TemporaryFolder()
        mkdir(empty.data, 0o700)
        #expect(throws: StoreError.self) { try compactFolder(empty.data) }
    }
}
