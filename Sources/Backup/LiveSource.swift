import CLinux
import ChatModel
package import Execution
import FileStore
import Glibc
package import Store

/// Facts that the backups of a running server need.
package struct LiveBackupOptions: Sendable {
    /// The data folder.
    package var folder: String
    /// A folder elsewhere that takes new files; `nil` for none.
    package var filesDirectory: String?
    /// The file that the server was configured by; `nil` for none.
    package var configurationPath: String?
    /// Version of teahouse.
    package var version: String
    /// Horizon of client tokens, days.
    package var tokenDays: Int64
    /// Bounds of copying the database.
    package var snapshot = SnapshotOptions()
    /// Clock of the server.
    package var clock = Clock.system

    package init(folder: String, version: String, tokenDays: Int64) {
        self.folder = folder
        self.version = version
        self.tokenDays = tokenDays
    }
}

/// A running server that a backup is made of. Confined to one thread, which blocks.
///
/// Not in it: the index of messages, which the server builds anew; unfinished uploads, which begin anew; the logs, whose content
/// the snapshot has; the reserve file; and secrets that the configuration names in other folders.
package final class LiveSource: BackupSource {
    /// Contents of one page.
    private static let together = 256
    /// Bytes of a key or certificate at most, and number of such files.
    private static let smallBytes: Int64 = 1024 * 1024
    private static let smallFiles = 1_000
    /// Names in the data folder that are not copied as they are.
    private static let passedOver: Set<String> = [
        "lock", "ballast", "files", "log", LiveSource.journalName, "admin.sock", "backups", "last-verify.json",
        "last-backup.json", "last-scrub.json", UpgradeCopy.shelf, Rollback.shelf, "restore-work", LiveSource.workName,
        BackupPlace.configuration, BackupPlace.directory,
    ]
    /// Beginnings of such names.
    private static let passedOverPrefixes = ["teahouse.db", "search.db"]
    private static let workName = "backup-work"
    /// Folder of the journal of sign-ins.
    private static let journalName = "sign-ins"

    private let store: Store
    private let options: LiveBackupOptions
    private let isWanted: () -> Bool
    /// Paths on the disk by paths in the backup, of everything but contents.
    private var fixed: [String: String] = [:]
    /// Paths in the backup of files of the journal that never change.
    private var finished: Set<String> = []
    private var snapshot: SnapshotReader?
    private var hasBegun = false

    private var work: String { "\(self.options.folder)/\(Self.workName)" }

    /// - Parameter isWanted: asked while the database is copied; false ends it.
    package init(_ store: Store, _ options: LiveBackupOptions, isWanted: @escaping () -> Bool = { true }) {
        self.store = store
        self.options = options
        self.isWanted = isWanted
    }

    // Another one may be using the folder.
    deinit { if self.hasBegun { self.end() } }

    /// Removes the snapshot.
    package func end() {
        self.snapshot = nil
        self.fixed = [:]
        self.finished = []
        BackupFiles.removeTree(self.work)
    }

    /// Removes what a server that was killed has left of a snapshot.
    static func removeRest(in folder: String) { BackupFiles.removeTree("\(folder)/\(Self.workName)") }

    // MARK: The snapshot

    /// Takes the snapshot and holds what it names.
    package func begin(progress: (_ done: Int64, _ all: Int64) -> Void) throws(BackupError) -> BackupFacts {
        self.end()
        self.hasBegun = true
        try BackupFiles.makeFolder(self.work)
        let at = self.options.clock.wallMilliseconds()
        let copy = "\(self.work)/\(BackupPlace.database)"
        let database: SnapshotFacts?
        do throws(StoreError) {
            database = try self.store.takeSnapshot(at: copy, self.options.snapshot) { done, all in
                progress(done, all)
                return self.isWanted()
            }
        } catch {
            throw .store(error)
        }
        guard let database else { throw .ended }
        self.fixed[BackupPlace.database] = copy
        try self.copySmallFiles()
        try self.holdJournal()
        do throws(StoreError) {
            let reader = try SnapshotReader(copy)
            self.snapshot = reader
            let damaged = try reader.read { rows throws(StoreError) in try rows.files.fileTotals().damagedObjects }
            return BackupFacts(
                atMilliseconds: at, version: self.options.version, tokenDays: self.options.tokenDays,
                database: database, damagedContents: damaged)
        } catch {
            throw .store(error)
        }
    }

    /// Keys, certificates and the configuration: copied at once, so that what is read later is of one moment.
    private func copySmallFiles() throws(BackupError) {
        let root = self.options.folder
        var paths: [String] = []
        for name in BackupFiles.names(in: root) where !Self.isPassedOver(name) {
            if BackupFiles.size("\(root)/\(name)") != nil {
                paths.append(name)
            } else {
                var status = stat()
                guard lstat("\(root)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
                    !self.isElsewhere("\(root)/\(name)")
                else { continue }
                paths += BackupFiles.all(in: root, name)
            }
        }
        guard paths.count <= Self.smallFiles else {
            throw .refused("\(root) holds more than \(Self.smallFiles) other files: move them elsewhere")
        }
        for path in paths { try self.copySmallFile("\(root)/\(path)", as: path) }
        if let path = self.options.configurationPath, let name = path.split(separator: "/").last {
            try self.copySmallFile(path, as: "\(BackupPlace.configuration)/\(name)")
        }
    }

    /// Attempts to hold the journal while its files change.
    private static let journalAttempts = 5

    /// The journal of sign-ins: links to the files that never change again, so that they may go meanwhile, and a copy of the
    /// newest, which says of those that have gone that they were removed.
    private func holdJournal() throws(BackupError) {
        let (root, place) = ("\(self.options.folder)/\(Self.journalName)", "\(self.work)/\(Self.journalName)")
        func names() -> [String] { BackupFiles.names(in: root).filter { $0.hasSuffix(".log") } }
        for attempt in 1...Self.journalAttempts {
            let found = names()
            guard let newest = found.last else { return }
            BackupFiles.removeTree(place)
            try BackupFiles.makeFolder(place)
            for name in found where name == newest || link("\(root)/\(name)", "\(place)/\(name)") != 0 {
                guard BackupFiles.size("\(root)/\(name)") != nil else { continue }
                _ = try BackupFiles.copy("\(root)/\(name)", to: "\(place)/\(name)")
            }
            let held = BackupFiles.names(in: place)
            guard names() == held || attempt == Self.journalAttempts else { continue }
            for name in held {
                let path = "\(Self.journalName)/\(name)"
                self.fixed[path] = "\(place)/\(name)"
                if name != newest { self.finished.insert(path) }
            }
            return
        }
    }

    /// True for a folder of contents, which are copied as such, and for one of backups.
    private func isElsewhere(_ path: String) -> Bool {
        path == self.options.filesDirectory
            || BackupFiles.names(in: path).contains { BackupName.isWhole($0) || BackupName.isPartial($0) }
    }

    private static func isPassedOver(_ name: String) -> Bool {
        Self.passedOver.contains(name) || name.hasSuffix(".new")
            || Self.passedOverPrefixes.contains { name.hasPrefix($0) }
    }

    private func copySmallFile(_ path: String, as name: String) throws(BackupError) {
        guard BackupList.isInside(name), let size = BackupFiles.size(path), size <= Self.smallBytes else { return }
        let copy = "\(self.work)/small/\(name)"
        if let slash = copy.lastIndex(of: "/") { try BackupFiles.makeFolder(String(copy[..<slash])) }
        _ = try BackupFiles.copy(path, to: copy)
        self.fixed[name] = copy
    }

    // MARK: Files

    /// Lists the next files of the backup, in the order of their paths.
    package func items(after: String?) throws(BackupError) -> BackupPage {
        guard let snapshot = self.snapshot else { throw .refused("there is no snapshot") }
        var items: [BackupItem] = []
        var last: ContentHash?
        if let after {
            guard let hash = ContentHash(hex: after) else {
                throw .refused("\(after) is no place in the list of files")
            }
            last = hash
        } else {
            for (path, place) in self.fixed.sorted(by: { $0.key < $1.key }) {
                items.append(
                    BackupItem(path: path, bytes: BackupFiles.size(place) ?? 0, isContent: self.finished.contains(path))
                )
            }
        }
        let page: [ObjectRecord]
        do throws(StoreError) {
            page = try snapshot.read { rows throws(StoreError) in
                try rows.files.allObjects(after: last, limit: Self.together)
            }
        } catch {
            throw .store(error)
        }
        for record in page where record.state != .damaged {
            let object = record.object
            let names = ObjectFolder.names(of: object.hash, object.codec)
            let place = object.provider == ObjectFolder.Kind.directory.rawValue ? BackupPlace.directory : "files"
            items.append(BackupItem(path: "\(place)/\(names.object)", bytes: object.storedSize, isContent: true))
            let index = "\(place)/\(names.index)"
            if let path = self.path(of: index), let size = BackupFiles.size(path) {
                items.append(BackupItem(path: index, bytes: size, isContent: true))
            }
        }
        return BackupPage(items: items, next: page.count == Self.together ? page.last?.object.hash.hex : nil)
    }

    /// Reads a piece of a file.
    package func read(_ path: String, at offset: Int64) throws(BackupError) -> [UInt8] {
        guard offset >= 0, let place = self.path(of: path) else { throw .refused("\(path) is not in this backup") }
        return try BackupFiles.read(place, at: offset, atMost: BackupFiles.pieceBytes)
    }

    /// Place on the disk of a file of the backup; `nil` for a name that is none of it.
    private func path(of path: String) -> String? {
        if let place = self.fixed[path] { return place }
        guard BackupList.isInside(path) else { return nil }
        if path.hasPrefix("files/objects/") { return "\(self.options.folder)/\(path)" }
        guard path.hasPrefix("\(BackupPlace.directory)/objects/"), let directory = self.options.filesDirectory else {
            return nil
        }
        return directory + path.dropFirst(BackupPlace.directory.count)
    }
}
