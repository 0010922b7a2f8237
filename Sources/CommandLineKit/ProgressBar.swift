/// `[====>     ]`. Plain characters alone: block characters take two cells on some Chinese and Japanese terminals.
package enum ProgressBar {
    /// - Parameters:
    ///   - whole: `nil` when nobody knows; the bar is then empty.
    ///   - width: cells in all, the brackets included.
    package static func text(done: Int64, of whole: Int64?, width: Int) -> String {
        let inside = max(0, width - 2)
        guard let whole, inside > 0 else { return "[" + String(repeating: " ", count: inside) + "]" }
        let filled = Int(percent(of: done, in: whole)) * inside / 100
        guard filled < inside else { return "[" + String(repeating: "=", count: inside) + "]" }
        let bar = filled == 0 ? "" : String(repeating: "=", count: filled - 1) + ">"
        return "[" + bar + String(repeating: " ", count: inside - filled) + "]"
    }
}

/// `text` with spaces up to `width` cells; longer text stays.
package func padded(_ text: String, to width: Int, onTheLeft: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - displayWidth(of: text)))
    return onTheLeft ? spaces + text : text + spaces
}

/// As much of `text` as `width` cells hold. What it holds must have been escaped.
package func clipped(_ text: String, to width: Int) -> String {
    var clipped = ""
    var used = 0
    for character in text {
        let cells = displayWidth(of: character)
        if used + cells > width { break }
        clipped.append(character)
        used += cells
    }
    return clipped
}
