import ByteCodec
import LeanCloudTranslation
import Transport

extension Puller {
    /// How long LeanCloud keeps history. Source: LeanCloud realtime guide, "History": 180 days.
    private static let keptMilliseconds: Int64 = 181 * 86_400_000

    var overlapMilliseconds: Int64 { Int64(self.options.overlapHours) * 3_600_000 }

    /// Reads the history of the whole app, from where the last round ended, and before that for what was changed since.
    func pullHistory() throws(PullError) {
        let since =
            self.state.newest.map { max(self.options.since, $0 - self.overlapMilliseconds) } ?? self.options.since
        let walk = HistoryWalk(.app, since: since, anchor: self.state.walk.anchor)
        let writer = DayWriter(self.folder, day: self.state.walk.day)
        let until = self.now
        var first: Int64?
        var count: Int64 = 0
        let failure = try self.follow(walk, writer) { keys, walk throws(PullError) in
            first = first ?? keys.first?.timestamp
            count += Int64(keys.count)
            try self.syncOddRows()
            self.state.walk.anchor = walk.anchor
            self.state.walk.day = writer.day
            try self.saveState()
            let share = Self.share(of: walk.anchor?.timestamp, from: first, to: until)
            self.tell(.progress(PullProgress(.messages, count: count, share: share)))
            // An app that goes on is caught up with when what comes was said after we began.
            return walk.anchor.map { $0.timestamp < until } ?? true
        }
        try writer.finish()
        self.report.messages.failure = failure
    }

    private static func share(of time: Int64?, from first: Int64?, to end: Int64) -> Double? {
        guard let time, let first, end > first else { return nil }
        return min(1, max(0, Double(time - first) / Double(end - first)))
    }

    /// Walks through a history to its end.
    ///
    /// - Parameter page: after each page, whose rows are on the disk; false ends the walk.
    /// - Returns: why it could not go on to its end.
    func follow(
        _ beginning: HistoryWalk, _ writer: DayWriter,
        page done: ([MessageKey], HistoryWalk) throws(PullError) -> Bool = { (_, _) in true }
    ) throws(PullError) -> String? {
        var walk = beginning
        while true {
            guard case .page(let page) = try self.api.rows(walk.path, what: "the history") else {
                guard walk.shrink() else { return "a message of more than \(SourceAPI.maximumBytes) bytes" }
                continue
            }
            var keys: [MessageKey] = []
            try page.forEach { row, bytes throws(PullError) in
                let message: Row
                switch row {
                case .success(let row): message = row
                case .failure(let oddity): return try self.noteOddity(oddity, bytes, of: "messages")
                }
                let key: MessageKey
                do throws(Row.Oddity) { key = try MessageKey(message) } catch {
                    return try self.noteOddity(error, bytes, of: "messages")
                }
                keys.append(key)
                try writer.write(message.line, at: key.timestamp)
            }
            let step = walk.takeKeys(keys, rows: page.rows.count)
            try writer.sync()
            switch step {
            case .more: guard try done(keys, walk) else { return nil }
            case .end: return nil
            case .stuck(let reason): return reason
            }
        }
    }

    // MARK: Conversations by themselves

    /// Asks for the history of conversations that lack their last message, of system conversations, and of all when that
    /// is wanted.
    func pullConversations() throws(PullError) {
        let newest = try self.newestByConversation()
        let conversations = self.folder.classTable("_Conversation")
        var all: Int64 = 0
        try conversations.forEach { _ throws(PullError) in all += 1 }
        let writer = DayWriter(self.folder, day: nil)
        var (seen, refused) = (Int64(0), Int64(0))
        try conversations.forEach { line throws(PullError) in
            seen += 1
            guard let row = Row(line: line), let id = row.objectID else { return }
            if let done = self.state.askedUpTo, !done.utf8.lexicographicallyPrecedes(id.utf8) { return }
            let known = newest.times[ConversationTimes.key(id)]
            guard self.options.everyConversation || row.isTrue("sys") || self.lacks(row, known) else { return }
            let place: HistoryWalk.Place =
                row.isTrue("sys") ? .service(id) : row.isTrue("tr") ? .room(id) : .conversation(id)
            let since = self.options.everyConversation ? self.options.since : max(self.options.since, known ?? 0)
            do throws(PullError) {
                if try self.follow(HistoryWalk(place, since: since), writer) != nil { refused += 1 }
            } catch .refused {
                refused += 1
            }
            try writer.sync()
            try self.syncOddRows()
            self.state.askedUpTo = id
            try self.saveState()
            self.tell(
                .progress(PullProgress(.conversations, count: seen, share: Double(seen) / Double(max(1, all)))))
        }
        try writer.finish()
        if refused > 0 {
            self.report.notes.append("\(refused) conversations have no history of their own at the source")
        }
        for name in self.folder.logs("day") { try self.folder.dayTable(name).merge() }
        try self.noteLacking()
    }

