import ChatModel
import Testing

@testable import Store

@Suite("Announcements to people")
struct NoticeTests {
    private func step(_ house: House, after done: NoticeStep?) throws -> NoticeStep? {
        try house.store.writeAndWait { store throws(StoreError) in try store.nextNoticeStep(after: done) }
    }

    private func create(
        _ house: House, _ body: String = "tea at eight", title: String = "", teams: [ConversationID] = []
    ) throws(StoreError) -> Int64 {
        try house.store.writeAndWait { store throws(StoreError) in
            try store.createNotice(title: title, body, sender: "ming", teams: teams)
        }
    }

    private func confirm(_ house: House, _ number: Int64, _ user: UserID) throws(StoreError) -> Int64 {
        try house.store.writeAndWait { store throws(StoreError) in try store.confirmNotice(number, by: user) }
    }

    private func notice(_ house: House, _ number: Int64) throws -> Notice {
        try #require(try house.store.readAndWait { store throws(StoreError) in try store.notice(number) })
    }

    @Test("everybody gets it some at a time; a step that was not finished is told again, and nobody counts twice")
    func steps() throws {
        let house = try House()
        let count = NoticeBounds.peopleAtOnce + 10
        let people = try house.store.writeAndWait { store throws(StoreError) in
            var people: [UserID] = []
            for number in 0..<count { people.append(try store.createUser(UserName("u\(number)")!)) }
            try store.setDisabled(people[1], true)
            try store.setSystemAccount(people[2], true)
            _ = try store.deleteUser(people[3])
            return people
        }
        let number = try self.create(house)
        // Who comes later was not meant.
        _ = try house.user("late")
        let first = try #require(try self.step(house, after: nil))
        #expect(first.notice.number == number && first.people.count == NoticeBounds.peopleAtOnce)
        #expect(!first.people.contains { people[1...3].contains($0.user) })
        // The server ended before it was sent: the same people again.
        let again = try #require(try self.step(try house.reopened(), after: nil))
        #expect(again.people == first.people)
        let reopened = try house.reopened()
        let second = try #require(try self.step(reopened, after: again))
        #expect(second.people.count == count - 3 - NoticeBounds.peopleAtOnce)
        #expect(try self.notice(reopened, number).sentAtMilliseconds == nil)
        #expect(try self.step(reopened, after: second) == nil)
        let sent = try self.notice(reopened, number)
        #expect(sent.sentAtMilliseconds != nil && sent.receivers == Int64(count - 3) && sent.confirmed == 0)
        #expect(try reopened.verified().findings == [])
    }

    @Test("the members of teams get it once each, whoever is in several")
    func teams() throws {
        let house = try House()
        let (romeo, juliet, tybalt) = (try house.user("romeo"), try house.user("juliet"), try house.user("tybalt"))
        let verona = try house.group("verona", owner: romeo, [juliet])
        let mantua = try house.group("mantua", owner: juliet)
        let number = try self.create(house, teams: [verona, mantua, verona])
        let step = try #require(try self.step(house, after: nil))
        #expect(step.people.map(\.user) == [romeo, juliet] && !step.people.map(\.user).contains(tybalt))
        #expect(step.notice.teams.map(\.text) == ["mantua", "verona"])
        #expect(try self.step(house, after: step) == nil)
        #expect(try self.notice(house, number).receivers == 2)
    }

    @Test("who got it confirms it once, others cannot, and pages say who did and who did not")
    func confirm() throws {
        let house = try House()
        let (romeo, juliet) = (try house.user("romeo"), try house.user("juliet"))
        let verona = try house.group("verona", owner: romeo)
        let number = try self.create(house, teams: [verona])
        let other = try self.create(house, "for all")
        let step = try self.step(house, after: nil)
        _ = try self.step(house, after: try self.step(house, after: step))
        let first = try self.confirm(house, number, romeo)
        house.clock.advance(milliseconds: 1_000)
        #expect(try self.confirm(house, number, romeo) == first)
        #expect(throws: StoreError.self) { try self.confirm(house, number, juliet) }
        let found = try house.store.readAndWait { store throws(StoreError) in
            (
                confirmed: try store.receivers(of: number, .confirmed, after: nil, limit: 5).map(\.user),
                waiting: try store.receivers(of: other, .waiting, after: romeo, limit: 5).map(\.user),
                mine: try store.notices(for: romeo, limit: 5).map {
                    [$0.notice.number, $0.confirmedAtMilliseconds ?? 0]
                },
                page: try store.notices(for: romeo, before: other, limit: 5).map(\.notice.number),
                all: try store.notices(limit: 1).map(\.number)
            )
        }
        #expect(found.confirmed == [romeo] && found.waiting == [juliet])
        #expect(found.mine == [[other, 0], [number, first]] && found.page == [number] && found.all == [other])
        #expect(try self.notice(house, number).confirmed == 1)
        #expect(try house.verified().findings == [])
    }

    @Test("an empty, too long or homeless one is refused")
    func wrong() throws {
        let house = try House()
        let romeo = try house.user("romeo")
        let room = try house.store.writeAndWait { store throws(StoreError) in
            try store.createChannel(.room, ChannelName("square")!, creator: romeo)
        }
        let long = String(repeating: "x", count: NoticeBounds.textBytes + 1)
        let title = String(repeating: "茶", count: NoticeBounds.titleScalars + 1)
        #expect(throws: StoreError.self) { try self.create(house, "") }
        #expect(throws: StoreError.self) { try self.create(house, long) }
        #expect(throws: StoreError.self) { try self.create(house, title: title) }
        #expect(throws: StoreError.self) { try self.create(house, teams: [room]) }
        #expect(try self.create(house, String(long.dropLast()), title: String(title.dropLast())) == 1)
    }

    @Test("verify finds an announcement that says wrongly who got it")
    func planted() throws {
        let house = try House()
        _ = try house.user("romeo")
        _ = try self.create(house)
        _ = try self.step(house, after: nil)
        house.store.close()
        try Connection(path: DataFolder.databasePath(in: house.folder.data), role: .writer(synchronous: "FULL"))
            .script("UPDATE notice_receiver SET confirmed_at = 1")
        #expect(try house.verify(house.folder).findings.map(\.kind) == [.notice])
    }
}
