import ChatModel
import Execution
import Glibc
import MessageLog
import Testing

@testable import Store

/// A folder's disk whose syncs a test holds up, and whose calls it lets fail.
final class HeldDisk: LogDisk {
    /// State that the test changes.
    final class Hand: Sendable {
        private struct State {
            var isHeld = false
            var syncs = 0
            var failure: LogError?
        }

        private let state = ConditionLock(State())

        func hold() { self.state.change { $0.isHeld = true } }
        func release() { self.state.change { $0.isHeld = false } }
        /// From now on every write and sync fails; `nil` ends that.
        func fail(with error: LogError?) { self.state.change { $0.failure = error } }
        /// Returns when a sync is held up.
        func waitForSync() { self.state.wait(until: { $0.syncs > 0 }, then: { _ in }) }

        fileprivate func sync() throws(LogError) {
            self.state.change { $0.syncs += 1 }
            let failure = self.state.wait(until: { !$0.isHeld }) { state in
                state.syncs -= 1
                return state.failure
            }
            if let failure { throw failure }
        }

        fileprivate func write() throws(LogError) { if let failure = self.state.read({ $0.failure }) { throw failure } }
    }

    private let disk: FolderDisk
    private let hand: Hand

    init(_ path: String, _ hand: Hand) throws(LogError) {
        self.disk = try FolderDisk(path)
        self.hand = hand
    }

    func names() throws(LogError) -> [String] { try self.disk.names() }
    func open(_ name: String) throws(LogError) -> Int { try self.disk.open(name) }
    func create(_ name: String) throws(LogError) -> Int { try self.disk.create(name) }
    func size(_ file: Int) throws(LogError) -> Int { try self.disk.size(file) }
    func read(_ file: Int) throws(LogError) -> [UInt8] { try self.disk.read(file) }
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int, at offset: Int) throws(LogError) {
        try self.hand.write()
        try self.disk.write(bytes, to: file, at: offset)
    }
    func sync(_ file: Int) throws(LogError) {
        try self.hand.sync()
        try self.disk.sync(file)
    }
    func rename(_ name: String, to new: String) throws(LogError) { try self.disk.rename(name, to: new) }
    func remove(_ name: String) throws(LogError) { try self.disk.remove(name) }
    func syncFolder() throws(LogError) { try self.disk.syncFolder() }
    func close(_ file: Int) { self.disk.close(file) }
}

