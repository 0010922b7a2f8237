import AdminAPI

extension Console {
    /// The whole screen of so many cells.
    package mutating func picture(rows: Int, columns: Int) -> Picture {
        self.size = (rows, columns)
        guard rows >= 10, columns >= 40 else {
            let text = Cells.wrapped(Cells.drawable(self.look("console.tooSmall")), to: columns)
            return Picture(lines: text.map { Line($0) }).fitted(width: columns, height: rows)
        }
        self.lay()
        let screen = self.top.screen
        let body = Picture(lines: screen.lines(width: columns, height: self.bodyHeight, self.look))
            .fitted(width: columns, height: self.bodyHeight)
        var picture = Picture(lines: [self.tabLine, self.titleLine] + body.lines)
        picture = self.withOverlays(picture)
        let (above, below, column) = self.bottom
        if let column { picture.cursor = Picture.Place(row: rows - 2, column: column) }
        picture.lines += [above.fitted(to: columns), below.fitted(to: columns)]
        return picture
    }

    /// Tells the shown screen its cells.
    mutating func lay() {
        let (height, width) = (self.bodyHeight, self.size.columns)
        let place = self.stacks[self.current].count - 1
        self.stacks[self.current][place].screen.lay(width: width, height: height, self.look)
    }

    // MARK: The top

    /// The names of the screens with the cells they take; those that do not fit are left out around the current one.
    private var tabs: [(number: Int, text: String)] {
        let all = ScreenList.all.enumerated().map { number, entry in
            (number, " \(number < 9 ? "\(number + 1) " : "")\(self.look(entry.title)) ")
        }
        var shown = all[...]
        func width() -> Int { shown.reduce(0) { $0 + Cells.width(of: $1.1) } }
        while width() + (shown.count < all.count ? 2 : 0) > self.size.columns, shown.count > 1 {
            if let first = shown.first, self.current - first.0 > shown.count / 2 {
                shown.removeFirst()
            } else {
                shown.removeLast()
            }
        }
        return Array(shown)
    }

    private var tabLine: Line {
        let tabs = self.tabs
        let names = tabs.reduce(Line()) {
            $0 + Line($1.text, $1.number == self.current ? .currentTab : .bar)
        }
        let more = Line(tabs.last?.number == ScreenList.all.count - 1 ? "" : "… ", .bar)
        return Line.spread(names, more, width: self.size.columns, fill: .bar)
    }

    func tab(at column: Int) -> Int? {
        var end = 0
        for (number, text) in self.tabs {
            end += Cells.width(of: text)
            if column < end { return number }
        }
        return nil
    }

    private var titleLine: Line {
        let names = self.stacks[self.current].map { self.look($0.screen.title) }
        var left = Line(" " + names.joined(separator: " › "), .title)
        if let copied = self.top.screen.copied, self.stacks[self.current].count > 1 {
            left += Line(" " + copied, .accent)
        }
        if let table = self.top.screen.table { left += Line("  " + table.summary(self.look), .dim) }
        return Line.spread(left, self.state, width: self.size.columns)
    }

    /// Undo time, read-only mark and connection state, at the right of the title.
    private var state: Line {
        var line = Line()
        if let undo = self.undo {
            let seconds = max(0, (undo.untilMilliseconds - self.look.nowMilliseconds + 999) / 1000)
            line += Line(" " + self.look("console.undo", ["seconds": String(seconds)]), .warning)
        }
        if self.noChangeReason != nil { line += Line(" " + self.look("console.readOnlyMark"), .warning) }
        if let since = self.silentSinceMilliseconds {
            return line + Line(" " + self.look("console.stale", ["time": self.look.hours(since)]) + " ", .bad)
        }
        switch self.link {
        case .connecting: line += Line(" " + self.look("console.connecting"), .warning)
        case .lost(let since, _):
            line += Line(" " + self.look("console.stale", ["time": self.look.hours(since)]), .bad)
        case .connected: line += Line(" " + self.look.hours(self.look.nowMilliseconds), .dim)
        }
        return line + Line(" ")
    }

    // MARK: What lies over it

    /// Rows inside a frame on a screen of so many.
    static func boxHeight(rows: Int) -> Int { max(3, rows - Self.rowsBelow - 2) }

