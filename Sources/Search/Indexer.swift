import CLinux
import ChatModel
import Diagnostics
import Execution
import Glibc
import SQLite
import Store

/// The thread that keeps the index behind the messages, a slice at a time, and rests between them.
///
/// It asks the store by change numbers and revisions, so it needs no word from who writes: nothing waits for it, and after a
/// crash it goes on where the file says that it was. What it finds goes into `waiting` and from there, in the order of the
/// messages' ids, into the index.
final class Indexer: Sendable {
    enum Command: Sendable {
        case stop
        /// With the reason.
        case rebuild(String)
        /// With the number of the building in which it was seen, 0 for one that could not be opened, and what was seen.
        case damaged(generation: Int64, String)
        case catchUp(@Sendable () -> Void)
    }

    private let mailbox = Mailbox<Command>()
    private let thread: Thread
    private let isStopped = Lock(false)

    /// - Parameter opened: gets the number of a building that can be read now; 0 for none.
    init(
        _ store: Store, folder: String, options: SearchOptions, clock: Clock, log: Log, status: Lock<SearchStatus>,
        opened: @escaping @Sendable (Int64) -> Void
    ) {
        let mailbox = self.mailbox
        self.thread = Thread(name: "search-index") {
            // On Linux the priority is the calling thread's. Source: setpriority(2), "C library/kernel differences".
            setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, IndexerLoop.niceness)
            IndexerLoop(store, folder, options, clock, log, status, mailbox, opened).run()
        }
    }

    func post(_ command: Command) { self.mailbox.post(command) }

    func catchUp() {
        let done = ConditionLock(false)
        self.mailbox.post(.catchUp { done.change { $0 = true } })
        done.wait(until: { $0 }, then: { _ in })
    }

    /// Ends the thread and waits for it; a second call returns at once.
    func stop() {
        let wasStopped = self.isStopped.withLock { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        if wasStopped { return }
        self.mailbox.post(.stop)
        self.thread.join()
    }
}

/// The life of the indexing thread. Confined to it.
private final class IndexerLoop {
    static let niceness: Int32 = 15
    /// Messages that one slice indexes, and that it notes as waiting.
    private static let messagesOfSlice = 200
    private static let stubsOfSlice = 4_000
    /// Conversations that one slice asks for.
    private static let conversationsOfSlice = 100
    /// Documents of a conversation that one slice removes where it, or its history, is gone.
    private static let removedOfSlice = 500
    /// A slice is followed by a rest of so many times its length; of more while people wait for the store.
    private static let restFactor: Int64 = 1
    private static let busyRestFactor: Int64 = 8
    /// Milliseconds of the longest rest, of a rest after a failure, and between two looks for what is gone.
    private static let longestRest: Int64 = 2_000
    private static let failureRest: Int64 = 10_000
    private static let sweepInterval: Int64 = 600_000

    private let store: Store
    private let folder: String
    private let options: SearchOptions
    private let clock: Clock
    private let log: Log
    private let status: Lock<SearchStatus>
    private let mailbox: Mailbox<Indexer.Command>
    private let opened: @Sendable (Int64) -> Void

    private var file: IndexFile?
    private var waiters: [@Sendable () -> Void] = []
    /// Commits of the store when everything before them was in the index; `nil` when something is left to do.
    private var quietAtCommits: Int64?
    /// The conversations that this round looks at, the next one last.
    private var round: [ConversationHead]?
    private var roundBegan: (commits: Int64, wallMilliseconds: Int64) = (0, 0)
    private var lastSweep: Instant?
    /// Times that the file was given up since it was last as far as the messages.
    private var failures = 0
    private var isStopped = false

    init(
        _ store: Store, _ folder: String, _ options: SearchOptions, _ clock: Clock, _ log: Log,
        _ status: Lock<SearchStatus>, _ mailbox: Mailbox<Indexer.Command>, _ opened: @escaping @Sendable (Int64) -> Void
    ) {
        self.store = store
        self.folder = folder
        self.options = options
        self.clock = clock
        self.log = log
        self.status = status
        self.mailbox = mailbox
        self.opened = opened
    }

