import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("The audit log") struct AuditTests {
    private static func entry(_ number: Int64) -> AdminAuditEntry {
        AdminAuditEntry(
            AuditEntry(
                number: number, atMilliseconds: ConsoleDriver.now - (10 - number) * 1000,
                actor: AuditActor(uid: 1000, name: "ming", source: .console, reason: "spam"), word: "user.disable",
                subject: "lan", stage: .done, asked: #"{"name":"lan","disabled":true}"#,
                before: #"{"name":"lan","disabled":false,"modes":{"join":"open"}}"#,
                after: #"{"name":"lan","disabled":true,"modes":{"join":"closed"},"note":"x"}"#), hash: "c0ffee")
    }

    private func console(_ language: Language = .english, problems: [String] = []) -> ConsoleDriver {
        let console = ConsoleDriver(language: language) { request in
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
        console.press(.character("0"), .character("/"))
        console.type(language == .english ? "audit" : "审计")
        console.press(.enter, .enter)
        return console
    }

    @Test("the newest first, with who did what to whom and what changed, in both languages")
    func rows() {
        #expect(
            self.console().body(120, 12) == [
                " Audit  1/3                                                                                                    08:00:00",
                " everything that operators changed",
                "   NUMBER  TIME        WHO             WHAT              SUBJECT              CHANGE                REASON",
                ">       9  07:59:59    ming (1000)     user.disable      lan                  disabled: false → t…  spam",
                "        8  07:59:58    ming (1000)     user.disable      lan                  disabled: false → t…  spam",
                "        7  07:59:57    ming (1000)     user.disable      lan                  disabled: false → t…  spam",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter before and after  f who, what, since when  F all again  b older  c check the chain  ? help",
            ])
        #expect(
            self.console(.chinese).body(120, 12) == [
                " 审计  1/3                                                                                                     08:00:00",
                " 管理员的全部更改",
                "     编号  时间        操作员          请求              对象                 变化                  原因",
                ">       9  07:59:59    ming (1000)     user.disable      lan                  disabled: false → t…  spam",
                "        8  07:59:58    ming (1000)     user.disable      lan                  disabled: false → t…  spam",
                "        7  07:59:57    ming (1000)     user.disable      lan                  disabled: false → t…  spam",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter 更改前后  f 按人、操作、时间筛选  F 显示全部  b 更早  c 校验链  ? 帮助",
            ])
    }

    @Test("older ones come below, page by page, up to the first")
    func older() {
        let console = self.console()
        console.press(.character("b"), .character("b"))
        #expect(console.screen()[1].contains("1/9"))
        console.press(.character("R"))
        #expect(console.screen()[1].contains("1/9"))
        console.press(.character("b"))
        #expect(console.screen()[22] == " this is the first entry")
    }

    @Test("an entry: before and after side by side, field by field")
    func entry() {
        let console = self.console()
        console.press(.enter)
        #expect(
            console.body() == [
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
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("false") })
        console.press(.escape, .character("a"))
        #expect(console.screen().contains { $0.contains(#"{"name":"lan","disabled":true}"#) })
    }

    @Test("by who, what, of whom and since when; a wrong time is said while it is typed")
    func filter() {
        let console = self.console()
        console.press(.character("f"))
        console.type("ming")
        console.press(.tab)
        console.type("user")
        console.press(.tab, .tab)
        console.type("soon")
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("soon") && !$0.contains("--since") && !$0.contains("SINCE") })
        console.press(.control("u"))
        console.type("2h")
        #expect(console.screen().contains { $0.contains("teahouse ctl audit list --who ming --what user --since 2h") })
        console.press(.enter)
        guard case .audit(.list(let query))? = console.asked.last else {
            Issue.record("nothing was asked")
            return
        }
        #expect(query.who == "ming" && query.what == "user" && query.subject == nil)
        #expect(query.sinceMilliseconds == ConsoleDriver.now - 7_200_000)
        #expect(console.screen()[2] == " WHO ming  WHAT user  SINCE 2h")
    }

    @Test("the chain is checked, and what is wrong with it is told")
    func verify() {
        let console = self.console()
        console.press(.character("c"))
        #expect(console.screen().contains { $0.contains("9 entries, none changed or missing") })
        let broken = self.console(problems: ["entry 4 was changed"])
        broken.press(.character("c"))
        #expect(broken.screen().contains { $0.contains("entry 4 was changed") })
        #expect(broken.screen().contains { $0.contains("somebody changed them") })
    }

    @Test("nothing here changes anything")
    func neverChanged() {
        let console = self.console()
        for key in "enabcdfgxwtso+-*DKS" {
            console.press(.character(key), .enter, .escape, .escape)
        }
        #expect(console.changes().isEmpty)
    }
}
