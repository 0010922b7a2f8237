import ChatModel
import Execution
import Testing

@testable import Store

@Suite("Requests to join teams, and announcements, in the feed")
struct ConcernFeedTests {
    private static func position(_ fixture: Fixture) throws -> StorePosition {
        try fixture.store.readAndWait { store throws(StoreError) in try store.feed.position }
    }

    /// Requests and announcements that a person is told of from a position on, page by page.
    private static func concerns(
        _ fixture: Fixture, _ user: UserID, after position: StorePosition, limit: Int = 100
    ) throws -> [FeedChange.Subject] {
        var (place, all) = (position, [FeedChange]())
        while true {
            let after = place
            let page = try #require(
                try fixture.store.readAndWait { store throws(StoreError) in
                    try store.feed.changes(for: user, after: after, limit: limit)
                })
            #expect(page.changes.count <= limit && page.changes.allSatisfy { $0.position > after })
            all += page.changes
            place = page.through
            if !page.isCut { break }
        }
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.position < $1.position })
        return all.compactMap { change in
            switch change.subject {
            case .request, .announcement: return change.subject
            case .message, .changedMessage, .receipt, .member, .memberState, .conversation, .own, .read, .history, .gap,
                .ended, .person, .gapOfPeople:
                return nil
            }
        }
    }

    private func team() throws -> TeamFixture {
        var patch = TeamModesPatch()
        patch.join = .approval
        return try TeamFixture(.advanced, patch)
    }

    @discardableResult
    private func apply(_ team: TeamFixture, _ person: UserID) throws -> Int64 {
        let application = try team.write { store, id throws(StoreError) in try store.teams.apply(to: id, person) }
        guard case .waiting(let number) = application else { throw StoreError.invalid("joined at once") }
        return number
    }

    @Test("an application concerns who makes it and those who manage, at each of its steps, and nobody else")
    func application() throws {
        let team = try self.team()
        let (fixture, tybalt) = (team.fixture, team.outsider)
        let told = Lock<[ChangeEvent]>([])
        fixture.store.onEvents = { events in told.withLock { $0 += events } }
        let start = try Self.position(fixture)
        let number = try self.apply(team, tybalt)
        let applied = try Self.position(fixture)
        for person in [tybalt, team.owner, team.manager] {
            #expect(try Self.concerns(fixture, person, after: start) == [.request(number)])
        }
        for person in [team.member, team.other] {
            #expect(try Self.concerns(fixture, person, after: start) == [])
        }
        let manager = team.manager
        try team.write { store, _ throws(StoreError) in
            _ = try store.teams.answerRequest(number, accept: true, by: Actor(manager))
        }
        for person in [tybalt, team.owner, team.manager] {
            #expect(try Self.concerns(fixture, person, after: start) == [.request(number)], "its newest state, once")
            #expect(try Self.concerns(fixture, person, after: applied) == [.request(number)])
        }
        try team.write { _, _ throws(StoreError) in }
        let events = told.withLock { $0.filter { $0.change == .person(.teamRequests([number])) } }
        #expect(events.count == 2)
        #expect(events.allSatisfy { Set($0.receivers) == [tybalt, team.owner, team.manager] })
        #expect(try team.isSound() == [])
    }

    @Test("an invitation concerns the two between whom it is; coming in by another way fulfils it")
    func invitation() throws {
        let team = try self.team()
        let (fixture, id, tybalt, manager) = (team.fixture, team.id, team.outsider, team.manager)
        let start = try Self.position(fixture)
        try team.write { store, id throws(StoreError) in
            _ = try store.teams.invite([tybalt], to: id, by: Actor(manager))
        }
        let number = try team.requests()[0].number
        let asked = try Self.position(fixture)
        #expect(try Self.concerns(fixture, tybalt, after: start) == [.request(number)])
        #expect(try Self.concerns(fixture, manager, after: start) == [.request(number)])
        #expect(try Self.concerns(fixture, team.owner, after: start) == [])
        try team.write { store, _ throws(StoreError) in try store.conversations.addMembers([tybalt], to: id) }
        #expect(try team.requests().map(\.state) == [.accepted])
        #expect(try Self.concerns(fixture, tybalt, after: asked) == [.request(number)])
        #expect(try team.isSound() == [])
    }

    @Test("taking back, dismissing and the end of an account are told as well")
    func ends() throws {
        let team = try self.team()
        let (fixture, tybalt, owner) = (team.fixture, team.outsider, team.owner)
        let paris = try fixture.user("paris")
        let number = try self.apply(team, tybalt)
        var place = try Self.position(fixture)
        try team.write { store, _ throws(StoreError) in _ = try store.teams.withdrawRequest(number, by: Actor(tybalt)) }
        #expect(try Self.concerns(fixture, owner, after: place) == [.request(number)])
        let other = try self.apply(team, paris)
        place = try Self.position(fixture)
        try team.write { store, _ throws(StoreError) in _ = try store.people.deleteUser(paris) }
        #expect(try Self.concerns(fixture, owner, after: place) == [.request(other)])
        let third = try self.apply(team, tybalt)
        place = try Self.position(fixture)
        try team.write { store, id throws(StoreError) in try store.conversations.disband(id, by: Actor(owner)) }
        #expect(try Self.concerns(fixture, tybalt, after: place) == [.request(third)])
        #expect(try team.isSound() == [])
    }

    @Test("one that nobody answers ends by itself, and whom it concerns is told so")
    func expires() throws {
        let team = try self.team()
        let (fixture, tybalt) = (team.fixture, team.outsider)
        let number = try self.apply(team, tybalt)
        let start = try Self.position(fixture)
        fixture.clock.advance(milliseconds: TeamBounds.requestDays * 86_400_000)
        fixture.clock.advance(milliseconds: 3_600_000)
        fixture.store.runMaintenance()
        let stored = try fixture.store.readAndWait { store throws(StoreError) in try store.teams.request(number) }
        #expect(stored?.state == .expired && stored?.answeredBy == nil)
        for person in [tybalt, team.owner, team.manager] {
            #expect(try Self.concerns(fixture, person, after: start) == [.request(number)])
        }
        #expect(try team.isSound() == [])
    }

    @Test("of very many requests each page looks at a bounded number, and all of one's own come")
    func pages() throws {
        let team = try self.team()
        let (fixture, count) = (team.fixture, FeedBounds.requests + 10)
        let start = try Self.position(fixture)
        let numbers = try team.write { store, id throws(StoreError) in
            var numbers: [Int64] = []
            for index in 0..<count {
                let person = try store.people.createUser(UserName("p\(index)")!)
                if case .waiting(let number) = try store.teams.apply(to: id, person) { numbers.append(number) }
            }
            return numbers
        }
        #expect(numbers.count == count)
        for limit in [7, 100, FeedBounds.page] {
            let told = try Self.concerns(fixture, team.manager, after: start, limit: limit)
            #expect(told == numbers.map { .request($0) }, "\(limit)")
        }
        #expect(try Self.concerns(fixture, team.member, after: start) == [])
        #expect(try team.isSound() == [])
    }

    @Test("an announcement is told to whom it has reached, once, and again when they have confirmed it")
    func announcements() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let start = try Self.position(fixture)
        let number = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.announcements.create(title: "", "tea at eight", sender: "ming", teams: [])
        }
        #expect(try Self.concerns(fixture, romeo, after: start) == [])
        try fixture.store.writeAndWait { store throws(StoreError) in _ = try store.announcements.nextStep(after: nil) }
        let sent = try Self.position(fixture)
        for person in [romeo, juliet] {
            #expect(try Self.concerns(fixture, person, after: start) == [.announcement(number)])
        }
        // A step that was not finished is told again to who sends, and reaches nobody anew.
        try fixture.store.writeAndWait { store throws(StoreError) in _ = try store.announcements.nextStep(after: nil) }
        #expect(try Self.concerns(fixture, romeo, after: sent) == [])
        for _ in 0..<2 {
            try fixture.store.writeAndWait { store throws(StoreError) in
                _ = try store.announcements.confirm(number, by: romeo)
            }
        }
        #expect(try Self.concerns(fixture, romeo, after: sent) == [.announcement(number)])
        #expect(try Self.concerns(fixture, juliet, after: sent) == [])
        #expect(try fixture.verified().findings == [])
    }
}
