import ByteCodec
package import ChatModel
import LeanCloudImport
import LeanCloudPull

/// Way by which an import reaches the store: of a stopped server, or through the socket of one that runs.
package protocol ImportDestination {
    associatedtype Failure: Error

    /// Begins an import of this app, or goes on with the one that is under way.
    mutating func begin(origin: String) throws(Failure)
    /// Brings lines.
    mutating func send(_ batch: ImportBatch) throws(Failure) -> ImportBatchOutcome
    /// Brings a content, of which nothing is known yet.
    mutating func bring(_ content: ImportContent) throws(Failure) -> ImportedContent
    /// Outcome that lines would have; nothing changes.
    ///
    /// - Parameter expected: conversations that other lines would make.
    mutating func foresee(
        _ batch: ImportBatch, expecting expected: Set<ObjectID>
    ) throws(Failure) -> ImportBatchOutcome
    /// Marks what came as read and ends the import.
    ///
    /// - Parameter counts: JSON text of an object.
    mutating func finish(counts: String) throws(Failure)
}

/// How an import of a folder went.
package struct ImportReport: Sendable {
    /// App at the source.
    package var origin = ""
    /// Counts of each table that has rows.
    package var tables: [(table: ImportTable, counts: ImportCounts)] = []
    /// Files of the folder that are not imported, with what they hold.
    package var left: [(path: String, rows: Int64)] = []

    package init() {}

    /// Rows that could not be brought.
    package var refused: Int64 { self.tables.reduce(0) { $0 + $1.counts.refused } }

    /// JSON text of an object, as it stands in the list of imports and in the audit log.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for (table, counts) in self.tables {
            json.key(table.rawValue)
            json.beginObject()
            for (name, value) in Self.members(counts) {
                json.key(name)
                json.integer(value)
            }
            json.endObject()
        }
        if !self.left.isEmpty {
            json.key("left")
            json.beginObject()
            for (path, rows) in self.left {
                json.key(path)
                json.integer(rows)
            }
            json.endObject()
        }
        json.endObject()
        return json.bytes
    }

    private static func members(_ counts: ImportCounts) -> [(String, Int64)] {
        [
            ("rows", counts.rows), ("added", counts.added), ("changed", counts.changed), ("known", counts.known),
            ("kept", counts.kept), ("refused", counts.refused),
        ]
    }
}

/// Why an import ended before it was whole. What was brought until then stays, and the same command goes on from there.
package enum ImportError<Failure: Error>: Error {
    /// The folder is not one that a pull wrote, or is not whole.
    case noFolder(String)
    /// A file of it cannot be read.
    case unreadable(String)
    case destination(Failure)
}

/// Kind of server that a folder comes from.
package enum ImportSource: String, Sendable {
    case leanCloud = "leancloud"
    case wuKongIM = "wukongim"

    /// Command that writes such a folder.
    fileprivate var command: String {
        switch self {
        case .leanCloud: "leancloud pull"
        case .wuKongIM: "wukongim pull"
        }
    }

    fileprivate var kind: String {
        switch self {
        case .leanCloud: PulledFolder.leanCloud
        case .wuKongIM: PulledFolder.wuKongIM
        }
    }
}

