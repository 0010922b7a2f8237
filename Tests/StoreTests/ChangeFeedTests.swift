import ChatModel
import Execution
import Glibc
import Testing

@testable import Store

@Suite("The position of a commit")
struct CommitPositionTests {
    private static func position(_ fixture: Fixture) throws -> StorePosition {
        try fixture.store.readAndWait { reading throws(StoreError) in try reading.feed.position }
    }

    @Test("rises with every commit that changes something, no two of which share one, and not otherwise")
    func rises() throws {
        let verona = try Verona()
        let fixture = verona.fixture
        // Answered when everything before was told.
        try verona.write { _ throws(StoreError) in }
        let told = Lock<[StorePosition]>([])
        fixture.store.onPosition = { position in told.withLock { $0.append(position) } }
        var seen = [try Self.position(fixture)]
        for number in 0..<3 {
            try verona.say("\(number)", verona.romeo)
            seen.append(try Self.position(fixture))
            // Neither a message nor an event.
            try verona.write { store throws(StoreError) in try store.setSetting("test", "\(number)") }
            seen.append(try Self.position(fixture))
        }
        #expect(seen == seen.sorted() && Set(seen).count == seen.count)
        try verona.write { _ throws(StoreError) in }
        #expect(try Self.position(fixture) == seen.last)
        #expect(told.withLock { $0 } == Array(seen.dropFirst()))
    }

    @Test("is that of the last message, and above every event, of the commit")
    func last() throws {
        let verona = try Verona()
        try verona.write { _ throws(StoreError) in }
        let events = Lock<[ChangeEvent]>([])
        verona.fixture.store.onEvents = { new in events.withLock { $0 += new } }
        let place = try verona.say("one", verona.romeo)
        let message = try #require(
            try verona.read { store throws(StoreError) in
                try store.messages.one(in: place.conversation, sequence: place.sequence, as: .unrestricted)
            })
        #expect(try Self.position(verona.fixture) == StorePosition(message.id))
        let (id, romeo, tybalt) = (verona.id, verona.romeo, verona.tybalt)
        try verona.write { store throws(StoreError) in
            try store.messages.toggleReaction(place, name: "hm", by: romeo)
            try store.conversations.addMembers([tybalt], to: id)
        }
        try verona.write { _ throws(StoreError) in }
        let positions = events.withLock { $0.map(\.position) }
        #expect(positions.count == 2 && positions == positions.sorted() && positions[0] > StorePosition(message.id))
        #expect(try Self.position(verona.fixture) >= positions[1])
    }

    @Test("of a killed server is not below anything stored, and goes on above it whatever the clock says")
    func kill() throws {
        let verona = try Verona()
        let place = try verona.say("one", verona.romeo)
        let romeo = verona.romeo
        try verona.write { store throws(StoreError) in try store.messages.toggleReaction(place, name: "hm", by: romeo) }
        let before = try Self.position(verona.fixture)
        verona.fixture.clock.setWall(milliseconds: 1_800_000_000_000 - 86_400_000)
        let killed = try verona.fixture.killed()
        #expect(try Self.position(killed) == before)
        let next = try #require(killed.send("two", from: romeo, to: .id(verona.id)).accepted?.message)
        #expect(StorePosition(next.id) > before)
        #expect(try Self.position(killed) == StorePosition(next.id))
        #expect(try killed.verified().findings == [])
    }

    @Test("of a commit that failed is told to nobody")
    func failed() throws {
        let fails = Lock(false)
        let verona = try Verona { options in
            options.commitHook = { commit, publish throws(StoreError) in
                if fails.withLock({ $0 }) { throw .busy }
                try commit()
                publish()
            }
        }
        try verona.write { _ throws(StoreError) in }
        let told = Lock<[StorePosition]>([])
        verona.fixture.store.onPosition = { position in told.withLock { $0.append(position) } }
        let before = try Self.position(verona.fixture)
        fails.withLock { $0 = true }
        #expect(verona.fixture.send("one", from: verona.romeo, to: .id(verona.id)).failure == .busy)
        fails.withLock { $0 = false }
        try verona.write { _ throws(StoreError) in }
        #expect(told.withLock { $0 }.isEmpty)
        #expect(try Self.position(verona.fixture) == before)
        let place = try verona.say("one", verona.romeo)
        try verona.write { _ throws(StoreError) in }
        #expect(place.sequence == 1)
        #expect(told.withLock { $0 } == [try Self.position(verona.fixture)])
    }

    @Test("agrees with the snapshot that a reader sees it in")
    func snapshot() throws {
        let verona = try Verona()
        let (fixture, id) = (verona.fixture, verona.id)
        let beginning = try Self.position(fixture)
        let appends = (0..<600).map { fixture.append("\($0)", from: verona.romeo, to: .id(id)) }
        for append in appends { fixture.store.append([append]) }
        var known: Int64 = 0
        while known < 600 {
            let (position, newest) = try fixture.store.readAndWait { reading throws(StoreError) in
                (try reading.feed.position, try reading.messages.latest(in: id, limit: 1, as: .unrestricted).last)
            }
            #expect(position == newest.map { StorePosition($0.id) } ?? beginning)
            known = newest?.sequence ?? 0
        }
        #expect(fixture.results(of: appends).allSatisfy { $0.accepted != nil })
    }

    @Test("of a database from before is above every id in it, and what was before is in no feed")
    func migrated() throws {
        let folder = TemporaryFolder()
        mkdir(folder.data, 0o700)
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder.data), role: .writer(synchronous: "OFF"))
        try connection.makeDatabase(ofVersion: 21)
        try connection.script(
            """
            INSERT INTO user (id, name, created_at) VALUES (1, 'romeo', 1);
            INSERT INTO conversation (id, kind, head, head_countable, change, active_at, created_at, creator_id, channel)
            VALUES (1, 2, 2, 0, 5, 9, 1, 1, 'verona');
            INSERT INTO message (conversation_id, sequence, id, sender_id, sent_at, kind, flags, countable, wire,
                body_hash, body)
            VALUES (1, 1, 7, 1, 5, -1, 0, 0, 0, 0, x''), (1, 2, 8, 1, 5, -1, 0, 0, 0, 0, x'');
            """)
        try connection.migrate(clock: 1, epoch: 2)
        #expect(try connection.meta("position") == 8 && connection.meta("feed_from") == 8)
    }
}

