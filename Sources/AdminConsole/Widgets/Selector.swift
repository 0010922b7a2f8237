import AdminAPI
package import ChatModel

/// Somebody or something that can be chosen.
package struct SelectorItem: Hashable, Sendable {
    /// ID of the user or team, unique in the list.
    package var id: String
    /// Name to show; the id when there is nothing else.
    package var name: String

    package init(id: String, name: String? = nil) {
        self.id = id
        self.name = name ?? id
    }
}

/// Choices of a selector, and how many may be chosen.
package struct SelectorConfiguration: Sendable {
    /// Source of the choices.
    package enum Source: Sendable {
        /// Everybody on this server.
        case people
        case teams
        /// The friends of a person, as many as a page about them shows.
        case friends(UserName)
        /// The members of one conversation, as in `AdminRequest.listMessages`.
        case members(String)
        case custom([SelectorItem])
    }

    /// Source of the choices.
    package var source: Source
    /// `nil` for the usual one of the source.
    package var title: String?
    /// Left out before anything is shown.
    package var filterIDs: Set<String> = []
    /// Chosen from the start; they count, and may be taken out.
    package var selectedIDs: [String] = []
    /// True when several may be chosen.
    package var isMultiple = false
    /// Maximum number of chosen items when several may be chosen; 0 for no bound.
    package var maximumSelected = 0
    /// Text shown when one more than the maximum is tried; `nil` for the usual text.
    package var tip: String?
    /// True to show the number of chosen items, and the maximum, after the title.
    package var showsDetail = true

    package init(_ source: Source) { self.source = source }
}