@Suite("Messages acknowledged from the log")
struct LoggedMessageTests {
    /// A group whose messages stay in the log until something needs them.
    static func verona(
        _ hand: HeldDisk.Hand? = nil, change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> Verona {
        try Verona { options in
            options.appliesOnlyWhenAsked = true
            if let hand { options.logDisk = { path throws(LogError) in try HeldDisk(path, hand) } }
            change(&options)
        }
    }

    /// Messages in the database of a folder, without what its log holds.
    static func rows(in folder: TemporaryFolder) throws -> Int64 {
        let connection = try Connection(path: folder.data + "/teahouse.db", role: .reader)
        return try connection.first("SELECT count(*) FROM message") { row throws(StoreError) in row.int64(0) } ?? 0
    }

    @Test("find the first file of the log made")
    func firstSegment() throws {
        let fixture = try Fixture()
        let path = "\(fixture.folder.data)/\(TemporaryFolder.segments[0])"
        #expect(access(path, F_OK) == 0)
        #expect(try fixture.verified().findings == [])
    }

    @Test("are in no row, and a killed server has them all the same, once")
    func killed() throws {
        let verona = try Self.verona()
        for number in 1...20 { try verona.say("m\(number)", verona.romeo, token: "t\(number)") }
        #expect(try Self.rows(in: verona.fixture.folder) == 0)
        let copy = try verona.fixture.folder.copied()
        #expect(try Self.rows(in: copy) == 0)
        #expect(try verona.fixture.verify(copy).findings == [])
        #expect(try verona.fixture.verify(copy).messages == 20)
        var again = try Fixture(copy, clock: verona.fixture.clock)
        for _ in 0..<3 {
            #expect(try again.bodies(verona.id) == (1...20).map { "m\($0)" })
            again = try again.killed()
        }
        let resent = again.send("m7", from: verona.romeo, to: .id(verona.id), token: "t7").accepted
        #expect(resent?.isDuplicate == true && resent?.message.sequence == 7)
        #expect(again.send("next", from: verona.romeo, to: .id(verona.id)).accepted?.message.sequence == 21)
        #expect(try again.verified().findings == [])
    }

    @Test("are told after the sync and not before, in order with what is refused meanwhile")
    func order() throws {
        let hand = HeldDisk.Hand()
        let verona = try Self.verona(hand)
        try verona.say("first", verona.romeo)
        // Its position is told after its outcome, and before that of a change.
        try verona.write { _ throws(StoreError) in }
        let told = Lock<[StorePosition]>([])
        verona.fixture.store.onPosition = { position in told.withLock { $0.append(position) } }
        verona.fixture.calls.withLock { $0 = [] }
        hand.hold()
        let appends = [
            verona.fixture.append("one", from: verona.romeo, to: .id(verona.id)),
            verona.fixture.append("not from here", from: verona.tybalt, to: .id(verona.id)),
            verona.fixture.append("two", from: verona.juliet, to: .id(verona.id)),
        ]
        verona.fixture.store.append([appends[0]])
        hand.waitForSync()
        verona.fixture.store.append([appends[1]])
        verona.fixture.store.append([appends[2]])
        #expect(verona.fixture.calls.withLock { $0 } == [] && told.withLock { $0 } == [])
        hand.release()
        let results = verona.fixture.results(of: appends)
        #expect(results[0].accepted?.message.sequence == 2 && results[2].accepted?.message.sequence == 3)
        #expect(results[1].refusal != nil)
        #expect(verona.fixture.calls.withLock { $0.flatMap { $0 } } == appends.map(\.ticket))
        try verona.write { _ throws(StoreError) in }
        let last = try #require(results[2].accepted?.message.id)
        #expect(told.withLock { $0 }.last == StorePosition(last))
        #expect(try verona.fixture.verified().findings == [])
    }

    @Test("are seen by every read that comes after the acknowledgement, and by every change")
    func seen() throws {
        let verona = try Self.verona()
        for number in 1...50 {
            let place = try verona.say("m\(number)", verona.romeo)
            if number % 3 == 0 {
                #expect(try verona.fixture.bodies(verona.id).count == number)
            } else if number % 3 == 1 {
                let juliet = verona.juliet
                let change = try verona.write { store throws(StoreError) in
                    try store.inbox.markRead(juliet, in: place.conversation, upTo: place.sequence)
                }
                #expect(change.sequence == Int64(number) && change.unread == 0)
            }
        }
        #expect(try verona.fixture.unread(verona.juliet)[verona.id] == 1)
        #expect(try verona.fixture.verified().findings == [])
    }

    @Test("are known to a resend, in the same batch and in a later one, while no row has them")
    func resent() throws {
        let verona = try Self.verona()
        let (romeo, id) = (verona.romeo, verona.id)
        let together = verona.fixture.send([
            verona.fixture.append("one", from: romeo, to: .id(id), token: "t"),
            verona.fixture.append("one", from: romeo, to: .id(id), token: "t"),
        ])
        let later = verona.fixture.send("one", from: romeo, to: .id(id), token: "t")
        let other = verona.fixture.send("two", from: romeo, to: .id(id), token: "t")
        #expect(try Self.rows(in: verona.fixture.folder) == 0)
        let first = try #require(together[0].accepted)
        for resend in [together[1], later] {
            let accepted = try #require(resend.accepted)
            #expect(accepted.isDuplicate && accepted.message.id == first.message.id)
            #expect(accepted.message.content == first.message.content)
        }
        #expect(other.refusal == .tokenConflict)
        #expect(try verona.fixture.verified().findings == [])
    }

    @Test("give no sequence twice when the writer forgets their conversations")
    func pinned() throws {
        let verona = try Self.verona { $0.cachedConversations = 1 }
        let other = try verona.fixture.group("mantua", owner: verona.romeo)
        for number in 1...30 {
            let id = number % 2 == 0 ? verona.id : other
            let sent = verona.fixture.send("m", from: verona.romeo, to: .id(id)).accepted
            #expect(sent?.message.sequence == Int64((number + 1) / 2))
        }
        #expect(try Self.rows(in: verona.fixture.folder) == 0)
        #expect(try verona.fixture.verified().findings == [])
    }

    @Test("bring their reminders, flagged words and counts for some along")
    func rows() throws {
        let verona = try Self.verona()
        let name = try #require(UserName("juliet"))
        try verona.say("wherefore art thou", verona.romeo, mentions: Mentions(users: [name]))
        var flagged = verona.fixture.append("vile", from: verona.romeo, to: .id(verona.id))
        flagged.screening = AppendScreening(refusal: nil, sentBody: flagged.content.body, flagged: ["vile"])
        var secret = verona.fixture.append("for one", from: verona.romeo, to: .id(verona.id))
        secret.content.envelope = MessageEnvelope().visible(to: [name])
        #expect(verona.fixture.send([flagged, secret]).allSatisfy { $0.accepted != nil })
        #expect(try Self.rows(in: verona.fixture.folder) == 0)
        let again = try verona.fixture.killed()
        #expect(try again.unread(verona.juliet)[verona.id] == 3)
        #expect(try again.unread(verona.mercutio)[verona.id] == 2)
        let counts = try again.store.readAndWait { store throws(StoreError) in
            [
                try store.connection.first("SELECT count(*) FROM reminder") { row throws(StoreError) in row.int64(0) },
                try store.connection.first("SELECT count(*) FROM flagged") { row throws(StoreError) in row.int64(0) },
                try store.connection.first("SELECT count(*) FROM shown_count") { row throws(StoreError) in row.int64(0)
                },
            ]
        }
        #expect(counts == [1, 1, 1])
        #expect(try again.verified().findings == [])
    }

    @Test("have an age while the database does not hold them")
    func age() throws {
        let verona = try Self.verona()
        let (store, clock) = (verona.fixture.store, verona.fixture.clock)
        try verona.write { _ throws(StoreError) in }
        #expect(store.metrics.logOldestMilliseconds == 0)
        try verona.say("m1", verona.romeo)
        clock.advance(milliseconds: 2_000)
        try verona.say("m2", verona.romeo)
        clock.advance(milliseconds: 1_000)
        #expect(store.metrics.logOldestMilliseconds == 3_000)
        try store.drainAndWait()
        clock.advance(milliseconds: 1_000)
        #expect(store.metrics.logOldestMilliseconds == 0)
        try verona.say("m3", verona.romeo)
        #expect(store.metrics.logOldestMilliseconds == 0)
    }

    @Test("are applied when the tail has no more room, and nothing is lost")
    func noRoom() throws {
        let verona = try Self.verona { $0.logRoomBytes = 200_000 }
        for number in 1...100 { try verona.say("m\(number)", verona.romeo) }
        let rows = try Self.rows(in: verona.fixture.folder)
        #expect(rows > 0 && rows <= 100)
        let again = try verona.fixture.killed()
        #expect(try again.bodies(verona.id) == (1...100).map { "m\($0)" })
        #expect(try again.verified().findings == [])
    }

    @Test("are refused when the log's disk is full, never come back, and are taken again when there is room")
    func full() throws {
        let hand = HeldDisk.Hand()
        let verona = try Self.verona(hand)
        try verona.say("before", verona.romeo, token: "t0")
        hand.hold()
        let appends = (1...3).map {
            verona.fixture.append("lost \($0)", from: verona.romeo, to: .id(verona.id), token: "t\($0)")
        }
        verona.fixture.store.append([appends[0]])
        hand.waitForSync()
        verona.fixture.store.append(Array(appends[1...]))
        hand.fail(with: .full)
        hand.release()
        #expect(verona.fixture.results(of: appends).map(\.failure) == [.full, .full, .full])
        #expect(verona.fixture.store.metrics.isReadOnly)
        hand.fail(with: nil)
        let killed = try verona.fixture.killed()
        #expect(try killed.bodies(verona.id) == ["before"])
        #expect(try killed.verified().findings == [])
        verona.fixture.clock.advance(milliseconds: 10_000)
        verona.fixture.store.runMaintenance()
        #expect(!verona.fixture.store.metrics.isReadOnly)
        let next = verona.fixture.send("after", from: verona.romeo, to: .id(verona.id), token: "t1").accepted
        #expect(next?.message.sequence == 2 && next?.isDuplicate == false)
        let again = try verona.fixture.killed()
        #expect(try again.bodies(verona.id) == ["before", "after"])
        #expect(try again.verified().findings == [])
    }

    @Test("get no outcome when the log's disk fails, and the store says so once")
    func failed() throws {
        let hand = HeldDisk.Hand()
        let verona = try Self.verona(hand)
        try verona.say("before", verona.romeo)
        let told = ConditionLock<[StoreError]>([])
        verona.fixture.store.onFatal = { error in told.change { $0.append(error) } }
        verona.fixture.calls.withLock { $0 = [] }
        hand.fail(with: .failed("planted"))
        verona.fixture.store.append([verona.fixture.append("lost", from: verona.romeo, to: .id(verona.id))])
        #expect(told.wait(until: { !$0.isEmpty }, then: { $0.count }) == 1)
        verona.fixture.store.append([verona.fixture.append("later", from: verona.romeo, to: .id(verona.id))])
        #expect(throws: StoreError.self) { try verona.fixture.bodies(verona.id) }
        #expect(verona.fixture.calls.withLock { $0 } == [])
        verona.fixture.store.close()
        let again = try Fixture(verona.fixture.folder)
        #expect(try again.bodies(verona.id).first == "before")
        #expect(try again.verified().findings == [])
    }

    /// Moves positions and waits until that is told.
    private static func mark<Value: Sendable>(
        _ verona: Verona, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value
    ) throws -> Value {
        let answer = ConditionLock<Result<Value, StoreError>?>(nil)
        verona.fixture.store.mark(body) { result in answer.change { $0 = result } }
        let result = answer.wait(until: { $0 != nil }, then: { $0 })
        return try #require(result).get()
    }

    /// Newest positions in the rows of a member: read, and acknowledged by any device.
    private static func positions(_ user: UserID, in folder: TemporaryFolder) throws -> [Int64] {
        let connection = try Connection(path: folder.data + "/teahouse.db", role: .reader)
        let found = try connection.first("SELECT read_sequence, acked_sequence FROM member WHERE user_id = ?", user) {
            row throws(StoreError) in [row.int64(0), row.int64(1)]
        }
        return try #require(found)
    }

    @Test("and positions of people come in their order, are told, and are in no row before they are applied")
    func positions() throws {
        let verona = try Self.verona()
        let (romeo, juliet, id) = (verona.romeo, verona.juliet, verona.id)
        let told = Lock(0)
        verona.fixture.store.onEvents = { events in
            for event in events { if case .read = event.change { told.withLock { $0 += 1 } } }
        }
        for number in 1...6 { try verona.say("m\(number)", number == 3 ? juliet : romeo) }
        let first = try Self.mark(verona) { store throws(StoreError) in
            try store.inbox.markRead(juliet, in: id, upTo: 3)
        }
        #expect(first.sequence == 3 && first.hasMoved && first.unread == 3)
        let again = try Self.mark(verona) { store throws(StoreError) in
            try store.inbox.markRead(juliet, in: id, upTo: 2)
        }
        #expect(again.sequence == 3 && !again.hasMoved && again.unread == 3)
        try verona.say("m7", juliet)
        try verona.say("m8", romeo)
        let last = try Self.mark(verona) { store throws(StoreError) in try store.inbox.clearUnread(juliet, in: id) }
        #expect(last.sequence == 8 && last.unread == 0 && last.badge == 0)
        try verona.say("m9", romeo)
        try Self.mark(verona) { store throws(StoreError) in
            try store.inbox.recordDelivered([
                DeliveredPosition(user: juliet, deviceClass: .app, conversation: id, sequence: 9)
            ])
        }
        #expect(told.withLock { $0 } == 2)
        #expect(try Self.rows(in: verona.fixture.folder) == 0)
        #expect(try Self.positions(juliet, in: verona.fixture.folder) == [0, 0])
        let killed = try verona.fixture.killed()
        #expect(try killed.unread(juliet)[id] == 1 && killed.unread(romeo)[id] == 2)
        #expect(try killed.member(juliet, in: id).readSequence == 8)
        #expect(try killed.verified().findings == [])
        #expect(try verona.fixture.unread(juliet)[id] == 1)
        #expect(try verona.fixture.verified().findings == [])
    }

    @Test("do not keep a change from being refused, and what is more than a position goes to the database")
    func otherPositions() throws {
        let verona = try Self.verona()
        let (tybalt, juliet, id) = (verona.tybalt, verona.juliet, verona.id)
        try verona.say("m1", verona.romeo)
        #expect(throws: StoreError.self) {
            try Self.mark(verona) { store throws(StoreError) in try store.inbox.markRead(tybalt, in: id, upTo: 1) }
        }
        try verona.say("m2", verona.romeo)
        try verona.write { store throws(StoreError) in try store.inbox.setUnread(juliet, in: id, to: 2) }
        try verona.say("m3", verona.romeo)
        let change = try Self.mark(verona) { store throws(StoreError) in try store.inbox.clearUnread(juliet, in: id) }
        #expect(change.sequence == 3 && change.badge == 0)
        let direct = verona.fixture.send("m1", from: verona.romeo, to: direct("juliet")).accepted
        let place = try #require(direct?.message)
        try Self.mark(verona) { store throws(StoreError) in
            try store.inbox.recordDelivered([
                DeliveredPosition(
                    user: juliet, deviceClass: .app, conversation: place.conversation, sequence: place.sequence)
            ])
        }
        #expect(try verona.fixture.verified().findings == [])
    }

