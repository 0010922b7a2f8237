package import AdminAPI

/// One screen: its own state, the keys that mean something on it, what they do, and its lines. It draws nothing and
/// asks nobody: `update` says what is to happen.
package protocol Screen: Sendable {
    /// Text key.
    var title: String { get }
    /// Commands that the keys of the screen make it carry out.
    associatedtype Command: Sendable
    /// The most useful ones first: the footer shows those that fit.
    var keys: [KeyBinding<Command>] { get }
    /// Text that `y` copies: the name at the cursor.
    var copied: String? { get }
    /// Interval at which the screen refreshes, milliseconds; `nil` to refresh only after a change.
    var refreshMilliseconds: Int64? { get }
    var table: (any TableControl)? { get }

    /// Requests when the screen is shown, and whenever everything is asked for again.
    mutating func refresh() -> [Intent]
    /// Subscriptions as long as the screen is shown.
    var watches: [AdminRequest] { get }
    mutating func update(_ command: Command, _ look: Look) -> [Intent]
    /// - Parameter purpose: the number that the screen chose, or `Console.watching` for what it watches.
    mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent]
    /// A question was refused, or the connection broke: nothing more will come of it.
    mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent]
    mutating func receive(_ event: AdminEvent, _ look: Look)
    /// Takes what was typed into a form of this screen.
    mutating func takeValues(_ values: [String], purpose: Int, _ look: Look) -> [Intent]
    mutating func move(_ move: TableMove, _ look: Look)
    mutating func setFilter(_ text: String, _ look: Look)
    /// Leaves columns of the table out, by their numbers.
    mutating func hide(columns: Set<Int>)
    /// Puts the cursor on the row that is found by exactly this text, as soon as there is one.
    mutating func seek(_ text: String)
    /// Tells the cells it will be drawn in.
    mutating func lay(width: Int, height: Int, _ look: Look)
    func lines(width: Int, height: Int, _ look: Look) -> [Line]
}

extension Screen {
    /// Keys of the screen without their commands.
    package var screenKeys: [ScreenKey] { self.keys.map(\.key) }

    /// Carries out the command of a key; nothing for a key that is not the screen's.
    package mutating func press(_ key: Key, _ look: Look) -> [Intent] {
        guard let binding = self.keys.first(where: { $0.key.key == key }) else { return [] }
        return self.update(binding.command, look)
    }

    /// Nothing to copy.
    package var copied: String? { nil }
    /// No refresh by time.
    package var refreshMilliseconds: Int64? { nil }
    /// No events to watch.
    package var watches: [AdminRequest] { [] }
    /// No table.
    package var table: (any TableControl)? { nil }
    /// Asks nothing.
    package mutating func refresh() -> [Intent] { [] }
    /// Ignores the answer.
    package mutating func receive(_ answer: AdminAnswer, purpose: Int, _ look: Look) -> [Intent] { [] }
    /// Shows the error in the status line.
    package mutating func fail(_ error: AdminError, purpose: Int, _ look: Look) -> [Intent] {
        [.tell(StatusLine(error.message, .failure))]
    }
    /// Ignores the event.
    package mutating func receive(_ event: AdminEvent, _ look: Look) {}
    /// Ignores the values of a form.
    package mutating func takeValues(_ values: [String], purpose: Int, _ look: Look) -> [Intent] { [] }
    /// Ignores the move: there is no table.
    package mutating func move(_ move: TableMove, _ look: Look) {}
    /// Ignores the filter: there is no table.
    package mutating func setFilter(_ text: String, _ look: Look) {}
    /// Ignores the choice of columns: there is no table.
    package mutating func hide(columns: Set<Int>) {}
    /// Ignores the row: there is no table.
    package mutating func seek(_ text: String) {}
    /// Ignores the size of the screen.
    package mutating func lay(width: Int, height: Int, _ look: Look) {}
}

