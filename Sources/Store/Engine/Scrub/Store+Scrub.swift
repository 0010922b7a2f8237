import CLinux
import ChatModel
package import Execution

/// Bounds of a round of the scrub.
package struct ScrubOptions: Sendable {
    /// Time that one table may take; SQLite's log cannot be emptied meanwhile.
    package var tableMilliseconds: Int64 = 20_000
    /// Time that passes for each time of work: 9 for a tenth of one processor at most.
    package var restFactor: Int64 = 9
    /// Longest rest between two pieces.
    package var restMilliseconds: Int64 = 60_000

    package init() {}
}

extension Store {
    /// Reads the database while it is used, piece by piece with rests between: compares every body with its hash, each table with
    /// its indexes, and the chain of the audit log. It never writes. What the system has of the file in memory is not read from
    /// the disk again.
    ///
    /// - Parameters:
    ///   - isWanted: asked all the while; false ends the round.
    ///   - rest: sleeps for so many milliseconds, or less when it is not wanted any more.
    /// - Returns: what it has seen, and sentences about faults, at most `ScrubRound.maximumFindings`; `nil` for one that was
    ///   ended.
    /// - Throws: `unavailable` once the store is closing; `fatal` when the database cannot be opened.
    package func scrub(
        _ options: ScrubOptions = ScrubOptions(), clock: Clock, isWanted: @escaping @Sendable () -> Bool,
        rest: (Int64) -> Void
    ) throws(StoreError) -> (last: LastScrub, findings: [String])? {
        let round = try ScrubRound(self.snapshotSource.databasePath, self.snapshots, options, isWanted: isWanted)
        while isWanted() {
            let begun = clinux_monotonic_nanoseconds()
            guard try round.next() else {
                let last = LastScrub(
                    atMilliseconds: clock.wallMilliseconds(), rows: round.rows, tables: round.tables,
                    passedOver: round.passedOver, findings: round.findingCount)
                return (last, round.findings)
            }
            let worked = (clinux_monotonic_nanoseconds() - begun) / 1_000_000 + 1
            rest(min(worked * options.restFactor, options.restMilliseconds))
        }
        return nil
    }
}

/// One round over the database. Confined to its thread.
final class ScrubRound {
    /// Rows of one piece.
    private static let together: Int64 = 256
    /// Sentences that are kept; the rest is counted.
    static let maximumFindings = 20

    /// Piece that comes next.
    private enum Phase {
        case messages(after: MessagePlace)
        case edits(after: MessagePlace, number: Int64)
        case tables([String])
        case audit
        case done
    }

    private let connection: Connection
    private let snapshots: Snapshots
    private let options: ScrubOptions
    private let isWanted: @Sendable () -> Bool
    private var phase = Phase.messages(after: MessagePlace(ConversationID(rawValue: 0), 0))
    /// Moment at which a statement is broken off, nanoseconds.
    private let limit = Lock(Int64.max)
    private(set) var rows: Int64 = 0
    private(set) var tables: Int64 = 0
    private(set) var passedOver: Int64 = 0
    private(set) var findingCount: Int64 = 0
    private(set) var findings: [String] = []

    init(
        _ path: String, _ snapshots: Snapshots, _ options: ScrubOptions, isWanted: @escaping @Sendable () -> Bool
    ) throws(StoreError) {
        self.connection = try Connection(path: path, role: .reader)
        self.snapshots = snapshots
        self.options = options
        self.isWanted = isWanted
        self.connection.breakOff { [limit] in
            isWanted() && clinux_monotonic_nanoseconds() < limit.withLock { $0 }
        }
    }

    /// Carries one piece out.
    ///
    /// - Returns: false at the end of the round.
    func next() throws(StoreError) -> Bool {
        switch self.phase {
        case .messages(let place):
            // A page that cannot be read is the first finding; the tables tell the rest.
            self.phase = .edits(after: MessagePlace(ConversationID(rawValue: 0), 0), number: -1)
            try self.piece { () throws(StoreError) in
                let page = try self.connection.checkBodies(after: place, limit: Self.together)
                self.take(page.count, page.damaged, "the body of message")
                if page.count == Self.together { self.phase = .messages(after: page.last) }
            }
        case .edits(let place, let number):
            self.phase = .tables([])
            try self.piece { () throws(StoreError) in
                let page = try self.connection.checkEdits(after: place, number, limit: Self.together)
                self.take(page.count, page.damaged, "the body of an edit of message")
                if page.count == Self.together { self.phase = .edits(after: page.last, number: page.number) }
            }
            if case .tables = self.phase {
                try self.piece { () throws(StoreError) in self.phase = .tables(try self.tableNames()) }
            }
        case .tables(let names):
            guard let name = names.last else {
                self.phase = .audit
                return true
            }
            self.phase = .tables(names.dropLast())
            try self.check(name)
        case .audit:
            self.phase = .done
            try self.piece { () throws(StoreError) in
                for problem in try self.connection.checkAudit().problems { self.add(problem) }
            }
        case .done: return false
        }
        return true
    }

    private func take(_ count: Int, _ damaged: [MessagePlace], _ what: String) {
        self.rows += Int64(count)
        for place in damaged {
            self.add(
                """
                Conversation number \(place.conversation), \(what) \(place.sequence) is not the one that was stored. Restore \
                the last backup.
                """)
        }
    }

    private func add(_ text: String) {
        self.findingCount += 1
        if self.findings.count < Self.maximumFindings { self.findings.append(text) }
    }

    private func tableNames() throws(StoreError) -> [String] {
        try self.connection.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name DESC"
        ) { row throws(StoreError) in row.text(0) }
    }

    private func check(_ table: String) throws(StoreError) {
        // The log is not truncated meanwhile: that would wait for this reader, and every message with it.
        try self.snapshots.begin()
        defer { self.snapshots.end() }
        var isChecked = false
        try self.piece { () throws(StoreError) in
            let lines = try self.connection.query("SELECT integrity_check FROM pragma_integrity_check(?)", table) {
                row throws(StoreError) in row.text(0)
            }
            for line in lines where line != "ok" {
                self.add("The database file is damaged: \(line). Restore the last backup.")
            }
            isChecked = true
        }
        if isChecked { self.tables += 1 }
    }

    /// Damage that stops a statement is a finding; one that takes too long is passed over.
    private func piece(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        self.limit.withLock { $0 = clinux_monotonic_nanoseconds() + self.options.tableMilliseconds * 1_000_000 }
        do throws(StoreError) {
            try body()
        } catch .fatal(let text) {
            self.add("The database cannot be read: \(text). Restore the last backup.")
        } catch .invalid, .busy {
            if self.isWanted() { self.passedOver += 1 }
        }
    }
}