    private func withOverlays(_ under: Picture) -> Picture {
        guard let overlay = self.overlays.last else { return under }
        let columns = self.size.columns
        let wide = min(columns - 6, 100)
        switch overlay {
        case .page(let page):
            let width = min(columns - 6, max(page.width, 40))
            let height = Page.height(rows: under.lines.count)
            let picture = page.picture(width: width, height: height - 1, self.look)
            return under.covered(by: picture, title: page.title, width: width)
        case .confirmation(let confirmation):
            let width = min(wide, 70)
            let picture = confirmation.picture(width: width, height: Self.boxHeight(rows: self.size.rows), self.look)
            return under.covered(by: picture, title: confirmation.proposal.title, width: width)
        case .form(let form):
            let width = min(wide, 70)
            let picture = form.picture(width: width, height: Self.boxHeight(rows: self.size.rows), self.look)
            return under.covered(by: picture, title: form.title, width: width)
        case .selector(let selector):
            let height = under.lines.count - 3
            let picture = selector.picture(width: wide, height: height, self.look)
            return under.covered(by: picture, title: selector.title(self.look), width: wide)
        }
    }

    // MARK: The bottom

    /// The line of news or typing, the line of keys, and where the cursor is in the first.
    private var bottom: (Line, Line, Int?) {
        switch self.prompt {
        case .filter(let field):
            let shown = field.shown(width: self.size.columns - 3)
            return (
                Line(" /", .key) + Line(shown.text, .input), Line(" " + self.look("console.filter.keys"), .dim),
                2 + shown.cursor
            )
        case .command(let line):
            let shown = line.field.shown(width: self.size.columns - 3)
            let candidates = line.candidates.prefix(20).joined(separator: " ")
            return (Line(" :", .key) + Line(shown.text, .input), Line(" " + candidates, .dim), 2 + shown.cursor)
        case nil: return (self.news, self.footer, nil)
        }
    }

    private var news: Line {
        if let notice = self.notice {
            switch notice.tone {
            case .news: return Line(" " + notice.text, .good)
            case .refusal: return Line(" ! " + notice.text, .warning)
            case .failure: return Line(" ! " + notice.text, .bad)
            }
        }
        if case .lost(_, let reason) = self.link { return Line(" ! " + reason, .bad) }
        if self.isSilent { return Line(" ! " + self.look("console.silent"), .bad) }
        return Line(" " + self.place, .dim)
    }

    /// The keys of this screen as far as they fit, help always.
    private var footer: Line {
        let help = self.footerKey("?", self.look("console.key.help"))
        var line = Line(" ")
        for binding in self.top.screen.screenKeys where !binding.isChange || self.noChangeReason == nil {
            let more = self.footerKey(binding.key.label, self.look(binding.help))
            if line.width + more.width + help.width > self.size.columns { break }
            line += more
        }
        return line + help
    }

    private func footerKey(_ key: String, _ text: String) -> Line { Line(key, .key) + Line(" \(text)  ", .dim) }

    // MARK: Pages made from the keys

    /// The keys that mean something here.
    var helpPage: Page {
        let possible = self.top.screen.screenKeys.filter { !$0.isChange || self.noChangeReason == nil }
        var rows = possible.map { ($0.key.label, self.look($0.help)) }
        let own = rows.count
        if self.top.screen.table != nil { rows += CommonKeys.table.map { ($0.0, self.look($0.1)) } }
        rows += CommonKeys.console.map { ($0.0, self.look($0.1)) }
        let width = rows.map { Cells.width(of: $0.0) }.max() ?? 0
        let lines = rows.enumerated().map { number, row in
            Line(Cells.fitted(row.0, to: width + 2), .key) + Line(row.1, number < own ? .plain : .dim)
        }
        let values = ["screen": self.look(self.top.screen.title)]
        return Page(self.look("console.help.title", values), Array(lines))
    }

    /// Page of the commands for a shell that match each key now: found by pressing it on a copy.
    var commandPage: Page {
        var lines: [Line] = []
        var first: String?
        for binding in self.top.screen.screenKeys {
            var copy = self.top.screen
            for intent in copy.press(binding.key, self.look) {
                for words in intent.commands.prefix(20) {
                    let command = Shell.line(words)
                    first = first ?? command
                    lines.append(Line(Cells.fitted(binding.key.label, to: 6), .key) + Line(command))
                }
            }
        }
        if lines.isEmpty { lines = [Line(self.look("console.ctl.none"), .dim)] }
        return Page(self.look("console.ctl.title"), lines, copied: first)
    }
}

extension Intent {
    /// The words of `teahouse ctl` that do the same.
    var commands: [[String]] {
        switch self {
        case .propose(let proposal): proposal.operatorAction.commands
        case .perform(let operatorAction): operatorAction.commands
        case .form(let form): form.changes
        case .run(let words, _), .rehearse(let words, _): [words]
        case .ask, .askWhy, .select, .open, .go, .page, .tell, .refresh, .give, .hide, .save: []
        }
    }
}
