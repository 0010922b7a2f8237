import CommandLineKit
import Testing

@Suite("What a terminal shows") struct DisplayTests {
    @Test(
        "cells as terminals count them",
        arguments: [
            ("romeo", 5), ("张三", 4), ("ﾊﾝ", 2), ("한글", 4), ("（全）", 6), ("e\u{301}", 1), ("🍵", 2), ("👨‍👩‍👧", 2), ("❤️", 2),
            ("🇨🇳", 2), ("", 0), ("ｶﾞ", 2), ("é", 1), ("…", 1), ("𠮷", 2),
        ])
    func width(_ text: String, _ cells: Int) {
        #expect(displayWidth(of: text) == cells)
    }

    @Test(
        "what a terminal would obey becomes visible",
        arguments: [
            ("\u{1B}[2J", "\\u001b[2J"), ("\u{1B}]52;c;eA==\u{7}", "\\u001b]52;c;eA==\\u0007"),
            ("\u{9B}31m", "\\u009b31m"), ("a\u{202E}cod.exe", "a\\u202ecod.exe"), ("a\u{200B}b", "a\\u200bb"),
            ("two\nlines\tand\r", "two\\nlines\\tand\\r"), ("\u{E0041}", "\\udb40\\udc41"), ("张三", "张三"),
            ("👨‍👩‍👧", "👨‍👩‍👧"), ("a\u{200D}b", "a\\u200db"), ("\u{7F}", "\\u007f"), ("plain", "plain"),
        ])
    func escapes(_ text: String, _ shown: String) {
        #expect(DisplayText.escaped(text) == shown)
    }

    @Test("a tower of accents is cut")
    func zalgo() {
        let tower = "a" + String(repeating: "\u{301}", count: 1000) + "b"
        #expect(DisplayText.escaped(tower).unicodeScalars.count == 7)
    }

    @Test("a cell is cut by width, never inside a character", arguments: [(4, "张三"), (3, "张…"), (2, "…"), (1, "…")])
    func cut(_ width: Int, _ shown: String) {
        #expect(DisplayText.cell("张三", width: width) == shown)
    }

    @Test("JSON stays the same value with what a terminal obeys escaped")
    func json() {
        #expect(DisplayText.escapedJSON("{\"a\":\"\u{9B}\u{202E}张\"}\n") == "{\"a\":\"\\u009b\\u202e张\"}\n")
    }

    @Test("columns line up under Chinese names")
    func table() {
        var table = Table([Table.Column("NAME"), Table.Column("N", .right), Table.Column("TITLE", maximumWidth: 6)])
        table.add(["张三", "7", "ok"])
        table.add(["romeo", "1200", "a long title"])
        table.add(["\u{1B}c", "", ""])
        #expect(
            table.text == """
                NAME        N  TITLE
                张三        7  ok
                romeo    1200  a lon…
                \\u001bc

                """)
    }
}
