import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("Requests to join teams") struct RequestsTests {
    private func console(_ language: Language = .english, isReadOnly: Bool = false) -> ConsoleDriver {
        let console = ConsoleDriver(language: language, isReadOnly: isReadOnly, server: TeamServer().answer)
        console.press(.character("9"))
        return console
    }

    @Test("who asks, for which team, in what words and how long ago, in both languages")
    func rows() {
        #expect(
            self.console().body(100, 12) == [
                " Requests  1/2                                                                             08:00:00",
                " waiting  all teams",
                "  NUMBER  KIND           PERSON            TEAM              SAYS               STATE            AGE",
                ">      9  wants to join  anna              tea               我也爱喝茶         waiting         1:30",
                "       8  is invited     anna              tea               我也爱喝茶         waiting         1:30",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter the request  a accept  x refuse  w take back  t with those that are over  ? help",
            ])
        #expect(
            self.console(.chinese).body(100, 12) == [
                " 申请  1/2                                                                                 08:00:00",
                " 待处理  所有群",
                "    编号  类型           用户              群组              附言               状态            已过",
                ">      9  申请           anna              tea               我也爱喝茶         待处理          1:30",
                "       8  邀请           anna              tea               我也爱喝茶         待处理          1:30",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter 查看申请  a 同意  x 拒绝  w 撤回  t 含已处理的  f 只看某群  F 所有群  o 打开用户  ? 帮助",
            ])
    }

    @Test("accepting the marked ones, and removing them again with z")
    func accept() {
        let console = self.console()
        console.press(.character("*"), .character("a"))
        #expect(console.screen().contains { $0.contains("teahouse ctl request accept 9") })
        console.press(.enter)
        #expect(
            console.changes() == [
                .teams(.answer(9, accept: true, reason: "")), .teams(.answer(8, accept: true, reason: "")),
            ])
        console.press(.character("z"))
        #expect(console.changes().last == .teams(.remove(TeamServer.name, [UserName("anna")!])))
    }

    @Test("refusing with a reason, which cannot be taken back")
    func refuse() {
        let console = self.console()
        console.press(.character("x"))
        console.type("满了")
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("teahouse ctl request refuse 9 --reason 满了") })
        console.press(.enter)
        #expect(console.changes() == [.teams(.answer(9, accept: false, reason: "满了"))])
        console.press(.character("z"))
        #expect(console.changes().count == 1)
    }

    @Test("taking back in the person's name")
    func withdraw() {
        let console = self.console()
        console.press(.character("w"), .enter)
        #expect(console.changes() == [.teams(.withdraw(9))])
    }

    @Test("those that are over are shown on demand, with their reason, and are not answered again")
    func over() {
        let console = self.console()
        #expect(!console.screen().contains { $0.contains("refused") })
        console.press(.character("t"), .character("G"))
        #expect(console.screen().contains { $0.hasPrefix(">") && $0.contains("refused") })
        console.press(.character("a"))
        #expect(console.screen()[22] == " ! only waiting requests can be answered")
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("满了") })
    }

    @Test("of one team alone")
    func team() {
        let console = self.console()
        console.press(.character("f"), .enter)
        #expect(console.asked.last == .teams(.requests(AdminJoinQuery(team: TeamServer.name))))
        console.press(.character("F"))
        #expect(console.asked.last == .teams(.requests(AdminJoinQuery())))
    }

    @Test("read-only: nobody is answered")
    func readOnly() {
        let console = self.console(isReadOnly: true)
        for key in "axw" {
            console.press(.character(key))
            #expect(console.screen()[22] == " ! read-only: nothing is changed here")
        }
    }
}
