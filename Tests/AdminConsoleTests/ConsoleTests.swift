import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("The console") struct ConsoleTests {
    @Test("people on 80 by 24 cells, hostile names and all")
    func users() {
        let desk = Desk()
        desk.press(.character("2"))
        let screen = desk.screen()
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
        for number in 0..<17 {
            let desk = Desk(language: language, server: Samples.talk)
            desk.go(to: number)
            #expect(desk.isStraight(size.0, size.1), "screen \(number)")
            for overlay in [Key.character("?"), .character("="), .character("n"), .enter, .character("d")] {
                desk.press(overlay)
                #expect(desk.isStraight(size.0, size.1), "screen \(number) with \(overlay)")
                desk.press(.escape)
            }
        }
    }

    @Test("a change is asked about first, done on Enter, and taken back with z for 30 seconds")
    func disable() {
        let desk = Desk()
        desk.press(.character("2"), .character("d"))
        let box = desk.screen()
        #expect(box.contains { $0.contains("disable: ming") })
        #expect(box.contains { $0.contains("They are signed out at once and cannot sign in.") })
        #expect(box.contains { $0.contains("teahouse ctl user disable ming") })
        #expect(desk.changes().isEmpty)
        desk.press(.enter)
        #expect(desk.changes() == [.setDisabled(UserName("ming")!, true)])
        #expect(desk.screen()[22] == " 1 person disabled")
        desk.press(.character("z"))
        #expect(desk.changes().last == .setDisabled(UserName("ming")!, false))

        desk.press(.character("d"), .enter)
        desk.pass(milliseconds: 30_001)
        desk.press(.character("z"))
        #expect(desk.screen()[22] == " ! nothing can be taken back now")
        #expect(desk.changes().count == 3)
    }

    @Test("Esc leaves everything as it is")
    func escape() {
        let desk = Desk()
        desk.press(.character("2"), .character("d"), .escape)
        #expect(desk.changes().isEmpty)
        #expect(desk.screen()[22] == " nothing was changed")
    }

    @Test("an action is for the marked ones, and many are done only when their number was typed")
    func marks() {
        let many = (1...7).map { Samples.user("p\($0)", nil) }
        let desk = Desk { request in
            if case .listUsers = request { return .success(.users(many, next: nil)) }
            return Samples.answer(request)
        }
        desk.press(.character("2"), .character("*"), .character("s"), .enter)
        #expect(desk.changes().isEmpty)
        desk.type("7")
        desk.press(.enter)
        #expect(desk.changes().count == 7)
        #expect(desk.screen()[22] == " 7 people muted")
        #expect(!desk.screen()[1].contains("marked"))
    }

    @Test("a new person: the name is checked while it is typed")
    func create() {
        let desk = Desk()
        desk.press(.character("2"), .character("n"))
        #expect(desk.screen().contains { $0.contains("The name is missing: 1 to 64 characters.") })
        desk.type(String(repeating: "x", count: 65))
        #expect(desk.screen().contains { $0.contains("65/64") })
        desk.press(.enter)
        #expect(desk.changes().isEmpty)
        desk.press(.control("u"))
        desk.type("小红")
        desk.press(.tab)
        desk.type("Hong")
        #expect(desk.screen().contains { $0.contains("teahouse ctl user add 小红 --display-name Hong") })
        desk.press(.enter)
        #expect(desk.changes() == [.addUser(AdminNewUser(name: UserName("小红")!, displayName: "Hong"))])
        #expect(desk.screen()[22] == " user 小红 added")
    }

    @Test("a token is shown once, and y copies it")
    func token() {
        let desk = Desk()
        desk.press(.character("2"), .character("t"), .right, .enter)
        #expect(desk.changes() == [.issueToken(UserName("ming")!, .web, .secondary)])
        #expect(desk.screen().contains { $0.contains("secret-token") })
        desk.press(.character("y"))
        #expect(desk.effects.contains { if case .copy("secret-token") = $0 { true } else { false } })
        desk.press(.escape)
        #expect(!desk.screen().contains { $0.contains("secret-token") })
    }

    @Test("read-only: keys that change are refused with the reason, and commands run so that they change nothing")
    func readOnly() {
        let desk = Desk(isReadOnly: true)
        desk.press(.character("2"), .character("d"))
        #expect(desk.screen()[22] == " ! read-only: nothing is changed here")
        desk.press(.character(":"))
        desk.type("user add eve")
        desk.press(.enter)
        // The command itself then refuses what asks the server for a change.
        #expect(desk.runs() == [["--read-only", "user", "add", "eve"]])
        #expect(!desk.screen()[23].contains("new person"))
    }

    @Test("= shows what each key would do, for a shell")
    func commands() {
        let desk = Desk()
        desk.press(.character("2"), .character("="))
        let screen = desk.screen()
        #expect(screen.contains { $0.contains("d     teahouse ctl user disable ming") })
        #expect(screen.contains { $0.contains("K     teahouse ctl session kick --user ming") })
        #expect(desk.changes().isEmpty)
    }

    @Test("what is on the screen stays when the server goes, marked with the time, and the rest comes back by itself")
    func stale() {
        let desk = Desk()
        desk.press(.character("2"))
        desk.console.disconnected("no teahouse is running on /srv/teahouse")
        desk.work()
        #expect(desk.screen()[1].hasSuffix("STALE since 08:00:00"))
        #expect(desk.screen()[3].hasPrefix("> ming"))
        desk.press(.character("d"), .enter)
        #expect(desk.screen()[22] == " ! the server does not answer: nothing was done")
        let before = desk.asked.count
        desk.console.connected()
        desk.work()
        #expect(desk.asked.count > before)
        #expect(!desk.screen()[1].contains("STALE"))
    }

    @Test("an answer that does not come holds no key up")
    func slow() {
        let desk = Desk { request in
            if case .listUsers = request { return nil }
            return Samples.answer(request)
        }
        desk.press(.character("2"), .character("3"))
        #expect(desk.screen()[3].hasPrefix(">        7  ming"))
    }

    @Test("a part of the changes that fails is told with its reasons")
    func failure() {
        let desk = Desk { request in
            if case .setDisabled(let name, _) = request, name.text != "lan" {
                return .failure(AdminError(.refused, "\(name.text) is needed"))
            }
            return Samples.answer(request)
        }
        desk.press(.character("2"), .character(" "), .character(" "), .character(" "), .character("d"), .enter)
        let screen = desk.screen()
        #expect(screen.contains { $0.contains("2 of 3 failed") })
        #expect(screen.contains { $0.contains("ming is needed") })
        #expect(screen.contains { $0.contains("zoe is needed") })
    }

    @Test("help lists the keys of this screen")
    func help() {
        let desk = Desk()
        desk.press(.character("3"), .character("?"))
        let screen = desk.screen(100, 40)
        #expect(screen.contains { $0.contains("Keys on: Sessions") })
        #expect(screen.contains { $0.contains("end all of the person") })
        #expect(!screen.contains { $0.contains("new person") })
    }

    @Test("sessions end one by one or all of a person")
    func sessions() {
        let desk = Desk()
        desk.press(.character("3"), .down, .character("K"), .enter)
        #expect(desk.changes() == [.endSessions(ids: [8], user: nil)])
        desk.press(.character("A"), .enter)
        #expect(desk.changes().last == .endSessions(ids: [], user: UserName("lan")!))
    }

    @Test("the log follows only while it is shown")
    func log() {
        let desk = Desk()
        desk.press(.character("8"))
        #expect(desk.asked.contains(.follow(conversation: nil, withSessions: true)))
        desk.tell(.opened(Samples.session(9, "zoe")))
        #expect(desk.screen()[3].contains("signs in"))
        desk.press(.character("1"))
        #expect(desk.asked.contains { if case .stopFollowing = $0 { true } else { false } })
    }

    @Test("columns are chosen for the table that is shown")
    func columns() {
        let desk = Desk()
        desk.press(.character("2"), .character("|"), .tab, .right, .enter)
        #expect(!desk.screen()[2].contains("DISPLAY NAME"))
        #expect(desk.screen()[2].contains("ROLE"))
        desk.press(.character("|"))
        for column in 0..<7 {
            if column != 1 { desk.press(.right) }
            desk.press(.tab)
        }
        #expect(desk.screen().contains { $0.contains("One column at least stays.") })
    }

    @Test("a dialog in a window that is too small for it scrolls, and what is to be pressed stays in sight")
    func smallWindow() {
        let many = (1...7).map { Samples.user("p\($0)", nil) }
        let desk = Desk { request in
            if case .listUsers = request { return .success(.users(many, next: nil)) }
            return Samples.answer(request)
        }
        _ = desk.screen(40, 10)
        desk.press(.character("2"), .character("*"), .character("d"))
        #expect(desk.screen(40, 10).contains { $0.contains("Type 7 to go on:") })
        #expect(desk.screen(40, 10).contains { $0.contains("They are signed out") })
        for _ in 0..<20 { desk.press(.down) }
        #expect(desk.screen(40, 10).contains { $0.contains("z takes it back") })
        #expect(desk.screen(40, 10).contains { $0.contains("Type 7 to go on:") })
        desk.press(.escape, .character("3"), .character("F"))
        #expect(desk.screen(40, 10).contains { $0.contains("NAME") })
        desk.press(.backTab)
        #expect(desk.screen(40, 10).contains { $0.contains("TLS") })
        #expect(desk.isStraight(40, 10))
    }

    @Test("a click chooses a row, a screen; the wheel moves")
    func mouse() {
        let desk = Desk()
        _ = desk.screen()
        desk.press(.click(row: 0, column: 14))
        #expect(desk.screen()[1].hasPrefix(" Users"))
        desk.press(.click(row: 5, column: 10))
        #expect(desk.screen()[5].hasPrefix("> zoe"))
        desk.press(.wheelUp)
        #expect(desk.screen()[3].hasPrefix("> ming"))
    }

    @Test("commands that never end are screens of their own")
    func tail() {
        let desk = Desk()
        desk.press(.character(":"))
        desk.type("tail")
        desk.press(.enter)
        #expect(desk.screen()[1].hasPrefix(" Log"))
    }
}
