import Glibc
import Testing

@testable import Backup

@Suite("Which backups are kept") struct BackupKeepRuleTests {
    private let day: Int64 = 86_400_000

    /// Days before now of those that are kept of one backup each day for a year.
    private func kept(_ rule: BackupKeepRule) -> [Int64] {
        let now = 20_000 * self.day + 1
        let times = (0..<365).reversed().map { now - Int64($0) * self.day }
        let gone = Set(rule.superfluous(times, now: now))
        return times.indices.filter { !gone.contains($0) }.map { (now - times[$0]) / self.day }.sorted()
    }

    @Test("the newest, one of each day, one of each week")
    func rule() {
        var rule = BackupKeepRule()
        (rule.newest, rule.days, rule.weeks) = (2, 0, 0)
        #expect(self.kept(rule) == [0, 1])
        (rule.newest, rule.days) = (1, 5)
        #expect(self.kept(rule) == [0, 1, 2, 3, 4])
        (rule.days, rule.weeks) = (0, 3)
        let weeks = self.kept(rule)
        #expect(weeks.count == 3 && weeks[0] == 0 && weeks[2] - weeks[1] == 7 && weeks[1] <= 7)
        (rule.newest, rule.weeks) = (0, 0)
        #expect(self.kept(rule) == [0], "the newest stays whatever the rule says")
    }

    @Test("several of one day: the newest of them; one ahead of the clock stays")
    func oneDay() {
        var rule = BackupKeepRule()
        (rule.newest, rule.days, rule.weeks) = (1, 7, 0)
        let now = 20_000 * self.day + 1_000
        #expect(rule.superfluous([now - self.day - 20, now - self.day - 10, now - 20, now - 10], now: now) == [0, 2])
        #expect(rule.superfluous([now, now + 3 * self.day], now: now) == [])
        #expect(rule.superfluous([], now: now) == [])
    }

    @Test("removing leaves the others as they are")
    func prune() throws {
        let fixture = try BackupFixture()
        let first = try fixture.backup()
        let second = try fixture.backup()
        var rule = BackupKeepRule()
        (rule.newest, rule.days, rule.weeks) = (1, 0, 0)
        let shelf = BackupShelf(fixture.shelf.path)
        #expect(shelf.prune(rule, now: second.manifest.facts.atMilliseconds) == [first.path])
        #expect(fixture.names == [second.name])
        #expect(shelf.prune(rule, now: second.manifest.facts.atMilliseconds) == [])
    }
}
