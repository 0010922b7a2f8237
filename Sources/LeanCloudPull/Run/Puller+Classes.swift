import ByteCodec
import Glibc
import LeanCloudTranslation
import Transport

extension Puller {
    /// A cursor is good for ten minutes. Source: LeanCloud REST guide, "Iterate over objects".
    private static let cursorMilliseconds: Int64 = 9 * 60_000
    private static let mostRestarts: Int64 = 5
    /// Rows of one page.
    private static let largestPage = 1_000

    /// Pulls one class, unless this round has it already.
    ///
    /// - Returns: its line of the report; what is here is counted at the end.
    func pull(class name: String) throws(PullError) -> PullReport.Line {
        var line = PullReport.Line(name)
        line.isAsked = self.options.classes.contains(name)
        line.there = try self.api.count(name)
        guard !self.state.done.contains("class \(name)") else { return line }
        line.failure = try self.scan(name, there: line.there)
        if line.failure == nil {
            try self.takeTable(name)
            let odd = try self.countLines(self.folder.oddTable(name))
            let here = try self.countLines(self.folder.classTable(name))
            if let there = line.there, here + odd < there {
                // Rows came or went meanwhile, or a page was not whole: everything once more, beside what is here.
                line.there = try self.api.count(name)
                if here + odd < line.there ?? 0 {
                    line.failure = try self.scan(name, there: line.there)
                    try self.folder.classTable(name).merge()
                }
            }
        } else if !line.isAsked {
            // Many apps have no roles, no friends: that is no failure.
            line.failure = nil
            line.there = nil
        }
        // What failed is tried again when the round goes on.
        if line.failure == nil { self.state.done.insert("class \(name)") }
        self.state.scans[name] = nil
        try self.saveState()
        return line
    }

    private func countLines(_ table: SortedTable) throws(PullError) -> Int64 {
        try self.mergeOddRows()
        var count: Int64 = 0
        try table.forEach { _ throws(PullError) in count += 1 }
        return count
    }

    /// Reads all rows of a class into its log.
    ///
    /// - Returns: why that was not possible.
    private func scan(_ name: String, there: Int64?) throws(PullError) -> String? {
        let table = self.folder.classTable(name)
        var scan = self.state.scans[name] ?? PullState.Scan()
        if self.now - scan.cursorAt > Self.cursorMilliseconds { scan.cursor = nil }
        var log = try self.open(table, &scan)
        var limit = Self.largestPage
        var newest = self.state.changed[name] ?? 0
        while true {
            var path = "/1.1/scan/classes/\(name)?limit=\(limit)"
            if let cursor = scan.cursor { path += "&cursor=\(PercentEncoding.segment(cursor))" }
            let answer: SourceAPI.Answer
            do throws(PullError) {
                answer = try self.api.rows(path, what: "the rows of \(name)")
            } catch .refused(let what, let status, let text) {
                guard scan.cursor != nil else {
                    return PullError.refused(what: what, status: status, text: text).description
                }
                // The cursor is too old, or the source has forgotten it: from the beginning.
                scan.restarts += 1
                guard scan.restarts <= Self.mostRestarts else {
                    return "the source gave up the scan \(scan.restarts) times (HTTP \(status), \(text))"
                }
                scan.cursor = nil
                try log.finish()
                log = try self.open(table, &scan)
                continue
            }
            guard case .page(let page) = answer else {
                guard limit > 1 else { return "a row of more than \(SourceAPI.maximumBytes) bytes" }
                limit = max(1, limit / 4)
                continue
            }
            try page.forEach { row, bytes throws(PullError) in
                switch row {
                case .success(let row) where row.objectID != nil:
                    try log.write(line: row.line)
                    newest = max(newest, row.milliseconds("updatedAt") ?? 0)
                case .success: try self.noteOddity(.noID, bytes, of: name)
                case .failure(let oddity): try self.noteOddity(oddity, bytes, of: name)
                }
            }
            scan.rows += Int64(page.rows.count)
            let isOver = page.cursor == nil || (page.rows.isEmpty && page.cursor == scan.cursor)
            scan.cursor = page.cursor
            scan.cursorAt = self.now
            try log.sync()
            try self.syncOddRows()
            self.state.scans[name] = scan
            self.state.changed[name] = newest
            let share = there.map { $0 > 0 ? min(1, Double(scan.rows) / Double($0)) : 1 }
            self.tell(.progress(PullProgress(.rows(of: name), count: scan.rows, share: share)))
            if isOver {
                try log.finish()
                return nil
            }
            try self.saveState()
        }
    }