    /// True when the last message named by a conversation's row is not here, and could still be at the source.
    private func lacks(_ row: Row, _ known: Int64?) -> Bool {
        guard let last = row.milliseconds("lm"), last >= self.options.since, last > self.now - Self.keptMilliseconds
        else { return false }
        return known.map { $0 + 999 < last } ?? true
    }

    private func noteLacking() throws(PullError) {
        let newest = try self.newestByConversation()
        try self.folder.classTable("_Conversation").forEach { line throws(PullError) in
            guard let row = Row(line: line), let id = row.objectID,
                self.lacks(row, newest.times[ConversationTimes.key(id)])
            else { return }
            self.report.lackingCount += 1
            if self.report.lacking.count < PullReport.maximumNamed { self.report.lacking.append(id) }
        }
    }

    private func newestByConversation() throws(PullError) -> ConversationTimes {
        var newest = ConversationTimes()
        for day in self.folder.days {
            try self.folder.dayTable(day).forEach { line throws(PullError) in
                guard let row = Row(line: line), let key = try? MessageKey(row) else { return }
                newest.noteKey(key)
            }
        }
        return newest
    }

    // MARK: Subscribers

    /// Fetches the subscribers of each system conversation. Source: LeanCloud realtime REST guide v2, "Subscribers":
    /// pages of 50, and `client_id` of the last one for the next.
    func pullSubscribers() throws(PullError) {
        let table = self.folder.subscribers
        let log = try OutputFile(table.logPath)
        var count: Int64 = 0
        var refused = 0
        try self.folder.classTable("_Conversation").forEach { line throws(PullError) in
            guard let row = Row(line: line), let id = row.objectID, row.isTrue("sys") else { return }
            var last: String?
            while true {
                var path = "/1.2/rtm/service-conversations/\(PercentEncoding.segment(id))/subscribers?limit=50"
                if let last { path += "&client_id=\(PercentEncoding.segment(last))" }
                var names: [String] = []
                do throws(PullError) {
                    guard case .page(let page) = try self.api.rows(path, what: "subscribers") else { break }
                    try page.forEach { row, bytes throws(PullError) in
                        guard case .success(let row) = row, let name = row.string("subscriber"),
                            row.string("conv_id") != nil
                        else { return try self.noteOddity(.noID, bytes, of: "subscribers") }
                        names.append(name)
                        try log.write(line: row.line)
                    }
                } catch .refused {
                    refused += 1
                    break
                }
                count += Int64(names.count)
                self.tell(.progress(PullProgress(.subscribers, count: count)))
                guard let end = names.last, end != last else { break }
                last = end
            }
        }
        try log.finish()
        if refused > 0 { self.report.notes.append("\(refused) system conversations do not tell their subscribers") }
        if log.count > 0 || Disk.size(table.path) != nil { try table.merge(replaces: true) }
        try Disk.remove(table.logPath)
    }
}

/// The time of the newest message of each conversation, by a hash of its id: 16 bytes for each.
struct ConversationTimes {
    private(set) var times: [UInt64: Int64] = [:]

    static func key(_ id: String) -> UInt64 {
        // FNV-1a; two of a million conversations share a key once in ten million apps.
        id.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    mutating func noteKey(_ key: MessageKey) {
        let conversation = Self.key(key.conversation)
        self.times[conversation] = max(self.times[conversation] ?? 0, key.timestamp)
    }
}

/// Writes messages into the logs of their days, one day after the other. A day that is left is brought into its table.
final class DayWriter {
    private let folder: PullFolder
    private(set) var day: String?
    private var file: OutputFile?
    /// True when a finished day is sorted at once; otherwise it waits.
    private let mergesDays: Bool

    /// - Parameter day: the day whose log may be there already.
    init(_ folder: PullFolder, day: String?, mergesDays: Bool = true) {
        self.folder = folder
        self.day = day
        self.mergesDays = mergesDays
    }

    func write(_ line: [UInt8], at time: Int64) throws(PullError) {
        let today = LeanCloudPull.day(ofMilliseconds: time)
        if today != self.day || self.file == nil {
            if today != self.day { try self.leave() }
            self.day = today
            self.file = try OutputFile.appending(self.folder.dayTable(today).logPath)
        }
        try self.file?.write(line: line)
    }

    func sync() throws(PullError) { try self.file?.sync() }

    private func leave() throws(PullError) {
        try self.file?.finish()
        self.file = nil
        if self.mergesDays, let day = self.day { try self.folder.dayTable(day).merge() }
    }

    func finish() throws(PullError) {
        try self.leave()
        self.day = nil
    }
}
