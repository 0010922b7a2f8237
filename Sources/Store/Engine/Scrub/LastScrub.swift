import ByteCodec

/// Last round of the scrub over the database of a running server: a small file in the folder, for the doctor and the metrics. It
/// is a hint, as `LastVerify` is.
package struct LastScrub: Hashable, Sendable {
    /// Time of its end, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Rows of messages and edits whose hashes were compared.
    package var rows: Int64
    /// Tables whose structure was checked against their indexes.
    package var tables: Int64
    /// Tables that take too long for that beside people; `teahouse verify` checks them.
    package var passedOver: Int64
    /// Number of faults.
    package var findings: Int64

    package init(atMilliseconds: Int64, rows: Int64, tables: Int64, passedOver: Int64, findings: Int64) {
        self.atMilliseconds = atMilliseconds
        self.rows = rows
        self.tables = tables
        self.passedOver = passedOver
        self.findings = findings
    }

    private static func note(in folder: String) -> FolderNote { FolderNote("last-scrub.json", in: folder) }

    /// Replaces what was there, wholly or not at all; readable for the owner alone. Blocks.
    ///
    /// - Returns: whether it is on the disk.
    @discardableResult
    package func write(in folder: String) -> Bool {
        Self.note(in: folder).write { json in
            let numbers: [(StaticString, Int64)] = [
                ("at", self.atMilliseconds), ("rows", self.rows), ("tables", self.tables),
                ("passedOver", self.passedOver), ("findings", self.findings),
            ]
            for (key, number) in numbers {
                json.key(key)
                json.integer(number)
            }
        }
    }

    /// Reads what the last round left; `nil` when there was none, or when it cannot be read. Blocks.
    package static func read(in folder: String) -> LastScrub? {
        guard let json = Self.note(in: folder).read() else { return nil }
        let numbers = ["at", "rows", "tables", "passedOver", "findings"].compactMap { json[$0]?.integer }
        guard numbers.count == 5, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        return LastScrub(
            atMilliseconds: numbers[0], rows: numbers[1], tables: numbers[2], passedOver: numbers[3],
            findings: numbers[4])
    }
}
