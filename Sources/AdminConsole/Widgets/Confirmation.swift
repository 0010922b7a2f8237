/// Asks before something is done: what, to whom, and what will be so afterwards.
struct Confirmation: Sendable {
    let proposal: Proposal
    private var typed = TextField()

    init(_ proposal: Proposal) { self.proposal = proposal }

    enum Outcome {
        case stays
        case refused
        case cancelled
        case agreed
    }

    mutating func press(_ key: Key) -> Outcome {
        switch key {
        case .escape: return .cancelled
        case .character("n") where self.proposal.typed == nil: return .cancelled
        case .character("y") where self.proposal.typed == nil: return .agreed
        case .enter:
            guard let wanted = self.proposal.typed else { return .agreed }
            return self.typed.text == wanted ? .agreed : .refused
        default:
            if self.proposal.typed != nil { _ = self.typed.press(key) }
            return .stays
        }
    }

    func picture(width: Int, _ look: Look) -> Picture {
        var lines = self.proposal.consequences.flatMap { text in
            Cells.wrapped(Cells.drawable(text), to: width).map { Line($0) }
        }
        lines.append(Line())
        let shown = 3
        for words in self.proposal.deed.commands.prefix(shown) {
            lines += Cells.wrapped(Cells.drawable(Shell.line(words)), to: width).map { Line($0, .dim) }
        }
        let more = self.proposal.deed.commands.count - shown
        if more > 0 { lines.append(Line(look("console.confirm.more", ["count": String(more)]), .dim)) }
        if self.proposal.deed.undo != nil { lines.append(Line(look("console.confirm.undo"), .dim)) }
        guard let wanted = self.proposal.typed else {
            return Picture(lines: lines + [Line(look("console.confirm.keys"), .dim)])
        }
        lines.append(Line(look("console.confirm.type", ["name": wanted]), .warning))
        let shownText = self.typed.shown(width: min(width, 40))
        let cursor = Picture.Place(row: lines.count, column: shownText.cursor)
        lines.append(Line(shownText.text, .input))
        lines.append(Line(look("console.confirm.typedKeys"), .dim))
        return Picture(lines: lines, cursor: cursor)
    }
}
