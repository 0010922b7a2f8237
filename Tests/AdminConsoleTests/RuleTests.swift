import AdminAPI
import AdminConsole
import ChatModel
import Testing

@Suite("Words on the console") struct WordScreenTests {
    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .words(.list):
            return .success(.words(.rules([WordRule("coffee", .mask), WordRule("胡说", .refuse)], next: nil)))
        case .words(.test):
            let test = AdminWordTest(action: .mask, masked: "no ******", hits: [WordRule("coffee", .mask)])
            return .success(.words(.tested(test)))
        case .words(.flagged):
            let flagged = AdminFlagged(
                number: 5, atMilliseconds: Desk.now, conversation: 1, conversationName: "tea", sequence: 9,
                sender: "ming", word: "coffee")
            return .success(.words(.flagged([flagged], next: nil)))
        case .words: return .success(.count(1))
        default: return Samples.talk(request)
        }
    }

    private func desk() -> Desk {
        let desk = Desk(server: Self.server)
        desk.go(to: "Words")
        return desk
    }

    @Test("the list with what happens to each")
    func list() {
        #expect(
            self.desk().shown() == [
                " Words  1/2                                                            08:00:00",
                " refuse: 1  mask: 1  flag: 0  at most 10000 words",
                "",
                "  WORD ↑                                                ACTION",
                "> coffee                                                mask",
                "  胡说                                                  refuse",
                " /srv/teahouse",
            ])
    }

    @Test("a new word is checked while it is typed, and taken back with z")
    func create() {
        let desk = self.desk()
        desk.press(.character("n"), .enter)
        #expect(desk.changes().isEmpty)
        desk.type("milk")
        desk.press(.tab, .right)
        #expect(desk.screen().contains { $0.contains("teahouse ctl word add milk --action mask") })
        desk.press(.enter)
        #expect(desk.changes() == [.words(.add([WordRule("milk", .mask)]))])
        desk.press(.character("z"))
        #expect(desk.changes().last == .words(.remove(["milk"])))
    }

    @Test("another action and a removal bring back what was")
    func undo() {
        let desk = self.desk()
        desk.press(.character("e"), .enter)
        #expect(desk.changes() == [.words(.add([WordRule("coffee", .refuse)]))])
        desk.press(.character("z"))
        #expect(desk.changes().last == .words(.add([WordRule("coffee", .mask)])))
        desk.press(.delete, .enter)
        #expect(desk.changes().last == .words(.remove(["coffee"])))
        desk.press(.character("z"))
        #expect(desk.changes().last == .words(.add([WordRule("coffee", .mask)])))
    }

    @Test("a text is tried")
    func tries() {
        let desk = self.desk()
        desk.press(.character("t"))
        desk.type("no coffee")
        desk.press(.enter)
        #expect(desk.asked.last == .words(.test("no coffee")))
        #expect(desk.screen().contains { $0.contains("no ******") })
        #expect(desk.changes().isEmpty)
    }

    @Test("a flagged message is one key away from its place")
    func flagged() {
        let desk = self.desk()
        desk.press(.character("F"))
        #expect(desk.screen()[3].contains("coffee"))
        desk.press(.enter)
        #expect(desk.asked.contains(.talks(.look("id:1", .around(9), limit: 20))))
        #expect(desk.screen().first { $0.hasPrefix(">") }?.contains("line 9") == true)
    }
}

@Suite("Message types on the console") struct KindScreenTests {
    private static let poll = MessageKindEntry(
        kind: MessageKind(rawValue: 2_001), name: "poll", requiredFields: ["question"], degrade: "[poll]",
        typeTitle: "Poll", summary: "a poll", digest: "Poll: {question}")

    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .kinds(.list): return .success(.kinds(.kinds([AdminMessageKind(Self.poll, undecodable: 4)])))
        case .kinds(.try):
            let trial = AdminKindTrial(
                problem: .missing("question"), line: "[poll]", typeTitle: "Poll", summary: "a poll", degrade: "[poll]")
            return .success(.kinds(.tried(trial)))
        case .kinds: return .success(.kinds(.kind(AdminMessageKind(Self.poll, undecodable: 0))))
        default: return Samples.answer(request)
        }
    }

    private func desk() -> Desk {
        let desk = Desk(server: Self.server)
        desk.go(to: "Message types")
        return desk
    }

    @Test("each type with how many of its messages could not be read")
    func list() {
        #expect(
            self.desk().shown() == [
                " Message types  1/1                                                    08:00:00",
                "  NUMBER ↑  NAME             VERSION  TITLE             STATE         UNREADABLE",
                ">     2001  poll                   1  Poll              active                 4",
                " /srv/teahouse",
            ])
    }

    @Test("a type that is edited, disabled or removed comes back as it was")
    func undo() {
        let desk = self.desk()
        var other = Self.poll
        other.name = "polls"
        desk.press(.character("e"))
        desk.type("s")
        desk.press(.enter)
        #expect(desk.changes() == [.kinds(.set(other))])
        desk.press(.character("z"))
        #expect(desk.changes().last == .kinds(.set(Self.poll)))
        desk.press(.character("d"), .enter)
        #expect(desk.changes().last == .kinds(.setDisabled(Self.poll.kind, true)))
        desk.press(.character("z"))
        #expect(desk.changes().last == .kinds(.setDisabled(Self.poll.kind, false)))
        desk.press(.delete, .enter, .character("z"))
        #expect(desk.changes().last == .kinds(.set(Self.poll)))
    }

    @Test("a new one wants a free number")
    func create() {
        let desk = self.desk()
        desk.press(.character("n"))
        for text in ["2001", "vote", "", "", "", "[vote]", "Vote"] {
            desk.type(text)
            desk.press(.tab)
        }
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("This number is taken") })
        #expect(desk.changes().isEmpty)
        desk.press(
            .backTab, .backTab, .backTab, .backTab, .backTab, .backTab, .backTab, .backspace, .character("2"), .enter)
        let vote = MessageKindEntry(
            kind: MessageKind(rawValue: 2_002), name: "vote", degrade: "[vote]", typeTitle: "Vote", summary: "")
        #expect(desk.changes() == [.kinds(.set(vote))])
    }

    @Test("a body is tried, and the missing field is named")
    func tries() {
        let desk = self.desk()
        desk.press(.character("t"), .enter)
        #expect(desk.screen().contains { $0.contains("The field question is missing.") })
        #expect(desk.changes().isEmpty)
    }
}

