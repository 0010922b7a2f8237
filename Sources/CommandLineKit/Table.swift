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
    package var text: String {
        var widths = self.columns.map { displayWidth(of: $0.title) }
        for row in self.rows {
            for (index, value) in row.enumerated() { widths[index] = max(widths[index], displayWidth(of: value)) }
        }
        var text = self.line(self.columns.map(\.title), widths)
        for row in self.rows { text += self.line(row, widths) }
        return text
    }

    private func line(_ values: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, value) in values.enumerated() {
            if index > 0 { line += "  " }
            let padding = String(repeating: " ", count: widths[index] - displayWidth(of: value))
            line += self.columns[index].alignment == .left ? value + padding : padding + value
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}
