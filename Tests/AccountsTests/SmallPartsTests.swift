import ChatModel
import Execution
import Testing

@testable import Accounts

@Suite("Expiry clock")
struct SteadyWallClockTests {
    let start: Int64 = 1_800_000_000_000
    let hour: Int64 = 3_600_000

    func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test(
        "small corrections are taken, in both directions",
        arguments: [-3_600_000 as Int64, -1_000, 0, 1_000, 3_600_000])
    func small(_ jump: Int64) {
        var clock = SteadyWallClock(wall: self.start, at: self.instant(0))
        #expect(clock.milliseconds(wall: self.start + 10 + jump, at: self.instant(10)) == self.start + 10 + jump)
    }

    @Test("a large jump is believed after an hour of even running", arguments: [-315_360_000_000 as Int64, 86_400_000])
    func large(_ jump: Int64) {
        var clock = SteadyWallClock(wall: self.start, at: self.instant(0))
        #expect(clock.milliseconds(wall: self.start + 10 + jump, at: self.instant(10)) == self.start + 10)
        let before = self.hour + 9
        #expect(clock.milliseconds(wall: self.start + before + jump, at: self.instant(before)) == self.start + before)
        let after = self.hour + 10
        #expect(
            clock.milliseconds(wall: self.start + after + jump, at: self.instant(after)) == self.start + after + jump)
    }

    @Test("a clock that keeps jumping is never believed, and one that comes back at once is")
    func restless() {
        var clock = SteadyWallClock(wall: self.start, at: self.instant(0))
        for step in 1...10 as ClosedRange<Int64> {
            let now = step * self.hour
            let wall = self.start + now + step * 86_400_000
            #expect(clock.milliseconds(wall: wall, at: self.instant(now)) == self.start + now)
        }
        let now = 11 * self.hour
        #expect(clock.milliseconds(wall: self.start + now, at: self.instant(now)) == self.start + now)
    }
}

@Suite("Changes of accounts")
struct AccountChangesTests {
    @Test("what was read before a change no longer holds, what was read after it does")
    func changes() {
        let changes = AccountChanges()
        let before = changes.epoch
        changes.changed(UserID(rawValue: 1))
        #expect(!changes.isUnchanged(UserID(rawValue: 1), since: before))
        #expect(changes.isUnchanged(UserID(rawValue: 2), since: before))
        #expect(changes.isUnchanged(UserID(rawValue: 1), since: changes.epoch))
    }

    @Test("when there are too many to remember, everybody counts as changed")
    func bounded() {
        let changes = AccountChanges(maximumAccounts: 4)
        let before = changes.epoch
        for number in 1...5 as ClosedRange<Int64> { changes.changed(UserID(rawValue: number)) }
        #expect(!changes.isUnchanged(UserID(rawValue: 1), since: before))
        #expect(!changes.isUnchanged(UserID(rawValue: 99), since: before))
        #expect(changes.isUnchanged(UserID(rawValue: 99), since: changes.epoch))
    }
}
