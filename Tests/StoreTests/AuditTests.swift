import ChatModel
import Execution
import Testing

@testable import Store

@Suite("The audit log")
struct AuditTests {
    private static let ming = AuditActor(uid: 1000, name: "小明", source: .console, reason: "spring cleaning")

    /// Notes about somebody's display name.
    private func note(_ user: UserID, _ word: String = "user.edit", by actor: AuditActor = Self.ming) -> AuditNote {
        AuditNote(actor: actor, word: word, subject: "romeo", asked: #"{"name":"romeo"}"#) {
            transaction throws(StoreError) in try transaction.people.user(user)?.displayName
        }
    }

    private func rename(_ user: UserID, _ name: String, in fixture: Fixture, _ word: String = "user.edit") throws {
        let done = ConditionLock<Result<Void, StoreError>?>(nil)
        fixture.store.write(
            auditing: self.note(user, word),
            { transaction throws(StoreError) in
                try transaction.people.setDisplayName(user, name)
            }, then: { result in done.change { $0 = result } })
        try done.wait(until: { $0 != nil }, then: { $0! }).get()
    }

    private func entries(of fixture: Fixture, _ change: (inout AuditQuery) -> Void = { _ in }) throws -> [AuditEntry] {
        var query = AuditQuery()
        change(&query)
        let wanted = query
        return try fixture.store.readAndWait { transaction throws(StoreError) in
            try transaction.audit.entries(wanted)
        }
    }

