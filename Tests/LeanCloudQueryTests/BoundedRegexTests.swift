import RegularExpressions
import Testing

@testable import LeanCloudQuery

struct BoundedRegexTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let pattern: String
        let options: String
        let matching: [String]
        let failing: [String]

        init(_ pattern: String, _ options: String = "", matches matching: [String], not failing: [String]) {
            self.pattern = pattern
            self.options = options
            self.matching = matching
            self.failing = failing
        }

        var testDescription: String { "/\(self.pattern)/\(self.options)" }
    }

    private func check(_ test: Case) throws {
        let regex = try BoundedRegex(test.pattern, options: test.options)
        for text in test.matching { #expect(regex.matches(text), "\(text.debugDescription)") }
        for text in test.failing { #expect(!regex.matches(text), "\(text.debugDescription)") }
    }

    @Test(
        "literals, dots and places",
        arguments: [
            Case("", matches: ["", "a"], not: []),
            Case("b", matches: ["abc", "b"], not: ["", "a", "B"]),
            Case("abc", matches: ["xabcx", "ababc"], not: ["ab", "acb"]),
            Case("a.c", matches: ["abc", "a聊c", "a😀c"], not: ["ac", "a\nc", "abbc"]),
            Case("a.c", "s", matches: ["a\nc"], not: ["ac"]),
            Case("^ab", matches: ["abc"], not: ["cab", "c\nab"]),
            Case("^ab", "m", matches: ["abc", "c\nab"], not: ["cab"]),
            Case("ab$", matches: ["cab", "ab\n"], not: ["abc", "ab\nc", "ab\n\n"]),
            Case("ab$", "m", matches: ["cab", "ab\nc", "ab\n\n"], not: ["abc"]),
            Case("^$", matches: ["", "\n"], not: ["a", "\n\n"]),
            Case("^$", "m", matches: ["", "a\n\nb"], not: ["a", "a\n"]),
            Case("\\Aab\\z", "m", matches: ["ab"], not: ["ab\n", "c\nab"]),
            Case("ab\\Z", "m", matches: ["ab", "ab\n"], not: ["ab\nc"]),
            Case("\\bcat\\b", matches: ["cat", "a cat.", "聊cat聊"], not: ["concat", "cats", "cat_"]),
            Case("\\Bcat", matches: ["concat"], not: ["cat", "a cat"]),
            Case("a\\/b\\-c", matches: ["a/b-c"], not: []),
            Case("a{b", matches: ["a{b"], not: []),
            Case("a{,2}", matches: ["a{,2}"], not: ["aa"]),
            Case("a]b}", matches: ["a]b}"], not: []),
            Case("é", matches: ["\u{E9}"], not: ["e\u{301}"]),
            Case("👨‍👩‍👧", matches: ["a👨‍👩‍👧b"], not: ["👨👩👧"]),
            Case("\r\n", matches: ["a\r\nb"], not: ["a\nb"]),
        ])
    func simple(test: Case) throws { try self.check(test) }

    @Test(
        "quoting takes everything for itself",
        arguments: [
            Case("\\Qa.b\\E", matches: ["xa.by"], not: ["acb"]),
            Case("^\\Qa+(b\\E", matches: ["a+(bc"], not: ["xa+(b", "aa(b"]),
            Case("\\Q[x]\\E$", matches: ["a[x]"], not: ["x", "[x]a"]),
            Case("\\Qa|b", matches: ["a|b"], not: ["a", "b"]),
            Case("\\Qab\\E+", matches: ["abbb"], not: ["a b", "ba"]),
            Case("^\\Qab\\E+$", matches: ["abbb"], not: ["abab"]),
            Case("\\Qa\\E\\\\E\\Qb\\E", matches: ["a\\Eb"], not: ["ab"]),
            Case("\\Q\\E", matches: [""], not: []),
            Case("^a\\E{2}$", matches: ["aa"], not: ["a"]),
            Case("a\\Eb", matches: ["ab"], not: []),
            Case("\\Q#\\E #\\E", "x", matches: ["#"], not: ["a"]),
            Case("\\QAb\\E", "i", matches: ["aB"], not: ["a.b"]),
        ])
    func quoting(test: Case) throws { try self.check(test) }

    @Test(
        "classes",
        arguments: [
            Case("^[a-c]$", matches: ["a", "b", "c"], not: ["d", "A", "-", ""]),
            Case("^[^a-c]$", matches: ["d", "\n", "聊"], not: ["a", ""]),
            Case("^[-a]$", matches: ["-", "a"], not: ["b"]),
            Case("^[a-]$", matches: ["-", "a"], not: ["b"]),
            Case("^[]a]$", matches: ["]", "a"], not: ["b"]),
            Case("^[^]a]$", matches: ["b"], not: ["]", "a"]),
            Case("^[a-c-e]$", matches: ["b", "-", "e"], not: ["d"]),
            Case("^[\\d-x]$", matches: ["5", "-", "x"], not: ["w"]),
            Case("^[\\]\\\\]$", matches: ["]", "\\"], not: ["a"]),
            Case("^[.*+?(|]$", matches: [".", "*", "|"], not: ["a"]),
            Case("^[\\Qa-c\\E]$", matches: ["a", "-", "c"], not: ["b"]),
            Case("^[a\\b]$", matches: ["\u{8}", "a"], not: ["b", ""]),
            Case("[\u{4e00}-\u{9fa5}]", matches: ["chat 聊天"], not: ["chat", "かな", ""]),
            Case("[\\u4e00-\\u9fa5]", matches: ["天"], not: ["chat"]),
            Case("[\\u{4e00}-\\u{9fa5}]", matches: ["天"], not: ["chat"]),
            Case("[\\x{4e00}-\\x{9fa5}]", matches: ["天"], not: ["chat"]),
            Case("^[\\ud83d\\ude00-\\ud83d\\ude4f]$", matches: ["😀", "😎"], not: ["a", "🚀"]),
            Case("^\\d\\D$", matches: ["1a", "1聊"], not: ["11", "aa", "１a"]),
            Case("^\\w\\W$", matches: ["_ ", "a聊"], not: ["aa", "聊a"]),
            Case("^\\s\\S$", matches: [" a", "\ta", "\u{B}a"], not: ["aa", "\u{3000}a"]),
            Case("^[\\s\\S]$", matches: ["\n", "a", "聊"], not: [""]),
            Case("^[^\\W_]+$", matches: ["ab9"], not: ["a_b", "聊"]),
            Case("^\\h\\v\\H\\V$", matches: ["\u{3000}\u{2028}ab"], not: ["a\nab", "  ab"]),
            Case("^\\p{L}\\PL\\p{N}$", matches: ["聊 9", "a-Ⅳ"], not: ["9 9", "aa9"]),
            Case("^\\p{Han}+$", matches: ["聊天〇々", "𠀀"], not: ["聊a", "かな", ""]),
            Case("^\\P{Han}\\p{^Han}[\\P{Han}]$", matches: ["abか"], not: ["a聊b"]),
            Case("^\\p{Script=Han}\\p{IsHan}$", matches: ["聊天"], not: ["ab"]),
            Case("^[\\p{Lu}\\d]+$", matches: ["AÉ9"], not: ["a", "é"]),
            Case("^\\x41\\x{1F600}\\u0042\\u{43}\\t\\0\\cA\\e$", matches: ["A😀BC\t\0\u{1}\u{1B}"], not: [""]),
            Case("^[[a]$", matches: ["[", "a"], not: ["b"]),
            Case("^[a[:b]$", matches: ["[", ":", "b"], not: ["c"]),
        ])
    func classes(test: Case) throws { try self.check(test) }

    @Test(
        "groups, alternatives and repetitions",
        arguments: [
            Case("^(?:cat|dog)s?$", matches: ["cat", "dogs"], not: ["cats!", "cow"]),
            Case("^(a|b|)c$", matches: ["ac", "bc", "c"], not: ["dc"]),
            Case("a|^b$|c", matches: ["xa", "b", "xcx"], not: ["xb", ""]),
            Case("^ab*c$", matches: ["ac", "abbbc"], not: ["a", "abb"]),
            Case("^ab+?c$", matches: ["abc", "abbc"], not: ["ac"]),
            Case("^ab??c$", matches: ["abc", "ac"], not: ["abbc"]),
            Case("^a{3}$", matches: ["aaa"], not: ["aa", "aaaa"]),
            Case("^a{2,}$", matches: ["aa", "aaaaa"], not: ["a"]),
            Case("^a{2,3}?$", matches: ["aa", "aaa"], not: ["a", "aaaa"]),
            Case("^a{0}b$", matches: ["b"], not: ["ab"]),
            Case("^(ab){2}$", matches: ["abab"], not: ["ab", "ababab"]),
            Case("^(a{2}){2}$", matches: ["aaaa"], not: ["aaa", "aaaaa"]),
            Case("^(a|ab)(c|bcd)(d*)$", matches: ["abcd", "acd"], not: ["abd"]),
            Case("^(?<year>\\d{4})-(?P<m>\\d\\d)-(?'d'\\d\\d)$", matches: ["2026-11-21"], not: ["2026-1-21"]),
            Case("^()*a$", matches: ["a"], not: ["b"]),
            Case("^(){1000}a$", matches: ["a"], not: ["b"]),
            Case("^(a*)*$", matches: ["", "aaa"], not: ["b"]),
            Case("^(a*)+b$", matches: ["b", "aab"], not: ["aa"]),
            Case("^(|a)+b$", matches: ["b", "aab"], not: ["aa"]),
            Case("(^a|b)c", matches: ["ac", "xbc"], not: ["xac"]),
            Case("(a|b$)", matches: ["xaz", "zb"], not: ["bz"]),
            Case("^^a$$", matches: ["a"], not: ["b"]),
            Case("(?:^)*a", matches: ["ba"], not: ["b"]),
            Case("^a(?#a comment)b$", matches: ["ab"], not: ["a"]),
        ])
    func groups(test: Case) throws { try self.check(test) }

    @Test(
        "options, outside and inside",
        arguments: [
            Case("straße", "i", matches: ["STRAßE", "straẞe"], not: ["STRASSE"]),
            Case("^[a-c]$", "i", matches: ["B"], not: ["D"]),
            Case("^[^a-c]$", "i", matches: ["D"], not: ["B", "b"]),
            Case("σας", "i", matches: ["ΣΑΣ", "σασ"], not: ["ΣΑ"]),
            Case("ПРИВЕТ", "i", matches: ["привет"], not: ["приве"]),
            Case("k", "i", matches: ["K", "\u{212A}"], not: ["c"]),
            Case("i", "i", matches: ["I"], not: ["\u{131}", "\u{130}"]),
            Case("^[À-Ö]$", "i", matches: ["é", "É"], not: ["e"]),
            Case("^[ẞſ\\x{212A}]+$", "i", matches: ["ßsSkK"], not: ["a"]),
            Case("^\\p{Lu}$", "i", matches: ["A"], not: ["a"]),
            Case("(?i)AB", matches: ["ab"], not: ["a"]),
            Case("^a(?i)b$", matches: ["aB", "ab"], not: ["AB"]),
            Case("^(?:a(?i)b)c$", matches: ["aBc"], not: ["aBC", "ABc"]),
            Case("^(?i:a)b$", matches: ["Ab"], not: ["AB"]),
            Case("^a(?-i)b$", "i", matches: ["Ab"], not: ["AB"]),
            Case("^(a(?i)b|c)$", matches: ["aB", "C"], not: ["AB"]),
            Case("^(?s).$", matches: ["\n"], not: [""]),
            Case("(?m)^b", matches: ["a\nb"], not: ["ab"]),
            Case("^(?is-m:A.B)$", matches: ["a\nb"], not: ["c\na\nb"]),
            Case("a b # comment\nc", "x", matches: ["abc"], not: ["a b c"]),
            Case("a\\ b[ ]c +", "x", matches: ["a b cc"], not: ["ab c"]),
            Case("(?x) a b", matches: ["ab"], not: ["a b"]),
        ])
    func options(test: Case) throws { try self.check(test) }

    @Test(
        "what cannot be matched in linear time, and what is unknown, is refused by name",
        arguments: [
            ("(a)\\1", "a backreference"), ("(?<n>a)\\k<n>", "a backreference"), ("\\g1", "a backreference"),
            ("(?P<n>a)(?P=n)", "a backreference"), ("(?=a)", "a look-ahead"), ("(?!a)", "a look-ahead"),
            ("(?<=a)b", "a look-behind"), ("(?<!a)b", "a look-behind"), ("(?>a)", "an atomic group"),
            ("a++", "a possessive repetition"), ("a*+", "a possessive repetition"),
            ("a{2}+", "a possessive repetition"),
            ("(?R)", "a recursion"), ("(?1)", "a recursion"), ("(?(1)a|b)", "a conditional group"),
            ("(?|a|b)", "a branch reset"), ("[[:alpha:]]", "a POSIX class"), ("[a[:^digit:]]", "a POSIX class"),
            ("\\p{Greek}", "the property \"Greek\""), ("\\p", "the property"), ("\\p{L", "not closed"),
            ("(", "a group is not closed"), ("(?", "a group is not closed"), ("(?i", "a group is not closed"),
            (")", "closes no group"), ("a)b", "closes no group"), ("[a", "a class is not closed"),
            ("[]", "a class is not closed"), ("[", "a class is not closed"), ("[a-", "a class is not closed"),
            ("[z-a]", "ends below its start"), ("a{3,2}", "ends below its start"), ("*a", "nothing to repeat"),
            ("a|+", "nothing to repeat"), ("a|{2}", "nothing to repeat"), ("(?:?)", "nothing to repeat"),
            ("(*VERB)", "nothing to repeat"),
            ("a**", "repeated without a group"), ("a{2}{3}", "repeated without a group"), ("a\\", "a backslash"),
            ("[\\", "a backslash"), ("\\y", "the escape \"\\y\" is unknown"),
            ("[\\z]", "the escape \"\\z\" is unknown"),
            ("\\u12", "hexadecimal"), ("\\x{}", "hexadecimal"), ("\\x{110000}", "hexadecimal"),
            ("\\ud800", "no character"), ("\\ud800\\u0041", "no character"), ("\\c", "without a letter"),
            ("(?z)", "the group \"(?z\" is unknown"), ("(?<>a)", "no name"), ("(?<n", "no name"),
        ])
    func refusals(pattern: String, expected: String) throws {
        let error = try #require(throws: PatternError.self) { try BoundedRegex(pattern) }
        #expect(error.reason.contains(expected))
    }

    @Test("the bounds of patterns, states and groups")
    func bounds() throws {
        func states(_ pattern: String) throws -> Int { try BoundedRegex(pattern).stateCount }
        #expect(try states(String(repeating: "a", count: 1024)) == 1025)
        #expect(throws: PatternError.self) { try BoundedRegex(String(repeating: "a", count: 1025)) }
        #expect(try states("a{4095}") == 4096)
        #expect(throws: PatternError.self) { try BoundedRegex("a{4096}") }
        #expect(throws: PatternError.self) { try BoundedRegex("((a{100}){100}){100}") }
        #expect(throws: PatternError.self) { try BoundedRegex("a{99999999999999999999}") }
        #expect(throws: PatternError.self) { try BoundedRegex("a{0,99999999999999999999}") }
        #expect(try states("(((){1000000}){1000000}){1000000}") == 1)
        #expect(try states("((a{0}){1000000}){1000000}") == 1)
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + String(repeating: ")", count: depth)
        }
        #expect(try states(nested(64)) == 1)
        #expect(throws: PatternError.self) { try BoundedRegex(nested(65)) }
        #expect(throws: PatternError.self) { try BoundedRegex("a", options: "ig") }
    }

    @Test(
        "patterns that ruin engines which go back cost at most two steps for each state and place",
        arguments: [
            ("(a+)+$", "a", "b", false), ("(a|a)*b", "a", "", false), ("(x*)*y", "x", "", false),
            ("^(([a-z])+.)+[A-Z]([a-z])+$", "a", "", false), ("(.*)*(.*)*(.*)*z", "a", "", false),
            ("(a?){50}a{50}$", "a", "", true), ("(.*a){20}b", "a", "", false), ("((((a*)*)*)*)*b", "a", "", false),
            ("(a|b|ab)*c", "ab", "", false), ("\\b(\\w+\\s?)*$", "ab ", "!", false),
            ("(?i)([A-Z]+)*1", "ſé", "", false),
        ])
    func catastrophes(pattern: String, unit: String, end: String, isMatch: Bool) throws {
        let regex = try BoundedRegex(pattern)
        let text = String(repeating: unit, count: 10_000 / unit.unicodeScalars.count) + end
        let places = text.unicodeScalars.count + 1
        #expect(places > 9_900)
        var effort = QueryEffort(steps: 2 * regex.stateCount * places)
        let isFound = effort.matches(regex, text)
        #expect(isFound == isMatch)
        #expect(!effort.isSpent)
    }

    @Test("a pattern that starts at the start does not walk through the text")
    func anchored() throws {
        let regex = try BoundedRegex("^\\Qab\\E")
        var effort = QueryEffort(steps: 20)
        let isFound = effort.matches(regex, String(repeating: "b", count: 10_000))
        #expect(!isFound)
        #expect(!effort.isSpent)
    }

    @Test("memory of one match does not show in the next")
    func reuse() throws {
        let long = try BoundedRegex("^(a{0,50}b|c)*$")
        let short = try BoundedRegex("^ab$")
        var effort = QueryEffort(steps: 1_000_000)
        for _ in 0..<3 {
            let found = [
                effort.matches(long, "aabaaabc"), effort.matches(short, "a"), effort.matches(short, "ab"),
                effort.matches(long, "aabaaa"),
            ]
            #expect(found == [true, false, true, false])
        }
    }
}
