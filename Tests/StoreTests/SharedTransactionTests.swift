import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Messages that wait in front of a change")
struct SharedTransactionTests {
    /// Holds the writer in a change of its own until `body` has posted its requests, so that they wait together.
    private static func whileHeld(_ fixture: Fixture, _ body: () throws -> Void) throws {
        let gate = ConditionLock((isHeld: false, isOpen: false))
        let answer = Answer<Void>()
        fixture.store.write(
            { _ throws(StoreError) in
                gate.change { $0.isHeld = true }
                gate.wait(until: { $0.isOpen }, then: { _ in })
            }, then: answer.set)
        gate.wait(until: { $0.isHeld }, then: { _ in })
        defer { gate.change { $0.isOpen = true } }
        try body()
    }

    @Test("are in its transaction, with those behind it, and nothing of them is in the log")
    func together() throws {
        let verona = try LoggedMessageTests.verona()
        let (fixture, juliet, id) = (verona.fixture, verona.juliet, verona.id)
        let appends = ["one", "two", "three"].map { fixture.append($0, from: verona.romeo, to: .id(id)) }
        fixture.calls.withLock { $0 = [] }
        let before = fixture.store.metrics
        let (mark, edit) = (Answer<Int64>(), Answer<Int64?>())
        try Self.whileHeld(fixture) {
            fixture.store.append([appends[0]])
            fixture.store.mark(
                { store throws(StoreError) in try store.inbox.markRead(juliet, in: id, upTo: .max).sequence },
                then: mark.set)
            fixture.store.append([appends[1]])
            fixture.store.write(
                { store throws(StoreError) in
                    try store.messages.edit(
                        MessagePlace(id, 2), newBody: [1], isJSONObject: false, by: .operator)
                    return try store.reading.conversations.one(id)?.head
                }, then: edit.set)
            fixture.store.append([appends[2]])
        }
        let results = fixture.results(of: appends)
        #expect(results.map { $0.accepted?.message.sequence } == [1, 2, 3])
        #expect(try mark.get() == 1 && edit.get() == 2)
        #expect(fixture.calls.withLock { $0 } == [appends.map(\.ticket)])
        #expect(try LoggedMessageTests.rows(in: fixture.folder) == 3)
        // The change that held the writer is the other commit.
        let after = fixture.store.metrics
        #expect(after.commits - before.commits == 2 && after.logSyncs == before.logSyncs)
        let killed = try fixture.killed()
        #expect(try killed.bodies(id).count == 3)
        #expect(try killed.verified().findings == [])
        #expect(try fixture.verified().findings == [])
    }

    @Test("are told from the log before it where the tail is long, so that they do not wait for that")
    func longTail() throws {
        let hand = HeldDisk.Hand()
        let verona = try LoggedMessageTests.verona(hand) { $0.logSliceRecords = 2 }
        let (fixture, id) = (verona.fixture, verona.id)
        for number in 1...3 { try verona.say("m\(number)", verona.romeo) }
        fixture.calls.withLock { $0 = [] }
        let appends = ["held", "in front", "behind"].map { fixture.append($0, from: verona.romeo, to: .id(id)) }
        let told = Answer<[UInt64]>()
        hand.hold()
        fixture.store.append([appends[0]])
        hand.waitForSync()
        fixture.store.append([appends[1]])
        fixture.store.write(
            { _ throws(StoreError) in fixture.calls.withLock { $0.flatMap { $0 } } }, then: told.set)
        fixture.store.append([appends[2]])
        hand.release()
        let results = fixture.results(of: appends)
        #expect(results.map { $0.accepted?.message.sequence } == [4, 5, 6])
        #expect(try told.get() == appends[..<2].map(\.ticket))
        #expect(fixture.calls.withLock { $0.flatMap { $0 } } == appends.map(\.ticket))
        #expect(try fixture.verified().findings == [])
    }

    /// A request of somebody; they are posted in groups, and answered before the next group.
    private enum Step {
        case message(UserID, ConversationID, asks: Bool)
        case acknowledge(UserID, ConversationID, upTo: Int64)
        case read(UserID, ConversationID, upTo: Int64)
        case report(UserID, ConversationID, upTo: Int64)
        case edit(MessagePlace)
        /// Copies the files in the middle of the group, as a kill would leave them.
        case kill
    }

    /// Files in the middle of a group, and the messages that were acknowledged by then.
    private struct Copy: Sendable {
        let folder: Result<TemporaryFolder, any Error>
        let tickets: [UInt64]
    }

