import AdminAPI
import AdminConsole
import ChatModel
import Testing

@Suite("Steps to a change, kept when it is refused or left") struct StepTests {
    private let taken = AdminError(.exists, "a group named tea is there already")

    /// A server that refuses to make a group `tea` and a user `lan`.
    private func console() -> ConsoleDriver {
        ConsoleDriver { [taken] request in
            switch request {
            case .teams(.create(let team)) where team.name.text == "tea": .failure(taken)
            case .addUser(let user) where user.name.text == "lan":
                .failure(AdminError(.exists, "there is a user lan already"))
            case .announcements(.send): .failure(AdminError(.full, "the disk is full"))
            case .announcements: .success(.announcements(.list([], next: nil)))
            default: Samples.talk(request)
            }
        }
    }

    @Test("a refused form stays, says why, and goes to the field that the reason names")
    func refused() {
        let console = self.console()
        console.press(.character("2"), .character("n"))
        console.type("lan")
        console.press(.tab)
        console.type("阿兰")
        console.press(.enter)
        #expect(console.changes().count == 1)
        let screen = console.screen()
        #expect(screen.contains { $0.contains("! NAME: there is a user lan already") })
        #expect(screen.contains { $0.contains("阿兰") })
        // The cursor is in the name again.
        console.type("2")
        #expect(!console.screen().contains { $0.contains("there is a user lan already") && $0.contains("NAME:") })
        console.press(.enter)
        #expect(console.changes().last == .addUser(AdminNewUser(name: UserName("lan2")!, displayName: "阿兰")))
        #expect(console.screen()[22] == " user lan2 added")
    }

    @Test("chosen people stay with a form that is refused, and when it is left")
    func chosen() {
        let console = self.console()
        console.press(.character("4"), .character("n"), .character(" "), .character(" "))
        #expect(console.screen().contains { $0.contains("2 chosen") })
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("New group of 2") })
        console.type("tea")
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("a group named tea is there already") })
        console.press(.escape)
        #expect(console.screen().contains { $0.contains("2 chosen") })
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("New group of 2") })
        console.press(.escape, .escape)
        #expect(console.screen()[22] == " nothing was changed")
        #expect(console.changes().count == 1)
    }

    @Test("Esc from the question goes back to what was typed, and so does a refusal behind it")
    func question() {
        let console = self.console()
        console.go(to: "Announcements")
        console.press(.character("n"), .tab, .paste("tonight\nat eight"), .enter)
        #expect(console.screen().contains { $0.contains("Every person with an account gets it") })
        console.press(.escape)
        #expect(console.screen().contains { $0.contains("at eight") })
        console.press(.enter, .enter)
        #expect(console.changes().count == 1)
        #expect(console.screen().contains { $0.contains("the disk is full") })
        #expect(console.screen().contains { $0.contains("at eight") })
        console.press(.escape)
        #expect(console.screen()[22] == " nothing was changed")
    }

    @Test("a change that cannot begin leaves the form open")
    func gone() {
        let console = self.console()
        console.press(.character("2"), .character("n"))
        console.type("bo")
        console.console.disconnected("no teahouse is running on /srv/teahouse")
        console.press(.enter)
        #expect(console.changes().isEmpty)
        #expect(console.screen().contains { $0.contains("the server does not answer: nothing was done") })
        #expect(console.screen().contains { $0.contains("teahouse ctl user add bo") })
    }

    @Test("a refusal is shown in the language of the console")
    func language() {
        let console = ConsoleDriver(language: .chinese) { request in
            guard case .setDisabled = request else { return Samples.answer(request) }
            let reason = AdminError.Reason(number: 101, values: ["ming"])
            return .failure(AdminError(.notFound, "user ming does not exist: check the spelling", reason: reason))
        }
        console.press(.character("2"), .character("d"), .enter)
        #expect(console.screen()[22].contains("用户 ming 不存在"))
    }

    @Test("a question that a form asks keeps the form behind its answer, and behind a refusal")
    func questions() {
        let console = self.console()
        console.go(to: "Words")
        console.press(.character("t"))
        console.type("casino")
        console.press(.enter)
        // No such request in this server.
        #expect(console.screen().contains { $0.contains("casino") && !$0.contains("! ") })
        #expect(console.screen().contains { $0.contains("teahouse ctl word test casino") })
        console.press(.escape)
        console.press(.character("?"), .escape)
        #expect(!console.screen().contains { $0.contains("teahouse ctl word test casino") })
    }

    @Test("a step of before does not come back behind another question")
    func over() {
        let console = self.console()
        console.press(.character("2"), .character("n"))
        console.type("bo")
        console.press(.enter)
        #expect(console.screen()[22] == " user bo added")
        console.press(.character("d"), .escape)
        #expect(console.screen()[22] == " nothing was changed")
        #expect(!console.screen().contains { $0.contains("teahouse ctl user add bo") })
    }
}
