import AdminAPI

extension Console {
    /// Rows above the screen, and below it.
    static let rowsAbove = 2
    static let rowsBelow = 2

    var bodyHeight: Int { max(1, self.size.rows - Self.rowsAbove - Self.rowsBelow) }

    /// Somebody pressed a key, or clicked.
    package mutating func press(_ key: Key) {
        // Ctrl-J is Enter, but in a text of several lines.
        let key = key == .control("j") && !self.takesLines ? .enter : key
        if key == .resize { return self.effects.append(.repaint) }
        if key == .control("c") { return self.effects.append(.quit) }
        if key == .control("z") { return self.effects.append(.suspend) }
        if key == .control("l") { return self.effects.append(.repaint) }
        if let overlay = self.overlays.popLast() { return self.press(key, overlay) }
        if let prompt = self.prompt { return self.press(key, prompt) }
        self.notice = nil
        self.steps = Steps()
        if case .paste = key { return self.tellStatus(StatusLine(self.look("console.pasted"), .refusal)) }
        if self.pressCommon(key) { return }
        if let binding = self.top.screen.screenKeys.first(where: { $0.key == key }) { return self.press(binding) }
        if let move = TableMove(key) {
            return self.withTop { screen, look in
                screen.move(move, look)
                return []
            }
        }
    }

    /// True while a text of several lines is typed.
    private var takesLines: Bool {
        guard case .form(let form)? = self.overlays.last else { return false }
        return form.takesLines
    }

    private mutating func press(_ binding: ScreenKey) {
        if binding.isChange, let reason = self.noChangeReason {
            return self.tellStatus(StatusLine(self.look(reason), .refusal))
        }
        self.withTop { screen, look in screen.press(binding.key, look) }
    }

    /// Keys that mean the same on every screen.
    private mutating func pressCommon(_ key: Key) -> Bool {
        if self.runOwn(key) { return true }
        switch key {
        case .character("?"), .function(1): self.overlays.append(.page(self.helpPage))
        case .character("="): self.overlays.append(.page(self.commandPage))
        case .character(":"):
            self.prompt = .command(CommandLine(root: self.commands, history: self.history, names: self.knownNames))
        case .character("/"):
            guard let table = self.top.screen.table else {
                self.tellStatus(StatusLine(self.look("console.noTable"), .refusal))
                return true
            }
            self.filterPlace = nil
            self.prompt = .filter(TextField(table.filter))
        case .character("|"): self.chooseColumns()
        case .character("l"), .function(3): self.showWholeRow()
        case .control("s"): self.saveTable()
        case .character("\\"): self.toggleSplit()
        case .character("R"), .control("r"): self.refresh()
        case .character("z"): self.takeBack()
        case .character("y"): self.copy()
        case .character("m"):
            self.isMouseOn.toggle()
            self.effects.append(.setMouse(self.isMouseOn))
            self.notice = StatusLine(self.look(self.isMouseOn ? "console.mouse.on" : "console.mouse.off"))
        case .character("q"): if !self.pop() { self.effects.append(.quit) }
        case .escape: self.goBack()
        case .tab: self.go(to: (self.current + 1) % self.stacks.count)
        case .backTab: self.go(to: (self.current + self.stacks.count - 1) % self.stacks.count)
        case .character("1"..."9"):
            guard case .character(let digit) = key, let number = digit.wholeNumberValue else { return false }
            self.go(to: number - 1)
        case .character("0"): self.chooseScreen()
        case .click(let row, let column): self.click(row: row, column: column)
        case .wheelUp: for _ in 0..<3 { self.move(.up) }
        case .wheelDown: for _ in 0..<3 { self.move(.down) }
        case .character, .enter, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .insert, .delete,
            .backspace, .function, .control, .paste, .resize:
            return false
        }
        return true
    }

    /// There are more screens than digits. Each has the number of its digit, or the one that it would have.
    private mutating func chooseScreen() {
        let screens = ScreenList.all.enumerated().map { SelectorItem(id: String($0 + 1), name: self.look($1.title)) }
        var configuration = SelectorConfiguration(.custom(screens))
        configuration.title = self.look("console.chooseScreen")
        let selector = Selector(configuration) { chosen in
            chosen.first.flatMap { Int($0.id) }.map { [.go($0 - 1)] } ?? []
        }
        self.carryOut([.select(selector)], for: self.top.number)
    }