    /// A store with what the test knows of it.
    private struct Subject {
        var fixture: Fixture
        let told = Lock<[LoggedReceiptTests.Told]>([])
        let copies = Lock<[Copy]>([])
        /// Bodies of messages by their tickets, since the store was opened.
        var bodies: [UInt64: String] = [:]

        init(_ fixture: Fixture) {
            self.fixture = fixture
            LoggedReceiptTests.listen(to: fixture, self.told)
        }

        mutating func kill(_ change: (inout StoreOptions) -> Void) throws {
            self.fixture = try self.fixture.killed(change: change)
            self.bodies = [:]
            LoggedReceiptTests.listen(to: self.fixture, self.told)
        }

        /// Posts a group and waits for its answers.
        ///
        /// - Returns: them, in the order of the requests.
        mutating func run(_ steps: [Step], number: Int, isHeld: Bool) throws -> [String] {
            let fixture = self.fixture
            let answers = ConditionLock<[Int: String]>([:])
            var appends: [Int: Append] = [:]
            for case (let part, .message(let user, let id, let asks)) in steps.enumerated() {
                let flags = asks ? LoggedReceiptTests.asking : .countsAsUnread
                let append = fixture.append(
                    "m\(number).\(part)", from: user, to: .id(id), token: "t\(number).\(part / 2)", flags: flags)
                self.bodies[append.ticket] = "m\(number).\(part)"
                appends[part] = append
            }
            let (sent, copies) = (appends, self.copies)
            let post = {
                for (part, step) in steps.enumerated() {
                    let answer: @Sendable (Result<Void, StoreError>) -> Void = { result in
                        answers.change { $0[part] = "\(result)" }
                    }
                    Self.post(step, sent[part], "e\(number).\(part)", to: fixture, copies, answer)
                }
            }
            if isHeld { try SharedTransactionTests.whileHeld(fixture, post) } else { post() }
            answers.wait(until: { $0.count == steps.count - sent.count }, then: { _ in })
            return steps.indices.map { part in
                guard let append = sent[part] else { return answers.read { $0[part] ?? "" } }
                let result = fixture.results(of: [append])[0]
                guard let accepted = result.accepted else { return "\(result)" }
                return "\(accepted.message.sequence) \(accepted.isDuplicate)"
            }
        }

        private static func post(
            _ step: Step, _ append: Append?, _ newBody: String, to fixture: Fixture, _ copies: Lock<[Copy]>,
            _ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void
        ) {
            switch step {
            case .message: if let append { fixture.store.append([append]) }
            case .acknowledge(let user, let id, let last):
                fixture.store.mark(
                    { store throws(StoreError) in _ = try store.messages.acknowledge(user, in: id, upTo: last) },
                    then: answer)
            case .read(let user, let id, let last):
                fixture.store.mark(
                    { store throws(StoreError) in _ = try store.inbox.markRead(user, in: id, upTo: last) },
                    then: answer)
            case .report(let user, let id, let last):
                fixture.store.write(
                    { store throws(StoreError) in try store.messages.reportRead(user, in: id, upTo: last) },
                    then: answer)
            case .edit(let place):
                fixture.store.write(
                    { store throws(StoreError) in
                        try store.messages.edit(
                            place, newBody: Array(newBody.utf8), isJSONObject: false, by: .operator)
                    }, then: { result in answer(result.map { _ in }) })
            case .kill:
                let folder = fixture.folder
                fixture.store.write(
                    { _ throws(StoreError) in
                        let tickets = fixture.calls.withLock { $0.flatMap { $0 } }
                        let copied = Result { try folder.copied() }
                        copies.withLock { $0.append(Copy(folder: copied, tickets: tickets)) }
                    }, then: answer)
            }
        }

        /// Opens the copies made since the last time: all that was acknowledged then is there, and once.
        func checkCopies(_ conversations: [ConversationID], accepted: Set<String>) throws {
            let copies = self.copies.withLock { copies in
                defer { copies = [] }
                return copies
            }
            for copy in copies {
                let left = try Fixture(copy.folder.get(), clock: self.fixture.clock)
                let found = try conversations.flatMap { try left.bodies($0) }
                let expected = copy.tickets.compactMap { self.bodies[$0] }.filter { accepted.contains($0) }
                #expect(Set(found).isSuperset(of: expected) && Set(found).count == found.count)
                #expect(try left.verified().findings == [])
            }
        }
    }

