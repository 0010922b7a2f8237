import Testing

@testable import Search

@Suite("Folded text")
struct FoldedTextTests {
    private static func fold(_ text: String) -> String { String(decoding: FoldedText(text).bytes, as: UTF8.self) }

    @Test(
        "is small letters of ordinary width, in runs",
        arguments: [
            ("", " "), ("  ,.!?  ", " "), ("Hello, World!", " hello world "), ("今天下雨", " 今天下雨 "),
            ("今天，下雨。", " 今天 下雨 "), ("用iPhone15拍的", " 用 iphone15 拍的 "), ("ＡＢＣ１２３", " abc123 "),
            ("Café CAFE\u{301}", " cafe cafe "), ("Ｅ\u{301}te\u{301}", " ete "), ("Straße", " strasse "),
            ("ΣΟΦΟΣ σοφος", " σοφοσ σοφοσ "), ("Ёлка", " елка "), ("İstanbul", " istanbul "), ("ﾊﾟｰﾃｨｰ", " パーティー "),
            ("ｶﾞｷﾞ か\u{3099}", " ガギ が "), ("ウ\u{3099}ヅ", " ヴヅ "), ("好👍🏽吃", " 好👍吃 "), ("👨‍👩‍👧 ok", " 👨👩👧 ok "),
            ("❤️", " ❤ "), ("a_b-c@d.e", " a b c d e "), ("한국어 test", " 한국어 test "), ("ภาษาไทย", " ภาษาไทย "),
            ("line one\nline two", " line one line two "), ("C++ 3.14", " c 3 14 "), ("co\u{AD}operate", " cooperate "),
            ("Đặng Văn", " đang van "),
        ])
    func folds(_ text: String, _ folded: String) { #expect(Self.fold(text) == folded) }

    @Test("is the same when it is folded again")
    func twice() {
        for text in ["用iPhone15拍的", "Café ﾊﾟｰﾃｨｰ 👍🏽", "ΣΟΦΟΣ Straße"] {
            #expect(Self.fold(Self.fold(text)) == Self.fold(text))
        }
    }

    @Test("ends at its bound, with a whole run")
    func bound() {
        let long = FoldedText(String(repeating: "字", count: 100_000))
        #expect(long.bytes.count >= FoldedText.maximumBytes)
        #expect(long.bytes.count < FoldedText.maximumBytes + 8)
        #expect(long.bytes.last == UInt8(ascii: " "))
        #expect(long.runs.allSatisfy { $0.isChain && $0.scalars.count <= FoldedText.maximumRunScalars })
    }
}

@Suite("Entries of the index")
struct TokensTests {
    @Test(
        "are beginnings of words, characters and pairs",
        arguments: [
            ("下雨", ["下", "雨", "下雨"]), ("下雨了", ["下", "雨", "了", "下雨", "雨了"]), ("a", ["a"]), ("ok", ["ok"]),
            ("hello", ["he", "hel", "hell", "hello"]), ("好👍", ["好", "👍", "好👍"]),
            (
                "internationalization",
                ["in", "int", "inte", "inter", "intern", "internat", "internatio", "internationa", "internationaliza"]
            ),
        ])
    func entries(_ text: String, _ entries: [String]) {
        #expect(Tokens.entries(of: FoldedText(text)) == Set(entries))
    }
}

@Suite("Words of a query")
struct SearchTermsTests {
    @Test(
        "are found by beginnings of words and anywhere in chains",
        arguments: [
            ("world", "Hello, World!", true), ("wor", "Hello, World!", true), ("orld", "Hello, World!", false),
            ("下雨", "今天下雨了", true), ("雨", "今天下雨了", true), ("天雨", "今天下雨了", false), ("今天雨", "今天下雨", false),
            ("今天 下雨", "下雨的今天", true), ("cafe", "Un café", true), ("CAFÉ", "un cafe", true), ("１５", "iPhone 15", true),
            ("iphone手机", "手机是 iPhone", true), ("👍", "好的👍🏽", true), ("👎", "好的👍🏽", false), ("a", "a b", true),
            ("a", "ab", false), ("internationally", "internationalization", false),
            ("internationali", "internationalization", true), ("下雨天气", "下雨 雨天 天气", false),
        ])
    func match(_ query: String, _ text: String, _ isFound: Bool) throws {
        let terms = try SearchTerms(query)
        let folded = FoldedText(text)
        #expect(terms.match(folded) == isFound)
        // The index proposes at least what is found.
        let entries = Tokens.entries(of: folded)
        if isFound { #expect(terms.terms.allSatisfy { $0.entries.isSubset(of: entries) }) }
    }

    @Test("have a bound each")
    func bounds() throws {
        #expect(throws: SearchTermsError.tooLong) { try SearchTerms(String(repeating: "字", count: 101)) }
        #expect(throws: SearchTermsError.tooManyTerms) {
            try SearchTerms((0..<17).map { "w\($0)" }.joined(separator: " "))
        }
        #expect(try SearchTerms("a a a").terms.count == 1)
        #expect(try SearchTerms(" \"; -- % _ * ").isEmpty)
    }

