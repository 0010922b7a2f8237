import Glibc

/// The files of the log: appends groups of records, each with one sync, and uses segments again.
///
/// A new instance has read what a former run left (`recovered`). It takes records after `beginRun`, which the owner calls
/// once all of that is in the database and committed. Confined to one thread at a time: see `LogThread`.
package final class SegmentedLog {
    /// Sizes; tests make them small.
    package struct Sizes: Hashable, Sendable {
        /// Bytes of a segment, a multiple of `LogFormat.pageBytes`.
        package var segmentBytes: Int
        /// Most segments, at least 2.
        package var segments: Int

        package init(segmentBytes: Int = LogFormat.segmentBytes, segments: Int = LogFormat.maximumSegments) {
            precondition(segmentBytes % LogFormat.pageBytes == 0 && segments >= 2)
            self.segmentBytes = segmentBytes
            self.segments = segments
        }
    }

    private enum SegmentState: Hashable {
        /// Nothing in it counts.
        case free
        /// It is full; the database does not hold everything up to this position yet.
        case sealed(last: UInt64)
        /// Groups are appended to it.
        case current
    }

    private enum State: Hashable {
        /// Records come after `beginRun`.
        case notBegun
        case open
        /// Until the next run.
        case full
        /// For good.
        case failed(LogError)
    }

    private struct Segment {
        let file: Int
        var state = SegmentState.free
        /// Bytes from the start that may be other than zero.
        var usedBytes: Int
    }

    private let disk: any LogDisk
    private let sizes: Sizes
    private(set) package var owner: LogOwner
    /// Records found at the start, and the state of their end.
    package let recovered: RecoveredLog
    private var segments: [Segment] = []
    private var current: Int?
    /// Where the next group begins in the current segment.
    private var offset = 0
    private var group: [UInt8] = []
    private var groupCount = 0
    /// Position that the next record gets.
    private var nextPosition: UInt64 = 0
    /// Newest position that is on the disk.
    private(set) package var synced: UInt64 = 0
    /// Groups that were written and synced.
    private(set) package var groups: Int64 = 0
    private var state = State.notBegun
    /// Segments are missing, and the operator accepts that: the files begin anew with the next run.
    private var mustRemake = false

    /// Reads what a former run has left behind.
    ///
    /// - Parameters:
    ///   - owner: the database, and the run that it knows of as the last one.
    ///   - applied: position up to which the database holds everything.
    ///   - expectedSegments: how many the database knows of; one less is a loss.
    ///   - acceptsDamage: goes on without what comes after damage, and without lost segments.
    /// - Throws: `damaged`, `segmentLost`, `gap`, `foreign`, `newerThanDatabase`, `unreadable`; `failed`.
    package init(
        _ disk: any LogDisk, owner: LogOwner, applied: UInt64, expectedSegments: Int = 0, acceptsDamage: Bool = false,
        sizes: Sizes = Sizes()
    ) throws(LogError) {
        self.disk = disk
        self.sizes = sizes
        self.owner = owner
        var recovery = LogRecovery(owner: owner, applied: applied, acceptsDamage: acceptsDamage)
        var opened: [Segment] = []
        do throws(LogError) {
            try Self.read(disk, sizes, expectedSegments, &recovery, &opened)
            self.recovered = try recovery.finish()
        } catch {
            for segment in opened { disk.close(segment.file) }
            throw error
        }
        self.segments = opened
        self.mustRemake = recovery.hasLostSegments
    }

    private static func read(
        _ disk: any LogDisk, _ sizes: Sizes, _ expected: Int, _ recovery: inout LogRecovery, _ opened: inout [Segment]
    ) throws(LogError) {
        let names = try disk.names()
        if names.contains(SegmentName.unfinished) { try disk.remove(SegmentName.unfinished) }
        let last = names.compactMap(SegmentName.number).max() ?? -1
        for number in 0..<max(last + 1, expected) {
            let name = SegmentName.of(number)
            guard names.contains(name) else {
                try recovery.noteLost(name)
                continue
            }
            let file = try disk.open(name)
            opened.append(Segment(file: file, usedBytes: sizes.segmentBytes))
            let bytes = try disk.read(file)
            if bytes.count != sizes.segmentBytes { try recovery.noteLost(name) }
            opened[opened.count - 1].usedBytes = Self.usedBytes(of: bytes)
            try recovery.scan(bytes, name)
        }
    }

    /// Bytes up to the last one that is not zero, in whole pages.
    private static func usedBytes(of bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            var end = bytes.count
            while end > 0 {
                let start = (end - 1) / LogFormat.pageBytes * LogFormat.pageBytes
                // Zeros alone: the first is one, and each is the same as the next.
                let page = base + start
                guard bytes[start] == 0, memcmp(page, page + 1, end - start - 1) == 0 else {
                    return LogFormat.wholePages(end)
                }
                end = start
            }
            return 0
        }
    }

    deinit { for segment in self.segments { self.disk.close(segment.file) } }

    /// Number of segments that exist.
    package var segmentCount: Int { self.segments.count }

    /// Bytes that records take in segments that cannot be used again yet.
    package var usedBytes: Int {
        self.segments.reduce(0) { bytes, segment in
            switch segment.state {
            case .free: bytes
            case .sealed: bytes + self.sizes.segmentBytes
            case .current: bytes + self.offset
            }
        }
    }

    // MARK: Runs

    /// Begins a run: nothing that was written before counts any more. Called at the start, and after the disk was full.
    ///
    /// - Parameters:
    ///   - run: higher than any before. The database has it, in the same commit as everything up to `position` or in a
    ///     later one.
    ///   - position: of the newest record that the database holds.
    /// - Throws: `failed`, again when the disk failed before.
    package func beginRun(_ run: UInt32, after position: UInt64) throws(LogError) {
        precondition(run > self.owner.run, "a run has a number of its own")
        if case .failed(let error) = self.state { throw error }
        if self.mustRemake { try self.removeSegments() }
        self.owner.run = run
        for index in self.segments.indices { self.segments[index].state = .free }
        self.current = nil
        self.offset = 0
        self.nextPosition = position + 1
        self.synced = position
        self.state = .open
    }

    private func removeSegments() throws(LogError) {
        for segment in self.segments { self.disk.close(segment.file) }
        self.segments = []
        for name in try self.disk.names() where SegmentName.number(of: name) != nil { try self.disk.remove(name) }
        try self.disk.syncFolder()
        self.mustRemake = false
    }

    // MARK: Appending

    /// Appends records and returns when all of them are on the disk: with one sync, or with one more where a segment ends.
    /// They get the positions behind the last ones.
    ///
    /// - Throws: `full`, and again until a new run begins: `synced` tells what is on the disk all the same, and counts
    ///   until then. `failed`, and again for good.
    package func append(_ batches: [LogBatch]) throws(LogError) {
        switch self.state {
        case .open: break
        case .notBegun: preconditionFailure("the log has not begun a run")
        case .full: throw .full
        case .failed(let error): throw error
        }
        do throws(LogError) {
            for batch in batches { try self.collect(batch) }
            try self.writeGroup()
        } catch {
            self.refuse(after: error)
            self.group.removeAll(keepingCapacity: true)
            self.groupCount = 0
            throw error
        }
    }

    private func refuse(after error: LogError) { self.state = error == .full ? .full : .failed(error) }

    private func collect(_ batch: LogBatch) throws(LogError) {
        for index in 0..<batch.count {
            let start = batch.starts[index]
            let end = batch.end(of: index)
            if self.groupCount == LogFormat.maximumGroupRecords || !self.hasRoom(for: end - start) {
                try self.writeGroup()
            }
            if !self.hasRoom(for: end - start) { try self.advance() }
            let place = self.group.count
            self.group.append(contentsOf: batch.bytes[start..<end])
            self.group.withUnsafeMutableBytes { group in
                RecordHeader.complete(
                    UnsafeMutableRawBufferPointer(rebasing: group[place...]), owner: self.owner,
                    position: self.nextPosition, place: self.groupCount)
            }
            self.nextPosition += 1
            self.groupCount += 1
        }
    }

    private func hasRoom(for bytes: Int) -> Bool {
        guard self.current != nil else { return false }
        return self.offset + LogFormat.wholePages(self.group.count + bytes) <= self.sizes.segmentBytes
    }

    /// Writes and syncs what was collected.
    private func writeGroup() throws(LogError) {
        guard self.groupCount > 0, let current = self.current else { return }
        let bytes = LogFormat.wholePages(self.group.count)
        self.group.append(contentsOf: repeatElement(0, count: bytes - self.group.count))
        let file = self.segments[current].file
        try self.group.withUnsafeBufferPointer { group throws(LogError) in
            try self.disk.write(UnsafeRawBufferPointer(group), to: file, at: self.offset)
        }
        self.offset += bytes
        self.segments[current].usedBytes = max(self.segments[current].usedBytes, self.offset)
        try self.disk.sync(file)
        self.synced = self.nextPosition - 1
        self.groups += 1
        self.group.removeAll(keepingCapacity: true)
        self.groupCount = 0
    }

    /// Goes on in another segment: a free one, or a new one.
    private func advance() throws(LogError) {
        if let current = self.current { self.segments[current].state = .sealed(last: self.synced) }
        self.current = nil
        let free = self.segments.firstIndex { $0.state == .free }
        let next = if let free { free } else { try self.makeSegment() }
        self.segments[next].state = .current
        self.current = next
        self.offset = 0
    }

    /// - Returns: its index.
    private func makeSegment() throws(LogError) -> Int {
        guard self.segments.count < self.sizes.segments else { throw .full }
        let file = try self.disk.create(SegmentName.unfinished)
        do throws(LogError) {
            // Not only allocated: a sync of blocks that were never written has to note that they are now.
            try self.fillWithZeros(file, upTo: self.sizes.segmentBytes)
            try self.disk.sync(file)
            try self.disk.rename(SegmentName.unfinished, to: SegmentName.of(self.segments.count))
            try self.disk.syncFolder()
        } catch {
            self.disk.close(file)
            // Its room is given back. When it cannot be removed either, the next start does it.
            try? self.disk.remove(SegmentName.unfinished)
            throw error
        }
        self.segments.append(Segment(file: file, usedBytes: 0))
        return self.segments.count - 1
    }

    private func fillWithZeros(_ file: Int, upTo count: Int) throws(LogError) {
        let zeros = [UInt8](repeating: 0, count: min(count, 65_536))
        for offset in stride(from: 0, to: count, by: zeros.count) {
            try zeros.withUnsafeBufferPointer { zeros throws(LogError) in
                let piece = UnsafeBufferPointer(rebasing: zeros[..<min(zeros.count, count - offset)])
                try self.disk.write(UnsafeRawBufferPointer(piece), to: file, at: offset)
            }
        }
    }

    /// Makes the first segment at a start, so that no message waits for it. Without room for one nothing happens.
    ///
    /// - Throws: `failed`.
    package func prepareFirst() throws(LogError) {
        guard self.state == .open, self.segments.isEmpty else { return }
        try self.makeAhead()
    }

    /// Makes the next segment ahead of its use, when the current one is more than half full and there is no free one.
    /// For a moment in which nothing waits: it writes a whole segment. Without room for one nothing happens.
    ///
    /// - Throws: `failed`.
    package func prepareSpare() throws(LogError) {
        guard self.state == .open, self.current != nil, self.offset > self.sizes.segmentBytes / 2,
            self.segments.count < self.sizes.segments, !self.segments.contains(where: { $0.state == .free })
        else { return }
        try self.makeAhead()
    }

    private func makeAhead() throws(LogError) {
        do throws(LogError) {
            _ = try self.makeSegment()
        } catch .full {
            return
        } catch {
            self.refuse(after: error)
            throw error
        }
    }

    // MARK: Using again

    /// Segments whose records the database holds may be written over. Called after the commit that covers them, never
    /// before.
    package func release(through applied: UInt64) {
        for index in self.segments.indices {
            if case .sealed(let last) = self.segments[index].state, last <= applied {
                self.segments[index].state = .free
            }
        }
    }

    /// Overwrites the bytes of all records with zeros and returns when that is on the disk: so that nothing is left of a
    /// message whose erasure was promised.
    ///
    /// - Parameter applied: position of the newest record that the database holds: that of the newest record at all.
    /// - Throws: `failed`; also where there is no room for writing over (a file system that copies on write).
    package func wipe(applied: UInt64) throws(LogError) {
        precondition(applied >= self.synced, "what is not in the database stays in the log")
        self.release(through: applied)
        for index in self.segments.indices where self.segments[index].usedBytes > 0 {
            let file = self.segments[index].file
            do throws(LogError) {
                try self.fillWithZeros(file, upTo: self.segments[index].usedBytes)
                try self.disk.sync(file)
            } catch {
                let failure = LogError.failed("the log cannot be wiped: \(error)")
                self.state = .failed(failure)
                throw failure
            }
            self.segments[index].usedBytes = 0
        }
        self.offset = 0
    }
}
