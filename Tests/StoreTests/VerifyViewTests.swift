import ChatModel
import Testing

@testable import Store

@Suite("Verify, beside the messages")
struct VerifyViewTests {
    private func furnished() throws -> Fixture {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let nurse = try fixture.user("nurse")
        let verona = try fixture.group("verona", owner: romeo, [juliet, nurse])
        for number in 1...4 { fixture.send("\(number)", from: number == 3 ? juliet : romeo, to: .id(verona)) }
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.removeMembers([nurse], from: verona)
            var patch = PreferencePatch()
            patch.draft = "dear"
            patch.settingsMergePatch = Array(#"{"a":1}"#.utf8)
            try store.inbox.setPreference(juliet, in: verona, patch)
            try store.inbox.clearHistory(juliet, in: verona, through: 2)
            try store.conversations.addListeners([nurse], to: verona)
            try store.conversations.setListeners(
                [romeo], of: try store.conversations.createChannel(.room, ChannelName("b")!, creator: .system))
            try store.connection.run(
                "INSERT INTO hidden_count (user_id, conversation_id, sequence) VALUES (?, ?, 4)", juliet, verona)
            let content = MessageContent(kind: .none, flags: [], wire: .native, body: [])
            for target in [CommandTarget.people([juliet]), .conversation(verona)] {
                try store.commands.add(
                    NewCommand(target: target, sender: .system, channel: "", kind: .direct, content: content))
            }
            try store.commands.acknowledge(juliet, upTo: 1, single: true)
        }
        return fixture
    }

    @Test("finds nothing in a sound folder")
    func sound() throws {
        #expect(try self.furnished().verified().findings == [])
    }

    @Test(
        "finds",
        arguments: [
            ("UPDATE member SET own_last_sequence = 2 WHERE user_id = 1", VerifyFinding.Kind.unread),
            ("UPDATE member SET own_last_countable = 0 WHERE user_id = 2", .unread),
            ("UPDATE member SET revision = 9 WHERE user_id = 2", .member),
            ("UPDATE member SET role = 2 WHERE user_id = 2", .member),
            ("UPDATE former_member SET user_id = 2", .member),
            ("UPDATE former_member SET revision = 9", .member),
            ("UPDATE conversation SET kind = 1 WHERE id = 1", .member),
            ("UPDATE preference SET cleared_through = 9", .preference),
            ("UPDATE preference SET cleared_through = 4", .preference),
            ("UPDATE preference SET browse_to = 5", .preference),
            ("UPDATE preference SET extra_version = change + 1", .preference),
            ("UPDATE preference SET settings = '[]'", .preference),
            ("UPDATE conversation SET attributes = '{' WHERE id = 1", .preference),
            ("UPDATE hidden_count SET sequence = 3", .unread),
            ("UPDATE hidden_count SET sequence = 9", .unread),
            ("UPDATE hidden_count SET user_id = 3", .unread),
            ("DELETE FROM command_receiver", .command),
            ("UPDATE command SET audience_id = NULL WHERE sequence = 2", .command),
            ("UPDATE command_position SET sequence = 3", .command),
            ("PRAGMA foreign_keys = OFF; UPDATE listener SET user_id = 77 WHERE user_id = 3", .danglingRow),
            ("PRAGMA foreign_keys = OFF; UPDATE preference SET conversation_id = 77", .danglingRow),
        ])
    func damage(_ sql: String, _ kind: VerifyFinding.Kind) throws {
        let fixture = try self.furnished()
        fixture.store.close()
        let path = DataFolder.databasePath(in: fixture.folder.data)
        try Connection(path: path, role: .writer(synchronous: "FULL")).script(sql)
        #expect(try fixture.verified().findings.map(\.kind).contains(kind))
    }

    /// Settings of conversations, word rules and message kinds of every sort.
    private func governed() throws -> Fixture {
        let fixture = try Fixture()
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.sessionSettings.setSessionSetting(.maxInput, in: SessionScope(.group, .member), to: .number(500))
            try store.sessionSettings.setSessionSetting(.receipts, in: .everywhere, to: .text("small"))
            _ = try store.moderation.addWordRules([WordRule("Tea", .mask), WordRule("茶", .flag)])
            try store.moderation.setMessageKind(
                MessageKindEntry(
                    kind: MessageKind(rawValue: 1_200), name: "vote", requiredFields: ["question"],
                    fileFields: ["picture"], degrade: "a vote", typeTitle: "Vote", summary: "a vote"))
        }
        return fixture
    }

    @Test("finds nothing in settings, word rules and message kinds as they are written")
    func soundSettings() throws {
        #expect(try self.governed().verified().findings == [])
    }

    @Test(
        "finds settings, word rules and message kinds that no teahouse writes",
        arguments: [
            "UPDATE session_setting SET name = 'max_inputs' WHERE name = 'max_input'",
            "UPDATE session_setting SET value = '-1' WHERE name = 'max_input'",
            "UPDATE session_setting SET value = 'large' WHERE name = 'receipts'",
            "UPDATE session_setting SET kind = 77 WHERE name = 'max_input'",
            "UPDATE session_setting SET role = 77 WHERE name = 'max_input'",
            "UPDATE word_rule SET folded = 'TEA' WHERE word = 'Tea'",
            "UPDATE word_rule SET action = 'burn' WHERE word = 'Tea'",
            "UPDATE word_rule SET word = '' WHERE word = 'Tea'",
            "UPDATE message_kind SET number = -5",
            "UPDATE message_kind SET number = 10000000000",
            "UPDATE message_kind SET required = '{'",
            "UPDATE message_kind SET files = '[7]'",
            "UPDATE message_kind SET version = 0",
            "UPDATE message_kind SET disabled = 7",
            "UPDATE message_kind SET degrade = ''",
        ])
    func damagedSettings(_ sql: String) throws {
        let fixture = try self.governed()
        fixture.store.close()
        let path = DataFolder.databasePath(in: fixture.folder.data)
        try Connection(path: path, role: .writer(synchronous: "FULL")).script(sql)
        #expect(try fixture.verified().findings.map(\.kind) == [.setting])
    }
}