    @Test("reach FTS5 as letters, digits and symbols alone")
    func indexQuery() throws {
        #expect(
            try SearchTerms("\"a* OR b:c NEAR(x)\"").indexQuery
                == "\"near\" AND \"or\" AND \"x\" AND \"c\" AND \"b\" AND \"a\"")
    }
}

@Suite("Snippets")
struct SnippetTests {
    private static func marked(_ text: String, _ query: String) throws -> String {
        let snippet = Snippet(of: text, try SearchTerms(query))
        let units = Array(snippet.text.utf16)
        var marked = ""
        var at = 0
        for match in snippet.matches {
            marked += String(decoding: units[at..<match.start], as: UTF16.self)
            marked += "[" + String(decoding: units[match.start..<(match.start + match.length)], as: UTF16.self) + "]"
            at = match.start + match.length
        }
        return marked + String(decoding: units[at...], as: UTF16.self)
    }

    @Test(
        "mark what was found, where it stands in the text",
        arguments: [
            ("Hello, World!", "wor", "Hello, [Wor]ld!"), ("今天下雨了，明天也下雨", "下雨", "今天[下雨]了，明天也[下雨]"),
            ("👨‍👩‍👧 说 Café", "caf", "👨‍👩‍👧 说 [Caf]é"), ("用iPhone拍的", "iphone 拍", "用[iPhone][拍]的"),
            ("ＡＢＣ def", "abc de", "[ＡＢＣ] [de]f"), ("下雨雨", "雨", "下[雨][雨]"), ("one\ntwo", "two", "one [two]"),
            ("a b a", "a", "[a] b [a]"), ("no words", "", "no words"),
        ])
    func marks(_ text: String, _ query: String, _ marked: String) throws {
        #expect(try Self.marked(text, query) == marked)
    }

    @Test("are cut around the first match")
    func cut() throws {
        let text = String(repeating: "x ", count: 500) + "needle" + String(repeating: " y", count: 500)
        let snippet = Snippet(of: text, try SearchTerms("needle"))
        #expect(snippet.text.unicodeScalars.count == Snippet.maximumCharacters)
        #expect(snippet.matches == [Snippet.Match(start: 30, length: 6)])
    }
}

@Suite("Cursors of results")
struct SearchCursorTests {
    @Test(
        "are read again as they were written",
        arguments: [SearchCursor.sequence(0), .sequence(.max), .document(generation: 4_294_967_295, number: 1_000_000)])
    func again(_ cursor: SearchCursor) { #expect(SearchCursor(cursor.text) == cursor) }

    @Test("are nothing else", arguments: ["", "s", "x1", "s-1", "d1", "d1.", "d1.2.3", "s1.2", "s!", "d.1"])
    func others(_ text: String) { #expect(SearchCursor(text) == nil) }
}
