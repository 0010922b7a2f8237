/// Something that is one row of a table.
package protocol TableRow: Sendable {
    associatedtype RowID: Hashable & Sendable

    /// Identity that stays the same while the row's values change.
    var rowID: RowID { get }
    /// Texts by which the row can be found.
    var searchTexts: [String] { get }
    /// Name of what the row is, as requests name it; `nil` for none.
    var requestName: String? { get }
}

extension TableRow {
    /// No name.
    package var requestName: String? { nil }
}

/// Sort key of a column.
package enum SortKey: Comparable, Sendable {
    case number(Int64)
    case text(String)
}

/// A column of a table: its title, its width and the text and style of its cells.
package struct TableColumn<Row: TableRow>: Sendable {
    /// Text key.
    package var title: String
    /// Cells; `nil` takes a share of what is left.
    package var width: Int?
    /// True to align the cells to the right.
    package var isOnTheRight: Bool
    /// The column is left out on screens with fewer cells.
    package var minimumScreen: Int
    /// Text of a row's cell.
    package var value: @Sendable (Row, Look) -> String
    /// Id that stands dim behind the text where there is room; `nil` for a row without one.
    package var behind: @Sendable (Row) -> String?
    /// `nil` sorts by the text.
    package var order: (@Sendable (Row) -> SortKey)?
    /// Style of a row's cell.
    package var style: @Sendable (Row) -> Style

    package init(
        _ title: String, width: Int? = nil, isOnTheRight: Bool = false, minimumScreen: Int = 0,
        order: (@Sendable (Row) -> SortKey)? = nil, style: @escaping @Sendable (Row) -> Style = { _ in .plain },
        behind: @escaping @Sendable (Row) -> String? = { _ in nil }, value: @escaping @Sendable (Row, Look) -> String
    ) {
        self.title = title
        self.width = width
        self.isOnTheRight = isOnTheRight
        self.minimumScreen = minimumScreen
        self.value = value
        self.order = order
        self.style = style
        self.behind = behind
    }

    /// Column of a name that people see, with the id behind it; of the id alone where there is no name.
    init(
        _ title: String, width: Int? = nil, id: @escaping @Sendable (Row) -> String,
        shown: @escaping @Sendable (Row) -> String?
    ) {
        self.init(title, width: width, behind: { row in shown(row).map { _ in id(row) } }) { row, _ in
            shown(row) ?? id(row)
        }
    }

    /// Cells between a text and the id behind it.
    private static var gap: Int { 2 }

    /// Cell of exactly `width` cells: the text, and behind it the id where there is room for some of it.
    func cell(of row: Row, width: Int, isMarked: Bool, _ look: Look) -> Line {
        let text = Cells.drawable(self.value(row, look))
        let style: Style = isMarked ? .marked : self.style(row)
        let room = width - Cells.width(of: text) - Self.gap
        guard room > 0, !self.isOnTheRight, let behind = self.behind(row) else {
            return Line(Cells.fitted(text, to: width, onTheRight: self.isOnTheRight), style)
        }
        let gap = String(repeating: " ", count: Self.gap)
        return Line(text + gap, style) + Line(Cells.fitted(Cells.drawable(behind), to: room), isMarked ? .marked : .dim)
    }
}

/// A column of a table in the dialog that hides and shows columns.
package struct ColumnChoice: Hashable, Sendable {
    /// Text key.
    package var title: String
    /// True when the person wants to see it.
    package var isShown: Bool
}