@Suite("Settings on the console") struct SettingScreenTests {
    private static let settings = [
        AdminSetting(
            name: "max_input", group: .session, form: .number, bounds: "0 to 100000 characters", builtIn: "0",
            value: "500", origin: "console", isLive: true, isEnforced: true,
            overrides: [AdminSettingOverride(SessionScope(.group, .manager), "2000")]),
        AdminSetting(
            name: "layout", group: .session, form: .choice, bounds: "one of roomy, compact",
            choices: ["roomy", "compact"], builtIn: "roomy", value: "roomy", origin: "built in", isLive: true,
            isEnforced: false),
        AdminSetting(
            name: "limits.connections", group: .server, form: .number, bounds: "16 to 1000000", builtIn: "10000",
            value: "10000", origin: "built in", isLive: false, isEnforced: true),
    ]

    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .settings(.list): return .success(.settings(.list(Self.settings)))
        case .settings(.show(let name)):
            return .success(.settings(.one(Self.settings.first { $0.name == name }!)))
        case .settings(.effective):
            let scope = SessionScope(.group, .manager)
            return .success(.settings(.effective([AdminEffectiveSetting("max_input", "2000", from: scope)])))
        case .settings(.limits):
            let limit = AdminLimit(
                name: "connections", unit: "connections", current: 95, peak: 99, maximum: 100, refusals: 2)
            return .success(
                .settings(
                    .limits([
                        AdminSettingLimit(limit, setting: "limits.connections", isLive: false, advice: "Raise it.")
                    ])))
        case .settings: return .success(.settings(.one(Self.settings[0])))
        default: return Samples.answer(request)
        }
    }

    private func desk() -> Desk {
        let desk = Desk(server: Self.server)
        desk.go(to: "Settings")
        return desk
    }

    @Test("every setting with its value, and what was set for some only")
    func list() {
        #expect(
            self.desk().shown(120) == [
                " Settings  1/3                                                                                                 08:00:00",
                "  NAME                            VALUE                                         ABOUT           SET BY          CHANGES",
                "> max_input                       500  (group/manager 2000)                     conversations   console         at once",
                "  layout                          roomy                                         conversations   built in        at once",
                "  limits.connections              10000                                         server          built in        restart",
                " /srv/teahouse",
            ])
    }

    @Test("a value out of its bounds is refused while it is typed; the scope is chosen; z brings back what was there")
    func edit() {
        let desk = self.desk()
        desk.press(.character("e"), .tab, .tab, .control("u"))
        desk.type("100001")
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("0 to 100000 characters") })
        desk.press(.backspace, .enter)
        #expect(desk.screen().contains { $0.contains("For *: 500 → 10000") })
        desk.press(.enter)
        #expect(desk.changes() == [.settings(.set("max_input", .everywhere, "10000"))])
        desk.press(.character("z"))
        #expect(desk.changes().last == .settings(.set("max_input", .everywhere, "500")))

        desk.press(.character("e"), .right, .right, .enter, .enter)
        #expect(desk.changes().last == .settings(.set("max_input", SessionScope(.group), "500")))
        desk.press(.character("z"))
        #expect(desk.changes().last == .settings(.reset("max_input", SessionScope(.group))))
    }

    @Test("what was set for some goes back to the usual, and comes again with z")
    func reset() {
        let desk = self.desk()
        desk.press(.character("x"), .right, .enter)
        let scope = SessionScope(.group, .manager)
        #expect(desk.changes() == [.settings(.reset("max_input", scope))])
        desk.press(.character("z"))
        #expect(desk.changes().last == .settings(.set("max_input", scope, "2000")))
        desk.press(.down, .character("x"))
        #expect(desk.screen()[22] == " ! nothing was set for it")
    }

    @Test("what needs the file and a restart says so")
    func restart() {
        let desk = self.desk()
        desk.press(.down, .down, .character("e"))
        #expect(desk.screen()[22].contains("only with the file and a restart"))
        #expect(desk.changes().isEmpty)
    }

    @Test("limits: how much is used, the most that ever was, and what to do")
    func limits() {
        let desk = self.desk()
        desk.press(.character("L"))
        #expect(
            desk.shown() == [
                " Settings › Limits limits.connections  1/1                             08:00:00",
                "  LIMIT                       NOW          PEAK       MAXIMUM   SHARE   REFUSALS",
                "> connections                  95            99           100    95 %          2",
                " /srv/teahouse",
            ])
        desk.press(.enter)
        #expect(desk.screen().contains { $0.contains("Raise it.") })
        desk.press(.escape, .character("e"))
        #expect(desk.screen()[22].contains("only with the file and a restart"))
    }

    @Test("what holds for somebody")
    func effective() {
        let desk = self.desk()
        desk.press(.character("f"))
        desk.type("tea")
        desk.press(.tab)
        desk.type("ming")
        desk.press(.enter)
        #expect(desk.asked.last == .settings(.effective(conversation: "tea", user: UserName("ming")!)))
        #expect(desk.screen().contains { $0.contains("max_input") && $0.contains("group/manager") })
    }
}

