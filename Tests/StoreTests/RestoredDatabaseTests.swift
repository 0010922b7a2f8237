import ChatModel
import Glibc
import Testing

@testable import Store

@Suite("A database that was restored") struct RestoredDatabaseTests {
    /// A copy of a store, prepared as a restore does it, and a store on it.
    private func restored(
        _ fixture: Fixture, endsSessions: Bool = false
    ) throws -> (fixture: Fixture, facts: RestoreFacts) {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let path = "\(folder.data)/teahouse.db"
        _ = try fixture.store.takeSnapshot(at: path)
        var options = RestoreOptions()
        options.clock = fixture.clock.clock
        options.endsSessions = endsSessions
        let facts = try prepareRestored(path, options)
        return (try Fixture(folder, clock: fixture.clock), facts)
    }

    private func epoch(_ fixture: Fixture) throws -> Int64 {
        try fixture.store.readAndWait { reading throws(StoreError) in try reading.feed.epoch }
    }

    @Test("goes on above every number that clients may have seen, in conversations old and new, and verifies")
    func jumps() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        for text in ["1", "2", "3"] { fixture.send(text, from: romeo, to: groupAddress("verona")) }
        let (other, facts) = try self.restored(fixture)
        // Lost: more messages, a direct conversation, a person.
        for text in ["4", "5", "6"] {
            let lost = try #require(fixture.send(text, from: romeo, to: groupAddress("verona")).accepted)
            #expect(lost.message.sequence <= 6)
        }
        let lostDirect = try #require(fixture.send("a", from: romeo, to: direct("juliet")).accepted)
        let lostPerson = try fixture.user("tybalt")
        #expect(try self.epoch(other) == facts.epoch && facts.epoch != self.epoch(fixture))
        #expect(facts.floor > 1_000_000 - 1)
        let first = try #require(other.send("after", from: juliet, to: groupAddress("verona"), token: "t").accepted)
        #expect(first.message.sequence == facts.floor + 1 && !first.isDuplicate)
        #expect(first.message.id > lostDirect.message.id)
        let second = try #require(other.send("then", from: juliet, to: groupAddress("verona")).accepted)
        #expect(second.message.sequence == facts.floor + 2)
        // A resend of the first is the first.
        let again = try #require(other.send("after", from: juliet, to: groupAddress("verona"), token: "t").accepted)
        #expect(again.isDuplicate && again.message.sequence == facts.floor + 1)
        let newDirect = try #require(other.send("b", from: romeo, to: direct("juliet")).accepted)
        #expect(newDirect.message.sequence == facts.floor + 1)
        #expect(try other.user("paris").rawValue > lostPerson.rawValue)
        // Pages, halving searches and counts go over the gap.
        #expect(try other.bodies(verona) == ["1", "2", "3", "after", "then"])
        let messages = try other.store.readAndWait { reading throws(StoreError) in
            try reading.messages.latest(in: verona, limit: 10, as: .unrestricted)
        }
        for message in messages {
            let found = try other.store.readAndWait { reading throws(StoreError) in
                try reading.messages.place(of: message.id, in: verona)
            }
            #expect(found?.sequence == message.sequence)
        }
        let counts = try other.store.readAndWait { reading throws(StoreError) in try reading.messages.counts() }
        #expect(counts.messages == 6)
        let after = try other.store.readAndWait { reading throws(StoreError) in
            try reading.messages.page(in: verona, after: 2, limit: 10, as: .unrestricted).map(\.sequence)
        }
        #expect(after == [3, facts.floor + 1, facts.floor + 2])
        #expect(try other.verified().findings == [])
    }

    @Test("a position in the range that was passed over stands on the last message before it")
    func positions() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        for text in ["1", "2", "3"] { fixture.send(text, from: romeo, to: groupAddress("verona")) }
        let (other, facts) = try self.restored(fixture)
        #expect(try other.unread(juliet)[verona] == 3)
        fixture.send("4", from: romeo, to: groupAddress("verona"))
        other.send("after", from: romeo, to: groupAddress("verona"))
        #expect(try other.unread(juliet)[verona] == 4)
        // She had read up to 6, which nobody knows here.
        let read = try other.store.writeAndWait { transaction throws(StoreError) in
            try transaction.inbox.markRead(juliet, in: verona, upTo: 6)
        }
        #expect(read.sequence == 3 && read.unread == 1)
        try other.store.writeAndWait { transaction throws(StoreError) in
            try transaction.inbox.recordDelivered([
                DeliveredPosition(user: juliet, deviceClass: .app, conversation: verona, sequence: facts.floor)
            ])
        }
        let ranges = try other.store.readAndWait { reading throws(StoreError) in
            try reading.conversations.undelivered(of: juliet, class: .app)
        }
        #expect(ranges.map(\.from) == [3])
        let behind = try other.store.readAndWait { reading throws(StoreError) in
            try reading.conversations.sequence(behindNewest: 2, of: verona, head: facts.floor + 1)
        }
        #expect(behind == 2)
        #expect(try other.verified().findings == [])
    }

    @Test("a second restore jumps again, and verify finds a jump that was not recorded, or of which nothing is there")
    func twice() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        fixture.send("1", from: romeo, to: groupAddress("verona"))
        let (other, facts) = try self.restored(fixture)
        other.send("2", from: romeo, to: groupAddress("verona"))
        let (third, later) = try self.restored(other)
        #expect(later.floor > facts.floor + 1)
        third.send("3", from: romeo, to: groupAddress("verona"))
        #expect(try third.bodies(verona) == ["1", "2", "3"])
        #expect(try third.verified().findings == [])
        let (id, floor) = (verona.rawValue, facts.floor)
        for (damage, repair) in [
            ("DELETE FROM sequence_gap WHERE first = 2", "INSERT INTO sequence_gap VALUES (\(id), 2, \(floor))"),
            (
                "UPDATE sequence_gap SET last = last - 1 WHERE first = 2",
                "UPDATE sequence_gap SET last = last + 1 WHERE first = 2"
            ),
            (
                "INSERT INTO sequence_gap VALUES (\(id), 1, \(later.floor))", "DELETE FROM sequence_gap WHERE first = 1"
            ),
        ] {
            let path = "\(third.folder.data)/teahouse.db"
            try Connection(path: path, role: .writer(synchronous: "OFF")).script(damage)
            #expect(try third.verify(third.folder).findings.contains { $0.kind == .sequence }, "\(damage)")
            try Connection(path: path, role: .writer(synchronous: "OFF")).script(repair)
        }
        #expect(try third.verify(third.folder).findings == [])
    }

    @Test("every sign-in ends when that was asked for, and none otherwise", arguments: [true, false])
    func sessions(_ ends: Bool) throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.connection.run(
                """
                INSERT INTO device_token (token_hash, user_id, device_class, device_level, created_at, last_seen_at)
                VALUES (x'01', ?, 'app', 1, 1, 1)
                """, romeo)
        }
        let (other, _) = try self.restored(fixture, endsSessions: ends)
        let counts = try other.store.readAndWait { reading throws(StoreError) in try reading.messages.counts() }
        #expect(counts.tokens == (ends ? 0 : 1))
        let revoked = try other.store.readAndWait { reading throws(StoreError) in
            try reading.connection.first("SELECT count FROM session_revocation WHERE user_id = ?", romeo) {
                row throws(StoreError) in row.int64(0)
            }
        }
        #expect(revoked == (ends ? 1_000_000 : nil))
        #expect(try other.verified().findings == [])
    }
}
