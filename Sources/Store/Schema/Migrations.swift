package import ChatModel

/// One step from a schema version to the next.
struct Migration {
    /// `PRAGMA user_version` after it; several steps may lead to one version together.
    let version: Int
    let sql: String
    /// Fills in what no statement can compute, after `sql`; `nil` for nothing.
    var fill: (@Sendable (Connection) throws(StoreError) -> Void)?

    func run(on connection: Connection) throws(StoreError) {
        try connection.script(self.sql)
        try self.fill?(connection)
    }
}

/// Every step from version 1 on that was ever shipped, oldest first. Append only: a database of any age passes through
/// the steps it lacks. A new database gets `Schema.sql` instead.
let migrations: [Migration] = [
    migration02Conversations,
    migration03MessageChanges,
    migration04People,
    migration05Hooks,
    migration06Streams,
    migration07Files,
    migration08Profiles,
    migration09Teams,
    migration10Audit,
    migration11Words,
    migration12Settings,
    migration13Notices,
    migration14Objects,
    migration15Applications,
    migration16Apps,
    migration17Filter,
    migration18Expiry,
    migration19Seen,
    migration20Moments,
    migration20Bodies,
    migration20Arrivals,
    migration21Trial,
    migration22Positions,
    migration24Feed,
    migration25Invitations,
    migration26Renderers,
    migration27SortKeys,
    migration28Concerns,
    migration29ConversationSettings,
    migration30Log,
    migration31Imports,
    migration32Jumps,
    migration33Retention,
    migration34FormerFiles,
    migration35ImportRows,
]

extension Connection {
    /// The schema version of the database; 0 for a new one.
    func schemaVersion() throws(StoreError) -> Int {
        Int(try self.first("PRAGMA user_version") { row throws(StoreError) in row.int64(0) } ?? 0)
    }

    /// Gives a new database today's schema, and takes an older one through the steps it lacks, in one transaction: after
    /// a crash it is old or new.
    ///
    /// - Throws: `schemaTooNew`, and nothing is touched, when a newer teahouse wrote it.
    func migrate(_ steps: [Migration] = migrations, clock now: Int64, epoch: Int64) throws(StoreError) {
        let supported = steps.last?.version ?? Schema.version
        var version = try self.schemaVersion()
        guard version <= supported else { throw .schemaTooNew(found: version, supported: supported) }
        guard version < supported else { return }
        try self.script("BEGIN IMMEDIATE")
        do throws(StoreError) {
            if version == 0 {
                try self.script(Schema.sql)
                try self.fillNewDatabase(now: now, epoch: epoch)
                version = Schema.version
            }
            for step in steps where step.version > version { try step.run(on: self) }
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
            ("moments_until", 0), ("position", 0), ("feed_from", 0),
        ] {
            try self.run("INSERT INTO meta (key, value) VALUES (?, ?)", key, value)
        }
        try self.nameLog()
        for name in ["bare_token", "session_token"] {
            try self.run("INSERT INTO secret (name, value) VALUES (?, randomblob(32))", name)
        }
        try self.run(
            "INSERT INTO user (id, name, role, created_at, sort_key) VALUES (?, ?, 1, ?, ?)", UserID.system,
            systemUserName, now, systemUserName.sortKey(shownAs: nil))
    }
}

/// The name behind `UserID.system`.
package let systemUserName = UserName("____system")!
