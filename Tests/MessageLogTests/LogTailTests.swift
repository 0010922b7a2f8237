import ChatModel
import Testing

@testable import MessageLog

extension LogTail {
    /// Begins to apply: the records, those of each conversation together and in order.
    func begun() -> [LogEntry] {
        self.beginApplying().flatMap(\.sortedRuns).flatMap { run in
            let messages = run.messages.map { ($0.position, LogEntry.message($0.content)) }
            let positions = run.positions.map { ($0.position, $0.content) }
            return (messages + positions).sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

@Suite("The tail of the log") struct LogTailTests {
    private let one = ConversationID(rawValue: 1)
    private let two = ConversationID(rawValue: 2)
    private let romeo = UserID(rawValue: 3)

    private func read(
        _ sequence: Int64, own: Int64 = 0, in conversation: Int64 = 1, by user: Int64 = 3
    ) -> LogEntry {
        .read(
            LoggedRead(
                user: UserID(rawValue: user), conversation: ConversationID(rawValue: conversation), sequence: sequence,
                before: 0, countable: sequence, ownCountableSinceRead: own, readAtMilliseconds: 5,
                position: StorePosition(rawValue: 9), clearsMark: false, wallMilliseconds: 5))
    }

    @Test("a head that only the tail knows is pinned until the commit that applies it")
    func heads() {
        let tail = LogTail(applied: 10)
        tail.add([.message(LogFixture.message(7)), .message(LogFixture.message(8))], at: 11, bytes: 4_096)
        tail.add([.message(LogFixture.message(1, in: 2))], at: 13, bytes: 4_096)
        #expect(tail.pin(of: self.one)?.head == 8)
        #expect(tail.pin(of: self.one)?.headCountable == 8)
        #expect(tail.pin(of: self.two)?.head == 1)
        #expect(tail.pin(of: ConversationID(rawValue: 3)) == nil)
        tail.noteSynced(through: 12)
        #expect(tail.begun() == [.message(LogFixture.message(7)), .message(LogFixture.message(8))])
        // Still, while the transaction runs, and after it was undone.
        #expect(tail.pin(of: self.one)?.head == 8)
        tail.cancelApplying()
        #expect(tail.pin(of: self.one)?.head == 8 && tail.applied == 10)
        #expect(tail.begun().count == 2)
        #expect(tail.finishApplying() == 12)
        #expect(tail.pin(of: self.one) == nil && tail.pin(of: self.two)?.head == 1)
        #expect(tail.applied == 12 && tail.count == 1 && tail.bytes == 4_096)
    }

    @Test("only what is on the disk is applied")
    func onlySynced() {
        let tail = LogTail(applied: 0)
        tail.add(LogFixture.messages(1...3), at: 1, bytes: 4_096)
        #expect(tail.begun().isEmpty)
        tail.finishApplying()
        tail.noteSynced(through: 2)
        #expect(tail.begun() == LogFixture.messages(1...2))
        // What comes meanwhile is of the next time.
        tail.noteSynced(through: 3)
        tail.add(LogFixture.messages(4...4), at: 4, bytes: 4_096)
        #expect(tail.finishApplying() == 2)
        #expect(tail.count == 2)
        #expect(tail.message(at: MessagePlace(self.one, 3)) == LogFixture.message(3))
    }

    @Test("what is sealed is applied apart from what comes meanwhile, once all of it is on the disk")
    func sealed() {
        let tail = LogTail(applied: 0)
        tail.add(LogFixture.messages(1...3), at: 1, bytes: 4_096)
        tail.noteSynced(through: 2)
        #expect(!tail.seal())
        tail.add(LogFixture.messages(4...5) + [self.read(4)], at: 4, bytes: 4_096)
        tail.noteSynced(through: 3)
        #expect(tail.seal())
        #expect(tail.beginApplyingSealed().sortedRuns.flatMap(\.messages).map(\.content.sequence) == [1, 2, 3])
        // What is being applied counts as not applied until the commit.
        #expect(tail.pin(of: self.one)?.head == 5)
        #expect(tail.pin(of: self.romeo, in: self.one)?.ownCountableSinceRead(row: 7) == 0)
        #expect(tail.message(at: MessagePlace(self.one, 2)) == LogFixture.message(2))
        #expect(tail.finishApplying() == 3 && tail.count == 3)
        #expect(tail.message(at: MessagePlace(self.one, 3)) == nil)
        #expect(tail.pin(of: self.one)?.head == 5)
        #expect(!tail.seal())
        tail.noteSynced(through: 6)
        #expect(tail.seal() && tail.begun().count == 3)
        tail.cancelApplying()
        #expect(tail.begun().count == 3 && tail.finishApplying() == 6 && tail.isEmpty)
    }

    @Test("own messages in two layers count together on top of the row")
    func membersOfLayers() {
        let tail = LogTail(applied: 0)
        tail.add(LogFixture.messages(1...2), at: 1, bytes: 4_096)
        tail.noteSynced(through: 2)
        #expect(tail.seal())
        tail.add(LogFixture.messages(3...3), at: 3, bytes: 4_096)
        let pin = tail.pin(of: self.romeo, in: self.one)
        #expect(pin?.ownCountableSinceRead(row: 5) == 8 && pin?.ownLastSequence == 3)
        _ = tail.beginApplyingSealed()
        tail.finishApplying()
        #expect(tail.pin(of: self.romeo, in: self.one)?.ownCountableSinceRead(row: 7) == 8)
    }

    @Test("of the positions of one person and their devices the last is applied, and none that says more")
    func lastPositions() throws {
        func delivered(_ sequence: Int64, _ deviceClass: DeviceClass?, _ user: Int64 = 3, acknowledges: Bool = false)
            -> LogEntry
        {
            .delivered(
                LoggedDelivered(
                    user: UserID(rawValue: user), deviceClass: deviceClass, conversation: self.one, sequence: sequence,
                    acknowledges: acknowledges, wallMilliseconds: 1))
        }
        let tail = LogTail(applied: 0)
        let entries = [
            delivered(1, .app), delivered(1, .app, 4), self.read(1), delivered(2, .app), delivered(2, .web),
            delivered(3, .app, 4, acknowledges: true), delivered(4, .app, 4), self.read(2),
        ]
        tail.add(entries, at: 1, bytes: 4_096)
        tail.noteSynced(through: 8)
        let run = try #require(tail.beginApplying().first?.sortedRuns.first)
        #expect(run.lastPositions == Array(entries[3...]))
    }

    @Test("records are applied conversation by conversation, each in its order")
    func order() {
        let tail = LogTail(applied: 0)
        let entries: [LogEntry] = [
            .message(LogFixture.message(1, in: 2)), .message(LogFixture.message(1)), self.read(1),
            .message(LogFixture.message(2, in: 2)), .message(LogFixture.message(2)),
        ]
        tail.add(entries, at: 1, bytes: 4_096)
        tail.noteSynced(through: 5)
        #expect(tail.begun() == [entries[1], entries[2], entries[4], entries[0], entries[3]])
    }

    @Test("a resend finds a message that is not applied")
    func resends() {
        let tail = LogTail(applied: 0)
        tail.add(LogFixture.messages(5...9), at: 1, bytes: 4_096)
        #expect(tail.message(at: MessagePlace(self.one, 5)) == LogFixture.message(5))
        #expect(tail.message(at: MessagePlace(self.one, 9)) == LogFixture.message(9))
        for sequence in [4, 10, 0, -1] as [Int64] {
            #expect(tail.message(at: MessagePlace(self.one, sequence)) == nil)
        }
        #expect(tail.message(at: MessagePlace(self.two, 5)) == nil)
    }

    @Test("what was not synced and never will be leaves nothing behind")
    func dropped() {
        let tail = LogTail(applied: 0)
        tail.add(LogFixture.messages(1...2), at: 1, bytes: 4_096)
        tail.noteSynced(through: 2)
        tail.add(LogFixture.messages(3...4) + [self.read(4)], at: 3, bytes: 8_192)
        tail.dropUnsynced()
        #expect(tail.pin(of: self.one)?.head == 2)
        #expect(tail.pin(of: self.romeo, in: self.one)?.read == nil)
        #expect(tail.newest == 2 && tail.bytes == 4_096)
        tail.add(LogFixture.messages(3...3), at: 3, bytes: 4_096)
        #expect(tail.pin(of: self.one)?.head == 3)
    }

    @Test("a member's own messages count on top of the row, or of the newest reading position")
    func members() {
        let tail = LogTail(applied: 0)
        tail.add(LogFixture.messages(1...2), at: 1, bytes: 4_096)
        #expect(tail.pin(of: self.romeo, in: self.one)?.ownCountableSinceRead(row: 5) == 7)
        #expect(tail.pin(of: self.romeo, in: self.one)?.ownLastSequence == 2)
        tail.add([self.read(2)], at: 3, bytes: 4_096)
        #expect(tail.pin(of: self.romeo, in: self.one)?.ownCountableSinceRead(row: 5) == 0)
        tail.add(LogFixture.messages(3...3), at: 4, bytes: 4_096)
        let pin = tail.pin(of: self.romeo, in: self.one)
        #expect(pin?.ownCountableSinceRead(row: 5) == 1 && pin?.read?.sequence == 2)
        // When the first two are in the row, only the rest is on top of it.
        tail.noteSynced(through: 2)
        _ = tail.begun()
        tail.noteSynced(through: 4)
        tail.finishApplying()
        #expect(tail.pin(of: self.romeo, in: self.one)?.ownCountableSinceRead(row: 7) == 1)
        #expect(tail.pin(of: UserID(rawValue: 4), in: self.one) == nil)
    }

    @Test("what devices acknowledged is pinned, the highest of it")
    func acknowledged() {
        let tail = LogTail(applied: 0)
        for (index, sequence) in [4, 3].enumerated() {
            let delivered = LoggedDelivered(
                user: self.romeo, deviceClass: nil, conversation: self.one, sequence: Int64(sequence),
                acknowledges: true, wallMilliseconds: 1)
            tail.add([.delivered(delivered)], at: UInt64(index + 1), bytes: 4_096)
        }
        #expect(tail.pin(of: self.romeo, in: self.one)?.acknowledged == 4)
    }

    @Test("it is bounded in records, in bytes of the log, and in what applying writes")
    func bounds() {
        var bounds = LogTail.Bounds()
        bounds.applyRecords = 3
        bounds.applyBytes = 40_000
        bounds.applyPages = 100_000
        bounds.bytes = 60_000
        bounds.pages = 400_000
        let tail = LogTail(applied: 0, bounds: bounds)
        tail.add(LogFixture.messages(1...2), at: 1, bytes: 4_096)
        #expect(!tail.isDue && tail.hasRoom(bytes: 4_096, records: 2))
        tail.add(LogFixture.messages(3...3), at: 3, bytes: 4_096)
        #expect(tail.isDue)

        let large = LogTail(applied: 0, bounds: bounds)
        large.add(LogFixture.messages(1...1), at: 1, bytes: 45_056)
        #expect(large.isDue && large.hasRoom(bytes: 12_288, records: 1) && !large.hasRoom(bytes: 16_384, records: 1))

        // Each conversation is rows of its own.
        bounds.applyRecords = 100
        let wide = LogTail(applied: 0, bounds: bounds)
        for number in 1...6 as ClosedRange<Int64> {
            wide.add([.message(LogFixture.message(1, in: number))], at: UInt64(number), bytes: 1_000)
        }
        #expect(wide.isDue && wide.hasRoom(bytes: 1_000, records: 7) && !wide.hasRoom(bytes: 1_000, records: 8))
        // Many members of one conversation are rows of one.
        #expect(wide.hasRoom(bytes: 0, records: 15, conversations: 1) && !wide.hasRoom(bytes: 0, records: 15))
        // Reminders and counts are rows too.
        #expect(wide.hasRoom(bytes: 0, records: 0, listed: 25) && !wide.hasRoom(bytes: 0, records: 0, listed: 30))
        let before = wide.applyingBytes
        var mentioning = LogFixture.message(2, in: 6)
        mentioning.lists = LoggedLists(reminded: [self.romeo, UserID(rawValue: 4)], flaggedWords: ["word"])
        wide.add([.message(mentioning)], at: 7, bytes: 1_000)
        #expect(wide.applyingBytes == before + 1_000 + 3 * LogTail.listedBytes)
        // Receipts are rows by their number, and places in the indexes of who gets them.
        #expect(wide.hasRoom(bytes: 0, records: 0, receipts: 6) && !wide.hasRoom(bytes: 0, records: 0, receipts: 10))
        let withoutReceipts = wide.applyingBytes
        var reached = LoggedDelivered(
            user: UserID(rawValue: 77), deviceClass: nil, conversation: mentioning.conversation, sequence: 2,
            acknowledges: true, wallMilliseconds: 1)
        reached.receipts = [1, 1, 2].map { sender in
            LoggedReceipt(
                sequence: 1, message: MessageID(rawValue: 1), sender: UserID(rawValue: sender),
                position: StorePosition(rawValue: 9), atMilliseconds: 1)
        }
        wide.add([.delivered(reached)], at: 8, bytes: 500)
        let receiptBytes = 3 * LogTail.receiptBytes + 2 * LogTail.receiverBytes
        #expect(wide.applyingBytes == withoutReceipts + 500 + LogTail.memberBytes + receiptBytes)
        wide.noteSynced(through: 8)
        _ = wide.begun()
        wide.finishApplying()
        #expect(wide.isEmpty && wide.applyingBytes == 0)
    }

    @Test("whatever is added, dropped and applied, the pins are those of the records left", arguments: 1...60)
    func random(_ seed: Int) {
        var random = SeededRandom(UInt64(seed))
        let tail = LogTail(applied: 0)
        var heads: [ConversationID: Int64] = [:]
        var rows: [ConversationID: Int64] = [:]
        var pending: [LogEntry] = []
        for _ in 0..<80 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let id = Int64.random(in: 1...5, using: &random)
                let head = (heads[ConversationID(rawValue: id)] ?? 0) + 1
                heads[ConversationID(rawValue: id)] = head
                let entry = LogEntry.message(LogFixture.message(head, in: id))
                pending.append(entry)
                tail.add([entry], at: tail.newest + 1, bytes: 4_096)
            case 6: tail.noteSynced(through: UInt64.random(in: tail.synced...tail.newest, using: &random))
            case 7:
                let applying = tail.begun()
                guard Bool.random(using: &random) else {
                    tail.cancelApplying()
                    continue
                }
                #expect(Set(applying) == Set(pending.prefix(applying.count)))
                for entry in applying {
                    if case .message(let message) = entry { rows[message.conversation] = message.sequence }
                }
                pending.removeFirst(applying.count)
                tail.finishApplying()
            case 8:
                let left = Int(tail.synced - tail.applied)
                for entry in pending[left...].reversed() { heads[entry.conversation, default: 1] -= 1 }
                pending.removeSubrange(left...)
                tail.dropUnsynced()
            default:
                // The row of the database, brought up to date: what the writer loads after it forgot everything.
                for id in 1...5 as ClosedRange<Int64> {
                    let id = ConversationID(rawValue: id)
                    #expect((tail.pin(of: id)?.head ?? rows[id] ?? 0) == (heads[id] ?? 0))
                }
            }
        }
    }
}