/// Rows to move in, with sorting, filter and marks. The cursor and the marks stay on their objects while rows come, go
/// and change.
package struct TableView<Row: TableRow>: Sendable {
    /// Cells that a column without a width of its own has at least, where there is anything to leave out for it.
    private static var narrowest: Int { 10 }

    /// Columns from the left, hidden ones too.
    package let columns: [TableColumn<Row>]
    /// All rows, in the order in which they came, filtered ones too.
    package private(set) var rows: [Row] = []
    private var haystacks: [String] = []
    /// Numbers of rows, in the order in which they are shown.
    private var shown: [Int] = []
    private var cursor = 0
    private var top = 0
    private var height = 1
    private var marks: Set<Row.RowID> = []
    private var rangeStart: Row.RowID?
    private var sortColumn: Int?
    private var isDescending = false
    private var rowFilter = RowFilter("")
    /// The last filter that said something.
    private var search: RowFilter?
    /// Columns that the person does not want to see.
    private var hiddenColumns: Set<Int> = []
    /// Number of columns behind the first that the person went past, sideways.
    private var passedColumns = 0
    /// Cells that the table was last given.
    private var width = 80
    /// Text by which a row that does not exist yet is found: the cursor goes there when it comes.
    private var sought: String?

    /// - Parameter sortColumn: `nil` keeps the order in which the rows come.
    package init(_ columns: [TableColumn<Row>], sortColumn: Int? = nil, isDescending: Bool = false) {
        self.columns = columns
        self.sortColumn = sortColumn
        self.isDescending = isDescending
    }

    // MARK: Rows

    /// Replaces the rows; the cursor and the marks stay on rows with the same identity.
    package mutating func replace(_ rows: [Row], _ look: Look) {
        let current = self.current?.rowID
        self.rows = rows
        self.haystacks = rows.map { RowFilter.haystack($0.searchTexts) }
        if !self.marks.isEmpty { self.marks.formIntersection(rows.map(\.rowID)) }
        self.arrange(look, keeping: current)
        self.goToSought()
    }

    /// Puts the cursor on the row that is found by exactly this text, as soon as there is one.
    package mutating func seek(_ text: String) {
        self.sought = text
        self.goToSought()
    }

    private mutating func goToSought() {
        guard let text = self.sought,
            let place = self.shown.firstIndex(where: { self.rows[$0].searchTexts.contains(text) })
        else { return }
        self.sought = nil
        self.cursor = place
        self.keepVisible()
    }

    /// Number of rows that the filter leaves.
    package var shownCount: Int { self.shown.count }
    /// Rows that the filter leaves, in the order of the table.
    package var shownRows: [Row] { self.shown.map { self.rows[$0] } }

    /// The row with the cursor.
    package var current: Row? { self.shown.indices.contains(self.cursor) ? self.rows[self.shown[self.cursor]] : nil }

    /// Rows that an action is for: the marked rows, else the one with the cursor.
    package var targets: [Row] {
        guard !self.marks.isEmpty || self.rangeStart != nil else { return self.current.map { [$0] } ?? [] }
        let range = self.rangeIDs
        let marked = self.rows.filter { self.marks.contains($0.rowID) || range.contains($0.rowID) }
        return marked
    }

    /// Removes all marks.
    package mutating func clearMarks() {
        self.marks = []
        self.rangeStart = nil
    }

    /// Puts the cursor on a row when it is shown.
    package mutating func select(_ id: Row.RowID) {
        if let place = self.shown.firstIndex(where: { self.rows[$0].rowID == id }) { self.cursor = place }
        self.keepVisible()
    }

    // MARK: Filter and order

    /// Filter as it was typed; empty for none.
    package var filter: String { self.rowFilter.text }
    /// True when the filter's pattern is not valid: all rows are shown.
    package var isFilterWrong: Bool { self.rowFilter.isWrong }

    /// Filters the rows; the cursor stays on its row when that is shown.
    package mutating func setFilter(_ text: String, _ look: Look) {
        let current = self.current?.rowID
        self.rowFilter = RowFilter(text)
        if !text.isEmpty { self.search = self.rowFilter }
        self.arrange(look, keeping: current)
    }

    private mutating func arrange(_ look: Look, keeping current: Row.RowID?) {
        self.shown = self.rowFilter.shown(self.haystacks)
        if let number = self.sortColumn {
            let column = self.columns[number]
            let order = column.order ?? { .text(column.value($0, look)) }
            let keys = self.rows.map(order)
            self.shown.sort { left, right in
                if keys[left] == keys[right] { return left < right }
                return (keys[left] < keys[right]) != self.isDescending
            }
        }
        if let current, let place = self.shown.firstIndex(where: { self.rows[$0].rowID == current }) {
            self.cursor = place
        }
        self.cursor = max(0, min(self.cursor, self.shown.count - 1))
        self.keepVisible()
    }

    // MARK: Moving

    /// Moves the cursor, changes the marks, or changes the order of the rows.
    package mutating func move(_ move: TableMove, _ look: Look) {
        // Whoever moves has seen what is there.
        if move != .unmark { self.sought = nil }
        switch move {
        case .up: self.go(to: self.cursor - 1)
        case .down: self.go(to: self.cursor + 1)
        case .pageUp: self.go(to: self.cursor - max(1, self.height - 1))
        case .pageDown: self.go(to: self.cursor + max(1, self.height - 1))
        case .first: self.go(to: 0)
        case .last: self.go(to: self.shown.count - 1)
        case .to(let row): if row > 0 { self.go(to: self.top + row - 1) }
        case .mark: self.toggleMark()
        case .range: self.toggleRange()
        case .markAll: self.marks.formUnion(self.shownRows.map(\.rowID))
        case .unmark: self.clearMarks()
        case .nextColumn: self.sort(step: 1, look)
        case .previousColumn: self.sort(step: -1, look)
        case .invert:
            self.isDescending.toggle()
            self.arrange(look, keeping: self.current?.rowID)
        case .nextMatch: self.goToMatch(1)
        case .previousMatch: self.goToMatch(-1)
        case .right: self.goSideways(1)
        case .left: self.goSideways(-1)
        }
    }

    /// Past one more column behind the first, as long as the last one is not shown.
    private mutating func goSideways(_ step: Int) {
        guard step > 0 else { return self.passedColumns = max(0, self.passedColumns - 1) }
        let all = self.columns.indices.filter { !self.hiddenColumns.contains($0) }
        guard let last = all.last, self.shownColumns(width: self.width).last?.offset != last else { return }
        self.passedColumns = min(self.passedColumns + 1, max(0, all.count - 2))
    }

    /// By the next column that is not hidden.
    private mutating func sort(step: Int, _ look: Look) {
        let count = self.columns.count
        var column = self.sortColumn ?? (step > 0 ? -1 : 0)
        repeat { column = (column + step + count) % count } while self.hiddenColumns.contains(column)
        self.sortColumn = column
        self.arrange(look, keeping: self.current?.rowID)
    }

    private mutating func goToMatch(_ step: Int) {
        guard let search = self.search else { return }
        let found = Set(search.shown(self.haystacks))
        let count = self.shown.count
        for distance in 1..<max(2, count) {
            let place = ((self.cursor + step * distance) % max(1, count) + count) % max(1, count)
            if self.shown.indices.contains(place), found.contains(self.shown[place]) { return self.go(to: place) }
        }
    }

    // MARK: Columns

    /// The titles of all columns, text keys, with whether the person wants to see them.
    package var columnChoices: [ColumnChoice] {
        self.columns.enumerated().map { ColumnChoice(title: $1.title, isShown: !self.hiddenColumns.contains($0)) }
    }

    /// Hides columns by their numbers; one at least stays.
    package mutating func hide(columns: Set<Int>) {
        guard self.columns.indices.contains(where: { !columns.contains($0) }) else { return }
        self.hiddenColumns = columns
    }

    private mutating func go(to place: Int) {
        self.cursor = max(0, min(place, self.shown.count - 1))
        self.keepVisible()
    }

    private mutating func toggleMark() {
        guard let id = self.current?.rowID else { return }
        if self.marks.remove(id) == nil { self.marks.insert(id) }
        self.go(to: self.cursor + 1)
    }

    /// The first time it begins a range, the second time the rows between are marked.
    private mutating func toggleRange() {
        guard self.rangeStart != nil else { return self.rangeStart = self.current?.rowID }
        self.marks.formUnion(self.rangeIDs)
        self.rangeStart = nil
    }

    private var rangeIDs: Set<Row.RowID> {
        guard let start = self.rangeStart,
            let place = self.shown.firstIndex(where: { self.rows[$0].rowID == start })
        else { return [] }
        let ends = min(place, self.cursor)...max(place, self.cursor)
        return Set(self.shown[ends].map { self.rows[$0].rowID })
    }

    // MARK: Drawing

    /// Tells how many rows fit under the heading, and in how many cells.
    package mutating func setHeight(_ height: Int, width: Int? = nil) {
        self.height = max(1, height)
        self.width = width ?? self.width
        self.keepVisible()
    }

    private mutating func keepVisible() {
        if self.cursor < self.top { self.top = self.cursor }
        if self.cursor >= self.top + self.height { self.top = self.cursor - self.height + 1 }
        self.top = max(0, min(self.top, self.shown.count - self.height))
    }

    /// The heading and the rows that fit.
    package func lines(width: Int, _ look: Look) -> [Line] {
        let columns = self.shownColumns(width: width)
        let widths = Self.widths(columns.map(\.element), room: width - 2 - 2 * (columns.count - 1))
        var heading = Line(self.passedColumns > 0 ? "‹ " : "  ", .accent)
        for (place, (number, column)) in columns.enumerated() {
            if place > 0 { heading += Line("  ") }
            let arrow = number == self.sortColumn ? (self.isDescending ? " ↓" : " ↑") : ""
            let title =
                Cells.cut(Cells.drawable(look(column.title)), to: widths[place] - Cells.width(of: arrow)) + arrow
            heading += Line(Cells.fitted(title, to: widths[place], onTheRight: column.isOnTheRight), .heading)
        }
        let range = self.rangeIDs
        let rows = self.shown.indices.dropFirst(self.top).prefix(self.height).map { place in
            let row = self.rows[self.shown[place]]
            let isMarked = self.marks.contains(row.rowID) || range.contains(row.rowID)
            var line = Line(place == self.cursor ? ">" : " ", .accent) + Line(isMarked ? "*" : " ", .marked)
            for (index, (_, column)) in columns.enumerated() {
                if index > 0 { line += Line("  ") }
                line += column.cell(of: row, width: widths[index], isMarked: isMarked, look)
            }
            return place == self.cursor ? line.fitted(to: width).restyled(.selected) : line
        }
        return [heading] + rows
    }

    /// Columns that fit: where names would have no room, the last columns with a width of their own give way.
    private func shownColumns(width: Int) -> [(offset: Int, element: TableColumn<Row>)] {
        let wanted = self.columns.enumerated().filter { !self.hiddenColumns.contains($0.offset) }
        var columns = wanted.filter { $0.element.minimumScreen <= width }
        if columns.isEmpty { columns = wanted }
        // Sideways every column comes, also those for wider screens.
        if self.passedColumns > 0 { columns = Array(wanted.prefix(1) + wanted.dropFirst(1 + self.passedColumns)) }
        while columns.count > 1 {
            let open = columns.filter { $0.element.width == nil }.count
            let fixed = columns.reduce(0) { $0 + ($1.element.width ?? 0) }
            let left = width - 2 - 2 * (columns.count - 1) - fixed
            guard left < Self.narrowest * open, let last = columns.lastIndex(where: { $0.element.width != nil }) else {
                break
            }
            columns.remove(at: last)
        }
        return columns
    }

    private static func widths(_ columns: [TableColumn<Row>], room: Int) -> [Int] {
        let fixed = columns.reduce(0) { $0 + ($1.width ?? 0) }
        let open = columns.filter { $0.width == nil }.count
        let left = max(0, room - fixed)
        var number = 0
        return columns.map { column in
            if let width = column.width { return width }
            number += 1
            return left * number / open - left * (number - 1) / open
        }
    }

    /// The title of every column with its text in the row with the cursor, hidden columns too; empty without a row.
    package func detail(_ look: Look) -> [(title: String, text: String)] {
        guard let row = self.current else { return [] }
        return self.columns.map { column in
            let behind = column.behind(row).map { "  \($0)" } ?? ""
            return (look(column.title), column.value(row, look) + behind)
        }
    }

    /// The titles of all columns, then the texts of the rows that are shown; an id behind a text is in brackets.
    package func texts(_ look: Look) -> [[String]] {
        let titles = self.columns.map { look($0.title) }
        return [titles]
            + self.shownRows.map { row in
                self.columns.map { column in
                    let behind = column.behind(row).map { " (\($0))" } ?? ""
                    return column.value(row, look) + behind
                }
            }
    }

    /// Names of what the rows are, as requests name it.
    package var names: [String] { self.rows.compactMap(\.requestName) }

    /// Names of the marked rows, or of the one with the cursor.
    package var targetNames: [String] { self.targets.compactMap(\.requestName) }

    /// `3/120, 2 marked, filter: zh`
    package func summary(_ look: Look) -> String {
        var parts = ["\(min(self.cursor + 1, self.shown.count))/\(self.shown.count)"]
        let marked = self.marks.union(self.rangeIDs).count
        if marked > 0 { parts.append(look("console.table.marked", ["count": String(marked)])) }
        if !self.filter.isEmpty {
            let key = self.isFilterWrong ? "console.table.wrongFilter" : "console.table.filter"
            parts.append(look(key, ["filter": self.filter, "all": String(self.rows.count)]))
        }
        return parts.joined(separator: "  ")
    }
}
