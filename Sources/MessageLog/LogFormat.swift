/// Sizes and numbers of the log's format.
///
/// A **segment** is a file of fixed length, filled with zeros when it is made and written over when it is used again. A
/// **group** is what one sync covers: records one behind the other, from the start of a page on, with zeros up to the next
/// page. So no group writes into a page of an earlier one, and after damage the next group is found at the start of some
/// page and nowhere else, whatever the bodies of messages hold.
///
/// A **record** is a header of 40 bytes and the payload. The numbers of the header are in network byte order:
///
/// | byte | field |
/// | --- | --- |
/// | 0 | `u32` CRC-32C of all that follows, the payload included |
/// | 4 | `u32` bytes of the payload |
/// | 8 | `u64` id of the store, never 0 |
/// | 16 | `i64` epoch of the store |
/// | 24 | `u64` position: 1, 2, 3 ... over all runs, without a gap |
/// | 32 | `u32` run: counts the starts of the server on this store |
/// | 36 | `u16` place in its group: 0 for the first record of it |
/// | 38 | `u8` version of the format |
/// | 39 | `u8` kind |
package enum LogFormat {
    /// Version of the format that is written, and the only one that is read.
    package static let version: UInt8 = 1
    /// Bytes of a record's header.
    package static let headerBytes = 40
    /// Bytes of a page: groups begin at multiples of it.
    package static let pageBytes = 4_096
    /// Most bytes of a payload. What is larger is written to the database directly.
    package static let maximumPayloadBytes = 1_280 * 1_024
    /// Most records of one group: their places have 16 bits.
    package static let maximumGroupRecords = 65_536
    /// Bytes of a segment.
    package static let segmentBytes = 4 * 1_024 * 1_024
    /// Most segments. A tail of `LogTail.Bounds.bytes` always has room, also where each segment's end is too short for the
    /// largest record, and most of the first segment is applied.
    package static let maximumSegments = 8

    static func wholePages(_ bytes: Int) -> Int { (bytes + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes }
}

/// Database and run of the server that a record belongs to.
package struct LogOwner: Hashable, Sendable {
    /// Random number of the database, made with it; never 0.
    package var storeID: UInt64
    /// Epoch of the database: another one after a backup was restored.
    package var epoch: Int64
    /// Number of the start of the server, from 1. The database has it before the log is written to, so that what a former
    /// run has left behind in a segment counts no more.
    package var run: UInt32

    package init(storeID: UInt64, epoch: Int64, run: UInt32) {
        precondition(storeID != 0, "the id of a store is not 0")
        self.storeID = storeID
        self.epoch = epoch
        self.run = run
    }
}

/// Kinds of records; the numbers are stored.
package enum LogRecordKind: UInt8, Sendable, CaseIterable {
    /// A new message: see `LoggedMessage`.
    case message = 1
    /// How far a person has read: see `LoggedRead`.
    case read = 2
    /// How far the devices of one class of a person have received: see `LoggedDelivered`.
    case delivered = 3
    /// Mentions of a person that have ended: see `LoggedMentions`.
    case mentions = 4
}

/// A whole record as it is read from the log.
package struct LogRecord: Hashable, Sendable {
    /// Position of the record in the log.
    package var position: UInt64
    /// Kind of the payload.
    package var kind: LogRecordKind
    /// Content of the record.
    package var payload: [UInt8]

    package init(position: UInt64, kind: LogRecordKind, payload: [UInt8]) {
        self.position = position
        self.kind = kind
        self.payload = payload
    }
}

/// Header of a record, with what its bytes say.
struct RecordHeader: Hashable {
    var length: Int
    var owner: LogOwner
    var position: UInt64
    /// Records before it in its group.
    var place: Int
    var version: UInt8
    var kind: UInt8

    /// Position of the first record of its group: everything before was synced when the group was written.
    var groupStart: UInt64 { self.position - UInt64(self.place) }

    /// Bytes of the record with its header.
    var recordBytes: Int { LogFormat.headerBytes + self.length }

    /// Reads a whole record at the start of `bytes`.
    ///
    /// - Returns: `nil` where there is none: zeros, a length that does not fit, a checksum that does not hold.
    static func read(_ bytes: UnsafeRawBufferPointer) -> RecordHeader? {
        guard bytes.count >= LogFormat.headerBytes else { return nil }
        let length = Int(self.word(bytes, 4))
        guard length <= LogFormat.maximumPayloadBytes, length <= bytes.count - LogFormat.headerBytes else { return nil }
        let storeID = self.long(bytes, 8)
        guard storeID != 0 else { return nil }
        let checked = UnsafeRawBufferPointer(rebasing: bytes[4..<LogFormat.headerBytes + length])
        guard CRC32C.checksum(of: checked) == self.word(bytes, 0) else { return nil }
        let place = Int(bytes[36]) << 8 | Int(bytes[37])
        let position = self.long(bytes, 24)
        guard position > UInt64(place) else { return nil }
        return RecordHeader(
            length: length,
            owner: LogOwner(
                storeID: storeID, epoch: Int64(bitPattern: self.long(bytes, 16)), run: self.word(bytes, 32)),
            position: position, place: place, version: bytes[38], kind: bytes[39])
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
    }

    private static func long(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64 {
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    }

    /// Completes the header of a record whose length, version and kind are written already (`LogBatch`).
    static func complete(
        _ record: UnsafeMutableRawBufferPointer, owner: LogOwner, position: UInt64, place: Int
    ) {
        record.storeBytes(of: owner.storeID.bigEndian, toByteOffset: 8, as: UInt64.self)
        record.storeBytes(of: owner.epoch.bigEndian, toByteOffset: 16, as: Int64.self)
        record.storeBytes(of: position.bigEndian, toByteOffset: 24, as: UInt64.self)
        record.storeBytes(of: owner.run.bigEndian, toByteOffset: 32, as: UInt32.self)
        record.storeBytes(of: UInt16(place).bigEndian, toByteOffset: 36, as: UInt16.self)
        let crc = CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: record[4...]))
        record.storeBytes(of: crc.bigEndian, toByteOffset: 0, as: UInt32.self)
    }
}
