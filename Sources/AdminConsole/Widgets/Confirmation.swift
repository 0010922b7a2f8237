/// Asks before something is done: what, to whom, and what will be so afterwards.
struct Confirmation: Sendable {
    let proposal: Proposal
    private var typed = TextField()
    /// The first line that is shown of those that do not fit.
    private var top = 0

    init(_ proposal: Proposal) { self.proposal = proposal }

    enum Outcome {
        case stays
        case refused
        case cancelled
        case agreed
    }

    /// - Parameter last: how far it can be scrolled, `lastTop`.
    mutating func press(_ key: Key, last: Int) -> Outcome {
        switch key {
        case .escape: return .cancelled
        case .character("n") where self.proposal.typed == nil: return .cancelled
        case .character("y") where self.proposal.typed == nil: return .agreed
        case .enter:
            guard let wanted = self.proposal.typed else { return .agreed }
            return self.typed.text == wanted ? .agreed : .refused
        case .down, .wheelDown: self.top = min(self.top + 1, last)
        case .up, .wheelUp: self.top = max(0, self.top - 1)
        case .character, .tab, .backTab, .left, .right, .pageUp, .pageDown, .home, .end, .insert, .delete, .backspace,
            .function, .control, .click, .paste, .resize:
            if self.proposal.typed != nil { _ = self.typed.press(key) }
        }
        return .stays
    }

    /// Last row to which the text scrolls, in a box of this size in cells.
    func lastTop(width: Int, height: Int, _ look: Look) -> Int {
        max(0, self.told(width: width, look).count - self.room(height: height, look))
    }

    /// Rows for the text; the keys to press stay visible below it.
    private func room(height: Int, _ look: Look) -> Int { max(1, height - self.asked(width: 1, look).lines.count) }

    func picture(width: Int, height: Int, _ look: Look) -> Picture {
        let told = self.told(width: width, look)
        let top = min(self.top, self.lastTop(width: width, height: height, look))
        let shown = Array(told.dropFirst(top).prefix(self.room(height: height, look)))
        var asked = self.asked(width: width, look)
        if shown.count < told.count, let keys = asked.lines.last {
            asked.lines[asked.lines.count - 1] = keys + Line("  " + look("console.confirm.scroll"), .dim)
        }
        let cursor = asked.cursor.map { Picture.Place(row: $0.row + shown.count, column: $0.column) }
        return Picture(lines: shown + asked.lines, cursor: cursor)
    }

    private func told(width: Int, _ look: Look) -> [Line] {
        var lines = self.proposal.consequences.flatMap { text in
            Cells.wrapped(Cells.drawable(text), to: width).map { Line($0) }
        }
        lines.append(Line())
        let shown = 3
        for words in self.proposal.operatorAction.commands.prefix(shown) {
            lines += Cells.wrapped(Cells.drawable(Shell.line(words)), to: width).map { Line($0, .dim) }
        }
        let more = self.proposal.operatorAction.commands.count - shown
        if more > 0 { lines.append(Line(look("console.confirm.more", ["count": String(more)]), .dim)) }
        if self.proposal.operatorAction.undo != nil { lines.append(Line(look("console.confirm.undo"), .dim)) }
        return lines
    }

    private func asked(width: Int, _ look: Look) -> Picture {
        guard let wanted = self.proposal.typed else {
            return Picture(lines: [Line(look("console.confirm.keys"), .dim)])
        }
        let shownText = self.typed.shown(width: min(width, 40))
        return Picture(
            lines: [
                Line(look("console.confirm.type", ["name": wanted]), .warning), Line(shownText.text, .input),
                Line(look("console.confirm.typedKeys"), .dim),
            ], cursor: Picture.Place(row: 1, column: shownText.cursor))
    }
}
