import ChatModel
import Execution
import Testing

@testable import Store

@Suite("The guard of the clock")
struct ClockGuardTests {
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour

    /// A guard, and hands to turn.
    private struct Watch {
        let hands = ManualClock()
        let guardian: ClockGuard

        /// - Parameter ahead: of the time that was believed last.
        init(ahead: Int64, isTrusted: Bool = false) {
            let clock = self.hands.clock
            self.guardian = ClockGuard(
                lastBelieved: clock.wallMilliseconds() - ahead, isTrusted: isTrusted, clock)
        }

        func pass(_ milliseconds: Int64) {
            self.hands.advance(milliseconds: milliseconds)
            self.guardian.observe(self.hands.clock)
        }

        func jump(_ milliseconds: Int64) {
            self.hands.setWall(milliseconds: self.hands.clock.wallMilliseconds() + milliseconds)
            self.guardian.observe(self.hands.clock)
        }
    }

    @Test("believes a clock that has run evenly for an hour", arguments: [0, day, -day, 3 * hour])
    func start(_ ahead: Int64) {
        let watch = Watch(ahead: ahead)
        #expect(watch.guardian.state == .settling)
        watch.pass(Self.hour - 1)
        #expect(!watch.guardian.isSteady && !watch.guardian.isInDoubt)
        watch.pass(1)
        #expect(watch.guardian.state == .believed)
    }

    @Test("a server that was switched off waits for a day", arguments: [day + 1, 30 * day, 400 * day])
    func absence(_ ahead: Int64) {
        let watch = Watch(ahead: ahead)
        #expect(watch.guardian.state == .doubted(aheadMilliseconds: ahead))
        watch.pass(Self.day - 1)
        #expect(watch.guardian.isInDoubt)
        watch.pass(1)
        #expect(watch.guardian.state == .believed)
    }

    @Test("years ahead, or days behind, is not believed by itself", arguments: [401 * day, 3_650 * day, -2 * day])
    func never(_ ahead: Int64) {
        let watch = Watch(ahead: ahead)
        for _ in 0..<100 { watch.pass(Self.day) }
        #expect(watch.guardian.isInDoubt && !watch.guardian.agrees)
        watch.guardian.setTrusted(true, watch.hands.clock)
        #expect(watch.guardian.state == .believed)
    }

    @Test("a clock that was put right is what it was", arguments: [3_650 * day, 30 * day, -30 * day, 2 * hour])
    func putRight(_ jump: Int64) {
        let watch = Watch(ahead: 0)
        watch.pass(2 * Self.hour)
        watch.jump(jump)
        #expect(!watch.guardian.isSteady)
        #expect(watch.guardian.isInDoubt == (jump.magnitude > UInt64(Self.day)))
        watch.pass(600_000)
        watch.jump(-jump)
        #expect(watch.guardian.state == .settling && watch.guardian.agrees)
        watch.pass(Self.hour)
        #expect(watch.guardian.state == .believed)
    }

    @Test("many small steps are one large one")
    func creeping() {
        let watch = Watch(ahead: 0)
        watch.pass(Self.hour)
        for _ in 0..<40 {
            watch.hands.setWall(milliseconds: watch.hands.clock.wallMilliseconds() + 3_000_000)
            watch.pass(1_000)
        }
        #expect(watch.guardian.isInDoubt)
    }

    @Test("who trusts the clock is asked nothing")
    func trusted() {
        let watch = Watch(ahead: 3_650 * Self.day, isTrusted: true)
        #expect(watch.guardian.state == .settling)
        watch.jump(3_650 * Self.day)
        #expect(watch.guardian.state == .settling)
        watch.pass(Self.hour)
        #expect(watch.guardian.state == .believed)
    }
}

@Suite("A clock that is wrong")
struct WrongClockTests {
    private static let year: Int64 = 365 * 86_400_000

    private func jump(_ fixture: Fixture, _ milliseconds: Int64) {
        fixture.clock.setWall(milliseconds: fixture.clock.clock.wallMilliseconds() + milliseconds)
    }

    /// Days with a look at what is old on each.
    private func pass(days: Int, _ fixture: Fixture) {
        for _ in 0..<days {
            fixture.clock.advance(milliseconds: 86_400_000)
            fixture.store.runMaintenance()
        }
    }