    @Test("keeps who, what, before and after, and a whole chain")
    func kept() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        try self.rename(romeo, "R", in: fixture)
        fixture.clock.advance(milliseconds: 5)
        try self.rename(romeo, "R2", in: fixture)
        let found = try self.entries(of: fixture)
        #expect(
            found.map(\.number) == [2, 1] && found.map(\.before) == ["R", nil] && found.map(\.after) == ["R2", "R"])
        #expect(found[0].atMilliseconds == found[1].atMilliseconds + 5)
        #expect(found.allSatisfy { $0.actor == Self.ming && $0.word == "user.edit" && $0.subject == "romeo" })
        #expect(found.allSatisfy { $0.stage == .done && $0.asked == #"{"name":"romeo"}"# && $0.hash.count == 32 })
        let head = AuditHead(number: 2, hash: found[0].hash)
        let (check, sliced, slices) = try fixture.store.readAndWait { transaction throws(StoreError) in
            var (check, sliced, slices) = (AuditCheck(), AuditCheck(), 1)
            _ = try transaction.audit.checkAudit(&check)
            while try transaction.connection.checkAudit(&sliced, atMost: 1) { slices += 1 }
            return (check, sliced, slices)
        }
        #expect(check == AuditCheck(head: head, problems: []) && sliced == check && slices == 3)
        #expect(try fixture.verified().findings == [])
    }

    @Test("the hash is that of the netstrings that the documentation names")
    func canonical() {
        let entry = AuditEntry(
            number: 1, atMilliseconds: 1_800_000_000_000, actor: AuditActor(uid: 7, reason: "茶"), word: "user.add",
            subject: nil, stage: .asked, asked: "{}", before: nil, after: "a,b")
        // printf '64:%064d,1:1,13:1800000000000,1:7,-,3:ctl,3:茶,8:user.add,-,1:1,2:{},-,3:a,b,' 0 | sha256sum
        let expected = "31b81b9c5e1e15f74bdbfdeb5328ed01515d9102c1efd16a95db2ab02572bd4d"
        #expect(AuditChain.hash(entry, after: AuditChain.start).map { Self.hex($0) }.joined() == expected)
    }

    private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    @Test("a change that fails leaves no entry, and one whose entry cannot be written is not made")
    func together() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let note = self.note(romeo)
        #expect(throws: StoreError.self) {
            try fixture.store.writeAndWait { transaction throws(StoreError) in
                try transaction.audit.auditing(note) { () throws(StoreError) in
                    try transaction.people.setDisplayName(romeo, "R")
                    throw StoreError.invalid("no")
                }
            }
        }
        #expect(try self.entries(of: fixture).isEmpty)
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.connection.script(
                "CREATE TEMP TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END")
        }
        #expect(throws: StoreError.self) { try self.rename(romeo, "R", in: fixture) }
        let name = try fixture.store.readAndWait { transaction throws(StoreError) in
            try transaction.people.user(romeo)?.displayName
        }
        #expect(name == nil)
    }

    @Test("a refusal that is an answer leaves no entry either")
    func refusals() throws {
        let fixture = try Fixture()
        let note = self.note(try fixture.user("romeo"))
        let answer = try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.audit.auditing(note, counts: { $0 }) { () throws(StoreError) in false }
        }
        #expect(!answer)
        #expect(try self.entries(of: fixture).isEmpty)
    }

    @Test("a message by the operator's right has its entry with where it stands; a refused one has none")
    func messages() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo, [])
        var append = fixture.append("hello", from: romeo, to: .id(verona))
        append.note = AppendNote(self.note(romeo, "send"))
        let message = try #require(fixture.send([append])[0].accepted).message
        var toNobody = fixture.append("hello", from: romeo, to: .id(ConversationID(rawValue: 99)))
        toNobody.note = append.note
        #expect(fixture.send([toNobody])[0].refusal != nil)
        let found = try self.entries(of: fixture)
        #expect(found.count == 1 && found[0].before == nil)
        #expect(
            found[0].after
                == #"{"conversation":\#(verona.rawValue),"sequence":1,"id":"\#(message.id.rawValue)"}"#)
    }

    @Test("what is no change of the database alone is noted before it is done")
    func asked() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let note = self.note(romeo, "session.end")
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.people.setDisplayName(romeo, "R")
            try transaction.audit.noteAsked(note)
        }
        let found = try self.entries(of: fixture)
        #expect(found.map(\.stage) == [.asked] && found[0].before == "R" && found[0].after == nil)
    }

    @Test("is searched by who, what, on what and since when, page by page")
    func filters() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        for word in ["user.edit", "user.disable", "users.import", "group.create"] {
            try self.rename(romeo, word, in: fixture, word)
            fixture.clock.advance(milliseconds: 10)
        }
        let start = try #require(try self.entries(of: fixture).last).atMilliseconds
        let numbers: ((inout AuditQuery) -> Void) throws -> [Int64] = {
            try self.entries(of: fixture, $0).map(\.number)
        }
        #expect(try numbers { $0.what = "user" } == [2, 1])
        #expect(try numbers { $0.what = "user.disable" } == [2])
        #expect(
            try numbers {
                $0.what = "user.disable"
                $0.otherWords = ["team.create", "group.create", "user"]
            } == [4, 2])
        #expect(try numbers { $0.who = "小明" } == [4, 3, 2, 1] && numbers { $0.who = "1000" } == [4, 3, 2, 1])
        #expect(try numbers { $0.who = "100" } == [] && numbers { $0.subject = "juliet" } == [])
        #expect(try numbers { $0.sinceMilliseconds = start + 20 } == [4, 3])
        #expect(
            try numbers {
                $0.limit = 2
                $0.before = 4
            } == [3, 2])
        let one = try fixture.store.readAndWait { transaction throws(StoreError) in try transaction.audit.entry(3)
        }
        #expect(one?.word == "users.import")
    }

    @Test("no statement changes or removes an entry")
    func onlyGrows() throws {
        let fixture = try Fixture()
        try self.rename(try fixture.user("romeo"), "R", in: fixture)
        for sql in ["UPDATE audit SET word = 'x'", "DELETE FROM audit"] {
            #expect(throws: StoreError.self) {
                try fixture.store.writeAndWait { transaction throws(StoreError) in
                    try transaction.connection.script(sql)
                }
            }
        }
        #expect(try self.entries(of: fixture).map(\.word) == ["user.edit"])
    }

    @Test(
        "verify sees what somebody did to the file behind the triggers",
        arguments: [
            ("UPDATE audit SET reason = 'other' WHERE number = 2", ["Entry 2 of the audit log is not as it was"]),
            ("UPDATE audit SET uid = 0 WHERE number = 3", ["Entry 3 of the audit log is not as it was"]),
            ("UPDATE audit SET at = at + 1 WHERE number = 1", ["Entry 1 of the audit log is not as it was"]),
            ("UPDATE audit SET state_after = NULL WHERE number = 1", ["Entry 1 of the audit log is not as it was"]),
            ("UPDATE audit SET hash = zeroblob(32) WHERE number = 1", ["Entry 1 of", "Entry 2 of"]),
            ("DELETE FROM audit WHERE number = 2", ["The audit log has a gap: 2 is missing"]),
            ("DELETE FROM audit WHERE number = 1", ["The audit log has a gap: 1 is missing"]),
            ("DELETE FROM audit WHERE number > 1", ["The audit log ends with 1, but there was an entry 3"]),
            ("DELETE FROM audit", ["The audit log ends with 0, but there was an entry 3"]),
            ("UPDATE audit SET source = 'web' WHERE number = 1", ["Entry 1 of the audit log is none that teahouse"]),
        ])
    func damage(_ sql: String, _ said: [String]) throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        for name in ["a", "b", "c"] { try self.rename(romeo, name, in: fixture) }
        fixture.store.close()
        try Connection(path: DataFolder.databasePath(in: fixture.folder.data), role: .writer(synchronous: "FULL"))
            .script("DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_removed; \(sql)")
        let found = try fixture.verify(fixture.folder).findings
        #expect(found.map(\.kind) == said.map { _ in .audit })
        for (finding, start) in zip(found, said) { #expect(finding.description.hasPrefix(start)) }
    }
}