@Suite("The sign-in policy on the console") struct PolicyScreenTests {
    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        let standard = SignInPolicy.Preset.byLevel.policy
        switch request {
        case .policy(.show): return .success(.policy(.policy(standard)))
        case .policy(.preview): return .success(.policy(.preview([Samples.session(7, "ming")], count: 1)))
        case .policy(.set(let policy, _)): return .success(.policy(.changed(policy, ended: 1)))
        default: return Samples.answer(request)
        }
    }

    private func desk(isReadOnly: Bool = false) -> Desk {
        let desk = Desk(isReadOnly: isReadOnly, server: Self.server)
        desk.go(to: "Sign-in policy")
        return desk
    }

    @Test("the matrix of what holds")
    func shows() {
        #expect(
            self.desk().shown() == [
                " Sign-in policy  0/0                                                   08:00:00",
                " In force      by the level of the device  *=level",
                "",
                "            app        desktop    web        at once",
                " app        ·          ✓ together ✓ together by level",
                " desktop    ✓ together ·          ✓ together by level",
                " web        ✓ together ✓ together ·          by level",
                "",
                "        ID  NAME                 DEVICE    PROTOCOL       ADDRESS",
                "",
                "  p looks at a preset, e drafts one of your own: who would be signed out",
                "  stands here.",
                " /srv/teahouse",
            ])
    }

    @Test("a preset is looked at with who would be signed out before it is applied, and z brings back the one before")
    func preset() {
        let desk = self.desk()
        desk.press(.character("a"))
        #expect(desk.screen()[22].contains("draft a policy first"))
        desk.press(.character("p"), .right, .right, .enter)
        let draft = SignInPolicy.Preset.desktopOrWeb.policy
        #expect(desk.asked.contains(.policy(.preview(draft))))
        #expect(
            desk.shown() == [
                " Sign-in policy  1/1                                                   08:00:00",
                " In force      by the level of the device  *=level",
                " Draft         one of each, desktop or web  *=1 desktop!web",
                "",
                "            app        desktop    web        at once",
                " app        ·          ✓ together ✓ together 1",
                " desktop    ✓ together ·          ✗ exclude  1",
                " web        ✓ together ✗ exclude  ·          1",
                "",
                " 1 session would be signed out:",
                "        ID  NAME                 DEVICE    PROTOCOL       ADDRESS",
                ">        7  ming                 app       wukong-json    192.168.1.7:50000",
                " /srv/teahouse",
            ])
        #expect(desk.changes().isEmpty)
        desk.press(.character("A"))
        #expect(desk.screen().contains { $0.contains("teahouse ctl policy set pc-and-web-exclusive --end") })
        desk.press(.enter)
        #expect(desk.changes() == [.policy(.set(draft, endingNow: true))])
        desk.press(.character("z"))
        let before = SignInPolicy.Preset.byLevel.policy
        #expect(desk.changes().last == .policy(.set(before, endingNow: false)))
    }

    @Test("one of one's own is checked while it is typed")
    func own() {
        let desk = self.desk()
        desk.press(.character("e"), .tab)
        desk.type("none")
        desk.press(.enter)
        #expect(desk.asked.allSatisfy { if case .policy(.preview) = $0 { false } else { true } })
        desk.press(.control("u"), .character("2"), .enter)
        #expect(desk.asked.contains(.policy(.preview(SignInPolicy(standard: .byLevel, classes: [.app: .atMost(2)])))))
    }

    @Test("read-only: a draft may be looked at, and is not applied")
    func readOnly() {
        let desk = self.desk(isReadOnly: true)
        desk.press(.character("p"), .right, .enter, .character("A"))
        #expect(desk.screen()[22] == " ! read-only: nothing is changed here")
        #expect(desk.changes().isEmpty)
    }
}