/// Reads a folder that a pull wrote, and hands its rows to a store in the order in which they are needed. Holds one
/// batch of lines, and in a dry run the names of conversations.
package struct FolderImport<Destination: ImportDestination> {
    /// A remark about a line of a file.
    package typealias Tell = (_ path: String, _ line: Int64, _ remark: ImportRemark) -> Void
    /// How many rows of a file were handed over.
    package typealias Progress = (_ table: ImportTable, _ rows: Int64) -> Void

    private let folder: String
    private let source: ImportSource
    private let isDryRun: Bool
    private var destination: Destination
    private var report = ImportReport()
    private var counts: [ImportTable: ImportCounts] = [:]
    private var expected: Set<ObjectID> = []
    private let contents: PulledContents
    private var pictures: AvatarFiles?
    private let tell: Tell
    private let progress: Progress

    package init(
        _ folder: String, of source: ImportSource = .leanCloud, isDryRun: Bool, through destination: Destination,
        tell: @escaping Tell,
        progress: @escaping Progress
    ) {
        self.folder = folder
        self.source = source
        self.contents = PulledContents(folder)
        self.isDryRun = isDryRun
        self.destination = destination
        self.tell = tell
        self.progress = progress
    }

    /// - Throws: what ended it; it can be run again.
    package mutating func run() throws(ImportError<Destination.Failure>) -> ImportReport {
        let files = try self.files()
        if !self.isDryRun {
            let origin = self.report.origin
            try self.passing { (destination) throws(Destination.Failure) in try destination.begin(origin: origin) }
        }
        let people = files.filter { $0.0 == .people }.map { "\(self.folder)/\($0.1)" }
        do throws(PullError) {
            self.pictures = try AvatarFiles(of: people, in: self.folder + "/classes/_File.jsonl")
        } catch {
            throw .unreadable("\(error)")
        }
        for (table, path) in files { try self.bring(table, path) }
        self.report.tables = ImportTable.allCases.compactMap { table in self.counts[table].map { (table, $0) } }
        if !self.isDryRun {
            let text = String(decoding: self.report.json, as: UTF8.self)
            try self.passing { (destination) throws(Destination.Failure) in try destination.finish(counts: text) }
        }
        return self.report
    }

    private mutating func passing<Value>(
        _ body: (inout Destination) throws(Destination.Failure) -> Value
    ) throws(ImportError<Destination.Failure>) -> Value {
        do throws(Destination.Failure) { return try body(&self.destination) } catch { throw .destination(error) }
    }

    // MARK: The folder

    /// Files that are not imported, as many as the report names: the list of imports keeps it.
    private static var mostLeft: Int { 50 }

    private static var leanCloudTables: [(ImportTable, String)] {
        [
            (.files, "classes/_File.jsonl"), (.people, "users/_User.jsonl"), (.people, "classes/_User.jsonl"),
            (.conversations, "classes/_Conversation.jsonl"), (.roles, "classes/_ConversationMemberInfo.jsonl"),
            (.subscribers, "subscribers.jsonl"), (.devices, "classes/_Installation.jsonl"),
        ]
    }

    /// Files to read, in order. The rest is named in the report.
    private mutating func files() throws(ImportError<Destination.Failure>) -> [(ImportTable, String)] {
        let found: PulledFolder?
        do throws(PullError) { found = try PulledFolder(self.folder, kind: self.source.kind) } catch {
            throw .unreadable("\(error)")
        }
        guard let manifest = found else {
            throw .noFolder(
                "\(self.folder) has no manifest.json: name the folder that `\(self.source.command)` wrote, whole")
        }
        self.report.origin = manifest.app
        let known: [(ImportTable, String)]
        switch self.source {
        case .wuKongIM:
            known = [
                (.users, "users.jsonl"), (.channels, "channels.jsonl"), (.channelMembers, "members.jsonl"),
                (.channelLists, "lists.jsonl"), (.channelMessages, "messages.jsonl"), (.positions, "positions.jsonl"),
            ]
        case .leanCloud: known = Self.leanCloudTables
        }
        var files = known.filter { file in manifest.tables.contains { $0.path == file.1 } }
        files += manifest.tables.map(\.path).filter { $0.hasPrefix("messages/") }.sorted().map { (.messages, $0) }
        let taken = Set(files.map(\.1)).union(["files.jsonl"])
        let left = manifest.tables.filter { !taken.contains($0.path) && $0.rows > 0 }
        self.report.left = left.prefix(Self.mostLeft).map { ($0.path, $0.rows) }
        return files
    }

    private mutating func bring(_ table: ImportTable, _ path: String) throws(ImportError<Destination.Failure>) {
        var batch = ImportBatch(table, [])
        var (bytes, first, number) = (0, Int64(1), Int64(0))
        let reader: LineReader
        do throws(PullError) {
            guard let found = try LineReader(self.folder + "/" + path) else {
                throw PullError.input(path: path, reason: "it is in the manifest and not in the folder")
            }
            reader = found
        } catch {
            throw .unreadable("\(error)")
        }
        while true {
            let line: [UInt8]?
            do throws(PullError) { line = try reader.next() } catch { throw .unreadable("\(error)") }
            guard var line else { break }
            number += 1
            if table == .people, let pictures { line = pictures.completed(line) }
            if table == .conversations, self.isDryRun, let id = ImportBatch.conversation(of: line) {
                self.expected.insert(id)
            }
            // A long line goes alone.
            if !batch.lines.isEmpty,
                bytes + line.count > ImportBatch.bytes || batch.lines.count >= ImportBatch.mostLines
            {
                try self.send(&batch, from: first, of: path)
                (bytes, first) = (0, number)
            }
            batch.lines.append(line)
            bytes += line.count
        }
        if !batch.lines.isEmpty { try self.send(&batch, from: first, of: path) }
    }

    private mutating func send(
        _ batch: inout ImportBatch, from first: Int64, of path: String
    ) throws(ImportError<Destination.Failure>) {
        let (lines, expected, isDryRun) = (batch, self.expected, self.isDryRun)
        var outcome = try self.passing { (destination) throws(Destination.Failure) in
            isDryRun ? try destination.foresee(lines, expecting: expected) : try destination.send(lines)
        }
        let before = self.counts[batch.table]?.rows ?? 0
        for index in outcome.wanted {
            try self.bringContent(of: batch.lines[index], at: index, &outcome)
            self.progress(batch.table, before + Int64(index) + 1)
        }
        self.counts[batch.table, default: ImportCounts()] += outcome.counts
        for remark in outcome.remarks.sorted(by: { $0.index < $1.index }) {
            self.tell(path, first + Int64(remark.index), remark)
        }
        self.progress(batch.table, self.counts[batch.table]?.rows ?? 0)
        batch.lines.removeAll(keepingCapacity: true)
    }
    // MARK: Contents

    /// Brings a file that waits for its content, one content at a time.
    private mutating func bringContent(
        of line: [UInt8], at index: Int, _ outcome: inout ImportBatchOutcome
    ) throws(ImportError<Destination.Failure>) {
        guard let id = ImportBatch.file(of: line) else { return outcome.refuse(index, RowProblem.noObject.description) }
        let found: PulledContents.Finding
        do throws(PullError) { found = try self.contents.find(id.text) } catch { throw .unreadable("\(error)") }
        let content: PulledContent
        switch found {
        case .missing(let why): return outcome.refuse(index, "its content is not in the folder: \(why)")
        case .here(let here): content = here
        }
        if let remark = content.remark {
            outcome.remarks.append(ImportRemark(index: index, text: remark, isRefusal: false))
        }
        guard !self.isDryRun else {
            outcome.counts.added += 1
            return
        }
        let isWhole: Bool
        do throws(PullError) { isWhole = try content.isWhole() } catch { throw .unreadable("\(error)") }
        guard isWhole, let wanted = ImportContent(content.path, bytes: content.bytes, of: line) else {
            return outcome.refuse(index, "its content is not what was saved: pull again, or restore the folder")
        }
        let brought = try self.passing { (destination) throws(Destination.Failure) in try destination.bring(wanted) }
        switch brought {
        case .refused(let why): outcome.refuse(index, why)
        case .brought(let key):
            var one = ImportBatch(.files, [line])
            one.contents = [key]
            let row = one
            var done = try self.passing { (destination) throws(Destination.Failure) in try destination.send(row) }
            // It was counted when it was asked for.
            done.counts.rows = 0
            outcome.add(done, from: index)
        }
    }
}
