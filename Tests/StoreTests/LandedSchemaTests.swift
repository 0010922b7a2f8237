import ChatModel
import Execution
import Foundation
import Testing

@testable import Store

/// The databases in Tests/Schemas, which `make.py` there makes from the history of git.
enum LandedSchemas {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Schemas")

    static let versions: [Int] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder.path)) ?? []
        return names.filter { $0.hasSuffix(".sql.gz") }.compactMap { Int($0.dropFirst(7).prefix(2)) }.sorted()
    }()

    /// Makes the database of one version in a folder.
    static func make(_ version: Int, in folder: TemporaryFolder) throws {
        let name = "schema-\(version < 10 ? "0" : "")\(version).sql.gz"
        let unpacking = Process()
        unpacking.executableURL = URL(filePath: "/usr/bin/env")
        unpacking.arguments = ["gzip", "-dc", Self.folder.appending(path: name).path]
        let output = Pipe()
        unpacking.standardOutput = output
        try unpacking.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        unpacking.waitUntilExit()
        #expect(unpacking.terminationStatus == 0 && !text.isEmpty, "\(name)")
        mkdir(folder.data, 0o700)
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
        // Rows may come before those that they point to.
        try connection.script("PRAGMA foreign_keys = OFF")
        try connection.script(String(decoding: text, as: UTF8.self))
    }
}

@Suite("Databases of every schema that landed")
struct LandedSchemaTests {
    private static func connection(_ folder: TemporaryFolder) throws -> Connection {
        try Connection(path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
    }

    /// Number of rows by table.
    private static func counts(_ connection: Connection) throws -> [String: Int64] {
        let names = try connection.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ) { row throws(StoreError) in row.text(0) }
        var counts: [String: Int64] = [:]
        for name in names {
            counts[name] = try connection.first(SQL(SQLText(stringLiteral: "SELECT count(*) FROM \"\(name)\""))) {
                row throws(StoreError) in row.int64(0)
            }
        }
        return counts
    }

    private static func bodies(_ connection: Connection) throws -> [String] {
        try connection.query(
            "SELECT conversation_id || ' ' || sequence || ' ' || CAST(body AS TEXT) FROM message ORDER BY 1"
        ) {
            row throws(StoreError) in row.text(0)
        }
    }

    @Test("are there, but for the newest, which the next one needs: python3 Tests/Schemas/make.py")
    func complete() {
        let landed = Set([1] + migrations.map(\.version)).filter { $0 < newestSchemaVersion }
        #expect(landed.subtracting(LandedSchemas.versions) == [])
    }

    @Test(
        "have the newest schema after a start, with all of their rows, and verify finds nothing",
        arguments: LandedSchemas.versions)
    func upgraded(_ version: Int) throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        try LandedSchemas.make(version, in: folder)
        mkdir(other.data, 0o700)
        let fresh = try Self.connection(other)
        try fresh.migrate(clock: 1, epoch: 2)
        do {
            let connection = try Self.connection(folder)
            #expect(try connection.schemaVersion() == version)
            let (rows, bodies) = (try Self.counts(connection), try Self.bodies(connection))
            #expect(bodies.count == 6 && (rows["user"] ?? 0) == 4)
            try connection.migrate(clock: 3, epoch: 4)
            let now = try Self.counts(connection)
            for (table, count) in rows {
                guard let after = now[table] else { continue }
                #expect(after >= count, "\(table)")
            }
            #expect(try Self.bodies(connection) == bodies)
            #expect(try SchemaTests.facts(connection) == SchemaTests.facts(fresh))
        }
        let report = try verifyFolder(folder.data)
        #expect(report.findings == [])
        #expect(report.messages == 6 && report.conversations == 3 && report.members == 4)
    }

    /// Upgrades that a start has told of.
    private final class Told: Sendable {
        let upgrades = Lock<[SchemaUpgrade]>([])
    }

    @Test("are told of once, before anything of them is changed")
    func told() throws {
        let folder = TemporaryFolder()
        try LandedSchemas.make(31, in: folder)
        let told = Told()
        let fixture = try Fixture(folder) { options in
            options.beforeUpgrade = { upgrade throws(StoreError) in
                told.upgrades.withLock { $0.append(upgrade) }
                // All of it is in the file, and nobody has it open.
                #expect(access(upgrade.databasePath + "-wal", F_OK) != 0)
                #expect(try schemaVersion(ofDatabaseIn: upgrade.folder) == 31)
            }
        }
        let again = try fixture.reopened { options in
            options.beforeUpgrade = { upgrade throws(StoreError) in told.upgrades.withLock { $0.append(upgrade) } }
        }
        let upgrade = try #require(told.upgrades.withLock { $0 }.first)
        #expect(told.upgrades.withLock { $0 }.count == 1)
        #expect(upgrade.from == 31 && upgrade.to == Int64(newestSchemaVersion) && upgrade.epoch == 7)
        #expect(upgrade.messages == 6 && upgrade.newestMessage == 202 && upgrade.position == 301)
        #expect(!upgrade.canJump && upgrade.logPath == nil)
        #expect(try again.verified().findings == [])
    }

    @Test("stay as they are when the copy before an upgrade cannot be made")
    func refused() throws {
        let folder = TemporaryFolder()
        try LandedSchemas.make(31, in: folder)
        #expect(throws: StoreError.invalid("no room")) {
            try Fixture(folder) { options in
                options.beforeUpgrade = { _ throws(StoreError) in throw .invalid("no room") }
            }
        }
        #expect(try schemaVersion(ofDatabaseIn: folder.data) == 31)
    }
}
