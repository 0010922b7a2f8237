/// Words from people, made one line that cannot pretend to be anything else: for lists, notifications and tips.
///
/// A line break, a tab and every other white space becomes one space. Control characters of both sets, bidirectional
/// controls and invisible characters go. A joiner stays inside an emoji. The terminal and the web page escape on top of this.
package enum PlainLine {
    /// Most combining marks that one character keeps. Written languages need fewer.
    private static let maximumMarks = 4
    /// Most scalars of one character; the longest emoji of a family have ten.
    private static let maximumScalars = 16

    /// - Parameter maximum: most characters (grapheme clusters) of the result, at least 1; what is longer ends in `…`,
    ///   which counts.
    package static func of(_ text: String, maximum: Int) -> String {
        precondition(maximum > 0)
        var characters: [Character] = []
        var needsSpace = false
        for character in text {
            guard let clean = Self.cleaned(character) else { continue }
            if clean == " " {
                needsSpace = !characters.isEmpty
                continue
            }
            if needsSpace { characters.append(" ") }
            needsSpace = false
            characters.append(clean)
            if characters.count > maximum {
                characters.removeLast(characters.count - maximum + 1)
                return String(characters) + "…"
            }
        }
        return String(characters)
    }

    /// `nil` when nothing of it may be shown; a space for white space.
    private static func cleaned(_ character: Character) -> Character? {
        if character.isASCII, let value = character.asciiValue, value > 0x20, value < 0x7F { return character }
        var kept = String.UnicodeScalarView()
        var marks = 0
        for scalar in character.unicodeScalars.prefix(Self.maximumScalars) {
            if Self.isSpace(scalar) { return " " }
            if Self.isHidden(scalar, after: kept.last) { continue }
            if Self.isMark(scalar) { marks += 1 }
            if marks <= Self.maximumMarks || !Self.isMark(scalar) { kept.append(scalar) }
        }
        // A mark that was on something hidden would join the character before it: it stands on nothing.
        guard let first = kept.first, !Self.isMark(first), first.value != 0x200D else { return nil }
        let text = String(kept)
        return text.count == 1 ? text.first : Character(first)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Letters that no font draws anything for: names made of them look empty.
        case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: true
        default: scalar.properties.isWhitespace
        }
    }

    private static func isHidden(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
        switch scalar.value {
        case 0x200D: return previous.map { $0.value > 0xFF && ($0.properties.isEmoji || $0.value == 0xFE0F) } != true
        case 0xFE0E, 0xFE0F: return previous == nil
        case 0xE0020...0xE007F:
            // Flags of parts of countries: a black flag, and its letters as tags.
            return previous.map { $0.value == 0x1F3F4 || (0xE0020...0xE007F).contains($0.value) } != true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x300 || (0xFE00...0xFE0F).contains(scalar.value) { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