@Suite("The feed of changes")
struct ChangeFeedTests {
    private static func position(_ verona: Verona) throws -> StorePosition {
        try verona.read { store throws(StoreError) in try store.feed.position }
    }

    private static func page(
        _ verona: Verona, _ user: UserID, after position: StorePosition, limit: Int = 100
    ) throws -> FeedPage? {
        try verona.read { store throws(StoreError) in try store.feed.changes(for: user, after: position, limit: limit) }
    }

    /// What a person is told from a position on, page by page.
    private static func subjects(
        _ verona: Verona, _ user: UserID, after position: StorePosition, limit: Int = 100
    ) throws -> [FeedChange.Subject] {
        var (place, all) = (position, [FeedChange]())
        while true {
            let page = try #require(try self.page(verona, user, after: place, limit: limit))
            #expect(page.changes.count <= limit && page.changes.allSatisfy { $0.position > place })
            all += page.changes
            place = page.through
            if !page.isCut { break }
        }
        #expect(place == (try self.position(verona)))
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.position < $1.position })
        return all.map(\.subject)
    }

    /// Everything that can happen, after a position.
    private static func furnished() throws -> (Verona, StorePosition) {
        let verona = try Verona()
        let (id, escalus, romeo, juliet, tybalt) = (
            verona.id, verona.escalus, verona.romeo, verona.juliet, verona.tybalt
        )
        let first = try verona.say("one", romeo)
        let start = try self.position(verona)
        try verona.say("two", romeo)
        try verona.write { store throws(StoreError) in
            try store.messages.toggleReaction(first, name: "hm", by: juliet)
            try store.messages.edit(first, newBody: [1], isJSONObject: false, by: Actor(romeo))
            try store.conversations.addMembers([tybalt], to: id, by: Actor(escalus))
            try store.conversations.setTitle("Fair Verona", of: id)
            try store.conversations.removeMembers([tybalt], from: id, by: Actor(escalus))
            try store.messages.markRead([2], in: id, by: juliet)
            try store.inbox.markRead(juliet, in: id, upTo: 2)
        }
        return (verona, start)
    }

    @Test("tells each person what concerns them, in order, of several changes of one thing the last")
    func order() throws {
        let (verona, start) = try Self.furnished()
        let common: [FeedChange.Subject] = [
            .message(sequence: 2), .changedMessage(sequence: 1), .conversation, .member(verona.tybalt),
        ]
        #expect(try Self.subjects(verona, verona.mercutio, after: start) == common)
        #expect(try Self.subjects(verona, verona.romeo, after: start) == common + [.receipt(sequence: 2)])
        #expect(try Self.subjects(verona, verona.juliet, after: start) == common + [.read])
        #expect(try Self.subjects(verona, verona.tybalt, after: start) == [.member(verona.tybalt)])
        #expect(try verona.isSound() == [])
    }

    @Test("page by page it tells the same things", arguments: [1, 2, 3, 5])
    func pages(_ limit: Int) throws {
        let (verona, start) = try Self.furnished()
        for person in [verona.mercutio, verona.romeo, verona.juliet, verona.tybalt] {
            let whole = try Self.subjects(verona, person, after: start)
            #expect(Set(try Self.subjects(verona, person, after: start, limit: limit)) == Set(whole))
        }
    }

    @Test("what is a person's own is told to nobody else")
    func own() throws {
        let verona = try Verona()
        let place = try verona.say("one", verona.romeo)
        let start = try Self.position(verona)
        let (id, juliet) = (verona.id, verona.juliet)
        try verona.write { store throws(StoreError) in
            var patch = PreferencePatch()
            patch.isPinned = true
            try store.inbox.setPreference(juliet, in: id, patch)
            try store.messages.markHeard(place, by: juliet)
            try store.messages.hide([place], for: juliet)
        }
        #expect(try Self.subjects(verona, juliet, after: start) == [.own, .changedMessage(sequence: 1), .history])
        #expect(try Self.subjects(verona, verona.romeo, after: start) == [])
    }

    @Test("only the conversations that are asked for are looked at, and nothing after the end that is asked for")
    func part() throws {
        let (verona, start) = try Self.furnished()
        let (romeo, id) = (verona.romeo, verona.id)
        let none = try verona.read { store throws(StoreError) in
            try store.feed.changes(for: romeo, after: start, in: [], limit: 100)
        }
        #expect(none?.changes.map(\.subject) == [.receipt(sequence: 2)])
        let all = try #require(try Self.page(verona, romeo, after: start))
        let end = all.changes[2].position
        let part = try verona.read { store throws(StoreError) in
            try store.feed.changes(for: romeo, after: start, through: end, in: [id], limit: 100)
        }
        let page = try #require(part)
        #expect(page.through == end && !page.isCut && page.changes.last?.position == end)
    }

    @Test("of a conversation with very much in it only that is told, of too many people have to begin anew")
    func gap() throws {
        let verona = try Verona()
        let start = try Self.position(verona)
        let count = FeedBounds.changesOfConversation
        _ = verona.fixture.send(
            (0..<count).map { verona.fixture.append("\($0)", from: verona.romeo, to: .id(verona.id)) })
        #expect(try Self.subjects(verona, verona.juliet, after: start).count == count)
        try verona.say("one more", verona.romeo)
        #expect(try Self.subjects(verona, verona.juliet, after: start) == [.gap])
        let (juliet, others) = (verona.juliet, (0...FeedBounds.conversations).map { "other\($0)" })
        try verona.write { store throws(StoreError) in
            for name in others {
                _ = try store.conversations.createChannel(.group, ChannelName(name)!, creator: juliet, members: [])
            }
        }
        #expect(try Self.page(verona, juliet, after: start) == nil)
    }

    @Test("whoever knows less than the feed goes back, or more than there is, has to begin anew")
    func forgotten() throws {
        let (verona, start) = try Self.furnished()
        let now = try Self.position(verona)
        #expect(try Self.page(verona, verona.romeo, after: now)?.changes == [])
        #expect(try Self.page(verona, verona.romeo, after: StorePosition(rawValue: now.rawValue + 1)) == nil)
        verona.advance(seconds: (FeedBounds.days + 1) * 86_400)
        try verona.write { store throws(StoreError) in
            let before = store.wallMilliseconds - FeedBounds.days * 86_400_000
            while try store.connection.pruneFeed(before: before) {}
        }
        let goesBackTo = try verona.read { store throws(StoreError) in try store.feed.start }
        #expect(goesBackTo > start && goesBackTo <= now)
        #expect(try Self.page(verona, verona.romeo, after: start) == nil)
        #expect(try Self.page(verona, verona.romeo, after: now)?.changes == [])
        #expect(try verona.isSound() == [])
    }

    @Test("who shares a conversation or a friendship is told who is shown otherwise, by one row for all of them")
    func people() throws {
        let verona = try Verona()
        let (romeo, juliet, tybalt) = (verona.romeo, verona.juliet, verona.tybalt)
        let start = try Self.position(verona)
        try verona.write { store throws(StoreError) in
            try store.people.setDisplayName(romeo, "Montague")
            try store.people.setDisplayName(romeo, "Romeo")
            try store.people.setDisplayName(tybalt, "Capulet")
        }
        for person in [romeo, juliet, verona.mercutio] {
            #expect(try Self.subjects(verona, person, after: start) == [.person(romeo)])
        }
        #expect(try Self.subjects(verona, tybalt, after: start) == [.person(tybalt)], "in no conversation")
        let befriended = try Self.position(verona)
        try verona.write { store throws(StoreError) in _ = try store.friends.make(juliet, tybalt) }
        #expect(try Self.subjects(verona, juliet, after: befriended) == [.person(tybalt)])
        #expect(try Self.subjects(verona, tybalt, after: befriended) == [.person(juliet)])
        let friends = try Self.position(verona)
        try verona.write { store throws(StoreError) in
            try store.people.setDisplayName(tybalt, "Tybalt")
            try store.friends.setRemark(tybalt, of: juliet, "a cousin")
            try store.people.setListed(owner: juliet, .blocked, romeo, true)
        }
        #expect(try Self.subjects(verona, juliet, after: friends) == [.person(tybalt), .person(romeo)])
        #expect(try Self.subjects(verona, romeo, after: friends) == [])
        let rows = try verona.read { store throws(StoreError) in
            try store.connection.first("SELECT count(*) FROM person_feed") { row throws(StoreError) in row.int64(0) }
        }
        #expect(rows == 5, "of each person and receiver the newest")
        #expect(try verona.isSound() == [])
    }

    @Test("more people than are told one by one are one gap")
    func gapOfPeople() throws {
        let verona = try Verona()
        let people = try verona.write { store throws(StoreError) in
            var people: [UserID] = []
            for number in 0..<FeedBounds.people { people.append(try store.people.createUser(UserName("p\(number)")!)) }
            return people
        }
        let start = try Self.position(verona)
        try verona.write { store throws(StoreError) in
            for person in people { try store.people.setDisplayName(person, "x") }
        }
        #expect(try Self.subjects(verona, verona.juliet, after: start) == [])
        let romeo = verona.romeo
        try verona.write { store throws(StoreError) in try store.people.setDisplayName(romeo, "Montague") }
        #expect(try Self.subjects(verona, verona.juliet, after: start) == [.gapOfPeople])
    }
}
