import ChatModel
import Execution
import Glibc
import Testing

@testable import Store

/// A folder that goes away with the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/teahouse-store-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
        precondition(made, "mkdtemp failed")
        self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The database and its log once more.
    func copied() throws -> TemporaryFolder {
        let copy = TemporaryFolder()
        mkdir(copy.data, 0o700)
        for name in ["teahouse.db", "teahouse.db-wal"] {
            try copyFile("\(self.data)/\(name)", to: "\(copy.data)/\(name)")
        }
        mkdir("\(copy.data)/log", 0o700)
        for name in Self.segments where access("\(self.data)/\(name)", F_OK) == 0 {
            try copyFile("\(self.data)/\(name)", to: "\(copy.data)/\(name)")
        }
        return copy
    }

    /// Files of the log.
    static let segments = (0..<8).map { "log/segment-\($0)" }

    deinit {
        for name in ["teahouse.db", "teahouse.db-wal", "teahouse.db-shm", "lock", "ballast"] + Self.segments {
            unlink("\(self.path)/data/\(name)")
        }
        rmdir("\(self.path)/data/log")
        rmdir("\(self.path)/data")
        rmdir(self.path)
    }

    var data: String { "\(self.path)/data" }
}

/// A store in a temporary folder, with its outcomes collected.
final class Fixture: Sendable {
    let folder: TemporaryFolder
    let clock: ManualClock
    let store: Store
    private let results = ConditionLock<[UInt64: AppendResult]>([:])
    private let nextTicket = Lock<UInt64>(1)
    /// Tickets of each call of `onOutcomes`.
    let calls = Lock<[[UInt64]]>([])

    init(
        _ folder: TemporaryFolder = TemporaryFolder(), clock: ManualClock = ManualClock(),
        change: (inout StoreOptions) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.clock = clock
        var options = StoreOptions(folder: folder.data)
        options.clock = clock.clock
        options.ballastBytes = 0
        options.logRoomBytes = 32 * 1_024 * 1_024
        // A run of all tests in which nothing is applied before it has to be.
        if getenv("TEAHOUSE_TAIL") != nil { options.appliesOnlyWhenAsked = true }
        options.stopWritingFreeBytes = 0
        change(&options)
        self.store = try Store(options)
        self.store.onOutcomes = { [results, calls] outcomes in
            calls.withLock { $0.append(outcomes.map(\.ticket)) }
            results.change { known in
                for outcome in outcomes where outcome.ticket != Append.unasked {
                    precondition(known[outcome.ticket] == nil, "two outcomes for one message")
                    known[outcome.ticket] = outcome.result
                }
            }
        }
    }

    deinit { self.store.close() }

    /// Closes the store and opens it again.
    func reopened(change: (inout StoreOptions) -> Void = { _ in }) throws -> Fixture {
        self.store.close()
        return try Fixture(self.folder, clock: self.clock, change: change)
    }

    /// The files as they are now: what a killed server leaves behind. The writer is held meanwhile: after a quiet second
    /// it moves one into the other, and a copy of both could have neither.
    func copied() throws -> TemporaryFolder {
        let folder = self.folder
        do {
            return try self.store.writeAndWait { _ throws(StoreError) in Result { try folder.copied() } }.get()
        } catch StoreError.unavailable {
            return try folder.copied()
        }
    }

    /// Another store on a copy of the files.
    func killed(change: (inout StoreOptions) -> Void = { _ in }) throws -> Fixture {
        try Fixture(try self.copied(), clock: self.clock, change: change)
    }

    func verified(_ options: VerifyOptions = VerifyOptions()) throws -> VerifyReport {
        self.store.close()
        return try self.verify(self.folder, options)
    }

    func verify(_ folder: TemporaryFolder, _ options: VerifyOptions = VerifyOptions()) throws -> VerifyReport {
        var options = options
        options.wallMilliseconds = self.clock.clock.wallMilliseconds()
        return try verifyFolder(folder.data, options)
    }

    // MARK: Sending

    func append(
        _ body: String, from sender: UserID, to address: ConversationAddress, token: String? = nil,
        flags: MessageFlags = .countsAsUnread, authority: Authority = .user
    ) -> Append {
        let ticket = self.nextTicket.withLock { ticket in
            defer { ticket += 1 }
            return ticket
        }
        let content = MessageContent(kind: .text, flags: flags, wire: .native, body: Array(body.utf8))
        return Append(
            sender: sender, authority: authority, address: address,
            clientToken: token.flatMap { ClientToken(Array($0.utf8)) }, content: content, ticket: ticket)
    }

    /// Sends messages together and waits for all outcomes, in the order asked.
    func send(_ appends: [Append]) -> [AppendResult] {
        self.store.append(appends)
        return self.results(of: appends)
    }

    func results(of appends: [Append]) -> [AppendResult] {
        self.results.wait(until: { known in appends.allSatisfy { known[$0.ticket] != nil } }) { known in
            appends.compactMap { known[$0.ticket] }
        }
    }

    @discardableResult
    func send(
        _ body: String, from sender: UserID, to address: ConversationAddress, token: String? = nil,
        flags: MessageFlags = .countsAsUnread, authority: Authority = .user
    ) -> AppendResult {
        self.send([self.append(body, from: sender, to: address, token: token, flags: flags, authority: authority)])[0]
    }

    // MARK: Furnishing

    func user(_ name: String) throws -> UserID {
        let name = try #require(UserName(name))
        return try self.store.writeAndWait { transaction throws(StoreError) in try transaction.people.createUser(name) }
    }

    func group(_ name: String, owner: UserID, _ members: [UserID] = []) throws -> ConversationID {
        let name = try #require(ChannelName(name))
        return try self.store.writeAndWait { transaction throws(StoreError) in
            try transaction.conversations.createChannel(.group, name, creator: owner, members: members)
        }
    }

    func member(_ user: UserID, in conversation: ConversationID) throws -> Member {
        let member = try self.store.readAndWait { reading throws(StoreError) in
            try reading.conversations.member(user, in: conversation)
        }
        return try #require(member)
    }

    func unread(_ user: UserID) throws -> [ConversationID: Int64] {
        try self.store.readAndWait { reading throws(StoreError) in try reading.inbox.unread(of: user) }
    }

    func bodies(_ conversation: ConversationID) throws -> [String] {
        let messages = try self.store.readAndWait { reading throws(StoreError) -> [Message] in
            var all: [Message] = []
            while true {
                // A page ends at its bound of bytes too.
                let page = try reading.messages.page(
                    in: conversation, before: all.first?.sequence ?? .max, limit: 1_000, as: .unrestricted)
                if page.isEmpty { return all }
                all = page + all
            }
        }
        return messages.map { String(decoding: $0.content.body, as: UTF8.self) }
    }
}

extension AppendResult {
    var accepted: Accepted? {
        if case .accepted(let accepted) = self { return accepted }
        return nil
    }

    var refusal: PublishRefusal? {
        if case .refused(let refusal) = self { return refusal }
        return nil
    }

    var failure: StoreError? {
        if case .failed(let error) = self { return error }
        return nil
    }
}

func direct(_ name: String) -> ConversationAddress { .direct(UserName(name)!) }
func groupAddress(_ name: String) -> ConversationAddress { .channel(.group, ChannelName(name)!) }

private func copyFile(_ path: String, to copy: String) throws {
    let input = try #require(fopen(path, "r"))
    let output = try #require(fopen(copy, "w"))
    defer {
        fclose(input)
        fclose(output)
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, input), count > 0 {
        #expect(fwrite(buffer, 1, count, output) == count)
    }
}
