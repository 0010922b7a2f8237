import ChatModel
import Diagnostics
import Execution
import FileStore
import Store
import TeahouseTesting
import Testing

@testable import Transfers

/// An engine with a store and contents in a temporary folder, and a clock that stands still.
final class Depot: Sendable {
    let folder: TemporaryFolder
    let hands: ManualClock
    let store: Store
    let providers: [any FileProvider]
    let transfers: Transfers
    let romeo: UserID
    let juliet: UserID
    let log: LogLines
    private let ownsStore: Bool

    convenience init(
        change: (inout TransferOptions) -> Void = { _ in }, changeStore: (inout StoreOptions) -> Void = { _ in },
        makeProviders: (TemporaryFolder) throws -> [any FileProvider] = { try Depot.makeProviders($0) }
    ) throws {
        let folder = TemporaryFolder()
        let hands = ManualClock()
        var options = StoreOptions(folder: "\(folder.path)/data")
        options.clock = hands.clock
        options.ballastBytes = 0
        options.stopWritingFreeBytes = 0
        changeStore(&options)
        let store = try Store(options)
        try self.init(folder, hands, store, try makeProviders(folder), ownsStore: true, change: change)
    }

    private init(
        _ folder: TemporaryFolder, _ hands: ManualClock, _ store: Store, _ providers: [any FileProvider],
        ownsStore: Bool, change: (inout TransferOptions) -> Void
    ) throws {
        self.folder = folder
        self.hands = hands
        self.store = store
        self.providers = providers
        self.ownsStore = ownsStore
        (self.romeo, self.juliet) = try store.writeAndWait { transaction throws(StoreError) in
            var people: [UserID] = []
            for name in ["romeo", "juliet"] {
                guard let name = UserName(name) else { throw .invalid("a name") }
                people.append(try transaction.people.ensureUser(name).id)
            }
            return (people[0], people[1])
        }
        var options = TransferOptions()
        options.stopUploadsFreeBytes = 0
        options.stopUploadsFreePercent = 0
        change(&options)
        self.log = LogLines()
        self.transfers = Transfers(
            store: store, providers: providers, options: options, clock: hands.clock, log: self.log.log)
    }

    deinit {
        self.stop()
        if self.ownsStore { self.store.close() }
    }

    private func stop() {
        self.transfers.stop()
        for successor in self.successors.withLock({ $0 }) { successor.stop() }
    }

    /// What a killed server finds when it is started again: this one's threads end with nothing made durable.
    func restarted(
        providers: [any FileProvider]? = nil, change: (inout TransferOptions) -> Void = { _ in }
    ) throws -> Depot {
        self.transfers.halt()
        let next = try Depot(
            self.folder, self.hands, self.store, providers ?? (try Self.makeProviders(self.folder)), ownsStore: false,
            change: change)
        self.successors.withLock { $0.append(next) }
        return next
    }

    /// They use this one's store, so they end before it is closed.
    private let successors = Lock<[Depot]>([])

    static func makeProviders(_ folder: TemporaryFolder) throws -> [any FileProvider] {
        [try ObjectFolder("\(folder.path)/data/files")]
    }

    // MARK: Asking

