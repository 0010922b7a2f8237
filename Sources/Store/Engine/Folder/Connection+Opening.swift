import Glibc

/// Name of the file that makes a folder a backup; no data folder has it.
package let backupManifestName = "manifest.json"

extension Connection {
    /// The writing connection of a locked folder, with the newest schema.
    static func openForWriting(_ folder: DataFolder, _ options: StoreOptions) throws(StoreError) -> Connection {
        if access("\(folder.path)/\(backupManifestName)", F_OK) == 0 {
            throw .invalid(
                """
                \(folder.path) is a backup: a server on it would give numbers out again that clients have seen; restore it into \
                another folder (teahouse restore \(folder.path) --data NEW)
                """)
        }
        let role = Connection.Role.writer(synchronous: options.synchronous)
        let now = options.clock.wallMilliseconds()
        // The epoch only has to differ between a database and its restored copies.
        let epoch = Int64.random(in: 1...Int64(UInt32.max))
        if try isNewFolder(folder.path) {
            try folder.makeDatabase { path throws(StoreError) in
                let connection = try Connection(path: path, role: role)
                try connection.migrate(clock: now, epoch: epoch)
                try connection.checkpoint(truncating: true)
            }
        }
        if !options.acceptsDamagedLog, let damage = try folder.logDamage() {
            throw .fatal(
                """
                \(damage): keep a copy of the folder and restore the last backup, or start once with \
                --accept-damaged-log to go on without them
                """)
        }
        try folder.syncLog()
        if let beforeUpgrade = options.beforeUpgrade, let upgrade = try SchemaUpgrade(folder) {
            try beforeUpgrade(upgrade)
        }
        let connection = try Connection(path: folder.databasePath, role: role)
        guard try connection.schemaVersion() > 0 else { throw LostDatabase.hasNoTables(folder.path).error }
        try connection.migrate(clock: now, epoch: epoch)
        // The name of the log has to be on the disk before a commit counts.
        try DataFolder.sync(folder.path)
        try Connection.checkFolderSync()
        return connection
    }
}
