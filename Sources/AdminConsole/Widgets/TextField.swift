/// One line that is typed.
package struct TextField: Hashable, Sendable {
    private var characters: [Character]
    private var place: Int
    /// Shown as dots.
    package var isSecret: Bool
    /// Most characters that are shown as the bound; more can be typed, so that a mistake is seen. `nil` for no bound.
    package var maximum: Int?

    package init(_ text: String = "", isSecret: Bool = false, maximum: Int? = nil) {
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
