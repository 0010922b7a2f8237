package import HTTPClient

extension Puller {
    /// How often what is asked for while the app goes on there.
    private enum Pace {
        static let classesMilliseconds: Int64 = 30_000
        /// Messages of the last half hour, for edits and recalls.
        static let recentEveryMilliseconds: Int64 = 60_000
        static let recentMilliseconds: Int64 = 30 * 60_000
        /// Everything once more, with `overlapHours` of history: rows that were deleted, files that were gone.
        static let roundMilliseconds: Int64 = 3_600_000
        /// Allowance, milliseconds, for the difference of several machines' clocks and for messages on their way.
        static let graceMilliseconds: Int64 = 2 * 60_000
    }

    /// Goes on after a first round until somebody says stop, and leaves the folder whole.
    ///
    /// - Parameter wish: to stop; what is under way is finished first.
    package func follow(until wish: HTTPCancellation) throws(PullError) -> PullReport {
        var (classesAt, recentAt, roundAt) = (self.now, self.now, self.now)
        while !wish.wait(milliseconds: Int64(self.options.followSeconds) * 1_000) {
            if self.now - roundAt >= Pace.roundMilliseconds {
                _ = try self.run()
                (classesAt, recentAt, roundAt) = (self.now, self.now, self.now)
                continue
            }
            var (messages, rows, files) = (Int64(0), Int64(0), Int64(0))
            let isLookingBack = self.now - recentAt >= Pace.recentEveryMilliseconds
            messages = try self.catchUp(
                by: isLookingBack ? Pace.recentMilliseconds : Pace.graceMilliseconds)
            if isLookingBack { recentAt = self.now }
            if self.now - classesAt >= Pace.classesMilliseconds {
                (rows, files) = try self.followClasses()
                classesAt = self.now
            }
            self.tell(.followed(messages: messages, rows: rows, files: files))
        }
        // Edits and recalls of what is older, once more: nobody may look again before the source closes.
        _ = try self.catchUp(by: self.overlapMilliseconds)
        _ = try self.followClasses()
        return try self.close()
    }

    /// Messages since the newest one, and those of some time before it for what was changed.
    ///
    /// - Returns: how many are newer than the newest.
    private func catchUp(by milliseconds: Int64) throws(PullError) -> Int64 {
        guard self.options.messages else { return 0 }
        let newest = self.state.newest ?? 0
        let since = max(self.options.since, newest - milliseconds)
        let writer = DayWriter(self.folder, day: nil, mergesDays: false)
        var new: Int64 = 0
        var last = newest
        _ = try self.follow(HistoryWalk(.app, since: since), writer) { keys, _ throws(PullError) in
            new += Int64(keys.count { $0.timestamp > newest })
            last = max(last, keys.last?.timestamp ?? 0)
            return true
        }
        try writer.finish()
        try self.syncOddRows()
        if last > newest {
            self.state.newest = last
            try self.saveState()
        }
        return new
    }

    /// - Returns: changed rows, and files among them.
    private func followClasses() throws(PullError) -> (rows: Int64, files: Int64) {
        var (rows, files) = (Int64(0), Int64(0))
        for name in self.options.classNames() {
            guard let known = self.state.changed[name] else { continue }
            let count: Int64
            do throws(PullError) {
                count = try self.pullChanges(of: name, since: known - Pace.graceMilliseconds)
            } catch .refused {
                continue
            }
            rows += count
            if name == "_File" { files = count }
        }
        try self.saveState()
        if files > 0, self.options.files {
            try self.folder.classTable("_File", isChange: true).merge()
            try self.pullFiles()
        }
        return (rows, files)
    }

    /// Sorts and hashes what came, and counts here and there.
    private func close() throws(PullError) -> PullReport {
        self.report = PullReport()
        for name in self.options.classNames() {
            var line = PullReport.Line(name)
            line.isAsked = self.options.classes.contains(name)
            line.there = self.state.changed[name] == nil ? nil : try self.api.count(name)
            self.report.classes.append(line)
        }
        for name in self.folder.logs("change") { try self.folder.classTable(name, isChange: true).merge() }
        if self.options.files { try self.pullFiles() }
        try self.finish()
        return self.report
    }
}
