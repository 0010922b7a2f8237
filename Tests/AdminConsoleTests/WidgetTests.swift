import AdminAPI
import AdminConsole
import ChatModel
import Testing

private struct Row: TableRow {
    var rowID: Int
    var name: String
    var size: Int64 = 0

    var searchTexts: [String] { [self.name] }
}

private let look = Look(
    texts: { key, values in values.isEmpty ? key : "\(key) \(values.values.sorted())" }, time: { _ in "" })

@Suite("Tables") struct TableTests {
    private func table(_ rows: [Row]) -> TableView<Row> {
        var table = TableView<Row>([
            TableColumn("NAME") { row, _ in row.name },
            TableColumn("SIZE", width: 6, isOnTheRight: true, order: { .number($0.size) }) { row, _ in String(row.size)
            },
        ])
        table.setHeight(3)
        table.replace(rows, look)
        return table
    }

    private let people = [
        Row(rowID: 1, name: "张小明", size: 20), Row(rowID: 2, name: "lan", size: 3),
        Row(rowID: 3, name: "Zoë", size: 100),
        Row(rowID: 4, name: "anna", size: 7),
    ]

    @Test("columns line up under Chinese names, the cursor's row is marked, and what does not fit is left out")
    func lines() {
        let table = self.table(self.people)
        #expect(
            table.lines(width: 20, look).map(\.text) == [
                "  NAME          SIZE", "> 张小明          20", "  lan              3", "  Zoë            100",
            ])
    }

    @Test("the cursor and the marks stay on their objects while rows come, change and go")
    func sticks() {
        var table = self.table(self.people)
        table.move(.down, look)
        table.move(.mark, look)
        #expect(table.current?.rowID == 3)
        table.replace([Row(rowID: 9, name: "new")] + self.people.reversed(), look)
        #expect(table.current?.rowID == 3)
        #expect(table.targets.map(\.rowID) == [2])
        table.replace([self.people[0], self.people[3]], look)
        #expect(table.targets.map(\.rowID) == [table.current?.rowID])
    }

    @Test("a range is marked, everything shown is marked, marks are cleared")
    func marks() {
        var table = self.table(self.people)
        table.move(.down, look)
        table.move(.range, look)
        table.move(.last, look)
        #expect(table.targets.map(\.rowID) == [2, 3, 4])
        table.move(.range, look)
        table.move(.first, look)
        #expect(table.targets.map(\.rowID) == [2, 3, 4])
        table.move(.unmark, look)
        #expect(table.targets.map(\.rowID) == [1])
        table.setFilter("an", look)
        table.move(.markAll, look)
        table.setFilter("", look)
        #expect(table.targets.map(\.rowID) == [2, 4])
    }

    @Test("sorting by numbers, the other way round, with an arrow in the heading")
    func sorts() {
        var table = self.table(self.people)
        table.move(.nextColumn, look)
        table.move(.nextColumn, look)
        #expect(table.shownRows.map(\.size) == [3, 7, 20, 100])
        table.move(.invert, look)
        #expect(table.shownRows.map(\.size) == [100, 20, 7, 3])
        #expect(table.lines(width: 20, look)[0].text == "  NAME        SIZE ↓")
        #expect(table.current?.rowID == 1)
    }

    @Test(
        "a filter is text, not that text, a pattern, or the initials of Chinese names",
        arguments: [
            ("zo", [3]), ("!an", [1, 3]), ("re:^.{3}$", [1, 2, 3]), ("!re:an", [1, 3]), ("zxm", [1]), ("小明", [1]),
            ("re:(", [1, 2, 3, 4]), ("re:ZO", [3]),
            ("re:(a)\\1", [1, 2, 3, 4]), ("nobody", []), ("", [1, 2, 3, 4]), ("re:", [1, 2, 3, 4]),
        ])
    func filters(_ text: String, _ ids: [Int]) {
        var table = self.table(self.people)
        table.setFilter(text, look)
        #expect(table.shownRows.map(\.rowID) == ids)
    }

    @Test("the next match of the last filter, when all are shown again, comes round at the end")
    func matches() {
        var table = self.table(self.people)
        table.move(.nextMatch, look)
        #expect(table.current?.rowID == 1)
        table.setFilter("an", look)
        table.setFilter("", look)
        table.move(.first, look)
        table.move(.nextMatch, look)
        #expect(table.current?.rowID == 2)
        table.move(.nextMatch, look)
        #expect(table.current?.rowID == 4)
        table.move(.nextMatch, look)
        #expect(table.current?.rowID == 2)
        table.move(.previousMatch, look)
        #expect(table.current?.rowID == 4)
    }

    @Test("hidden columns are neither shown nor sorted by, and one stays")
    func hidden() {
        var table = self.table(self.people)
        table.hide(columns: [0])
        #expect(table.lines(width: 20, look)[0].text == "    SIZE")
        table.move(.nextColumn, look)
        #expect(table.shownRows.map(\.size) == [3, 7, 20, 100])
        table.hide(columns: [0, 1])
        #expect(table.columnChoices.map(\.isShown) == [false, true])
    }

    @Test("a click goes to the row that is shown there")
    func click() {
        var table = self.table(self.people)
        table.move(.last, look)
        table.move(.to(row: 1), look)
        #expect(table.current?.rowID == 2)
        table.move(.to(row: 0), look)
        #expect(table.current?.rowID == 2)
    }
}

