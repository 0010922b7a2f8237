import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

extension Samples {
    /// A server with sign-ins, holds, rules of retention and invitations.
    static func watched(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .audit(.signIns(let query)):
            // Two files without an entry that matches lie between the newest and the oldest ones.
            guard query.before != 5 else { return .success(.audit(.signIns([], next: 3))) }
            let entries = self.signIns.filter { $0.number < query.before ?? .max }
            let page = query.before == nil ? entries.filter { $0.number >= 5 } : entries
            return .success(.audit(.signIns(page, next: query.before == nil ? 5 : nil)))
        case .audit(.verifySignIns):
            let check = AdminSignInCheck(first: 1, last: 8, hash: "c0ffee", mended: 0, problems: [])
            return .success(.audit(.checkedSignIns(check)))
        case .retention(.forecast): return .success(.retention(.forecast(self.rules, held: 2)))
        case .retention(.holds): return .success(.retention(.holds(self.holds, next: nil)))
        case .retention(.hold): return .success(.retention(.hold(self.holds[0])))
        case .people(.invitations): return .success(.invitations(self.invitations, next: nil))
        case .people(.invite):
            let issued = AdminIssuedInvitation(
                number: 9, link: "http://192.168.1.5:7677/join/SdcA9a_NuLZRrVpB1HHOvQ", isHereOnly: false,
                endsAtMilliseconds: ConsoleDriver.now + 259_200_000)
            return .success(.invited(issued))
        case .status:
            var status = self.status()
            status.publicAddress = "http://192.168.1.5:7677"
            return .success(.status(status))
        case .retention(.release), .people(.withdrawInvitation): return .success(.done)
        default: return self.answer(request)
        }
    }

    private static func signIn(
        _ number: Int64, _ user: String?, _ address: String, _ result: String, reason: String? = nil
    ) -> AdminSignIn {
        var entry = AdminSignIn(
            number: number, atMilliseconds: ConsoleDriver.now - (9 - number) * 1_000, kind: "sign_in")
        (entry.user, entry.address, entry.device, entry.gateway) = (user, address, "app", "wukong")
        (entry.result, entry.reason) = (result, reason)
        return entry
    }

    private static let signIns: [AdminSignIn] = {
        var sum = Self.signIn(6, nil, "fd00::/64", "wrong_credentials")
        (sum.kind, sum.count, sum.device) = ("sum", 4_211, nil)
        return [
            Self.signIn(8, "ming", "192.168.1.7", "signed_in"),
            Self.signIn(7, "lan\u{1B}[31m", "192.168.1.8", "wrong_credentials", reason: "wrong_password"), sum,
            Self.signIn(5, "小明", "192.168.1.9", "disabled"), Self.signIn(2, "zoe", "192.168.1.9", "signed_in"),
        ]
    }()

    private static let rules: [AdminRetentionRow] = {
        let none = AdminRetentionAmount(conversations: 0, messages: 0, bytes: 0, attachments: 0, attachmentBytes: 0)
        let some = AdminRetentionAmount(
            conversations: 3, messages: 1_200, bytes: 600_000, attachments: 7, attachmentBytes: 90 << 20)
        return ["direct", "normal_team", "advanced_team", "room", "service", "other"].map { name in
            let isRule = name == "normal_team"
            return AdminRetentionRow(
                name: name, days: isRule ? 365 : 0, messages: 0, attachmentDays: isRule ? 90 : 0,
                now: isRule ? some : none, soon: isRule ? some : none)
        }
    }()

    private static let holds = [
        AdminHold(
            number: 3, kind: .person, name: "ming", conversation: nil, reason: "case 7, letter of the court",
            asker: "anna", createdAtMilliseconds: ConsoleDriver.now - 86_400_000),
        AdminHold(
            number: 4, kind: .conversation, name: "", conversation: 12, reason: "调查中", asker: "uid 0",
            createdAtMilliseconds: ConsoleDriver.now - 60_000),
    ]

    private static let invitations = [
        AdminInvitation(
            number: 8, inviter: UserName("____system")!, name: nil, displayName: "小明",
            createdAtMilliseconds: ConsoleDriver.now - 60_000, endsAtMilliseconds: ConsoleDriver.now + 86_400_000),
        AdminInvitation(
            number: 7, inviter: UserName("lan")!, name: UserName("juliet")!, displayName: nil,
            createdAtMilliseconds: ConsoleDriver.now - 120_000, endsAtMilliseconds: ConsoleDriver.now + 3_600_000),
    ]
}

