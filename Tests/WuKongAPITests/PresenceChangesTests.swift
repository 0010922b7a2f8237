import ChatModel
import Execution
import Testing

@testable import WuKongAPI

@Suite("What is told of people who come and go")
struct PresenceChangesTests {
    private static let start = Instant(nanoseconds: 0)
    private static let romeo = UserID(rawValue: 7)
    private static let romeos = UserName("romeo")!

    /// What is told at these moments, in words.
    private func told(_ changes: inout PresenceChanges, at milliseconds: Int64) -> [String] {
        var told: [String] = []
        while let change = changes.takeDue(at: Self.start.advanced(byMilliseconds: milliseconds)) {
            told.append("\(change.name) \(change.deviceFlag) \(change.isOnline) \(change.flagsOnline.sorted())")
        }
        return told
    }

    private func come(_ changes: inout PresenceChanges, _ flag: Int, at milliseconds: Int64) {
        changes.opened(Self.romeo, Self.romeos, flag: flag, at: Self.start.advanced(byMilliseconds: milliseconds))
    }

    private func go(_ changes: inout PresenceChanges, _ flag: Int, at milliseconds: Int64) {
        changes.ended(Self.romeo, flag: flag, at: Self.start.advanced(byMilliseconds: milliseconds))
    }

    @Test("the first session of a class and the end of the last one are told, each once it has held")
    func firstAndLast() {
        var changes = PresenceChanges(settleMilliseconds: 1_000)
        self.come(&changes, 0, at: 0)
        self.come(&changes, 0, at: 10)
        self.come(&changes, 2, at: 500)
        #expect(changes.millisecondsUntilNext(from: Self.start) == 1_000)
        #expect(self.told(&changes, at: 999) == [])
        #expect(self.told(&changes, at: 1_000) == ["romeo 0 true [0, 2]"])
        #expect(self.told(&changes, at: 1_500) == ["romeo 2 true [0, 2]"])
        self.go(&changes, 0, at: 2_000)
        #expect(changes.millisecondsUntilNext(from: Self.start) == nil)
        self.go(&changes, 0, at: 2_500)
        self.go(&changes, 2, at: 2_600)
        #expect(!changes.isOnline(Self.romeo))
        #expect(self.told(&changes, at: 5_000) == ["romeo 0 false []", "romeo 2 false []"])
        #expect(changes.count == 0)
    }

    @Test("who connects again within the time was never gone, who comes and goes at once was never there")
    func short() {
        var changes = PresenceChanges(settleMilliseconds: 1_000)
        self.come(&changes, 0, at: 0)
        #expect(self.told(&changes, at: 1_000).count == 1)
        self.go(&changes, 0, at: 2_000)
        self.come(&changes, 0, at: 2_900)
        #expect(self.told(&changes, at: 10_000) == [])
        self.come(&changes, 1, at: 11_000)
        self.go(&changes, 1, at: 11_900)
        #expect(self.told(&changes, at: 20_000) == [])
        self.go(&changes, 0, at: 21_000)
        #expect(self.told(&changes, at: 22_000) == ["romeo 0 false []"])
        #expect(changes.count == 0)
    }

    @Test("a connection that does not hold is told of when it does, and keeps one timer meanwhile")
    func flapping() {
        var changes = PresenceChanges(settleMilliseconds: 1_000, maximum: 1)
        var told: [String] = []
        for round in 0..<20 as Range<Int64> {
            self.come(&changes, 0, at: round * 500)
            self.go(&changes, 0, at: round * 500 + 250)
            told += self.told(&changes, at: round * 500 + 260)
        }
        self.come(&changes, 0, at: 10_000)
        told += self.told(&changes, at: 10_999)
        #expect(told == [])
        #expect(self.told(&changes, at: 11_000) == ["romeo 0 true [0]"])
        #expect(changes.takeDropped() == 0)
    }

    @Test("when too many wait, further changes are counted, told to nobody and not remembered")
    func bound() {
        var changes = PresenceChanges(settleMilliseconds: 1_000, maximum: 1)
        self.come(&changes, 0, at: 0)
        changes.opened(UserID(rawValue: 8), UserName("juliet")!, flag: 0, at: Self.start)
        #expect(changes.isOnline(UserID(rawValue: 8)))
        changes.ended(UserID(rawValue: 8), flag: 0, at: Self.start)
        #expect(changes.takeDropped() == 2 && changes.takeDropped() == 0)
        #expect(changes.count == 1)
        #expect(self.told(&changes, at: 1_000) == ["romeo 0 true [0]"])
        changes.opened(UserID(rawValue: 8), UserName("juliet")!, flag: 0, at: Self.start)
        #expect(self.told(&changes, at: 2_000) == ["juliet 0 true [0]"])
    }

    @Test("the end of a session that was never seen is nothing")
    func unknown() {
        var changes = PresenceChanges(settleMilliseconds: 0)
        self.go(&changes, 0, at: 0)
        #expect(changes.count == 0 && self.told(&changes, at: 1) == [])
    }

    @Test(
        "of several devices the phone is shown, then the computer, then the web page",
        arguments: [([0, 1, 2], 0), ([1, 2], 2), ([1], 1), ([], nil)] as [([Int], Int?)])
    func shown(_ flags: [Int], _ shown: Int?) {
        #expect(ShownDevice.flag(of: flags) == shown)
    }
}