    /// Every column of the row with the cursor, in full, also those that do not fit or are hidden.
    private mutating func showWholeRow() {
        guard let table = self.top.screen.table else {
            return self.tellStatus(StatusLine(self.look("console.noTable"), .refusal))
        }
        let parts = table.detail(self.look)
        guard !parts.isEmpty else {
            return self.tellStatus(StatusLine(self.look("console.nothingHere"), .refusal))
        }
        let lines = SplitView.lines(parts, width: min(self.size.columns - 6, 100))
        self.overlays.append(.page(Page(self.look(self.top.screen.title), lines)))
    }

    /// The filter before or behind the one that is shown; empty behind the last.
    private mutating func recallFilter(_ step: Int) -> String? {
        CommandLine.recalled(self.filters, &self.filterPlace, step)
    }

    /// Names that the screens have shown, for completion: of people and of conversations.
    private var knownNames: [String] {
        var names: Set<String> = []
        for opened in self.stacks.joined() { opened.screen.table.map { names.formUnion($0.names) } }
        return names.sorted()
    }

    /// Asks for the path of a new file, and writes the rows that are shown into it.
    private mutating func saveTable() {
        guard let table = self.top.screen.table else {
            return self.tellStatus(StatusLine(self.look("console.noTable"), .refusal))
        }
        let rows = table.texts(self.look)
        guard rows.count > 1 else {
            return self.tellStatus(StatusLine(self.look("console.nothingHere"), .refusal))
        }
        let look = self.look
        let form = Form(
            look.counted("console.save.title", rows.count - 1),
            [
                Form.Field(look("console.save.path")),
                Form.Field(look("console.save.format"), choices: [("csv", "CSV"), ("json", "JSON")]),
            ],
            check: { $0[0].isEmpty ? look("console.save.pathHint") : nil },
            submit: { values in
                let text = values[1] == "json" ? TableText.json(rows) : TableText.csv(rows)
                return [.save(path: values[0], text: text)]
            })
        self.overlays.append(.form(form))
    }

    private mutating func toggleSplit() {
        self.look.isSplit.toggle()
        self.lay()
        self.notice = StatusLine(self.look(self.look.isSplit ? "console.split.on" : "console.split.off"))
    }

    private mutating func move(_ move: TableMove) {
        self.withTop { screen, look in
            screen.move(move, look)
            return []
        }
    }

    private mutating func chooseColumns() {
        guard let table = self.top.screen.table else {
            return self.tellStatus(StatusLine(self.look("console.noTable"), .refusal))
        }
        self.overlays.append(.form(Self.columnForm(table.columnChoices, self.look)))
    }

    private static func columnForm(_ columns: [ColumnChoice], _ look: Look) -> Form {
        let words = [("shown", look("console.columns.shown")), ("hidden", look("console.columns.hidden"))]
        return Form(
            look("console.columns.title"),
            columns.map { Form.Field(look($0.title), choices: $0.isShown ? words : words.reversed()) },
            check: { values in values.contains("shown") ? nil : look("console.columns.none") },
            submit: { values in [.hide(columns: Set(values.indices.filter { values[$0] == "hidden" }))] })
    }

    /// First the filter goes, then the marks, then the screen.
    private mutating func goBack() {
        if let table = self.top.screen.table, !table.filter.isEmpty {
            return self.withTop { screen, look in
                screen.setFilter("", look)
                return []
            }
        }
        if !self.pop() { self.move(.unmark) }
    }

    private mutating func copy() {
        guard let text = self.top.screen.copied else {
            return self.tellStatus(StatusLine(self.look("console.noCopy"), .refusal))
        }
        self.effects.append(.copy(text))
        self.notice = StatusLine(self.look("console.copied", ["text": text]))
    }

    private mutating func click(row: Int, column: Int) {
        if row == 0 {
            if let tab = self.tab(at: column) { self.go(to: tab) }
        } else if row >= Self.rowsAbove, row < self.size.rows - Self.rowsBelow {
            self.move(.to(row: row - Self.rowsAbove))
        }
    }

    // MARK: What lies over the screen

    private mutating func press(_ key: Key, _ overlay: Overlay) {
        switch overlay {
        case .page(var page):
            if key == .character("y"), !page.isTyping {
                self.effects.append(.copy(page.text))
                self.notice = StatusLine(self.look("console.copiedAll"))
                self.overlays.append(.page(page))
            } else if page.press(key, height: Page.height(rows: self.size.rows)) {
                self.overlays.append(.page(page))
            } else if self.overlays.isEmpty, !self.steps.overlays.isEmpty {
                // What a form led to was only to be read.
                self.stepBack()
            }
        case .confirmation(var confirmation):
            let (width, height) = (min(self.size.columns - 6, 70), Self.boxHeight(rows: self.size.rows))
            switch confirmation.press(key, last: confirmation.lastTop(width: width, height: height, self.look)) {
            case .stays: self.overlays.append(.confirmation(confirmation))
            case .refused:
                self.effects.append(.beep)
                self.overlays.append(.confirmation(confirmation))
            case .cancelled: self.stepBack()
            case .agreed: self.perform(confirmation.proposal.operatorAction)
            }
        case .form(let form): self.press(key, form)
        case .selector(var selector):
            switch selector.press(key, height: self.bodyHeight - 5) {
            case .stays: self.overlays.append(.selector(selector))
            case .beep:
                self.effects.append(.beep)
                self.overlays.append(.selector(selector))
            case .cancelled: self.stepBack()
            case .done(let intents): self.goOn(from: overlay, intents)
            }
        }
    }

