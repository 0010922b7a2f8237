/// File name as a text to show, never a path.
enum DisplayName {
    /// Maximum bytes of a name in UTF-8. Most file systems take no more, and a person reads less.
    static let maximumBytes = 255
    /// Name of a file of whose name nothing is left.
    static let fallback = "file"

    /// The last part of the path it may be, without control characters and what turns the writing direction around,
    /// without dots and blanks at its ends, cut between characters.
    ///
    /// The ending stays when a long name is cut: it is what people and programs go by.
    static func cleaned(_ name: String) -> String {
        let last = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map(Substring.init) ?? ""
        var scalars = String.UnicodeScalarView()
        for scalar in last.unicodeScalars where Self.isShown(scalar) { scalars.append(scalar) }
        let text = Self.trimmed(String(scalars))
        guard !text.isEmpty else { return Self.fallback }
        return text.utf8.count <= Self.maximumBytes ? text : Self.cut(text)
    }

    /// Source: Unicode general categories; UAX 9 for the marks of direction (U+202A to U+202E, U+2066 to U+2069).
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default:
            !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
                && scalar.value != 0x200E && scalar.value != 0x200F && scalar.value != 0xFEFF
        }
    }

    private static func trimmed(_ text: String) -> String {
        let isEdge: (Character) -> Bool = { $0 == "." || $0.isWhitespace }
        var text = text.drop(while: isEdge)
        while let last = text.last, isEdge(last) { text.removeLast() }
        return String(text)
    }

    private static func cut(_ text: String) -> String {
        var ending: Substring = ""
        if let dot = text.lastIndex(of: "."), text[dot...].utf8.count <= 16 { ending = text[dot...] }
        var kept = ""
        for character in text {
            guard kept.utf8.count + character.utf8.count + ending.utf8.count <= Self.maximumBytes else { break }
            kept.append(character)
        }
        // One character alone may be longer than the whole name may be.
        return kept.isEmpty ? Self.fallback + ending : Self.trimmed(kept + ending)
    }
}
