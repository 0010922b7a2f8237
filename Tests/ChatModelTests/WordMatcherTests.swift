import ChatModel
import Testing

@Suite("The word list") struct WordMatcherTests {
    private static let list = WordMatcher([
        WordRule("外挂", .refuse), WordRule("damn", .mask), WordRule("amn it", .mask), WordRule("tea", .flag),
        WordRule("ＡＢＣ", .mask), WordRule("he", .flag), WordRule("she", .flag),
    ])

    @Test(
        "a word is found in every case and width, and with what nobody sees inside",
        arguments: [
            ("卖外挂", .refuse), ("外\u{200B}挂", .refuse), ("外\u{FE0F}\u{2060}挂", .refuse), ("外 挂", nil), ("外", nil),
            ("DAMN", .mask), ("Ｄａｍｎ", .mask), ("da\u{AD}mn", .mask), ("dam", nil), ("abc", .mask), ("Ｔea", .flag),
            ("", nil), ("\u{200B}", nil),
        ] as [(String, WordAction?)])
    func found(text: String, action: WordAction?) {
        #expect(Self.list.verdict(on: text).action == action)
    }

    @Test("each rule that hits is told once, in the order of the text, and the strongest decides")
    func hits() {
        let verdict = Self.list.verdict(on: "she damn tea damn 外挂")
        #expect(verdict.hits.map(\.word) == ["she", "he", "damn", "tea", "外挂"])
        #expect(verdict.refusal?.word == "外挂" && verdict.flags.map(\.word) == ["she", "he", "tea"])
        #expect(Self.list.verdict(on: "tea, damn").action == .mask)
    }

    @Test(
        "a star stands for each character that can be seen, and words that overlap are masked as one",
        arguments: [
            ("oh damn!", "oh ****!"), ("damn it", "*******"), ("d\u{200B}amn", "****"), ("damndamn", "********"),
            ("xＡbＣx", "x***x"), ("茶damn茶", "茶****茶"), ("damn, damn", "****, ****"),
        ])
    func masked(text: String, result: String) {
        #expect(Self.list.verdict(on: text).masked == result)
    }

    @Test("words that cannot be looked for have a problem and are passed over")
    func problems() {
        for word in ["", " ", "\u{200B}", "a\nb", String(repeating: "a", count: 65)] {
            #expect(WordRule(word, .refuse).problem != nil, "\(word)")
            #expect(WordMatcher([WordRule(word, .refuse)]).verdict(on: word + "a" + word).action == nil)
        }
        #expect(WordRule(String(repeating: "茶", count: 64), .refuse).problem == nil)
        #expect(WordRule("Ａ\u{200B}B", .mask).key == "ab")
    }

    @Test("of two rules with one folded word the later counts")
    func later() {
        #expect(WordMatcher([WordRule("Tea", .refuse), WordRule("tea", .flag)]).verdict(on: "TEA").action == .flag)
    }

    @Test("finds what a search word by word finds")
    func sameAsNaive() {
        var random = SystemRandomNumberGenerator()
        let letters = Array("abAｂ茶")
        func text(_ length: ClosedRange<Int>) -> String {
            String((0..<Int.random(in: length, using: &random)).map { _ in letters.randomElement(using: &random)! })
        }
        for _ in 0..<200 {
            var words: [String: WordRule] = [:]
            for _ in 0..<8 {
                let rule = WordRule(text(1...4), WordAction.allCases.randomElement(using: &random)!)
                words[rule.key] = rule
            }
            let sample = text(0...30)
            let folded = Array(WordFolding.fold(sample))
            var expected: Set<String> = []
            var stars = Set<Int>()
            for (key, rule) in words {
                let key = Array(key)
                for start in folded.indices where folded[start...].starts(with: key) {
                    expected.insert(rule.key)
                    if rule.action == .mask { stars.formUnion(start..<start + key.count) }
                }
            }
            let verdict = WordMatcher(Array(words.values)).verdict(on: sample)
            #expect(Set(verdict.hits.map(\.key)) == expected)
            let masked = String(sample.enumerated().map { stars.contains($0.offset) ? "*" : $0.element })
            #expect(verdict.masked == (stars.isEmpty ? nil : masked))
        }
    }

    @Test("ten thousand rules and a text of 64 KiB")
    func large() {
        let rules = (0..<WordRule.maximumRules).map { WordRule("词\($0)条", $0 % 2 == 0 ? .mask : .flag) }
        let matcher = WordMatcher(rules)
        let text = String(repeating: "词999词", count: 7_281) + "词9998条"
        #expect(text.utf8.count > 64 * 1024)
        let verdict = matcher.verdict(on: text)
        #expect(verdict.hits.map(\.word) == ["词9998条"])
        #expect(verdict.masked?.hasSuffix("词******") == true)
    }
}

@Suite("Registering message kinds") struct MessageKindEntryTests {
    private static func entry(_ change: (inout MessageKindEntry) -> Void = { _ in }) -> MessageKindEntry {
        var entry = MessageKindEntry(
            kind: MessageKind(rawValue: 500), name: "gift", requiredFields: ["amount"], degrade: "d", typeTitle: "红包",
            summary: "s")
        change(&entry)
        return entry
    }

    @Test("what is missing or out of its bounds is named")
    func problems() {
        #expect(Self.entry().problem == nil)
        let broken: [(String, (inout MessageKindEntry) -> Void)] = [
            ("number", { $0.kind = MessageKind(rawValue: 0) }), ("number", { $0.kind = MessageKind(rawValue: -3) }),
            ("name", { $0.name = " " }), ("version", { $0.version = 0 }), ("degrade is missing", { $0.degrade = "" }),
            ("typeTitle is missing", { $0.typeTitle = "" }), ("summary is missing", { $0.summary = "" }),
            ("typeTitle", { $0.typeTitle = String(repeating: "a", count: 65) }), ("digest", { $0.digest = "a\nb" }),
            ("required", { $0.requiredFields = ["a", "a"] }), ("required", { $0.requiredFields = [""] }),
            ("required", { $0.requiredFields = (0...32).map { "f\($0)" } }), ("files", { $0.fileFields = ["a}"] }),
        ]
        for (field, change) in broken { #expect(Self.entry(change).problem?.hasPrefix(field) == true, "\(field)") }
    }
}
