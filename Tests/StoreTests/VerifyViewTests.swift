import ChatModel
import Testing

@testable import Store

@Suite("Verify, beside the messages")
struct VerifyViewTests {
    private func furnished() throws -> House {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let nurse = try house.user("nurse")
        let verona = try house.group("verona", owner: romeo, [juliet, nurse])
        for number in 1...4 { house.send("\(number)", from: number == 3 ? juliet : romeo, to: .id(verona)) }
        try house.store.writeAndWait { store throws(StoreError) in
            try store.removeMembers([nurse], from: verona)
            var patch = PreferencePatch()
            patch.draft = "dear"
            patch.settingsMergePatch = Array(#"{"a":1}"#.utf8)
            try store.setPreference(juliet, in: verona, patch)
            try store.clearHistory(juliet, in: verona, through: 2)
            try store.addListeners([nurse], to: verona)
            try store.setListeners([romeo], of: try store.createChannel(.room, ChannelName("b")!, creator: .system))
            try store.connection.run(
                "INSERT INTO hidden_count (user_id, conversation_id, sequence) VALUES (?, ?, 4)", juliet, verona)
            let content = MessageContent(kind: .none, flags: [], wire: .native, body: [])
            for target in [CommandTarget.people([juliet]), .conversation(verona)] {
                try store.addCommand(
                    NewCommand(target: target, sender: .system, channel: "", kind: .direct, content: content))
            }
            try store.acknowledgeCommands(juliet, upTo: 1, single: true)
        }
        return house
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
        let house = try self.furnished()
        house.store.close()
        let path = DataFolder.databasePath(in: house.folder.data)
        try Connection(path: path, role: .writer(synchronous: "FULL")).script(sql)
        #expect(try house.verified().findings.map(\.kind).contains(kind))
    }
}
