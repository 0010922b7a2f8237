/// Cells that `text` takes on a terminal. Chinese, Japanese, Korean and emoji characters take two.
///
/// Counted per character as people see it, so that a letter with accents or an emoji made of several code points
/// counts once. Source of the ranges: Unicode Standard Annex 11, East Asian Width, classes W and F; ambiguous ones count
/// as one cell, as terminals do by default.
package func displayWidth(of text: String) -> Int {
    var width = 0
    for character in text { width += displayWidth(of: character) }
    return width
}

/// Cells of one character: 0, 1 or 2.
package func displayWidth(of character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
        switch scalar.value {
        case 0xFE0F: return 2
        // The half-width sound marks join the letter before them, and still take a cell of their own.
        case 0xFF9E, 0xFF9F: width += 1
        default: width = max(width, displayWidth(of: scalar))
        }
    }
    return width
}

private func displayWidth(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x20..<0x7F: return 1
    case 0..<0x20, 0x7F..<0xA0: return 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3: return 2
    case 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6: return 2
    case 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD: return 2
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
}
