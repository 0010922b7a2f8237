package import ChatModel
import Execution
import Glibc
import MessageLog

/// How to verify a folder.
package struct VerifyOptions: Sendable {
    /// The horizon inside which client tokens are checked; as the server was configured.
    package var tokenDays = 30
    /// UTC milliseconds: the end of the horizon.
    package var wallMilliseconds = Clock.system.wallMilliseconds()
    /// Acknowledged messages that must be found again.
    package var expectations: [VerifyExpectation] = []
    /// Findings after which the rest is only counted.
    package var maximumFindings = 1_000
    /// Asked all the while, within a statement as well; false ends it, as `unavailable`.
    package var isWanted: (@Sendable () -> Bool)?

    package init() {}
}

/// A message that a client got an acknowledgement for.
package struct VerifyExpectation: Sendable {
    /// Conversation of an expected message: by name, by its two people, or by number.
    package enum Place: Hashable, Sendable {
        case channel(ConversationKind, ChannelName)
        case direct(UserName, UserName)
        case id(ConversationID)
    }

    /// Conversation the message was sent to.
    package var place: Place
    /// Position in the conversation.
    package var sequence: Int64
    /// ID from the acknowledgement.
    package var id: MessageID
    /// Name of the sender.
    package var sender: UserName
    /// Sender's key for spotting a resend; `nil` when the message had none.
    package var clientToken: ClientToken?
    /// Body as the sender sent it.
    package var body: [UInt8]

    package init(
        place: Place, sequence: Int64, id: MessageID, sender: UserName, clientToken: ClientToken?, body: [UInt8]
    ) {
        self.place = place
        self.sequence = sequence
        self.id = id
        self.sender = sender
        self.clientToken = clientToken
        self.body = body
    }
}

/// Something that is wrong, as a sentence for the operator.
package struct VerifyFinding: Hashable, Sendable, CustomStringConvertible {
    /// Kind of damage.
    package enum Kind: Sendable, CaseIterable {
        /// The file itself: SQLite's integrity check, unreadable pages.
        case damagedFile
        /// A row that points to a row that is not there.
        case danglingRow
        case schema
        /// Sequences are not 1, 2, 3 … up to the head.
        case sequence
        /// Ids or times fall, or something is newer than the last commit.
        case order
        /// The count of messages that count as unread.
        case countable
        /// One client token, two messages.
        case duplicate
        /// A client token without its message, or a message without its token.
        case token
        /// A body that is not the one that was stored.
        case body
        /// A person's reading position or own count.
        case unread
        /// A change of a message after it was sent.
        case messageChange
        case memberCount
        /// Members, former members and listeners of a conversation.
        case member
        /// A person's view of a conversation, or what it shows of itself.
        case preference
        /// The log of commands, or the one of what happened to conversations.
        case command
        case delivered
        /// A profile, a friendship or a friend request.
        case people
        /// Settings of a group, or a request to join it.
        case team
        /// The audit log: an entry is gone or is not as it was written.
        case audit
        /// An announcement of the operator to people.
        case notice
        /// A setting of conversations, a rule of the word list or a message kind.
        case setting
        /// A file, what refers to it, a link or a transfer.
        case file
        /// Content of a file on the disk.
        case content
        /// An acknowledged message is not there.
        case missing
        /// An acknowledged message is another one.
        case different
    }

    /// Kind of damage, for code; `description` is for the operator.
    package var kind: Kind
    package var description: String
}

/// Result of `verifyFolder`.
package struct VerifyReport: Sendable {
    /// Findings, at most `maximumFindings`.
    package var findings: [VerifyFinding] = []
    /// Findings that are not listed, above `maximumFindings`.
    package var moreFindings = 0
    /// Version of the database's schema.
    package var schemaVersion = 0
    /// Users checked.
    package var users: Int64 = 0
    /// Conversations checked.
    package var conversations: Int64 = 0
    /// Members checked.
    package var members: Int64 = 0
    /// Messages checked.
    package var messages: Int64 = 0
    /// Messages, positions and others that were in the log alone: checked with the rest.
    package var logged: Int64 = 0
    /// Client tokens checked.
    package var clientTokens: Int64 = 0
    /// Acknowledged messages that were looked for.
    package var expectations: Int64 = 0
    /// Bodies that an earlier version stored in another form than they were sent in, without a hash: whether they are
    /// whole cannot be told.
    package var unprovenBodies: Int64 = 0

    /// True when nothing is wrong.
    package var isClean: Bool { self.findings.isEmpty }
}