    func ask<Value: Sendable>(
        _ call: (@escaping @Sendable (Result<Value, TransferError>) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedContinuation { continuation in
            call { continuation.resume(returning: $0) }
        }.get()
    }

    func create(
        _ size: Int64?, by owner: UserID? = nil, named name: String = "letter.txt",
        class transferClass: TransferClass = .attachment
    ) async throws -> TransferKey {
        let draft = Self.draft(owner ?? self.romeo, size, name, transferClass)
        return try await self.ask { self.transfers.createUpload(draft, then: $0) }.record.key
    }

    static func draft(
        _ owner: UserID, _ size: Int64?, _ name: String, _ transferClass: TransferClass = .attachment
    ) -> UploadDraft {
        UploadDraft(
            actor: Actor(owner), owner: owner, name: name, mediaType: "text/plain", size: size,
            transferClass: transferClass, provider: "", key: TransferKey(random: Self.random()),
            file: FileKey(random: Self.random()))
    }

    private static func random() -> [UInt8] { (0..<26).map { _ in UInt8.random(in: 0...255) } }

    func open(
        _ key: TransferKey, at offset: Int64? = nil, length: Int64? = nil, by owner: UserID? = nil,
        checksum: UploadChecksum? = nil
    ) async throws -> UploadFlow {
        let actor = Actor(owner ?? self.romeo)
        return try await self.ask {
            self.transfers.openUpload(key, at: offset, length: length, by: actor, checksum: checksum, then: $0)
        }
    }

    func end(_ flow: UploadFlow) async throws -> TransferView { try await self.ask { flow.end(then: $0) } }

    func find(_ key: TransferKey, by actor: Actor = .operator) async throws -> TransferView {
        try await self.ask { self.transfers.find(key, by: actor, then: $0) }
    }

    func suspend(_ key: TransferKey, by actor: Actor = .operator) async throws -> TransferView {
        try await self.ask { self.transfers.suspend(key, by: actor, then: $0) }
    }

    func resume(_ key: TransferKey, by actor: Actor = .operator) async throws -> TransferView {
        try await self.ask { self.transfers.resume(key, by: actor, then: $0) }
    }

    func cancel(_ key: TransferKey, by actor: Actor = .operator) async throws -> TransferView {
        try await self.ask { self.transfers.cancel(key, by: actor, then: $0) }
    }

    /// Why something is refused.
    func refusal(_ body: () async throws -> Void) async -> TransferError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? TransferError
        }
    }

    func openDownload(
        _ file: FileRecord, _ part: DownloadPart? = nil, by actor: Actor? = nil,
        class transferClass: TransferClass = .attachment
    ) async throws -> DownloadFlow {
        try await self.ask {
            self.transfers.openDownload(
                file, part ?? .plain(0..<file.size), by: actor ?? Actor(self.juliet), class: transferClass, then: $0)
        }
    }

    func next(_ flow: DownloadFlow) async throws -> [UInt8]? { try await self.ask { flow.next(then: $0) } }

    // MARK: Whole ways

    /// Creates, sends and ends; the file.
    func upload(
        _ bytes: [UInt8], by owner: UserID? = nil, class transferClass: TransferClass = .attachment
    ) async throws -> FileRecord {
        let key = try await self.create(Int64(bytes.count), by: owner, class: transferClass)
        let flow = try await self.open(key, by: owner)
        await Sender(flow).send(bytes)
        return try #require(try await self.end(flow).file)
    }

    func download(_ file: FileRecord, _ part: DownloadPart? = nil, by actor: Actor? = nil) async throws -> [UInt8] {
        let flow = try await self.openDownload(file, part, by: actor)
        var bytes: [UInt8] = []
        while let piece = try await self.next(flow) { bytes += piece }
        flow.end()
        #expect(Int64(bytes.count) == flow.length)
        return bytes
    }

    // MARK: Trouble

    /// Keeps the store's writer from writing, until what this returns is set. The writer is in it when this returns.
    func blockWriter() -> ConditionLock<Bool> {
        let (gate, isIn) = (ConditionLock(false), ConditionLock(false))
        self.store.write { _ throws(StoreError) in
            isIn.change { $0 = true }
            gate.wait(until: { $0 }, then: { _ in })
        } then: { _ in
        }
        isIn.wait(until: { $0 }, then: { _ in })
        return gate
    }

    // MARK: Time

    /// Turns the clock, and waits until the engine has looked at it.
    func turn(milliseconds: Int64) async {
        self.hands.advance(milliseconds: milliseconds)
        await withCheckedContinuation { continuation in
            self.transfers.lookAtClock { continuation.resume() }
        }
    }

    /// Lets other threads work until `isTrue`.
    func until(_ isTrue: () async throws -> Bool) async rethrows {
        let end = Clock.system.now().advanced(bySeconds: testPatienceSeconds)
        while !(try await isTrue()) {
            guard Clock.system.now() < end else { fatalError("waited \(testPatienceSeconds) s in vain") }
            await Task.yield()
        }
    }

    func collect() async -> TransferMetrics {
        await withCheckedContinuation { continuation in
            self.transfers.collectNow { continuation.resume(returning: $0) }
        }
    }

    func check() async -> TransferMetrics {
        await withCheckedContinuation { continuation in
            self.transfers.check(nil) { _ in continuation.resume(returning: self.transfers.metrics) }
        }
    }
}

/// Pushes bytes as a connection does: it stops when it is told to, and goes on when there is room.
final class Sender: Sendable {
    private struct Bell {
        var hasRung = false
        var waiting: CheckedContinuation<Void, Never>?
        /// The last push said that there is no room.
        var isFull = false
    }

    let flow: UploadFlow
    private let bell = Lock(Bell())

    init(_ flow: UploadFlow) {
        self.flow = flow
        flow.setWhenRoom { [bell] in
            let waiting = bell.withLock { bell -> CheckedContinuation<Void, Never>? in
                defer { bell.waiting = nil }
                if bell.waiting == nil { bell.hasRung = true }
                return bell.waiting
            }
            waiting?.resume()
        }
    }

    /// Returns when everything was pushed, or the flow has failed.
    func send(_ bytes: [UInt8], pieces: Int = 64 * 1024) async {
        var sent = 0
        while sent < bytes.count, self.flow.failure == nil {
            if self.bell.withLock({ $0.isFull }) { await self.room() }
            let next = min(sent + pieces, bytes.count)
            let hasRoom = self.flow.push(Array(bytes[sent..<next]))
            self.bell.withLock { $0.isFull = !hasRoom }
            sent = next
        }
    }

    private func room() async {
        await withCheckedContinuation { continuation in
            let isThere = self.bell.withLock { bell in
                guard bell.hasRung else {
                    bell.waiting = continuation
                    return false
                }
                bell.hasRung = false
                return true
            }
            if isThere { continuation.resume() }
        }
    }
}

/// What was logged.
final class LogLines: Sendable {
    private let lines = Lock<[String]>([])
    let log: Log

    init() {
        self.log = Log(level: .info, withTime: false) { [lines] line in lines.withLock { $0.append(line) } }
    }

    func contains(_ text: String) -> Bool { self.lines.withLock { $0.contains { $0.contains(text) } } }
}

/// Bytes that do not shrink, the same for the same seed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        withUnsafeBytes(of: state) { bytes.append(contentsOf: $0) }
    }
    return Array(bytes.prefix(count))
}

/// Bytes that shrink well.
func text(_ count: Int, seed: Int = 1) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 64)
    var line = seed
    while bytes.count < count {
        bytes += Array("\(line) two households, both alike in dignity\n".utf8)
        line += 7
    }
    return Array(bytes.prefix(count))
}
