import ChatModel
import Glibc
import SQLite
import Store

/// The index file as its one writer has it open. Confined to the indexing thread.
///
/// It lies beside the database and holds nothing that could not be made again from it: a file that is missing, damaged, of another
/// version or of another database is removed and built anew.
final class IndexFile {
    /// Name in the data folder.
    static let name = "search.db"
    /// Page cache of the writing connection: the index is built once and then grows slowly.
    private static let cacheKibibytes = 4 * 1_024
    /// Bytes of the log at which it is copied into the file.
    private static let checkpointLogBytes: Int64 = 4 * 1_024 * 1_024

    let path: String
    /// Number of this building.
    let generation: Int64
    private let connection: Connection
    private(set) var next: Int64
    /// Documents removed or replaced are rare: pages are kept for one slice.
    private var pages: [Int64: DocumentPage] = [:]

    /// Opens the file, or makes it.
    ///
    /// - Parameter epoch: of the database that it belongs to.
    /// - Throws: `SQLiteError`; `wrongIndex` for a file to be built anew.
    init(folder: String, epoch: Int64) throws {
        self.path = "\(folder)/\(Self.name)"
        let isNew = access(self.path, F_OK) != 0
        if isNew {
            // For the owner only; SQLite makes its log like the file.
            let descriptor = open(self.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw SQLiteError.cannotOpen(path: self.path, reason: "cannot make the file") }
            Glibc.close(descriptor)
        }
        let connection = try Connection(path: self.path, role: .writer(synchronous: "NORMAL"))
        try connection.script("PRAGMA cache_size = -\(Self.cacheKibibytes); PRAGMA secure_delete = ON;")
        if isNew {
            try connection.script("BEGIN; \(IndexSchema.tables)")
            let values = [
                "version": IndexSchema.version, "epoch": epoch, "generation": Int64.random(in: 1...Int64(UInt32.max)),
                "next": 1, "change": -1, "newest": 0,
            ]
            for (key, value) in values { try connection.run("INSERT INTO meta VALUES (?, ?)", key, value) }
            try connection.script("COMMIT")
        }
        let version = try? connection.number("SELECT value FROM meta WHERE key = ?", "version")
        guard version == IndexSchema.version, try connection.meta("epoch") == epoch else { throw WrongIndex() }
        self.generation = try connection.meta("generation")
        self.next = try connection.meta("next")
        self.connection = connection
    }

    /// Removes the file and its logs.
    static func remove(in folder: String) {
        for suffix in ["", "-wal", "-shm"] { unlink("\(folder)/\(self.name)\(suffix)") }
    }

    /// Runs `body` as one transaction and copies a long log afterwards.
    func transaction(_ body: () throws -> Void) throws {
        try self.connection.script("BEGIN IMMEDIATE")
        do {
            try body()
            try self.writePages()
            try self.set("next", self.next)
            try self.connection.script("COMMIT")
        } catch {
            self.pages.removeAll()
            try? self.connection.script("ROLLBACK")
            // The memory of it is that of the file again.
            self.next = (try? self.connection.meta("next")) ?? self.next
            throw error
        }
        if self.connection.logBytes > Self.checkpointLogBytes { try self.connection.checkpoint(truncating: false) }
    }

    /// Copies the log into the file.
    func close() { _ = try? self.connection.checkpoint(truncating: true) }

    func value(_ key: String) throws -> Int64 { try self.connection.meta(key) }

    func set(_ key: String, _ value: Int64) throws {
        try self.connection.run("UPDATE meta SET value = ? WHERE key = ?", value, key)
    }

    // MARK: What is to be done

    func progress(of id: ConversationID) throws -> (sequence: Int64, revision: Int64) {
        let found = try self.connection.rows(
            "SELECT sequence, revision FROM progress WHERE conversation = ?", id.rawValue
        ) { row in (sequence: row.int64(0), revision: row.int64(1)) }
        return found.first ?? (0, 0)
    }

