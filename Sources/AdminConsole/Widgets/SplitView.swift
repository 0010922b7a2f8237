/// A table at the left and what is known of its row with the cursor at the right.
enum SplitView {
    /// Screens with fewer cells show the table alone.
    private static let leastWidth = 120
    /// Cells of the part at the right.
    private static let detailWidths = 40...70
    /// Cells of the rule between both.
    static let ruleWidth = 3

    /// Cells of the table on a screen of so many; all of them where nothing stands beside it.
    static func tableWidth(of width: Int, _ look: Look) -> Int {
        guard look.isSplit, width >= self.leastWidth else { return width }
        let detail = min(max(width / 3, self.detailWidths.lowerBound), self.detailWidths.upperBound)
        return width - detail - self.ruleWidth
    }

    /// Titles with their texts in full, broken into lines where they are too long.
    static func lines(_ parts: [(title: String, text: String)], width: Int) -> [Line] {
        let titles = parts.map { Cells.width(of: Cells.drawable($0.title)) }.max() ?? 0
        let label = min(titles, max(8, width / 3)) + 1
        return parts.filter { !$0.text.isEmpty }.flatMap { part in
            let texts = part.text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
                Cells.wrapped(Cells.drawable(String($0)), to: max(1, width - label))
            }
            return texts.enumerated().map { number, text in
                let title = number == 0 ? Cells.drawable(part.title) : ""
                return Line(Cells.fitted(title, to: label), .dim) + Line(text)
            }
        }
    }

    /// Both beside each other, `height` lines.
    static func beside(_ table: [Line], _ detail: [Line], tableWidth: Int, width: Int, height: Int) -> [Line] {
        let detailWidth = width - tableWidth - self.ruleWidth
        return (0..<max(0, height)).map { row in
            let left = row < table.count ? table[row] : Line()
            // What does not fit is in the page of the row.
            let isCut = row == height - 1 && detail.count > height
            let right = isCut ? Line("…", .dim) : row < detail.count ? detail[row] : Line()
            return left.fitted(to: tableWidth) + Line(" │ ", .dim) + right.fitted(to: detailWidth)
        }
    }
}
