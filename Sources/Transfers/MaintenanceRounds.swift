import ChatModel
import Diagnostics
import Execution
import FileStore
import Glibc
import Store

/// The work itself. Confined to one of the maintenance's threads, which may block.
final class MaintenanceRounds {
    /// Objects of one commit.
    private static let together = 256
    /// How long a gentle check sleeps at once, so that a stop is noticed.
    private static let napMilliseconds: Int64 = 100

    private let tools: TransferTools
    private let isStopped: () -> Bool

    init(_ tools: TransferTools, isStopped: @escaping () -> Bool) {
        self.tools = tools
        self.isStopped = isStopped
    }

    // MARK: What nothing refers to

    func collect() {
        self.attempt("give up idle uploads") { () throws(StoreError) in
            for record in try self.tools.rows.expire() { self.tools.postToLoop { $0.expired(record) } }
        }
        self.attempt("collect files") { () throws(StoreError) in try self.collectObjects() }
        // The store has looked at the clock for the changes before.
        guard self.tools.rows.clockIsPlausible else { return }
        self.removeStaleUploads()
        self.removeOrphans()
    }

    private func attempt(_ what: String, _ body: () throws(StoreError) -> Void) {
        do throws(StoreError) {
            try body()
        } catch .unavailable {
            // The server stops.
        } catch {
            self.tools.log.warning("files_care_failed", ["doing": .text(what), "reason": .text(error.description)])
        }
    }

    private func collectObjects() throws(StoreError) {
        while !self.isStopped() {
            guard self.tools.options.removal.begin() else { return }
            defer { self.tools.options.removal.end() }
            let objects = try self.tools.rows.sweep(limit: Self.together)
            var removed = 0
            for object in objects where !self.isStopped() {
                self.tools.contents.takeAndWait(object.hash)
                defer { self.tools.contents.giveBack(object.hash) }
                if try self.remove(object) { removed += 1 }
            }
            // What could not be removed comes again in the next sweep: not at once.
            if objects.count < Self.together || removed == 0 { return }
        }
    }

    /// With the content's lock: an upload of the same content may have brought it back meanwhile.
    private func remove(_ object: StoredObject) throws(StoreError) -> Bool {
        guard try self.tools.rows.object(object.hash)?.state == .going else { return true }
        if let provider = self.tools.provider(object.provider) {
            do throws(FileStoreError) {
                try provider.remove(object)
            } catch .missing {
                // Removed before a crash.
            } catch {
                self.tools.log.warning(
                    "file_not_removed",
                    ["content": .name(object.hash.hex), "reason": .text(error.description)])
                return false
            }
        }
        try self.tools.rows.gone(object.hash)
        self.tools.tally.collectedObjects.add()
        self.tools.tally.collectedBytes.add(object.storedSize)
        return true
    }

    // MARK: What no row knows of

    private func removeStaleUploads() {
        let oldest = self.tools.clock.wallMilliseconds() - self.tools.options.orphanMilliseconds
        for provider in self.tools.providers {
            for unfinished in provider.unfinishedUploads() where !self.isStopped() {
                self.attempt("remove stale uploads") { () throws(StoreError) in
                    let state = try self.tools.rows.state(unfinished.key)
                    // One whose row is over was being removed when the server ended.
                    let isStale = state?.isOver ?? (unfinished.modifiedAtMilliseconds < oldest)
                    guard isStale else { return }
                    provider.discardUpload(unfinished.key)
                    self.tools.tally.orphans.add()
                }
            }
        }
    }

    private func removeOrphans() {
        let age = self.tools.options.orphanMilliseconds
        for provider in self.tools.providers where !self.isStopped() {
            let isKnown: (ContentHash) -> Bool = { self.isKnown($0, in: provider) }
            for hash in provider.orphans(olderThanMilliseconds: age, isKnown: isKnown) {
                self.tools.contents.takeAndWait(hash)
                defer { self.tools.contents.giveBack(hash) }
                guard !isKnown(hash) else { continue }
                self.removeOrphan(hash, from: provider)
            }
        }
    }

    /// True when the store knows the content. Contents of another provider need not be here too; where the store cannot
    /// say, everything is known.
    private func isKnown(_ hash: ContentHash, in provider: any FileProvider) -> Bool {
        do throws(StoreError) {
            return try self.tools.rows.object(hash)?.object.provider == provider.name
        } catch {
            return true
        }
    }

    private func removeOrphan(_ hash: ContentHash, from provider: any FileProvider) {
        let object = StoredObject(hash: hash, size: 0, storedSize: 0, codec: .plain, provider: provider.name)
        do throws(FileStoreError) {
            try provider.remove(object)
            self.tools.tally.orphans.add()
            self.tools.log.warning("file_orphan_removed", ["content": .name(hash.hex)])
        } catch {
            self.tools.log.warning(
                "file_not_removed", ["content": .name(hash.hex), "reason": .text(error.description)])
        }
    }

    // MARK: Checking

