import ByteCodec

/// Rows of a table as a file; the first one has the titles.
enum TableText {
    /// Values with commas between them, as RFC 4180 says. A value that a spreadsheet would take for a formula has an
    /// apostrophe in front.
    static func csv(_ rows: [[String]]) -> String {
        rows.map { row in row.map(Self.csvCell).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func csvCell(_ value: String) -> String {
        let isFormula = value.first.map { "=+-@\t\r".contains($0) } ?? false
        let isNumber = Double(value) != nil
        let value = isFormula && !isNumber ? "'" + value : value
        guard value.contains(where: { $0 == "\"" || $0 == "," || $0.isNewline }) else { return value }
        return "\"" + value.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }

    /// One object for each row, by the titles.
    static func json(_ rows: [[String]]) -> String {
        guard let titles = rows.first else { return "[]\n" }
        let objects = rows.dropFirst().map { row in
            JSONValue.object(zip(titles, row).map { JSONValue.Member($0, .string($1)) })
        }
        return String(decoding: JSONValue.array(Array(objects)).serialized(), as: UTF8.self) + "\n"
    }
}
