import Execution
import Glibc
package import Store

/// A folder whose database is as it was before an upgrade.
package struct RolledBackFolder: Hashable, Sendable {
    /// Copy that was put back.
    package var copy: UpgradeCopy
    /// Folder with the newer database.
    package var newer: String
    /// Messages that came after the upgrade and are lost to people; `nil` when the newer database cannot be read.
    package var lostMessages: Int64?
    /// The copy is so old that contents of files that were deleted since may be gone.
    package var mayMissContents: Bool
}

/// Puts the copy of before an upgrade in the place of the database, for the former teahouse.
///
/// The newer database is kept beside, with its log. Where numbers were given out since, the copy goes on as a restored backup
/// does: another epoch, numbers far above those. Broken off at any moment it can be run again: the database of the folder is the
/// newer one until one rename, and the older one after it.
package struct Rollback {
    /// Folder of newer databases in a data folder.
    static let shelf = "after-rollback"
    /// Name of the older database until it is put in its place.
    private static let unfinished = "teahouse.db.rolling-back"
    /// Files of the newer database, but itself: they go before it. The index is built anew.
    private static let companions = [
        "teahouse.db-wal", "teahouse.db-shm", "search.db", "search.db-wal", "search.db-shm", UpgradeCopy.logName,
    ]

    private let folder: String
    private let options: RestoreOptions

    /// - Parameter folder: the data folder, whose server does not run.
    package init(_ folder: String, _ options: RestoreOptions = RestoreOptions()) {
        self.folder = folder
        self.options = options
    }

    private var database: String { "\(self.folder)/\(BackupPlace.database)" }
    private var prepared: String { "\(self.folder)/\(Self.unfinished)" }

    /// Looks at what a rollback would do, and does nothing.
    ///
    /// - Throws: why it would be refused.
    package func look() throws(BackupError) -> RolledBackFolder {
        let lock = try self.hold()
        defer { withExtendedLifetime(lock) {} }
        let (copy, since) = try self.plan()
        return self.outcome(copy, since, newer: "\(self.folder)/\(Self.shelf)")
    }

    /// Puts the newest copy back.
    ///
    /// - Throws: `store(.alreadyRunning)`; `refused` where there is no copy, or nothing to go back from; `damaged` when the copy is
    ///   not what it was. Then the folder is as it was.
    package func run() throws(BackupError) -> RolledBackFolder {
        let lock = try self.hold()
        defer { withExtendedLifetime(lock) {} }
        let (copy, since) = try self.plan()
        do throws(BackupError) {
            try self.prepare(copy, jumps: since?.isNone != true)
        } catch {
            self.clear()
            throw error
        }
        let newer = try self.exchange(copy, since)
        return self.outcome(copy, since, newer: newer)
    }

    private func outcome(_ copy: UpgradeCopy, _ since: ChangesSince?, newer: String) -> RolledBackFolder {
        let now = self.options.clock.wallMilliseconds()
        return RolledBackFolder(
            copy: copy, newer: newer, lostMessages: since?.messages,
            mayMissContents: now - copy.atMilliseconds >= UpgradeCopy.youngMilliseconds)
    }

    private func hold() throws(BackupError) -> StoppedFolder {
        do throws(StoreError) { return try StoppedFolder(self.folder) } catch { throw .store(error) }
    }

    /// - Returns: the copy, and what came since; `nil` for the latter when the newer database is too damaged to say.
    private func plan() throws(BackupError) -> (UpgradeCopy, ChangesSince?) {
        guard let copy = UpgradeCopy.all(in: self.folder).last else {
            throw .refused(
                """
                there is no copy of before an upgrade in \(self.folder)/\(UpgradeCopy.shelf): restore a backup into another folder \
                (teahouse restore)
                """)
        }
        let since: ChangesSince?
        do throws(StoreError) {
            since = try ChangesSince(in: self.folder, position: copy.position, newestMessage: copy.newestMessage)
        } catch .fatal {
            since = nil
        } catch {
            throw .store(error)
        }
        guard since?.schemaVersion != copy.from else {
            self.finishName()
            throw .refused(
                "the database in \(self.folder) has schema \(copy.from) as before the upgrade: there is nothing to go back from"
            )
        }
        guard !copy.hasLog || since?.isNone == true else {
            throw .refused(
                """
                the server was killed before the upgrade, the copy has messages in a log that only the former teahouse can read, \
                and people have written since: stay with this teahouse, or restore a backup
                """)
        }
        guard copy.canJump || since?.isNone == true else {
            throw .refused(
                """
                people have written since the upgrade, and a database of schema \(copy.from) cannot pass over the numbers that \
                were given out: clients would miss messages; stay with this teahouse
                """)
        }
        return (copy, since)
    }

    /// Gives the newer database its name where a rollback was broken off between its last two steps.
    private func finishName() {
        let shelf = "\(self.folder)/\(Self.shelf)"
        for name in BackupFiles.names(in: shelf) where name.hasSuffix(BackupName.partial("")) {
            rename("\(shelf)/\(name)", "\(shelf)/\(name.dropLast(BackupName.partial("").count))")
        }
    }

    // MARK: The older database

    private func clear() {
        for suffix in ["", "-wal", "-shm"] { unlink(self.prepared + suffix) }
    }

    private func prepare(_ copy: UpgradeCopy, jumps: Bool) throws(BackupError) {
        self.clear()
        let copied = try BackupFiles.copy("\(copy.path)/\(BackupPlace.database)", to: self.prepared)
        guard copied.hash == copy.hash else {
            throw .damaged("\(copy.path) is not what it was when it was made: restore a backup into another folder")
        }
        do throws(StoreError) {
            _ = try prepareRolledBack(self.prepared, jumps ? self.options : nil)
        } catch {
            throw .store(error)
        }
        for suffix in ["-wal", "-shm"] { unlink(self.prepared + suffix) }
        try self.give(self.prepared)
    }

    // MARK: The exchange

    /// - Returns: the folder with the newer database.
    private func exchange(_ copy: UpgradeCopy, _ since: ChangesSince?) throws(BackupError) -> String {
        let shelf = "\(self.folder)/\(Self.shelf)"
        try BackupFiles.makeFolder(shelf)
        // One that was broken off goes on in its folder.
        let begun = BackupFiles.names(in: shelf).first { $0.hasSuffix(BackupName.partial("")) }
        let name =
            begun.map { String($0.dropLast(BackupName.partial("").count)) }
            ?? BackupName.next(
                at: self.options.clock.wallMilliseconds(), in: shelf,
                prefix: "schema-\(since?.schemaVersion ?? copy.to)-")
        let partial = "\(shelf)/\(BackupName.partial(name))"
        try BackupFiles.makeFolder(partial)
        let kept = "\(partial)/\(BackupPlace.database)"
        if BackupFiles.size(kept) == nil {
            guard link(self.database, kept) == 0 || rename(self.database, kept) == 0 else {
                throw .failure("keep", self.database)
            }
        }
        for name in Self.companions where access("\(self.folder)/\(name)", F_OK) == 0 {
            guard rename("\(self.folder)/\(name)", "\(partial)/\(name)") == 0 else {
                throw .failure("move", "\(self.folder)/\(name)")
            }
        }
        if copy.hasLog {
            try UpgradeCopy.copyLog("\(copy.path)/\(UpgradeCopy.logName)", to: self.folder)
            try self.give("\(self.folder)/\(UpgradeCopy.logName)")
        }
        guard rename(self.prepared, self.database) == 0 else { throw .failure("name", self.database) }
        let newer = "\(shelf)/\(name)"
        guard rename(partial, newer) == 0 else { throw .failure("name", newer) }
        try self.give(shelf)
        try BackupFiles.syncFolders(shelf)
        try BackupFiles.syncFolder(self.folder)
        return newer
    }

    /// Gives what root has made to the user whose folder it is.
    private func give(_ path: String) throws(BackupError) {
        var status = stat()
        guard geteuid() == 0, stat(self.folder, &status) == 0, status.st_uid != 0 else { return }
        try BackupFiles.give(path, status.st_uid, status.st_gid)
    }
}