    private mutating func press(_ key: Key, _ form: Form) {
        var form = form
        switch form.press(key) {
        case .stays: self.overlays.append(.form(form))
        case .refused:
            self.effects.append(.beep)
            self.overlays.append(.form(form))
        case .cancelled: self.stepBack()
        case .done(let intents): self.goOn(from: .form(form), intents)
        }
    }

    // MARK: What is typed at the bottom

    private mutating func press(_ key: Key, _ prompt: Prompt) {
        switch prompt {
        case .filter(var field):
            self.prompt = nil
            if key == .escape { field.text = "" }
            if key == .enter { self.remember(filter: field.text) }
            if key != .escape && key != .enter {
                if key == .control("p") || key == .control("n") {
                    self.recallFilter(key == .control("p") ? -1 : 1).map { field.text = $0 }
                } else if key == .up || key == .down {
                    self.move(key == .up ? .up : .down)
                } else {
                    _ = field.press(key)
                }
                self.prompt = .filter(field)
            }
            self.withTop { screen, look in
                if screen.table?.filter != field.text { screen.setFilter(field.text, look) }
                return []
            }
        case .command(var line):
            switch line.press(key) {
            case .stays: self.prompt = .command(line)
            case .cancelled: self.prompt = nil
            case .run(let words):
                self.prompt = nil
                self.remember(command: line.field.text)
                self.run(words)
            }
        }
    }

    /// Runs what was typed behind `:`.
    private mutating func run(_ typed: [String]) {
        let words = (self.preferences.aliases[typed[0]] ?? [typed[0]]) + typed.dropFirst()
        if ["q", "quit", "exit"].contains(words[0]) { return self.effects.append(.quit) }
        if self.jump(words) { return }
        if words[0] == "help" { return self.overlays.append(.page(self.helpPage)) }
        // Commands that never end have screens of their own.
        if let number = ScreenList.number(insteadOf: words) { return self.go(to: number) }
        if let screen = ScreenList.screen(insteadOf: words, self.look) { return self.push(screen) }
        guard !self.isRunning else { return self.tellStatus(StatusLine(self.look("console.busy"), .refusal)) }
        guard words.contains("--password-stdin") else { return self.start(words, input: []) }
        let form = Form(
            Shell.line(words), [Form.Field(self.look("console.password"), isSecret: true)],
            submit: { [words] values in [.run(words, input: values)] })
        self.overlays.append(.form(form))
    }

    /// Goes to the screen of a name such as `users`, with a second word as its filter, or of a family such as `audit`.
    ///
    /// - Returns: false for a line that is no such name.
    private mutating func jump(_ words: [String]) -> Bool {
        guard words.count <= 2,
            let number = ScreenList.all.firstIndex(where: {
                $0.names.contains(words[0]) || (words.count == 1 && $0.families.contains(words[0]))
            })
        else { return false }
        self.go(to: number)
        guard words.count == 2, self.top.screen.table != nil else { return true }
        self.withTop { screen, look in
            screen.setFilter(words[1], look)
            return []
        }
        return true
    }

    /// Runs the command that the person has put on a function key.
    ///
    /// - Returns: false when there is none.
    private mutating func runOwn(_ key: Key) -> Bool {
        guard case .function(let number) = key, let template = self.preferences.keys[number] else { return false }
        let names = self.top.screen.table?.targetNames ?? []
        guard !template.contains("{}") || !names.isEmpty else {
            self.tellStatus(StatusLine(self.look("console.nothingHere"), .refusal))
            return true
        }
        self.run(template.flatMap { $0 == "{}" ? names : [$0] })
        return true
    }

    mutating func start(_ words: [String], input: [String]) {
        self.keepRunningSteps()
        self.isRunning = true
        self.notice = StatusLine(self.look("console.working"))
        // Then the command itself refuses what asks the server for a change.
        self.effects.append(.run(self.isReadOnly ? ["--read-only"] + words : words, input: input))
    }
}
