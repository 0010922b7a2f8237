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
                number: 5, atMilliseconds: ConsoleDriver.now, conversation: 1, conversationName: "tea", sequence: 9,
                sender: "ming", word: "coffee")
            return .success(.words(.flagged([flagged], next: nil)))
        case .words: return .success(.count(1))
        default: return Samples.talk(request)
        }
    }

    private func console() -> ConsoleDriver {
        let console = ConsoleDriver(server: Self.server)
        console.go(to: "Words")
        return console
    }

    @Test("the list with what happens to each")
    func list() {
        #expect(
            self.console().shown() == [
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
        let console = self.console()
        console.press(.character("n"), .enter)
        #expect(console.changes().isEmpty)
        console.type("milk")
        console.press(.tab, .right)
        #expect(console.screen().contains { $0.contains("teahouse ctl word add milk --action mask") })
        console.press(.enter)
        #expect(console.changes() == [.words(.add([WordRule("milk", .mask)]))])
        console.press(.character("z"))
        #expect(console.changes().last == .words(.remove(["milk"])))
    }

    @Test("another action and a removal bring back what was")
    func undo() {
        let console = self.console()
        console.press(.character("e"), .enter)
        #expect(console.changes() == [.words(.add([WordRule("coffee", .refuse)]))])
        console.press(.character("z"))
        #expect(console.changes().last == .words(.add([WordRule("coffee", .mask)])))
        console.press(.delete, .enter)
        #expect(console.changes().last == .words(.remove(["coffee"])))
        console.press(.character("z"))
        #expect(console.changes().last == .words(.add([WordRule("coffee", .mask)])))
    }

    @Test("a text is tried")
    func tries() {
        let console = self.console()
        console.press(.character("t"))
        console.type("no coffee")
        console.press(.enter)
        #expect(console.asked.last == .words(.test("no coffee")))
        #expect(console.screen().contains { $0.contains("no ******") })
        #expect(console.changes().isEmpty)
    }

    @Test("a flagged message is one key away from its place")
    func flagged() {
        let console = self.console()
        console.press(.character("F"))
        #expect(console.screen()[3].contains("coffee"))
        console.press(.enter)
        #expect(console.asked.contains(.conversationDetails(.look("id:1", .around(9), limit: 20))))
        #expect(console.screen().first { $0.hasPrefix(">") }?.contains("line 9") == true)
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

    private func console() -> ConsoleDriver {
        let console = ConsoleDriver(server: Self.server)
        console.go(to: "Message types")
        return console
    }

    @Test("each type with how many of its messages could not be read")
    func list() {
        #expect(
            self.console().shown() == [
                " Message types  1/1                                                    08:00:00",
                "  NUMBER ↑  NAME             VERSION  TITLE             STATE         UNREADABLE",
                ">     2001  poll                   1  Poll              active                 4",
                " /srv/teahouse",
            ])
    }

    @Test("a type that is edited, disabled or removed comes back as it was")
    func undo() {
        let console = self.console()
        var other = Self.poll
        other.name = "polls"
        console.press(.character("e"))
        console.type("s")
        console.press(.enter)
        #expect(console.changes() == [.kinds(.set(other))])
        console.press(.character("z"))
        #expect(console.changes().last == .kinds(.set(Self.poll)))
        console.press(.character("d"), .enter)
        #expect(console.changes().last == .kinds(.setDisabled(Self.poll.kind, true)))
        console.press(.character("z"))
        #expect(console.changes().last == .kinds(.setDisabled(Self.poll.kind, false)))
        console.press(.delete, .enter, .character("z"))
        #expect(console.changes().last == .kinds(.set(Self.poll)))
    }

    @Test("a new one wants a free number")
    func create() {
        let console = self.console()
        console.press(.character("n"))
        for text in ["2001", "vote", "", "", "", "[vote]", "Vote"] {
            console.type(text)
            console.press(.tab)
        }
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("This number is taken") })
        #expect(console.changes().isEmpty)
        console.press(
            .backTab, .backTab, .backTab, .backTab, .backTab, .backTab, .backTab, .backspace, .character("2"), .enter)
        let vote = MessageKindEntry(
            kind: MessageKind(rawValue: 2_002), name: "vote", degrade: "[vote]", typeTitle: "Vote", summary: "")
        #expect(console.changes() == [.kinds(.set(vote))])
    }

    @Test("a body is tried, and the missing field is named")
    func tries() {
        let console = self.console()
        console.press(.character("t"), .enter)
        #expect(console.screen().contains { $0.contains("The field question is missing.") })
        #expect(console.changes().isEmpty)
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
            return .success(.settings(.effective([AdminEffectiveSetting("max_input", "2000", from: .scope(scope))])))
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

    private func console() -> ConsoleDriver {
        let console = ConsoleDriver(server: Self.server)
        console.go(to: "Settings")
        return console
    }

    @Test("every setting with its value, and what was set for some only")
    func list() {
        #expect(
            self.console().shown(120) == [
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
        let console = self.console()
        console.press(.character("e"), .tab, .tab, .control("u"))
        console.type("100001")
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("0 to 100000 characters") })
        console.press(.backspace, .enter)
        #expect(console.screen().contains { $0.contains("For *: 500 → 10000") })
        console.press(.enter)
        #expect(console.changes() == [.settings(.set("max_input", .everywhere, "10000"))])
        console.press(.character("z"))
        #expect(console.changes().last == .settings(.set("max_input", .everywhere, "500")))

        console.press(.character("e"), .right, .right, .enter, .enter)
        #expect(console.changes().last == .settings(.set("max_input", SessionScope(.group), "500")))
        console.press(.character("z"))
        #expect(console.changes().last == .settings(.reset("max_input", SessionScope(.group))))
    }

    @Test("what was set for some goes back to the usual, and comes again with z")
    func reset() {
        let console = self.console()
        console.press(.character("x"), .right, .enter)
        let scope = SessionScope(.group, .manager)
        #expect(console.changes() == [.settings(.reset("max_input", scope))])
        console.press(.character("z"))
        #expect(console.changes().last == .settings(.set("max_input", scope, "2000")))
        console.press(.down, .character("x"))
        #expect(console.screen()[22] == " ! nothing was set for it")
    }

    @Test("what needs the file and a restart says so")
    func restart() {
        let console = self.console()
        console.press(.down, .down, .character("e"))
        #expect(console.screen()[22].contains("only with the file and a restart"))
        #expect(console.changes().isEmpty)
    }

    @Test("limits: how much is used, the most that ever was, and what to do")
    func limits() {
        let console = self.console()
        console.press(.character("L"))
        #expect(
            console.shown() == [
                " Settings › Limits limits.connections  1/1                             08:00:00",
                "  LIMIT                       NOW          PEAK       MAXIMUM   SHARE   REFUSALS",
                "> connections                  95            99           100    95 %          2",
                " /srv/teahouse",
            ])
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("Raise it.") })
        console.press(.escape, .character("e"))
        #expect(console.screen()[22].contains("only with the file and a restart"))
    }

    @Test("what holds for somebody")
    func effective() {
        let console = self.console()
        console.press(.character("f"))
        console.type("tea")
        console.press(.tab)
        console.type("ming")
        console.press(.enter)
        #expect(console.asked.last == .settings(.effective(conversation: "tea", user: UserName("ming")!)))
        #expect(console.screen().contains { $0.contains("max_input") && $0.contains("group/manager") })
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

    private func console(isReadOnly: Bool = false) -> ConsoleDriver {
        let console = ConsoleDriver(isReadOnly: isReadOnly, server: Self.server)
        console.go(to: "Sign-in policy")
        return console
    }

    @Test("the matrix of what holds")
    func shows() {
        #expect(
            self.console().shown() == [
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
        let console = self.console()
        console.press(.character("a"))
        #expect(console.screen()[22].contains("draft a policy first"))
        console.press(.character("p"), .right, .right, .enter)
        let draft = SignInPolicy.Preset.desktopOrWeb.policy
        #expect(console.asked.contains(.policy(.preview(draft))))
        #expect(
            console.shown() == [
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
        #expect(console.changes().isEmpty)
        console.press(.character("A"))
        #expect(console.screen().contains { $0.contains("teahouse ctl policy set pc-and-web-exclusive --end") })
        console.press(.enter)
        #expect(console.changes() == [.policy(.set(draft, endingNow: true))])
        console.press(.character("z"))
        let before = SignInPolicy.Preset.byLevel.policy
        #expect(console.changes().last == .policy(.set(before, endingNow: false)))
    }

    @Test("one of one's own is checked while it is typed")
    func own() {
        let console = self.console()
        console.press(.character("e"), .tab)
        console.type("none")
        console.press(.enter)
        #expect(console.asked.allSatisfy { if case .policy(.preview) = $0 { false } else { true } })
        console.press(.control("u"), .character("2"), .enter)
        #expect(
            console.asked.contains(.policy(.preview(SignInPolicy(standard: .byLevel, classes: [.app: .atMost(2)])))))
    }

    @Test("read-only: a draft may be looked at, and is not applied")
    func readOnly() {
        let console = self.console(isReadOnly: true)
        console.press(.character("p"), .right, .enter, .character("A"))
        #expect(console.screen()[22] == " ! read-only: nothing is changed here")
        #expect(console.changes().isEmpty)
    }
}