    func run() {
        var rest: Int64 = 0
        while !self.isStopped {
            _ = self.mailbox.wait(milliseconds: Int32(rest))
            self.takeCommands()
            if self.isStopped { break }
            rest = self.runSlice()
        }
        self.file?.close()
        self.file = nil
        self.opened(0)
        self.answerWaiters()
    }

    private func takeCommands() {
        var commands: [Indexer.Command] = []
        self.mailbox.takeMessages(into: &commands)
        for command in commands {
            switch command {
            case .stop: self.isStopped = true
            case .rebuild(let reason): self.discard(reason)
            case .damaged(let generation, let reason):
                // What was seen of an older building is mended already.
                guard let file = self.file, generation == 0 || generation == file.generation else { continue }
                self.discard(reason)
            case .catchUp(let then):
                self.waiters.append(then)
                // A round that has begun does not know of what was committed since.
                self.round = nil
                self.quietAtCommits = nil
            }
        }
    }

    private func answerWaiters() {
        for waiter in self.waiters { waiter() }
        self.waiters.removeAll()
    }

    /// - Returns: milliseconds to rest.
    private func runSlice() -> Int64 {
        let began = clinux_monotonic_nanoseconds()
        do {
            guard try self.work() else {
                self.answerWaiters()
                return self.options.intervalMilliseconds
            }
        } catch let error as StoreError {
            if error != .unavailable { self.log.debug("the search index waits for the store", [:]) }
            return self.options.intervalMilliseconds
        } catch {
            return self.recover(from: error)
        }
        if !self.waiters.isEmpty { return 0 }
        let took = (clinux_monotonic_nanoseconds() - began) / 1_000_000
        let isBusy = self.store.metrics.queueRequests > 0 || self.store.waitingReads(in: .page) > 0
        return min(Self.longestRest, max(1, took * (isBusy ? Self.busyRestFactor : Self.restFactor)))
    }

    /// Does a slice of what is to be done.
    ///
    /// - Returns: false when nothing is left.
    private func work() throws -> Bool {
        let file = try self.openedFile()
        if self.round == nil {
            let commits = self.store.metrics.commits
            if self.quietAtCommits == commits { return try self.sweepIfDue(file) }
            self.roundBegan = (commits, self.clock.wallMilliseconds())
            let change = try file.value("change")
            let heads = try self.ask { store throws(StoreError) in
                try store.messages.conversationHeads(changedAfter: change)
            }
            self.round = heads.reversed()
        }
        if let round = self.round, !round.isEmpty {
            try self.discover(file)
            return true
        }
        if try self.indexWaiting(file) { return true }
        self.round = nil
        self.quietAtCommits = self.roundBegan.commits
        self.failures = 0
        try file.transaction { try file.set("newest", self.roundBegan.wallMilliseconds) }
        self.noteStatus(file, .ready, indexedTo: self.roundBegan.wallMilliseconds)
        // What was committed during the round is for the next one, which a waiter need not wait for.
        return false
    }