/// Control of a screen's table by the console.
package protocol TableControl {
    var filter: String { get }
    var columnChoices: [ColumnChoice] { get }
    func summary(_ look: Look) -> String
    func detail(_ look: Look) -> [(title: String, text: String)]
    /// The titles of all columns, then the texts of the rows that are shown.
    func texts(_ look: Look) -> [[String]]
    /// Names of what the rows are, as requests name it.
    var names: [String] { get }
    /// Names of the marked rows, or of the one with the cursor.
    var targetNames: [String] { get }
}

extension TableView: TableControl {}

/// A screen that is a table, with lines above it or none.
package protocol TableScreen: Screen {
    associatedtype Row: TableRow

    var rows: TableView<Row> { get set }
    /// Text of an empty table, which says what to do next. Text key.
    var emptyText: String { get }
    func head(width: Int, _ look: Look) -> [Line]
    /// Lines about the row with the cursor, for beside the table; empty without a row.
    func detail(width: Int, _ look: Look) -> [Line]
}

extension TableScreen {
    /// Table of the screen.
    package var table: (any TableControl)? { self.rows }
    /// Filters the rows.
    package mutating func setFilter(_ text: String, _ look: Look) { self.rows.setFilter(text, look) }
    /// Puts the cursor on a row, as soon as there is one.
    package mutating func seek(_ text: String) { self.rows.seek(text) }
    /// Hides columns by their numbers.
    package mutating func hide(columns: Set<Int>) { self.rows.hide(columns: columns) }
    /// No lines above the table.
    package func head(width: Int, _ look: Look) -> [Line] { [] }

    /// Moves the cursor; a click counts its row from the top of the screen, with the lines above the table.
    package mutating func move(_ move: TableMove, _ look: Look) {
        if case .to(let row) = move { return self.rows.move(.to(row: row - self.headHeight), look) }
        self.rows.move(move, look)
    }

    /// Any width does: the number of lines does not depend on it.
    private var headHeight: Int { self.head(width: 80, Look(texts: { key, _ in key }, time: { _ in "" })).count }

    /// Gives the table the rows that the lines above it and the heading leave.
    package mutating func lay(width: Int, height: Int, _ look: Look) {
        self.rows.setHeight(height - self.headHeight - 1, width: SplitView.tableWidth(of: width, look))
    }

    /// Every column of the row with the cursor, in full.
    package func detail(width: Int, _ look: Look) -> [Line] { SplitView.lines(self.rows.detail(look), width: width) }

    /// Lines above the table, then the table, with advice in place of rows when there are none; on a wide screen the row
    /// with the cursor stands beside it.
    package func lines(width: Int, height: Int, _ look: Look) -> [Line] {
        let head = self.head(width: width, look)
        let table = SplitView.tableWidth(of: width, look)
        guard table == width || self.rows.shownCount == 0 else {
            let detail = self.detail(width: width - table - SplitView.ruleWidth, look)
            let rows = self.rows.lines(width: table, look)
            return head
                + SplitView.beside(rows, detail, tableWidth: table, width: width, height: height - head.count)
        }
        var lines = head + self.rows.lines(width: width, look)
        if self.rows.shownCount == 0 {
            let key = self.rows.filter.isEmpty ? self.emptyText : "console.table.noMatch"
            lines += ["", look(key)].flatMap { Cells.wrapped(Cells.drawable($0), to: width - 4) }.map {
                Line("  \($0)", .dim)
            }
        }
        return lines
    }
}

/// Rows that come page by page.
struct Pages<Row: Sendable>: Sendable {
    private(set) var isLoading = false
    private var rows: [Row] = []

    /// - Returns: false while the last reading is under way.
    mutating func beginReading() -> Bool {
        guard !self.isLoading else { return false }
        self.isLoading = true
        self.rows = []
        return true
    }

    /// - Returns: all rows when this was the last page.
    mutating func takePage(_ page: [Row], isLast: Bool) -> [Row]? {
        self.rows += page
        guard isLast else { return nil }
        return self.end()
    }

    @discardableResult mutating func end() -> [Row] {
        defer { self.rows = [] }
        self.isLoading = false
        return self.rows
    }
}
