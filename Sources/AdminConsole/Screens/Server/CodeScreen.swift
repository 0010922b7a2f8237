import QRCode

/// A text as a QR code for phones, with the text and what to know about it beside it.
struct CodeScreen: Screen {
    /// Nothing: no key means more here than everywhere.
    typealias Command = Void

    /// Cells between the code and the words, and the fewest cells that the words have beside it.
    private static let gap = 2
    private static let leastWords = 24

    let title: String
    let keys: [KeyBinding<Command>] = []
    private let text: String
    private let remarks: [String]
    private let code: [String]

    /// - Parameters:
    ///   - title: text key.
    ///   - text: what phones read.
    ///   - remarks: sentences for the operator, in their language.
    init(title: String, text: String, remarks: [String] = []) {
        self.title = title
        self.text = text
        self.remarks = remarks
        self.code = QRCode(text)?.lines ?? []
    }

    var copied: String? { self.text }

    mutating func update(_ command: Command, _ look: Look) -> [Intent] { [] }

    /// The code beside the words where all of it has room, with half of its light margin where that is needed; else the words
    /// and how large the window has to be.
    func lines(width: Int, height: Int, _ look: Look) -> [Line] {
        let codeWidth = self.code.first?.count ?? 0
        let trimmed = Array(self.code.dropFirst().dropLast())
        let shown = self.code.count <= height ? self.code : trimmed
        let words = width - codeWidth - Self.gap - 1
        guard codeWidth > 0, shown.count <= height, words >= Self.leastWords else {
            let size = [
                "columns": String(codeWidth + Self.gap + 1 + Self.leastWords),
                "rows": String(trimmed.count + Console.rowsAbove + Console.rowsBelow),
            ]
            let hint = codeWidth > 0 ? [look("console.code.larger", size)] : []
            return Array(self.words(hint, width: max(1, width - 2)).prefix(height))
        }
        let beside = self.words([], width: words)
        return (0..<max(shown.count, min(beside.count, height))).map { row in
            let code = row < shown.count ? shown[row] : String(repeating: " ", count: codeWidth)
            let gap = Line(String(repeating: " ", count: Self.gap))
            return Line(code, row < shown.count ? .code : .plain) + gap + (row < beside.count ? beside[row] : Line())
        }
    }

    private func words(_ hints: [String], width: Int) -> [Line] {
        func wrapped(_ text: String, _ style: Style) -> [Line] {
            Cells.wrapped(Cells.drawable(text), to: width).map { Line(" " + $0, style) } + [Line()]
        }
        return wrapped(self.text, .title) + (hints + self.remarks).flatMap { wrapped($0, .plain) }
    }
}