@Suite("What is typed") struct TypingTests {
    private func typed(_ keys: [Key], into text: String = "") -> String {
        var field = TextField(text)
        for key in keys { _ = field.press(key) }
        return field.text
    }

    @Test("letters of an input method, accents that come alone, and the editing keys")
    func edits() {
        #expect(self.typed([.character("茶"), .character("馆"), .left, .character("x")]) == "茶x馆")
        #expect(Array(self.typed([.character("e"), .character("\u{301}")])).count == 1)
        #expect(self.typed([.control("w")], into: "one two") == "one ")
        #expect(self.typed([.home, .delete, .end, .backspace], into: "abcd") == "bc")
        #expect(self.typed([.left, .control("u")], into: "abcd") == "d")
        #expect(self.typed([.home, .control("k")], into: "abcd") == "")
    }

    @Test("the part with the cursor is shown, secrets as dots")
    func shown() {
        #expect(TextField("茶馆里的故事").shown(width: 6).text == "故事  ")
        #expect(TextField("abc", isSecret: true).shown(width: 5).text == "•••  ")
        #expect(TextField("\u{1B}").shown(width: 8).text == "\\u001b  ")
    }
}

@Suite("The lines of a form for a shell") struct FormLineTests {
    private let tea = ChannelName("tea")!
    private let people = ["lan", "ming"].map { UserName($0)! }

    private func muting(_ minutes: String) -> Form {
        Form("mute", [Form.Field("minutes", minutes)]) { [tea, people] values in
            let requests = people.map { AdminRequest.teams(.mute(tea, $0, true, minutes: Int64(values[0]))) }
            return [.perform(OperatorAction(requests, done: ""))]
        }
    }

    @Test("are those of all the requests that its values make")
    func requests() {
        #expect(self.muting("").commands == [["team", "mute", "tea", "lan"], ["team", "mute", "tea", "ming"]])
        #expect(self.muting("5").commands.last == ["team", "mute", "tea", "ming", "--minutes", "5"])
    }

    @Test("a question has one too, and a word stands for a name that is missing")
    func questions() {
        let form = Form("test", [Form.Field("text")], placeholder: "TEXT") { [.ask(.words(.test($0[0])), purpose: 0)] }
        #expect(form.commands == [["word", "test", "TEXT"]])
        let silent = Form("find", [Form.Field("text")]) { [.give($0, purpose: 0)] }
        #expect(silent.commands.isEmpty)
    }
}

@Suite("The command line") struct CommandLineTests {
    private func line(_ text: String, _ keys: Key...) -> CommandLine {
        var line = CommandLine(root: Samples.commands)
        for character in text { _ = line.press(.character(character)) }
        for key in keys { _ = line.press(key) }
        return line
    }

    @Test(
        "Tab completes from the table of ctl",
        arguments: [("us", "user "), ("user a", "user add "), ("user add --r", "user add --role "), ("sta", "status ")])
    func completes(_ typed: String, _ completed: String) {
        #expect(self.line(typed, .tab).field.text == completed)
    }

    @Test("the candidates are shown")
    func candidates() {
        #expect(self.line("").candidates == ["user", "status"])
        #expect(self.line("user ").candidates == ["add", "list"])
        #expect(self.line("user add --role ").candidates == ["member", "admin"])
    }

    @Test("words are cut as a shell does, and the program's own name may stand before them")
    func runs() {
        var line = self.line("teahouse ctl user add 'xiao ming' --x=\"a b\" c\\ d")
        let outcome = line.press(.enter)
        #expect(outcome == .run(["user", "add", "xiao ming", "--x=a b", "c d"]))
        var empty = self.line("")
        let nothing = empty.press(.enter)
        #expect(nothing == .cancelled)
    }
}

@Suite("Sparklines") struct SparklineTests {
    @Test("the newest is at the right, the highest fills its cell, many values share cells")
    func text() {
        #expect(Sparkline.text([0, 1, 7], width: 10) == "▁▂█")
        #expect(Sparkline.text([0, 0, 0, 7], width: 2) == "▁█")
        #expect(Sparkline.text([], width: 5) == "")
        #expect(Sparkline.text([0, 0], width: 5) == "▁▁")
    }
}
