import ChatModel
import Testing

@testable import Store

@Suite("Announcements to people")
struct AnnouncementTests {
    private func step(_ fixture: Fixture, after done: AnnouncementStep?) throws -> AnnouncementStep? {
        try fixture.store.writeAndWait { store throws(StoreError) in try store.announcements.nextStep(after: done) }
    }

    private func create(
        _ fixture: Fixture, _ body: String = "tea at eight", title: String = "", teams: [ConversationID] = []
    ) throws(StoreError) -> Int64 {
        try fixture.store.writeAndWait { store throws(StoreError) in
            try store.announcements.create(title: title, body, sender: "ming", teams: teams)
        }
    }

    private func confirm(_ fixture: Fixture, _ number: Int64, _ user: UserID) throws(StoreError) -> Int64 {
        try fixture.store.writeAndWait { store throws(StoreError) in try store.announcements.confirm(number, by: user) }
    }

    private func notice(_ fixture: Fixture, _ number: Int64) throws -> Announcement {
        try #require(
            try fixture.store.readAndWait { store throws(StoreError) in try store.announcements.notice(number) })
    }

    @Test("everybody gets it some at a time; a step that was not finished is told again, and nobody counts twice")
    func steps() throws {
        let fixture = try Fixture()
        let count = AnnouncementBounds.peopleAtOnce + 10
        let people = try fixture.store.writeAndWait { store throws(StoreError) in
            var people: [UserID] = []
            for number in 0..<count { people.append(try store.people.createUser(UserName("u\(number)")!)) }
            try store.people.setDisabled(people[1], true)
            try store.people.setSystemAccount(people[2], true)
            _ = try store.people.deleteUser(people[3])
            return people
        }
        let number = try self.create(fixture)
        // Who comes later was not meant.
        _ = try fixture.user("late")
        let first = try #require(try self.step(fixture, after: nil))
        #expect(first.notice.number == number && first.people.count == AnnouncementBounds.peopleAtOnce)
        #expect(!first.people.contains { people[1...3].contains($0.user) })
        // The server ended before it was sent: the same people again.
        let again = try #require(try self.step(try fixture.reopened(), after: nil))
        #expect(again.people == first.people)
        let reopened = try fixture.reopened()
        let second = try #require(try self.step(reopened, after: again))
        #expect(second.people.count == count - 3 - AnnouncementBounds.peopleAtOnce)
        #expect(try self.notice(reopened, number).sentAtMilliseconds == nil)
        #expect(try self.step(reopened, after: second) == nil)
        let sent = try self.notice(reopened, number)
        #expect(sent.sentAtMilliseconds != nil && sent.receivers == Int64(count - 3) && sent.confirmed == 0)
        #expect(try reopened.verified().findings == [])
    }

    @Test("the members of teams get it once each, whoever is in several")
    func teams() throws {
        let fixture = try Fixture()
        let (romeo, juliet, tybalt) = (
            try fixture.user("romeo"), try fixture.user("juliet"), try fixture.user("tybalt")
        )
        let verona = try fixture.group("verona", owner: romeo, [juliet])
        let mantua = try fixture.group("mantua", owner: juliet)
        let number = try self.create(fixture, teams: [verona, mantua, verona])
        let step = try #require(try self.step(fixture, after: nil))
        #expect(step.people.map(\.user) == [romeo, juliet] && !step.people.map(\.user).contains(tybalt))
        #expect(step.notice.teams.map(\.text) == ["mantua", "verona"])
        #expect(try self.step(fixture, after: step) == nil)
        #expect(try self.notice(fixture, number).receivers == 2)
    }

    @Test("who got it confirms it once, others cannot, and pages say who did and who did not")
    func confirm() throws {
        let fixture = try Fixture()
        let (romeo, juliet) = (try fixture.user("romeo"), try fixture.user("juliet"))
        let verona = try fixture.group("verona", owner: romeo)
        let number = try self.create(fixture, teams: [verona])
        let other = try self.create(fixture, "for all")
        let step = try self.step(fixture, after: nil)
        _ = try self.step(fixture, after: try self.step(fixture, after: step))
        let first = try self.confirm(fixture, number, romeo)
        fixture.clock.advance(milliseconds: 1_000)
        #expect(try self.confirm(fixture, number, romeo) == first)
        #expect(throws: StoreError.self) { try self.confirm(fixture, number, juliet) }
        let found = try fixture.store.readAndWait { store throws(StoreError) in
            (
                confirmed: try store.announcements.receivers(of: number, .confirmed, after: nil, limit: 5).map(\.user),
                waiting: try store.announcements.receivers(of: other, .waiting, after: romeo, limit: 5).map(\.user),
                mine: try store.announcements.page(for: romeo, limit: 5).map {
                    [$0.notice.number, $0.confirmedAtMilliseconds ?? 0]
                },
                page: try store.announcements.page(for: romeo, before: other, limit: 5).map(\.notice.number),
                all: try store.announcements.page(limit: 1).map(\.number)
            )
        }
        #expect(found.confirmed == [romeo] && found.waiting == [juliet])
        #expect(found.mine == [[other, 0], [number, first]] && found.page == [number] && found.all == [other])
        #expect(try self.notice(fixture, number).confirmed == 1)
        #expect(try fixture.verified().findings == [])
    }

    @Test("an empty, too long or homeless one is refused")
    func wrong() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let room = try fixture.store.writeAndWait { store throws(StoreError) in
            try store.conversations.createChannel(.room, ChannelName("square")!, creator: romeo)
        }
        let long = String(repeating: "x", count: AnnouncementBounds.textBytes + 1)
        let title = String(repeating: "茶", count: AnnouncementBounds.titleScalars + 1)
        #expect(throws: StoreError.self) { try self.create(fixture, "") }
        #expect(throws: StoreError.self) { try self.create(fixture, long) }
        #expect(throws: StoreError.self) { try self.create(fixture, title: title) }
        #expect(throws: StoreError.self) { try self.create(fixture, teams: [room]) }
        #expect(try self.create(fixture, String(long.dropLast()), title: String(title.dropLast())) == 1)
    }

    @Test("verify finds an announcement that says wrongly who got it")
    func planted() throws {
        let fixture = try Fixture()
        _ = try fixture.user("romeo")
        _ = try self.create(fixture)
        _ = try self.step(fixture, after: nil)
        fixture.store.close()
        try Connection(path: DataFolder.databasePath(in: fixture.folder.data), role: .writer(synchronous: "FULL"))
            .script("UPDATE notice_receiver SET confirmed_at = 1")
        #expect(try fixture.verify(fixture.folder).findings.map(\.kind) == [.notice])
    }
}
