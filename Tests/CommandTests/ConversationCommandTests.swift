import Glibc
import Testing

@Suite("teahouse ctl: conversations, messages, sessions by filter, the pulse") struct ConversationCommandTests {
    private func furnished() throws -> Fixture {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        _ = fixture.ctl("group", "create", "tea", "--members", "ming,lan")
        for number in 1...5 { _ = fixture.ctl("send", "--from", "ming", "--group", "tea", "m\(number)") }
        return fixture
    }

    @Test("conversations are made, renamed and ended")
    func made() throws {
        let fixture = try self.furnished()
        #expect(fixture.ctl("conversation", "direct", "ming", "lan").output == "conversation lan,ming is id:2\n")
        #expect(fixture.ctl("conversation", "room", "hall", "--title", "大堂").output == "conversation hall is id:3\n")
        #expect(fixture.ctl("conversation", "rename", "tea", "茶馆").output == "title of tea changed\n")
        #expect(fixture.ctl("conversation", "rename", "tea", "茶馆").output == "nothing to change: it is so already\n")
        #expect(fixture.ctl("conversation", "list").output.contains("茶馆"))
        #expect(fixture.ctl("conversation", "delete", "tea", "--json").output == "{\"count\":1}\n")
        #expect(fixture.ctl("conversation", "show", "tea").output.contains("disbanded"))
        #expect(fixture.ctl("conversation", "delete", "nothing").code == .notFound)
    }