/// The one way to choose people and teams: a list under the letters of their pinyin, and a tray of the chosen.
///
/// Enter finishes. Nothing chosen counts as giving up; only where one alone can be chosen, Enter takes the one under
/// the cursor.
package struct Selector: Sendable {
    /// Choices, bounds and titles.
    package let configuration: SelectorConfiguration
    private let finish: @Sendable ([SelectorItem]) -> [Intent]
    private var items: [SelectorItem] = []
    private var pages = Pages<SelectorItem>()
    /// Chosen ids, in the order of choosing.
    private var chosen: [String]
    private var filter: TextField?
    private var kept = ""
    /// Numbers of items in the order in which they are shown, each with its letter.
    private var shown: [(letter: Character, number: Int)] = []
    private var cursor = 0
    private var rangeStart: Int?
    private var isSystemMessageShown = false
    private var tipEndsAtMilliseconds: Int64?
    /// Choices while the names of all people are asked for; `nil` when everybody is one.
    private var some: [SelectorItem]?

    package init(_ configuration: SelectorConfiguration, finish: @escaping @Sendable ([SelectorItem]) -> [Intent]) {
        self.configuration = configuration
        self.finish = finish
        self.chosen = configuration.selectedIDs
        if case .custom(let items) = configuration.source { self.set(items) }
    }

    /// Outcome of a key.
    package enum Outcome {
        case stays
        case beep
        case cancelled
        case done([Intent])
    }

    /// Time for which the text about the maximum is shown, milliseconds. Source: NIMKit's contact selector.
    private static let tipMilliseconds: Int64 = 2_000

    /// The most that can be chosen; `nil` for no bound.
    var maximum: Int? {
        guard self.configuration.isMultiple else { return 1 }
        return self.configuration.maximumSelected == 0 ? nil : self.configuration.maximumSelected
    }

    // MARK: Where the items come from

    /// The first question; `nil` when nothing need be asked.
    mutating func begin() -> AdminRequest? {
        switch self.configuration.source {
        case .custom: return nil
        case .people, .teams, .friends, .members:
            guard self.pages.beginReading() else { return nil }
            return self.request(after: nil)
        }
    }

    private func request(after: Int64?) -> AdminRequest? {
        switch self.configuration.source {
        case .people: .listUsers(after: after)
        case .teams: .listConversations(after: after)
        case .members(let conversation):
            self.some == nil ? .showConversation(conversation) : .listUsers(after: after)
        case .friends(let person): self.some == nil ? .people(.details(person)) : .listUsers(after: after)
        case .custom: nil
        }
    }

    /// - Returns: the next question.
    mutating func receive(_ answer: AdminAnswer) -> AdminRequest? {
        if case .users(let users, let next) = answer {
            return self.takeItems(users.map { SelectorItem(id: $0.name.text, name: $0.displayName) }, next)
        }
        if case .conversations(let conversations, let next) = answer {
            let teams = conversations.filter { $0.kind == .group && !$0.isDisbanded }
            return self.takeItems(teams.map { SelectorItem(id: $0.name, name: $0.title) }, next)
        }
        if case .conversation(let detail) = answer {
            return self.name(detail.members.map { SelectorItem(id: $0.name.text) })
        }
        guard case .details(let details) = answer else { return nil }
        return self.name(details.friends.map { SelectorItem(id: $0.name.text, name: $0.remark) })
    }

    /// Asks what these people are called; a name that somebody gave a friend stays.
    private mutating func name(_ some: [SelectorItem]) -> AdminRequest? {
        self.some = some
        return self.request(after: nil)
    }

    private mutating func takeItems(_ items: [SelectorItem], _ next: Int64?) -> AdminRequest? {
        if let all = self.pages.takePage(items, isLast: next == nil) {
            let names = Dictionary(all.map { ($0.id, $0.name) }) { $1 }
            let some = self.some?.map { item in
                item.name == item.id ? SelectorItem(id: item.id, name: names[item.id]) : item
            }
            self.set(some ?? all)
        }
        return next.flatMap { self.request(after: $0) }
    }

    /// Ends the loading after a failure. Where only names are missing, the IDs are shown.
    mutating func fail() {
        self.pages.end()
        if let some { self.set(some) }
    }

    /// Time has passed: the tip goes by itself.
    mutating func tick(nowMilliseconds: Int64) {
        guard self.isSystemMessageShown else { return }
        let end = self.tipEndsAtMilliseconds ?? nowMilliseconds + Self.tipMilliseconds
        self.tipEndsAtMilliseconds = end
        if end <= nowMilliseconds { self.isSystemMessageShown = false }
    }

    private mutating func set(_ items: [SelectorItem]) {
        self.items = items.filter { !self.configuration.filterIDs.contains($0.id) }
        self.arrange()
    }

    /// Sections by the letter of the shown name, rows by the short spelling in them.
    private mutating func arrange() {
        let current = self.current?.id
        let haystacks = self.items.map { RowFilter.haystack([$0.name, $0.id]) }
        let sorted = RowFilter(self.kept).shown(haystacks).map { number in
            let name = self.items[number].name
            return (PinyinInitial.section(of: name), PinyinInitial.spelling(of: name), number)
        }
        .sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }
        self.shown = sorted.map { ($0.0, $0.2) }
        let place = self.shown.firstIndex { self.items[$0.number].id == current }
        self.cursor = place ?? max(0, min(self.cursor, self.shown.count - 1))
        self.rangeStart = nil
    }

    private var current: SelectorItem? {
        self.shown.indices.contains(self.cursor) ? self.items[self.shown[self.cursor].number] : nil
    }

    // MARK: Keys

    /// Takes a key; a page key moves the cursor by `height` rows.
    package mutating func press(_ key: Key, height: Int) -> Outcome {
        self.isSystemMessageShown = false
        self.tipEndsAtMilliseconds = nil
        if var field = self.filter { return self.press(key, filter: &field) }
        switch key {
        case .escape:
            guard !self.kept.isEmpty else { return .cancelled }
            self.kept = ""
            self.arrange()
        case .enter: return self.finished()
        case .character(" "): return self.toggle()
        case .character("v"): return self.range()
        case .character("/"): self.filter = TextField(self.kept)
        case .backspace, .delete: if !self.chosen.isEmpty { self.chosen.removeLast() }
        case .character("#"), .character("A"..."Z"):
            guard case .character(let letter) = key else { return .stays }
            guard let place = self.shown.firstIndex(where: { $0.letter == letter }) else { return .beep }
            self.cursor = place
        case .character, .tab, .backTab, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .insert,
            .function, .control, .click, .wheelUp, .wheelDown, .resize:
            self.move(key, height: height)
        case .paste:
            // A pasted name is looked for.
            var field = TextField(self.kept)
            return self.press(key, filter: &field)
        }
        return .stays
    }

    private mutating func move(_ key: Key, height: Int) {
        switch key {
        case .down, .character("j"): self.cursor += 1
        case .up, .character("k"): self.cursor -= 1
        case .wheelDown: self.cursor += 3
        case .wheelUp: self.cursor -= 3
        case .pageDown: self.cursor += height
        case .pageUp: self.cursor -= height
        case .home, .character("g"): self.cursor = 0
        case .end: self.cursor = self.shown.count
        case .character, .enter, .escape, .tab, .backTab, .left, .right, .insert, .delete, .backspace, .function,
            .control, .click, .paste, .resize:
            break
        }
        self.cursor = max(0, min(self.cursor, self.shown.count - 1))
    }

    private mutating func press(_ key: Key, filter field: inout TextField) -> Outcome {
        switch key {
        case .enter: self.filter = nil
        case .escape:
            self.filter = nil
            self.kept = ""
            self.arrange()
        case .up, .down:
            self.move(key, height: 1)
        case .character, .tab, .backTab, .left, .right, .pageUp, .pageDown, .home, .end, .insert, .delete, .backspace,
            .function, .control, .click, .wheelUp, .wheelDown, .paste, .resize:
            guard field.press(key) else { return .stays }
            self.filter = field
            self.kept = field.text
            self.arrange()
        }
        return .stays
    }

    private mutating func toggle() -> Outcome {
        guard let item = self.current else { return .beep }
        if let place = self.chosen.firstIndex(of: item.id) {
            self.chosen.remove(at: place)
        } else {
            guard self.choose(item) else { return .beep }
        }
        self.cursor = min(self.cursor + 1, self.shown.count - 1)
        return .stays
    }

    /// - Returns: false when no more can be chosen; the tip is shown then.
    private mutating func choose(_ item: SelectorItem) -> Bool {
        guard !self.chosen.contains(item.id) else { return true }
        if let maximum = self.maximum, self.chosen.count >= maximum {
            self.isSystemMessageShown = true
            return false
        }
        self.chosen.append(item.id)
        return true
    }

    /// The first time it begins a range, the second time everybody in it is chosen.
    private mutating func range() -> Outcome {
        guard let start = self.rangeStart else {
            self.rangeStart = self.cursor
            return .stays
        }
        self.rangeStart = nil
        for place in min(start, self.cursor)...max(start, self.cursor) where self.shown.indices.contains(place) {
            guard self.choose(self.items[self.shown[place].number]) else { return .beep }
        }
        return .stays
    }

    private mutating func finished() -> Outcome {
        if !self.configuration.isMultiple, self.chosen.isEmpty, let item = self.current { self.chosen = [item.id] }
        guard !self.chosen.isEmpty else { return .cancelled }
        return .done(self.finish(self.chosen.map { self.item($0) }))
    }

    private func item(_ id: String) -> SelectorItem { self.items.first { $0.id == id } ?? SelectorItem(id: id) }

    // MARK: Drawing

    func title(_ look: Look) -> String {
        let usual: String
        if case .teams = self.configuration.source {
            usual = look("console.selector.teams")
        } else {
            usual = look("console.selector.people")
        }
        let title = self.configuration.title ?? usual
        guard self.configuration.showsDetail else { return title }
        guard let maximum = self.maximum else {
            return title + "  " + look("console.selector.chosen", ["count": String(self.chosen.count)])
        }
        return "\(title)  \(self.chosen.count)/\(maximum)"
    }

    func picture(width: Int, height: Int, _ look: Look) -> Picture {
        let trayWidth = max(16, width / 3)
        let listWidth = width - trayWidth - 3
        let bodyHeight = max(1, height - 3)
        let list = self.list(width: listWidth, height: bodyHeight, look)
        let tray = self.tray(width: trayWidth, height: bodyHeight, look)
        var lines = [Line.spread(self.strip, Line(look("console.selector.tray"), .heading), width: width)]
        for row in 0..<bodyHeight {
            let left = row < list.count ? list[row] : Line()
            let right = row < tray.count ? tray[row] : Line()
            lines.append(left.fitted(to: listWidth) + Line(" │ ", .dim) + right.fitted(to: trayWidth))
        }
        var cursor: Picture.Place?
        if let field = self.filter {
            let shown = field.shown(width: width - 2)
            cursor = Picture.Place(row: lines.count, column: 1 + shown.cursor)
            lines.append(Line("/", .key) + Line(shown.text, .input))
        } else if self.isSystemMessageShown {
            lines.append(Line("! " + (self.configuration.tip ?? look("console.selector.tip")), .bad))
        } else {
            lines.append(Line(self.kept.isEmpty ? "" : "/\(self.kept)", .dim))
        }
        lines.append(Line(look("console.selector.keys"), .dim))
        return Picture(lines: lines, cursor: cursor)
    }

    /// The letters that there are, the one under the cursor standing out.
    private var strip: Line {
        var letters: [Character] = []
        for (letter, _) in self.shown where letters.last != letter { letters.append(letter) }
        let current = self.shown.indices.contains(self.cursor) ? self.shown[self.cursor].letter : nil
        return letters.reduce(Line()) { $0 + Line(String($1), $1 == current ? .selected : .dim) + Line(" ") }
    }

    private func list(width: Int, height: Int, _ look: Look) -> [Line] {
        if self.shown.isEmpty {
            let key = self.pages.isLoading ? "console.loading" : "console.selector.nobody"
            return [Line(look(key), .dim)]
        }
        var lines: [Line] = []
        var cursorLine = 0
        let range = self.rangeStart.map { min($0, self.cursor)...max($0, self.cursor) }
        for (place, entry) in self.shown.enumerated() {
            if place == 0 || self.shown[place - 1].letter != entry.letter {
                lines.append(Line(String(entry.letter), .heading))
            }
            if place == self.cursor { cursorLine = lines.count }
            lines.append(self.row(place, isInRange: range?.contains(place) == true, width: width))
        }
        let top = max(0, min(cursorLine - height / 2, lines.count - height))
        return Array(lines.dropFirst(top).prefix(height))
    }

    private func row(_ place: Int, isInRange: Bool, width: Int) -> Line {
        let item = self.items[self.shown[place].number]
        let isChosen = self.chosen.contains(item.id)
        let box = isChosen ? "[x] " : isInRange ? "[-] " : "[ ] "
        let name = Line(item.name, isChosen ? .marked : .plain)
        let id = Line(item.id == item.name ? "" : "  \(item.id)", .dim)
        let line = Line(place == self.cursor ? ">" : " ", .accent) + Line(box) + name + id
        return place == self.cursor ? line.fitted(to: width).restyled(.selected) : line
    }

    private func tray(width: Int, height: Int, _ look: Look) -> [Line] {
        var names = self.chosen.suffix(height).map { Line(self.item($0).name) }
        if self.chosen.count > height {
            names[0] = Line(look("console.selector.more", ["count": String(self.chosen.count - height + 1)]), .dim)
        }
        return names
    }
}
