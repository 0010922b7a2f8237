extension Puller {
    /// Seconds of work that are fetched again after a crash at most.
    private static let entriesPerSync = 64

    /// Fetches the contents that are not here yet.
    func pullFiles() throws(PullError) {
        try self.folder.files.merge()
        var (all, bytes, unsized) = (Int64(0), Int64(0), Int64(0))
        let wanted = self.folder.classTable("_File")
        try wanted.forEach { line throws(PullError) in
            guard let row = Row(line: line), let plan = FilePlan(row) else { return }
            all += 1
            bytes += max(0, plan.size ?? 0)
            if plan.size == nil { unsized += 1 }
        }
        self.report.files.there = all
        let fetchers = ContentFetchers(self.options, isSourcePrivate: self.api.isPrivate, self.cancellation)
        defer { fetchers.stop() }
        let log = try OutputFile.appending(self.folder.files.logPath)
        var progress = PullProgress(.files, count: 0)
        var unsynced = 0
        func takeEntries(_ entries: [FileEntry]) throws(PullError) {
            for entry in entries {
                try log.write(line: entry.line)
                progress.count += 1
                progress.bytes += entry.bytes
                unsynced += 1
            }
            if unsynced >= Self.entriesPerSync {
                try log.sync()
                unsynced = 0
            }
            progress.share =
                bytes > 0 && unsized == 0
                ? min(1, Double(progress.bytes) / Double(bytes)) : Double(progress.count) / Double(max(1, all))
            if !entries.isEmpty { self.tell(.progress(progress)) }
        }
        try self.forEachOpen { plan, entry throws(PullError) in
            if let entry {
                progress.count += 1
                progress.bytes += entry.bytes
            } else {
                try takeEntries(try fetchers.add(plan))
            }
        }
        while let entries = try fetchers.finish() { try takeEntries(entries) }
        try log.finish()
        try self.folder.files.merge()
        try self.noteBadFiles()
    }

    /// Walks through the rows of `_File` beside what is known of each.
    ///
    /// - Parameter body: is given the entry of a content that is here, `nil` for one to be fetched.
    private func forEachOpen(
        _ body: (FilePlan, FileEntry?) throws(PullError) -> Void
    ) throws(PullError) {
        let known = try LineReader(self.folder.files.path)
        var entry: FileEntry?
        func advance() throws(PullError) { entry = try known?.next().flatMap { FileEntry(line: $0) } }
        try advance()
        try self.folder.classTable("_File").forEach { line throws(PullError) in
            guard let row = Row(line: line), let plan = FilePlan(row) else { return }
            while let least = entry, least.objectID.utf8.lexicographicallyPrecedes(plan.objectID.utf8) { try advance() }
            guard let found = entry, found.objectID == plan.objectID, found.url == plan.url, found.isHere,
                Disk.size(self.options.folder + "/" + found.path) == found.bytes
            else { return try body(plan, nil) }
            try body(plan, found)
        }
    }

    private func noteBadFiles() throws(PullError) {
        self.report.badFileCount = 0
        self.report.badFiles = []
        try self.folder.files.forEach { line throws(PullError) in
            guard let entry = FileEntry(line: line), entry.state != .saved else { return }
            self.report.badFileCount += 1
            guard self.report.badFiles.count < PullReport.maximumNamed else { return }
            self.report.badFiles.append("\(entry.objectID): \(entry.state.rawValue), \(entry.why)")
        }
    }
}