    @Test("ask for receipts that nobody misses, whatever the writer remembers of those before")
    func receipts() throws {
        let verona = try Self.verona()
        let (romeo, juliet) = (verona.romeo, verona.juliet)
        let told = Lock<[Int64]>([])
        verona.fixture.store.onEvents = { events in
            for event in events {
                if case .receipt(let receipt) = event.change { told.withLock { $0.append(receipt.sequence) } }
            }
        }
        var id = ConversationID(rawValue: 0)
        for number in 1...12 as ClosedRange<Int64> {
            let asks = number % 3 == 0
            let append = verona.fixture.append(
                "m\(number)", from: romeo, to: direct("juliet"),
                flags: asks ? [.countsAsUnread, .receiptRequested] : .countsAsUnread)
            id = try #require(verona.fixture.send([append])[0].accepted).message.conversation
            guard number != 6 else { continue }
            let reached = DeliveredPosition(user: juliet, deviceClass: .app, conversation: id, sequence: number)
            try Self.mark(verona) { store throws(StoreError) in try store.inbox.recordDelivered([reached]) }
        }
        // Others are told after who asked.
        try verona.fixture.store.drainAndWait()
        #expect(told.withLock { $0 } == [3, 6, 9, 12])
        #expect(try verona.fixture.member(juliet, in: id).user == juliet)
        #expect(try verona.fixture.verified().findings == [])
    }

