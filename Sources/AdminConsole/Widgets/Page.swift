/// Lines to read in a box over the screen.
package struct Page: Sendable {
    /// Title of the box.
    package var title: String
    /// Lines to read.
    package var lines: [Line]
    /// Text that `y` copies; `nil` for all lines.
    package var copied: String?
    private var top = 0

    package init(_ title: String, _ lines: [Line], copied: String? = nil) {
        self.title = title
        self.lines = lines
        self.copied = copied
    }

    /// - Returns: false when it is to be closed.
    mutating func press(_ key: Key, height: Int) -> Bool {
        let last = max(0, self.lines.count - height)
        switch key {
        case .down, .character("j"), .wheelDown: self.top += 1
        case .up, .character("k"), .wheelUp: self.top -= 1
        case .pageDown, .character(" "): self.top += height
        case .pageUp: self.top -= height
        case .home, .character("g"): self.top = 0
        case .end, .character("G"): self.top = last
        case .escape, .enter, .character("q"), .character("?"), .character("="), .function(1): return false
        case .character, .tab, .backTab, .left, .right, .insert, .delete, .backspace, .function, .control, .click,
            .paste, .resize:
            break
        }
        self.top = max(0, min(self.top, last))
        return true
    }

    /// Rows inside a box on a screen of so many.
    static func height(rows: Int) -> Int { max(1, rows - 5) }

    func picture(width: Int, height: Int, _ look: Look) -> Picture {
        var shown = Array(self.lines.dropFirst(self.top).prefix(height))
        let isAll = self.lines.count <= height
        let foot = look(isAll ? "console.page.close" : "console.page.scroll")
        let place = isAll ? "" : "\(min(self.top + height, self.lines.count))/\(self.lines.count)"
        shown.append(Line.spread(Line(foot, .dim), Line(place, .dim), width: width))
        return Picture(lines: shown)
    }

    var width: Int { self.lines.map(\.width).max() ?? 0 }

    var text: String { self.copied ?? self.lines.map(\.text).joined(separator: "\n") }
}
