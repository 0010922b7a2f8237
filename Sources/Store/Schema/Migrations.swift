package import ChatModel

/// One step from a schema version to the next.
struct Migration {
    /// `PRAGMA user_version` after it; several steps may lead to one version together.
    let version: Int
    let sql: String
}

/// Every step ever shipped, oldest first. Append only: a database of any age passes through the steps it lacks.
let migrations: [Migration] = [
    Migration(version: 1, sql: Schema.sql),
    Migration(version: 2, sql: Schema.conversations),
    Migration(version: 3, sql: MessagesSchema.sql),
    Migration(version: 4, sql: Schema.people),
    Migration(version: 5, sql: SchemaHooks.sql),
    Migration(version: 6, sql: SchemaStreams.sql),
    Migration(version: 7, sql: SchemaFiles.sql),
    Migration(version: 8, sql: SchemaProfiles.sql),
    Migration(version: 9, sql: SchemaTeams.sql),
    Migration(version: 10, sql: SchemaAudit.sql),
    Migration(version: 11, sql: SchemaWords.sql),
    Migration(version: 12, sql: SchemaSettings.sql),
    Migration(version: 13, sql: SchemaNotices.sql),
    Migration(version: 14, sql: SchemaObjects.sql),
    Migration(version: 15, sql: SchemaApplications.sql),
    Migration(version: 16, sql: SchemaApps.sql),
    Migration(version: 17, sql: SchemaFilter.sql),
    Migration(version: 18, sql: SchemaExpiry.sql),
    Migration(version: 19, sql: SchemaSeen.sql),
    Migration(version: 20, sql: SchemaMoments.sql),
    Migration(version: 20, sql: SchemaBodies.sql),
    Migration(version: 20, sql: SchemaArrivals.sql),
]

extension Connection {
    /// The schema version of the database; 0 for a new one.
    func schemaVersion() throws(StoreError) -> Int {
        Int(try self.first("PRAGMA user_version") { row throws(StoreError) in row.int64(0) } ?? 0)
    }

    /// Brings the database to the newest schema, all steps in one transaction: after a crash it is old or new.
    ///
    /// - Throws: `schemaTooNew`, and nothing is touched, when a newer teahouse wrote it.
    func migrate(_ steps: [Migration] = migrations, clock now: Int64, epoch: Int64) throws(StoreError) {
        let supported = steps.last?.version ?? 0
        let found = try self.schemaVersion()
        guard found <= supported else { throw .schemaTooNew(found: found, supported: supported) }
        guard found < supported else { return }
        try self.script("BEGIN IMMEDIATE")
        do throws(StoreError) {
            for step in steps where step.version > found { try self.script(step.sql) }
            if found == 0 { try self.fillNewDatabase(now: now, epoch: epoch) }
            try self.script("PRAGMA user_version = \(supported); COMMIT")
        } catch {
            if self.isInTransaction { try? self.script("ROLLBACK") }
            throw error
        }
    }

    private func fillNewDatabase(now: Int64, epoch: Int64) throws(StoreError) {
        // Not for secrecy: so that nobody can choose tokens that collide.
        let seed = Int64.random(in: Int64.min...Int64.max)
        for (key, value) in [
            ("epoch", epoch), ("node_id", 0), ("created_at", now), ("token_seed", seed), ("clock_believed", now),
        ] {
            try self.run("INSERT INTO meta (key, value) VALUES (?, ?)", key, value)
        }
        try self.run(
            "INSERT INTO user (id, name, role, created_at) VALUES (?, ?, 1, ?)", UserID.system, systemUserName, now)
    }
}

/// The name behind `UserID.system`.
package let systemUserName = UserName("____system")!
