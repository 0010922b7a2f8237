/// Place in the log where something cannot be read.
package struct LogPlace: Hashable, Sendable {
    /// Name of the segment's file.
    package var segment: String
    /// Bytes before it in the file.
    package var offset: Int

    package init(segment: String, offset: Int) {
        self.segment = segment
        self.offset = offset
    }
}

/// Failures of the log, as the store tells them apart.
package enum LogError: Error, Hashable, Sendable {
    /// No room for another segment, or the file system refused a write for want of room. Nothing of what was being written
    /// may be acknowledged, and the log takes nothing more until a new run begins.
    case full
    /// The disk failed. After a failed sync the kernel may call lost pages clean, so nothing is tried again.
    case failed(String)
    /// A record that was synced cannot be read: a later one, which is whole, was written only after that sync.
    case damaged(position: UInt64, at: LogPlace?, laterGroups: Int)
    /// A segment's file is gone or has another length.
    case segmentLost(name: String)
    /// A whole record of another database, or of one that was restored since.
    case foreign(found: LogOwner, at: LogPlace)
    /// A whole record of a later run of the server than the database knows: the database is an older copy.
    case newerThanDatabase(run: UInt32, at: LogPlace)
    /// The first record behind what the database holds cannot be read, and a later one can: the database is an older copy,
    /// or the log is damaged there.
    case gap(applied: UInt64, first: UInt64)
    /// A whole record whose content this version does not understand.
    case unreadable(position: UInt64, reason: String)
    /// A record of more bytes than `LogFormat.maximumPayloadBytes`.
    case tooLarge(bytes: Int)
}

extension LogError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full: "no space left on the disk for the log"
        case .failed(let text): "the disk failed: \(text)"
        case .damaged(let position, let place, let later):
            """
            the log is damaged\(Self.place(place)): record \(position) cannot be read, and \(later) later \
            \(later == 1 ? "group of records is" : "groups of records are") whole
            """
        case .segmentLost(let name): "the file \(name) of the log is gone or has another length"
        case .foreign(_, let place):
            "the log\(Self.place(place)) belongs to another database, or to this one before it was restored"
        case .newerThanDatabase(_, let place):
            "the log\(Self.place(place)) is newer than the database: teahouse.db is an older copy"
        case .gap(let applied, let first):
            """
            the database ends at record \(applied) and the first whole record of the log behind it is \(first): teahouse.db \
            is an older copy, or the log is damaged
            """
        case .unreadable(let position, let reason): "record \(position) of the log cannot be understood: \(reason)"
        case .tooLarge(let bytes): "a record of \(bytes) bytes is too large for the log"
        }
    }

    private static func place(_ place: LogPlace?) -> String {
        place.map { " at byte \($0.offset) of \($0.segment)" } ?? ""
    }
}