    @Test("starting years ahead deletes nothing, until the operator says that it is right")
    func startsAhead() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        fixture.send("one", from: romeo, to: .id(verona), token: "t1")
        try fixture.store.writeAndWait { store throws(StoreError) in
            let reminder = NewReminder(in: verona, kind: ReminderKind(rawValue: 100), text: "x")
            try store.messages.addReminder(reminder, for: [romeo], by: .application)
        }
        self.jump(fixture, 10 * Self.year)
        let later = try fixture.reopened { $0.inactiveDays = 1 }
        #expect(later.store.metrics.clock == .doubted(aheadMilliseconds: 10 * Self.year))
        self.pass(days: 40, later)
        #expect(later.send("one", from: romeo, to: .id(verona), token: "t1").accepted?.isDuplicate == true)
        let reminders = try later.store.readAndWait { store throws(StoreError) in
            try store.messages.reminders(of: romeo, after: 0, limit: 10)
        }
        #expect(reminders.count == 1)
        // Over a restart too: a time that is not believed is not remembered.
        let again = try later.reopened { $0.inactiveDays = 1 }
        guard case .doubted = again.store.metrics.clock else {
            Issue.record("\(again.store.metrics.clock)")
            return
        }
        try again.store.writeAndWait { store throws(StoreError) in store.trustClock(true) }
        self.pass(days: 2, again)
        let kept = try again.store.readAndWait { store throws(StoreError) in try store.conversations.one(verona) }
        #expect(kept == nil)
    }

    @Test("uploads and files that nothing refers to stay while the clock is in doubt")
    func files() throws {
        let verona = try Verona()
        let file = try verona.upload(verona.romeo)
        _ = try verona.begin(verona.romeo)
        let clock = verona.fixture.clock
        clock.setWall(milliseconds: clock.clock.wallMilliseconds() + 10 * Self.year)
        #expect(try verona.sweep() == [])
        #expect(try verona.write { store throws(StoreError) in try store.files.expireTransfers() }.isEmpty)
        #expect(try verona.file(file.key) != nil)
        clock.setWall(milliseconds: clock.clock.wallMilliseconds() - 10 * Self.year)
        clock.advance(milliseconds: 2 * 86_400_000)
        #expect(try verona.sweep().count == 1)
        #expect(try verona.write { store throws(StoreError) in try store.files.expireTransfers() }.count == 1)
    }

    @Test("after a jump ahead a conversation's times find back, with its next message", arguments: [false, true])
    func findsBack(_ restarts: Bool) throws {
        var fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let verona = try fixture.group("verona", owner: romeo)
        let before = try #require(fixture.send("before", from: romeo, to: .id(verona)).accepted?.message)
        self.jump(fixture, 10 * Self.year)
        if restarts { fixture = try fixture.reopened() }
        fixture.send("ahead", from: romeo, to: .id(verona))
        fixture.clock.advance(milliseconds: 60_000)
        let wrong = try #require(fixture.send("ahead too", from: romeo, to: .id(verona)).accepted?.message)
        #expect(wrong.sentAtMilliseconds > before.sentAtMilliseconds + 9 * Self.year)
        self.jump(fixture, -10 * Self.year)
        if restarts { fixture = try fixture.reopened() }
        fixture.clock.advance(milliseconds: 60_000)
        let right = try #require(fixture.send("right", from: romeo, to: .id(verona)).accepted?.message)
        #expect(right.sentAtMilliseconds == fixture.clock.clock.wallMilliseconds())
        #expect(right.sequence == 4 && right.id > wrong.id)
        let times = try fixture.store.readAndWait { store throws(StoreError) in
            try store.messages.latest(in: verona, limit: 10, as: .unrestricted).map(\.sentAtMilliseconds)
        }
        #expect(times == times.sorted() && times.first == before.sentAtMilliseconds)
        #expect(times.allSatisfy { $0 <= right.sentAtMilliseconds } && times[2] - times[1] == 60_000)
        #expect(try fixture.verified().findings == [])
    }

    @Test("one in which nothing is said any more finds back in a quiet moment; right times are left alone")
    func quiet() throws {
        let fixture = try Fixture()
        let romeo = try fixture.user("romeo")
        let (verona, mantua) = (try fixture.group("verona", owner: romeo), try fixture.group("mantua", owner: romeo))
        let early = try #require(fixture.send("early", from: romeo, to: .id(mantua)).accepted?.message)
        self.jump(fixture, 10 * Self.year)
        fixture.send("ahead", from: romeo, to: .id(verona))
        fixture.store.runMaintenance()
        #expect(try self.activeAt(fixture, verona) > early.sentAtMilliseconds + 9 * Self.year)
        self.jump(fixture, -10 * Self.year)
        fixture.store.runMaintenance()
        #expect(try self.activeAt(fixture, verona) == fixture.clock.clock.wallMilliseconds())
        #expect(try self.activeAt(fixture, mantua) == early.sentAtMilliseconds)
        // A clock that is behind is the wrong one itself: nothing is moved to it.
        self.jump(fixture, -10 * Self.year)
        fixture.store.runMaintenance()
        #expect(try self.activeAt(fixture, mantua) == early.sentAtMilliseconds)
        #expect(try fixture.verified().findings == [])
    }

    private func activeAt(_ fixture: Fixture, _ id: ConversationID) throws -> Int64 {
        try #require(try fixture.store.readAndWait { store throws(StoreError) in try store.conversations.one(id) })
            .activeAtMilliseconds
    }
}
