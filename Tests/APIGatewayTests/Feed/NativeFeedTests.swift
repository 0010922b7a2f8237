import ChatModel
import Store
import Testing

@testable import APIGateway

private func conversation(_ number: Int64) -> ConversationID { ConversationID(rawValue: number) }

private func frame(_ position: Int64) -> FeedFrame { FeedFrame(position: position, json: []) }

/// A feed that begins at position 10 of epoch 1.
private func live() -> NativeFeed {
    var feed = NativeFeed()
    let (greeting, next) = feed.opened(FeedFacts(epoch: 1, newest: 10, oldest: 5), at: .snapshot)
    #expect(greeting == .hello(position: 10) && next == .none)
    return feed
}

struct NativeFeedTests {
    @Test("what was touched is read when all of the commit has been said, and not before")
    func readsAfterTheCommit() {
        var feed = live()
        feed.touch(conversation(2))
        feed.touch(conversation(1))
        let next = feed.told(12)
        #expect(next == .read(FeedRound(after: 10, through: 12, conversations: [conversation(1), conversation(2)])))
        let (send, isGap, then) = feed.received(FeedResult(frames: [frame(11), frame(12)], through: 12))
        #expect(send.map(\.position) == [11, 12] && !isGap && then == .none)
        #expect(feed.position == 12)
    }

    @Test("a commit that concerns nobody here costs no read and moves the position")
    func nothingToRead() {
        var feed = live()
        let next = feed.told(40)
        #expect(next == .none && feed.position == 40)
    }

    @Test("what is touched while a round is read, or before its commit was said, is not lost")
    func keepsWhatComesMeanwhile() {
        var feed = live()
        feed.touch(conversation(1))
        let first = feed.told(11)
        #expect(first == .read(FeedRound(after: 10, through: 11, conversations: [conversation(1)])))
        feed.touch(conversation(2))
        let (_, _, next) = feed.received(FeedResult(frames: [], through: 11))
        #expect(next == .none, "the commit of the second one has not been said")
        let second = feed.told(13)
        #expect(second == .read(FeedRound(after: 11, through: 13, conversations: [conversation(2)])))
    }

    @Test("what is touched by a commit that has not been said is not lost in a round of earlier commits")
    func keepsWhatIsUntold() {
        var feed = live()
        feed.touch(conversation(1))
        _ = feed.told(11)
        feed.touch(conversation(2))
        _ = feed.told(12)
        feed.touch(conversation(3))
        let (_, _, second) = feed.received(FeedResult(frames: [], through: 11))
        #expect(second == .read(FeedRound(after: 11, through: 12, conversations: [conversation(2)])))
        let (_, _, nothing) = feed.received(FeedResult(frames: [], through: 12))
        #expect(nothing == .none)
        let third = feed.told(14)
        #expect(third == .read(FeedRound(after: 12, through: 14, conversations: [conversation(3)])))
    }

    @Test("a late word about an old commit does not end catching up")
    func lateWord() {
        var feed = NativeFeed()
        _ = feed.opened(FeedFacts(epoch: 1, newest: 100, oldest: 0), at: .after(FeedCursor(epoch: 1, position: 60)))
        feed.readFailed()
        feed.touch(conversation(1))
        _ = feed.told(55)
        let next = feed.retry()
        #expect(next == .read(FeedRound(after: 60, through: 100, conversations: nil)))
    }

    @Test("more conversations than are remembered, touched before the facts were read, make it look at all")
    func overflowWhileOpening() {
        var feed = NativeFeed()
        for number in 0...Int64(NativeFeed.maximumTouched) { feed.touch(conversation(number)) }
        _ = feed.told(12)
        let (_, next) = feed.opened(
            FeedFacts(epoch: 1, newest: 10, oldest: 0), at: .after(FeedCursor(epoch: 1, position: 10)))
        #expect(next == .read(FeedRound(after: 10, through: 12, conversations: nil)))
    }

    @Test("a result that was cut is followed by the rest")
    func cut() {
        var feed = live()
        feed.touch(conversation(1))
        _ = feed.told(30)
        let (send, _, next) = feed.received(FeedResult(frames: [frame(20)], through: 20))
        #expect(send.count == 1)
        #expect(next == .read(FeedRound(after: 20, through: 30, conversations: [conversation(1)])))
    }

