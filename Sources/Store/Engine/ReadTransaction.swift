import CLinux
package import ChatModel
import Execution

/// One consistent look at what was committed. Valid only inside the closure it is handed to; keep it short, because the
/// log cannot be emptied while somebody reads.
package final class ReadTransaction {
    let connection: Connection
    let names: UserNames
    private let liveViews: Lock<ViewRules>
    /// When this read has had its time, on the monotonic clock.
    fileprivate(set) var endsAtNanoseconds = Int64.max
    private let clock: Clock

    init(
        _ connection: Connection, _ names: UserNames, _ views: Lock<ViewRules> = Lock(ViewRules()),
        clock: Clock = .system
    ) {
        self.connection = connection
        self.names = names
        self.liveViews = views
        self.clock = clock
    }

    /// Current rules that decide which messages people are shown.
    var views: ViewRules { self.liveViews.withLock { $0 } }

    /// True when this read has used up its time: a read over many rows then ends and says where to go on.
    package var isOverTime: Bool { clinux_monotonic_nanoseconds() >= self.endsAtNanoseconds }

    /// True when a temporary conversation has expired: it takes no message any more and is deleted soon.
    package func isOver(_ conversation: Conversation) throws(StoreError) -> Bool {
        guard conversation.kind == .temporary else { return false }
        let now = self.clock.wallMilliseconds()
        let over = try self.connection.first(
            "SELECT expires_at <= ? FROM conversation WHERE id = ?", now, conversation.id
        ) { row throws(StoreError) in row.int64(0) != 0 }
        return over ?? true
    }

    /// Names of senders, so that a page of messages needs no join. They change only where an import is taken back.
    func name(of user: UserID) throws(StoreError) -> UserName {
        if let known = self.names.known[user] { return known }
        let loaded = try self.connection.first("SELECT name FROM user WHERE id = ?", user) { row throws(StoreError) in
            try row.userName(0)
        }
        guard let loaded else { throw Row.damaged("message of nobody") }
        self.names.remember(loaded, user)
        return loaded
    }
}

// MARK: Settings and pages

extension ReadTransaction {
    /// Reads the value of a setting; `nil` when it is not set.
    package func setting(_ key: String) throws(StoreError) -> String? {
        let sql: StaticString = "SELECT value FROM setting WHERE key = ?"
        return try self.connection.first(sql, key) { row throws(StoreError) in row.text(0) }
    }

    /// Reads all settings.
    package func settings() throws(StoreError) -> [String: String] {
        let rows = try self.connection.query("SELECT key, value FROM setting") { row throws(StoreError) in
            (row.text(0), row.text(1))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Checks the size of a page.
    ///
    /// - Throws: `invalid` outside of 1...1000.
    static func page(_ limit: Int) throws(StoreError) -> Int64 {
        guard (1...1_000).contains(limit) else { throw .invalid("a page has 1 to 1000 entries, not \(limit)") }
        return Int64(limit)
    }
}

/// Names a connection has met; forgotten all at once when there are too many, and when somebody has got another one.
final class UserNames {
    /// Most names kept.
    static let bound = 10_000
    private(set) var known: [UserID: UserName] = [:]
    /// Number of commits that gave people other names, which the writer counts.
    private let renames: Lock<Int>
    /// The number at the begin of the last read.
    private var renamesBefore = 0

    init(_ renames: Lock<Int> = Lock(0)) { self.renames = renames }

    /// Forgets what may be out of date. Before the transaction begins: what an older one reads after a commit is forgotten by the
    /// next one.
    func beginRead() {
        let current = self.renames.withLock { $0 }
        if current != self.renamesBefore { self.known.removeAll(keepingCapacity: true) }
        self.renamesBefore = current
    }

    func remember(_ name: UserName, _ user: UserID) {
        if self.known.count >= Self.bound { self.known.removeAll(keepingCapacity: true) }
        self.known[user] = name
    }
}

/// The reading connection of one thread, opened at its first use.
final class ReaderSlot {
    private let path: String
    private let views: Lock<ViewRules>
    private let renames: Lock<Int>
    private let clock: Clock
    private var transaction: ReadTransaction?

    init(path: String, views: Lock<ViewRules>, renames: Lock<Int>, clock: Clock) {
        self.path = path
        self.views = views
        self.renames = renames
        self.clock = clock
    }

    /// Gives the next read its time from now on.
    func beginRead(_ lane: ReadLane, for asker: ReadAsker) {
        self.beginRead(lane, for: asker, at: clinux_monotonic_nanoseconds())
    }

    /// Gives the next read its time, in nanoseconds of the monotonic clock.
    func beginRead(_ lane: ReadLane, for asker: ReadAsker, at now: Int64) {
        guard let transaction = try? self.opened() else { return }
        let isPatient = lane == .signIn || asker == .server
        transaction.endsAtNanoseconds = isPatient ? .max : now + ReadBounds.longMilliseconds * 1_000_000
        transaction.connection.breaksOffAt =
            asker.isBounded && !isPatient ? now + ReadBounds.milliseconds * 1_000_000 : .max
    }

    func read<Value>(
        _ body: (ReadTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let transaction = try self.opened()
        transaction.names.beginRead()
        try transaction.connection.run("BEGIN")
        let result: Value
        do throws(StoreError) {
            result = try body(transaction)
        } catch {
            transaction.connection.breaksOffAt = .max
            try? transaction.connection.run("ROLLBACK")
            throw error
        }
        // The end itself is not broken off: the next read could not begin.
        transaction.connection.breaksOffAt = .max
        try transaction.connection.run("COMMIT")
        return result
    }

    private func opened() throws(StoreError) -> ReadTransaction {
        if let transaction = self.transaction { return transaction }
        let made = ReadTransaction(
            try Connection(path: self.path, role: .reader), UserNames(self.renames), self.views, clock: self.clock)
        self.transaction = made
        return made
    }
}
