/// Lines in the order of their keys, each key once, and a log of what is to be in it next.
///
/// Whatever order and however often rows come, across restarts too, the table that comes of them is the same: that is what
/// makes a pull that was killed end as one that was not. Memory stays below `chunkBytes` and some, whatever the size.
struct SortedTable {
    typealias KeyOf = (_ line: [UInt8]) -> [UInt8]?

    /// Bytes of lines that are sorted in memory at once.
    static let chunkBytes = 16 * 1024 * 1024

    let path: String
    let logPath: String
    /// Sort key of a line; lines without one are left out.
    let key: KeyOf

    /// Brings what is in the log into the table; of one key the line that was written last stays.
    ///
    /// - Parameter replaces: the log is the whole table; what else was there goes.
    func merge(replaces: Bool = false, chunkBytes: Int = SortedTable.chunkBytes) throws(PullError) {
        guard Disk.size(self.logPath) != nil else { return }
        let runs = try self.sortedRuns(chunkBytes)
        var sources: [Source] = []
        if !replaces, let old = try LineReader(self.path) { sources.append(try Source(old, self.key)) }
        for run in runs {
            if let reader = try LineReader(run) { sources.append(try Source(reader, self.key)) }
        }
        let temporary = self.logPath + ".table"
        let output = try OutputFile(temporary)
        while let line = try Self.takeNext(of: sources) { try output.write(line: line) }
        try output.finish()
        try Disk.rename(temporary, to: self.path)
        for run in runs { try Disk.remove(run) }
        try Disk.remove(self.logPath)
    }

    /// The smallest line of all; of one key that of the last source. All of the same key go.
    private static func takeNext(of sources: [Source]) throws(PullError) -> [UInt8]? {
        var smallest: [UInt8]?
        var line: [UInt8] = []
        for source in sources {
            guard let key = source.key else { continue }
            if let least = smallest, least.lexicographicallyPrecedes(key) { continue }
            smallest = key
            line = source.line
        }
        guard let smallest else { return nil }
        for source in sources where source.key == smallest { try source.advance() }
        return line
    }

    /// Files with the lines of the log, each sorted; later ones hold later lines.
    private func sortedRuns(_ chunkBytes: Int) throws(PullError) -> [String] {
        guard let log = try LineReader(self.logPath) else { return [] }
        var runs: [String] = []
        var lines: [(key: [UInt8], line: [UInt8])] = []
        var bytes = 0
        func writeRun() throws(PullError) {
            let path = "\(self.logPath).run\(runs.count)"
            let output = try OutputFile(path)
            // The order of lines with one key stays.
            let order = lines.indices.sorted { left, right in
                if lines[left].key == lines[right].key { return left < right }
                return lines[left].key.lexicographicallyPrecedes(lines[right].key)
            }
            for (place, index) in order.enumerated() {
                let isLast = place + 1 == order.count || lines[order[place + 1]].key != lines[index].key
                if isLast { try output.write(line: lines[index].line) }
            }
            try output.finish()
            runs.append(path)
            lines.removeAll(keepingCapacity: true)
            bytes = 0
        }
        while let line = try log.next() {
            guard let key = self.key(line) else { continue }
            lines.append((key, line))
            bytes += line.count + key.count + 128
            if bytes >= chunkBytes { try writeRun() }
        }
        if !lines.isEmpty { try writeRun() }
        return runs
    }

    /// One sorted file on its way into the table.
    private final class Source {
        private let reader: LineReader
        private let keyOf: KeyOf
        private(set) var key: [UInt8]?
        private(set) var line: [UInt8] = []

        init(_ reader: LineReader, _ keyOf: @escaping KeyOf) throws(PullError) {
            self.reader = reader
            self.keyOf = keyOf
            try self.advance()
        }

        func advance() throws(PullError) {
            while let line = try self.reader.next() {
                guard let key = self.keyOf(line) else { continue }
                (self.key, self.line) = (key, line)
                return
            }
            self.key = nil
        }
    }

    /// Gives every line of the table, in its order.
    func forEach(_ body: (_ line: [UInt8]) throws(PullError) -> Void) throws(PullError) {
        guard let reader = try LineReader(self.path) else { return }
        while let line = try reader.next() { try body(line) }
    }

    /// Gives the lines of another table whose keys are not in this one.
    func forEachMissing(
        of other: SortedTable, _ body: (_ line: [UInt8]) throws(PullError) -> Void
    ) throws(PullError) {
        guard let theirs = try LineReader(other.path) else { return }
        let own = try LineReader(self.path)
        var mine: [UInt8]?
        func advance() throws(PullError) { mine = try own?.next().flatMap { self.key($0) } }
        try advance()
        while let line = try theirs.next() {
            guard let key = other.key(line) else { continue }
            while let least = mine, least.lexicographicallyPrecedes(key) { try advance() }
            if mine != key { try body(line) }
        }
    }
}
