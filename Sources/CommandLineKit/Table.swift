/// Rows under a heading, aligned by what terminals show.
package struct Table {
    /// Side at which a column's cells are aligned.
    package enum Alignment: Sendable { case left, right }

    /// Column of a table.
    package struct Column: Sendable {
        /// Heading of the column.
        package var title: String
        /// Side at which the cells are aligned.
        package var alignment: Alignment
        /// Most cells; longer values are cut with `…`.
        package var maximumWidth: Int

        package init(_ title: String, _ alignment: Alignment = .left, maximumWidth: Int = 40) {
            self.title = title
            self.alignment = alignment
            self.maximumWidth = maximumWidth
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// Makes an empty table with these columns.
    package init(_ columns: [Column]) { self.columns = columns }

    /// Adds one row; values may come from outside, they are escaped.
    package mutating func add(_ values: [String]) {
        precondition(values.count == self.columns.count, "a row has one value for each column")
        self.rows.append(zip(values, self.columns).map { DisplayText.cell($0, width: $1.maximumWidth) })
    }

    /// The table with its heading, two spaces between columns, no space at the end of a line.
    package var text: String { self.text(fitting: nil) }

    /// Cells that a column keeps, however narrow the terminal is.
    private static let narrowest = 8

    /// The same in so many cells, where that can be: the widest columns give way, their values end with `…`.
    ///
    /// - Parameter columns: cells of the terminal; `nil` for as many as it takes.
    package func text(fitting columns: Int?) -> String {
        var widths = self.columns.map { displayWidth(of: $0.title) }
        for row in self.rows {
            for (index, value) in row.enumerated() { widths[index] = max(widths[index], displayWidth(of: value)) }
        }
        if let columns { Self.narrow(&widths, to: columns - 2 * (widths.count - 1)) }
        var text = self.line(self.columns.map(\.title), widths)
        for row in self.rows { text += self.line(row, widths) }
        return text
    }

    /// Takes from the widest columns until all fit.
    private static func narrow(_ widths: inout [Int], to room: Int) {
        var missing = widths.reduce(0, +) - room
        while missing > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.narrowest
        {
            widths[widest] -= 1
            missing -= 1
        }
    }

    private func line(_ values: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, whole) in values.enumerated() {
            if index > 0 { line += "  " }
            let value = DisplayText.cell(whole, width: widths[index])
            let padding = String(repeating: " ", count: widths[index] - displayWidth(of: value))
            line += self.columns[index].alignment == .left ? value + padding : padding + value
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}
