package import Diagnostics
package import Execution
import Synchronization

/// Bounds of the journal of sign-ins.
package struct SignInJournalOptions: Sendable {
    /// Days that entries are kept; 0 for no journal.
    package var days: Int64 = 90
    /// Bytes of the files at most; the oldest go before.
    package var maximumBytes: Int64 = 256 << 20

    package init() {}
}

/// Questions about the journal; the newest entries come first.
package struct SignInQuery: Hashable, Sendable {
    /// Name of the person; `nil` for everybody.
    package var user: String?
    /// Address of the peer; `nil` for all.
    package var address: String?
    /// Result; `nil` for all.
    package var result: String?
    /// Earliest time, UTC milliseconds.
    package var sinceMilliseconds: Int64?
    /// Time after the latest one, UTC milliseconds.
    package var untilMilliseconds: Int64?
    /// Only entries with lower numbers.
    package var before: Int64?
    /// Entries at most.
    package var limit = 50

    package init() {}

    func matches(_ entry: SignInEntry) -> Bool {
        if let user, entry.user != user { return false }
        if let address, entry.address != address { return false }
        if let result, entry.result != result { return false }
        if let before, entry.number >= before { return false }
        return entry.atMilliseconds >= self.sinceMilliseconds ?? .min
            && entry.atMilliseconds < self.untilMilliseconds ?? .max
    }
}

/// A page of the journal.
package struct SignInPage: Hashable, Sendable {
    /// Entries, the newest first.
    package var entries: [SignInEntry]
    /// Value of `before` for the next page, which may be there also when this one is empty; `nil` on the last page.
    package var next: Int64?
}

