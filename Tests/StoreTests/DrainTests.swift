import ChatModel
import Execution
import Glibc
import MessageLog
import Testing

@testable import Store

@Suite("Draining the store")
struct DrainTests {
    @Test("puts everything that was acknowledged into the database and says how far the store has come")
    func drained() throws {
        let verona = try LoggedMessageTests.verona()
        let told = Lock<StorePosition?>(nil)
        verona.fixture.store.onPosition = { position in told.withLock { $0 = position } }
        for number in 1...20 { try verona.say("m\(number)", verona.romeo) }
        #expect(try LoggedMessageTests.rows(in: verona.fixture.folder) == 0)
        let standing = try verona.fixture.store.drainAndWait()
        #expect(try LoggedMessageTests.rows(in: verona.fixture.folder) == 20)
        #expect(standing.records == 20 && standing.position == told.withLock { $0 })
        #expect(try verona.fixture.store.drainAndWait() == standing)
        #expect(try verona.read { store throws(StoreError) in try store.standing } == standing)
        // A change that is no record moves the position and not the number of records.
        let juliet = verona.juliet
        try verona.write { store throws(StoreError) in try store.people.setDisabled(juliet, true) }
        let changed = try verona.fixture.store.drainAndWait()
        #expect(changed.position == told.withLock { $0 } && changed.position > standing.position)
        #expect(changed.records == 20 && changed.epoch == standing.epoch)
        try verona.say("m21", verona.romeo)
        #expect(try verona.fixture.store.drainAndWait().records == 21)
        #expect(try verona.isSound() == [])
    }

    @Test("waits for what is being synced, and tells it first")
    func order() throws {
        let hand = HeldDisk.Hand()
        let verona = try LoggedMessageTests.verona(hand)
        try verona.say("first", verona.romeo)
        // The position of the first message is told after its outcome.
        try verona.fixture.store.drainAndWait()
        let log = ConditionLock<[String]>([])
        verona.fixture.store.onPosition = { _ in log.change { $0.append("told") } }
        hand.hold()
        let append = verona.fixture.append("second", from: verona.romeo, to: .id(verona.id))
        verona.fixture.store.append([append])
        hand.waitForSync()
        verona.fixture.store.drain { _ in log.change { $0.append("drained") } }
        #expect(log.read { $0 } == [])
        hand.release()
        #expect(log.wait(until: { $0.contains("drained") }, then: { $0 }) == ["told", "drained"])
        #expect(try LoggedMessageTests.rows(in: verona.fixture.folder) == 2)
        #expect(try verona.isSound() == [])
    }

    @Test("fails when the log has failed, and when the store was closed")
    func failed() throws {
        let hand = HeldDisk.Hand()
        let verona = try LoggedMessageTests.verona(hand)
        hand.fail(with: .failed("planted"))
        verona.fixture.store.append([verona.fixture.append("lost", from: verona.romeo, to: .id(verona.id))])
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try verona.fixture.store.drainAndWait() }
            #expect(error?.reach == .server)
        }
        let other = try LoggedMessageTests.verona()
        other.fixture.store.close()
        #expect(throws: StoreError.unavailable) { try other.fixture.store.drainAndWait() }
    }

    @Test("leaves nothing of a recalled message in the log's files where that is asked for")
    func erased() throws {
        let verona = try LoggedMessageTests.verona()
        let place = try verona.say("a plague on both your houses", verona.romeo)
        let romeo = verona.romeo
        try verona.write { store throws(StoreError) in try store.messages.recall(place, by: Actor(romeo)) }
        try verona.fixture.store.drainAndWait()
        #expect(try LoggedMessageTests.logHolds("a plague", in: verona.fixture.folder))
        try verona.fixture.store.drainAndWait(erasing: true)
        #expect(try !LoggedMessageTests.logHolds("a plague", in: verona.fixture.folder))
        try verona.say("after", verona.romeo)
        let again = try verona.fixture.killed()
        #expect(try again.bodies(verona.id).last == "after")
        #expect(try again.verified().findings == [])
    }

    @Test("makes a copy of the database whole, which stands alone once it is detached")
    func copied() throws {
        let verona = try LoggedMessageTests.verona()
        for number in 1...5 { try verona.say("m\(number)", verona.romeo) }
        let standing = try verona.fixture.store.drainAndWait()
        let copy = try verona.fixture.copied()
        for name in TemporaryFolder.segments { unlink("\(copy.data)/\(name)") }
        #expect(throws: StoreError.self) { try Fixture(copy) }
        try detachFromLog(databaseAt: "\(copy.data)/teahouse.db")
        let alone = try Fixture(copy, clock: verona.fixture.clock)
        #expect(try alone.bodies(verona.id) == (1...5).map { "m\($0)" })
        let copied = try alone.store.readAndWait { store throws(StoreError) in try store.standing }
        #expect(copied == standing)
        #expect(alone.send("m6", from: verona.romeo, to: .id(verona.id)).accepted?.message.sequence == 6)
        #expect(try alone.verified().findings == [])
    }

    @Test("comes before a range of messages is deleted, with what refers to them and what resends are known by")
    func deletedRange() throws {
        let verona = try Verona()
        let name = try #require(UserName("juliet"))
        for number in 1...6 {
            try verona.say("m\(number)", verona.romeo, token: "t\(number)", mentions: Mentions(users: [name]))
        }
        try verona.fixture.store.drainAndWait()
        verona.fixture.store.close()
        let path = verona.fixture.folder.data + "/teahouse.db"
        let connection = try Connection(path: path, role: .writer(synchronous: "FULL"))
        let tokens = try TokenIndex(connection, try Sequencer(connection), roundKeys: 1_000)
        let token = try #require(ClientToken(Array("t2".utf8)))
        #expect(try tokens.sequence(of: token, from: verona.romeo, in: verona.id) == 2)
        try connection.run("BEGIN IMMEDIATE")
        #expect(try connection.deleteOldestMessages(in: verona.id, through: 4, limit: 3, tokens, at: 0) == 3)
        #expect(try connection.deleteOldestMessages(in: verona.id, through: 4, limit: 3, tokens, at: 0) == 1)
        #expect(try connection.deleteOldestMessages(in: verona.id, through: 4, limit: 3, tokens, at: 0) == 0)
        try connection.run("COMMIT")
        #expect(try tokens.sequence(of: token, from: verona.romeo, in: verona.id) == nil)
        for sql: StaticString in [
            "SELECT group_concat(sequence) FROM message", "SELECT group_concat(sequence) FROM reminder",
        ] {
            #expect(try connection.first(sql) { row throws(StoreError) in row.text(0) } == "5,6")
        }
    }
}
