import Testing

@testable import APIGateway

@Suite("Initials")
struct InitialsTests {
    private func picture(_ name: String, _ seed: String = "seed") -> String {
        String(decoding: Initials.picture(of: name, seed), as: UTF8.self)
    }

    @Test(
        "two letters of a name in words, the first of one word, the last character of a Chinese name",
        arguments: [
            ("romeo", "R"), ("Romeo Montague", "RM"), ("anna maria de la cruz", "AC"), ("  x  ", "X"),
            ("\u{738B}\u{5C0F}\u{660E}", "\u{660E}"), ("Dr. \u{738B}", "\u{738B}"), ("\u{738B} Ann", "\u{738B}A"),
            ("", "?"), (" \n\t", "?"), ("\u{E9}mile zola", "\u{C9}Z"), ("7 samurai", "7S"),
            ("\u{1F1E8}\u{1F1ED} tea", "\u{1F1E8}\u{1F1ED}T"),
        ])
    func letters(_ name: String, _ expected: String) {
        #expect(Initials.letters(of: name) == expected)
    }

    @Test(
        "nothing of a name is markup",
        arguments: [
            "<script>", "& <", "\" '", "' >", "<!-- -->", "</text> </svg>", "]]> x", "&amp; &lt;",
            "\u{FE64}x \u{FF1C}y",
        ])
    func escaped(_ name: String) {
        let svg = self.picture(name)
        #expect(svg.split(separator: "<").map { $0.prefix(4) } == ["svg ", "rect", "text", "/tex", "/svg"])
        // An ampersand only ever begins one of ours.
        let ours = ["amp;", "lt;", "gt;", "quot;", "#39;"]
        for part in svg.split(separator: "&").dropFirst() {
            #expect(ours.contains { part.hasPrefix($0) }, "\(svg)")
        }
        #expect(svg.filter { $0 == "\"" } == self.picture("x").filter { $0 == "\"" })
    }

    @Test(
        "what cannot stand in XML is a question mark", arguments: ["\u{0}", "\u{1B}", "\u{7F}", "\u{9F}", "\u{FFFF}"])
    func unprintable(_ character: String) {
        #expect(self.picture(character).hasSuffix(">?</text></svg>"))
        #expect(self.picture("\(character) \u{FFFE}").hasSuffix(">??</text></svg>"))
    }

    @Test("a character made of very many scalars does not make a large picture")
    func bounded() {
        let heap = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(heap.count == 1)
        #expect(self.picture("\(heap) \(heap)").utf8.count < 500)
    }

    @Test("the colour belongs to the seed, not to the name, and stays the same")
    func colour() {
        #expect(self.picture("ann", "one") == self.picture("ann", "one"))
        #expect(self.picture("ann", "one") != self.picture("ann", "other"))
        // FNV-1a of `a` is 0xE40C292C; of the empty text, 2,166,136,261. Source: draft-eastlake-fnv, test vectors.
        #expect(self.picture("ann", "a").contains("hsl(\(0xE40C_292C % 360),"))
        #expect(self.picture("ann", "").contains("hsl(\(2_166_136_261 % 360),"))
    }
}