    private static func group(
        _ people: [UserID], _ conversations: [ConversationID], head: Int64, _ random: inout SplitMix
    ) -> [Step] {
        (0..<Int.random(in: 1...6, using: &random)).map { _ in
            let index = Int.random(in: 0..<conversations.count, using: &random)
            let id = conversations[index]
            let user = people[Int.random(in: 0..<(index == 0 ? 3 : 2), using: &random)]
            let sequence = Int64.random(in: 1...(head + 4), using: &random)
            switch Int.random(in: 0..<24, using: &random) {
            case 0..<11: return .message(user, id, asks: Bool.random(using: &random))
            case 11..<14: return .acknowledge(user, id, upTo: sequence)
            case 14..<18: return .read(user, id, upTo: sequence)
            case 18..<20: return .report(user, id, upTo: sequence)
            case 20..<23: return .edit(MessagePlace(id, sequence))
            default: return .kill
            }
        }
    }

    @Test("and all else are the same as without the log, however they wait, and after any kill", arguments: 1...12)
    func sameAsDirect(_ seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let change: @Sendable (inout StoreOptions) -> Void = { options in
            options.appliesOnlyWhenAsked = seed % 3 != 0
            options.logAppliedRecords = 12
            options.logSliceRecords = 1 + seed % 4
            if seed % 2 == 0 { options.cachedConversations = 1 }
        }
        let clock = ManualClock()
        var logged = Subject(try Fixture(clock: clock, change: change))
        var plain = Subject(try Fixture(clock: clock) { $0.acknowledgesFromLog = false })
        var people: [UserID] = []
        var conversations: [ConversationID] = []
        for fixture in [logged.fixture, plain.fixture] {
            people = try ["romeo", "juliet", "mercutio"].map { try fixture.user($0) }
            conversations = [
                try fixture.group("verona", owner: people[0], [people[1], people[2]]),
                try fixture.group("balcony", owner: people[0], [people[1]]),
            ]
            let sent = fixture.send("m0", from: people[0], to: direct("juliet"), flags: LoggedReceiptTests.asking)
            conversations.append(try #require(sent.accepted).message.conversation)
        }
        var accepted: Set<String> = []
        for number in 1...40 {
            let steps = Self.group(people, conversations, head: Int64(number), &random)
            let isHeld = Bool.random(using: &random)
            let results = try logged.run(steps, number: number, isHeld: isHeld)
            #expect(try plain.run(steps, number: number, isHeld: isHeld) == results)
            for (part, step) in steps.enumerated() {
                guard case .message = step, results[part].hasSuffix(" false") else { continue }
                accepted.insert("m\(number).\(part)")
            }
            try logged.checkCopies(conversations, accepted: accepted)
            try plain.checkCopies(conversations, accepted: accepted)
            if Int.random(in: 0..<8, using: &random) == 0 { try logged.kill(change) }
        }
        try logged.fixture.store.drainAndWait()
        try plain.fixture.store.drainAndWait()
        #expect(logged.told.withLock { $0 } == plain.told.withLock { $0 })
        let (fixture, other) = (logged.fixture, plain.fixture)
        for user in people {
            let kept = try LoggedReceiptTests.kept(for: user, in: fixture)
            #expect(try LoggedReceiptTests.kept(for: user, in: other) == kept)
        }
        for id in conversations { #expect(try fixture.bodies(id) == other.bodies(id)) }
        #expect(try LoggedReceiptTests.rows(of: fixture) == LoggedReceiptTests.rows(of: other))
        #expect(try Self.marks(of: fixture) == Self.marks(of: other))
        #expect(try fixture.verified().findings == [])
        #expect(try other.verified().findings == [])
    }

    /// Edits and readers of messages.
    private static func marks(of fixture: Fixture) throws -> [[Int64]] {
        try fixture.store.readAndWait { reading throws(StoreError) in
            let extras = try reading.connection.query(
                """
                SELECT conversation_id, sequence, revision, edit_count, reader_count FROM message_extra
                ORDER BY conversation_id, sequence
                """
            ) { row throws(StoreError) in (0..<5).map { row.int64($0) } }
            let readers = try reading.connection.query(
                "SELECT conversation_id, sequence, user_id FROM message_reader ORDER BY 1, 2, 3"
            ) { row throws(StoreError) in (0..<3).map { row.int64($0) } }
            return extras + readers
        }
    }
}
