import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("The card of a team") struct TeamCardTests {
    private static let team = TeamServer.name

    /// The card, as the operator sees it.
    private func console(
        _ server: TeamServer = TeamServer(), language: Language = .english, isReadOnly: Bool = false
    ) -> ConsoleDriver {
        let console = ConsoleDriver(language: language, isReadOnly: isReadOnly, server: server.answer)
        console.press(.character("4"), .character("c"))
        return console
    }

    /// Puts the cursor on a row and uses it.
    private func use(_ row: String, _ console: ConsoleDriver) {
        console.press(.character("g"), .character("/"))
        console.type("re:^\(row)$")
        console.press(.enter, .character("e"))
    }

    @Test("every row with its value and who may use it, in both languages")
    func rows() {
        #expect(
            self.console().body(80, 30) == [
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
            self.console(language: .chinese).body(80, 30) == [
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
        let console = self.console()
        console.press(.character("V"), .character("/"))
        console.type("zoe")
        console.press(.enter, .enter)
        #expect(
            console.body(80, 30) == [
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
        console.press(.character("e"))
        #expect(console.screen()[22].hasPrefix(" ! only managers edit here"))
        console.press(.down, .character("e"))
        #expect(console.screen()[22] == " ! this is what zoe sees: Esc leads back to what you may do")
        console.press(.escape)
        #expect(console.screen()[7] == " SEEN BY           the operator")
    }

    @Test("straight at every size", arguments: [(80, 24), (200, 50), (40, 10), (61, 17)])
    func straight(_ size: (Int, Int)) {
        for language in [Language.english, .chinese] {
            let console = self.console(language: language)
            for key in [Key.character("e"), .character("L"), .character("?"), .character("="), .character("D"), .enter]
            {
                console.press(key)
                #expect(console.isStraight(size.0, size.1), "\(key)")
                console.press(.escape)
            }
            console.press(.character("M"))
            #expect(console.isStraight(size.0, size.1))
        }
    }

    @Test("a name is edited, and z brings the old one back")
    func name() {
        let console = self.console()
        self.use("name", console)
        console.press(.control("u"))
        console.type("新茶馆")
        #expect(console.screen().contains { $0.contains("teahouse ctl team set tea --title 新茶馆") })
        console.press(.enter)
        var patch = AdminTeamPatch()
        patch.title = "新茶馆"
        #expect(console.changes() == [.teams(.set(Self.team, patch))])
        console.press(.character("z"))
        patch.title = "茶馆"
        #expect(console.changes().last == .teams(.set(Self.team, patch)))
    }

    @Test("a mode is chosen, and what it means is said before")
    func mode() {
        let console = self.console()
        self.use("joinMode", console)
        console.press(.right, .enter)
        let screen = console.screen()
        #expect(screen.contains { $0.contains("A manager has to accept each request to join.") })
        #expect(screen.contains { $0.contains("teahouse ctl team set tea --join approval") })
        #expect(console.changes().isEmpty)
        console.press(.enter)
        var patch = AdminTeamPatch()
        patch.modes.join = .approval
        #expect(console.changes() == [.teams(.set(Self.team, patch))])
        console.press(.character("z"))
        patch.modes.join = .open
        #expect(console.changes().last == .teams(.set(Self.team, patch)))
    }

    @Test("limit, app's fields and leaving owners, which no row shows")
    func limits() {
        let console = self.console()
        console.press(.character("L"))
        console.type("1")
        console.press(.enter)
        #expect(console.changes().isEmpty)
        console.type("0")
        console.press(.enter)
        var patch = AdminTeamPatch()
        patch.memberLimit = 10
        patch.modes.updateAttributes = .managers
        patch.modes.ownerLeaving = .transferFirst
        #expect(console.changes() == [.teams(.set(Self.team, patch))])
        console.press(.character("z"))
        patch.memberLimit = 0
        #expect(console.changes().last == .teams(.set(Self.team, patch)))
    }

    @Test("an announcement is made, and taken away again by z where there was none")
    func announcement() {
        let console = self.console()
        self.use("announcement", console)
        console.type("茶会")
        console.press(.tab)
        console.type("今晚")
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("teahouse ctl team announce tea 今晚 --title 茶会") })
        console.press(.enter)
        #expect(console.changes() == [.teams(.announce(Self.team, title: "茶会", text: "今晚"))])
        console.press(.character("z"))
        #expect(console.changes().last == .teams(.announce(Self.team, title: nil, text: "")))
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("今晚八点喝茶") })
    }

    @Test("inviting leaves out who is in, and stops at the limit with its reason")
    func invite() {
        let server = TeamServer()
        server.team.settings.memberLimit = 4
        let console = self.console(server)
        console.press(.character("+"))
        #expect(!console.screen().contains { $0.contains("阿兰") })
        console.press(.character(" "), .character(" "))
        #expect(console.screen().contains { $0.contains("! The team holds 4 members.") })
        console.press(.enter, .enter)
        guard case .teams(.invite(Self.team, let names, from: nil, postscript: ""))? = console.changes().first else {
            Issue.record("nobody was invited: \(console.changes())")
            return
        }
        #expect(names.count == 1)
        console.press(.character("z"))
        #expect(console.changes().last == .teams(.remove(Self.team, names)))
    }

    @Test("a member's friends are invited in the member's name, with what became of them")
    func friends() {
        let server = TeamServer()
        let console = ConsoleDriver { request in
            guard case .people(.details(let name)) = request else { return server.answer(request) }
            var details = AdminPersonDetails(name: name, friendCount: 2)
            details.friends = ["lan", "anna"].map { AdminFriend(name: UserName($0)!, sinceMilliseconds: 0) }
            return .success(.details(details))
        }
        console.press(.character("4"), .character("c"), .character("M"), .character("i"))
        #expect(console.screen().contains { $0.contains("Friends of ming") })
        #expect(!console.screen().contains { $0.contains("阿兰") })
        console.press(.character(" "), .enter)
        console.type("来喝茶")
        #expect(console.screen().contains { $0.contains("teahouse ctl team invite tea anna --from ming --text 来喝茶") })
        console.press(.enter, .enter)
        let (anna, ming) = (UserName("anna")!, UserName("ming")!)
        #expect(console.changes() == [.teams(.invite(Self.team, [anna], from: ming, postscript: "来喝茶"))])
        #expect(console.screen().contains { $0.contains("are members now") })
    }

    @Test("roles of the marked members, and back")
    func roles() {
        let console = self.console()
        console.press(.character("M"), .down, .down, .character("e"), .enter)
        #expect(console.screen().contains { $0.contains("teahouse ctl team role tea manager zoe") })
        console.press(.enter)
        #expect(console.changes() == [.teams(.setRole(Self.team, [UserName("zoe")!], .manager))])
        console.press(.character("z"))
        #expect(console.changes().last == .teams(.setRole(Self.team, [UserName("zoe")!], .member)))
        console.press(.character("g"), .character("e"))
        #expect(console.screen()[22] == " ! the owner is made by handing the group over")
    }

    @Test("a manager who was removed comes back as a manager; an owner does not come back by a key")
    func remove() {
        let console = self.console()
        console.press(.character("M"), .down, .character("d"), .enter, .character("z"))
        let lan = [UserName("lan")!]
        #expect(
            console.changes() == [
                .teams(.remove(Self.team, lan)), .teams(.invite(Self.team, lan, from: nil, postscript: "")),
                .teams(.setRole(Self.team, lan, .manager)),
            ])
        console.press(.character("g"), .character("d"), .enter, .character("z"))
        #expect(console.screen()[22] == " ! nothing can be taken back now")
    }

    @Test("muting for some minutes, and unmuting gives the rest of the time back on z")
    func mute() {
        let server = TeamServer()
        let console = self.console(server)
        console.press(.character("M"), .down, .down, .character("x"))
        console.type("5")
        console.press(.enter)
        let zoe = UserName("zoe")!
        #expect(console.changes() == [.teams(.mute(Self.team, zoe, true, minutes: 5))])
        server.isMuted = true
        console.press(.character("R"), .character("X"), .enter, .character("z"))
        #expect(console.changes().dropFirst().first == .teams(.mute(Self.team, zoe, false, minutes: nil)))
        #expect(console.changes().last == .teams(.mute(Self.team, zoe, true, minutes: 11)))
    }

    @Test("= shows the command of each marked member")
    func markedCommands() {
        let console = self.console()
        console.press(.character("M"), .down, .character(" "), .character(" "), .character("="))
        let screen = console.screen()
        for name in ["lan", "zoe"] {
            #expect(screen.contains { $0.contains("teahouse ctl team mute tea \(name)") })
        }
        #expect(console.changes().isEmpty)
    }

    @Test("a member's card: nickname, role, muting, removing")
    func member() {
        let console = self.console()
        console.press(.character("M"), .down, .down, .enter)
        #expect(
            console.body() == [
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
        self.use("memberNickname", console)
        console.type("!")
        console.press(.enter, .character("z"))
        let zoe = UserName("zoe")!
        #expect(
            console.changes() == [
                .teams(.setNickname(Self.team, zoe, "老zoe!")), .teams(.setNickname(Self.team, zoe, "老zoe")),
            ])
    }

    @Test("handing over says what becomes of the old owner; only staying can be taken back")
    func transfer() {
        let console = self.console()
        console.press(.character("T"), .character("A"), .enter, .enter)
        let screen = console.screen()
        #expect(screen.contains { $0.contains("lan becomes the owner.") })
        #expect(screen.contains { $0.contains("ming becomes a normal member.") })
        console.press(.enter, .character("z"))
        let (lan, ming) = (UserName("lan")!, UserName("ming")!)
        #expect(
            console.changes() == [
                .teams(.transfer(Self.team, to: lan, andLeaves: false)),
                .teams(.transfer(Self.team, to: ming, andLeaves: false)),
                .teams(.setRole(Self.team, [lan], .manager)),
            ])
        console.press(.character("T"), .character("A"), .enter, .right, .enter)
        #expect(console.screen().contains { $0.contains("teahouse ctl team transfer tea lan --leave") })
        console.press(.enter, .character("z"))
        #expect(console.changes().last == .teams(.transfer(Self.team, to: lan, andLeaves: true)))
    }

    @Test("dissolving wants the name typed")
    func dismiss() {
        let console = self.console()
        console.press(.character("D"), .enter)
        #expect(console.changes().isEmpty)
        #expect(console.screen().contains { $0.contains("It can only be read from now on. It cannot be taken back.") })
        #expect(console.screen().contains { $0.contains("3 members are in it.") })
        console.type("tea")
        console.press(.enter)
        #expect(console.changes() == [.teams(.dismiss(Self.team))])
    }

    @Test("rows are hidden by a key, by the console's option, and shown again")
    func hide() {
        let server = TeamServer()
        let console = self.console(server)
        #expect(console.screen()[11].hasPrefix("> picture"))
        console.press(.character("h"))
        #expect(!console.screen().contains { $0.contains("picture") })
        #expect(console.screen().contains { $0.contains("HIDDEN") && $0.contains("header") })
        console.press(.character("H"))
        #expect(console.screen()[11].contains("picture"))

        let other = ConsoleDriver(server: server.answer)
        other.console.look.hiddenRows = [.members, .kind]
        other.press(.character("4"), .character("c"))
        #expect(other.asked.contains(.teams(.card(AdminCardQuery(team: Self.team, hidden: [.members, .kind])))))
    }

    @Test(":team card opens it, as who is named, with rows left out; what it cannot show is run")
    func command() {
        let console = ConsoleDriver(server: TeamServer().answer)
        console.press(.character(":"))
        console.type("team card tea --viewer lan --hide alerts,pinned")
        console.press(.enter)
        #expect(
            console.asked.contains(
                .teams(.card(AdminCardQuery(team: Self.team, viewer: UserName("lan"), hidden: [.alerts, .pinned])))))
        #expect(console.screen()[1].hasPrefix(" Overview › Team card tea"))
        console.press(.character(":"))
        console.type("team card tea --hide nothing")
        console.press(.enter)
        #expect(
            console.effects.contains {
                if case .run(["team", "card", "tea", "--hide", "nothing"], input: []) = $0 { true } else { false }
            })
    }

    @Test("read-only: everything can be looked at, nothing used")
    func readOnly() {
        let console = self.console(isReadOnly: true)
        for key in "e+LsSTD" {
            console.press(.character(key))
            #expect(console.screen()[22] == " ! read-only: nothing is changed here")
        }
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("MAY USE IT: yes") })
    }

    @Test("a team of a kind is made from the chosen people")
    func create() {
        let console = ConsoleDriver(server: TeamServer().answer)
        console.press(.character("4"), .character("n"), .character(" "), .enter)
        console.type("tea")
        console.press(.tab, .tab, .right, .tab, .right)
        #expect(console.screen().contains { $0.contains("teahouse ctl team create tea --form advanced --owner") })
        console.press(.enter)
        guard case .teams(.create(let team))? = console.changes().first else {
            Issue.record("no team was made")
            return
        }
        #expect(team.form == .advanced && team.members.count == 1 && team.owner == team.members[0])
    }
}
