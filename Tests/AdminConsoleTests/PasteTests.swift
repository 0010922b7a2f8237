import AdminAPI
import AdminConsole
import ChatModel
import Testing

@Suite("Pasted text, and texts of several lines") struct PasteTests {
    private func collected(_ text: String) -> Key? {
        var paste = PasteCollector()
        paste.begin(atMilliseconds: 0)
        for scalar in text.unicodeScalars { paste.add(scalar, atMilliseconds: 0) }
        return paste.end()
    }

    @Test("every end of a line is one line feed, tabs are spaces, controls are left out")
    func collect() {
        #expect(self.collected("a\r\nb\rc\nd\r\r") == .paste("a\nb\nc\nd\n\n"))
        #expect(self.collected("x\t\u{1B}[31m\u{7F}y") == .paste("x [31my"))
        #expect(self.collected("茶👨‍👩‍👧") == .paste("茶👨‍👩‍👧"))
        #expect(self.collected("") == nil)
    }

    @Test("a paste is bounded, and one whose end never comes is over after a while")
    func bounds() {
        guard case .paste(let text)? = self.collected(String(repeating: "x", count: 70_000)) else {
            Issue.record("nothing was collected")
            return
        }
        #expect(text.unicodeScalars.count == PasteCollector.maximumScalars)
        var paste = PasteCollector()
        paste.begin(atMilliseconds: 1_000)
        paste.add("d", atMilliseconds: 1_500)
        #expect(paste.expire(atMilliseconds: 3_499) == nil && paste.isOpen)
        #expect(paste.expire(atMilliseconds: 3_500) == .paste("d") && !paste.isOpen)
    }

    @Test("pasted on a screen or over a question it does nothing, and the screen says so")
    func screen() {
        let console = ConsoleDriver()
        console.press(.character("2"), .paste("d\n"))
        #expect(console.changes().isEmpty)
        #expect(console.screen()[22].hasPrefix(" ! pasted text is no keys"))
        console.press(.character("d"), .paste("y\n"))
        #expect(console.changes().isEmpty)
        #expect(console.screen().contains { $0.contains("disable: ming") })
    }

    @Test("pasted behind : it stands in the line, and only Enter runs it")
    func commandLine() {
        let console = ConsoleDriver()
        console.press(.character(":"), .paste("user list\nstatus\n"))
        #expect(console.runs().isEmpty)
        #expect(console.screen()[22] == " :user list status")
        console.press(.enter)
        #expect(console.runs() == [["user", "list", "status"]])
    }

    @Test("pasted into a field of one line its lines stand beside each other; a filter takes it too")
    func oneLine() {
        var field = TextField("ab")
        _ = field.press(.left)
        _ = field.press(.paste("x\ny\n"))
        #expect(field.text == "ax yb")
        let console = ConsoleDriver()
        console.press(.character("2"), .character("/"), .paste("lan\n"))
        #expect(console.screen()[1].hasPrefix(" Users  1/1 of 5") || console.screen()[3].hasPrefix("> lan"))
        #expect(console.changes().isEmpty)
    }

    @Test("a text of several lines keeps them; arrows go from line to line and then to the next field")
    func severalLines() {
        var field = TextField("one\ntwo three\nx", isMultiline: true)
        let drawn = field.lines(width: 6)
        #expect(drawn.lines == ["one   ", "two t ", "hree  ", "x     "])
        #expect(drawn.cursor == (3, 1))
        for key in [Key.up, .up, .character("!")] { _ = field.press(key) }
        #expect(field.text == "o!ne\ntwo three\nx")
        let wasTaken = field.press(.up)
        #expect(!wasTaken)
        _ = field.press(.end)
        _ = field.press(.control("j"))
        #expect(field.text == "o!ne\n\ntwo three\nx")
        _ = field.press(.paste("a\nb"))
        #expect(field.text == "o!ne\na\nb\ntwo three\nx")
    }

    @Test("an announcement of several lines is sent as one")
    func announcement() {
        let console = ConsoleDriver()
        console.go(to: "Announcements")
        console.press(.character("n"), .tab, .paste("tonight\nat eight"), .control("j"))
        console.type("tea")
        #expect(console.screen().contains { $0.contains("Ctrl-J new line") })
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("Every person with an account gets it") })
        console.press(.enter)
        #expect(
            console.changes() == [
                .announcements(.send(AdminNewAnnouncement(title: "", text: "tonight\nat eight\ntea")))
            ])
    }

    @Test("a form with a text of several lines is straight at every size", arguments: [(80, 24), (40, 10), (61, 17)])
    func straight(_ size: (Int, Int)) {
        let console = ConsoleDriver()
        console.go(to: "Announcements")
        console.press(.character("n"), .tab)
        for number in 0..<30 { console.press(.paste("line \(number) 茶茶茶茶茶茶茶茶茶茶茶茶茶茶茶茶茶茶茶茶"), .control("j")) }
        #expect(console.isStraight(size.0, size.1))
        #expect(console.screen(size.0, size.1).contains { $0.contains("line 29") })
        for _ in 0..<40 { console.press(.up) }
        #expect(console.isStraight(size.0, size.1))
    }
}
