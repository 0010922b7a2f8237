/// Backups that are kept.
package struct BackupKeepRule: Hashable, Sendable {
    /// Newest ones, at least 1.
    package var newest = 3
    /// Days of which the newest one of each is kept, with today.
    package var days: Int64 = 7
    /// Weeks of which the newest one of each is kept, with this one.
    package var weeks: Int64 = 4

    private static let dayMilliseconds: Int64 = 86_400_000

    package init() {}

    /// Tells which backups are not kept. A time ahead of the clock is kept.
    ///
    /// - Parameters:
    ///   - times: of the backups, rising, UTC milliseconds.
    ///   - now: UTC milliseconds.
    /// - Returns: indices of those that go.
    package func superfluous(_ times: [Int64], now: Int64) -> [Int] {
        var (days, weeks): (Set<Int64>, Set<Int64>) = ([], [])
        var gone: [Int] = []
        for (index, time) in times.enumerated().reversed() {
            let (day, today) = (time / Self.dayMilliseconds, now / Self.dayMilliseconds)
            // Day 0, a Thursday, is the fourth of its week.
            let (week, thisWeek) = ((day + 3) / 7, (today + 3) / 7)
            let isNewest = times.count - index <= max(1, self.newest) || day > today
            let isOfDay = today - day < self.days && days.insert(day).inserted
            let isOfWeek = thisWeek - week < self.weeks && weeks.insert(week).inserted
            if !isNewest && !isOfDay && !isOfWeek { gone.append(index) }
        }
        return gone.sorted()
    }
}

extension BackupShelf {
    /// Removes backups that a rule does not keep; a removal that is broken off leaves no backup behind.
    ///
    /// - Returns: the paths of those that were removed.
    package func prune(_ rule: BackupKeepRule, now: Int64) -> [String] {
        let all = self.all
        var removed: [String] = []
        for index in rule.superfluous(all.map(\.manifest.facts.atMilliseconds), now: now) {
            if BackupShelf.remove(all[index].path) { removed.append(all[index].path) }
        }
        return removed
    }
}
