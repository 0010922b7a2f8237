import ChatModel
import Foundation
import Testing

@testable import Store

@Suite("The schema of a new database")
struct SchemaTests {
    /// Everything that the database says about its tables, indexes and triggers, one fact a line.
    static func facts(_ connection: Connection) throws -> Set<String> {
        let entries = try connection.query(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        ) { row throws(StoreError) in (type: row.text(0), name: row.text(1), table: row.text(2), sql: row.text(3)) }
        var facts: Set<String> = []
        for entry in entries {
            guard entry.type == "table" else {
                facts.insert("\(entry.type) \(entry.name) on \(entry.table): \(Self.plain(entry.sql))")
                continue
            }
            for part in try Self.parts(entry.sql) { facts.insert("table \(entry.name): \(part)") }
            let columns = try connection.query(
                "SELECT cid, name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?)", entry.name
            ) { row throws(StoreError) in
                "\(row.int64(0)) \(row.text(1)) \(row.text(2)), not null \(row.int64(3)), default "
                    + "\(row.optionalText(4) ?? "none"), key \(row.int64(5)), hidden \(row.int64(6))"
            }
            for column in columns { facts.insert("column \(entry.name): \(column)") }
        }
        return facts
    }

    /// A statement without comments and line breaks.
    private static func plain(_ sql: String) -> String {
        sql.replacing(/--[^\n]*/, with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The definitions inside `CREATE TABLE name (...)`, and what comes after them. Their order may differ: SQLite adds
    /// a column behind the constraints.
    private static func parts(_ sql: String) throws -> [String] {
        let text = Self.plain(sql)
        let first = try #require(text.firstIndex(of: "("))
        let last = try #require(text.lastIndex(of: ")"))
        var parts = [""]
        var depth = 0
        for character in text[text.index(after: first)..<last] {
            switch character {
            case ",": if depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
            case "(", ")":
                depth += character == "(" ? 1 : -1
                parts[parts.count - 1].append(character)
            default: parts[parts.count - 1].append(character)
            }
        }
        return parts.map { $0.trimmingCharacters(in: .whitespaces) } + ["\(text[last...])"]
    }

    private static func rows(_ connection: Connection) throws -> [String] {
        try connection.query(
            """
            SELECT 'meta ' || key FROM meta UNION ALL SELECT 'secret ' || name || ' ' || length(value) FROM secret
            UNION ALL SELECT 'user ' || id || ' ' || name || ' ' || role FROM user ORDER BY 1
            """
        ) { row throws(StoreError) in row.text(0) }
    }

    private static func connection(_ folder: TemporaryFolder) throws -> Connection {
        mkdir(folder.data, 0o700)
        return try Connection(path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
    }

    @Test("is that of a database of each earlier version after its migration", arguments: 1...newestSchemaVersion)
    func equals(_ version: Int) throws {
        let folders = (TemporaryFolder(), TemporaryFolder())
        let fresh = try Self.connection(folders.0)
        try fresh.migrate(clock: 1, epoch: 2)
        let migrated = try Self.connection(folders.1)
        try migrated.makeDatabase(ofVersion: version)
        try migrated.migrate(clock: 3, epoch: 4)
        let wanted = try Self.facts(fresh)
        let found = try Self.facts(migrated)
        #expect(wanted.subtracting(found).sorted() == [], "only in a new database")
        #expect(found.subtracting(wanted).sorted() == [], "only in a migrated one")
        #expect(try Self.rows(fresh) == Self.rows(migrated))
        #expect(try fresh.schemaVersion() == newestSchemaVersion)
    }

    @Test("has the version of the last migration")
    func version() {
        #expect(migrations.last?.version == newestSchemaVersion)
        #expect(migrations.map(\.version) == migrations.map(\.version).sorted())
    }
}
