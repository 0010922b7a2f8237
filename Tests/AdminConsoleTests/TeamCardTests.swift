import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("The card of a team") struct TeamCardTests {
    private static let team = TeamServer.name

    /// The card, as the operator sees it.
    private func desk(
        _ server: TeamServer = TeamServer(), language: Language = .english, isReadOnly: Bool = false
    ) -> Desk {
        let desk = Desk(language: language, isReadOnly: isReadOnly, server: server.answer)
        desk.press(.character("4"), .character("c"))
        return desk
    }

    /// Puts the cursor on a row and uses it.
    private func use(_ row: String, _ desk: Desk) {
        desk.press(.character("g"), .character("/"))
        desk.type("re:^\(row)$")
        desk.press(.enter, .character("e"))
    }

    @Test("every row with its value and who may use it, in both languages")
    func rows() {
        #expect(
            self.desk().body(80, 30) == [
                " Conversations › Team card tea  1/15                                   08:00:00",
                " KIND OF TEAM      advanced group",
                " STATE             active",
                " OWNER             ming",
                " MEMBERS           3 / as many as the server allows",
                " REQUESTS WAITING  2",
                " SEEN BY           the operator",
                " HIDDEN",
                "",
                "  ROW                         VALUE                     MAY USE IT",
                "> picture                                               yes",
                "  hand over the group                                   yes",
                "  members                     3                         yes",
                "  invite                                                yes",
                "  kind of group               advanced group",
                "  group name                  茶馆                      yes",
                "  introduction                喝茶聊天                  yes",
                "  announcement                                          yes",
                "  mute everyone               off                       yes",
                "  muted members               0                         yes",
                "  who may join                everybody                 yes",
                "  who may invite              everybody                 yes",
                "  who may edit the group      managers                  yes",
                "  ask invited people          they have to agree        yes",
                "  dissolve the group                                    yes",
                "",
                "",
                " /srv/teahouse",
                " Enter look behind the row  e use the row  M members  ? help",
            ])
        #expect(
            self.desk(language: .chinese).body(80, 30) == [
                " 会话 › 群资料卡 tea  1/15                                             08:00:00",
                " 群类型            高级群",
                " 状态              正常",
                " 所有者            ming",
                " 成员数            3 / 以服务器上限为准",
                " 待处理请求        2",
                " 查看者            管理员",
                " 已隐藏",
                "",
                "  行                          当前值                    可操作",
                "> 群头像                                                是",
                "  转让群                                                是",
                "  群成员                      3                         是",
                "  邀请                                                  是",
                "  群类型                      高级群",
                "  群名称                      茶馆                      是",
                "  群介绍                      喝茶聊天                  是",
                "  群公告                                                是",
                "  群禁言                      关闭                      是",
                "  禁言列表                    0                         是",
                "  身份验证                    允许任何人                是",
                "  邀请他人权限                所有人                    是",
                "  群资料修改权限              管理员                    是",
                "  被邀请人身份验证            需要验证                  是",
                "  解散群聊                                              是",
                "",
                "",
                " /srv/teahouse",
                " Enter 查看该行  e 操作该行  M 群成员  V 以他人身份查看  ? 帮助",
            ])
    }

    @Test("with a member's eyes: their rows, and which setting forbids the others")
    func viewer() {
        let desk = self.desk()
        desk.press(.character("V"), .character("/"))
        desk.type("zoe")
        desk.press(.enter, .enter)
        #expect(
            desk.body(80, 30) == [
                " Conversations › Team card › Team card tea  1/12                       08:00:00",
                " KIND OF TEAM      advanced group",
                " STATE             active",
                " OWNER             ming",
                " MEMBERS           3 / as many as the server allows",
                " REQUESTS WAITING  2",
                " SEEN BY           zoe",
                " HIDDEN",
                "",
                "  ROW                         VALUE                     MAY USE IT",
                "> picture                                               only managers edit here…",
                "  members                     3                         yes",
                "  invite                                                yes",
                "  kind of group               advanced group",
                "  group name                  茶馆                      only managers edit here…",
                "  my name in the group                                  yes",
                "  introduction                喝茶聊天                  only managers edit here…",
                "  announcement                                          yes",
                "  mute everyone               off                       only managers and the o…",
                "  notifications               all messages              yes",
                "  keep on top                 off                       yes",
                "  leave the group                                       yes",
                "",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter look behind the row  e use the row  M members  ? help",
            ])
        desk.press(.character("e"))
        #expect(desk.screen()[22].hasPrefix(" ! only managers edit here"))
        desk.press(.down, .character("e"))
        #expect(desk.screen()[22] == " ! this is what zoe sees: Esc leads back to what you may do")
        desk.press(.escape)
        #expect(desk.screen()[7] == " SEEN BY           the operator")
    }

    @Test("straight at every size", arguments: [(80, 24), (200, 50), (40, 10), (61, 17)])
    func straight(_ size: (Int, Int)) {
        for language in [Language.english, .chinese] {
            let desk = self.desk(language: language)
            for key in [Key.character("e"), .character("L"), .character("?"), .character("="), .character("D"), .enter]
            {
                desk.press(key)
                #expect(desk.isStraight(size.0, size.1), "\(key)")
                desk.press(.escape)
            }
            desk.press(.character("M"))
            #expect(desk.isStraight(size.0, size.1))
        }
    }

    @Test("a name is edited, and z brings the old one back")
    func name() {
        let desk = self.desk()
        self.use("name", desk)
        desk.press(.control("u"))
        desk.type("新茶馆")
        #expect(desk.screen().contains { $0.contains("teahouse ctl team set tea --title 新茶馆") })
        desk.press(.enter)
        var patch = AdminTeamPatch()
        patch.title = "新茶馆"
        #expect(desk.changes() == [.teams(.set(Self.team, patch))])
        desk.press(.character("z"))
        patch.title = "茶馆"
        #expect(desk.changes().last == .teams(.set(Self.team, patch)))
    }

    @Test("a mode is chosen, and what it means is said before")
    func mode() {
        let desk = self.desk()
        self.use("joinMode", desk)
        desk.press(.right, .enter)
        let screen = desk.screen()
        #expect(screen.contains { $0.contains("A manager has to accept each request to join.") })
        #expect(screen.contains { $0.contains("teahouse ctl team set tea --join approval") })
        #expect(desk.changes().isEmpty)
        desk.press(.enter)
        var patch = AdminTeamPatch()
        patch.modes.join = .approval
        #expect(desk.changes() == [.teams(.set(Self.team, patch))])
        desk.press(.character("z"))
        patch.modes.join = .open
        #expect(desk.changes().last == .teams(.set(Self.team, patch)))
    }

    @Test("limit, app's fields and leaving owners, which no row shows")
    func limits() {
        let desk = self.desk()
        desk.press(.character("L"))
        desk.type("1")
        desk.press(.enter)
        #expect(desk.changes().isEmpty)
        desk.type("0")
        desk.press(.enter)
        var patch = AdminTeamPatch()
        patch.memberLimit = 10
        patch.modes.updateAttributes = .managers
        patch.modes.ownerLeaving = .transferFirst
        #expect(desk.changes() == [.teams(.set(Self.team, patch))])
        desk.press(.character("z"))
        patch.memberLimit = 0
        #expect(desk.changes().last == .teams(.set(Self.team, patch)))
    }

    @Test("an announcement is made, and taken away again by z where there was none")
    func announcement() {
        let desk = self.desk()
        self.use("announcement", desk)
        desk.type("茶会")
        desk.press(.tab)
        desk.type("今晚")
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("teahouse ctl team announce tea 今晚 --title 茶会") })
        desk.press(.enter)
        #expect(desk.changes() == [.teams(.announce(Self.team, title: "茶会", text: "今晚"))])
        desk.press(.character("z"))
        #expect(desk.changes().last == .teams(.announce(Self.team, title: nil, text: "")))
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("今晚八点喝茶") })
    }

    @Test("inviting leaves out who is in, and stops at the limit with its reason")
    func invite() {
        let server = TeamServer()
        server.team.settings.memberLimit = 4
        let desk = self.desk(server)
        desk.press(.character("+"))
        #expect(!desk.screen().contains { $0.contains("阿兰") })
        desk.press(.character(" "), .character(" "))
        #expect(desk.screen().contains { $0.contains("! The team holds 4 members.") })
        desk.press(.enter, .enter)
        guard case .teams(.invite(Self.team, let names, from: nil, postscript: ""))? = desk.changes().first else {
            Issue.record("nobody was invited: \(desk.changes())")
            return
        }
        #expect(names.count == 1)
        desk.press(.character("z"))
        #expect(desk.changes().last == .teams(.remove(Self.team, names)))
    }

    @Test("a member's friends are invited in the member's name, with what became of them")
    func friends() {
        let server = TeamServer()
        let desk = Desk { request in
            guard case .people(.details(let name)) = request else { return server.answer(request) }
            var details = AdminPersonDetails(name: name, friendCount: 2)
            details.friends = ["lan", "anna"].map { AdminFriend(name: UserName($0)!, sinceMilliseconds: 0) }
            return .success(.details(details))
        }
        desk.press(.character("4"), .character("c"), .character("M"), .character("i"))
        #expect(desk.screen().contains { $0.contains("Friends of ming") })
        #expect(!desk.screen().contains { $0.contains("阿兰") })
        desk.press(.character(" "), .enter)
        desk.type("来喝茶")
        #expect(desk.screen().contains { $0.contains("teahouse ctl team invite tea anna --from ming --text 来喝茶") })
        desk.press(.enter, .enter)
        let (anna, ming) = (UserName("anna")!, UserName("ming")!)
        #expect(desk.changes() == [.teams(.invite(Self.team, [anna], from: ming, postscript: "来喝茶"))])
        #expect(desk.screen().contains { $0.contains("are members now") })
    }

    @Test("roles of the marked members, and back")
    func roles() {
        let desk = self.desk()
        desk.press(.character("M"), .down, .down, .character("e"), .enter)
        #expect(desk.screen().contains { $0.contains("teahouse ctl team role tea manager zoe") })
        desk.press(.enter)
        #expect(desk.changes() == [.teams(.setRole(Self.team, [UserName("zoe")!], .manager))])
        desk.press(.character("z"))
        #expect(desk.changes().last == .teams(.setRole(Self.team, [UserName("zoe")!], .member)))
        desk.press(.character("g"), .character("e"))
        #expect(desk.screen()[22] == " ! the owner is made by handing the group over")
    }

    @Test("a manager who was removed comes back as a manager; an owner does not come back by a key")
    func remove() {
        let desk = self.desk()
        desk.press(.character("M"), .down, .character("d"), .enter, .character("z"))
        let lan = [UserName("lan")!]
        #expect(
            desk.changes() == [
                .teams(.remove(Self.team, lan)), .teams(.invite(Self.team, lan, from: nil, postscript: "")),
                .teams(.setRole(Self.team, lan, .manager)),
            ])
        desk.press(.character("g"), .character("d"), .enter, .character("z"))
        #expect(desk.screen()[22] == " ! nothing can be taken back now")
    }

    @Test("muting for some minutes, and unmuting gives the rest of the time back on z")
    func mute() {
        let server = TeamServer()
        let desk = self.desk(server)
        desk.press(.character("M"), .down, .down, .character("x"))
        desk.type("5")
        desk.press(.enter)
        let zoe = UserName("zoe")!
        #expect(desk.changes() == [.teams(.mute(Self.team, zoe, true, minutes: 5))])
        server.isMuted = true
        desk.press(.character("R"), .character("X"), .enter, .character("z"))
        #expect(desk.changes().dropFirst().first == .teams(.mute(Self.team, zoe, false, minutes: nil)))
        #expect(desk.changes().last == .teams(.mute(Self.team, zoe, true, minutes: 11)))
    }

    @Test("= shows the command of each marked member")
    func markedCommands() {
        let desk = self.desk()
        desk.press(.character("M"), .down, .character(" "), .character(" "), .character("="))
        let screen = desk.screen()
        for name in ["lan", "zoe"] {
            #expect(screen.contains { $0.contains("teahouse ctl team mute tea \(name)") })
        }
        #expect(desk.changes().isEmpty)
    }

    @Test("a member's card: nickname, role, muting, removing")
    func member() {
        let desk = self.desk()
        desk.press(.character("M"), .down, .down, .enter)
        #expect(
            desk.body() == [
                " Conversations › Team card › Members › Team card tea zoe  1/6          08:00:00",
                " TEAM              tea",
                " NAME              zoe",
                " SEEN BY           the operator",
                " HIDDEN",
                "",
                "  ROW                         VALUE                     MAY USE IT",
                "> member card                 老zoe",
                "  my name in the group        老zoe                     yes",
                "  role                        member                    yes",
                "  invited by                  ming",
                "  mute                        off                       yes",
                "  remove from the group                                 yes",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter look behind the row  e use the row  M members  ? help",
            ])
        self.use("memberNickname", desk)
        desk.type("!")
        desk.press(.enter, .character("z"))
        let zoe = UserName("zoe")!
        #expect(
            desk.changes() == [
                .teams(.setNickname(Self.team, zoe, "老zoe!")), .teams(.setNickname(Self.team, zoe, "老zoe")),
            ])
    }

    @Test("handing over says what becomes of the old owner; only staying can be taken back")
    func transfer() {
        let desk = self.desk()
        desk.press(.character("T"), .character("A"), .enter, .enter)
        let screen = desk.screen()
        #expect(screen.contains { $0.contains("lan becomes the owner.") })
        #expect(screen.contains { $0.contains("ming becomes a normal member.") })
        desk.press(.enter, .character("z"))
        let (lan, ming) = (UserName("lan")!, UserName("ming")!)
        #expect(
            desk.changes() == [
                .teams(.transfer(Self.team, to: lan, andLeaves: false)),
                .teams(.transfer(Self.team, to: ming, andLeaves: false)),
                .teams(.setRole(Self.team, [lan], .manager)),
            ])
        desk.press(.character("T"), .character("A"), .enter, .right, .enter)
        #expect(desk.screen().contains { $0.contains("teahouse ctl team transfer tea lan --leave") })
        desk.press(.enter, .character("z"))
        #expect(desk.changes().last == .teams(.transfer(Self.team, to: lan, andLeaves: true)))
    }

    @Test("dissolving wants the name typed")
    func dismiss() {
        let desk = self.desk()
        desk.press(.character("D"), .enter)
        #expect(desk.changes().isEmpty)
        #expect(desk.screen().contains { $0.contains("3 members can only read it from now on.") })
        desk.type("tea")
        desk.press(.enter)
        #expect(desk.changes() == [.teams(.dismiss(Self.team))])
    }

    @Test("rows are hidden by a key, by the console's option, and shown again")
    func hide() {
        let server = TeamServer()
        let desk = self.desk(server)
        #expect(desk.screen()[11].hasPrefix("> picture"))
        desk.press(.character("h"))
        #expect(!desk.screen().contains { $0.contains("picture") })
        #expect(desk.screen().contains { $0.contains("HIDDEN") && $0.contains("header") })
        desk.press(.character("H"))
        #expect(desk.screen()[11].contains("picture"))

        let other = Desk(server: server.answer)
        other.console.look.hiddenRows = [.members, .kind]
        other.press(.character("4"), .character("c"))
        #expect(other.asked.contains(.teams(.card(AdminCardQuery(team: Self.team, hidden: [.members, .kind])))))
    }

    @Test(":team card opens it, as who is named, with rows left out; what it cannot show is run")
    func command() {
        let desk = Desk(server: TeamServer().answer)
        desk.press(.character(":"))
        desk.type("team card tea --viewer lan --hide alerts,pinned")
        desk.press(.enter)
        #expect(
            desk.asked.contains(
                .teams(.card(AdminCardQuery(team: Self.team, viewer: UserName("lan"), hidden: [.alerts, .pinned])))))
        #expect(desk.screen()[1].hasPrefix(" Overview › Team card tea"))
        desk.press(.character(":"))
        desk.type("team card tea --hide nothing")
        desk.press(.enter)
        #expect(
            desk.effects.contains {
                if case .run(["team", "card", "tea", "--hide", "nothing"], input: []) = $0 { true } else { false }
            })
    }

    @Test("read-only: everything can be looked at, nothing used")
    func readOnly() {
        let desk = self.desk(isReadOnly: true)
        for key in "e+LsSTD" {
            desk.press(.character(key))
            #expect(desk.screen()[22] == " ! read-only: nothing is changed here")
        }
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("MAY USE IT: yes") })
    }

    @Test("a team of a kind is made from the chosen people")
    func create() {
        let desk = Desk(server: TeamServer().answer)
        desk.press(.character("4"), .character("n"), .character(" "), .enter)
        desk.type("tea")
        desk.press(.tab, .tab, .right, .tab, .right)
        #expect(desk.screen().contains { $0.contains("teahouse ctl team create tea --form advanced --owner") })
        desk.press(.enter)
        guard case .teams(.create(let team))? = desk.changes().first else {
            Issue.record("no team was made")
            return
        }
        #expect(team.form == .advanced && team.members.count == 1 && team.owner == team.members[0])
    }
}
