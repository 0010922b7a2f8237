import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Bodies that are not stored as they were sent")
struct BodyHashTests {
    private static let card = MessageKind(rawValue: 7)

    /// A server that ends the bodies of one kind with an exclamation mark.
    private static func fixture(_ folder: TemporaryFolder = TemporaryFolder()) throws -> Fixture {
        let fixture = try Fixture(folder) {
            $0.completed = { content, _, _ in content.body + [UInt8(ascii: "!")] }
        }
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.moderation.setMessageKind(
                MessageKindEntry(
                    kind: BodyHashTests.card, name: "card", degrade: "a card", typeTitle: "card", summary: "a card"))
        }
        return fixture
    }

    private static func append(
        _ body: String, from sender: UserID, token: String, in fixture: Fixture,
        change: (inout Append) -> Void = { _ in }
    ) -> Append {
        var append = fixture.append(body, from: sender, to: direct("juliet"), token: token)
        change(&append)
        return append
    }

    /// What is done to a body on its way in.
    enum Way: CaseIterable {
        case completed, masked, both

        func change(_ append: inout Append) {
            if self != .masked { append.content.kind = BodyHashTests.card }
            guard self != .completed else { return }
            append.screening = AppendScreening(refusal: nil, sentBody: append.content.body, flagged: [])
            append.content.body = append.content.body.map { _ in UInt8(ascii: "*") }
            append.content.flags.insert(.masked)
        }

        var stored: String {
            switch self {
            case .completed: "hello!"
            case .masked: "*****"
            case .both: "*****!"
            }
        }
    }

    @Test("they verify, a resend is known by what was sent, and another body is refused", arguments: Way.allCases)
    func resent(way: Way) throws {
        let fixture = try Self.fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let first = Self.append("hello", from: romeo, token: "t", in: fixture, change: way.change)
        let message = try #require(fixture.send([first])[0].accepted?.message)
        #expect(String(decoding: message.content.body, as: UTF8.self) == way.stored)
        let again = Self.append("hello", from: romeo, token: "t", in: fixture, change: way.change)
        let duplicate = try #require(fixture.send([again])[0].accepted)
        #expect(duplicate.isDuplicate && duplicate.message.id == message.id)
        // The operator's settings may have changed: what was sent is still the same.
        let plain = Self.append("hello", from: romeo, token: "t", in: fixture)
        #expect(fixture.send([plain])[0].accepted?.isDuplicate == true)
        let other = Self.append("hullo", from: romeo, token: "t", in: fixture, change: way.change)
        #expect(fixture.send([other])[0].refusal == .tokenConflict)
        let withdrawn = try #require(
            fixture.send([Self.append("hello", from: romeo, token: "u", in: fixture, change: way.change)])[0].accepted?
                .message)
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.messages.recall(MessagePlace(withdrawn.conversation, withdrawn.sequence), by: Actor(romeo))
            try transaction.messages.edit(
                MessagePlace(message.conversation, message.sequence), newBody: Array("edited".utf8),
                isJSONObject: false, by: Actor(romeo))
        }
        let report = try fixture.verified()
        #expect(report.findings == [] && report.unprovenBodies == 0)
        withExtendedLifetime(juliet) {}
    }

    @Test("damage to a completed body, to one that was taken back, and to an edit is found", arguments: [1, 2, 3])
    func damaged(sequence: Int64) throws {
        let fixture = try Self.fixture()
        let romeo = try fixture.user("romeo")
        _ = try fixture.user("juliet")
        for token in ["1", "2", "3"] {
            _ = fixture.send([
                Self.append("hello", from: romeo, token: token, in: fixture) { $0.content.kind = Self.card }
            ])
        }
        let id = ConversationID(rawValue: 1)
        try fixture.store.writeAndWait { transaction throws(StoreError) in
            try transaction.messages.recall(MessagePlace(id, 2), by: Actor(romeo))
            try transaction.messages.edit(
                MessagePlace(id, 3), newBody: Array("edited".utf8), isJSONObject: false, by: Actor(romeo))
        }
        fixture.store.close()
        let connection = try Connection(
            path: DataFolder.databasePath(in: fixture.folder.data), role: .writer(synchronous: "OFF"))
        let table = sequence == 1 ? "message" : "message_edit"
        try connection.script("UPDATE \(table) SET body = CAST('hellO!' AS BLOB) WHERE sequence = \(sequence)")
        let findings = try fixture.verify(fixture.folder).findings
        #expect(findings.map(\.kind) == [.body], "\(findings)")
    }

    @Test("what an earlier version completed verifies, is counted, and is known when it is sent again")
    func earlier() throws {
        let fixture = try Self.fixture()
        let romeo = try fixture.user("romeo")
        _ = try fixture.user("juliet")
        func card(_ body: String) -> Append {
            Self.append(body, from: romeo, token: "t", in: fixture) { $0.content.kind = Self.card }
        }
        _ = fixture.send([card("hello")])
        fixture.store.close()
        // As version 18 left it: the hash of what was sent, and the time up to which that was so.
        let connection = try Connection(
            path: DataFolder.databasePath(in: fixture.folder.data), role: .writer(synchronous: "OFF"))
        try connection.script(
            """
            UPDATE message SET body_hash = sent_hash, sent_hash = NULL;
            INSERT OR REPLACE INTO meta (key, value) SELECT 'completed_until', max(id) FROM message;
            """)
        let report = try fixture.verify(fixture.folder)
        #expect(report.findings == [] && report.unprovenBodies == 1)
        let reopened = try Self.fixture(fixture.folder)
        let again = reopened.send([
            Self.append("hello", from: romeo, token: "t", in: reopened) { $0.content.kind = Self.card }
        ])
        #expect(again[0].accepted?.isDuplicate == true)
        try connection.script("UPDATE meta SET value = 0 WHERE key = 'completed_until'")
        #expect(try reopened.verified().findings.map(\.kind) == [.body], "later ones are compared")
    }
}
