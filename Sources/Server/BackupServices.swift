package import Backup
import Configuration
import Diagnostics
import Execution
package import Store

/// Backups that the server makes by itself.
package struct BackupScheduleOptions: Sendable {
    /// Time between two, milliseconds; 0 for none.
    package var everyMilliseconds: Int64 = 0
    /// Folder for them; `nil` for `backups` in the data folder.
    package var directory: String?
    /// Backups that are kept.
    package var keeps = BackupKeepRule()
    /// Bytes of the database that are copied in a second at most, also for `ctl`; 0 for no cap.
    package var bytesPerSecond = SnapshotOptions().bytesPerSecond

    package init() {}
}

extension ServerOptions {
    mutating func applyBackup(_ settings: Settings) {
        let directory = settings[Keys.backupDirectory]
        self.backup.everyMilliseconds = settings[Keys.backupHours] * 3_600_000
        self.backup.directory = directory.isEmpty ? nil : directory
        self.backup.keeps.newest = Int(settings[Keys.backupKeepNewest])
        self.backup.keeps.days = settings[Keys.backupKeepDays]
        self.backup.keeps.weeks = settings[Keys.backupKeepWeeks]
        self.backup.bytesPerSecond = settings[Keys.backupRate]
    }
}

extension ServerOptions {
    /// Copies the database before its schema is upgraded; for `StoreOptions.beforeUpgrade`.
    package var upgradeCopy: @Sendable (SchemaUpgrade) throws(StoreError) -> Void {
        let (clock, log) = (self.clock, self.log)
        return { upgrade throws(StoreError) in
            do throws(BackupError) {
                let copy = try UpgradeCopy.make(
                    upgrade, version: Version.text, now: clock.wallMilliseconds(),
                    withoutCopy: "teahouse serve --" + TeahouseServer.withoutUpgradeCopy)
                log.info("copied_before_upgrade", ["path": .text(copy.path), "bytes": .bytes(copy.bytes)])
            } catch {
                throw error.ofStart
            }
        }
    }
}

extension TeahouseServer {
    /// Switch of `teahouse serve` that starts without a copy of the database.
    package static let withoutUpgradeCopy = "no-upgrade-copy"

    /// Options of the store, with a copy before its schema is upgraded.
    static func storeOptions(_ options: ServerOptions) -> StoreOptions {
        var store = OutboundServices.storeOptions(options)
        if options.copiesBeforeUpgrade { store.beforeUpgrade = options.upgradeCopy }
        return store
    }

    /// After an upgrade: keeps contents for a rollback while its copy is young, and the newest copies alone.
    static func keepForRollback(_ options: ServerOptions) {
        let (folder, clock) = (options.store.folder, options.clock)
        UpgradeCopy.prune(in: folder)
        options.files.transfers.removal.pause {
            UpgradeCopy.keepsContents(in: folder, now: clock.wallMilliseconds())
        }
    }

    /// The backups of the server.
    static func makeBackups(_ options: ServerOptions, store: Store) -> BackupService {
        var backup = LiveBackupOptions(
            folder: options.store.folder, version: Version.text, tokenDays: Int64(options.store.tokenDays))
        backup.filesDirectory = options.files.directory
        backup.configurationPath = options.settings.path
        backup.snapshot.bytesPerSecond = options.backup.bytesPerSecond
        backup.clock = options.clock
        let removal = options.files.transfers.removal
        return BackupService(store, backup) { removal.hold($0) }
    }
}

/// Makes backups when they are due, on a thread of its own.
final class BackupSchedule: Sendable {
    /// Time between two looks.
    private static let lookMilliseconds: Int32 = 60_000
    /// Time after a failure until it is tried again.
    private static let retryMilliseconds: Int64 = 3_600_000

    private let mailbox = Mailbox<Void>()
    private let failure = Lock<String?>(nil)
    private let thread: Lock<Thread?>

    /// Starts the thread, when there is a schedule.
    init(_ options: ServerOptions, _ service: BackupService) {
        self.thread = Lock(nil)
        guard options.backup.everyMilliseconds > 0 else { return }
        let (mailbox, failure) = (self.mailbox, self.failure)
        let thread = Thread(name: "backup-clock") {
            var retryAt: Int64 = 0
            repeat {
                let now = options.clock.wallMilliseconds()
                guard now >= retryAt, Self.isDue(options, now: now) else { continue }
                if let problem = Self.make(options, service) {
                    failure.withLock { $0 = problem }
                    retryAt = now + Self.retryMilliseconds
                } else {
                    failure.withLock { $0 = nil }
                }
            } while !mailbox.wait(milliseconds: Self.lookMilliseconds)
        }
        self.thread.withLock { $0 = thread }
    }

    /// Ends the thread. After the backups have been stopped, which ends one that is under way.
    func stop() {
        self.mailbox.post(())
        self.thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    /// Sentence for the operator while the last attempt has failed.
    var troubles: [String] {
        self.failure.withLock { problem in
            problem.map { ["the backup that was due could not be made: \($0); it is tried again within the hour"] }
                ?? []
        }
    }

    private static func directory(_ options: ServerOptions) -> String {
        options.backup.directory ?? options.store.folder + "/backups"
    }

    private static func isDue(_ options: ServerOptions, now: Int64) -> Bool {
        // One that is dated after now was made by a clock that was wrong.
        let dates = BackupShelf(self.directory(options)).all.map(\.manifest.facts.atMilliseconds)
        guard let last = dates.last(where: { $0 <= now }) else { return true }
        return now - last >= options.backup.everyMilliseconds
    }

    /// - Returns: why there is none; `nil` when there is.
    private static func make(_ options: ServerOptions, _ service: BackupService) -> String? {
        let directory = self.directory(options)
        let outcome = ConditionLock<Result<MadeBackup, BackupError>?>(nil)
        service.run(into: directory, then: { result in outcome.change { $0 = result } })
        switch outcome.waitForWork(until: { $0 != nil }, then: { $0 }) {
        case .success(let made):
            options.log.info(
                "backup_made", ["name": .text(made.name), "bytes": .bytes(made.manifest.bytes)])
            let gone = BackupShelf(directory).prune(options.backup.keeps, now: options.clock.wallMilliseconds())
            if !gone.isEmpty { options.log.info("backups_removed", ["count": .number(Int64(gone.count))]) }
            return nil
        case .failure(let error):
            options.log.error("backup_failed", ["reason": .text(error.description)])
            return error.description
        case nil: return nil
        }
    }
}
