import ByteCodec
package import Execution
import Glibc
package import HTTPClient

/// Saves what an app keeps at LeanCloud into a folder. Blocks the thread that calls it; all state is in the folder, so
/// it may be killed at any moment and goes on from there.
package final class Puller {
    /// A round that was broken off so long ago begins anew: what it has is not one moment's any more.
    private static let roundMilliseconds: Int64 = 12 * 3_600_000

    let options: PullOptions
    let folder: PullFolder
    let api: SourceAPI
    let cancellation: HTTPCancellation
    let clock: Clock
    let tell: (PullEvent) -> Void
    var state: PullState
    var report = PullReport()
    /// Rows that are odd, by the name of what they are in, open to be added to.
    var oddFiles: [String: OutputFile] = [:]
    private let lock: FolderLock

    /// Opens the folder, and looks whether it is this app's.
    ///
    /// - Parameters:
    ///   - cancellation: ends everything at once; what is saved stays.
    ///   - tell: called on the thread of the pull.
    package init(
        _ options: PullOptions, _ cancellation: HTTPCancellation, clock: Clock = .system,
        tell: @escaping (PullEvent) -> Void
    ) throws(PullError) {
        self.options = options
        self.folder = PullFolder(path: options.folder)
        self.cancellation = cancellation
        self.clock = clock
        self.tell = tell
        self.api = try SourceAPI(options, cancellation, clock: clock, tell: tell)
        try self.folder.make()
        self.lock = try FolderLock(self.folder.lockPath, folder: options.folder)
        if let bytes = try Disk.read(self.folder.statePath) {
            self.state = try PullState(parsing: bytes, path: self.folder.statePath)
            guard self.state.app == options.app, self.state.source == options.source else {
                throw .otherSource(found: "app \(self.state.app) from \(self.state.source)")
            }
        } else {
            self.state = PullState(source: options.source, app: options.app)
        }
    }

    var now: Int64 { self.clock.wallMilliseconds() }

    /// One round: everything that is there now.
    ///
    /// - Returns: what was counted. The folder is whole when it returns, and as far as it came when it throws.
    package func run() throws(PullError) -> PullReport {
        if let began = self.state.roundBegan, self.now - began > Self.roundMilliseconds {
            self.state.roundBegan = nil
            self.state.done = []
            self.state.scans = [:]
            self.state.askedUpTo = nil
        }
        self.report = PullReport()
        self.report.notes = []
        if self.state.roundBegan == nil { self.state.roundBegan = self.now }
        try self.saveState()
        try self.checkKey()
        try Disk.write(
            Array(ReadMe.text(source: self.options.source, app: self.options.app).utf8),
            to: self.options.folder + "/README.txt")
        let names = self.options.classNames(listed: try self.listedClasses())
        if let users = self.options.users { try self.takeExport(users) }
        for name in names { self.report.classes.append(try self.pull(class: name)) }
        if self.options.messages {
            try self.step("history") { () throws(PullError) in try self.pullHistory() }
            try self.step("conversations") { () throws(PullError) in try self.pullConversations() }
            try self.step("subscribers") { () throws(PullError) in try self.pullSubscribers() }
        }
        if self.options.files { try self.pullFiles() }
        try self.finish()
        self.state.newest = [self.state.newest, self.state.walk.anchor?.timestamp].compactMap(\.self).max()
        self.state.walk = PullState.Walk()
        self.state.roundBegan = nil
        self.state.done = []
        self.state.scans = [:]
        self.state.askedUpTo = nil
        try self.saveState()
        return self.report
    }

    /// Does a part of the round, unless it is done already.
    private func step(_ name: String, _ body: () throws(PullError) -> Void) throws(PullError) {
        guard !self.state.done.contains(name) else { return }
        try body()
        self.state.done.insert(name)
        try self.saveState()
    }

    func saveState() throws(PullError) { try Disk.write(self.state.serialized, to: self.folder.statePath) }

    /// One request whose refusal says at once that app id or key are wrong.
    func checkKey() throws(PullError) { try self.api.checkKey() }

    /// Classes that the source lists; none when it has no such list. Source: LeanCloud REST guide, "Schemas".
    func listedClasses() throws(PullError) -> [String] {
        guard self.options.allClasses else { return [] }
        do throws(PullError) {
            let schemas = try self.api.value("/1.1/schemas", what: "the list of classes")
            return (schemas.object ?? []).map(\.name)
        } catch .refused(_, let status, let text) {
            self.report.notes.append(
                "the source does not list its classes (HTTP \(status), \(text)): name them with --class")
            return []
        }
    }

    // MARK: Odd rows

    func noteOddity(_ oddity: Row.Oddity, _ bytes: [UInt8], of name: String) throws(PullError) {
        if self.oddFiles[name] == nil {
            self.oddFiles[name] = try OutputFile.appending(self.folder.oddTable(name).logPath)
        }
        try self.oddFiles[name]?.write(line: OddRow(oddity, bytes).line)
    }

    func syncOddRows() throws(PullError) {
        for file in self.oddFiles.values { try file.sync() }
    }

    /// Brings odd rows into their tables.
    func mergeOddRows() throws(PullError) {
        for file in self.oddFiles.values { try file.finish() }
        self.oddFiles = [:]
        for name in self.folder.logs("odd") {
            try Disk.makeFolder(self.options.folder + "/odd")
            try self.folder.oddTable(name).merge()
        }
    }

    // MARK: The end of a round

    /// Brings what waits into tables, hashes everything and writes what it is.
    func finish() throws(PullError) {
        self.tell(.progress(PullProgress(.finishing, count: 0)))
        try self.mergeOddRows()
        for name in self.folder.logs("day") { try self.folder.dayTable(name).merge() }
        for name in self.folder.logs("change") { try self.folder.classTable(name, isChange: true).merge() }
        self.report.count(try self.folder.writeManifest(source: self.options.source, app: self.options.app))
        try Disk.write(self.report.json + [UInt8(ascii: "\n")], to: self.options.folder + "/report.json")
    }
}
