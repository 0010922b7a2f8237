/// Text that is typed: one line, or several.
package struct TextField: Hashable, Sendable {
    private var characters: [Character]
    private var place: Int
    /// Shown as dots.
    package var isSecret: Bool
    /// Most characters that are shown as the bound; more can be typed, so that a mistake is seen. `nil` for no bound.
    package var maximum: Int?
    /// True for a field of several lines; in one of one line a pasted end of a line is a space.
    package let isMultiline: Bool

    package init(_ text: String = "", isSecret: Bool = false, maximum: Int? = nil, isMultiline: Bool = false) {
        self.isMultiline = isMultiline
        self.characters = Array(text)
        self.place = self.characters.count
        self.isSecret = isSecret
        self.maximum = maximum
    }

    /// Text that is typed; setting it puts the cursor at the end.
    package var text: String {
        get { String(self.characters) }
        set {
            self.characters = Array(newValue)
            self.place = self.characters.count
        }
    }

    /// - Returns: whether the key was meant for it.
    package mutating func press(_ key: Key) -> Bool {
        switch key {
        case .character(let character): self.insert(character)
        case .paste(let text): self.insert(pasted: text)
        case .control("j") where self.isMultiline: self.insert("\n")
        case .up where self.isMultiline && self.lineStart(self.place) > 0: self.moveLine(-1)
        case .down where self.isMultiline && self.lineEnd(self.place) < self.characters.count: self.moveLine(1)
        case .home where self.isMultiline: self.place = self.lineStart(self.place)
        case .end where self.isMultiline: self.place = self.lineEnd(self.place)
        case .backspace where self.place > 0:
            self.place -= 1
            self.characters.remove(at: self.place)
        case .delete where self.place < self.characters.count: self.characters.remove(at: self.place)
        case .backspace, .delete: break
        case .left: self.place = max(0, self.place - 1)
        case .right: self.place = min(self.characters.count, self.place + 1)
        case .home, .control("a"): self.place = 0
        case .end, .control("e"): self.place = self.characters.count
        case .control("u"):
            self.characters.removeSubrange(..<self.place)
            self.place = 0
        case .control("k"): self.characters.removeSubrange(self.place...)
        case .control("w"):
            let before = self.characters[..<self.place]
            let kept = before.reversed().drop { $0 == " " }.drop { $0 != " " }.count
            self.characters.removeSubrange(kept..<self.place)
            self.place = kept
        case .enter, .escape, .tab, .backTab, .up, .down, .pageUp, .pageDown, .insert, .function, .control,
            .click, .wheelUp, .wheelDown, .resize:
            return false
        }
        return true
    }

    /// Lines of a pasted text beside each other in a field of one line; its last end of a line does not count there.
    private mutating func insert(pasted text: String) {
        var text = text
        if !self.isMultiline {
            while text.last?.isNewline == true { text.removeLast() }
            text = String(text.map { $0.isNewline ? " " : $0 })
        }
        self.characters.insert(contentsOf: text, at: self.place)
        self.place += text.count
    }

    /// First place of the line that a place is in.
    private func lineStart(_ place: Int) -> Int {
        (self.characters[..<place].lastIndex(of: "\n") ?? -1) + 1
    }

    /// Place behind the last character of the line that a place is in.
    private func lineEnd(_ place: Int) -> Int {
        self.characters[place...].firstIndex(of: "\n") ?? self.characters.count
    }

    /// Goes to the same place of the line before or behind, or to its end.
    private mutating func moveLine(_ step: Int) {
        let start = self.lineStart(self.place)
        let column = self.place - start
        let other = step < 0 ? self.lineStart(start - 1) : self.lineEnd(self.place) + 1
        self.place = min(other + column, self.lineEnd(other))
    }

    /// The lines of a field of several, none wider than `width` cells, and the row and the cell of the cursor in them.
    package func lines(width: Int) -> (lines: [String], cursor: (row: Int, cell: Int)) {
        var lines = [""]
        var used = 0
        var cursor = (row: 0, cell: 0)
        for (number, character) in self.characters.enumerated() {
            let cell = character == "\n" ? "" : Cells.drawable(String(character))
            let cells = Cells.width(of: cell)
            if used + cells > max(1, width - 1) {
                lines.append("")
                used = 0
            }
            if number == self.place { cursor = (lines.count - 1, used) }
            if character == "\n" {
                lines.append("")
                used = 0
            } else {
                lines[lines.count - 1] += cell
                used += cells
            }
        }
        if self.place == self.characters.count { cursor = (lines.count - 1, used) }
        return (lines.map { Cells.fitted($0, to: width) }, cursor)
    }

    /// An accent that comes as a scalar of its own joins the letter before it.
    private mutating func insert(_ character: Character) {
        if self.place > 0 {
            let joined = String(self.characters[self.place - 1]) + String(character)
            if joined.count == 1 { return self.characters[self.place - 1] = Character(joined) }
        }
        self.characters.insert(character, at: self.place)
        self.place += 1
    }

    /// The part that fits, and the cell of the cursor in it.
    package func shown(width: Int) -> (text: String, cursor: Int) {
        let cells = self.characters.map { self.isSecret ? "•" : Cells.drawable(String($0)) }
        var start = self.place
        var used = 0
        while start > 0, used + Cells.width(of: cells[start - 1]) < width {
            start -= 1
            used += Cells.width(of: cells[start])
        }
        let text = cells[start...].joined()
        return (Cells.fitted(Cells.cut(text, to: width), to: width), used)
    }
}
