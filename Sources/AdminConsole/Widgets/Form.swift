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

        package init(_ label: String, _ value: String = "", isSecret: Bool = false, maximum: Int? = nil) {
            self.label = label
            self.text = TextField(value, isSecret: isSecret, maximum: maximum)
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

    mutating func press(_ key: Key) -> Outcome {
        switch key {
        case .escape: return .cancelled
        case .enter:
            guard self.check(self.values) == nil else { return .refused }
            return .done(self.submit(self.values))
        case .tab, .down: self.place = (self.place + 1) % self.fields.count
        case .backTab, .up: self.place = (self.place + self.fields.count - 1) % self.fields.count
        case .character, .left, .right, .pageUp, .pageDown, .home, .end, .insert, .delete, .backspace, .function,
            .control, .click, .wheelUp, .wheelDown, .resize:
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
        let whole = self.whole(width: width, look)
        guard whole.lines.count > height else { return whole }
        let room = max(1, height - 1)
        let top = max(0, min(self.place - room / 2, self.fields.count - room))
        var shown = Array(whole.lines.prefix(self.fields.count).dropFirst(top).prefix(room))
        // What is left below the fields is for the line that a shell takes.
        let below = whole.lines.dropFirst(self.fields.count + 1)
        shown += below.prefix(max(0, room - shown.count))
        let problem = self.check(self.values).map { Line(Cells.drawable($0), .warning) }
        shown.append(problem ?? Line(look("console.form.keys"), .dim))
        let cursor = whole.cursor.map { Picture.Place(row: $0.row - top, column: $0.column) }
        return Picture(lines: shown, cursor: cursor)
    }

    private func whole(width: Int, _ look: Look) -> Picture {
        let labelWidth = min(width / 3, self.fields.map { Cells.width(of: Cells.drawable($0.label)) }.max() ?? 0)
        var lines: [Line] = []
        var cursor: Picture.Place?
        for (number, field) in self.fields.enumerated() {
            let label = Line(
                Cells.fitted(Cells.drawable(field.label), to: labelWidth), number == self.place ? .key : .plain)
            let count = field.text.maximum.map { " \(field.text.text.unicodeScalars.count)/\($0)" } ?? ""
            let isTooLong = field.text.maximum.map { field.text.text.unicodeScalars.count > $0 } ?? false
            let room = max(4, width - labelWidth - 2 - count.count)
            if number == self.place && field.choices.isEmpty {
                let cell = field.text.shown(width: room).cursor
                cursor = Picture.Place(row: lines.count, column: labelWidth + 2 + cell)
            }
            let value =
                field.choices.isEmpty
                ? Line(field.text.shown(width: room).text, .input) + Line(count, isTooLong ? .bad : .dim)
                : Line("‹ \(field.choices[field.choice].label) ›", number == self.place ? .key : .plain)
            lines.append(label + Line("  ") + value)
        }
        lines.append(Line())
        let problem = self.check(self.values).map { Cells.wrapped(Cells.drawable($0), to: width) } ?? []
        lines += problem.map { Line($0, .warning) }
        lines += self.shellLines.flatMap { Cells.wrapped(Cells.drawable($0), to: width) }.map { Line($0, .dim) }
        lines.append(Line(look("console.form.keys"), .dim))
        return Picture(lines: lines, cursor: cursor)
    }
}
