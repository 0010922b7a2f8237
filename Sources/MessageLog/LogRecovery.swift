/// Result of reading the log at a start.
package struct RecoveredLog: Hashable, Sendable {
    /// Records behind the position up to which the database holds everything, in order and without a gap.
    package var records: [LogRecord] = []
    /// Where the last group ends in something that is no whole record: a write that a power cut or a kill interrupted,
    /// which nobody was told of.
    package var tornAt: LogPlace?
    /// Damage that the operator accepted: what came after it is lost.
    package var damage: LogError?

    package init() {}
}

/// Reads segments and tells a torn end from damage.
///
/// A group is written after the sync of the one before it. So what cannot be read is a torn end only when no later group is
/// whole: a whole one proves that everything before its first record had been synced.
///
/// Groups are looked for at the starts of pages, never inside a record that is whole, and records of others count only at
/// the very start of a segment, where nothing but a group can be: what a message says cannot pass for a record.
struct LogRecovery {
    private struct Group {
        /// Position of its first record.
        var start: UInt64
        /// Records of it that are not applied, in order.
        var records: [LogRecord]
        /// Position behind its last whole record.
        var end: UInt64
        /// Where its last whole record ends.
        var endsAt: LogPlace
        /// True when something other than zeros follows on the same page.
        var isTorn: Bool
    }

    private let owner: LogOwner
    private let applied: UInt64
    private let acceptsDamage: Bool
    private var groups: [Group] = []
    private var damage: LogError?
    private(set) var hasLostSegments = false

    init(owner: LogOwner, applied: UInt64, acceptsDamage: Bool) {
        self.owner = owner
        self.applied = applied
        self.acceptsDamage = acceptsDamage
    }

    mutating func noteLost(_ name: String) throws(LogError) {
        guard self.acceptsDamage else { throw .segmentLost(name: name) }
        self.hasLostSegments = true
        self.damage = self.damage ?? .segmentLost(name: name)
    }

    /// Finds the groups of one segment.
    mutating func scan(_ bytes: [UInt8], _ name: String) throws(LogError) {
        try bytes.withUnsafeBufferPointer { bytes throws(LogError) in
            let bytes = UnsafeRawBufferPointer(bytes)
            var page = 0
            while page < bytes.count {
                let end = try self.scanGroup(bytes, at: page, name)
                page = max(page + LogFormat.pageBytes, LogFormat.wholePages(end))
            }
        }
    }

    /// - Returns: where its last whole record ends; `page` when there is none.
    private mutating func scanGroup(
        _ bytes: UnsafeRawBufferPointer, at page: Int, _ name: String
    ) throws(LogError) -> Int {
        guard let first = RecordHeader.read(UnsafeRawBufferPointer(rebasing: bytes[page...])) else { return page }
        let place = LogPlace(segment: name, offset: page)
        guard first.owner.storeID == self.owner.storeID, first.owner.epoch == self.owner.epoch else {
            guard page == 0 else { return page }
            throw .foreign(found: first.owner, at: place)
        }
        guard first.owner.run <= self.owner.run else {
            throw .newerThanDatabase(run: first.owner.run, at: place)
        }
        guard first.place == 0 else { return page }
        let isOfRun = first.owner.run == self.owner.run
        var group = Group(start: first.position, records: [], end: first.position, endsAt: place, isTorn: false)
        var header: RecordHeader? = first
        var offset = page
        while let found = header, found.owner == first.owner, found.groupStart == first.position,
            found.position == group.end
        {
            if isOfRun, found.position > self.applied {
                let payload = bytes[offset + LogFormat.headerBytes..<offset + found.recordBytes]
                group.records.append(try Self.record(found, payload))
            }
            group.end += 1
            offset += found.recordBytes
            group.endsAt.offset = offset
            header =
                offset < bytes.count ? RecordHeader.read(UnsafeRawBufferPointer(rebasing: bytes[offset...])) : nil
        }
        guard isOfRun else { return offset }
        let rest = bytes[min(offset, bytes.count)..<min(LogFormat.wholePages(offset), bytes.count)]
        group.isTorn = rest.contains { $0 != 0 }
        self.groups.append(group)
        return offset
    }

    private static func record(
        _ header: RecordHeader, _ payload: Slice<UnsafeRawBufferPointer>
    ) throws(LogError) -> LogRecord {
        guard header.version == LogFormat.version, let kind = LogRecordKind(rawValue: header.kind) else {
            throw .unreadable(
                position: header.position,
                reason: "it is of version \(header.version) and kind \(header.kind): run the newer teahouse")
        }
        return LogRecord(position: header.position, kind: kind, payload: [UInt8](payload))
    }

    /// Puts the groups in order.
    ///
    /// - Throws: `damaged` or `gap`, unless that is accepted.
    mutating func finish() throws(LogError) -> RecoveredLog {
        self.groups.sort { $0.start < $1.start }
        var found = RecoveredLog()
        var expected = self.applied + 1
        var last: Group?
        for (index, group) in self.groups.enumerated() where group.end > self.applied {
            guard group.start <= expected else {
                try self.noteDamage(behind: last, expected, group, later: self.groups.count - index)
                break
            }
            // A group's records are whole up to its end: of those the ones behind `expected` come next.
            found.records += group.records.drop { $0.position < expected }
            expected = max(expected, group.end)
            last = group
        }
        if let last, last.isTorn, self.damage == nil { found.tornAt = last.endsAt }
        found.damage = self.damage
        return found
    }

    private mutating func noteDamage(
        behind last: Group?, _ expected: UInt64, _ next: Group, later: Int
    ) throws(LogError) {
        let damage: LogError =
            last == nil && expected == self.applied + 1
            ? .gap(applied: self.applied, first: next.start)
            : .damaged(position: expected, at: last?.endsAt, laterGroups: later)
        guard self.acceptsDamage else { throw damage }
        self.damage = self.damage ?? damage
    }
}
