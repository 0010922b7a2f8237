import CLinux
package import Execution
import Glibc
import Store

/// Phases of making a backup.
package enum BackupPhase: String, Sendable, CaseIterable {
    /// The database is being copied.
    case snapshot
    /// Files are being written.
    case files
    /// The copy is being verified.
    case verify
}

/// Progress of a backup: bytes of the phase that are done, and all of them as far as they are known.
package struct BackupProgress: Hashable, Sendable {
    /// Step that goes on.
    package var phase: BackupPhase
    /// Bytes that are done.
    package var done: Int64
    /// All bytes of the phase.
    package var all: Int64

    package init(_ phase: BackupPhase, done: Int64, all: Int64) {
        self.phase = phase
        self.done = done
        self.all = all
    }
}

/// A backup that is whole and verified.
package struct MadeBackup: Hashable, Sendable {
    /// Name of its folder.
    package var name: String
    /// Path of its folder.
    package var path: String
    /// Manifest as it was written.
    package var manifest: BackupManifest
    /// Bytes that were written; the rest was in the backup before.
    package var writtenBytes: Int64
}

/// Makes a backup in a folder of backups.
///
/// Everything is written below a name that ends in `.partial`; the manifest is written and the folder renamed when the copy is
/// whole, on the disk and verified. So a backup that was broken off is never taken for one. Contents that the newest backup in
/// the folder has are hard links to it, or copies where the file system has no links; each backup is whole by itself.
package struct BackupWriter {
    private let directory: String
    private let clock: Clock
    /// Called with how far it is.
    package var progress: (BackupProgress) -> Void = { _ in }
    /// Asked between two pieces; false ends it.
    package var isWanted: @Sendable () -> Bool = { true }

    /// - Parameter directory: the folder of backups; made when it is not there.
    package init(_ directory: String, clock: Clock = .system) {
        self.directory = directory
        self.clock = clock
    }

    /// Makes one.
    ///
    /// - Throws: what went wrong; then there is no new backup, and the others are as they were.
    package func run(_ source: some BackupSource) throws(BackupError) -> MadeBackup {
        try BackupFiles.makeFolder(self.directory)
        let lock = try FolderLock(self.directory)
        for name in BackupFiles.names(in: self.directory) where BackupName.isPartial(name) {
            BackupFiles.removeTree("\(self.directory)/\(name)")
        }
        let previous = BackupShelf(self.directory).newest
        let facts = try source.begin { done, all in self.progress(BackupProgress(.snapshot, done: done, all: all)) }
        let name = BackupName.next(at: facts.atMilliseconds, in: self.directory)
        let partial = "\(self.directory)/\(BackupName.partial(name))"
        do throws(BackupError) {
            let made = try self.write(source, facts, name, partial, orWithout: previous)
            withExtendedLifetime(lock) {}
            return made
        } catch {
            BackupFiles.removeTree(partial)
            throw error
        }
    }

    /// The same once more without what is taken from the backup before, where that is damaged: the server's own files are
    /// read then.
    private func write(
        _ source: some BackupSource, _ facts: BackupFacts, _ name: String, _ partial: String,
        orWithout previous: String?
    ) throws(BackupError) -> MadeBackup {
        do throws(BackupError) {
            return try self.write(source, facts, name, partial, previous)
        } catch {
            guard case .unsound = error, previous != nil else { throw error }
            BackupFiles.removeTree(partial)
            return try self.write(source, facts, name, partial, nil)
        }
    }

    private func write(
        _ source: some BackupSource, _ facts: BackupFacts, _ name: String, _ partial: String, _ previous: String?
    ) throws(BackupError) -> MadeBackup {
        try BackupFiles.makeFolder(partial)
        var files = BackupFileWriter(partial, previous, progress: self.progress, isWanted: self.isWanted)
        var after: String?
        repeat {
            let page = try source.items(after: after)
            files.announce(page.items)
            for item in page.items { try files.write(item, from: source) }
            after = page.next
        } while after != nil
        let text = files.list.text
        let list = try BackupFiles.write("\(partial)/\(BackupManifest.listName)") { offset throws(BackupError) in
            Array(text.dropFirst(Int(offset)))
        }
        var manifest = BackupManifest(facts, files: files.count, bytes: files.bytes, listHash: list.hash)
        try BackupProof(partial, facts, self.clock, isWanted: self.isWanted).check { done, all in
            self.progress(BackupProgress(.verify, done: done, all: all))
        }
        guard self.isWanted() else { throw .ended }
        manifest.verifiedAtMilliseconds = self.clock.wallMilliseconds()
        let json = manifest.json
        _ = try BackupFiles.write(BackupManifest.path(in: partial)) { offset throws(BackupError) in
            Array(json.dropFirst(Int(offset)))
        }
        try BackupFiles.syncFolders(partial)
        let path = "\(self.directory)/\(name)"
        guard rename(partial, path) == 0 else { throw .failure("name", path) }
        try BackupFiles.syncFolder(self.directory)
        return MadeBackup(name: name, path: path, manifest: manifest, writtenBytes: files.writtenBytes)
    }
}

/// Writes the files of one backup and keeps their list.
private struct BackupFileWriter {
    private let folder: String
    private let previous: (path: String, list: BackupList)?
    private let progress: (BackupProgress) -> Void
    private let isWanted: () -> Bool
    private(set) var list = BackupList()
    private(set) var count: Int64 = 0
    private(set) var bytes: Int64 = 0
    private(set) var writtenBytes: Int64 = 0
    private var announced: Int64 = 0
    private var folders: Set<String> = []

