import AdminAPI
import AdminConsole
import ChatModel
import CommandLineKit
import Localization
import Testing

@Suite("What is done with people") struct PeopleTests {
    private static func details(_ name: UserName) -> AdminPersonDetails {
        AdminPersonDetails(
            name: name, friendCount: 1,
            friends: [AdminFriend(name: UserName("lan")!, remark: "兰兰", sinceMilliseconds: ConsoleDriver.now)],
            recent: [
                AdminRecentConversation(
                    conversation: "tea", kind: .group, unread: 5, badge: 2, isPinned: true,
                    activeAtMilliseconds: ConsoleDriver.now)
            ],
            teamCount: 1, teams: [AdminMembership(team: TeamServer.name, title: "茶馆", role: .owner)],
            files: AdminFileUse(count: 3, bytes: 1_048_576, quotaBytes: 4_194_304),
            tokens: [
                AdminIssuedToken(
                    token: AdminToken(
                        device: .app, level: .primary, lastSeenAtMilliseconds: ConsoleDriver.now,
                        expiresAtMilliseconds: nil),
                    issuedAtMilliseconds: ConsoleDriver.now - 1_000)
            ],
            ends: [
                AdminSessionEnd(
                    user: name, device: .web, deviceID: "b", address: "192.168.1.9:50000",
                    openedAtMilliseconds: ConsoleDriver.now - 9_000, endedAtMilliseconds: ConsoleDriver.now - 5_000,
                    reason: "kicked")
            ])
    }

    private func console(_ language: Language = .english, isReadOnly: Bool = false) -> ConsoleDriver {
        let console = ConsoleDriver(language: language, isReadOnly: isReadOnly) { request in
            switch request {
            case .people(.details(let name)): return .success(.details(Self.details(name)))
            case .people: return .success(.count(1))
            case .showUser:
                return .success(
                    .user(
                        AdminUserDetail(
                            user: Samples.users[0], tokens: [], sessions: [], blocked: [], allowed: [],
                            isAllowlistOnly: false)))
            default: return Samples.answer(request)
            }
        }
        console.press(.character("2"))
        return console
    }

