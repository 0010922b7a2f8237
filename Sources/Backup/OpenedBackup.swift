import Glibc
import Store

/// The database of a backup, copied aside and brought to the newest schema, to take single things out of it. Confined to one
/// thread; the copy goes with the value.
final class OpenedBackup {
    private static let workName = "restore-work"

    let path: String
    let manifest: BackupManifest
    let list: BackupList
    private let work: String
    private let reader: SnapshotReader

    /// - Parameters:
    ///   - path: the folder of the backup.
    ///   - folder: the data folder, which gets the copy for a while.
    /// - Throws: `damaged` when it is not what its manifest says; `refused` when it is no backup; `full`.
    init(_ path: String, besides folder: String) throws(BackupError) {
        self.path = path
        self.manifest = try BackupRestore(path, to: folder).checkedManifest()
        self.list = try BackupList.read(in: path, self.manifest)
        self.work = "\(folder)/\(Self.workName)"
        BackupFiles.removeTree(self.work)
        try BackupFiles.makeFolder(self.work)
        let copy = "\(self.work)/\(BackupPlace.database)"
        do throws(BackupError) {
            try Self.copy(BackupPlace.database, of: path, self.list, to: copy)
            do throws(StoreError) {
                _ = try prepareRestored(copy, RestoreOptions())
                self.reader = try SnapshotReader(copy)
            } catch {
                throw .store(error)
            }
        } catch {
            BackupFiles.removeTree(self.work)
            throw error
        }
    }

    deinit { BackupFiles.removeTree(self.work) }

    func read<Value>(
        _ body: (ReadTransaction) throws(StoreError) -> Value
    ) throws(BackupError) -> Value {
        do throws(StoreError) { return try self.reader.read(body) } catch { throw .store(error) }
    }

    /// Copies a file of the backup, checked against the list.
    func copy(_ name: String, to path: String) throws(BackupError) {
        try Self.copy(name, of: self.path, self.list, to: path)
    }

    private static func copy(
        _ name: String, of backup: String, _ list: BackupList, to path: String
    ) throws(BackupError) {
        guard let hash = list.hashes[name], BackupFiles.size("\(backup)/\(name)") != nil else {
            throw .damaged("\(name) is missing in \(backup): take another backup")
        }
        let copied = try BackupFiles.copy("\(backup)/\(name)", to: path)
        guard copied.hash == hash else {
            unlink(path)
            throw .damaged("\(name) in \(backup) is not what its list of files says: take another backup")
        }
    }
}
