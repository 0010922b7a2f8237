package import ChatModel
import FileStore
import Glibc
package import Store

/// A file whose content was brought back.
package struct RestoredFile: Hashable, Sendable {
    /// Key of the file that has the content now.
    package var key: FileKey
    /// Name that people see.
    package var name: String
    /// Bytes of the content.
    package var bytes: Int64
}

/// Brings one file of a backup back: a deleted one under its own key, so that messages that name it lead to it again, or the
/// damaged content of one that is here.
package struct FileRestore {
    private let store: Store
    private let backup: OpenedBackup
    private let folder: String
    private let actor: AuditActor

    /// - Parameters:
    ///   - backup: the folder of the backup.
    ///   - store: of the data folder, with no server on it.
    ///   - folder: the data folder.
    ///   - actor: who asks, for the audit log.
    /// - Throws: `damaged`, `refused` for what is no backup; `full`.
    package init(_ backup: String, into store: Store, folder: String, actor: AuditActor) throws(BackupError) {
        self.store = store
        self.backup = try OpenedBackup(backup, besides: folder)
        self.folder = folder
        self.actor = actor
    }

    /// Brings it.
    ///
    /// - Parameter text: key of the file.
    /// - Throws: `store(.notFound)` when the backup has none of this key; `refused` when it is here and in order.
    package func run(_ text: String) throws(BackupError) -> RestoredFile {
        let saved = try self.backup.read { rows throws(StoreError) in
            try FileKey(text).flatMap { (key) throws(StoreError) in try rows.files.file(key) }
        }
        guard let saved, let stored = saved.object else {
            throw .store(.notFound("a file \(text) in the backup"))
        }
        let now: (file: FileRecord?, owner: UserID?)
        do throws(StoreError) {
            now = try self.store.readAndWait { rows throws(StoreError) in
                (
                    try rows.files.file(saved.key),
                    try rows.people.user(named: saved.ownerName)?.id
                )
            }
        } catch {
            throw .store(error)
        }
        if let file = now.file, file.state == .complete, !file.isDamaged {
            throw .refused("the file \(text) is here and in order")
        }
        try self.copyContent(stored)
        var object = stored
        object.provider = ObjectFolder.Kind.objects.rawValue
        let draft = UploadDraft(
            actor: .operator, owner: now.owner ?? .system, name: saved.name, mediaType: saved.mediaType,
            size: object.size, metadata: saved.metadata, transferClass: .operator, provider: object.provider,
            key: TransferKey(random: Self.random()),
            file: now.file == nil ? saved.key : FileKey(random: Self.random()))
        let note = AuditNote(
            actor: self.actor, word: "restore.file", subject: saved.key.description,
            asked: #"{"backup":"\#(self.backup.manifest.listHash)"}"#)
        do throws(StoreError) {
            try self.store.writeAndWait { [object] transaction throws(StoreError) in
                let transfer = try transaction.files.createUpload(draft)
                _ = try transaction.files.completeUpload(transfer.id, object: object)
                try transaction.audit.noteDone(note, after: #"{"bytes":\#(object.size)}"#)
            }
        } catch {
            throw .store(error)
        }
        return RestoredFile(key: saved.key, name: saved.name, bytes: object.size)
    }

    private static func random() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: .min ... .max) } }

    /// Puts the content where the server looks for it, whole or not at all.
    private func copyContent(_ object: StoredObject) throws(BackupError) {
        let names = ObjectFolder.names(of: object.hash, object.codec)
        let place = object.provider == ObjectFolder.Kind.directory.rawValue ? BackupPlace.directory : "files"
        for name in [names.object, names.index] where self.backup.list.hashes["\(place)/\(name)"] != nil {
            let target = "\(self.folder)/files/\(name)"
            if let slash = target.lastIndex(of: "/") { try BackupFiles.makeFolder(String(target[..<slash])) }
            let unfinished = "\(target).restoring"
            unlink(unfinished)
            try self.backup.copy("\(place)/\(name)", to: unfinished)
            guard rename(unfinished, target) == 0 else { throw .failure("name", target) }
            if let slash = target.lastIndex(of: "/") { try BackupFiles.syncFolder(String(target[..<slash])) }
        }
        guard BackupFiles.size("\(self.folder)/files/\(names.object)") != nil else {
            throw .damaged("the content of the file is not in \(self.backup.path): take another backup")
        }
    }
}
