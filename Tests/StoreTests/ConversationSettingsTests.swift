import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Settings of one conversation")
struct ConversationSettingsTests {
    private func set(
        _ verona: Verona, _ setting: SessionSetting, _ value: SessionSettingValue?, in id: ConversationID? = nil
    ) throws {
        let id = id ?? verona.id
        try verona.write { store throws(StoreError) in
            try store.sessionSettings.setConversationSetting(setting, in: id, to: value)
        }
    }

    private func send(_ verona: Verona, _ body: String, _ sender: UserID) -> AppendResult {
        verona.fixture.send(body, from: sender, to: .id(verona.id))
    }

    @Test("it wins over kind and role there alone, at once, after reopening, and until it is taken back")
    func wins() throws {
        var verona = try Verona()
        let mantua = try verona.fixture.group("mantua", owner: verona.escalus, [verona.romeo])
        try verona.write { store throws(StoreError) in
            try store.sessionSettings.setSessionSetting(
                .maxInput, in: SessionScope(.group, .owner), to: .number(20))
        }
        #expect(self.send(verona, "12345678901", verona.escalus).accepted != nil)
        try self.set(verona, .maxInput, .number(10))
        #expect(self.send(verona, "12345678901", verona.escalus).refusal == .textTooLong)
        #expect(self.send(verona, "12345678901", verona.romeo).refusal == .textTooLong)
        #expect(self.send(verona, "1234567890", verona.romeo).accepted != nil)
        #expect(verona.fixture.send("12345678901", from: verona.romeo, to: .id(mantua)).accepted != nil)
        verona.fixture = try verona.fixture.reopened()
        #expect(self.send(verona, "12345678901", verona.romeo).refusal == .textTooLong)
        let id = verona.id
        let settings = try verona.read { store throws(StoreError) in try store.sessionSettings.sessionSettings(in: id) }
        #expect(settings.effective(.maxInput, .group, .owner).source == .conversation)
        try self.set(verona, .maxInput, nil)
        #expect(self.send(verona, "12345678901", verona.romeo).accepted != nil)
        #expect(self.send(verona, "123456789012345678901", verona.escalus).refusal == .textTooLong)
        #expect(try verona.isSound() == [])
    }

