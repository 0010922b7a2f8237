/// A record of a table of comma-separated values.
package struct CSVRow: Hashable, Sendable {
    /// The line it begins in, from 1.
    package var line: Int
    /// Fields of the record, or the reason why it cannot be read.
    package var fields: Result<[String], CSVProblem>
}

/// Reason why a record cannot be read. The records after it are read all the same.
package enum CSVProblem: String, Error, Hashable, Sendable {
    /// A quote inside a field that does not begin with one, or something behind the closing one.
    case strayQuote
    /// The text ends inside of quotes.
    case openQuote
    case notUTF8
    /// More bytes than a record may have.
    case tooLong
}

/// Reads comma-separated values piece by piece: fields in quotes may hold commas, line breaks, and quotes written twice;
/// lines end with LF or CRLF; a byte order mark at the beginning and empty lines are skipped.
///
/// Source: RFC 4180, section 2. Text is UTF-8.
package struct CSVReader {
    /// Most bytes of a record, its quotes not counted.
    package static let maximumRecordBytes = 64 * 1024

    private enum Place {
        case fieldStart
        case plain
        case quoted
        /// Behind a quote inside of quotes: the second of two, or the closing one.
        case quote
        /// In a record that is wrong, up to its end.
        case skipping
    }

    private var place = Place.fieldStart
    private var fields: [[UInt8]] = []
    private var field: [UInt8] = []
    private var bytes = 0
    private var problem: CSVProblem?
    private var line = 1
    private var firstLine = 1
    /// Bytes of the byte order mark still to be looked at; `nil` once it is decided.
    private var mark: [UInt8]? = []

    /// Makes a reader at the start of a file.
    package init() {}

    /// Reads a piece of the text.
    ///
    /// - Returns: the records that end in it.
    package mutating func read(_ piece: some Sequence<UInt8>) -> [CSVRow] {
        var rows: [CSVRow] = []
        for byte in piece { self.pass(byte, &rows) }
        return rows
    }

    /// The text is over: the last record may lack its line end.
    package mutating func end() -> [CSVRow] {
        var rows: [CSVRow] = []
        for byte in self.mark ?? [] { self.takeByte(byte, &rows) }
        self.mark = nil
        if self.place == .quoted { self.problem = .openQuote }
        self.endRecord(&rows)
        return rows
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private mutating func pass(_ byte: UInt8, _ rows: inout [CSVRow]) {
        guard var mark = self.mark else { return self.takeByte(byte, &rows) }
        mark.append(byte)
        self.mark = mark
        guard !Self.byteOrderMark.starts(with: mark) || mark == Self.byteOrderMark else { return }
        self.mark = nil
        if mark != Self.byteOrderMark { for byte in mark { self.takeByte(byte, &rows) } }
    }

    private mutating func takeByte(_ byte: UInt8, _ rows: inout [CSVRow]) {
        if byte == UInt8(ascii: "\n") { self.line += 1 }
        switch (self.place, byte) {
        case (.quoted, UInt8(ascii: "\"")): self.place = .quote
        case (.quoted, _): self.add(byte)
        case (_, UInt8(ascii: "\n")):
            // Of a line end CRLF the CR was taken for a byte of the field.
            if self.field.last == UInt8(ascii: "\r"), self.place != .quote { self.field.removeLast() }
            self.endRecord(&rows)
        case (.skipping, _): break
        case (.quote, UInt8(ascii: "\"")):
            self.add(byte)
            self.place = .quoted
        case (_, UInt8(ascii: ",")): self.endField()
        case (.quote, UInt8(ascii: "\r")): break
        case (.fieldStart, UInt8(ascii: "\"")): self.place = .quoted
        case (.quote, _), (.plain, UInt8(ascii: "\"")): self.fail(.strayQuote)
        case (.fieldStart, _), (.plain, _):
            self.place = .plain
            self.add(byte)
        }
    }

    private mutating func add(_ byte: UInt8) {
        self.bytes += 1
        guard self.bytes <= Self.maximumRecordBytes else { return self.fail(.tooLong) }
        self.field.append(byte)
    }

    private mutating func fail(_ problem: CSVProblem) {
        self.problem = problem
        self.place = .skipping
        self.fields = []
        self.field = []
    }

    private mutating func endField() {
        self.fields.append(self.field)
        self.field = []
        self.place = .fieldStart
    }

    private mutating func endRecord(_ rows: inout [CSVRow]) {
        defer {
            self.place = .fieldStart
            self.fields = []
            self.field = []
            self.bytes = 0
            self.problem = nil
            self.firstLine = self.line
        }
        if let problem = self.problem {
            return rows.append(CSVRow(line: self.firstLine, fields: .failure(problem)))
        }
        let isQuoted = self.place == .quote
        guard isQuoted || !self.fields.isEmpty || !self.field.isEmpty else { return }
        self.fields.append(self.field)
        let texts = self.fields.compactMap { String(validating: $0, as: UTF8.self) }
        let isWhole = texts.count == self.fields.count
        rows.append(CSVRow(line: self.firstLine, fields: isWhole ? .success(texts) : .failure(.notUTF8)))
    }
}
