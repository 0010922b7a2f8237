import ByteCodec

/// Answer to one request for rows. Pure.
struct Page: Sendable {
    let bytes: [UInt8]
    let rows: [Range<Int>]
    /// Cursor of the scan's next page; `nil` at the end.
    let cursor: String?
    /// Number that a count was answered with.
    let count: Int64?

    /// Reads `[...]`, or `{"results":[...],"cursor":...}`; `nil` when it is neither, or not whole.
    init?(_ bytes: [UInt8]) {
        let found = bytes.withUnsafeBytes { text -> (rows: [Range<Int>], cursor: Range<Int>?, count: Range<Int>?)? in
            let start = LooseJSON.skipSpace(text, 0)
            if let list = LooseJSON.elements(text, start) {
                return LooseJSON.skipSpace(text, list.end) == text.count ? (list.ranges, nil, nil) : nil
            }
            guard let object = LooseJSON.members(text, start), LooseJSON.skipSpace(text, object.end) == text.count
            else { return nil }
            func value(_ name: String) -> Range<Int>? {
                object.members.last { text[$0.name].elementsEqual(name.utf8) }?.value
            }
            guard let results = value("results"), let list = LooseJSON.elements(text, results.lowerBound) else {
                return nil
            }
            return (list.ranges, value("cursor"), value("count"))
        }
        guard let found else { return nil }
        self.bytes = bytes
        self.rows = found.rows
        let texts = [found.cursor, found.count].map { range in
            range.map { String(decoding: bytes[$0], as: UTF8.self) }
        }
        // A cursor is a text; one that is a number is taken as well.
        let cursor = texts[0].flatMap { $0 == "null" ? nil : $0 }
        self.cursor = cursor.map { $0.hasPrefix("\"") ? String($0.dropFirst().dropLast()) : $0 }
            .flatMap { $0.isEmpty ? nil : $0 }
        self.count = texts[1].flatMap { Int64($0) }
    }

    /// Gives each row, or why it is none, and its bytes as they came.
    func forEach<Failure: Error>(
        _ body: (Result<Row, Row.Oddity>, [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        for range in self.rows {
            let bytes = Array(self.bytes[range])
            try body(Row.read(bytes), bytes)
        }
    }
}