/// The journal of sign-ins and refusals: files beside the database, chained by hashes.
///
/// A sign-in does not wait for it: an entry is given to a thread of the journal, which writes what has come and syncs it once a
/// second. A power cut can lose the last second. Any thread.
package final class SignInJournal: Sendable {
    /// Result of a sign-in that succeeded.
    package static let signedIn = "signed_in"
    /// Entries that wait to be written, at most; more are counted.
    static let maximumWaiting = 65_536

    private enum Message: Sendable {
        case entry(SignInEntry, throttleKey: String?)
        case read(SignInQuery, then: @Sendable (SignInPage) -> Void)
        case check(then: @Sendable (SignInCheck) -> Void)
        case stop
    }

    private let mailbox = Mailbox<Message>()
    private let waiting = Atomic<Int>(0)
    private let turnedAway = Atomic<Int64>(0)
    private let thread: Lock<Thread?>
    private let clock: Clock

    /// Starts the thread, which opens the journal of a data folder whose lock is held.
    ///
    /// - Parameter isSteady: true when the clock is believed, so that entries may go for their age.
    package init(
        in folder: String, options: SignInJournalOptions = SignInJournalOptions(), clock: Clock = .system,
        log: Log = .silent, isSteady: @escaping @Sendable () -> Bool = { true }
    ) {
        self.clock = clock
        self.thread = Lock(nil)
        let thread = Thread(name: "sign-ins") { [self] in
            self.run(SignInWriter(in: folder, options, clock: clock, log: log, isSteady: isSteady))
        }
        self.thread.withLock { $0 = thread }
    }

    /// Writes what waits, and ends the thread. Once no sign-ins are noted any more.
    package func stop() {
        self.mailbox.post(.stop)
        self.thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    // MARK: Any thread

    /// Notes an attempt. Where too many wait to be written, it is only counted.
    ///
    /// - Parameter throttleKey: key by which failures of the peer count: its address, for IPv6 the /64; `nil` for the address
    ///   of the entry.
    func note(_ entry: SignInEntry, throttleKey: String? = nil) {
        guard self.waiting.add(1, ordering: .relaxed).newValue <= Self.maximumWaiting else {
            self.waiting.subtract(1, ordering: .relaxed)
            self.turnedAway.add(1, ordering: .relaxed)
            return
        }
        self.mailbox.post(.entry(entry, throttleKey: throttleKey))
    }

    /// Makes the entry of an attempt.
    func entry() -> SignInEntry { SignInEntry(.attempt, at: self.clock.wallMilliseconds()) }

    /// Reads a page. It looks at two files at most, so that nothing waits for it for long.
    ///
    /// - Parameter then: called once, on the thread of the journal.
    package func read(_ query: SignInQuery, then: @escaping @Sendable (SignInPage) -> Void) {
        self.mailbox.post(.read(query, then: then))
    }

    /// Checks the chain, a file at a time.
    ///
    /// - Parameter then: called once, on the thread of the journal.
    package func check(then: @escaping @Sendable (SignInCheck) -> Void) { self.mailbox.post(.check(then: then)) }

    // MARK: The thread

    private func run(_ writer: SignInWriter) {
        var isStopping = false
        // Checks that are under way, a file a turn.
        var checks: [(check: SignInChecker, then: @Sendable (SignInCheck) -> Void)] = []
        // Questions that wait, a page a turn: what comes meanwhile is written between them.
        var readers: [(query: SignInQuery, then: @Sendable (SignInPage) -> Void)] = []
        while !isStopping {
            let isIdle = checks.isEmpty && readers.isEmpty
            _ = self.mailbox.wait(milliseconds: isIdle ? writer.restMilliseconds : 0)
            var batch: [Message] = []
            self.mailbox.takeMessages(into: &batch)
            for message in batch {
                switch message {
                case .entry(let entry, let throttleKey):
                    self.waiting.subtract(1, ordering: .relaxed)
                    writer.take(entry, throttleKey: throttleKey)
                case .read(let query, let then): readers.append((query, then))
                case .check(let then): checks.append((SignInChecker(in: writer.path), then))
                case .stop: isStopping = true
                }
            }
            writer.leaveOut(self.turnedAway.exchange(0, ordering: .relaxed))
            writer.work(isLast: isStopping, mayRemove: checks.isEmpty)
            let count = isStopping ? readers.count : min(1, readers.count)
            for reader in readers.prefix(count) { reader.then(writer.page(reader.query)) }
            readers.removeFirst(count)
            for index in checks.indices.reversed() where isStopping || !checks[index].check.next() {
                let check = checks.remove(at: index)
                check.then(check.check.result)
            }
        }
        writer.close()
    }
}

/// State of the journal, confined to its thread.
private final class SignInWriter {
    private let files: SignInFiles
    private let options: SignInJournalOptions
    private let clock: Clock
    private let log: Log
    private let isSteady: @Sendable () -> Bool
    private var sums = SignInSums()
    private var entries: [SignInEntry] = []
    private var leftOut: Int64 = 0
    private var isOpen = false
    private var hasFailed = false
    private var openAt: Instant?
    private var syncAt: Instant?
    private var careAt: Instant?
    private var hasSums = false
    /// Number of files when those to remove were last looked for.
    private var caredFiles = 0

    /// Entries that are written together.
    private static let together = 500
    private static let careMilliseconds: Int64 = 3_600_000

    init(
        in folder: String, _ options: SignInJournalOptions, clock: Clock, log: Log,
        isSteady: @escaping @Sendable () -> Bool
    ) {
        self.files = SignInFiles(in: folder)
        self.options = options
        self.clock = clock
        self.log = log
        self.isSteady = isSteady
    }

    var path: String { self.files.path }

    /// Time until there is something to do without being asked.
    var restMilliseconds: Int32 {
        let isBusy = self.hasSums || self.syncAt != nil || !self.isOpen || self.leftOut > 0
        return isBusy ? 1_000 : Int32(Self.careMilliseconds)
    }

    func take(_ entry: SignInEntry, throttleKey: String?) {
        self.hasSums = true
        if let entry = self.sums.take(entry, throttleKey: throttleKey, at: self.clock.now()) {
            self.entries.append(entry)
        }
    }

    func leaveOut(_ count: Int64) { self.leftOut += count }

    /// - Parameters:
    ///   - isLast: true when the thread ends.
    ///   - mayRemove: false while the files are checked.
    func work(isLast: Bool, mayRemove: Bool) {
        let now = self.clock.now()
        let closed = self.sums.close(at: now, isLast: isLast)
        if !closed.isEmpty { self.entries += closed }
        self.hasSums = self.sums.isOpen
        guard self.open(at: now) else {
            self.leftOut += Int64(self.entries.count)
            self.entries.removeAll()
            return
        }
        self.write(at: now)
        self.sync(at: now, isLast: isLast)
        let isDue = self.caredFiles != self.files.names.count || self.careAt.map({ $0 <= now }) ?? true
        if mayRemove, isDue {
            self.careAt = now.advanced(byMilliseconds: Self.careMilliseconds)
            self.removeExpired()
            self.caredFiles = self.files.names.count
        }
    }

    private func open(at now: Instant) -> Bool {
        guard !self.isOpen else { return true }
        if let openAt = self.openAt, openAt > now { return false }
        self.openAt = now.advanced(bySeconds: 60)
        do throws(SignInFiles.Failure) {
            let cut = try self.files.open()
            self.isOpen = true
            if cut > 0 {
                self.log.warning(
                    "sign_in_journal_mended",
                    [
                        "bytes": .bytes(cut),
                        "advice": .text("its end was not whole, as after a power cut; it lies beside it"),
                    ])
                var entry = SignInEntry(.mended, at: self.clock.wallMilliseconds())
                entry.count = cut
                self.entries.insert(entry, at: 0)
            }
            return true
        } catch {
            self.failed(error)
            return false
        }
    }

    private func write(at now: Instant) {
        let wall = self.clock.wallMilliseconds()
        if self.leftOut > 0 {
            var entry = SignInEntry(.leftOut, at: wall)
            entry.count = self.leftOut
            self.entries.append(entry)
        }
        guard !self.entries.isEmpty else { return }
        var (rest, lost) = (self.entries[...], Int64(0))
        self.entries.removeAll()
        do throws(SignInFiles.Failure) {
            while !rest.isEmpty {
                try self.files.append(Array(rest.prefix(Self.together)), at: wall)
                rest = rest.dropFirst(Self.together)
            }
            self.leftOut = 0
            self.hasFailed = false
            if self.syncAt == nil { self.syncAt = now.advanced(bySeconds: 1) }
        } catch {
            for entry in rest where entry.kind != .leftOut {
                lost += entry.kind == .sum ? entry.count ?? 1 : 1
            }
            self.leftOut += lost
            self.failed(error)
        }
    }

    private func sync(at now: Instant, isLast: Bool) {
        guard let due = self.syncAt, isLast || due <= now else { return }
        self.syncAt = nil
        do throws(SignInFiles.Failure) { try self.files.sync() } catch { self.failed(error) }
    }

    private func failed(_ failure: SignInFiles.Failure) {
        guard !self.hasFailed else { return }
        self.hasFailed = true
        self.log.error("sign_in_journal_failed", ["reason": .text(failure.description)])
    }

    /// Removes whole files for their age, or to make room; the chain says so first.
    private func removeExpired() {
        let wall = self.clock.wallMilliseconds()
        let before = self.isSteady() ? wall - self.options.days * 86_400_000 : nil
        let expired = self.files.expired(before: before, maximumBytes: self.options.maximumBytes)
        guard let entry = self.files.removal(of: expired, at: wall) else { return }
        do throws(SignInFiles.Failure) {
            try self.files.append([entry], at: wall)
            try self.files.sync()
            self.files.remove(expired)
            self.log.info(
                "sign_in_journal_shortened",
                ["files": .number(entry.count ?? 0), "through": .number(entry.through ?? 0)])
        } catch {
            self.failed(error)
        }
    }

    func close() { self.files.close() }

    // MARK: Reading

    /// Files that one page looks at.
    private static let filesOfPage = 2

    func page(_ query: SignInQuery) -> SignInPage {
        var page = SignInPage(entries: [], next: nil)
        let names = self.files.names
        let since = query.sinceMilliseconds.map { SignInFiles.name(first: 1, at: $0).suffix(12) }
        let until = query.untilMilliseconds.map {
            SignInFiles.name(first: 1, at: $0 > .max - 86_400_000 ? $0 : $0 + 86_400_000).suffix(12)
        }
        var looked = 0
        for name in names.reversed() {
            guard let first = SignInFiles.first(of: name) else { continue }
            if let before = query.before, first >= before { continue }
            if let since, name.suffix(12) < since { continue }
            if let until, name.suffix(12) > until { continue }
            guard looked < Self.filesOfPage else { return page }
            looked += 1
            let bytes = SignInFiles.read("\(self.files.path)/\(name)") ?? []
            for line in bytes.split(separator: UInt8(ascii: "\n")).reversed() {
                guard let entry = SignInLine.read(line)?.entry, entry.kind != .begin, query.matches(entry) else {
                    continue
                }
                page.entries.append(entry)
                if page.entries.count == query.limit {
                    page.next = entry.number
                    return page
                }
            }
            page.next = first
        }
        page.next = nil
        return page
    }
}
