/// Cuts a file that LeanCloud exported into the rows of its class.
///
/// Its exports hold one JSON object in each line, behind a first line `#filetype:JSON-streaming {"type":"Class",...}`.
/// An array of objects is taken too, and what its REST API answers, `{"results":[...]}`, also several of these behind
/// each other. Rows are not read: of each only where it begins and ends is found. A row that is broken does not take
/// the rows behind it along, as far as lines tell where these begin. Source: LeanCloud data export guide; files of
/// its console.
package struct LeanCloudExportSplitter: Sendable {
    /// One row.
    package struct Row: Hashable, Sendable {
        /// The line it begins in, from 1.
        package var line: Int
        /// `nil` for one that is longer than allowed.
        package var text: [UInt8]?
    }

    private enum Shape {
        /// Nothing has come but white space, comments, and what may begin an answer of the REST API.
        case unknown
        case lines
        case list
    }

    /// How an answer of the REST API begins, without white space.
    private static let opening = Array(#"{"results":["#.utf8)
    /// Bytes that may come before it is known whether a file begins like that.
    private static let maximumOpeningBytes = 256
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let maximumBytes: Int
    private var shape = Shape.unknown
    /// Line of the next byte.
    private var line = 1
    /// Line in which what is pending began.
    private var startLine = 1
    private var pending: [UInt8] = []
    /// The row is longer than allowed: what comes of it is thrown away.
    private var isTooLong = false
    /// A comment lasts to the end of its line.
    private var isInComment = false
    /// Brackets that are open in the row of a list; 0 between rows.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// - Parameter maximumBytes: of one row.
    package init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// The rows that the next piece of the file completes.
    package mutating func read(_ bytes: some Collection<UInt8>) -> [Row] {
        var rows: [Row] = []
        for byte in bytes {
            self.takeByte(byte, &rows)
            if byte == UInt8(ascii: "\n") { self.line += 1 }
        }
        return rows
    }

    /// Takes what is left at the end of the file.
    package mutating func end() -> [Row] {
        defer { self.clear() }
        guard !self.pending.isEmpty || self.isTooLong, self.depth > 0 || self.shape != .list else { return [] }
        return self.isBlank ? [] : [self.row]
    }

    private mutating func takeByte(_ byte: UInt8, _ rows: inout [Row]) {
        if self.isInComment {
            if byte == UInt8(ascii: "\n") { self.isInComment = false }
            return
        }
        switch self.shape {
        case .unknown: self.takeFirst(byte, &rows)
        case .lines: self.takeOfLine(byte, &rows)
        case .list: self.takeOfList(byte, &rows)
        }
    }

    // MARK: Which shape

    private mutating func takeFirst(_ byte: UInt8, _ rows: inout [Row]) {
        if self.pending.isEmpty {
            if Self.isSpace(byte) { return }
            self.startLine = self.line
        }
        if self.pending.isEmpty && byte == UInt8(ascii: "#") {
            self.isInComment = true
            return
        }
        if self.pending.isEmpty && byte == UInt8(ascii: "[") {
            self.shape = .list
            return
        }
        self.pending.append(byte)
        if self.pending == Self.byteOrderMark { return self.clear() }
        if self.pending.count < 3 && Self.byteOrderMark.starts(with: self.pending) { return }
        let begun = self.pending.filter { !Self.isSpace($0) }
        if begun == Self.opening {
            self.shape = .list
            return self.clear()
        }
        guard Self.opening.starts(with: begun), self.pending.count < Self.maximumOpeningBytes else {
            // What came so far may be more than a line.
            let begin = self.pending
            self.clear()
            self.shape = .lines
            for (index, byte) in begin.enumerated() {
                if index > 0 && begin[index - 1] == UInt8(ascii: "\n") { self.startLine += 1 }
                self.takeOfLine(byte, &rows, startsAt: self.startLine)
            }
            return
        }
    }

    // MARK: Lines

    private mutating func takeOfLine(_ byte: UInt8, _ rows: inout [Row], startsAt line: Int? = nil) {
        guard byte != UInt8(ascii: "\n") else {
            if !self.isBlank { rows.append(self.row) }
            return self.clear()
        }
        if self.pending.isEmpty && !self.isTooLong {
            if Self.isSpace(byte) { return }
            self.startLine = line ?? self.line
            if byte == UInt8(ascii: "#") {
                self.isInComment = true
                return
            }
        }
        self.keep(byte)
    }

    // MARK: Lists

    private mutating func takeOfList(_ byte: UInt8, _ rows: inout [Row]) {
        if self.depth == 0 {
            // Between rows: commas, the end of the list, and what an answer has beside it.
            guard byte == UInt8(ascii: "{") else { return }
            self.startLine = self.line
            self.depth = 1
            return self.keep(byte)
        }
        self.keep(byte)
        if self.isEscaped {
            self.isEscaped = false
            return
        }
        if self.isInString {
            switch byte {
            case UInt8(ascii: "\""): self.isInString = false
            case UInt8(ascii: "\\"): self.isEscaped = true
            // No text of JSON goes over the end of its line: the row is broken, the next one may not be.
            case UInt8(ascii: "\n"): self.finishRow(&rows)
            default: break
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): self.isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            self.depth += 1
            if self.depth == 2 && self.opensAnswer { self.clear() }
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            self.depth -= 1
            if self.depth == 0 { self.finishRow(&rows) }
        default: break
        }
    }

    /// True when the pending bytes are no row, but the beginning of another answer.
    private var opensAnswer: Bool {
        self.pending.count < Self.maximumOpeningBytes && self.pending.filter { !Self.isSpace($0) } == Self.opening
    }

    private mutating func finishRow(_ rows: inout [Row]) {
        rows.append(self.row)
        self.clear()
    }

    // MARK: What is pending

    private var isBlank: Bool { self.pending.isEmpty && !self.isTooLong }

    private var row: Row { Row(line: self.startLine, text: self.isTooLong ? nil : self.pending) }

    private mutating func keep(_ byte: UInt8) {
        guard !self.isTooLong else { return }
        guard self.pending.count < self.maximumBytes else {
            self.isTooLong = true
            self.pending = []
            return
        }
        self.pending.append(byte)
    }

    private mutating func clear() {
        self.pending.removeAll(keepingCapacity: true)
        self.isTooLong = false
        self.depth = 0
        self.isInString = false
        self.isEscaped = false
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}