    @Test("edits, reading only and receipts follow it")
    func everywhere() throws {
        let verona = try Verona()
        let (id, romeo, juliet) = (verona.id, verona.romeo, verona.juliet)
        let place = try verona.say("one", romeo)
        try self.set(verona, .receipts, .text("off"))
        let none = try verona.write { store throws(StoreError) in
            try store.messages.markRead([place.sequence], in: id, by: juliet).count
        }
        try self.set(verona, .receipts, .text("on"))
        let one = try verona.write { store throws(StoreError) in
            try store.messages.markRead([place.sequence], in: id, by: juliet).count
        }
        #expect(none == 0 && one == 1)
        try self.set(verona, .maxInput, .number(3))
        #expect(throws: StoreError.self) {
            try verona.write { store throws(StoreError) in
                try store.messages.edit(place, newBody: Array("three".utf8), isJSONObject: false, by: Actor(romeo))
            }
        }
        try self.set(verona, .inputDisabled, .flag(true))
        #expect(self.send(verona, "x", romeo).refusal == .inputDisabled)
        #expect(verona.fixture.send("x", from: romeo, to: direct("juliet")).accepted != nil)
    }

    @Test("who is in the conversation is told of a change, and not of what is none")
    func told() throws {
        let verona = try Verona()
        let events = Lock<[ChangeEvent]>([])
        try verona.write { _ throws(StoreError) in }
        verona.fixture.store.onEvents = { new in events.withLock { $0 += new } }
        try self.set(verona, .maxInput, .number(5))
        try self.set(verona, .maxInput, .number(5))
        try self.set(verona, .receipts, nil)
        try verona.write { _ throws(StoreError) in }
        let told = events.withLock { $0 }
        #expect(told.map(\.change) == [.settings([.other])])
        #expect(told.first.map { Set($0.receivers) } == Set(verona.everyone))
    }

    @Test("a change that fails later leaves nothing behind, neither on the disk nor in the writer's memory")
    func undone() throws {
        let verona = try Verona()
        let id = verona.id
        #expect(throws: StoreError.self) {
            try verona.write { store throws(StoreError) in
                try store.sessionSettings.setConversationSetting(.maxInput, in: id, to: .number(1))
                throw .invalid("no")
            }
        }
        #expect(self.send(verona, "12345", verona.romeo).accepted != nil)
        let own = try verona.read { store throws(StoreError) in try store.sessionSettings.own(of: id) }
        #expect(own.isEmpty)
    }

    @Test("there is a bound over all conversations; what is set already may still be changed")
    func bound() throws {
        var verona = try Verona()
        try self.set(verona, .maxInput, .number(5))
        let most = ConversationSettings.maximumValues
        let mantua = try verona.fixture.group("mantua", owner: verona.escalus)
        verona.fixture.store.close()
        let path = DataFolder.databasePath(in: verona.fixture.folder.data)
        try Connection(path: path, role: .writer(synchronous: "FULL")).script(
            """
            PRAGMA foreign_keys = OFF;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(most - 1))
            INSERT INTO conversation_setting SELECT 1000000 + i, 'max_input', '5' FROM n;
            """)
        verona.fixture = try verona.fixture.reopened()
        try self.set(verona, .maxInput, .number(6))
        let refusal = verona.refusal { store throws(StoreError) in
            try store.sessionSettings.setConversationSetting(.maxInput, in: mantua, to: .number(6))
        }
        #expect(refusal == .tooMany(limit: most))
        try self.set(verona, .maxInput, nil)
        try self.set(verona, .maxInput, .number(6), in: mantua)
    }

    @Test("rows of a newer version hold nothing; what is not there cannot have one")
    func strange() throws {
        let verona = try Verona()
        let id = verona.id
        let nowhere = ConversationID(rawValue: 99)
        #expect(throws: StoreError.self) { try self.set(verona, .maxInput, .number(5), in: nowhere) }
        try verona.write { store throws(StoreError) in
            try store.connection.run(
                "INSERT INTO conversation_setting VALUES (?1, 'of_tomorrow', '1'), (?1, 'page_size', 'all')", id)
        }
        let own = try verona.read { store throws(StoreError) in try store.sessionSettings.own(of: id) }
        #expect(own.isEmpty)
    }

    @Test("they are listed by setting, and go with their conversation")
    func listed() throws {
        let verona = try Verona()
        verona.fixture.send("one", from: verona.romeo, to: .id(verona.id))
        try self.set(verona, .maxInput, .number(5))
        func listed(_ fixture: Fixture) throws -> (counts: [String: Int64], ids: [ConversationID]) {
            try fixture.store.readAndWait { store throws(StoreError) in
                (
                    try store.sessionSettings.conversationCounts(),
                    try store.sessionSettings.conversations(setting: .maxInput, limit: 10).map(\.id)
                )
            }
        }
        let before = try listed(verona.fixture)
        #expect(before.counts == ["max_input": 1] && before.ids == [verona.id])
        let later = try verona.fixture.reopened { $0.inactiveDays = 1 }
        for _ in 0..<4 {
            later.clock.advance(milliseconds: 86_400_000)
            later.store.runMaintenance()
        }
        let id = verona.id
        let gone = try later.store.readAndWait { store throws(StoreError) in try store.conversations.one(id) }
        let after = try listed(later)
        #expect(gone == nil && after.counts.isEmpty && after.ids.isEmpty)
        #expect(try later.verified().findings == [])
    }

    @Test(
        "verify finds what no teahouse writes",
        arguments: [
            ("UPDATE conversation_setting SET name = 'max_inputs'", VerifyFinding.Kind.setting),
            ("UPDATE conversation_setting SET value = 'many'", .setting),
            ("PRAGMA foreign_keys = OFF; UPDATE conversation_setting SET conversation_id = 77", .danglingRow),
        ])
    func damage(_ sql: String, _ kind: VerifyFinding.Kind) throws {
        let verona = try Verona()
        try self.set(verona, .maxInput, .number(5))
        verona.fixture.store.close()
        let path = DataFolder.databasePath(in: verona.fixture.folder.data)
        try Connection(path: path, role: .writer(synchronous: "FULL")).script(sql)
        #expect(try verona.fixture.verified().findings.map(\.kind) == [kind])
    }
}