    @Test("what was found and did not fit is sent first, also after a read that failed")
    func rest() {
        var feed = live()
        feed.touch(conversation(1))
        _ = feed.told(30)
        let left = FeedPage(
            changes: [
                FeedChange(position: StorePosition(rawValue: 25), conversation: conversation(1), subject: .conversation)
            ],
            through: StorePosition(rawValue: 30), isCut: true)
        let (_, _, second) = feed.received(FeedResult(frames: [frame(20)], through: 20, rest: left))
        let round = FeedRound(after: 20, through: 30, conversations: [conversation(1)], rest: left)
        #expect(second == .read(round))
        feed.readFailed()
        let again = feed.retry()
        #expect(again == .read(round))
        let (_, _, none) = feed.received(FeedResult(frames: [frame(25)], through: 30))
        #expect(none == .none && feed.position == 30)
        feed.touch(conversation(1))
        let next = feed.told(31)
        #expect(next == .read(FeedRound(after: 30, through: 31, conversations: [conversation(1)])))
    }

    @Test("who comes back goes on at the cursor, in all conversations; an unknown cursor is a gap")
    func comesBack() {
        var feed = NativeFeed()
        let facts = FeedFacts(epoch: 3, newest: 100, oldest: 50)
        let (greeting, next) = feed.opened(facts, at: .after(FeedCursor(epoch: 3, position: 60)))
        #expect(greeting == .hello(position: 60))
        #expect(next == .read(FeedRound(after: 60, through: 100, conversations: nil)))
        for cursor in [
            FeedCursor(epoch: 2, position: 60), FeedCursor(epoch: 3, position: 101), FeedCursor(epoch: 3, position: 49),
        ] {
            var feed = NativeFeed()
            let (greeting, next) = feed.opened(facts, at: .after(cursor))
            #expect(greeting == .gap(position: 100) && next == .none)
        }
        var odd = NativeFeed()
        let (unread, nowhere) = odd.opened(facts, at: .unknown)
        #expect(unread == .gap(position: 100) && nowhere == .none)
        var newest = NativeFeed()
        let (same, nothing) = newest.opened(facts, at: .after(FeedCursor(epoch: 3, position: 100)))
        #expect(same == .hello(position: 100) && nothing == .none)
    }

    @Test("what was touched before the facts were read is looked at again when it may be above them")
    func touchedWhileOpening() {
        var feed = NativeFeed()
        feed.touch(conversation(1))
        _ = feed.told(9)
        feed.touch(conversation(2))
        _ = feed.told(12)
        let (_, next) = feed.opened(FeedFacts(epoch: 1, newest: 10, oldest: 0), at: .snapshot)
        #expect(next == .read(FeedRound(after: 10, through: 12, conversations: [conversation(1), conversation(2)])))
    }

    @Test("a client that reads slowly is read for once it has room, from where it was")
    func congested() {
        var feed = live()
        feed.outboxRose()
        feed.touch(conversation(1))
        let held = feed.told(11)
        feed.touch(conversation(1))
        let heldAgain = feed.told(12)
        #expect(held == .none && heldAgain == .none)
        let next = feed.outboxDrained()
        #expect(next == .read(FeedRound(after: 10, through: 12, conversations: [conversation(1)])))
    }

    @Test("changes of people wait to be read, and nothing is promised meanwhile that is behind them")
    func people() {
        var feed = live()
        feed.touchPeople()
        let held = feed.told(12)
        let nothingNew = feed.told(13)
        #expect(held == .none && nothingNew == .none && feed.position == 10)
        let next = feed.readPeople()
        #expect(next == .read(FeedRound(after: 10, through: 13, conversations: [])))
        let (_, _, rest) = feed.received(FeedResult(frames: [frame(12)], through: 13))
        #expect(rest == .none && feed.position == 13)
        let again = feed.readPeople()
        #expect(again == .none, "they were read")
    }

    @Test("changes of people are read with whatever is read first")
    func peopleBeside() {
        var feed = live()
        feed.touchPeople()
        _ = feed.told(12)
        feed.touch(conversation(1))
        let next = feed.told(14)
        #expect(next == .read(FeedRound(after: 10, through: 14, conversations: [conversation(1)])))
        let due = feed.readPeople()
        let (_, _, rest) = feed.received(FeedResult(frames: [], through: 14))
        #expect(due == .none && rest == .none)
    }

    @Test("changes of people that are said while a round is read come with the next one")
    func peopleMeanwhile() {
        var feed = live()
        feed.touch(conversation(1))
        _ = feed.told(11)
        feed.touchPeople()
        _ = feed.told(12)
        let due = feed.readPeople()
        let (_, _, next) = feed.received(FeedResult(frames: [], through: 11))
        #expect(due == .none && next == .read(FeedRound(after: 11, through: 12, conversations: [])))
    }