    init(
        _ folder: String, _ previous: String?, progress: @escaping (BackupProgress) -> Void,
        isWanted: @escaping () -> Bool
    ) {
        self.folder = folder
        self.progress = progress
        self.isWanted = isWanted
        // A former backup that cannot be read is no help, and no hindrance.
        self.previous = previous.flatMap { path in
            guard let manifest = try? BackupManifest.read(in: path),
                let list = try? BackupList.read(in: path, manifest)
            else { return nil }
            return (path, list)
        }
    }

    mutating func announce(_ items: [BackupItem]) { self.announced += items.reduce(0) { $0 + $1.bytes } }

    mutating func write(_ item: BackupItem, from source: some BackupSource) throws(BackupError) {
        guard self.isWanted() else { throw .ended }
        guard BackupList.isInside(item.path) else { throw .damaged("\(item.path) is no name in a backup") }
        let path = "\(self.folder)/\(item.path)"
        if let slash = path.lastIndex(of: "/"), self.folders.insert(String(path[..<slash])).inserted {
            try BackupFiles.makeFolder(String(path[..<slash]))
        }
        if item.isContent, let hash = try self.takeFromPrevious(item, path) {
            self.list.add(item.path, hash)
        } else {
            let (before, announced, progress, isWanted) = (self.bytes, self.announced, self.progress, self.isWanted)
            let written = try BackupFiles.write(path) { offset throws(BackupError) in
                guard isWanted() else { throw .ended }
                progress(BackupProgress(.files, done: before + offset, all: announced))
                return try source.read(item.path, at: offset)
            }
            guard written.bytes == item.bytes else {
                throw .damaged(
                    "\(item.path) has \(written.bytes) bytes in place of \(item.bytes): make the backup again")
            }
            self.writtenBytes += written.bytes
            self.list.add(item.path, written.hash)
        }
        self.count += 1
        self.bytes += item.bytes
        self.progress(BackupProgress(.files, done: self.bytes, all: self.announced))
    }

    /// - Returns: the hash of the file when the backup before has it; `nil` when it has to be read.
    private func takeFromPrevious(_ item: BackupItem, _ path: String) throws(BackupError) -> String? {
        guard let previous, let hash = previous.list.hashes[item.path] else { return nil }
        let old = "\(previous.path)/\(item.path)"
        guard BackupFiles.size(old) == item.bytes else { return nil }
        if link(old, path) == 0 { return hash }
        let copied = try BackupFiles.copy(old, to: path)
        return copied.hash
    }
}

/// Holds a folder of backups against a second one that writes into it.
private final class FolderLock {
    private let descriptor: Int32

    init(_ directory: String) throws(BackupError) {
        let path = "\(directory)/.lock"
        let descriptor = clinux_open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failure("open", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .refused("another backup is being written into \(directory): wait for its end")
        }
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }
}

/// Reads a copy as `teahouse verify` does.
struct BackupProof {
    /// Findings that are told.
    private static let shown = 5

    private let folder: String
    private let facts: BackupFacts
    private let clock: Clock
    private let isWanted: @Sendable () -> Bool

    /// - Parameter isWanted: asked all the while; false ends it.
    init(
        _ folder: String, _ facts: BackupFacts, _ clock: Clock, isWanted: @escaping @Sendable () -> Bool = { true }
    ) {
        self.folder = folder
        self.facts = facts
        self.clock = clock
        self.isWanted = isWanted
    }

    /// - Parameter reading: called with the bytes of contents that were read, and all of them.
    /// - Throws: `unsound` with what is wrong; `ended` when it is not wanted any more.
    func check(reading: @escaping (Int64, Int64) -> Void) throws(BackupError) {
        var options = VerifyOptions()
        options.tokenDays = Int(max(0, min(self.facts.tokenDays, 36_500)))
        options.wallMilliseconds = self.clock.wallMilliseconds()
        options.maximumFindings = Self.shown
        let elsewhere = "\(self.folder)/\(BackupPlace.directory)"
        var contents = ContentVerifier(
            self.folder, directory: BackupFiles.isFolder(elsewhere) ? elsewhere : "", isQuick: false)
        contents.passesOverDamaged = true
        contents.isWanted = self.isWanted
        options.isWanted = self.isWanted
        contents.progress = reading
        let report: VerifyReport
        do throws(StoreError) {
            report = try verifyFolder(self.folder, options) { rows, note throws(StoreError) in
                try contents.run(rows) { note(.content, $0) }
            }
        } catch {
            throw self.isWanted() ? .store(error) : .ended
        }
        // What opening left behind is no part of the backup.
        unlink("\(self.folder)/lock")
        guard report.isClean else { throw .unsound(report.findings.map(\.description)) }
        guard report.messages == self.facts.database.messages else {
            throw .unsound(["It has \(report.messages) messages in place of \(self.facts.database.messages)."])
        }
    }
}

/// Folders inside a backup, beside those of a data folder.
enum BackupPlace {
    /// Contents of the folder elsewhere (`files.directory`).
    static let directory = "directory"
    /// The configuration that the server was started with.
    static let configuration = "configuration"
    /// The database.
    static let database = "teahouse.db"
}
