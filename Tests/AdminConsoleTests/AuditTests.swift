import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("The audit log") struct AuditTests {
    private static func entry(_ number: Int64) -> AdminAuditEntry {
        AdminAuditEntry(
            AuditEntry(
                number: number, atMilliseconds: Desk.now - (10 - number) * 1000,
                actor: AuditActor(uid: 1000, name: "ming", source: .console, reason: "spam"), word: "user.disable",
                subject: "lan", stage: .done, asked: #"{"name":"lan","disabled":true}"#,
                before: #"{"name":"lan","disabled":false,"modes":{"join":"open"}}"#,
                after: #"{"name":"lan","disabled":true,"modes":{"join":"closed"},"note":"x"}"#), hash: "c0ffee")
    }

    private func desk(_ language: Language = .english, problems: [String] = []) -> Desk {
        let desk = Desk(language: language) { request in
            switch request {
            case .audit(.list(let query)):
                let last = (query.before ?? 10) - 1
                let page = stride(from: last, to: max(0, last - 3), by: -1).map { Self.entry($0) }
                return .success(.audit(.list(page, next: last > 3 ? last - 2 : nil)))
            case .audit(.verify):
                return .success(.audit(.checked(AdminAuditCheck(count: 9, hash: "c0ffee", problems: problems))))
            default: return Samples.answer(request)
            }
        }
        desk.press(.character("0"), .character("/"))
        desk.type(language == .english ? "audit" : "审计")
        desk.press(.enter, .enter)
        return desk
    }

    @Test("the newest first, with who did what to whom and what changed, in both languages")
    func rows() {
        #expect(
            self.desk().body(120, 12) == [
                " Audit  1/3                                                                                                    08:00:00",
                " everything that operators changed",
                "   NUMBER  TIME        WHO             WHAT              SUBJECT         CHANGE                  REASON",
                ">       9  07:59:59    ming (1000)     user.disable      lan             disabled: false → tru…  spam",
                "        8  07:59:58    ming (1000)     user.disable      lan             disabled: false → tru…  spam",
                "        7  07:59:57    ming (1000)     user.disable      lan             disabled: false → tru…  spam",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter before and after  f who, what, since when  F all again  b older  c check the chain  ? help",
            ])
        #expect(
            self.desk(.chinese).body(120, 12) == [
                " 审计  1/3                                                                                                     08:00:00",
                " 管理员的全部更改",
                "     编号  时间        操作员          请求              对象            变化                    原因",
                ">       9  07:59:59    ming (1000)     user.disable      lan             disabled: false → tru…  spam",
                "        8  07:59:58    ming (1000)     user.disable      lan             disabled: false → tru…  spam",
                "        7  07:59:57    ming (1000)     user.disable      lan             disabled: false → tru…  spam",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter 更改前后  f 按人、操作、时间筛选  F 显示全部  b 更早  c 校验链  ? 帮助",
            ])
    }

    @Test("older ones come below, page by page, up to the first")
    func older() {
        let desk = self.desk()
        desk.press(.character("b"), .character("b"))
        #expect(desk.screen()[1].contains("1/9"))
        desk.press(.character("R"))
        #expect(desk.screen()[1].contains("1/9"))
        desk.press(.character("b"))
        #expect(desk.screen()[22] == " this is the first entry")
    }

    @Test("an entry: before and after side by side, field by field")
    func entry() {
        let desk = self.desk()
        desk.press(.enter)
        #expect(
            desk.body() == [
                " Audit › Entry 9  1/4                                                  08:00:00",
                " TIME        d1020833xx 07:59:59",
                " WHO         ming (1000)  console",
                " REASON      spam",
                " WHAT        user.disable  done",
                " SUBJECT     lan",
                #" ASKED       {"name":"lan","disabled":true}"#,
                " SHA-256     c0ffee",
                "",
                "  ≠   FIELD                 BEFORE                     AFTER",
                "> ≠   disabled              false                      true",
                "  ≠   modes.join            open                       closed",
                "      name                  lan                        lan",
                "  ≠   note                  -                          x",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter the field in full  a the request  ? help",
            ])
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("false") })
        desk.press(.escape, .character("a"))
        #expect(desk.screen().contains { $0.contains(#"{"name":"lan","disabled":true}"#) })
    }

    @Test("by who, what, of whom and since when; a wrong time is said while it is typed")
    func filter() {
        let desk = self.desk()
        desk.press(.character("f"))
        desk.type("ming")
        desk.press(.tab)
        desk.type("user")
        desk.press(.tab, .tab)
        desk.type("soon")
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("soon") && !$0.contains("--since") && !$0.contains("SINCE") })
        desk.press(.control("u"))
        desk.type("2h")
        #expect(desk.screen().contains { $0.contains("teahouse ctl audit list --who ming --what user --since 2h") })
        desk.press(.enter)
        guard case .audit(.list(let query))? = desk.asked.last else {
            Issue.record("nothing was asked")
            return
        }
        #expect(query.who == "ming" && query.what == "user" && query.subject == nil)
        #expect(query.sinceMilliseconds == Desk.now - 7_200_000)
        #expect(desk.screen()[2] == " WHO ming  WHAT user  SINCE 2h")
    }

    @Test("the chain is checked, and what is wrong with it is told")
    func verify() {
        let desk = self.desk()
        desk.press(.character("c"))
        #expect(desk.screen().contains { $0.contains("9 entries, none changed or missing") })
        let broken = self.desk(problems: ["entry 4 was changed"])
        broken.press(.character("c"))
        #expect(broken.screen().contains { $0.contains("entry 4 was changed") })
        #expect(broken.screen().contains { $0.contains("somebody changed them") })
    }

    @Test("nothing here changes anything")
    func neverChanged() {
        let desk = self.desk()
        for key in "enabcdfgxwtso+-*DKS" {
            desk.press(.character(key), .enter, .escape, .escape)
        }
        #expect(desk.changes().isEmpty)
    }
}
