import ChatModel
import SQLite

/// A connection that reads the index. Used by one thread at a time.
final class IndexReader {
    /// Number of the building that it reads.
    let generation: Int64
    private let connection: Connection

    /// Documents of the first window of a search. Each further one has twice as many, up to `largestWindow`: so a search for
    /// something frequent opens few of them, and none keeps the clock waiting for long.
    private static let firstWindow: Int64 = 32_768
    private static let largestWindow: Int64 = 262_144
    /// Documents between two looks at the clock.
    private static let documentsBetweenLooks = 512

    init(path: String) throws(SQLiteError) {
        self.connection = try Connection(path: path, role: .reader)
        self.generation = try self.connection.meta("generation")
    }

    /// Gives `body` one consistent look at the index.
    func snapshot<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws -> Value {
        try self.connection.run("BEGIN")
        defer { try? self.connection.run("COMMIT") }
        return try body()
    }

    /// The number that the next document gets.
    func next() throws(SQLiteError) -> Int64 { try self.connection.meta("next") }

    /// The newest message of a conversation that the index has.
    func lastSequence(of id: ConversationID) throws(SQLiteError) -> Int64 {
        try self.connection.number(
            "SELECT max(sequence) FROM document WHERE conversation = ?", id.rawValue) ?? 0
    }

    /// The number of the last document of a conversation below a sequence; `nil` when there is none.
    func number(before sequence: Int64, in id: ConversationID) throws(SQLiteError) -> Int64? {
        try self.connection.number(
            """
            SELECT number FROM document WHERE conversation = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1
            """, id.rawValue, sequence)
    }

    /// The sequence of the newest message of a conversation whose document is below a number; `nil` when there is none.
    func sequence(ofLastBelow number: Int64, in id: ConversationID) throws(SQLiteError) -> Int64? {
        try self.connection.number(
            "SELECT sequence FROM document WHERE conversation = ? AND number < ? ORDER BY sequence DESC LIMIT 1",
            id.rawValue, number)
    }

    /// Looks at the documents below a number that have the terms and fit, the newest first, until `take` returns false or the
    /// time is over.
    ///
    /// - Parameter take: gets the place and number of each; it may not be visible, or have changed since.
    /// - Returns: below which number to go on; `nil` when that was all.
    func scan(
        _ terms: SearchTerms, _ filter: CandidateFilter, below: Int64, isOverTime: () -> Bool,
        take: (MessagePlace, Int64) throws -> Bool
    ) throws -> Int64? {
        var high = min(below, try self.next()) - 1
        var window = Self.firstWindow
        let query = terms.indexQuery
        while high >= 1 {
            let low = max(1, high - window + 1)
            let stopped =
                terms.isEmpty
                ? try self.scanPages(low...high, filter, isOverTime, take)
                : try self.scanTerms(query, terms, low...high, filter, isOverTime, take)
            if let stopped { return stopped > 1 ? stopped : nil }
            high = low - 1
            window = min(2 * window, Self.largestWindow)
            if high >= 1, isOverTime() { return low }
        }
        return nil
    }

    /// - Returns: below which number to go on; `nil` when all of the range was looked at.
    private func scanTerms(
        _ query: String, _ terms: SearchTerms, _ range: ClosedRange<Int64>, _ filter: CandidateFilter,
        _ isOverTime: () -> Bool, _ take: (MessagePlace, Int64) throws -> Bool
    ) throws -> Int64? {
        let statement = try self.connection.statement(
            "SELECT rowid FROM term WHERE term MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC")
        statement.bindAll(query, range.lowerBound, range.upperBound)
        defer { statement.reset() }
        var page = (number: Int64(-1), page: DocumentPage())
        var looked = 0
        while try statement.step() {
            let number = statement.row.int64(0)
            looked += 1
            if looked % Self.documentsBetweenLooks == 0, isOverTime() { return number + 1 }
            guard let entry = try self.entry(of: number, &page), filter.fits(entry) else { continue }
            let place = entry.place
            guard try self.text(of: place).map({ terms.match($0) }) == true else { continue }
            if try !take(place, number) { return number }
        }
        return nil
    }

    private func scanPages(
        _ range: ClosedRange<Int64>, _ filter: CandidateFilter, _ isOverTime: () -> Bool,
        _ take: (MessagePlace, Int64) throws -> Bool
    ) throws -> Int64? {
        var page = (number: Int64(-1), page: DocumentPage())
        var number = range.upperBound
        while number >= range.lowerBound {
            if number % Int64(Self.documentsBetweenLooks) == 0, isOverTime() { return number + 1 }
            if let entry = try self.entry(of: number, &page), filter.fits(entry), try !take(entry.place, number) {
                return number
            }
            number -= 1
        }
        return nil
    }

    /// Looks at the messages of one small conversation below a sequence, the newest first, by their texts.
    ///
    /// - Returns: below which sequence to go on; `nil` when that was all.
    func scan(
        _ terms: SearchTerms, in id: ConversationID, from start: Int64, below sequence: Int64,
        isOverTime: () -> Bool, take: (MessagePlace) throws -> Bool
    ) throws -> Int64? {
        let statement = try self.connection.statement(
            """
            SELECT sequence, text FROM document WHERE conversation = ? AND sequence < ? AND sequence >= ?
            ORDER BY sequence DESC
            """)
        statement.bindAll(id.rawValue, sequence, start)
        defer { statement.reset() }
        var looked = 0
        while try statement.step() {
            let at = statement.row.int64(0)
            looked += 1
            if looked % Self.documentsBetweenLooks == 0, isOverTime() { return at + 1 }
            guard terms.match(statement.row.blob(1)) else { continue }
            if try !take(MessagePlace(id, at)) { return at }
        }
        return nil
    }

    private func text(of place: MessagePlace) throws(SQLiteError) -> [UInt8]? {
        try self.connection.rows(
            "SELECT text FROM document WHERE conversation = ? AND sequence = ?", place.conversation.rawValue,
            place.sequence
        ) { row in row.blob(0) }.first
    }

    private func entry(
        of number: Int64, _ page: inout (number: Int64, page: DocumentPage)
    ) throws(SQLiteError) -> DocumentEntry? {
        let wanted = DocumentPage.number(of: number)
        if page.number != wanted { page = (wanted, try self.connection.documentPage(wanted) ?? DocumentPage()) }
        return page.page.entry(of: number)
    }
}

extension DocumentEntry {
    var place: MessagePlace {
        MessagePlace(ConversationID(rawValue: Int64(self.conversation)), Int64(self.sequence))
    }
}

/// Conditions on a document that can be decided without reading the message.
struct CandidateFilter {
    /// The first visible sequence of each conversation that the asker is in; `nil` for all of all.
    var scope: [UInt32: UInt32]?
    var sender: UInt32?
    /// `SearchKind`; empty for all.
    var kinds: Set<UInt8> = []
    var hours: ClosedRange<UInt32> = 0...UInt32.max

    func fits(_ entry: DocumentEntry) -> Bool {
        if let sender, entry.sender != sender { return false }
        guard self.hours.contains(entry.hour) else { return false }
        if let scope {
            guard let first = scope[entry.conversation], entry.sequence >= first else { return false }
        }
        return self.kinds.isEmpty || self.kinds.contains(entry.kind)
    }
}
