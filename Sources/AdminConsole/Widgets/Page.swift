import ByteCodec

/// Lines to read in a box over the screen.
package struct Page: Sendable {
    /// Title of the box.
    package var title: String
    /// Lines to read.
    package var lines: [Line]
    /// Text that `y` copies; `nil` for all lines.
    package var copied: String?
    private var top = 0
    /// Text that lines must have; `nil` while nothing is looked for.
    private var filter: TextField?
    /// True while the filter is typed.
    private(set) var isTyping = false

    /// Lines that have the text.
    private var shownLines: [Line] {
        guard let text = self.filter?.text.lowercased(), !text.isEmpty else { return self.lines }
        return self.lines.filter { $0.text.lowercased().contains(run: text) }
    }

    package init(_ title: String, _ lines: [Line], copied: String? = nil) {
        self.title = title
        self.lines = lines
        self.copied = copied
    }

    /// - Returns: false when it is to be closed.
    mutating func press(_ key: Key, height: Int) -> Bool {
        if self.isTyping { return self.type(key) }
        let last = max(0, self.shownLines.count - height)
        switch key {
        case .character("/"):
            self.isTyping = true
            self.filter = self.filter ?? TextField()
        case .escape where self.filter != nil:
            self.filter = nil
            self.top = 0
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

    private mutating func type(_ key: Key) -> Bool {
        if key == .enter {
            self.isTyping = false
        } else if key == .escape {
            (self.isTyping, self.filter) = (false, nil)
        } else {
            _ = self.filter?.press(key)
        }
        self.top = 0
        return true
    }

    /// Rows inside a box on a screen of so many.
    static func height(rows: Int) -> Int { max(1, rows - 5) }

    func picture(width: Int, height: Int, _ look: Look) -> Picture {
        let lines = self.shownLines
        var shown = Array(lines.dropFirst(self.top).prefix(height))
        let isAll = lines.count <= height
        if let filter = self.filter {
            // The box keeps its height while lines go.
            while shown.count < min(height, self.lines.count) { shown.append(Line()) }
            let text = filter.shown(width: max(1, width - 3))
            shown.append(Line("/", .key) + Line(text.text, self.isTyping ? .input : .dim))
            let row = shown.count - 1
            return Picture(lines: shown, cursor: self.isTyping ? Picture.Place(row: row, column: 1 + text.cursor) : nil)
        }
        let foot = look(isAll ? "console.page.close" : "console.page.scroll")
        let place = isAll ? "" : "\(min(self.top + height, lines.count))/\(lines.count)"
        shown.append(Line.spread(Line(foot, .dim), Line(place, .dim), width: width))
        return Picture(lines: shown)
    }

    var width: Int { self.lines.map(\.width).max() ?? 0 }

    var text: String { self.copied ?? self.lines.map(\.text).joined(separator: "\n") }
}
