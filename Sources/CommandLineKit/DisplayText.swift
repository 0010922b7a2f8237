/// Text from outside, made safe to show on a terminal: names, titles, messages.
package enum DisplayText {
    /// Most accents that one character keeps; the rest become `…`.
    private static let maximumMarks = 4

    /// `text` with everything that a terminal would obey, or that hides or reorders what is shown, as visible `\u001b`.
    ///
    /// That is: control characters of both sets, line breaks and tabs, bidirectional controls, invisible and tag
    /// characters. A zero-width joiner stays inside an emoji.
    package static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return text }
        var shown = ""
        var marks = 0
        var previousIsEmoji = false
        for scalar in text.unicodeScalars {
            let isMark = Self.isMark(scalar)
            marks = isMark ? marks + 1 : 0
            if marks > Self.maximumMarks {
                if marks == Self.maximumMarks + 1 { shown += "…" }
            } else if scalar.value == 0x200D && previousIsEmoji {
                shown.unicodeScalars.append(scalar)
            } else if Self.isUnsafe(scalar) {
                shown += Self.escape(scalar)
            } else {
                shown.unicodeScalars.append(scalar)
            }
            if scalar.value != 0xFE0F {
                previousIsEmoji = scalar.value > 0xFF && scalar.properties.isEmoji
            }
        }
        return shown
    }

    /// `text` escaped and cut to `width` cells, the last of them `…` when something is missing.
    package static func cell(_ text: String, width: Int) -> String {
        let shown = Self.escaped(text)
        guard displayWidth(of: shown) > width else { return shown }
        var cut = ""
        var used = 0
        for character in shown {
            let cells = displayWidth(of: character)
            if used + cells > width - 1 { break }
            cut.append(character)
            used += cells
        }
        return cut + "…"
    }

    /// JSON text in which the characters that JSON allows but a terminal obeys are escaped as well. They stand only
    /// inside its strings, so the value stays the same.
    package static func escapedJSON(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 > 0x7E }) else { return json }
        var shown = ""
        for scalar in json.unicodeScalars {
            if Self.isUnsafe(scalar) && scalar.value != 0x0A && scalar.value != 0x200D {
                shown += Self.escape(scalar)
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F: true
        case 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x09: return "\\t"
        case 0x0A: return "\\n"
        case 0x0D: return "\\r"
        case 0x10000...:
            let rest = scalar.value - 0x10000
            return Self.hexadecimal(0xD800 + rest >> 10) + Self.hexadecimal(0xDC00 + rest & 0x3FF)
        default: return Self.hexadecimal(scalar.value)
        }
    }

    private static func hexadecimal(_ unit: UInt32) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