@Suite("Sign-ins, invitations, retention and legal holds on the console") struct ServerScreenTests {
    private func console(
        _ word: String, _ language: Language = .english, isReadOnly: Bool = false, role: OperatorRole = .administrator
    ) -> ConsoleDriver {
        let console = ConsoleDriver(
            language: language, isReadOnly: isReadOnly, role: role, server: Samples.watched)
        console.press(.character(":"))
        console.type(word)
        console.press(.enter)
        return console
    }

    // MARK: Sign-ins

    @Test("the newest attempts, with a sum and a hostile name, in both languages")
    func signIns() {
        #expect(
            self.console("sign-ins").shown() == [
                " Sign-ins  1/4                                                         08:00:00",
                " who signed in and who was refused",
                "  TIME        NAME           ADDRESS           RESULT",
                "> 07:59:59    ming           192.168.1.7       signed_in",
                "  07:59:58    lan\\u001b[31m  192.168.1.8       wrong_credentials: wrong_password",
                "  07:59:57                   fd00::/64         wrong_credentials  and 4211 more",
                "  07:59:56    小明           192.168.1.9       disabled",
                " /srv/teahouse",
            ])
        #expect(
            self.console("sign-ins", .chinese).shown() == [
                " 登录记录  1/4                                                         08:00:00",
                " 谁登录成功，谁被拒绝",
                "  时间        名称           地址              结果",
                "> 07:59:59    ming           192.168.1.7       signed_in",
                "  07:59:58    lan\\u001b[31m  192.168.1.8       wrong_credentials: wrong_password",
                "  07:59:57                   fd00::/64         wrong_credentials  另有 4211 次",
                "  07:59:56    小明           192.168.1.9       disabled",
                " /srv/teahouse",
            ])
    }

    @Test("older ones come below, over pages in which nothing matches, up to the first")
    func older() {
        let console = self.console("sign-ins")
        console.press(.character("b"))
        #expect(console.shown()[1...].contains { $0.hasPrefix("  07:59:53    zoe") })
        let asked = console.asked.compactMap { request in
            if case .audit(.signIns(let query)) = request { query.before } else { nil }
        }
        #expect(asked == [5, 3])
        console.press(.character("b"))
        #expect(console.screen()[22] == " this is the first entry")
    }

    @Test("the person at the cursor alone, and a filter with its line for a shell")
    func filters() {
        let console = self.console("sign-ins")
        console.press(.character("u"))
        var wanted = AdminSignInQuery()
        (wanted.user, wanted.limit) = ("ming", 200)
        #expect(console.asked.last == .audit(.signIns(wanted)))
        #expect(console.shown()[1] == " NAME ming")
        console.press(.escape, .character("f"), .tab)
        console.type("192.168.1.9")
        console.press(.tab, .right)
        let line = "teahouse ctl audit sign-ins --address 192.168.1.9 --result signed_in"
        #expect(console.screen().contains { $0.contains(line) })
        console.press(.enter)
        (wanted.user, wanted.address, wanted.result) = (nil, "192.168.1.9", "signed_in")
        #expect(console.asked.last == .audit(.signIns(wanted)))
    }

    @Test("the check of the chain is said with its hash")
    func chain() {
        let console = self.console("sign-ins")
        console.press(.character("c"))
        #expect(console.screen().contains { $0.contains("hash c0ffee") })
        #expect(console.changes().isEmpty)
    }

    // MARK: Retention and holds

    @Test("the rules with what they delete, and how much in full, in both languages")
    func retention() {
        let console = self.console("retention")
        #expect(
            console.shown() == [
                " Retention  1/6                                                        08:00:00",
                " messages that go by the rules of the configuration ([retention])",
                " legal holds keep something in 2 conversations",
                "",
                "  CONVERSATIONS   DAYS  MESSAGES KEPT  ATTACHMENT DAYS  GOES NOW  WITHIN 30 DAYS",
                "> of two people      -              -                -         -               -",
                "  normal teams     365              -               90      1200            1200",
                "  other groups       -              -                -         -               -",
                "  rooms              -              -                -         -               -",
                "  system             -              -                -         -               -",
                "  others             -              -                -         -               -",
                " /srv/teahouse",
            ])
        console.press(.down, .enter)
        let amount = "1200 messages, about 585 KiB; 7 attachments, 90 MiB"
        #expect(console.screen().count { $0.contains(amount) } == 2)
        #expect(
            self.console("retention", .chinese).shown() == [
                " 保留期  1/6                                                           08:00:00",
                " 按配置（[retention]）删除的消息",
                " 依法保全在 2 个会话中保留了内容",
                "",
                "  会话            天数       保留条数         附件天数  现在删除     30 天内删除",
                "> 两人会话           -              -                -         -               -",
                "  讨论组           365              -               90      1200            1200",
                "  其他群             -              -                -         -               -",
                "  聊天室             -              -                -         -               -",
                "  系统会话           -              -                -         -               -",
                "  其他               -              -                -         -               -",
                " /srv/teahouse",
            ])
    }

    @Test("h leads to the holds, in both languages")
    func holds() {
        let console = self.console("retention")
        console.press(.character("h"))
        #expect(
            Array(console.shown()[1...]) == [
                "  NUMBER  KIND          SUBJECT         REASON            BY          CREATED",
                ">      3  person        ming            case 7, letter …  anna        d1020832xx",
                "       4  conversation  id:12           调查中            uid 0       07:59:00",
                " /srv/teahouse",
            ])
        #expect(
            self.console("holds", .chinese).shown() == [
                " 依法保全  1/2                                                         08:00:00",
                "    编号  类型          对象            原因              操作者      创建时间",
                ">      3  人            ming            case 7, letter …  anna        d1020832xx",
                "       4  会话          id:12           调查中            uid 0       07:59:00",
                " /srv/teahouse",
            ])
    }

    @Test("a hold needs a subject and a reason, and is set at once")
    func newHold() {
        let console = self.console("hold")
        console.press(.character("n"), .tab)
        console.type("ming")
        console.press(.enter)
        #expect(console.changes().isEmpty)
        console.press(.tab)
        console.type("case 8")
        #expect(console.screen().contains { $0.contains("teahouse ctl hold add person ming 'case 8'") })
        console.press(.enter)
        #expect(console.changes() == [.retention(.hold(AdminNewHold(kind: .person, name: "ming", reason: "case 8")))])
        #expect(console.screen()[22] == " hold set")
    }

    @Test("before holds are removed it says that nothing keeps it any more, and z does not take that back")
    func removedHold() {
        let console = self.console("holds")
        console.press(.delete)
        #expect(console.screen().contains { $0.contains("What these holds have kept goes with the next run") })
        #expect(console.screen().contains { $0.contains("teahouse ctl hold remove 3") })
        #expect(console.changes().isEmpty)
        console.press(.enter, .character("z"))
        #expect(console.changes() == [.retention(.release(3))])
    }

    // MARK: Invitations

    @Test("open invitations with who invites whom until when, in both languages")
    func invitations() {
        #expect(
            self.console("invitations").shown() == [
                " Invitations  1/2                                                      08:00:00",
                "  NUMBER  NAME            DISPLAY NAME      INVITED BY    CREATED     EXPIRES",
                ">      8  (their choice)  小明              ____system    07:59:00    d1020834xx",
                "       7  juliet                            lan           07:58:00    09:00:00",
                " /srv/teahouse",
            ])
        #expect(
            self.console("invite", .chinese).shown() == [
                " 邀请  1/2                                                             08:00:00",
                "    编号  名称            显示名            邀请人        创建时间    到期",
                ">      8  （自选）        小明              ____system    07:59:00    d1020834xx",
                "       7  juliet                            lan           07:58:00    09:00:00",
                " /srv/teahouse",
            ])
    }

    private static let code = [
        "    █▀▀▀▀▀█  ▀▀▄  ▀██ ▄▀ ▀▀▀█ █▀▀▀▀▀█", "    █ ███ █ █▀▀ ▄ ▀ ▀ ▄▀▀▀ ▀▄ █ ███ █",
        "    █ ▀▀▀ █ █▀▀  ▄▀▀▀▄ ▄▀▄▀ ▄ █ ▀▀▀ █", "    ▀▀▀▀▀▀▀ █▄█▄█ █ █ ▀▄█▄▀ █ ▀▀▀▀▀▀▀",
        "    ▀▄▀▀▀█▀▄ ▄▄▀▄█▀  █▀█▀▄ ▄▄▄██▀██▄▄", "     ▀▄▀  ▀█▄ ▄▀▀█▀▀▄█▄▄██▄ ▄▀▀ █▄█▄",
        "    ▀▀█  ▄▀ ▄▀▄█ ▄▀▄▀ ▄  ▀▀▄ █ ▀ ▀ ▄▄", "     ▄ ▄▄█▀▄ ▄▄▄▄█▀█▀▀  ▀▄▀▄▀▄   ██▀",
        "    ▀ ▄ ██▀ ▀▀ ▀█▄█▀▄▀█▄▀ ▄▄▄▄▄█▀▄▄ ▀", "    █▀▀▄▀█▀▄█ ▀▀▀█ █▀ ▀▄ █ ▄▀ █ █▄██▄",
        "    ▄▄▀█▄ ▀▄█▄▀▄▀▀▄▄▄▄▀▀██▀▀ █  ▀▀▄ ▄", "    █ ▄▀▄ ▀▄  ▀▀ ▄  ▄▀ ▄▄█▄▄█▄▀▀████▄",
        "    ▀ ▀▀  ▀ █▄▄▀██  ▄█▄▄▀   █▀▀▀█▀█ ▄", "    █▀▀▀▀▀█ ▄▀█▀█▀█▀██▄ ██ ▀█ ▀ █ █▀",
        "    █ ███ █ █▄▄  █▀▄▀▄▄▄█▀▀ ▀▀▀███ █▄", "    █ ▀▀▀ █ ▀█  ▄ ██▀▀█▄█▄▀▄▀▀▀█▄█▄",
        "    ▀▀▀▀▀▀▀ ▀▀▀ ▀▀ ▀ ▀ ▀▀  ▀▀ ▀▀▀ ▀▀",
    ]

    @Test(
        "the link of a new invitation is shown once, with its QR code, and y copies it",
        arguments: [Language.english, .chinese])
    func newInvitation(_ language: Language) {
        let console = self.console("invitations", language)
        console.press(.character("n"))
        #expect(console.screen().contains { $0.contains("teahouse ctl invite add --hours 72") })
        console.press(.enter)
        #expect(console.changes() == [.people(.invite(AdminNewInvitation()))])
        let words: [String] =
            language == .english
            ? [
                "http://192.168.1.5:7677/join/SdcA9a_", "NuLZRrVpB1HHOvQ", "", "invitation 9: good for one person,",
                "once, until d1020836xx 08:00:00; the", "link is not shown again",
            ]
            : [
                "http://192.168.1.5:7677/join/SdcA9a_", "NuLZRrVpB1HHOvQ", "", "邀请 9：供一人使用一次，有效至",
                "d1020836xx", "08:00:00；链接不会再次显示",
            ]
        let shown = console.shown()
        for (row, line) in ([""] + Self.code).enumerated() {
            let said = row < words.count ? words[row] : ""
            let gap = String(repeating: " ", count: 44 - line.count)
            #expect(shown[1 + row] == (said.isEmpty ? line : line + gap + said), "\(row)")
        }
        #expect(shown.last == (language == .english ? " the link is shown once: y copies it" : " 链接只显示一次：按 y 复制"))
        #expect(console.isStraight(80, 24) && console.isStraight(120, 40) && console.isStraight(40, 10))
        console.press(.character("y"))
        guard case .copy("http://192.168.1.5:7677/join/SdcA9a_NuLZRrVpB1HHOvQ")? = console.effects.last else {
            Issue.record("nothing was copied")
            return
        }
    }

    @Test("a window without room for the code has the link, and says how large it has to be")
    func narrow() {
        let console = self.console("invitations")
        console.press(.character("n"), .enter)
        #expect(
            Array(console.shown(60, 17)[1...]) == [
                " http://192.168.1.5:7677/join/SdcA9a_NuLZRrVpB1HHOvQ",
                "",
                " The QR code needs a window of 68 by 23 cells.",
                "",
                " invitation 9: good for one person, once, until d1020836xx",
                " 08:00:00; the link is not shown again",
                " the link is shown once: y copies it",
            ])
        #expect(console.shown(68, 23).contains { $0.contains("█▀▀▀▀▀█") })
        #expect(!console.shown(67, 23).contains { $0.contains("█▀▀▀▀▀█") })
        #expect(!console.shown(68, 22).contains { $0.contains("█▀▀▀▀▀█") })
    }

    @Test("an invitation is withdrawn after a question")
    func withdrawn() {
        let console = self.console("invitations")
        console.press(.delete)
        #expect(console.screen().contains { $0.contains("teahouse ctl invite withdraw 8") })
        #expect(console.changes().isEmpty)
        console.press(.enter)
        #expect(console.changes() == [.people(.withdrawInvitation(8))])
    }

    @Test("the address of the server has its QR code, and a server that nobody else reaches says so")
    func address() {
        let console = self.console("invitations")
        console.press(.character("a"))
        #expect(console.screen()[1].contains("address of the server http://192.168.1.5:7677"))
        #expect(console.screen().contains { $0.contains("█▀▀▀▀▀█ ██   █  ▀ █▀▀▀▀▀█") })
        console.press(.escape)
        console.server = Samples.answer
        console.press(.character("a"))
        #expect(console.screen()[22].contains("127.0.0.1:7677"))
    }

    @Test("a helper, and a console that only reads, change nothing here")
    func rights() {
        for console in [self.console("invitations", role: .helper), self.console("holds", isReadOnly: true)] {
            console.press(.character("n"), .enter, .delete, .enter)
            #expect(console.changes().isEmpty)
        }
    }
}
