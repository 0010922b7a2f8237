import CLinux
import ChatModel
import Glibc
import Testing

@testable import Store

@Suite("Verify")
struct VerifyTests {
    /// Two people in a group of twelve messages, each with a token; everything read up to 4 and delivered up to 5.
    private func furnished() throws -> (Fixture, [Accepted]) {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        let results = fixture.send(
            (1...10).map { number in
                fixture.append(
                    "message \(number)", from: number % 3 == 0 ? juliet : romeo, to: .id(verona), token: "t\(number)")
            })
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.inbox.markRead(juliet, in: verona, upTo: 4)
            try store.inbox.recordDelivered([
                DeliveredPosition(user: juliet, deviceClass: .app, conversation: verona, sequence: 5)
            ])
        }
        // The client tokens of the first ten are indexed now, those of two more when the store is closed.
        fixture.store.runMaintenance()
        let more = fixture.send([11, 12].map { fixture.append("more", from: romeo, to: .id(verona), token: "t\($0)") })
        return (fixture, (results + more).compactMap(\.accepted))
    }

    private func verify(
        _ fixture: Fixture, after sql: String, wasKilled: Bool = false, expecting expectations: [VerifyExpectation] = []
    ) throws -> VerifyReport {
        // What is damaged is in the rows, and not in the log alone.
        if wasKilled { try fixture.store.writeAndWait { _ throws(StoreError) in } } else { fixture.store.close() }
        let folder = wasKilled ? try fixture.copied() : fixture.folder
        try Connection(path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "FULL"))
            .script("PRAGMA foreign_keys = OFF; \(sql)")
        var options = VerifyOptions()
        options.expectations = expectations
        return try fixture.verify(folder, options)
    }

    @Test("finds nothing in a sound folder, closed or left by a killed server, and counts what is there")
    func sound() throws {
        let (fixture, _) = try self.furnished()
        let killed = try fixture.verify(try fixture.copied())
        #expect(killed.findings == [] && killed.messages == 12 && killed.clientTokens == 10)
        let report = try fixture.verified()
        #expect(report.findings == [] && report.isClean)
        #expect(report.users == 2 && report.conversations == 1 && report.members == 2)
        #expect(report.messages == 12 && report.clientTokens == 12 && report.schemaVersion == newestSchemaVersion)
    }

    @Test(
        "finds planted damage",
        arguments: [
            ("DELETE FROM message WHERE sequence = 5", [.sequence, .token]),
            ("DELETE FROM message WHERE sequence > 9", [.sequence, .countable, .unread, .token]),
            ("UPDATE conversation SET head = 13", [.sequence]),
            ("UPDATE message SET id = id - 100000 WHERE sequence = 7", [.order]),
            ("UPDATE message SET sent_at = sent_at - 1 WHERE sequence = 7", [.order]),
            ("UPDATE meta SET value = value - 1 WHERE key = 'position'", [.order]),
            ("UPDATE conversation SET position = 1", [.order]),
            ("UPDATE conversation_event SET number = number + 1000000", [.order]),
            ("UPDATE message SET countable = 3 WHERE sequence = 7", [.countable]),
            ("UPDATE conversation SET head_countable = 9", [.countable]),
            ("UPDATE message SET client_token = CAST('t1' AS BLOB) WHERE sequence = 4", [.duplicate, .token]),
            ("UPDATE message SET client_token = CAST('t1' AS BLOB) WHERE sequence = 12", [.duplicate]),
            ("UPDATE message SET client_token = CAST('t11' AS BLOB) WHERE sequence = 12", [.duplicate]),
            ("DELETE FROM client_token WHERE sequence = 2", [.token]),
            ("UPDATE client_token SET sequence = 3 WHERE sequence = 2", [.token, .duplicate]),
            ("UPDATE message SET body = x'00' WHERE sequence = 2", [.body]),
            ("UPDATE member SET own_countable_since_read = 5 WHERE user_id = 1", [.unread]),
            ("UPDATE member SET read_countable = 3 WHERE user_id = 2", [.unread]),
            ("UPDATE member SET read_sequence = 13 WHERE user_id = 2", [.unread]),
            ("UPDATE conversation SET member_count = 3", [.memberCount]),
            ("UPDATE delivered SET sequence = 13", [.delivered]),
            ("UPDATE message SET conversation_id = 2 WHERE sequence = 12", [.danglingRow, .sequence]),
            ("DELETE FROM user WHERE id = 2", [.danglingRow]),
            ("PRAGMA user_version = 0", [.schema]),
        ] as [(String, Set<VerifyFinding.Kind>)], [false, true])
    func damage(_ planted: (sql: String, kinds: Set<VerifyFinding.Kind>), wasKilled: Bool) throws {
        let (fixture, _) = try self.furnished()
        let report = try self.verify(fixture, after: planted.sql, wasKilled: wasKilled)
        #expect(Set(report.findings.map(\.kind)).isSuperset(of: planted.kinds), "\(report.findings)")
        #expect(report.findings.allSatisfy { $0.description.hasSuffix(".") })
    }

    /// A group whose messages were changed in every way.
    private func changed() throws -> Fixture {
        let verona = try Verona()
        let (romeo, juliet, escalus, id) = (verona.romeo, verona.juliet, verona.escalus, verona.id)
        let places = try (0..<4).map { try verona.say("\($0)", romeo, mentions: Mentions(all: true)) }
        try verona.write { store throws(StoreError) in
            try store.messages.markRead([1, 2], in: id, by: juliet)
            try store.messages.edit(places[0], newBody: [1], isJSONObject: false, by: Actor(romeo))
            try store.messages.edit(places[1], newBody: [1], isJSONObject: false, by: Actor(romeo))
            try store.messages.recall(places[1], by: Actor(romeo))
            try store.messages.setPinned(places[0], true, by: Actor(escalus))
            try store.messages.hide([places[2]], for: juliet)
            try store.messages.toggleReaction(places[0], name: "hm", by: juliet)
        }
        return verona.fixture
    }

    @Test("finds nothing in a sound folder with changed messages, and the withdrawn ones as they were acknowledged")
    func soundChanges() throws {
        let fixture = try self.changed()
        let ids = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.latest(in: ConversationID(rawValue: 1), limit: 9, as: .unrestricted).map(\.id)
        }
        let expectations = ids.enumerated().map { index, id in
            VerifyExpectation(
                place: .channel(.group, ChannelName("verona")!), sequence: Int64(index + 1), id: id,
                sender: UserName("romeo")!, clientToken: nil, body: Array("\(index)".utf8))
        }
        let report = try self.verify(fixture, after: "", expecting: expectations)
        #expect(report.findings == [] && report.expectations == 4)
    }

    @Test(
        "finds planted damage to changes of messages",
        arguments: [
            ("UPDATE message_extra SET reader_count = 2 WHERE sequence = 1", [.messageChange]),
            ("DELETE FROM message_reader WHERE sequence = 2", [.messageChange]),
            ("DELETE FROM message_extra WHERE sequence = 1", [.messageChange]),
            ("UPDATE message_extra SET edit_count = 0 WHERE sequence = 1", [.messageChange]),
            ("DELETE FROM message_edit WHERE number = 1 AND sequence = 1", [.messageChange]),
            ("DELETE FROM message_edit WHERE number = 0", [.body]),
            ("UPDATE message_edit SET body = x'00' WHERE number = 0", [.body]),
            ("UPDATE message SET body = CAST('1' AS BLOB) WHERE sequence = 2", [.body]),
            ("UPDATE message_extra SET withdrawn = 0 WHERE sequence = 2", [.messageChange]),
            ("UPDATE message_extra SET withdrawn = 1 WHERE sequence = 1", [.messageChange]),
            ("UPDATE message_pin SET pinned = 0", [.messageChange]),
            ("DELETE FROM message_pin", [.messageChange]),
            ("UPDATE conversation SET revision = 5", [.messageChange]),
            ("DELETE FROM hidden_count", [.unread]),
            ("UPDATE hidden_count SET user_id = 3", [.unread]),
            ("UPDATE hidden_count SET sequence = 99", [.unread]),
            ("UPDATE message_mark SET sequence = 99", [.danglingRow]),
            ("UPDATE message_reaction SET sequence = 99", [.danglingRow]),
            ("UPDATE reminder SET sequence = 99 WHERE id = 1", [.danglingRow]),
            ("UPDATE reminder SET user_id = 99 WHERE id = 1", [.danglingRow]),
        ] as [(String, Set<VerifyFinding.Kind>)])
    func damagedChanges(_ planted: (sql: String, kinds: Set<VerifyFinding.Kind>)) throws {
        let report = try self.verify(try self.changed(), after: planted.sql)
        #expect(Set(report.findings.map(\.kind)).isSuperset(of: planted.kinds), "\(report.findings)")
        #expect(report.findings.allSatisfy { $0.description.hasSuffix(".") })
    }

    @Test("finds a page that was overwritten")
    func overwrittenPage() throws {
        let (fixture, _) = try self.furnished()
        fixture.store.close()
        let file = clinux_open(DataFolder.databasePath(in: fixture.folder.data), O_RDWR, 0)
        let junk = [UInt8](repeating: 0xA5, count: 4_096)
        for page in 3...12 { #expect(pwrite(file, junk, junk.count, off_t(page * 4_096)) == junk.count) }
        close(file)
        #expect(try fixture.verified().findings.contains { $0.kind == .damagedFile })
    }

    private func expectation(_ accepted: Accepted) -> VerifyExpectation {
        VerifyExpectation(
            place: .channel(.group, ChannelName("verona")!), sequence: accepted.message.sequence,
            id: accepted.message.id, sender: accepted.message.senderName, clientToken: accepted.message.clientToken,
            body: accepted.message.content.body)
    }

    @Test("finds every acknowledged message of a sound folder")
    func acknowledged() throws {
        let (fixture, accepted) = try self.furnished()
        let report = try self.verify(fixture, after: "", expecting: accepted.map(self.expectation))
        #expect(report.findings == [] && report.expectations == 12)
    }

    @Test("names acknowledged messages that are missing or differ")
    func missingAndDifferent() throws {
        let (fixture, accepted) = try self.furnished()
        var elsewhere = self.expectation(accepted[0])
        elsewhere.place = .direct(UserName("romeo")!, UserName("juliet")!)
        let report = try self.verify(
            fixture,
            after: """
                DELETE FROM message WHERE sequence = 12;
                UPDATE message SET body = x'00' WHERE sequence = 3; UPDATE message SET sender_id = 2 WHERE sequence = 4;
                """, expecting: accepted.map(self.expectation) + [elsewhere])
        #expect(report.findings.count { $0.kind == .missing } == 2)
        let different = report.findings.filter { $0.kind == .different }.map(\.description)
        #expect(different.count == 2)
        #expect(
            different[0].contains("Message 3 of juliet in conversation verona") && different[0].contains("its body"))
        #expect(different[1].contains("its sender"))
    }

    @Test("lists a bounded number of findings and counts the others")
    func boundedFindings() throws {
        let (fixture, _) = try self.furnished()
        fixture.store.close()
        try Connection(path: DataFolder.databasePath(in: fixture.folder.data), role: .writer(synchronous: "FULL"))
            .script("UPDATE client_token SET sequence = 99")
        var options = VerifyOptions()
        options.maximumFindings = 3
        let report = try fixture.verified(options)
        #expect(report.findings.count == 3 && report.moreFindings >= 7)
    }

    @Test("of a folder without a database says so and makes nothing")
    func nothingThere() throws {
        let folder = TemporaryFolder()
        #expect(throws: StoreError.self) { try verifyFolder(folder.data) }
        #expect(access(folder.data, F_OK) != 0)
    }
}