    func setProgress(of id: ConversationID, sequence: Int64, revision: Int64) throws {
        try self.connection.run(
            """
            INSERT INTO progress VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET sequence = excluded.sequence, revision = excluded.revision
            """, id.rawValue, sequence, revision)
    }

    /// Conversations that have documents, after an id.
    func conversations(after id: Int64, limit: Int) throws -> [ConversationID] {
        try self.connection.rows(
            "SELECT conversation FROM progress WHERE conversation > ? ORDER BY conversation LIMIT ?", id, limit
        ) { row in ConversationID(rawValue: row.int64(0)) }
    }

    func wait(for stub: MessageStub) throws {
        try self.connection.run(
            "INSERT OR IGNORE INTO waiting VALUES (?, ?, ?)", stub.id.rawValue, stub.place.conversation.rawValue,
            stub.place.sequence)
    }

    /// The messages to look at next, the earliest first.
    func waiting(limit: Int) throws -> [MessageStub] {
        try self.connection.rows(
            "SELECT id, conversation, sequence FROM waiting ORDER BY id LIMIT ?", limit
        ) { row in
            MessageStub(
                id: MessageID(rawValue: row.int64(0)),
                place: MessagePlace(ConversationID(rawValue: row.int64(1)), row.int64(2)))
        }
    }

    func waitingCount() throws -> Int64 { try self.connection.number("SELECT count(*) FROM waiting") ?? 0 }

    // MARK: Documents

    /// A message that was looked at.
    struct Document {
        var stub: MessageStub
        /// `nil` for one that no search finds, or which is gone.
        var content: (text: FoldedText, entry: DocumentEntry)?
    }

    /// Puts messages into the index, or changes or removes what it has of them.
    func apply(_ documents: [Document]) throws {
        var known: [(document: Document, number: Int64, text: [UInt8])] = []
        var new: [Document] = []
        for document in documents {
            let place = document.stub.place
            let found = try self.connection.rows(
                "SELECT number, text FROM document WHERE conversation = ? AND sequence = ?",
                place.conversation.rawValue, place.sequence
            ) { row in (row.int64(0), row.blob(1)) }
            if let (number, text) = found.first { known.append((document, number, text)) } else { new.append(document) }
            try self.connection.run("DELETE FROM waiting WHERE id = ?", document.stub.id.rawValue)
        }
        // FTS5 writes what it has in memory whenever a number is lower than the one before.
        for (document, number, text) in known.sorted(by: { $0.number < $1.number }) {
            guard let content = document.content else {
                try self.remove(document.stub.place, number, text)
                continue
            }
            try self.setEntry(content.entry, of: number)
            if content.text.bytes == text { continue }
            try self.index(number, FoldedText(folded: text), command: .delete)
            try self.index(number, content.text, command: .insert)
            try self.connection.run(
                "UPDATE document SET text = ? WHERE conversation = ? AND sequence = ?", content.text.bytes,
                document.stub.place.conversation.rawValue, document.stub.place.sequence)
        }
        for document in new {
            guard let content = document.content else { continue }
            let number = self.next
            self.next += 1
            try self.connection.run(
                "INSERT INTO document VALUES (?, ?, ?, ?)", document.stub.place.conversation.rawValue,
                document.stub.place.sequence, number, content.text.bytes)
            try self.setEntry(content.entry, of: number)
            try self.index(number, content.text, command: .insert)
        }
    }

    /// True when there are documents of a conversation up to a sequence.
    func hasDocuments(of id: ConversationID, through last: Int64) throws -> Bool {
        try self.connection.number(
            "SELECT EXISTS (SELECT 1 FROM document WHERE conversation = ? AND sequence <= ?)", id.rawValue, last) == 1
    }

