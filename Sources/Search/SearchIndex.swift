import ChatModel
import CLinux
package import Diagnostics
package import Execution
import SQLite
package import Store

/// Search over the messages: an index in a file of its own, which follows the messages on a thread of its own, and the
/// questions to it.
///
/// The index only proposes. What somebody gets was read from the store a moment before, by their rights and in the words of
/// now: an index that is behind, damaged or gone costs results, never a secret. All methods may be called from any thread.
package final class SearchIndex: Sendable {
    private let options: SearchOptions
    private let path: String
    private let indexer: Indexer
    private let readers: Lock<Readers>
    private let status: Lock<SearchStatus>

    /// Connections that nobody uses now.
    private struct Readers {
        var idle: [IndexReader] = []
        /// Number of the building that they read; 0 for none.
        var generation: Int64 = 0
    }

    /// Starts the thread that opens the index, or makes it. The store must live until `stop`.
    ///
    /// - Parameter folder: the data folder.
    package init(_ store: Store, folder: String, options: SearchOptions = SearchOptions(), clock: Clock, log: Log) {
        self.options = options
        self.path = "\(folder)/\(IndexFile.name)"
        let status = Lock(SearchStatus())
        self.status = status
        let readers = Lock(Readers())
        self.readers = readers
        self.indexer = Indexer(store, folder: folder, options: options, clock: clock, log: log, status: status) {
            generation in
            readers.withLock { $0 = Readers(generation: generation) }
        }
    }

    /// State of the index.
    package var currentStatus: SearchStatus { self.status.withLock { $0 } }

    /// Removes the index and builds it anew, behind the messages as ever. Results are incomplete until then.
    package func rebuild() { self.indexer.post(.rebuild("an operator asked for it")) }

    /// Waits until everything that was committed before is in the index. For tests and tools.
    package func catchUp() { self.indexer.catchUp() }

    /// Ends the thread and closes the file. Call it before the store is closed.
    package func stop() {
        self.indexer.stop()
        self.readers.withLock { $0 = Readers() }
    }

    // MARK: Searching

    /// Messages of a conversation that are looked at without the index: those it has not yet.
    package static let unindexedMessages: Int64 = 5_000
    /// Messages of a conversation up to which its texts are read one after another instead of the index.
    private static let smallConversation: Int64 = 20_000

    /// Finds messages, the newest first, as the asker may see them now.
    ///
    /// - Throws: `notFound` for a conversation that they are not in, `invalid` for the limit or a cursor of another question,
    ///   `busy` while the index of all conversations cannot be read.
    package func search(
        _ query: SearchQuery, in store: ReadTransaction, as access: HistoryAccess
    ) throws(StoreError) -> SearchPage {
        guard (1...100).contains(query.limit) else {
            throw .invalid("a page of results has 1...100, not \(query.limit)")
        }
        let search = Search(query, store, access, milliseconds: self.options.milliseconds)
        let page = try self.run(search, query)
        self.status.withLock { status in
            status.searches += 1
            if search.isCutShort { status.cutShort += 1 }
        }
        return page
    }

    private func run(_ search: Search, _ query: SearchQuery) throws(StoreError) -> SearchPage {
        let reader: IndexReader?
        do throws(SQLiteError) { reader = try self.reader() } catch {
            self.noteFailure(error, generation: 0)
            reader = nil
        }
        defer { if let reader { self.giveBack(reader) } }
        let indexedTo = self.currentStatus.indexedTo
        do {
            if let id = query.conversation {
                let next = try search.searchConversation(id, reader)
                return SearchPage(hits: search.hits, next: next, indexedTo: indexedTo)
            }
            guard let reader else { throw StoreError.busy }
            let next = try reader.snapshot { try search.searchAll(reader) }
            return SearchPage(hits: search.hits, next: next, indexedTo: indexedTo)
        } catch let error as StoreError {
            throw error
        } catch {
            // Of the index: the store's own failures are of the other type.
            self.noteFailure(error, generation: reader?.generation ?? 0)
            throw .busy
        }
    }

    /// Has a damaged index built anew.
    ///
    /// - Parameter generation: of the building that was read; 0 when it could not be opened.
    private func noteFailure(_ error: any Error, generation: Int64) {
        guard let error = error as? SQLiteError, error.isDamage else { return }
        self.indexer.post(.damaged(generation: generation, "\(error)"))
    }

    private func reader() throws(SQLiteError) -> IndexReader? {
        let (idle, generation) = self.readers.withLock { ($0.idle.popLast(), $0.generation) }
        if let idle { return idle }
        return generation == 0 ? nil : try IndexReader(path: self.path)
    }

    private func giveBack(_ reader: IndexReader) {
        self.readers.withLock { readers in
            if readers.generation == reader.generation { readers.idle.append(reader) }
        }
    }

    /// One search: the question, the store's read, and what was found.
    private final class Search {
        private let query: SearchQuery
        private let store: ReadTransaction
        private let access: HistoryAccess
        private let end: Int64
        private(set) var hits: [SearchHit] = []
        /// The time was over before the end.
        private(set) var isCutShort = false

        init(_ query: SearchQuery, _ store: ReadTransaction, _ access: HistoryAccess, milliseconds: Int64) {
            self.query = query
            self.store = store
            self.access = access
            self.end = clinux_monotonic_nanoseconds() + milliseconds * 1_000_000
        }

        private func isOverTime() -> Bool {
            guard clinux_monotonic_nanoseconds() >= self.end || self.store.isOverTime else { return false }
            self.isCutShort = true
            return true
        }

        // MARK: All conversations

        func searchAll(_ reader: IndexReader) throws -> SearchCursor? {
            var below = Int64.max
            switch self.query.cursor {
            case nil: break
            case .sequence: throw StoreError.invalid("the cursor belongs to a search in one conversation")
            case .document(let generation, let number):
                guard generation == reader.generation else {
                    throw StoreError.invalid("the cursor is of an index that was built anew since: search again")
                }
                below = number
            }
            var filter = self.filter
            switch self.access {
            case .member(let user), .onBehalf(of: let user):
                let scope = try self.store.messages.searchScope(of: user)
                filter.scope = Dictionary(
                    scope.map { (UInt32(clamping: $0.key.rawValue), UInt32(clamping: $0.value)) }
                ) { first, _ in first }
            case .unrestricted: break
            }
            let next = try reader.scan(self.query.terms, filter, below: below, isOverTime: self.isOverTime) {
                place, _ in try self.takePlace(place)
            }
            return next.map { .document(generation: reader.generation, number: $0) }
        }

        private var filter: CandidateFilter {
            var filter = CandidateFilter()
            filter.sender = self.query.sender.map { UInt32(clamping: $0.rawValue) }
            filter.kinds = Set(self.query.kinds.map(\.rawValue))
            let times = self.query.times
            filter.hours = DocumentEntry.hour(of: times.lowerBound)...DocumentEntry.hour(of: times.upperBound)
            return filter
        }

        // MARK: One conversation

        func searchConversation(_ id: ConversationID, _ reader: IndexReader?) throws -> SearchCursor? {
            var below = Int64.max
            switch self.query.cursor {
            case nil: break
            case .sequence(let sequence): below = sequence
            case .document: throw StoreError.invalid("the cursor belongs to a search in all conversations")
            }
            let start = try self.store.messages.firstVisible(in: id, as: self.access)
            let indexed = try reader?.lastSequence(of: id) ?? 0
            if let next = try self.searchUnindexed(id, start: max(start, indexed + 1), below: below) {
                return .sequence(next)
            }
            guard let reader, indexed >= start, !self.isFull else {
                return self.isFull && indexed >= start ? .sequence(min(below, indexed + 1)) : nil
            }
            let next = try reader.snapshot { try self.searchIndexed(reader, id, start, below: min(below, indexed + 1)) }
            return next.map { .sequence($0) }
        }

        private func searchIndexed(
            _ reader: IndexReader, _ id: ConversationID, _ start: Int64, below: Int64
        ) throws -> Int64? {
            if !self.query.terms.isEmpty, below - start <= SearchIndex.smallConversation {
                return try reader.scan(
                    self.query.terms, in: id, from: start, below: below, isOverTime: self.isOverTime,
                    take: self.takePlace)
            }
            guard let number = try reader.number(before: below, in: id) else { return nil }
            var filter = self.filter
            filter.scope = [UInt32(clamping: id.rawValue): UInt32(clamping: start)]
            var last = below
            let next = try reader.scan(self.query.terms, filter, below: number + 1, isOverTime: self.isOverTime) {
                place, _ in
                last = place.sequence
                return try self.takePlace(place)
            }
            guard let next else { return nil }
            // Where the time was over between two of its messages, the cursor names the one it goes on below.
            return self.isFull ? last : try reader.sequence(ofLastBelow: next, in: id).map { $0 + 1 }
        }

        /// The messages that the index does not have yet, from the store.
        ///
        /// - Returns: below which sequence to go on when the page is full, or they were too many or took too long.
        private func searchUnindexed(_ id: ConversationID, start: Int64, below: Int64) throws -> Int64? {
            guard let head = try self.store.conversations.one(id)?.head, head >= start else { return nil }
            var before = min(below, head + 1)
            let floor = max(start, before - SearchIndex.unindexedMessages)
            while before > floor {
                let page = try self.store.messages.page(in: id, before: before, limit: 100, as: self.access)
                guard let first = page.first else { return nil }
                let extras = try self.store.messages.extras(of: page.map(\.sequence), in: id, for: nil)
                for message in page.reversed() where message.sequence >= floor {
                    let current = extras[message.sequence].flatMap(message.edited) ?? message
                    guard let found = SearchableText(of: current.content),
                        self.query.terms.isEmpty || self.query.terms.match(FoldedText(found.text))
                    else { continue }
                    if try !self.takePlace(MessagePlace(id, message.sequence)) {
                        return message.sequence > start ? message.sequence : nil
                    }
                }
                before = max(floor, first.sequence)
                if before > floor, self.isOverTime() { return before }
            }
            return before > start ? before : nil
        }

        // MARK: One message

        private var isFull: Bool { self.hits.count >= self.query.limit }

        /// Takes a message that was proposed when it is what is asked for, in the words and by the rights of now.
        ///
        /// - Returns: false when the page is full.
        private func takePlace(_ place: MessagePlace) throws -> Bool {
            guard let message = try self.message(at: place) else { return true }
            guard self.query.sender.map({ $0 == message.sender }) ?? true,
                self.query.times.contains(message.sentAtMilliseconds),
                let found = SearchableText(of: message.content),
                self.query.kinds.isEmpty || self.query.kinds.contains(found.kind),
                self.query.terms.isEmpty || self.query.terms.match(FoldedText(found.text)), self.query.accepts(message)
            else { return true }
            self.hits.append(SearchHit(message: message, snippet: Snippet(of: found.text, self.query.terms)))
            return !self.isFull
        }

        private func message(at place: MessagePlace) throws -> Message? {
            if self.access == .unrestricted, try self.store.conversations.one(place.conversation) == nil { return nil }
            do throws(StoreError) {
                return try self.store.messages.standing(place, as: self.access)?.message
            } catch .notFound {
                return nil
            }
        }
    }
}
