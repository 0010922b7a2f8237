import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("Requests to join teams") struct RequestsTests {
    private func desk(_ language: Language = .english, isReadOnly: Bool = false) -> Desk {
        let desk = Desk(language: language, isReadOnly: isReadOnly, server: TeamServer().answer)
        desk.press(.character("9"))
        return desk
    }

    @Test("who asks, for which team, in what words and how long ago, in both languages")
    func rows() {
        #expect(
            self.desk().body(100, 12) == [
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
            self.desk(.chinese).body(100, 12) == [
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
        let desk = self.desk()
        desk.press(.character("*"), .character("a"))
        #expect(desk.screen().contains { $0.contains("teahouse ctl request accept 9") })
        desk.press(.enter)
        #expect(
            desk.changes() == [
                .teams(.answer(9, accept: true, reason: "")), .teams(.answer(8, accept: true, reason: "")),
            ])
        desk.press(.character("z"))
        #expect(desk.changes().last == .teams(.remove(TeamServer.name, [UserName("anna")!])))
    }

    @Test("refusing with a reason, which cannot be taken back")
    func refuse() {
        let desk = self.desk()
        desk.press(.character("x"))
        desk.type("满了")
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("teahouse ctl request refuse 9 --reason 满了") })
        desk.press(.enter)
        #expect(desk.changes() == [.teams(.answer(9, accept: false, reason: "满了"))])
        desk.press(.character("z"))
        #expect(desk.changes().count == 1)
    }

    @Test("taking back in the person's name")
    func withdraw() {
        let desk = self.desk()
        desk.press(.character("w"), .enter)
        #expect(desk.changes() == [.teams(.withdraw(9))])
    }

    @Test("those that are over are shown on demand, with their reason, and are not answered again")
    func over() {
        let desk = self.desk()
        #expect(!desk.screen().contains { $0.contains("refused") })
        desk.press(.character("t"), .character("G"))
        #expect(desk.screen().contains { $0.hasPrefix(">") && $0.contains("refused") })
        desk.press(.character("a"))
        #expect(desk.screen()[22] == " ! only waiting requests can be answered")
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("满了") })
    }

    @Test("of one team alone")
    func team() {
        let desk = self.desk()
        desk.press(.character("f"), .enter)
        #expect(desk.asked.last == .teams(.requests(AdminJoinQuery(team: TeamServer.name))))
        desk.press(.character("F"))
        #expect(desk.asked.last == .teams(.requests(AdminJoinQuery())))
    }

    @Test("read-only: nobody is answered")
    func readOnly() {
        let desk = self.desk(isReadOnly: true)
        for key in "axw" {
            desk.press(.character(key))
            #expect(desk.screen()[22] == " ! read-only: nothing is changed here")
        }
    }
}
