/// Meaning of a piece of text, from which the terminal makes its look. Never the only sign of something.
package enum Style: Hashable, Sendable, CaseIterable {
    case plain
    case dim
    case title
    case heading
    case key
    case good
    case warning
    case bad
    case accent
    /// The row with the cursor.
    case selected
    case marked
    case bar
    case currentTab
    case input
    /// A QR code: black on white whatever the colours are.
    case code
}

/// Text of one style.
package struct Span: Hashable, Sendable {
    /// Text, drawable in cells.
    package var text: String
    /// Style of the text.
    package var style: Style

    /// - Parameter text: may come from outside: it is made drawable.
    package init(_ text: String, _ style: Style = .plain) {
        self.text = Cells.drawable(text)
        self.style = style
    }
}

/// One row of the screen, or a part of one.
package struct Line: Hashable, Sendable {
    /// Pieces of the line, none of them empty.
    package private(set) var spans: [Span]

    package init(_ spans: [Span]) { self.spans = spans.filter { !$0.text.isEmpty } }

    /// - Parameter text: may come from outside: it is made drawable.
    package init(_ text: String = "", _ style: Style = .plain) { self.init([Span(text, style)]) }

    /// Text without its styles.
    package var text: String { self.spans.map(\.text).joined() }
    /// Width in cells.
    package var width: Int { self.spans.reduce(0) { $0 + Cells.width(of: $1.text) } }

    /// Both lines, one after the other.
    package static func + (left: Line, right: Line) -> Line { Line(left.spans + right.spans) }

    /// Appends a line.
    package static func += (left: inout Line, right: Line) { left = left + right }

    /// The line in exactly `width` cells: cut with `…`, or filled with spaces of `fill`.
    package func fitted(to width: Int, fill: Style = .plain) -> Line {
        let own = self.width
        guard own > width else {
            return Line(self.spans + [Span(String(repeating: " ", count: width - own), fill)])
        }
        var spans: [Span] = []
        var room = width
        for span in self.spans {
            let cells = Cells.width(of: span.text)
            // The last cell is kept for the `…`.
            if cells < room {
                spans.append(span)
                room -= cells
                continue
            }
            var cut = span
            cut.text = Cells.fitted(span.text + "  ", to: room)
            spans.append(cut)
            break
        }
        return Line(spans)
    }

    /// The whole line in another style.
    package func restyled(_ style: Style) -> Line {
        Line(self.spans.map { Span($0.text, style) })
    }

    /// `left` and `right` at the two ends of `width` cells; the left one gives way.
    package static func spread(_ left: Line, _ right: Line, width: Int, fill: Style = .plain) -> Line {
        let room = width - right.width
        guard room > 0 else { return right.fitted(to: width, fill: fill) }
        return left.fitted(to: room, fill: fill) + right
    }
}

/// A rectangle of lines with what lies over it.
package struct Picture: Hashable, Sendable {
    /// Rows from the top.
    package var lines: [Line]
    /// Where the person types; `nil` when nothing is typed.
    package var cursor: Place?

    /// A cell of the picture.
    package struct Place: Hashable, Sendable {
        /// Row, from 0.
        package var row: Int
        /// Column in cells, from 0.
        package var column: Int

        package init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    package init(lines: [Line], cursor: Place? = nil) {
        self.lines = lines
        self.cursor = cursor
    }

    /// Exactly `height` lines of `width` cells.
    package func fitted(width: Int, height: Int) -> Picture {
        var lines = self.lines.prefix(height).map { $0.fitted(to: width) }
        while lines.count < height { lines.append(Line(String(repeating: " ", count: width))) }
        return Picture(lines: lines, cursor: self.cursor)
    }

    /// Puts a box with a title over the middle.
    ///
    /// - Parameters:
    ///   - box: its lines, without the frame.
    ///   - width: cells inside the frame.
    package func covered(by box: Picture, title: String, width: Int) -> Picture {
        var picture = self
        let rows = self.lines.count
        let columns = self.lines.first?.width ?? 0
        let inside = max(1, min(width, columns - 4))
        let height = min(box.lines.count, rows - 2)
        let top = max(0, (rows - height - 2) / 2)
        let left = max(0, (columns - inside - 4) / 2)
        let heading = Cells.cut(Cells.drawable(title), to: inside - 2)
        let rule = String(repeating: "─", count: inside - Cells.width(of: heading))
        let head = Line("┌ \(heading) \(rule)┐", .accent)
        picture.overlay(head, row: top, column: left)
        for (index, line) in box.lines.prefix(height).enumerated() {
            let framed = Line("│ ", .accent) + line.fitted(to: inside) + Line(" │", .accent)
            picture.overlay(framed, row: top + 1 + index, column: left)
        }
        let foot = Line("└" + String(repeating: "─", count: inside + 2) + "┘", .accent)
        picture.overlay(foot, row: top + 1 + height, column: left)
        picture.cursor = box.cursor.map { Place(row: $0.row + top + 1, column: $0.column + left + 2) }
        return picture
    }

    private mutating func overlay(_ line: Line, row: Int, column: Int) {
        guard self.lines.indices.contains(row) else { return }
        let under = self.lines[row]
        let end = column + line.width
        self.lines[row] = under.part(0, column) + line + under.part(end, max(end, under.width))
    }
}

extension Line {
    /// The cells from `start` up to `end`. Half of a wide character becomes a space.
    func part(_ start: Int, _ end: Int) -> Line {
        var spans: [Span] = []
        var at = 0
        for span in self.spans {
            var text = ""
            for character in span.text {
                let cells = Cells.width(of: String(character))
                if at >= start && at + cells <= end {
                    text.append(character)
                } else {
                    let seen = max(0, min(at + cells, end) - max(at, start))
                    text += String(repeating: " ", count: seen)
                }
                at += cells
            }
            spans.append(Span(text, span.style))
        }
        return Line(spans)
    }
}