    @Test("a round of people that was cut, or could not be read, is read again")
    func peopleAgain() {
        var feed = live()
        feed.touchPeople()
        _ = feed.told(20)
        _ = feed.readPeople()
        let (_, _, rest) = feed.received(FeedResult(frames: [frame(15)], through: 15))
        #expect(rest == .read(FeedRound(after: 15, through: 20, conversations: [])))
        feed.readFailed()
        let again = feed.retry()
        #expect(again == .read(FeedRound(after: 15, through: 20, conversations: [])))
    }

    @Test("more conversations than are remembered make it look at all")
    func overflow() {
        var feed = live()
        for number in 0...Int64(NativeFeed.maximumTouched) { feed.touch(conversation(number)) }
        let next = feed.told(5_000)
        #expect(next == .read(FeedRound(after: 10, through: 5_000, conversations: nil)))
    }

    @Test("a read that failed is done again, with what came meanwhile")
    func failure() {
        var feed = live()
        feed.touch(conversation(1))
        _ = feed.told(11)
        feed.readFailed()
        #expect(feed.isWaiting)
        feed.touch(conversation(2))
        let waiting = feed.told(12)
        #expect(waiting == .none)
        let next = feed.retry()
        #expect(next == .read(FeedRound(after: 10, through: 12, conversations: [conversation(1), conversation(2)])))
    }

    @Test("the facts are read first, and again when they could not be read; nothing is told before them")
    func facts() {
        var feed = NativeFeed()
        #expect(feed.begin() == .readFacts && !feed.isOpen && !feed.isOver)
        feed.readFailed()
        let again = feed.retry()
        #expect(again == .readFacts && !feed.isOpen)
        let (greeting, next) = feed.opened(FeedFacts(epoch: 4, newest: 7, oldest: 1), at: .snapshot)
        #expect(greeting == .hello(position: 7) && next == .none && feed.isOpen)
        #expect(feed.cursor == FeedCursor(epoch: 4, position: 7))
        let (twice, nothing) = feed.opened(FeedFacts(epoch: 5, newest: 9, oldest: 1), at: .snapshot)
        #expect(twice == nil && nothing == .none && feed.begin() == .none)
        #expect(feed.cursor == FeedCursor(epoch: 4, position: 7))
    }

    @Test("the first touch after a position is told apart, of a conversation or of people")
    func firstTouch() {
        var feed = live()
        let touches = [feed.touch(conversation(1)), feed.touch(conversation(2)), feed.touchPeople()]
        #expect(touches == [true, false, false])
        _ = feed.told(12)
        let later = [feed.touchPeople(), feed.touch(conversation(1))]
        #expect(later == [true, false])
    }

    @Test("what has ended reads and sends nothing more, whatever comes", arguments: [false, true])
    func over(whileReading: Bool) {
        var feed = live()
        feed.touch(conversation(1))
        if whileReading { _ = feed.told(12) }
        let first = feed.end()
        let second = feed.end()
        #expect(first && !second && feed.isOver && !feed.isOpen)
        let (send, isGap, then) = feed.received(FeedResult(frames: [frame(11)], through: 12))
        #expect(send.isEmpty && !isGap && then == .none)
        feed.readFailed()
        feed.touchPeople()
        let actions = [feed.retry(), feed.told(14), feed.readPeople(), feed.outboxDrained(), feed.begin()]
        #expect(actions.allSatisfy { $0 == .none })
        #expect(!feed.isResting)
    }

    @Test("who has gone before the facts were read is not greeted")
    func overWhileOpening() {
        var feed = NativeFeed()
        _ = feed.end()
        let (greeting, next) = feed.opened(FeedFacts(epoch: 1, newest: 7, oldest: 1), at: .snapshot)
        #expect(greeting == nil && next == .none && feed.retry() == .none)
    }

    @Test("after a gap it goes on behind it")
    func gap() {
        var feed = live()
        feed.touch(conversation(1))
        _ = feed.told(20)
        let (send, isGap, next) = feed.received(FeedResult(frames: [], through: 20, isGap: true))
        #expect(send.isEmpty && isGap && next == .none && feed.position == 20)
    }
}

