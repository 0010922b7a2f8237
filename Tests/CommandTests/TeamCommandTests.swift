import CommandLineKit
import Testing

@Suite("teahouse ctl team and request") struct TeamCommandTests {
    private func fixture() throws -> Fixture {
        let fixture = try Fixture()
        for name in ["ming", "lan", "bo"] { _ = fixture.ctl("user", "add", name) }
        let made = fixture.ctl(
            "team", "create", "tea", "--form", "advanced", "--title", "茶馆", "--owner", "ming", "--members", "lan")
        #expect(made.output == "team tea created, members: 2\n", "\(made.error)")
        return fixture
    }

    @Test("a team is set, shown in words, and as JSON")
    func show() throws {
        let fixture = try self.fixture()
        let set = fixture.ctl("team", "set", "tea", "--join", "approval", "--introduction", "喝茶", "--member-limit", "9")
        #expect(set.output == "team tea changed\n")
        #expect(
            fixture.ctl("team", "set", "tea", "--join", "approval").output == "nothing to change: it is so already\n")
        #expect(fixture.ctl("team", "set", "tea").code == .usage)
        #expect(fixture.ctl("team", "set", "tea", "--join", "never").code == .usage)
        let shown = fixture.ctl("team", "show", "tea").output
        for text in ["advanced group", "who is let in", "喝茶", "ming", "owner", "Members (2)"] {
            #expect(shown.contains(text), "\(text) in \(shown)")
        }
        let json = fixture.ctl("team", "show", "tea", "--json").output
        #expect(json.contains(#""form":"advanced""#) && json.contains(#""join":"approval""#))
        #expect(fixture.ctl("team", "show", "coffee").code == .notFound)
    }

    @Test("people come, get roles, are silent, and go")
    func people() throws {
        let fixture = try self.fixture()
        #expect(fixture.ctl("team", "role", "tea", "manager", "lan").output == "roles of 1 people in tea changed\n")
        #expect(fixture.ctl("team", "role", "tea", "king", "lan").code == .usage)
        #expect(fixture.ctl("team", "mute", "tea", "lan", "--minutes", "5").output == "lan may not send in tea\n")
        #expect(fixture.ctl("team", "unmute", "tea", "lan").output == "lan may send in tea again\n")
        #expect(fixture.ctl("team", "mute", "tea", "--who", "everyone").output == "team tea muted\n")
        #expect(fixture.ctl("team", "unmute", "tea").output == "team tea is no longer muted\n")
        #expect(fixture.ctl("team", "mute", "tea", "--minutes", "5").code == .usage)
        #expect(fixture.ctl("team", "mute", "tea", "lan", "--who", "members").code == .usage)
        #expect(fixture.ctl("team", "nickname", "tea", "lan", "阿兰").output == "nickname of lan in tea set\n")
        let invited = fixture.ctl("team", "invite", "tea", "bo")
        #expect(invited.output == "1 people added to tea, 0 asked, 0 refused\n")
        #expect(fixture.ctl("team", "remove", "tea", "bo").output == "1 people removed from tea\n")
        #expect(fixture.ctl("team", "remove", "tea").code == .usage)
        #expect(fixture.ctl("team", "transfer", "tea", "lan", "--leave").output == "team tea handed over to lan\n")
        #expect(fixture.ctl("team", "dismiss", "tea").output == "team tea dissolved\n")
        #expect(fixture.ctl("team", "dismiss", "tea").output == "nothing to change: it is so already\n")
    }

    @Test("a team is told something, and it is listed until it is taken away")
    func announcements() throws {
        let fixture = try self.fixture()
        #expect(fixture.ctl("team", "announce", "tea", "今晚\u{1B}[2J八点", "--title", "茶会").output.contains("of tea set"))
        let listed = fixture.ctl("team", "announcements", "tea").output
        #expect(listed.contains("茶会") && listed.contains("____system") && !listed.contains("\u{1B}"))
        #expect(fixture.ctl("team", "announce", "tea").output == "announcement of tea taken away\n")
        #expect(fixture.ctl("team", "announce", "tea").output == "nothing to change: it is so already\n")
    }

    @Test("requests are listed and answered")
    func requests() throws {
        let fixture = try self.fixture()
        _ = fixture.ctl("team", "set", "tea", "--join", "approval")
        let applied = fixture.ctl("request", "apply", "tea", "bo", "--text", "我也爱喝茶")
        #expect(applied.output == "request 1 of bo waits for a manager of tea\n", "\(applied.error)")
        let listed = fixture.ctl("request", "list", "--team", "tea").output
        #expect(listed.contains("wants to join") && listed.contains("我也爱喝茶") && listed.contains("waiting"))
        #expect(fixture.ctl("request", "refuse", "1", "--reason", "满了").output == "request 1 refused\n")
        #expect(fixture.ctl("request", "accept", "1").code == .refused)
        #expect(fixture.ctl("request", "accept", "one").code == .usage)
        #expect(fixture.ctl("request", "list").output.hasPrefix("nothing to show\n"))
        #expect(fixture.ctl("request", "list", "--all").output.contains("refused"))
        _ = fixture.ctl("request", "apply", "tea", "bo")
        #expect(fixture.ctl("request", "withdraw", "2").output == "request 2 taken back\n")
        #expect(fixture.ctl("team", "invite", "tea", "bo", "--from", "ming").output.contains("1 asked"))
        #expect(fixture.ctl("request", "accept", "3").output == "request 3 accepted: bo is in tea\n")
        #expect(fixture.ctl("request", "list", "--all", "--json").output.contains(#""state":"accepted""#))
    }

    @Test("a card says who may use which row, and why not")
    func card() throws {
        let fixture = try self.fixture()
        let card = fixture.ctl("team", "card", "tea", "--viewer", "lan").output
        #expect(card.contains("only managers edit here: who may edit the group"))
        #expect(!card.contains("dissolve the group"))
        #expect(fixture.ctl("team", "card", "tea", "--viewer", "ming").output.contains("dissolve the group"))
        let member = fixture.ctl("team", "card", "tea", "--viewer", "ming", "--member", "lan", "--hide", "memberMute")
        #expect(member.output.contains("remove from the group") && member.output.contains("ming"))
        #expect(!member.output.contains("mute"))
        #expect(fixture.ctl("team", "card", "tea", "--hide", "nothing").code == .usage)
        #expect(fixture.ctl("team", "card", "tea", "--json").output.contains(#""row":"joinMode""#))
    }
}