    @Test("are found by id and time for those who acknowledge them, in no row and in rows")
    func acknowledged() throws {
        let verona = try Self.verona()
        let (romeo, juliet, id) = (verona.romeo, verona.juliet, verona.id)
        let address = groupAddress("verona")
        var sent: [Message] = []
        for number in 1...6 as ClosedRange<Int64> {
            verona.fixture.clock.advance(milliseconds: 10)
            let append = verona.fixture.append("m\(number)", from: romeo, to: .id(id))
            sent.append(try #require(verona.fixture.send([append])[0].accepted).message)
            // The first three are in rows.
            if number == 3 { try verona.fixture.store.drainAndWait() }
        }
        for message in sent {
            let found = try Self.mark(verona) { store throws(StoreError) in
                let place = try store.inbox.conversation(address, markedBy: juliet)
                let later = MessageID(rawValue: message.id.rawValue + 1)
                return [
                    place?.isMember == true ? 1 : 0, place?.id == id ? 1 : 0,
                    try store.inbox.sequence(of: message.id, in: id) ?? 0,
                    try store.inbox.sequence(of: later, in: id) ?? -1,
                    try store.inbox.sequence(at: HistoryEdge(message: message.id), in: id) ?? 0,
                    try store.inbox.lastSequence(in: id, notAfter: message.sentAtMilliseconds),
                    try store.inbox.lastSequence(in: id, notAfter: message.sentAtMilliseconds - 1),
                ]
            }
            let sequence = message.sequence
            #expect(found == [1, 1, sequence, -1, sequence, sequence, sequence - 1])
            let hasMoved = try Self.mark(verona) { store throws(StoreError) in
                let hasMoved = try store.messages.acknowledge(juliet, in: id, upTo: sequence)
                try store.messages.finishMentions(of: juliet, in: id, upTo: sequence)
                return hasMoved
            }
            #expect(hasMoved)
        }
        #expect(try Self.rows(in: verona.fixture.folder) == 3)
        let again = try Self.mark(verona) { store throws(StoreError) in
            try store.messages.acknowledge(juliet, in: id, upTo: 4)
        }
        #expect(!again)
        let killed = try verona.fixture.killed()
        #expect(try Self.positions(juliet, in: killed.folder) == [0, 6])
        #expect(try killed.verified().findings == [])
        #expect(try verona.fixture.verified().findings == [])
    }

    @Test("that mention somebody are in rows before their mentions are ended")
    func mentions() throws {
        let verona = try Self.verona()
        let (juliet, id) = (verona.juliet, verona.id)
        let name = try #require(UserName("juliet"))
        try verona.say("where is she", verona.romeo, mentions: Mentions(users: [name]))
        let ended = try Self.mark(verona) { store throws(StoreError) in
            try store.messages.finishMentions(of: juliet, in: id, upTo: 1)
        }
        #expect(ended == 1)
        #expect(try verona.fixture.verified().findings == [])
    }

    /// True when a file of the log has some bytes.
    static func logHolds(_ text: String, in folder: TemporaryFolder) throws -> Bool {
        let wanted = Array(text.utf8)
        for name in TemporaryFolder.segments {
            guard let file = fopen("\(folder.data)/\(name)", "r") else { continue }
            defer { fclose(file) }
            // The tests write little.
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = fread(&bytes, 1, bytes.count, file)
            let found = (0...max(0, count - wanted.count)).contains { start in
                bytes[start] == wanted[0] && bytes[start...].starts(with: wanted)
            }
            if found { return true }
        }
        return false
    }

    @Test("leave nothing behind in the log once they are recalled")
    func wiped() throws {
        let verona = try Self.verona()
        let place = try verona.say("a plague on both your houses", verona.romeo)
        try verona.say("peace", verona.romeo)
        #expect(try Self.logHolds("a plague", in: verona.fixture.folder))
        let romeo = verona.romeo
        try verona.write { store throws(StoreError) in
            try store.messages.recall(place, by: Actor(romeo))
        }
        verona.fixture.store.runMaintenance()
        #expect(try !Self.logHolds("a plague", in: verona.fixture.folder))
        try verona.say("after", verona.romeo)
        let again = try verona.fixture.killed()
        #expect(try again.bodies(verona.id).count == 3)
        #expect(try again.verified().findings == [])
    }

    @Test("are read by a start with the log switched off, too")
    func switchedOff() throws {
        let verona = try Self.verona()
        for number in 1...5 { try verona.say("m\(number)", verona.romeo) }
        let again = try verona.fixture.killed { $0.acknowledgesFromLog = false }
        #expect(again.send("m6", from: verona.romeo, to: .id(verona.id)).accepted?.message.sequence == 6)
        #expect(try again.bodies(verona.id) == (1...6).map { "m\($0)" })
        #expect(try again.verified().findings == [])
    }

    @Test("of another database are refused, and a log that is gone is noticed")
    func foreign() throws {
        let (verona, other) = (try Self.verona(), try Self.verona())
        try verona.say("ours", verona.romeo)
        try other.say("theirs", other.romeo)
        let (copy, otherCopy) = (try verona.fixture.folder.copied(), try other.fixture.folder.copied())
        let segment = "log/segment-0"
        #expect(rename("\(otherCopy.data)/\(segment)", "\(copy.data)/\(segment)") == 0)
        #expect(throws: StoreError.self) { try Fixture(copy) }
        #expect(try verona.fixture.verify(copy).findings.map(\.kind) == [.damagedFile])
        try verona.write { _ throws(StoreError) in }
        let again = try verona.fixture.killed()
        try again.store.writeAndWait { _ throws(StoreError) in }
        again.store.close()
        #expect(try again.verified().findings == [])
    }
}
