import Execution
import Testing

@testable import APIGateway

private let start = Instant(nanoseconds: 1_000_000_000)

private func after(_ milliseconds: Int64) -> Instant { start.advanced(byMilliseconds: milliseconds) }

struct PeopleScheduleTests {
    @Test("who was told alone reads after the commit, each time")
    func alone() {
        var schedule = PeopleSchedule(now: start)
        schedule.touch(7)
        schedule.touch(9)
        schedule.touch(7)
        let (first, next) = schedule.told(at: after(1))
        #expect(first == [7, 9] && next == .none)
        let (none, nothing) = schedule.told(at: after(2))
        #expect(none.isEmpty && nothing == .none)
        schedule.touch(7)
        let (again, _) = schedule.told(at: after(3))
        #expect(again == [7])
    }

    @Test("all sessions read at once, and then once a second, however often people change")
    func watchers() {
        var schedule = PeopleSchedule(now: start)
        schedule.touchWatchers()
        let first = schedule.told(at: after(10)).next
        #expect(first == .readAll)
        schedule.touchWatchers()
        let second = schedule.told(at: after(250)).next
        #expect(second == .wait(milliseconds: 760))
        schedule.touchWatchers()
        let third = schedule.told(at: after(900)).next
        #expect(third == .none, "the timer is set")
        let timer = schedule.timePassed(at: after(1_010))
        #expect(timer == .readAll)
        let fourth = schedule.told(at: after(1_020)).next
        #expect(fourth == .none, "everything was read")
        schedule.touchWatchers()
        let fifth = schedule.told(at: after(3_000)).next
        #expect(fifth == .readAll)
    }

    @Test("what is touched by a commit that has not been said waits for it")
    func untold() {
        var schedule = PeopleSchedule(now: start)
        schedule.touchWatchers()
        _ = schedule.told(at: after(1))
        schedule.touchWatchers()
        _ = schedule.told(at: after(2))
        schedule.touchWatchers()
        let timer = schedule.timePassed(at: after(1_001))
        #expect(timer == .readAll)
        let next = schedule.told(at: after(1_002)).next
        #expect(next == .wait(milliseconds: 999), "the last one was said only now")
    }
}