    @Test("a profile is edited and z brings the old one back; another role says that sessions end")
    func edit() {
        let console = self.console()
        console.press(.character("e"))
        console.type("!")
        console.press(.enter, .character("z"))
        let ming = UserName("ming")!
        #expect(
            console.changes() == [
                .people(.edit(AdminUserEdit(name: ming, displayName: "张小明!", externalID: ""))),
                .people(.edit(AdminUserEdit(name: ming, displayName: "张小明", externalID: ""))),
            ])
        console.press(.character("e"), .tab, .tab, .right)
        #expect(console.screen().contains { $0.contains("--role admin") })
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("The sessions of ming end") })
        console.press(.enter, .character("z"))
        let edits = console.changes().suffix(2).compactMap { request -> UserRole? in
            if case .people(.edit(let edit)) = request { edit.role } else { nil }
        }
        #expect(edits == [.administrator, .member])
    }

    @Test("an account goes for good only when its name was typed, several when their number was")
    func erase() {
        let console = self.console()
        console.press(.character("X"), .enter)
        #expect(console.changes().isEmpty)
        console.type("ming")
        #expect(console.screen().contains { $0.contains("teahouse ctl user delete ming") })
        console.press(.enter)
        #expect(console.changes() == [.people(.delete(UserName("ming")!))])
        console.press(.character("z"))
        #expect(console.screen()[22] == " ! nothing can be taken back now")
        console.press(.character(" "), .character(" "), .character("X"))
        console.type("2")
        console.press(.enter)
        #expect(console.changes().count == 3)
    }

    @Test("friends, conversations with what is unread, teams, files and quota, tokens, last ends, in both languages")
    func details() {
        let (english, chinese) = (self.console(), self.console(.chinese))
        english.press(.enter, .character("f"))
        chinese.press(.enter, .character("f"))
        #expect(english.isStraight(40, 10) && chinese.isStraight(40, 10))
        #expect(
            english.body(80, 32) == [
                " Users › User ming  0/0                                                08:00:00",
                " DISPLAY NAME      张小明",
                " EXTERNAL ID",
                " ROLE              member",
                " STATE┌ What ming has here ──────────────────────────────────────────────┐",
                " PASSW│ FILES                                                            │",
                " CREAT│ 3  1 MiB / 4 MiB (25 %)                                          │",
                " BLOCK│                                                                  │",
                " ALLOW│ FRIENDS  1                                                       │",
                "      │ lan  兰兰  08:00:00                                              │",
                " Sessi│                                                                  │",
                "      │ RECENT CONVERSATIONS                                             │",
                "      │ tea  group  5 unread, badge 2  keep on top  08:00:00             │",
                "  Not │                                                                  │",
                "      │ TEAMS  1                                                         │",
                "      │ tea  茶馆  owner                                                 │",
                "      │                                                                  │",
                "      │ TOKENS                                                           │",
                "      │ app  primary  d1020833xx 07:59:59  last seen d1020833xx 08:00:00 │",
                "      │                                                                  │",
                "      │ LAST ENDS OF SESSIONS                                            │",
                "      │ d1020833xx 07:59:55  kicked  web  192.168.1.9:50000              │",
                "      │ Esc close  y copy                                                │",
                "      └──────────────────────────────────────────────────────────────────┘",
                "",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " e edit the profile  p set the password  t new sign-in token  ? help",
            ])
        #expect(
            chinese.body(80, 32) == [
                " 用户 › 用户 ming  0/0                                                 08:00:00",
                " 显示名            张小明",
                " 外部编号",
                " 角色              成员",
                " 状态  ┌ ming 的资料 ───────────────────────────────────────────────────┐",
                " 密码  │ 文件                                                           │",
                " 创建时│ 3  1 MiB / 4 MiB (25 %)                                        │",
                " 屏蔽  │                                                                │",
                " 白名单│ 好友  1                                                        │",
                "       │ lan  兰兰  08:00:00                                            │",
                " 登录会│                                                                │",
                "       │ 最近会话                                                       │",
                "       │ tea  群  未读 5，角标 2  聊天置顶  08:00:00                    │",
                "  未在 │                                                                │",
                "       │ 群  1                                                          │",
                "       │ tea  茶馆  群主                                                │",
                "       │                                                                │",
                "       │ 登录令牌                                                       │",
                "       │ app  主设备  d1020833xx 07:59:59  最近使用 d1020833xx 08:00:00 │",
                "       │                                                                │",
                "       │ 最近的会话结束                                                 │",
                "       │ d1020833xx 07:59:55  kicked  web  192.168.1.9:50000            │",
                "       │ Esc 关闭  y 复制                                               │",
                "       └────────────────────────────────────────────────────────────────┘",
                "",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " e 编辑资料  p 设置密码  t 签发登录令牌  x 吊销令牌  d 停用  a 启用  ? 帮助",
            ])
    }

    @Test("people from a file: first what it would do, then it is done, and its report is shown")
    func importing() {
        let console = self.console()
        console.press(.character("i"), .enter)
        #expect(!console.effects.contains { if case .run = $0 { true } else { false } })
        console.type("people.csv")
        console.press(.tab, .right, .right)
        console.press(.enter)
        let words = ["user", "import", "people.csv", "--device", "web"]
        func ran() -> [[String]] {
            console.effects.compactMap { if case .run(let words, _) = $0 { words } else { nil } }
        }
        #expect(ran() == [words + ["--dry-run"]])
        console.console.ran(
            CommandOutcome(
                .done, ["lan: is there already: gets a token only", "2 new, 1 there already, 0 named twice, 0 refused"]),
            words: words + ["--dry-run"])
        let screen = console.screen()
        #expect(screen.contains { $0.contains("2 new, 1 there already") })
        #expect(screen.contains { $0.contains("lan: is there already") })
        #expect(ran().count == 1)
        console.press(.enter)
        #expect(ran().last == words)
        console.console.ran(CommandOutcome(.done, ["bo\ttoken1", "小明\ttoken2"]), words: words)
        #expect(console.screen().contains { $0.contains("bo    token1") })
        #expect(console.screen().contains { $0.contains("小明  token2") })
        console.press(.character("y"))
        #expect(console.effects.contains { if case .copy("bo\ttoken1\n小明\ttoken2") = $0 { true } else { false } })
    }

    @Test("a file that cannot be read is told, and nothing is asked")
    func badFile() {
        let console = self.console()
        console.press(.character("i"))
        console.type("nowhere")
        console.press(.enter)
        console.console.ran(CommandOutcome(.usage, ["nowhere: no such file"]), words: [])
        #expect(console.screen().contains { $0.contains("nowhere cannot be imported") })
        console.press(.enter)
        #expect(console.effects.count { if case .run = $0 { true } else { false } } == 1)
    }

    @Test("read-only: nobody is deleted or imported, and everything is looked at")
    func readOnly() {
        let console = self.console(isReadOnly: true)
        for key in "eXi" {
            console.press(.character(key))
            #expect(console.screen()[22] == " ! read-only: nothing is changed here")
        }
        console.press(.enter, .character("f"))
        #expect(console.screen().contains { $0.contains("兰兰") })
    }
}