    /// Reads again what was not checked for long.
    func scrub() {
        let options = self.tools.options
        guard options.scrubBytesPerSecond > 0 else { return }
        let before = self.tools.clock.wallMilliseconds() - options.scrubMilliseconds
        self.attempt("check files") { () throws(StoreError) in
            while !self.isStopped() {
                let due = try self.tools.rows.objectsToCheck(before: before, limit: Self.together)
                for object in due where !self.isStopped() {
                    let pace = Pace(self.tools, isGentle: true, nap: Self.napMilliseconds, isStopped: self.isStopped)
                    _ = try self.check(object, pace)
                }
                if due.count < Self.together { return }
            }
        }
    }

    /// Reads one content or all, as fast as the disk allows, and answers what was found.
    func check(_ order: ContentCheckOrder) {
        var found = ContentCheck()
        let isOver: () -> Bool = { [isStopped] in isStopped() || !order.isWanted() }
        self.attempt("check files") { () throws(StoreError) in
            if let object = order.only {
                (found.allObjects, found.allBytes) = (1, object.storedSize)
                return try self.check(object, order, &found, isOver)
            }
            (found.allObjects, found.allBytes) = try self.tools.rows.contents()
            var last: ContentHash?
            while !isOver() {
                // Damaged ones too: a backup may have brought them back.
                let page = try self.tools.rows.contents(after: last, limit: Self.together)
                for object in page where !isOver() { try self.check(object, order, &found, isOver) }
                guard page.count == Self.together, let end = page.last?.hash else { return }
                last = end
            }
        }
        order.then(found)
    }

    private func check(
        _ object: StoredObject, _ order: ContentCheckOrder, _ found: inout ContentCheck, _ isOver: @escaping () -> Bool
    ) throws(StoreError) {
        let before = found
        let pace = Pace(self.tools, isGentle: false, nap: Self.napMilliseconds, isStopped: isOver) { bytes in
            var now = before
            now.bytes += bytes
            order.progress(now)
        }
        let problem = try self.check(object, pace)
        guard !isOver() else { return }
        found.objects += 1
        found.bytes += object.storedSize
        if let problem { found.add(object.hash, problem) }
        order.progress(found)
    }

    /// - Returns: what is wrong with it; `nil` for nothing, and when the check was ended early.
    private func check(_ object: StoredObject, _ pace: Pace) throws(StoreError) -> FileStoreError? {
        guard let provider = self.tools.provider(object.provider) else {
            try self.tools.rows.checked(object.hash)
            return nil
        }
        var pace = pace
        do throws(FileStoreError) {
            try provider.check(object, pace: { pace.took($0) })
        } catch {
            let isGone = error == .damaged(object.hash) || error == .missing(object.hash)
            if isGone { return try self.damaged(object) ? error : nil }
            self.tools.log.warning(
                "file_not_checked", ["content": .name(object.hash.hex), "reason": .text(error.description)])
            try self.tools.rows.checked(object.hash)
            return error
        }
        guard !pace.isOver else { return nil }
        self.tools.tally.checkedObjects.add()
        try self.tools.rows.checked(object.hash)
        return nil
    }

    /// With the content's lock: it may have been removed, or put back whole, while it was read.
    ///
    /// - Returns: whether it is still there, and damaged.
    private func damaged(_ object: StoredObject) throws(StoreError) -> Bool {
        self.tools.contents.takeAndWait(object.hash)
        defer { self.tools.contents.giveBack(object.hash) }
        switch try self.tools.rows.object(object.hash)?.state {
        case .ready: break
        case .damaged: return true
        case .going, nil: return false
        }
        self.tools.tally.checkedObjects.add()
        self.tools.tally.damagedObjects.add()
        self.tools.log.error(
            "file_damaged",
            [
                "content": .name(object.hash.hex), "provider": .name(object.provider),
                "help": .text("upload the file again, or restore a backup"),
            ])
        try self.tools.rows.damaged(object.hash)
        return true
    }
}

/// Keeps a check gentle, so many bytes a second, and tells how far it is.
private struct Pace {
    private let tools: TransferTools
    private let bytesPerSecond: Int64
    private let nap: Int64
    private let isStopped: () -> Bool
    private let tell: (Int64) -> Void
    private let startedAt: Instant
    private var bytes: Int64 = 0
    /// The check was told to end.
    private(set) var isOver = false

    init(
        _ tools: TransferTools, isGentle: Bool, nap: Int64, isStopped: @escaping () -> Bool,
        tell: @escaping (Int64) -> Void = { _ in }
    ) {
        self.tools = tools
        self.bytesPerSecond = isGentle ? tools.options.scrubBytesPerSecond : 0
        self.nap = nap
        self.isStopped = isStopped
        self.tell = tell
        self.startedAt = tools.clock.now()
    }

    /// - Returns: false when the check is to end.
    mutating func took(_ count: Int) -> Bool {
        self.bytes += Int64(count)
        self.tell(self.bytes)
        self.isOver = !self.mayGoOn()
        return !self.isOver
    }

    private func mayGoOn() -> Bool {
        guard self.bytesPerSecond > 0 else { return !self.isStopped() }
        let due = self.startedAt.advanced(bySeconds: Double(self.bytes) / Double(self.bytesPerSecond))
        while !self.isStopped() {
            let left = due.milliseconds(since: self.tools.clock.now())
            guard left > 0 else { return true }
            usleep(UInt32(min(left, self.nap) * 1000))
        }
        return false
    }
}
