/// Fields to fill in.
package struct Form: Sendable {
    /// A field of the form: text, or a choice.
    package struct Field: Sendable {
        /// Label, in the person's language.
        package var label: String
        /// Text that is typed, or the value that is chosen.
        package var text: TextField
        /// Values to choose among, each with its words; empty for text.
        package var choices: [Choice]

        /// A value to choose.
        package struct Choice: Sendable {
            /// Value that the request gets.
            package var value: String
            /// Label, in the person's language.
            package var label: String
        }

        /// - Parameter isMultiline: true for a text of several lines, where Ctrl-J begins a new one.
        package init(
            _ label: String, _ value: String = "", isSecret: Bool = false, maximum: Int? = nil,
            isMultiline: Bool = false
        ) {
            self.label = label
            self.text = TextField(value, isSecret: isSecret, maximum: maximum, isMultiline: isMultiline)
            self.choices = []
        }

        /// - Parameter choices: values with their words; the first one is chosen.
        package init(_ label: String, choices: [(String, String)]) {
            self.label = label
            self.text = TextField(choices[0].0)
            self.choices = choices.map { Choice(value: $0.0, label: $0.1) }
        }

        var choice: Int { self.choices.firstIndex { $0.value == self.text.text } ?? 0 }

        mutating func turn(_ step: Int) {
            let next = (self.choice + step + self.choices.count) % self.choices.count
            self.text.text = self.choices[next].value
        }
    }

    /// Title of the form.
    package var title: String
    /// Fields from the top.
    package var fields: [Field]
    /// Check of the values while they are typed: the problem, or `nil` when they can be sent.
    package var check: @Sendable ([String]) -> String?
    /// The words of `teahouse ctl` that do the same; `nil` for those of what `submit` makes.
    private var ownCommand: (@Sendable ([String]) -> [String])?
    /// Text that stands for an empty first value in the line for a shell.
    private var placeholder: String?
    /// Intents that the values make, in the order of the fields.
    package var submit: @Sendable ([String]) -> [Intent]
    private var place = 0
    /// Reason why what was filled in was refused, until something is changed; `nil` for none.
    private var refusal: String?

    /// - Parameter command: where the requests of `submit` do not say it.
    package init(
        _ title: String, _ fields: [Field], check: @escaping @Sendable ([String]) -> String? = { _ in nil },
        placeholder: String? = nil, command: (@Sendable ([String]) -> [String])? = nil,
        submit: @escaping @Sendable ([String]) -> [Intent]
    ) {
        self.title = title
        self.fields = fields
        self.check = check
        self.placeholder = placeholder
        self.ownCommand = command
        self.submit = submit
    }

    /// The command lines of what the values make, one for each that is meant.
    package var commands: [[String]] {
        var values = self.values
        if let placeholder = self.placeholder, values[0].isEmpty { values[0] = placeholder }
        return self.submit(values).flatMap { intent in
            guard case .ask(let request, _) = intent else { return intent.commands }
            return request.operation.command.map { [$0] } ?? []
        }
    }

    /// The lines for a shell while the form is filled in, at most `maximumLines`.
    private var shellLines: [String] {
        let all = self.ownCommand.map { [$0(self.values)] } ?? self.commands
        let lines = all.filter { !$0.isEmpty }.map { Shell.line($0) }
        return lines.count > Self.maximumLines ? lines.prefix(Self.maximumLines) + ["…"] : lines
    }

    private static let maximumLines = 3

    /// The command lines of the change that it makes as it is filled in; else its own line.
    var changes: [[String]] {
        guard let ownCommand = self.ownCommand else { return self.commands }
        let changes = self.check(self.values) == nil ? self.submit(self.values).flatMap(\.commands) : []
        return changes.isEmpty ? [ownCommand(self.values)].filter { !$0.isEmpty } : changes
    }

    enum Outcome {
        case stays
        case refused
        case cancelled
        case done([Intent])
    }

    var values: [String] { self.fields.map(\.text.text) }

    /// True while the cursor is in a field of several lines.
    var takesLines: Bool { self.fields[self.place].text.isMultiline }

    /// Takes the reason why the server refused. The cursor goes to the field whose text the reason names.
    mutating func refuse(_ reason: String) {
        self.refusal = reason
        let named = self.fields.indices.filter { place in
            let field = self.fields[place]
            return field.choices.isEmpty && !field.text.isSecret && !field.text.text.isEmpty
                && Self.names(Array(reason), Array(field.text.text))
        }
        if let place = named.max(by: { self.fields[$0].text.text.count < self.fields[$1].text.text.count }) {
            self.place = place
        }
    }

    /// True when a reason has a text as a word of its own.
    private static func names(_ reason: [Character], _ text: [Character]) -> Bool {
        guard text.count <= reason.count else { return false }
        func isBorder(_ place: Int) -> Bool {
            !reason.indices.contains(place) || !reason[place].isASCII
                || !(reason[place].isLetter || reason[place].isNumber)
        }
        return (0...reason.count - text.count).contains { start in
            reason[start...].starts(with: text) && isBorder(start - 1) && isBorder(start + text.count)
        }
    }

    /// The reason of a refusal, with the label of the field that it is about.
    private var refusedLine: String? {
        self.refusal.map { self.fields.count > 1 ? "\(self.fields[self.place].label): \($0)" : $0 }
    }

    mutating func press(_ key: Key) -> Outcome {
        let before = self.values
        let isOver = self.refusal != nil
        defer { if isOver && self.values != before { self.refusal = nil } }
        switch key {
        case .escape: return .cancelled
        case .enter:
            guard self.check(self.values) == nil else { return .refused }
            return .done(self.submit(self.values))
        case .up where self.takesLines && self.fields[self.place].text.press(key): break
        case .down where self.takesLines && self.fields[self.place].text.press(key): break
        case .tab, .down: self.place = (self.place + 1) % self.fields.count
        case .backTab, .up: self.place = (self.place + self.fields.count - 1) % self.fields.count
        case .character, .left, .right, .pageUp, .pageDown, .home, .end, .insert, .delete, .backspace, .function,
            .control, .click, .wheelUp, .wheelDown, .paste, .resize:
            guard self.fields[self.place].choices.isEmpty else {
                if key == .left { self.fields[self.place].turn(-1) }
                if key == .right || key == .character(" ") { self.fields[self.place].turn(1) }
                return .stays
            }
            _ = self.fields[self.place].text.press(key)
        }
        return .stays
    }

    /// Picture of the form. In a box of fewer rows the current field stays visible, and the last rows hold the problem
    /// or the keys.
    func picture(width: Int, height: Int, _ look: Look) -> Picture {
        let drawn = self.drawnFields(width: width)
        let below = self.below(width: width, look)
        guard drawn.lines.count + 1 + below.count > height else {
            return Picture(lines: drawn.lines + [Line()] + below, cursor: drawn.cursor)
        }
        let room = max(1, height - 1)
        let current = drawn.cursor?.row ?? drawn.first
        let top = max(0, min(current - room / 2, drawn.lines.count - room))
        var shown = Array(drawn.lines.dropFirst(top).prefix(room))
        // What is left below the fields is for the line that a shell takes.
        shown += below.prefix(max(0, room - shown.count))
        let refused = self.refusedLine.map { Line(Cells.drawable($0), .bad) }
        let problem = self.check(self.values).map { Line(Cells.drawable($0), .warning) }
        shown.append(refused ?? problem ?? self.keys(look))
        let cursor = drawn.cursor.map { Picture.Place(row: $0.row - top, column: $0.column) }
        return Picture(lines: shown, cursor: cursor)
    }

    private func keys(_ look: Look) -> Line {
        Line(look(self.takesLines ? "console.form.lineKeys" : "console.form.keys"), .dim)
    }

    /// Lines under the fields: the problem, the line for a shell, the keys.
    private func below(width: Int, _ look: Look) -> [Line] {
        let refused = self.refusedLine.map { Cells.wrapped(Cells.drawable("! " + $0), to: width) } ?? []
        let problem = self.check(self.values).map { Cells.wrapped(Cells.drawable($0), to: width) } ?? []
        let shell = self.shellLines.flatMap { Cells.wrapped(Cells.drawable($0), to: width) }
        return refused.map { Line($0, .bad) } + problem.map { Line($0, .warning) } + shell.map { Line($0, .dim) } + [
            self.keys(look)
        ]
    }

    /// Rows of a field of several lines: at least these, and at most those.
    private static let multilineRows = 3...8

    /// Lines of all fields, with the first line of the current one.
    private func drawnFields(width: Int) -> (lines: [Line], first: Int, cursor: Picture.Place?) {
        let labelWidth = min(width / 3, self.fields.map { Cells.width(of: Cells.drawable($0.label)) }.max() ?? 0)
        var lines: [Line] = []
        var first = 0
        var cursor: Picture.Place?
        for (number, field) in self.fields.enumerated() {
            let isCurrent = number == self.place
            if isCurrent { first = lines.count }
            let label = Line(Cells.fitted(Cells.drawable(field.label), to: labelWidth), isCurrent ? .key : .plain)
            let count = field.text.maximum.map { " \(field.text.text.unicodeScalars.count)/\($0)" } ?? ""
            let isTooLong = field.text.maximum.map { field.text.text.unicodeScalars.count > $0 } ?? false
            let room = max(4, width - labelWidth - 2 - count.count)
            guard field.choices.isEmpty else {
                let value = Line("‹ \(field.choices[field.choice].label) ›", isCurrent ? .key : .plain)
                lines.append(label + Line("  ") + value)
                continue
            }
            let (rows, place) = Self.rows(of: field.text, width: room)
            if isCurrent { cursor = Picture.Place(row: lines.count + place.row, column: labelWidth + 2 + place.cell) }
            for (row, text) in rows.enumerated() {
                let before = row == 0 ? label : Line(String(repeating: " ", count: labelWidth))
                let counted = row == 0 ? Line(count, isTooLong ? .bad : .dim) : Line()
                lines.append(before + Line("  ") + Line(text, .input) + counted)
            }
        }
        return (lines, first, cursor)
    }

    /// The rows of a text that are shown, and the row and the cell of the cursor in them.
    private static func rows(of text: TextField, width: Int) -> (rows: [String], place: (row: Int, cell: Int)) {
        guard text.isMultiline else {
            let shown = text.shown(width: width)
            return ([shown.text], (0, shown.cursor))
        }
        let (lines, cursor) = text.lines(width: width)
        let count = min(max(lines.count, Self.multilineRows.lowerBound), Self.multilineRows.upperBound)
        let top = max(0, min(cursor.row - count / 2, lines.count - count))
        var rows = Array(lines.dropFirst(top).prefix(count))
        while rows.count < count { rows.append(String(repeating: " ", count: width)) }
        return (rows, (cursor.row - top, cursor.cell))
    }
}
