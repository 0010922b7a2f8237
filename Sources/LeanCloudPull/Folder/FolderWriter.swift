/// Writes the folder that a pull writes, from rows that somebody else has: the same files, in the same order, with the
/// same manifest. Confined to one thread; a folder that was broken off is of no use and is begun anew.
package final class FolderWriter {
    /// Bytes of messages that are sorted in memory at once.
    private static let sortBytes = 64 * 1024 * 1024

    private let folder: PullFolder
    private let source: String
    private let app: String
    private let command: String
    private let lock: FolderLock
    private let messages: OutputFile
    private var tables: [String: (table: SortedTable, log: OutputFile)] = [:]
    private var classes: [String] = []
    private var counts: [String: Int64] = [:]
    /// Report of the folder; counted by `finish`.
    private var report = PullReport()

    /// Makes the folder.
    ///
    /// - Parameters:
    ///   - source: where the rows are from, for the manifest.
    ///   - command: for the folder's own page.
    /// - Throws: `notEmpty` for a folder that holds something.
    package init(_ path: String, source: String, app: String, command: String) throws(PullError) {
        guard Disk.names(in: path).isEmpty else { throw .notEmpty(path: path) }
        self.folder = PullFolder(path: path)
        self.source = source
        self.app = app
        self.command = command
        try self.folder.make()
        self.lock = try FolderLock(self.folder.lockPath, folder: path)
        self.messages = try OutputFile(self.folder.everyMessage.logPath)
    }

    // MARK: Rows

    private func add(_ line: [UInt8], to name: String, _ table: @autoclosure () -> SortedTable) throws(PullError) {
        if let open = self.tables[name] {
            try open.log.write(line: line)
        } else {
            let made = table()
            let log = try OutputFile(made.logPath)
            self.tables[name] = (made, log)
            try log.write(line: line)
        }
        self.counts[name, default: 0] += 1
    }

    /// Begins a class, which is there even when it has no rows.
    package func begin(class name: String) throws(PullError) {
        let table = self.folder.classTable(name)
        self.tables["class " + name] = (table, try OutputFile(table.logPath))
        self.classes.append(name)
    }

    /// Adds a row of a class: one JSON object without a line end. One whose object id could be no name of a file is kept
    /// among the odd rows, as by a pull.
    package func add(row: [UInt8], of name: String) throws(PullError) {
        guard Row(line: row)?.objectID != nil else {
            self.counts["class " + name, default: 0] += 1
            return try self.add(odd: row, of: name)
        }
        try self.add(row, to: "class " + name, self.folder.classTable(name))
    }

    private func add(odd row: [UInt8], of name: String) throws(PullError) {
        try Disk.makeFolder(self.folder.path + "/odd")
        try self.add(OddRow(.noID, row).line, to: "odd " + name, self.folder.oddTable(name))
    }

    /// Adds a person as LeanCloud exports one, with the password's hash.
    package func add(exportedUser row: [UInt8]) throws(PullError) {
        guard Row(line: row)?.objectID != nil else { return try self.add(odd: row, of: "users") }
        if self.tables["users"] == nil { try Disk.makeFolder(self.folder.path + "/users") }
        try self.add(row, to: "users", self.folder.exportTable("_User"))
    }

    /// Adds a listener of a system conversation.
    package func add(subscriber row: [UInt8]) throws(PullError) {
        try self.add(row, to: "subscribers", self.folder.subscribers)
    }

    /// Adds a message; they may come in any order.
    package func add(message row: [UInt8]) throws(PullError) { try self.messages.write(line: row) }

    /// Adds something to know that is no failure.
    package func add(note: String) { self.report.notes.append(note) }

    // MARK: Contents

    /// Writes the content of a file.
    ///
    /// - Parameters:
    ///   - row: of the class `_File`.
    ///   - next: the next bytes of the content, none at the end; `nil` for a content that cannot be read, with the reason.
    package func add(
        contentOf row: [UInt8], next: () -> Result<[UInt8], ContentFailure>
    ) throws(PullError) {
        guard let plan = Row(line: row).flatMap({ FilePlan($0) }) else { return }
        var entry = FileEntry(plan, .saved)
        entry.path = plan.path
        let path = self.folder.path + "/" + plan.path
        if let slash = path.lastIndex(of: "/") { try Disk.makeFolder(String(path[..<slash])) }
        let file = try OutputFile(path)
        let digest = Digest(.sha256)
        reading: while true {
            switch next() {
            case .success(let bytes):
                if bytes.isEmpty { break reading }
                digest.update(bytes)
                try file.write(bytes)
            case .failure(let failure):
                try file.finish()
                try Disk.remove(path)
                entry = FileEntry(plan, failure.isGone ? .gone : .failed, why: failure.reason)
                return try self.add(failed: entry)
            }
        }
        entry.bytes = file.count
        entry.sha256 = digest.finish()
        try file.finish()
        try self.add(entry.line, to: "files", self.folder.files)
    }

    private func add(failed entry: FileEntry) throws(PullError) {
        self.report.badFileCount += 1
        if self.report.badFiles.count < PullReport.maximumNamed {
            self.report.badFiles.append("\(entry.objectID): \(entry.state.rawValue), \(entry.why)")
        }
        try self.add(entry.line, to: "files", self.folder.files)
    }

    // MARK: The end

    /// Sorts, hashes and counts; the folder is whole when it returns.
    package func finish() throws(PullError) -> PullReport {
        for (table, log) in self.tables.values {
            try log.finish()
            try table.merge(replaces: true)
        }
        try self.writeDays()
        try Disk.write(
            Array(ReadMe.text(source: self.source, app: self.app, by: self.command).utf8),
            to: self.folder.path + "/README.txt")
        self.report.classes = self.classes.map { PullReport.Line($0) }
        self.report.count(try self.folder.writeManifest(source: self.source, app: self.app))
        self.report.files.there = self.counts["files"]
        for index in self.report.classes.indices {
            let name = "class " + self.report.classes[index].name
            self.report.classes[index].there = self.counts[name] ?? 0
        }
        try Disk.write(self.report.json + [UInt8(ascii: "\n")], to: self.folder.path + "/report.json")
        return self.report
    }

    /// Sorts all messages at once and parts them into days: of those that come conversation by conversation each day's
    /// file would be opened once for each.
    private func writeDays() throws(PullError) {
        try self.messages.finish()
        let all = self.folder.everyMessage
        try all.merge(replaces: true, chunkBytes: Self.sortBytes)
        var day = ""
        var file: OutputFile?
        try all.forEach { line throws(PullError) in
            guard let row = Row(line: line), let key = try? MessageKey(row) else { return }
            let today = LeanCloudPull.day(ofMilliseconds: key.timestamp)
            if today != day || file == nil {
                try file?.finish()
                file = try OutputFile(self.folder.dayTable(today).path)
                day = today
            }
            try file?.write(line: line)
        }
        try file?.finish()
        try Disk.remove(all.path)
    }
}

/// Reason why a content cannot be written.
package struct ContentFailure: Error, Hashable, Sendable {
    /// Reason, for people.
    package var reason: String
    /// True when there is none, and never will be.
    package var isGone: Bool

    package init(_ reason: String, isGone: Bool = false) {
        self.reason = reason
        self.isGone = isGone
    }
}
