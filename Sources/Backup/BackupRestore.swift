import CLinux
import Execution
import FileStore
import Glibc
package import Store

/// A folder that was restored.
package struct RestoredFolder: Hashable, Sendable {
    /// Manifest of the backup, checked.
    package var manifest: BackupManifest
    /// Numbers that the database goes on with.
    package var facts: RestoreFacts
    /// Contents came from a folder elsewhere (`files.directory`); they are in `directory` of the new one.
    package var hasDirectory: Bool
    /// The configuration of the server that was saved is in `configuration` of the new one.
    package var hasConfiguration: Bool
}

/// Makes a data folder of a backup.
///
/// The folder is new or empty. The database comes last and under another name until all is there, so that no server starts in
/// what a restore that was broken off has left.
package struct BackupRestore {
    /// Name of the database until everything is in order.
    private static let unfinished = "teahouse.db.restoring"
    /// Bytes that stay free.
    private static let keptFreeBytes: Int64 = 64 * 1024 * 1024

    private let backup: String
    private let folder: String
    private let options: RestoreOptions
    /// Called with how far it is.
    package var progress: (BackupProgress) -> Void = { _ in }

    /// - Parameters:
    ///   - backup: the folder of the backup.
    ///   - folder: the data folder to make.
    package init(_ backup: String, to folder: String, _ options: RestoreOptions = RestoreOptions()) {
        self.backup = backup
        self.folder = folder
        self.options = options
    }

    /// Checks the backup against its manifest and restores it.
    ///
    /// - Throws: `damaged` when it is not what its manifest says, `refused` when there is something in the folder; `unsound` when
    ///   what was restored is not in order. Then the folder is empty or gone again.
    package func run() throws(BackupError) -> RestoredFolder {
        let manifest = try self.checkedManifest()
        let list = try BackupList.read(in: self.backup, manifest)
        guard list.hashes[BackupPlace.database] != nil else {
            throw .damaged("\(self.backup) has no database: take another backup")
        }
        let isNew = try self.openFolder()
        do throws(BackupError) {
            try self.checkRoom(manifest.bytes)
            try self.copy(list, manifest.bytes)
            let facts = try self.finishDatabase(manifest)
            try self.giveToOwner()
            try BackupFiles.syncFolders(self.folder)
            return RestoredFolder(
                manifest: manifest, facts: facts,
                hasDirectory: BackupFiles.isFolder("\(self.folder)/\(BackupPlace.directory)"),
                hasConfiguration: BackupFiles.isFolder("\(self.folder)/\(BackupPlace.configuration)"))
        } catch {
            self.clear(isNew: isNew)
            throw error
        }
    }

    func checkedManifest() throws(BackupError) -> BackupManifest {
        let name = self.backup.split(separator: "/").last.map { String($0) } ?? ""
        guard !BackupName.isPartial(name) else {
            throw .refused("\(self.backup) was broken off: it is no backup, take another one")
        }
        let manifest = try BackupManifest.read(in: self.backup)
        guard manifest.verifiedAtMilliseconds != nil else {
            throw .refused("\(self.backup) was never verified: it is no backup, take another one")
        }
        guard manifest.facts.database.schemaVersion <= Int64(newestSchemaVersion) else {
            throw .refused(
                """
                \(self.backup) was made by teahouse \(manifest.facts.version), whose database this one does not know: use that \
                one or a newer one
                """)
        }
        return manifest
    }

    // MARK: The folder

    /// - Returns: whether it was made.
    private func openFolder() throws(BackupError) -> Bool {
        if access(self.folder, F_OK) != 0 {
            try BackupFiles.makeFolder(self.folder)
            return true
        }
        guard BackupFiles.isFolder(self.folder) else { throw .refused("\(self.folder) is no folder: name another") }
        guard BackupFiles.names(in: self.folder).isEmpty else {
            throw .refused(
                "\(self.folder) is not empty, and nothing is overwritten: name another folder, or move this one away")
        }
        return false
    }

    private func clear(isNew: Bool) {
        for name in BackupFiles.names(in: self.folder) {
            let path = "\(self.folder)/\(name)"
            if BackupFiles.isFolder(path) { BackupFiles.removeTree(path) } else { unlink(path) }
        }
        if isNew { rmdir(self.folder) }
    }

    private func checkRoom(_ bytes: Int64) throws(BackupError) {
        var status = statvfs()
        guard statvfs(self.folder, &status) == 0 else { return }
        let free = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        guard free - Self.keptFreeBytes >= bytes else {
            throw .refused(
                "\(bytes) bytes are to be restored into \(self.folder), and \(free) are free: free some room")
        }
    }

    // MARK: What goes into it

    private func copy(_ list: BackupList, _ all: Int64) throws(BackupError) {
        var done: Int64 = 0
        var folders: Set<String> = []
        for path in list.paths {
            let name = path == BackupPlace.database ? Self.unfinished : path
            let target = "\(self.folder)/\(name)"
            if let slash = target.lastIndex(of: "/"), folders.insert(String(target[..<slash])).inserted {
                try BackupFiles.makeFolder(String(target[..<slash]))
            }
            guard BackupFiles.size("\(self.backup)/\(path)") != nil else {
                throw .damaged("\(path) is missing in \(self.backup): take another backup")
            }
            let copied = try BackupFiles.write(target) { offset throws(BackupError) in
                self.progress(BackupProgress(.files, done: done + offset, all: all))
                return try BackupFiles.read("\(self.backup)/\(path)", at: offset, atMost: BackupFiles.pieceBytes)
            }
            guard copied.hash == list.hashes[path] else {
                throw .damaged("\(path) in \(self.backup) is not what its list of files says: take another backup")
            }
            done += copied.bytes
        }
    }

    private func finishDatabase(_ manifest: BackupManifest) throws(BackupError) -> RestoreFacts {
        let unfinished = "\(self.folder)/\(Self.unfinished)"
        let facts: RestoreFacts
        do throws(StoreError) {
            facts = try prepareRestored(unfinished, self.options)
        } catch {
            throw .store(error)
        }
        guard rename(unfinished, "\(self.folder)/\(BackupPlace.database)") == 0 else {
            throw .failure("name", "\(self.folder)/\(BackupPlace.database)")
        }
        try BackupProof(self.folder, manifest.facts, self.options.clock).check { done, all in
            self.progress(BackupProgress(.verify, done: done, all: all))
        }
        return facts
    }

    /// Gives what root has restored to the user whose folder it is.
    private func giveToOwner() throws(BackupError) {
        var status = stat()
        guard geteuid() == 0, stat(self.folder, &status) == 0, status.st_uid != 0 else { return }
        for name in BackupFiles.names(in: self.folder) {
            try BackupFiles.give("\(self.folder)/\(name)", status.st_uid, status.st_gid)
        }
    }
}