    @Test("attributes are shown, set and removed")
    func attributes() throws {
        let fixture = try self.furnished()
        func run(_ words: String...) -> Fixture.Outcome {
            runTeahouse(["ctl", "--data", fixture.folder, "conversation", "attributes", "tea"] + words)
        }
        #expect(run().output == "nothing to show\n")
        #expect(run("--set", "color=\"green\"", "--set", "size=7").output == "attributes of tea changed\n")
        #expect(run("--set", "size=7").output == "nothing to change: it is so already\n")
        #expect(run("--json").output == "{\"color\":\"green\",\"size\":7}\n")
        #expect(run().output.contains("\"green\""))
        #expect(run("--remove", "color").code == .done && run("--json").output == "{\"size\":7}\n")
        #expect(fixture.ctl("conversation", "show", "tea").output.contains("{\"size\":7}"))
        for wrong in ["color=green", "=7", "color"] { #expect(run("--set", wrong).code == .usage) }
    }

    @Test("a room takes a message by its name, any conversation by any of its names")
    func sendAnywhere() throws {
        let fixture = try self.furnished()
        _ = fixture.ctl("conversation", "room", "hall")
        _ = fixture.ctl("conversation", "direct", "ming", "lan")
        #expect(fixture.ctl("send", "--from", "____system", "--room", "hall", "hear").code == .done)
        #expect(fixture.ctl("send", "--from", "ming", "--conversation", "lan,ming", "me").code == .done)
        #expect(fixture.ctl("send", "--from", "____system", "--conversation", "lan,ming", "x").code == .refused)
        #expect(fixture.ctl("send", "--from", "ming", "--room", "hall", "--group", "tea", "x").code == .usage)
        #expect(fixture.ctl("send", "--from", "ming", "x").code == .usage)
    }

    @Test("messages are found by sequence and by time, and taken back")
    func messages() throws {
        let fixture = try self.furnished()
        let around = fixture.ctl("conversation", "messages", "tea", "--around", "3", "--limit", "3").output
        #expect(around.contains("m2") && around.contains("m4") && !around.contains("m5"))
        #expect(fixture.ctl("conversation", "messages", "tea", "--since", "2999-01-01").output == "nothing to show\n")
        #expect(fixture.ctl("conversation", "messages", "tea", "--since", "1h", "--before", "2").code == .usage)
        #expect(fixture.ctl("message", "recall", "tea", "3").output == "message taken back\n")
        // Again, as after an answer that was lost: it is as it was.
        #expect(fixture.ctl("message", "recall", "tea", "3").output == "message taken back\n")
        #expect(fixture.ctl("message", "recall", "tea", "x").code == .usage)
        let lines = fixture.ctl("conversation", "export", "tea").output.split(separator: "\n")
        #expect(lines.count == 5 && lines[2].contains(#""recalled":true"#) && lines[4].contains("m5"))
    }

    @Test("an export goes into a new file, and never over another one")
    func exportToFile() throws {
        let fixture = try self.furnished()
        let path = "\(fixture.folder)/tea.jsonl"
        #expect(fixture.ctl("conversation", "export", "tea", "--to", path).output == "5 messages are in \(path)\n")
        let again = fixture.ctl("conversation", "export", "tea", "--to", path)
        #expect(again.code == .inputOutput && again.error.contains(path))
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var room = [CChar](repeating: 0, count: 4_096)
        var lines = 0
        while fgets(&room, Int32(room.count), file) != nil { lines += 1 }
        #expect(lines == 5)
    }

    @Test("the conversations of one person alone, and how many listen")
    func ofMember() throws {
        let fixture = try self.furnished()
        _ = fixture.ctl("user", "add", "zoe")
        _ = fixture.ctl("conversation", "direct", "ming", "zoe")
        #expect(fixture.ctl("conversation", "list", "--member", "zoe").output.split(separator: "\n").count == 2)
        #expect(fixture.ctl("conversation", "list", "--member", "ming").output.split(separator: "\n").count == 3)
        #expect(fixture.ctl("conversation", "list", "--member", "nobody").code == .notFound)
        #expect(fixture.ctl("conversation", "show", "tea", "--json").output.contains(#""listeners":0"#))
    }

    @Test("read-only: what changes something is refused before it is asked, what shows something is not")
    func readOnly() throws {
        let fixture = try self.furnished()
        let refused = fixture.ctl("--read-only", "user", "add", "eve")
        #expect(refused.code == .refused && refused.error.contains("read-only"))
        #expect(fixture.ctl("user", "show", "eve").code == .notFound)
        #expect(fixture.ctl("--read-only", "message", "recall", "tea", "3").code == .refused)
        #expect(fixture.ctl("--read-only", "user", "list").code == .done)
        #expect(fixture.ctl("--read-only", "session", "kick", "--address", "10.", "--dry-run").code == .done)
    }

    @Test("a message's way to each member, and the history with a member's eyes")
    func eyes() throws {
        let fixture = try self.furnished()
        let trace = fixture.ctl("message", "trace", "tea", "2")
        #expect(trace.code == .done && trace.output.contains("ming  sender"))
        #expect(
            fixture.ctl("message", "trace", "tea", "2", "--json").output.hasPrefix(#"{"message":{"conversation":1"#))
        #expect(fixture.ctl("conversation", "see-as", "tea", "lan").code == .refused)
        _ = fixture.ctl("message", "recall", "tea", "4", "--for-good")
        let seen = fixture.ctl("conversation", "see-as", "tea", "lan", "--why", "she asked").output
        #expect(
            seen.contains("m5") && seen.contains("Not shown to this member:") && seen.contains("deleted for everyone"))
        #expect(fixture.ctl("audit", "list", "--what", "conversation.seeAs").output.contains("she asked"))
        #expect(fixture.ctl("conversation", "export", "tea", "--as", "lan").code == .refused)
        #expect(fixture.ctl("filter", "add", "--for", "lan", "--word", "m5", "--text", "tea").code == .done)
        let copy = fixture.ctl("conversation", "export", "tea", "--as", "lan", "--why", "she asked").output
        #expect(copy.split(separator: "\n").count == 4 && copy.contains("tea") && !copy.contains("m5"))
        #expect(fixture.ctl("conversation", "export", "tea", "--as", "nobody", "--why", "x").code == .notFound)
    }

    @Test("people are edited, and an import is tried out")
    func people() throws {
        let fixture = try self.furnished()
        #expect(
            fixture.ctl("user", "edit", "ming", "--role", "admin").output == "user ming changed, 0 sessions closed\n")
        #expect(fixture.ctl("user", "show", "ming").output.contains("administrator"))
        #expect(fixture.ctl("user", "edit", "ming").code == .usage)
        let file = try fixture.write("ming\nwei\twei\nwei\n", to: "people.txt")
        let tried = fixture.ctl("user", "import", file, "--dry-run")
        #expect(tried.code == .done)
        #expect(tried.output.hasSuffix("1 new, 1 there already, 1 named twice, 0 refused\n"))
        #expect(fixture.ctl("user", "show", "wei").code == .notFound)
    }

    @Test("sessions by filter: a filter that says nothing is a mistake")
    func sessions() throws {
        let fixture = try self.furnished()
        #expect(fixture.ctl("session", "kick", "--address", "10.").output == "0 sessions closed\n")
        #expect(fixture.ctl("session", "kick", "--device", "web", "--dry-run").output == "nothing to show\n")
        #expect(fixture.ctl("session", "kick", "--dry-run").code == .usage)
        #expect(fixture.ctl("session", "kick", "7", "--device", "web").code == .usage)
    }

    @Test("top shows the pulse once for scripts")
    func top() throws {
        let fixture = try Fixture()
        let json = fixture.ctl("top", "--once", "--json")
        #expect(
            json.code == .done && json.output.hasPrefix(#"{"points":["#) && json.output.contains("commit_queue_bytes"))
        #expect(fixture.ctl("top", "--once").code == .done)
    }
}