/// Checks a stopped data folder, or a copy or backup of one, against everything the store promises. Nothing is changed,
/// but SQLite recovers the write-ahead log as it would at a start.
///
/// - Parameter also: checks what else belongs to the folder, with what the rows say, while the folder is held; it tells
///   what is wrong as sentences. Not called when the database cannot be read.
/// - Throws: `unavailable` when it is not wanted any more; `alreadyRunning` while a server holds the folder; `notFound` without a database, `invalid` where there was
///   one; `schemaTooNew`.
package func verifyFolder(
    _ path: String, _ options: VerifyOptions = VerifyOptions(),
    also: (ReadTransaction, (_ kind: VerifyFinding.Kind, _ text: String) -> Void) throws(StoreError) -> Void = { _, _ in
    }
) throws(StoreError) -> VerifyReport {
    guard try !isNewFolder(path) else {
        throw .notFound("a database in \(path): name the folder that holds teahouse.db")
    }
    let folder = try DataFolder(path)
    let notes = VerifyNotes(maximum: options.maximumFindings)
    // Before SQLite opens the log: it would cut it off at the damage.
    if let damage = try folder.logDamage() {
        notes.add(.damagedFile, "There is damage: \(damage). Nothing else was looked at. Restore the last backup.")
        return withExtendedLifetime(folder) { notes.report }
    }
    do throws(StoreError) {
        let connection = try Connection(path: folder.databasePath, role: .writer(synchronous: "FULL"))
        if let isWanted = options.isWanted { connection.breakOff(unless: isWanted) }
        let tables = try connection.first("SELECT count(*) FROM sqlite_master") { row throws(StoreError) in row.int64(0)
        }
        guard let tables, tables > 0 else { throw LostDatabase.hasNoTables(path).error }
        try Verifier(connection, options, notes).run(logIn: LogStart.path(in: path))
        try also(ReadTransaction(connection, UserNames())) { notes.add($0, $1) }
    } catch {
        if let isWanted = options.isWanted, !isWanted() { throw .unavailable }
        guard case .fatal(let text) = error else { throw error }
        notes.add(.damagedFile, "The database cannot be read: \(text). Restore the last backup.")
    }
    return withExtendedLifetime(folder) { notes.report }
}

/// Findings as they come up.
final class VerifyNotes {
    var report = VerifyReport()
    private let maximum: Int

    init(maximum: Int) { self.maximum = maximum }

    func add(_ kind: VerifyFinding.Kind, _ text: String) {
        guard self.report.findings.count < self.maximum else {
            self.report.moreFindings += 1
            return
        }
        self.report.findings.append(VerifyFinding(kind: kind, description: text))
    }
}

/// The order of the checks: first what the others rely on.
struct Verifier {
    let connection: Connection
    let options: VerifyOptions
    let notes: VerifyNotes

    init(_ connection: Connection, _ options: VerifyOptions, _ notes: VerifyNotes) {
        self.connection = connection
        self.options = options
        self.notes = notes
    }

    /// - Parameter logPath: the log's folder beside the database.
    func run(logIn logPath: String) throws(StoreError) {
        guard try self.checkSchema(), try self.checkFile() else { return }
        // Never committed: it is undone when the connection closes.
        try self.connection.run("BEGIN IMMEDIATE")
        guard try self.applyLog(logPath) else { return }
        try self.checkReferences()
        let tokens = try TokenIndex(self.connection, try Sequencer(self.connection), roundKeys: 0)
        try self.checkPositions()
        try self.checkConversations(tokens)
        try self.checkTokens(tokens)
        try self.checkDelivered()
        try self.checkMessageChanges()
        try self.checkViews()
        try self.checkPeople()
        try self.checkTeams()
        try self.checkObjects()
        try self.checkImports()
        try self.checkRetention()
        try self.checkAnnouncements()
        try self.checkSettings()
        try self.checkFiles()
        try self.checkAudit()
        for expectation in self.options.expectations { try self.check(expectation) }
    }

    /// Looks at the database as a start would make it: with what was acknowledged from the log.
    ///
    /// - Returns: false when the log is damaged.
    private func applyLog(_ path: String) throws(StoreError) -> Bool {
        let segments = try self.connection.meta("log_segments")
        guard access(path, F_OK) == 0 || segments > 0 else { return true }
        do throws(StoreError) {
            let disk: FolderDisk
            do throws(LogError) { disk = try FolderDisk(path) } catch { throw StoreError(error) }
            let start = try LogStart(disk, self.connection, acceptsDamage: false)
            var sequencer = try Sequencer(self.connection)
            self.notes.report.logged = Int64(start.entries.count)
            try start.apply(try MessageRows(self.connection), self.connection, &sequencer)
            try sequencer.reserve(self.connection)
            return true
        } catch {
            guard case .fatal(let text) = error else { throw error }
            self.notes.add(.damagedFile, "There is damage: \(text). Nothing else was looked at.")
            return false
        }
    }

    private func checkSchema() throws(StoreError) -> Bool {
        let found = try self.connection.schemaVersion()
        self.notes.report.schemaVersion = found
        guard found <= Schema.version else { throw .schemaTooNew(found: found, supported: Schema.version) }
        guard found == Schema.version else {
            self.notes.add(
                .schema,
                "The database has schema \(found), this teahouse \(Schema.version): start teahouse once to upgrade it.")
            return false
        }
        return true
    }

    private func checkFile() throws(StoreError) -> Bool {
        let lines = try self.connection.query("PRAGMA integrity_check(100)") { row throws(StoreError) in row.text(0) }
        for line in lines where line != "ok" {
            self.notes.add(.damagedFile, "The database file is damaged: \(line). Restore the last backup.")
        }
        return lines == ["ok"]
    }

    private func checkReferences() throws(StoreError) {
        let rows = try self.connection.query("PRAGMA foreign_key_check") { row throws(StoreError) in
            (table: row.text(0), parent: row.text(2))
        }
        for row in rows {
            self.notes.add(
                .danglingRow, "Table \(row.table) names a \(row.parent) that does not exist. Restore the last backup.")
        }
    }

    func count(_ sql: SQLText) throws(StoreError) -> Int64 {
        try self.connection.first(SQL(sql)) { row throws(StoreError) in row.int64(0) } ?? 0
    }
}
