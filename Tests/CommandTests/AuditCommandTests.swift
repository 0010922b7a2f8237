import Glibc
import Testing

@Suite("teahouse ctl audit") struct AuditCommandTests {
    @Test("lists what changed and who did it, the newest first, by any filter")
    func list() throws {
        let fixture = try Fixture()
        _ = fixture.ctl("user", "add", "ming", "--operator", "阿兰", "--why", "new colleague")
        _ = fixture.ctl("user", "disable", "ming")
        _ = fixture.ctl("group", "create", "tea", "--members", "ming")
        let lines = fixture.ctl("audit", "list").output.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasPrefix("NUMBER  TIME "))
        #expect(lines[1].contains("team.create") && lines[2].contains("disabled: false -> true"))
        #expect(lines[3].contains("阿兰 (\(geteuid()))") && lines[3].contains("new colleague"))
        #expect(fixture.ctl("audit", "list", "--who", "阿兰").output.split(separator: "\n").count == 2)
        #expect(fixture.ctl("audit", "list", "--what", "user").output.split(separator: "\n").count == 3)
        #expect(fixture.ctl("audit", "list", "--subject", "tea", "--since", "1h").output.contains("team.create"))
        #expect(fixture.ctl("audit", "list", "--limit", "1").output.split(separator: "\n").count == 2)
        #expect(fixture.ctl("audit", "list", "--since", "2999-01-01").output == "nothing to show\n")
        #expect(fixture.ctl("audit", "list", "--since", "2026-11-21 08:15").code == .done)
        for wrong in ["yesterday", "2026-02-31", "2026-11-21 24:00", "2026-11", "+1-1-1"] {
            #expect(fixture.ctl("audit", "list", "--since", wrong).code == .usage)
        }
    }

    @Test("shows one entry, checks the chain, and exports JSON lines")
    func rest() throws {
        let fixture = try Fixture()
        for name in ["ming", "lan"] { _ = fixture.ctl("user", "add", name) }
        let shown = fixture.ctl("audit", "show", "2").output
        #expect(shown.contains("WHAT     user.add\n") && shown.contains(#""name":"lan""#))
        #expect(fixture.ctl("audit", "show", "x").code == .usage && fixture.ctl("audit", "show", "3").code == .notFound)
        let checked = fixture.ctl("audit", "verify")
        #expect(checked.code == .done && checked.output.hasPrefix("2 entries, none changed or missing"))
        #expect(fixture.ctl("audit", "verify", "--json").output.hasPrefix(#"{"entries":2,"hash":""#))
        let lines = fixture.ctl("audit", "export").output.split(separator: "\n")
        #expect(
            lines.count == 2 && lines[0].hasPrefix(#"{"number":2,"at":"#) && lines[1].contains(#""subject":"ming""#))
        #expect(fixture.ctl("audit", "list", "--json").output.hasPrefix(#"{"entries":[{"number":2"#))
        #expect(fixture.ctl("audit", "list", language: .chinese).output.contains("操作员"))
    }
}