/// A store, a broker, a network and a client, each of which takes its time.
private struct FeedWorld {
    /// Newest position of each conversation, as the store has it.
    private var rows: [ConversationID: Int64] = [:]
    private var newest: Int64 = 0
    /// Words of the broker on their way, in order.
    private enum Word { case touch(ConversationID), told(Int64) }
    private var words: [Word] = []
    private var feed = NativeFeed()
    private var asked: FeedRound?
    private var isOpen = false
    /// Newest position of each conversation that the client knows, and where it would go on.
    private var known: [ConversationID: Int64] = [:]
    private var cursor: FeedCursor?
    private var random: Random

    init(seed: UInt64) { self.random = Random(state: seed) }

    mutating func step() {
        switch self.random.next(below: 12) {
        case 0...3: self.commit()
        case 4...6: self.hear()
        case 7, 8: self.answer()
        case 9: self.feed.outboxRose()
        case 10 where self.isOpen: self.take(self.feed.outboxDrained())
        default: self.cutOrOpen()
        }
    }

    /// Lets everything come to rest.
    mutating func settle() -> Bool {
        if !self.isOpen { self.open() }
        self.take(self.feed.outboxDrained())
        for _ in 0..<10_000 where !self.words.isEmpty || self.asked != nil {
            self.hear()
            self.answer()
        }
        return self.words.isEmpty && self.asked == nil && self.known == self.rows
    }

    /// A commit is readable before the broker says so, and its parts are said in any order.
    private mutating func commit() {
        var said: [ConversationID] = []
        for _ in 0...self.random.next(below: 3) {
            let place = conversation(Int64(self.random.next(below: 6)))
            self.newest += 1
            self.rows[place] = self.newest
            said.append(place)
        }
        guard self.isOpen else { return }
        self.words += said.reversed().map { .touch($0) } + [.told(self.newest)]
    }

    private mutating func hear() {
        guard self.isOpen, !self.words.isEmpty else { return }
        switch self.words.removeFirst() {
        case .touch(let place): self.feed.touch(place)
        case .told(let position): self.take(self.feed.told(position))
        }
    }

    private mutating func take(_ action: NativeFeed.Action) {
        guard case .read(let round) = action else { return }
        #expect(self.asked == nil, "one read at a time")
        self.asked = round
    }

    /// Reads at the newest state there is, at most two rows, or fails.
    private mutating func answer() {
        guard self.isOpen, let round = self.asked else { return }
        self.asked = nil
        if self.random.next(below: 8) == 0 {
            self.feed.readFailed()
            return self.take(self.feed.retry())
        }
        let rows = self.rows.filter { place, position in
            position > round.after && position <= round.through && round.conversations?.contains(place) ?? true
        }.sorted { $0.value < $1.value }
        let page = rows.prefix(2)
        let isCut = page.count < rows.count
        let result = FeedResult(
            frames: page.map { frame($0.value) }, through: isCut ? page.last!.value : round.through)
        let places = Dictionary(uniqueKeysWithValues: page.map { ($0.value, $0.key) })
        let (send, isGap, next) = self.feed.received(result)
        #expect(!isGap)
        for position in send.compactMap(\.position) {
            if let cursor = self.cursor { #expect(position > cursor.position, "each position once, and in order") }
            self.cursor = FeedCursor(epoch: 1, position: position)
            self.known[places[position]!] = position
        }
        self.take(next)
    }

    private mutating func cutOrOpen() {
        guard self.isOpen else { return self.open() }
        self.isOpen = false
        // Words about commits from before may come late, to the next session.
        if self.random.next(below: 2) == 0 { self.words = [] }
        self.asked = nil
    }

    private mutating func open() {
        self.isOpen = true
        self.asked = nil
        self.feed = NativeFeed()
        let facts = FeedFacts(epoch: 1, newest: self.newest, oldest: 0)
        if self.cursor == nil {
            self.known = self.rows
            self.cursor = FeedCursor(epoch: 1, position: self.newest)
        }
        let (greeting, next) = self.feed.opened(facts, at: .after(self.cursor!))
        #expect(greeting == .hello(position: self.cursor!.position))
        self.take(next)
    }
}

/// Numbers that are the same for the same seed. Source: SplitMix64.
private struct Random {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        value ^= value >> 31
        return Int(value % UInt64(bound))
    }
}

struct NativeFeedPropertyTests {
    @Test("whatever comes in whatever order, a client that is told all knows the newest state", arguments: 1...40)
    func anyOrder(_ seed: Int) {
        var world = FeedWorld(seed: UInt64(seed))
        for _ in 0..<400 { world.step() }
        let isRight = world.settle()
        #expect(isRight, "seed \(seed)")
    }
}
