import AdminConsole
import ChatModel
import Testing

@Suite("Text in cells") struct TextTests {
    @Test(
        "what terminals do not agree on is drawn simply",
        arguments: [
            ("romeo", "romeo"), ("张小明", "张小明"), ("👨‍👩‍👧 family", "👨 family"), ("❤️", "❤"), ("🇨🇳 home", "CN home"),
            ("👍🏽", "👍"), ("e\u{301}", "e\u{301}"), ("\u{1B}[31mred", "\\u001b[31mred"), ("a\u{202E}b", "a\\u202eb"),
            ("ᄒ\u{1161}", "ᄒ\u{1161}"),
        ])
    func drawable(_ text: String, _ drawn: String) {
        #expect(Array(Cells.drawable(text).unicodeScalars) == Array(drawn.unicodeScalars))
    }

    @Test(
        "a text is cut and filled to cells, never inside a character",
        arguments: [(6, "茶馆… "), (7, "茶馆大…"), (8, "茶馆大厅"), (9, "茶馆大厅 "), (1, "…"), (0, "")])
    func fitted(_ width: Int, _ text: String) {
        #expect(Cells.fitted("茶馆大厅", to: width) == text)
    }

    @Test("lines break at spaces, and inside words that are too long")
    func wraps() {
        #expect(Cells.wrapped("one two three", to: 7) == ["one two", "three"])
        #expect(Cells.wrapped("茶馆里的故事", to: 5) == ["茶馆", "里的", "故事"])
        #expect(Cells.wrapped("", to: 5) == [""])
    }

    @Test(
        "Chinese names are listed under the letter of their pinyin",
        arguments: [
            ("张三", "Z"), ("阿兰", "A"), ("李四", "L"), ("romeo", "R"), ("Zoë", "Z"), ("7up", "#"), ("山田", "S"),
            ("김철수", "#"),
            ("", "#"), ("欧阳", "O"), ("重庆", "Z"), ("座", "Z"), ("啊", "A"), ("八", "B"), ("翁", "W"), ("夕", "X"),
        ])
    func section(_ name: String, _ letter: Character) {
        #expect(PinyinInitial.section(of: name) == letter)
    }

    @Test("initials are what people type")
    func spelling() {
        #expect(PinyinInitial.spelling(of: "张小明") == "zxm")
        #expect(PinyinInitial.spelling(of: "Ming 明") == "ming m")
    }
}

@Suite("Lines") struct LineTests {
    @Test("a line is cut and filled over its pieces")
    func fitted() {
        let line = Line("茶馆", .title) + Line(" teahouse", .dim)
        #expect(line.width == 13)
        #expect(line.fitted(to: 15).text == "茶馆 teahouse  ")
        #expect(line.fitted(to: 8).text == "茶馆 te…")
        #expect(line.fitted(to: 4).text == "茶… ")
        #expect(line.fitted(to: 13).text == "茶馆 teahouse")
        #expect(line.fitted(to: 0).text == "")
    }

    @Test("two ends share a row, and the left one gives way")
    func spread() {
        #expect(Line.spread(Line("left"), Line("right"), width: 12).text == "left   right")
        #expect(Line.spread(Line("a long left"), Line("right"), width: 10).text == "a lo…right")
        #expect(Line.spread(Line("left"), Line("right"), width: 3).text == "ri…")
    }

    @Test("a box lies over the middle")
    func box() {
        let page = Picture(lines: Array(repeating: Line("茶馆茶馆茶馆茶馆茶"), count: 5))
        let covered = page.covered(by: Picture(lines: [Line("hello")]), title: "T", width: 6)
        #expect(
            covered.lines.map(\.text) == [
                "茶馆茶馆茶馆茶馆茶", "茶馆┌ T ─────┐馆茶", "茶馆│ hello  │馆茶", "茶馆└────────┘馆茶", "茶馆茶馆茶馆茶馆茶",
            ])
    }
}