    /// Removes documents of a conversation that is gone, or of its messages up to a sequence.
    ///
    /// - Parameter last: `.max` for a conversation that is gone.
    /// - Returns: true when there may be more.
    func removeDocuments(of id: ConversationID, through last: Int64 = .max, limit: Int) throws -> Bool {
        let found = try self.connection.rows(
            """
            SELECT sequence, number, text FROM document WHERE conversation = ? AND sequence <= ?
            ORDER BY number LIMIT ?
            """, id.rawValue, last, limit
        ) { row in (row.int64(0), row.int64(1), row.blob(2)) }
        for (sequence, number, text) in found { try self.remove(MessagePlace(id, sequence), number, text) }
        guard found.isEmpty else { return true }
        if last == .max {
            try self.connection.run("DELETE FROM progress WHERE conversation = ?", id.rawValue)
        }
        return false
    }

    private func remove(_ place: MessagePlace, _ number: Int64, _ text: [UInt8]) throws {
        try self.index(number, FoldedText(folded: text), command: .delete)
        try self.setEntry(.empty, of: number)
        try self.connection.run(
            "DELETE FROM document WHERE conversation = ? AND sequence = ?", place.conversation.rawValue,
            place.sequence)
    }

    private enum Command {
        case insert
        case delete
    }

    private func index(_ number: Int64, _ text: FoldedText, command: Command) throws {
        let entries = Tokens.entries(of: text)
        guard !entries.isEmpty else { return }
        let joined = entries.joined(separator: " ")
        switch command {
        case .insert: try self.connection.run("INSERT INTO term (rowid, entries) VALUES (?, ?)", number, joined)
        case .delete:
            try self.connection.run("INSERT INTO term (term, rowid, entries) VALUES ('delete', ?, ?)", number, joined)
        }
    }

    // MARK: Pages

    private func setEntry(_ entry: DocumentEntry, of number: Int64) throws {
        let page = DocumentPage.number(of: number)
        if self.pages[page] == nil { self.pages[page] = try self.connection.documentPage(page) ?? DocumentPage() }
        self.pages[page]?.set(entry, of: number)
    }

    private func writePages() throws {
        for (number, page) in self.pages {
            try self.connection.run(
                "INSERT INTO document_page VALUES (?, ?) ON CONFLICT DO UPDATE SET entries = excluded.entries", number,
                page.bytes)
        }
        self.pages.removeAll(keepingCapacity: true)
    }
}

/// The file belongs to another version or to another database.
struct WrongIndex: Error {}

// Statements of the index.
extension Connection {
    func run<each Value: Bindable>(_ sql: StaticString, _ values: repeat each Value) throws(SQLiteError) {
        let statement = try self.statement(sql)
        statement.bindAll(repeat each values)
        defer { statement.reset() }
        _ = try statement.step()
    }

    func rows<each Value: Bindable, Output>(
        _ sql: StaticString, _ values: repeat each Value, read: (Row) -> Output
    ) throws(SQLiteError) -> [Output] {
        let statement = try self.statement(sql)
        statement.bindAll(repeat each values)
        defer { statement.reset() }
        var rows: [Output] = []
        while try statement.step() { rows.append(read(statement.row)) }
        return rows
    }

    func number<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(SQLiteError) -> Int64? {
        try self.rows(sql, repeat each values) { row in row.int64(0) }.first
    }

    /// - Throws: `refused` for a file without the key.
    func meta(_ key: String) throws(SQLiteError) -> Int64 {
        guard let value = try self.number("SELECT value FROM meta WHERE key = ?", key) else {
            throw .refused(text: "the index has no \(key)", code: 1)
        }
        return value
    }

    func documentPage(_ number: Int64) throws(SQLiteError) -> DocumentPage? {
        try self.rows("SELECT entries FROM document_page WHERE number = ?", number) { row in
            DocumentPage(bytes: row.blob(0))
        }.first
    }
}

extension Statement {
    /// Gives each `?` its value, from the first one on.
    func bindAll<each Value: Bindable>(_ values: repeat each Value) {
        var index: Int32 = 1
        for value in repeat each values {
            value.bind(to: self, at: index)
            index += 1
        }
    }
}