    /// A read of the store; the thread waits for it. Of what is in the database: the index is behind it anyway, and looks
    /// again when more was committed. Who waits for the index waits for what was acknowledged before.
    private func ask<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try self.store.readAndWait(as: .long, of: self.waiters.isEmpty ? .applied : .everything, body)
    }

    // MARK: The file

    private func openedFile() throws -> IndexFile {
        if let file = self.file { return file }
        let epoch = try self.ask { store throws(StoreError) in try store.messages.counts().epoch }
        let file: IndexFile
        do {
            file = try IndexFile(folder: self.folder, epoch: epoch)
            let change = try file.value("change")
            // The database may have lost what was committed last: its change numbers then name something else.
            if change > 0 {
                let heads = try self.ask { store throws(StoreError) in
                    try store.messages.conversationHeads(changedAfter: change - 1)
                }
                if heads.isEmpty { throw WrongIndex() }
            }
        } catch is WrongIndex {
            self.discard("it is of another version or another database")
            return try self.openedFile()
        }
        self.file = file
        self.round = nil
        self.quietAtCommits = nil
        self.opened(file.generation)
        self.noteStatus(file, .building, indexedTo: try file.value("newest"))
        return file
    }

    /// Removes the file; the next slice makes another.
    private func discard(_ reason: String) {
        self.opened(0)
        self.file = nil
        self.round = nil
        self.quietAtCommits = nil
        IndexFile.remove(in: self.folder)
        self.status.withLock { status in
            status = SearchStatus(
                state: .opening, rebuilds: status.rebuilds + 1, searches: status.searches, cutShort: status.cutShort,
                reason: reason)
        }
        self.log.warning("the search index is built anew", ["reason": .text(reason)])
    }

    /// - Returns: milliseconds to rest.
    private func recover(from error: any Error) -> Int64 {
        if let error = error as? SQLiteError, !error.isDamage {
            // No room, or a lock that somebody else holds: what is there can be read.
            self.status.withLock { status in
                status.state = .unavailable
                status.reason = "\(error)"
            }
            self.answerWaiters()
            return Self.failureRest
        }
        self.discard("\(error)")
        self.failures += 1
        return self.failures > 1 ? Self.failureRest : 0
    }

    private func noteStatus(_ file: IndexFile, _ state: SearchStatus.State, indexedTo: Int64) {
        let waiting = (try? file.waitingCount()) ?? 0
        let bytes = ["", "-wal"].reduce(Int64(0)) { sum, suffix in
            var status = stat()
            return stat(file.path + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
        self.status.withLock { status in
            status.state = state
            status.documents = file.next - 1
            status.waiting = waiting
            status.indexedTo = indexedTo
            status.bytes = bytes
        }
    }

    // MARK: Slices

    /// New and changed messages of one conversation.
    private struct Discovery: Sendable {
        var head: ConversationHead
        var stubs: [MessageStub]
        /// Progress after these.
        var sequence: Int64
        var revision: Int64
        var isWhole: Bool
    }

    /// Notes messages of the next conversations as waiting.
    private func discover(_ file: IndexFile) throws {
        guard let round = self.round else { return }
        let heads = Array(round.suffix(Self.conversationsOfSlice).reversed())
        var wanted: [(head: ConversationHead, sequence: Int64, revision: Int64)] = []
        for head in heads {
            let progress = try file.progress(of: head.id)
            // Sequences only grow, but in a database that has lost what it had.
            if head.head < progress.sequence { throw IndexAhead() }
            wanted.append((head, progress.sequence, progress.revision))
        }
        let found = try self.ask { [wanted] store throws(StoreError) in
            var found: [Discovery] = []
            var room = Self.stubsOfSlice
            for (head, sequence, revision) in wanted where room > 0 {
                let next = try Self.discover(head, sequence, revision, store, room: room)
                room -= next.stubs.count + 1
                found.append(next)
                // The change number that the file keeps says that everything before it is done.
                if !next.isWhole { break }
            }
            return found
        }
        try file.transaction {
            for discovery in found {
                for stub in discovery.stubs { try file.wait(for: stub) }
                try file.setProgress(
                    of: discovery.head.id, sequence: discovery.sequence, revision: discovery.revision)
                if discovery.isWhole { try file.set("change", discovery.head.change) }
            }
        }
        self.round?.removeLast(found.count(where: \.isWhole))
    }

    private static func discover(
        _ head: ConversationHead, _ sequence: Int64, _ revision: Int64, _ store: ReadTransaction, room: Int
    ) throws(StoreError) -> Discovery {
        // Only what was there when the round began: a message that came since would else get a number before an earlier
        // one of a conversation that this round does not look at.
        let stubs = try store.messages.stubs(in: head.id, after: sequence, limit: room)
        let new = Array(stubs.prefix { $0.place.sequence <= head.head })
        var discovery = Discovery(
            head: head, stubs: new, sequence: new.last?.place.sequence ?? sequence, revision: revision, isWhole: false)
        guard new.count < room else {
            // What changed of them until now is seen when they are read.
            if sequence == 0 { discovery.revision = max(revision, head.revision) }
            return discovery
        }
        guard sequence > 0, head.revision > revision else {
            discovery.revision = max(revision, head.revision)
            discovery.isWhole = true
            return discovery
        }
        let changed = try store.messages.extras(in: head.id, after: revision, limit: 500, for: nil)
        // A later message is read as it then stands when the next round finds it as a new one.
        for extra in changed where extra.place.sequence <= head.head {
            discovery.stubs.append(MessageStub(id: extra.id, place: extra.place))
        }
        discovery.isWhole = changed.isEmpty
        discovery.revision = changed.last?.revision ?? max(revision, head.revision)
        return discovery
    }

    /// Indexes the earliest messages that wait.
    ///
    /// - Returns: false when none do.
    private func indexWaiting(_ file: IndexFile) throws -> Bool {
        let stubs = try file.waiting(limit: Self.messagesOfSlice)
        guard let last = stubs.last else { return false }
        let messages = try self.ask { store throws(StoreError) in
            var messages: [Message?] = []
            for stub in stubs { messages.append(try store.messages.indexable(stub.place)) }
            return messages
        }
        let documents = zip(stubs, messages).map { stub, message in
            IndexFile.Document(stub: stub, content: message.flatMap(Self.content))
        }
        try file.transaction { try file.apply(documents) }
        let time = max(0, last.id.milliseconds - 1)
        if file.next / 50_000 != (file.next - Int64(stubs.count)) / 50_000 || stubs.count < Self.messagesOfSlice {
            let indexedTo = self.status.withLock { $0.indexedTo }
            self.noteStatus(file, .building, indexedTo: max(time, indexedTo))
        }
        return true
    }

    private static func content(of message: Message) -> (text: FoldedText, entry: DocumentEntry)? {
        guard let found = SearchableText(of: message.content),
            let conversation = UInt32(exactly: message.conversation.rawValue),
            let sequence = UInt32(exactly: message.sequence), let sender = UInt32(exactly: message.sender.rawValue)
        else { return nil }
        let entry = DocumentEntry(
            conversation: conversation, sequence: sequence, sender: sender,
            hour: DocumentEntry.hour(of: message.sentAtMilliseconds), kind: found.kind.rawValue)
        return (FoldedText(found.text), entry)
    }

    // MARK: Conversations and messages that are gone

    /// - Returns: true when there is more to do.
    private func sweepIfDue(_ file: IndexFile) throws -> Bool {
        let now = self.clock.now()
        if let last = self.lastSweep, now.milliseconds(since: last) < Self.sweepInterval { return false }
        var after: Int64 = 0
        while true {
            let known = try file.conversations(after: after, limit: 500)
            guard let last = known.last else { break }
            after = last.rawValue
            let gone = try self.ask { store throws(StoreError) in
                var gone: [(id: ConversationID, through: Int64)] = []
                for id in known {
                    if try store.conversations.one(id) == nil {
                        gone.append((id, .max))
                    } else if case let purged = try store.retention.purged(in: id), purged > 0 {
                        gone.append((id, purged))
                    }
                }
                return gone
            }
            for (id, last) in gone where try last == .max || file.hasDocuments(of: id, through: last) {
                try file.transaction {
                    _ = try file.removeDocuments(of: id, through: last, limit: Self.removedOfSlice)
                }
                return true
            }
        }
        self.lastSweep = now
        return false
    }
}

/// The index has messages that the database does not.
private struct IndexAhead: Error {}

extension SQLiteError {
    /// True when the file itself is at fault: it is built anew. Else waiting helps.
    var isDamage: Bool {
        switch self {
        case .full, .busy, .interrupted, .folderNotSynced: false
        case .cannotOpen, .broken, .refused: true
        }
    }
}
