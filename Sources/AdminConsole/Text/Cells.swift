import CommandLineKit

/// Text as the cells of a terminal: what every terminal draws alike, and how many cells it takes.
package enum Cells {
    /// `text` as it can be drawn: nothing in it is obeyed, hides or reorders (`DisplayText`), and each character is one
    /// that terminals agree on. Emoji made of several are their first one, flags are their two letters, and what asks
    /// for another look of a character is left out.
    package static func drawable(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return text }
        var drawable = ""
        for character in DisplayText.escaped(text) {
            let scalars = character.unicodeScalars
            guard let first = scalars.first, scalars.count > 1 else {
                drawable.unicodeScalars.append(contentsOf: scalars)
                continue
            }
            if let letter = Self.flagLetter(first) {
                drawable.unicodeScalars.append(letter)
                for scalar in scalars.dropFirst() { Self.flagLetter(scalar).map { drawable.unicodeScalars.append($0) } }
                continue
            }
            drawable.unicodeScalars.append(first)
            for scalar in scalars.dropFirst() where Self.joinsQuietly(scalar) { drawable.unicodeScalars.append(scalar) }
        }
        return drawable
    }

    /// Lines whose fields are parted by tabs, drawable, with two blanks behind the widest of each column; other lines
    /// stay as they are.
    static func columns(_ lines: [String]) -> [String] {
        let rows = lines.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map { Self.drawable(String($0)) }
        }
        guard rows.contains(where: { $0.count > 1 }) else { return lines }
        var widths: [Int] = []
        for row in rows where row.count > 1 {
            for (column, field) in row.dropLast().enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], Self.width(of: field))
            }
        }
        return rows.map { row in
            row.enumerated().map { column, field in
                column == row.count - 1
                    ? field : field + String(repeating: " ", count: widths[column] + 2 - Self.width(of: field))
            }.joined()
        }
    }

    /// Cells of a text that was made drawable.
    package static func width(of drawable: String) -> Int { displayWidth(of: drawable) }

    /// A drawable text cut to `width` cells at the border of a character, the last of them `…` when something is missing.
    package static func cut(_ drawable: String, to width: Int) -> String {
        guard Self.width(of: drawable) > width else { return drawable }
        guard width > 0 else { return "" }
        return clipped(drawable, to: width - 1) + "…"
    }

    /// Cut, or filled with spaces, to exactly `width` cells.
    package static func fitted(_ drawable: String, to width: Int, onTheRight: Bool = false) -> String {
        padded(Self.cut(drawable, to: width), to: width, onTheLeft: onTheRight)
    }

    /// The lines that a text takes when none may be wider than `width`; broken at spaces where there are some.
    package static func wrapped(_ drawable: String, to width: Int) -> [String] {
        guard width > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        for word in drawable.split(separator: " ", omittingEmptySubsequences: false) {
            var word = String(word)
            let joined = line.isEmpty ? word : line + " " + word
            if Self.width(of: joined) <= width {
                line = joined
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while Self.width(of: word) > width {
                let head = clipped(word, to: width)
                guard !head.isEmpty else { break }
                lines.append(head)
                word = String(word.dropFirst(head.count))
            }
            line = word
        }
        return lines + [line]
    }

    private static func flagLetter(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard (0x1F1E6...0x1F1FF).contains(scalar.value) else { return nil }
        return Unicode.Scalar(scalar.value - 0x1F1E6 + 0x41)
    }

    /// Accents, and the vowels that join a Korean consonant: they take no cell.
    private static func joinsQuietly(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xFE00...0xFE0F: return false
        case 0x1160...0x11FF, 0xFF9E, 0xFF9F: return true
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: return scalar.value < 0xE0000
            default: return false
            }
        }
    }
}