    private func open(_ table: SortedTable, _ scan: inout PullState.Scan) throws(PullError) -> OutputFile {
        if scan.cursor != nil { return try OutputFile.appending(table.logPath) }
        scan.rows = 0
        return try OutputFile(table.logPath)
    }

    /// Makes the log of a whole scan the table; rows that were there before and are not any more go to their own.
    private func takeTable(_ name: String) throws(PullError) {
        let table = self.folder.classTable(name)
        let gone = self.folder.goneTable(name)
        let before = SortedTable(path: self.folder.work + "/before-\(name)", logPath: "", key: table.key)
        if Disk.size(before.path) == nil, Disk.size(table.path) != nil { try Disk.rename(table.path, to: before.path) }
        try table.merge(replaces: true)
        let log = try OutputFile(gone.logPath)
        let still = SortedTable(path: gone.path, logPath: "", key: gone.key)
        for old in [still, before] {
            try table.forEachMissing(of: old) { line throws(PullError) in try log.write(line: line) }
        }
        try log.finish()
        if log.count > 0 {
            try gone.merge(replaces: true)
        } else {
            try Disk.remove(gone.logPath)
            try Disk.remove(gone.path)
        }
        try Disk.remove(before.path)
    }

    /// Rows of a class that changed since some time, into the log of changes.
    ///
    /// - Returns: how many.
    func pullChanges(of name: String, since: Int64) throws(PullError) -> Int64 {
        let date = LeanCloudDates.text(max(0, since))
        let condition = #"{"updatedAt":{"$gte":{"__type":"Date","iso":""# + date + #""}}}"#
        let log = try OutputFile.appending(self.folder.classTable(name, isChange: true).logPath)
        var cursor: String?
        var count: Int64 = 0
        var newest = self.state.changed[name] ?? 0
        repeat {
            var path = "/1.1/scan/classes/\(name)?limit=\(Self.largestPage)&where=\(PercentEncoding.segment(condition))"
            if let cursor { path += "&cursor=\(PercentEncoding.segment(cursor))" }
            guard case .page(let page) = try self.api.rows(path, what: "the changes of \(name)") else { break }
            try page.forEach { row, bytes throws(PullError) in
                guard case .success(let row) = row, row.objectID != nil else { return }
                let changed = row.milliseconds("updatedAt") ?? 0
                if changed > self.state.changed[name] ?? 0 { count += 1 }
                newest = max(newest, changed)
                try log.write(line: row.line)
            }
            // A page may be empty in the middle: all of its rows are older.
            cursor = page.cursor == cursor ? nil : page.cursor
        } while cursor != nil
        try log.finish()
        self.state.changed[name] = newest
        return count
    }

    // MARK: The export of people

    /// Copies what the console exported: as it is, row by row.
    func takeExport(_ path: String) throws(PullError) {
        guard !self.state.done.contains("export") else { return }
        try Disk.makeFolder(self.options.folder + "/users")
        let table = self.folder.exportTable("_User")
        let log = try OutputFile(table.logPath)
        var splitters: [String: LeanCloudExportSplitter] = [:]
        var others: Set<String> = []
        var count: Int64 = 0
        func takeRows(_ rows: [LeanCloudExportSplitter.Row]) throws(PullError) {
            for row in rows {
                guard let text = row.text else {
                    throw .input(path: path, reason: "line \(row.line) is longer than \(Row.maximumBytes) bytes")
                }
                switch Row.read(text) {
                case .success(let row) where row.objectID != nil:
                    try log.write(line: row.line)
                    count += 1
                case .success: try self.noteOddity(.noID, text, of: "users")
                case .failure(let oddity): try self.noteOddity(oddity, text, of: "users")
                }
            }
        }
        try ArchiveReader(path).read { name, piece throws(PullError) in
            let file = name.split(separator: "/").last.map(String.init) ?? ""
            guard file.isEmpty || file == "_User" || file.hasPrefix("_User.") else {
                others.insert(file)
                return
            }
            var splitter = splitters[name] ?? LeanCloudExportSplitter(maximumBytes: Row.maximumBytes)
            splitters[name] = nil
            try takeRows(splitter.read(piece))
            splitters[name] = splitter
            self.tell(.progress(PullProgress(.export, count: count)))
        }
        for name in splitters.keys.sorted() {
            if var splitter = splitters[name] { try takeRows(splitter.end()) }
        }
        guard count > 0 else { throw .input(path: path, reason: "no row of _User is in it") }
        if !others.isEmpty {
            self.report.notes.append(
                "\(path) also holds \(others.sorted().prefix(10).joined(separator: ", ")), which are pulled from the source"
            )
        }
        try log.finish()
        try table.merge(replaces: true)
        self.state.done.insert("export")
        try self.saveState()
    }
}
