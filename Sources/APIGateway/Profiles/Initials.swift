import ByteCodec

/// A picture for who has none: up to two letters of the name on a colour of their own.
enum Initials {
    /// An SVG. The letters are escaped; nothing else of it comes from people.
    ///
    /// - Parameter seed: decides the colour, the same for the same text.
    static func picture(of name: String, _ seed: String) -> [UInt8] {
        // FNV-1a: the same colour on every day and machine.
        let hash = seed.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let hue = hash % 360
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96">\
            <rect width="96" height="96" fill="hsl(\(hue),45%,45%)"/>\
            <text x="48" y="50" fill="#fff" font-family="sans-serif" font-size="40" text-anchor="middle" \
            dominant-baseline="central">\(Self.shown(name))</text></svg>
            """
        return Array(svg.utf8)
    }

    /// The last character of a Chinese name, as people are called; otherwise the first letters of the first and the last
    /// word.
    static func letters(of name: String) -> String {
        let words = name.split(whereSeparator: \.isWhitespace)
        guard let first = words.first?.first, let last = words.last?.last else { return "?" }
        if Self.isHan(last) { return String(last) }
        guard words.count > 1, let second = words.last?.first else { return String(first).uppercased() }
        return (String(first) + String(second)).uppercased()
    }

    /// Letters as they stand in the picture; of a character with many accents the first 16 scalars.
    private static func shown(_ name: String) -> String {
        var letters = ""
        letters.unicodeScalars += Self.letters(of: name).unicodeScalars.prefix(16)
        return Markup.escaped(letters)
    }

    private static func isHan(_ character: Character) -> Bool {
        character.unicodeScalars.first.map { (0x4E00...0x9FFF).contains($0.value) } ?? false
    }
}
