import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("The console") struct ConsoleTests {
    @Test("people on 80 by 24 cells, hostile names and all")
    func users() {
        let console = ConsoleDriver()
        console.press(.character("2"))
        let screen = console.screen()
        #expect(screen[0].hasPrefix(" 1 Overview  2 Users  3 Sessions  4 Conversations  5 Transfers"))
        #expect(screen[1].hasPrefix(" Users  1/5"))
        #expect(screen[2] == "  NAME                DISPLAY NAME         ROLE            STATE      CREATED")
        #expect(screen[3] == "> ming                张小明               member          active     07:59:00")
        #expect(screen[6] == "  evil                \\u001b[31mred\\u202e  member          active     07:59:00")
        #expect(screen[7] == "  anna                                     member          disabled   07:59:00")
        #expect(screen[22] == " /srv/teahouse")
        #expect(screen[23].hasPrefix(" Enter open the person  n new person  e edit the profile"))
        #expect(screen[23].hasSuffix("? help"))
    }

    @Test(
        "every screen is straight at every size, in both languages",
        arguments: [Language.english, .chinese], [(80, 24), (200, 50), (40, 10), (61, 17), (20, 5)])
    func straight(_ language: Language, _ size: (Int, Int)) {
        for number in 0..<22 {
            let console = ConsoleDriver(language: language, server: Samples.talk)
            console.go(to: number)
            #expect(console.isStraight(size.0, size.1), "screen \(number)")
            for overlay in [Key.character("?"), .character("="), .character("n"), .enter, .character("d")] {
                console.press(overlay)
                #expect(console.isStraight(size.0, size.1), "screen \(number) with \(overlay)")
                console.press(.escape)
            }
        }
    }

    @Test("a change is asked about first, done on Enter, and taken back with z for 30 seconds")
    func disable() {
        let console = ConsoleDriver()
        console.press(.character("2"), .character("d"))
        let box = console.screen()
        #expect(box.contains { $0.contains("disable: ming") })
        #expect(box.contains { $0.contains("They are signed out at once and cannot sign in.") })
        #expect(box.contains { $0.contains("teahouse ctl user disable ming") })
        #expect(console.changes().isEmpty)
        console.press(.enter)
        #expect(console.changes() == [.setDisabled(UserName("ming")!, true)])
        #expect(console.screen()[22] == " 1 person disabled")
        console.press(.character("z"))
        #expect(console.changes().last == .setDisabled(UserName("ming")!, false))

        console.press(.character("d"), .enter)
        console.pass(milliseconds: 30_001)
        console.press(.character("z"))
        #expect(console.screen()[22] == " ! nothing can be taken back now")
        #expect(console.changes().count == 3)
    }

    @Test("Esc leaves everything as it is")
    func escape() {
        let console = ConsoleDriver()
        console.press(.character("2"), .character("d"), .escape)
        #expect(console.changes().isEmpty)
        #expect(console.screen()[22] == " nothing was changed")
    }

    @Test("an action is for the marked ones, and many are done only when their number was typed")
    func marks() {
        let many = (1...7).map { Samples.user("p\($0)", nil) }
        let console = ConsoleDriver { request in
            if case .listUsers = request { return .success(.users(many, next: nil)) }
            return Samples.answer(request)
        }
        console.press(.character("2"), .character("*"), .character("s"), .enter)
        #expect(console.changes().isEmpty)
        console.type("7")
        console.press(.enter)
        #expect(console.changes().count == 7)
        #expect(console.screen()[22] == " 7 people muted")
        #expect(!console.screen()[1].contains("marked"))
    }

    @Test("a new person: the name is checked while it is typed")
    func create() {
        let console = ConsoleDriver()
        console.press(.character("2"), .character("n"))
        #expect(console.screen().contains { $0.contains("The name is missing: 1 to 64 characters.") })
        console.type(String(repeating: "x", count: 65))
        #expect(console.screen().contains { $0.contains("65/64") })
        console.press(.enter)
        #expect(console.changes().isEmpty)
        console.press(.control("u"))
        console.type("小红")
        console.press(.tab)
        console.type("Hong")
        #expect(console.screen().contains { $0.contains("teahouse ctl user add 小红 --display-name Hong") })
        console.press(.enter)
        #expect(console.changes() == [.addUser(AdminNewUser(name: UserName("小红")!, displayName: "Hong"))])
        #expect(console.screen()[22] == " user 小红 added")
    }

    @Test("a token is shown once, and y copies it")
    func token() {
        let console = ConsoleDriver()
        console.press(.character("2"), .character("t"), .right, .enter)
        #expect(console.changes() == [.issueToken(UserName("ming")!, .web, .secondary)])
        #expect(console.screen().contains { $0.contains("secret-token") })
        console.press(.character("y"))
        #expect(console.effects.contains { if case .copy("secret-token") = $0 { true } else { false } })
        console.press(.escape)
        #expect(!console.screen().contains { $0.contains("secret-token") })
    }

    @Test("read-only: keys that change are refused with the reason, and commands run so that they change nothing")
    func readOnly() {
        let console = ConsoleDriver(isReadOnly: true)
        console.press(.character("2"), .character("d"))
        #expect(console.screen()[22] == " ! read-only: nothing is changed here")
        console.press(.character(":"))
        console.type("user add eve")
        console.press(.enter)
        // The command itself then refuses what asks the server for a change.
        #expect(console.runs() == [["--read-only", "user", "add", "eve"]])
        #expect(!console.screen()[23].contains("new person"))
        console.press(.character("?"))
        #expect(console.screen().contains { $0.contains("open the person") })
        #expect(!console.screen().contains { $0.contains("new person") })
    }

    @Test("an observer changes nothing, and the reason names the role")
    func observer() {
        let console = ConsoleDriver(role: .observer)
        console.press(.character("2"), .character("d"))
        #expect(console.screen()[22] == " ! this account has the role observer: nothing is changed here")
        console.press(.character("?"))
        #expect(!console.screen().contains { $0.contains("new person") })
    }

    @Test("a helper disables people, and what needs an administrator is refused before it is asked")
    func helper() {
        let console = ConsoleDriver(role: .helper)
        console.press(.character("2"), .character("t"), .right, .enter)
        #expect(console.changes().isEmpty)
        #expect(console.screen().contains { $0.contains("this needs the role administrator") })
    }

    @Test("= shows what each key would do, for a shell")
    func commands() {
        let console = ConsoleDriver()
        console.press(.character("2"), .character("="))
        let screen = console.screen()
        #expect(screen.contains { $0.contains("d     teahouse ctl user disable ming") })
        #expect(screen.contains { $0.contains("K     teahouse ctl session kick --user ming") })
        #expect(console.changes().isEmpty)
    }

    @Test("what is on the screen stays when the server goes, marked with the time, and the rest comes back by itself")
    func stale() {
        let console = ConsoleDriver()
        console.press(.character("2"))
        console.console.disconnected("no teahouse is running on /srv/teahouse")
        console.work()
        #expect(console.screen()[1].hasSuffix("STALE since 08:00:00"))
        #expect(console.screen()[3].hasPrefix("> ming"))
        console.press(.character("d"), .enter)
        #expect(console.screen()[22] == " ! the server does not answer: nothing was done")
        let before = console.asked.count
        console.console.connected()
        console.work()
        #expect(console.asked.count > before)
        #expect(!console.screen()[1].contains("STALE"))
    }

    @Test("an answer that does not come holds no key up")
    func slow() {
        let console = ConsoleDriver { request in
            if case .listUsers = request { return nil }
            return Samples.answer(request)
        }
        console.press(.character("2"), .character("3"))
        #expect(console.screen()[3].hasPrefix(">        7  ming"))
    }

    @Test("a part of the changes that fails is told with its reasons")
    func failure() {
        let console = ConsoleDriver { request in
            if case .setDisabled(let name, _) = request, name.text != "lan" {
                return .failure(AdminError(.refused, "\(name.text) is needed"))
            }
            return Samples.answer(request)
        }
        console.press(.character("2"), .character(" "), .character(" "), .character(" "), .character("d"), .enter)
        let screen = console.screen()
        #expect(screen.contains { $0.contains("2 of 3 failed") })
        #expect(screen.contains { $0.contains("ming is needed") })
        #expect(screen.contains { $0.contains("zoe is needed") })
    }

    @Test("help lists the keys of this screen")
    func help() {
        let console = ConsoleDriver()
        console.press(.character("3"), .character("?"))
        let screen = console.screen(100, 40)
        #expect(screen.contains { $0.contains("Keys on: Sessions") })
        #expect(screen.contains { $0.contains("end all of the person") })
        #expect(!screen.contains { $0.contains("new person") })
    }

    @Test("sessions end one by one or all of a person")
    func sessions() {
        let console = ConsoleDriver()
        console.press(.character("3"), .down, .character("K"), .enter)
        #expect(console.changes() == [.endSessions(ids: [8], user: nil)])
        console.press(.character("A"), .enter)
        #expect(console.changes().last == .endSessions(ids: [], user: UserName("lan")!))
    }

    @Test("the log follows only while it is shown")
    func log() {
        let console = ConsoleDriver()
        console.press(.character("8"))
        #expect(console.asked.contains(.follow(conversation: nil, withSessions: true)))
        console.tell(.opened(Samples.session(9, "zoe")))
        #expect(console.screen()[3].contains("signs in"))
        console.press(.character("1"))
        #expect(console.asked.contains { if case .stopFollowing = $0 { true } else { false } })
    }

    @Test("columns are chosen for the table that is shown")
    func columns() {
        let console = ConsoleDriver()
        console.press(.character("2"), .character("|"), .tab, .right, .enter)
        #expect(!console.screen()[2].contains("DISPLAY NAME"))
        #expect(console.screen()[2].contains("ROLE"))
        console.press(.character("|"))
        for column in 0..<7 {
            if column != 1 { console.press(.right) }
            console.press(.tab)
        }
        #expect(console.screen().contains { $0.contains("One column at least stays.") })
    }

    @Test("a dialog in a window that is too small for it scrolls, and what is to be pressed stays in sight")
    func smallWindow() {
        let many = (1...7).map { Samples.user("p\($0)", nil) }
        let console = ConsoleDriver { request in
            if case .listUsers = request { return .success(.users(many, next: nil)) }
            return Samples.answer(request)
        }
        _ = console.screen(40, 10)
        console.press(.character("2"), .character("*"), .character("d"))
        #expect(console.screen(40, 10).contains { $0.contains("Type 7 to go on:") })
        #expect(console.screen(40, 10).contains { $0.contains("They are signed out") })
        for _ in 0..<20 { console.press(.down) }
        #expect(console.screen(40, 10).contains { $0.contains("z takes it back") })
        #expect(console.screen(40, 10).contains { $0.contains("Type 7 to go on:") })
        console.press(.escape, .character("3"), .character("F"))
        #expect(console.screen(40, 10).contains { $0.contains("NAME") })
        console.press(.backTab)
        #expect(console.screen(40, 10).contains { $0.contains("TLS") })
        #expect(console.isStraight(40, 10))
    }

    @Test("a click chooses a row, a screen; the wheel moves")
    func mouse() {
        let console = ConsoleDriver()
        _ = console.screen()
        console.press(.click(row: 0, column: 14))
        #expect(console.screen()[1].hasPrefix(" Users"))
        console.press(.click(row: 5, column: 10))
        #expect(console.screen()[5].hasPrefix("> zoe"))
        console.press(.wheelUp)
        #expect(console.screen()[3].hasPrefix("> ming"))
    }

    @Test(
        "commands that never end are screens of their own",
        arguments: [
            ("tail", " Log"), ("top", " Overview"), ("transfer watch", " Transfers"), ("ctl top --json", " Overview"),
        ])
    func endless(_ line: String, _ title: String) {
        let console = ConsoleDriver()
        console.press(.character("2"), .character(":"))
        console.type(line)
        console.press(.enter)
        #expect(console.screen()[1].hasPrefix(title))
        #expect(console.runs().isEmpty)
        console.press(.character(":"))
        console.type("top --once")
        console.press(.enter)
        #expect(console.runs() == [["top", "--once"]])
    }

    @Test("a server that hangs is marked within two seconds, changes nothing, and is unmarked by its next word")
    func hangs() {
        let console = ConsoleDriver()
        console.press(.character("2"))
        for _ in 0..<5 { console.pass(milliseconds: 1_000) }
        #expect(!console.screen()[1].contains("STALE"))
        console.isHanging = true
        console.pass(milliseconds: 1_000)
        console.pass(milliseconds: 1_000)
        #expect(console.screen()[1].hasSuffix("STALE since 08:00:05"))
        #expect(console.screen()[22] == " ! the server does not answer; the console waits for it")
        #expect(console.screen()[3].hasPrefix("> ming"))
        console.press(.character("d"), .enter)
        #expect(console.screen()[22] == " ! the server does not answer: nothing was done")
        #expect(console.changes().isEmpty)
        console.isHanging = false
        console.console.receive(.answer(id: -1, .success(.done)))
        console.pass(milliseconds: 1_000)
        #expect(!console.screen()[1].contains("STALE"))
        console.press(.character("d"), .enter)
        #expect(console.changes() == [.setDisabled(UserName("ming")!, true)])
    }
}
