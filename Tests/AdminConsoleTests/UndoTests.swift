import AdminAPI
import AdminConsole
import ChatModel
import CommandLineKit
import Testing

@Suite("Questions of typed commands, and what is taken back") struct UndoTests {
    private static let ming = UserName("ming")!
    private static let question = Question(
        "dissolve the group: tea", consequences: ["It can only be read from now on.", "9 members are in it."],
        typed: "tea")

    /// A server with one person, who is disabled or not.
    private final class Server {
        var isDisabled = false
        var displayName = "张小明"

        func answer(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
            switch request {
            case .setDisabled(_, let isDisabled):
                self.isDisabled = isDisabled
                return .success(.count(1))
            case .people(.edit(let edit)):
                self.displayName = edit.displayName ?? self.displayName
                return .success(.count(1))
            case .showUser:
                let user = Samples.user("ming", self.displayName, isDisabled: self.isDisabled)
                return .success(
                    .user(
                        AdminUserDetail(
                            user: user, tokens: [], sessions: [], blocked: [], allowed: [], isAllowlistOnly: false)))
            default: return Samples.answer(request)
            }
        }
    }

    private func console(_ server: Server) -> ConsoleDriver {
        let console = ConsoleDriver(server: server.answer)
        console.overwrites = false
        console.press(.character("2"))
        return console
    }

    private func type(_ line: String, _ console: ConsoleDriver) {
        console.press(.character(":"))
        console.type(line)
        console.press(.enter)
    }

    @Test("a typed command with consequences is asked about like a key, and runs only when the name was typed")
    func typedQuestion() {
        let console = self.console(Server())
        self.type("team dismiss tea", console)
        let words = ["team", "dismiss", "tea"]
        #expect(console.runs() == [words])
        console.console.ran(CommandOutcome(.refused, ["nothing was done"], question: Self.question), words: words)
        #expect(console.screen().contains { $0.contains("9 members are in it.") })
        #expect(console.screen().contains { $0.contains("teahouse ctl team dismiss tea") })
        console.press(.enter)
        #expect(console.runs() == [words])
        console.type("tea")
        console.press(.enter)
        #expect(console.runs() == [words, ["--yes"] + words])
        console.console.ran(CommandOutcome(.done, ["team tea dissolved"]), words: ["--yes"] + words)
        #expect(console.screen()[22] == " team tea dissolved")
        console.press(.character("z"))
        #expect(console.screen()[22] == " ! nothing can be taken back now")
    }

    @Test("a typed command that was declined changes nothing, and its input goes on with it when it was not")
    func declined() {
        let console = self.console(Server())
        self.type("team dismiss tea", console)
        let outcome = CommandOutcome(.refused, [], question: Self.question)
        console.console.ran(outcome, words: ["team", "dismiss", "tea"], input: ["secret"])
        console.press(.escape)
        #expect(console.screen()[22] == " nothing was changed")
        #expect(console.runs().count == 1)
        console.console.ran(outcome, words: ["team", "dismiss", "tea"], input: ["secret"])
        console.type("tea")
        console.press(.enter)
        let inputs = console.effects.compactMap { if case .run(_, let input) = $0 { input } else { nil } }
        #expect(inputs.last == ["secret"])
    }

    @Test("z takes back what a typed command changed")
    func typedUndo() {
        let server = Server()
        let console = self.console(server)
        self.type("user disable ming", console)
        server.isDisabled = true
        let change = AdminChange(.setDisabled(Self.ming, true), before: nil)
        console.console.ran(CommandOutcome(.done, ["done"], changes: [change]), words: ["user", "disable", "ming"])
        #expect(console.screen()[1].contains("z undoes"))
        console.press(.character("z"))
        #expect(console.changes() == [.setDisabled(Self.ming, false)])
    }

    @Test("an undo that would overwrite what somebody else did since asks first")
    func changedSince() {
        let server = Server()
        let console = self.console(server)
        console.press(.character("d"), .enter)
        #expect(server.isDisabled)
        server.isDisabled = false
        console.press(.character("z"))
        #expect(console.asksToOverwrite)
        #expect(console.screen().contains { $0.contains("teahouse ctl user enable ming") })
        #expect(console.changes().count == 1)
        console.press(.escape)
        #expect(console.changes().count == 1)
    }

    @Test("an undo of what nobody touched since asks nothing, field by field")
    func untouched() {
        let server = Server()
        let console = self.console(server)
        console.press(.character("e"))
        console.type("!")
        console.press(.enter)
        #expect(server.displayName == "张小明!")
        // Another field than the one that was changed.
        server.isDisabled = true
        console.press(.character("z"))
        #expect(!console.asksToOverwrite)
        #expect(server.displayName == "张小明")
    }

    @Test("what a change set is put back from the state before it")
    func restoring() {
        let user = Samples.user("ming", "小明", isDisabled: true)
        let state = AdminAnswer.user(
            AdminUserDetail(user: user, tokens: [], sessions: [], blocked: ["lan"], allowed: [], isAllowlistOnly: false)
        )
        func back(_ request: AdminRequest) -> AdminRequest? { AdminChange(request, before: state).undo }
        let lan = UserName("lan")!
        #expect(back(.setDisabled(Self.ming, true)) == .setDisabled(Self.ming, true))
        #expect(
            back(.people(.edit(AdminUserEdit(name: Self.ming, displayName: "x"))))
                == .people(.edit(AdminUserEdit(name: Self.ming, displayName: "小明"))))
        #expect(
            back(.setListed(owner: Self.ming, .blocked, other: lan, false))
                == .setListed(owner: Self.ming, .blocked, other: lan, true))
        #expect(back(.revoke(Self.ming, nil)) == nil)
    }

    @Test("a key shows the consequences that its operation defines")
    func sameConsequences() {
        let console = self.console(Server())
        for (key, request) in [
            ("d", AdminRequest.setDisabled(Self.ming, true)), ("s", .setSendBanned(Self.ming, true)),
            ("x", .revoke(Self.ming, nil)), ("X", .people(.delete(Self.ming))),
        ] as [(Character, AdminRequest)] {
            console.press(.character(key))
            let shown = console.screen().joined()
            let sentences = (request.operation.caution?.consequences ?? []).map { console.console.look($0) }
            #expect(!sentences.isEmpty)
            for sentence in sentences { #expect(shown.contains(sentence.prefix(30)), "\(key)") }
            console.press(.escape)
        }
    }
}
