import ChatModel
import Diagnostics
import Execution
import Glibc
import Store
import Testing

@testable import Search

/// A store and its index in a temporary folder.
final class SearchFixture {
    let folder: String
    let clock: ManualClock
    private(set) var store: Store
    private(set) var index: SearchIndex
    private let answered: ConditionLock<[UInt64: AppendResult]>
    private var tickets: UInt64 = 0

    init(folder: String? = nil, clock: ManualClock = ManualClock()) throws {
        var template = Array("/tmp/teahouse-search-XXXXXX".utf8CString)
        precondition(template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }, "mkdtemp failed")
        self.folder = folder ?? String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.clock = clock
        self.answered = ConditionLock([:])
        (self.store, self.index) = try Self.open(self.folder, clock, self.answered)
    }

    /// Days without a message or a change after which a conversation goes.
    static let inactiveDays = 10

    private static func open(
        _ folder: String, _ clock: ManualClock, _ answered: ConditionLock<[UInt64: AppendResult]>
    ) throws -> (Store, SearchIndex) {
        var options = StoreOptions(folder: folder)
        options.clock = clock.clock
        options.ballastBytes = 0
        options.stopWritingFreeBytes = 0
        options.synchronous = "OFF"
        options.inactiveDays = self.inactiveDays
        options.retention[.other] = RetentionRule(messages: 1)
        let store = try Store(options)
        store.onOutcomes = { outcomes in
            answered.change { known in
                for outcome in outcomes { known[outcome.ticket] = outcome.result }
            }
        }
        return (store, Self.index(of: store, folder))
    }

    private static func index(of store: Store, _ folder: String) -> SearchIndex {
        var options = SearchOptions()
        // Tests of what is found have all the time they need.
        options.milliseconds = 60_000
        options.intervalMilliseconds = 5
        return SearchIndex(store, folder: folder, options: options, clock: .system, log: .silent)
    }

    deinit {
        self.close()
        for name in Self.files + ["teahouse.db-shm", "search.db-shm", "lock", "ballast"] {
            unlink("\(self.folder)/\(name)")
        }
        rmdir(self.folder)
    }

    static let files = ["teahouse.db", "teahouse.db-wal", "search.db", "search.db-wal"]

    var indexPath: String { "\(self.folder)/search.db" }

    private func close() {
        self.index.stop()
        self.store.close()
    }

    /// Closes both, lets something happen to the files, and opens them again.
    func reopen(after body: () throws -> Void = {}) throws {
        self.close()
        try body()
        (self.store, self.index) = try Self.open(self.folder, self.clock, self.answered)
    }

    /// Closes the index alone, lets something happen to the files, and opens it again.
    func reopenIndex(after body: () throws -> Void = {}) throws {
        self.index.stop()
        try body()
        self.index = Self.index(of: self.store, self.folder)
    }

    /// The files as a kill would leave them, opened by another store and index.
    func killed() throws -> SearchFixture {
        var template = Array("/tmp/teahouse-search-XXXXXX".utf8CString)
        precondition(template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }, "mkdtemp failed")
        let copy = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        for name in Self.files { try Self.copy("\(self.folder)/\(name)", to: "\(copy)/\(name)") }
        return try SearchFixture(folder: copy, clock: self.clock)
    }

    private static func copy(_ path: String, to other: String) throws {
        guard let input = fopen(path, "r") else { return }
        let output = try #require(fopen(other, "w"))
        defer {
            fclose(input)
            fclose(output)
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, input), count > 0 {
            #expect(fwrite(buffer, 1, count, output) == count)
        }
        chmod(other, 0o600)
    }

    // MARK: Furnishing

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) throws -> Value { try self.store.writeAndWait(body) }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value
    ) throws -> Value { try self.store.readAndWait(body) }

    func user(_ name: String) throws -> UserID {
        let name = try #require(UserName(name))
        return try self.write { store throws(StoreError) in try store.people.createUser(name) }
    }

    func group(_ name: String, _ members: [UserID]) throws -> ConversationID {
        let name = try #require(ChannelName(name))
        return try self.write { store throws(StoreError) in
            try store.conversations.createChannel(.group, name, creator: members[0], members: members)
        }
    }

    @discardableResult
    func say(_ text: String, _ sender: UserID, in id: ConversationID) throws -> MessagePlace {
        try self.send(
            MessageContent(kind: .text, flags: .countsAsUnread, wire: .native, body: Array(text.utf8)), sender, in: id)
    }

    @discardableResult
    func send(_ content: MessageContent, _ sender: UserID, in id: ConversationID) throws -> MessagePlace {
        self.tickets += 1
        let ticket = self.tickets
        self.store.append([
            Append(
                sender: sender, authority: .user, address: .id(id), clientToken: nil, content: content, ticket: ticket)
        ])
        let result = self.answered.wait(until: { $0[ticket] != nil }, then: { $0.removeValue(forKey: ticket) })
        guard case .accepted(let accepted)? = result else {
            throw StoreError.invalid("not taken: \(String(describing: result))")
        }
        return MessagePlace(accepted.message.conversation, accepted.message.sequence)
    }

    /// Lets the clock go on until the conversations that are there now are gone.
    func outliveConversations() {
        for _ in 0..<(Self.inactiveDays + 2) {
            self.clock.advance(milliseconds: 86_400_000)
            self.store.runMaintenance()
        }
    }

    // MARK: Searching

    func page(_ query: SearchQuery, as access: HistoryAccess) throws -> SearchPage {
        let index = self.index
        return try self.read { store throws(StoreError) in try index.search(query, in: store, as: access) }
    }

    /// Everything that is found, page by page.
    func find(
        _ text: String, as access: HistoryAccess, limit: Int = 100, _ change: (inout SearchQuery) -> Void = { _ in }
    ) throws -> [String] {
        var query = SearchQuery(try SearchTerms(text))
        query.limit = limit
        change(&query)
        var found: [String] = []
        repeat {
            let page = try self.page(query, as: access)
            #expect(page.hits.count <= limit)
            found += page.hits.map { String(decoding: $0.message.content.body, as: UTF8.self) }
            query.cursor = page.next
        } while query.cursor != nil
        return found
    }
}
