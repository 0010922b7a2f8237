import Backup
import Store

extension TeahouseServer {
    /// The backups of the server.
    static func makeBackups(_ options: ServerOptions, store: Store) -> BackupService {
        var backup = LiveBackupOptions(
            folder: options.store.folder, version: Version.text, tokenDays: Int64(options.store.tokenDays))
        backup.filesDirectory = options.files.directory
        backup.configurationPath = options.settings.path
        backup.clock = options.clock
        let removal = options.files.transfers.removal
        return BackupService(store, backup) { removal.hold($0) }
    }
}
