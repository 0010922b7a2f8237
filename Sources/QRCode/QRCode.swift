/// A QR code of a text: bytes in UTF-8, error correction M (about 15 % of the code may be lost), version 1...40.
///
/// Source: ISO/IEC 18004:2015; the numbers of sections below are its own.
package struct QRCode: Hashable, Sendable {
    /// Light modules that stand around a code. Source: section 6.3.8.
    package static let quietZone = 4
    /// Most bytes of a text: those of version 40.
    package static let maximumBytes = QRVersion(40).byteCapacity

    /// Modules of one side, without the quiet zone: 21...177.
    package let size: Int
    /// Row by row, true for dark.
    private let modules: [Bool]

    /// The smallest code that holds the text; `nil` for more than `maximumBytes`.
    package init?(_ text: String) { self.init(text, mask: nil) }

    /// - Parameter mask: 0...7; `nil` for the one with the least penalty.
    init?(_ text: String, mask: Int?) {
        let bytes = Array(text.utf8)
        guard let version = (1...40).lazy.map({ QRVersion($0) }).first(where: { bytes.count <= $0.byteCapacity }) else {
            return nil
        }
        var grid = QRGrid(version)
        grid.placeCodewords(version.codewords(of: bytes))
        self.size = version.size
        self.modules = grid.masked(by: mask)
    }

    /// True for a dark module; false outside of the code.
    package func isDark(row: Int, column: Int) -> Bool {
        (0..<self.size).contains(row) && (0..<self.size).contains(column) && self.modules[row * self.size + column]
    }
}

// MARK: Showing

extension QRCode {
    /// The code with its quiet zone as an SVG picture, one path; its side is measured in modules.
    package var svg: String {
        let side = self.size + 2 * Self.quietZone
        var path = ""
        for row in 0..<self.size {
            var column = 0
            while column < self.size {
                guard self.isDark(row: row, column: column) else {
                    column += 1
                    continue
                }
                var end = column
                while self.isDark(row: row, column: end) { end += 1 }
                path += "M\(column + Self.quietZone) \(row + Self.quietZone)h\(end - column)v1h-\(end - column)z"
                column = end
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path d="\(path)"/></svg>
            """
    }

    /// The code with its quiet zone in half-block characters, two rows of modules a line, one column a module; dark modules
    /// are drawn, so that it is read where the background is the lighter of two colours.
    package var lines: [String] {
        let range = -Self.quietZone..<self.size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            String(
                range.map { column -> Character in
                    switch (self.isDark(row: row, column: column), self.isDark(row: row + 1, column: column)) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }
    }
}
