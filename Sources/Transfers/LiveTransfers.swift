import ChatModel
import Execution

/// When watchers were told of a transfer, and how fast it is. Confined to the thread that owns the states.
struct TransferProgressReport {
    /// Nobody is told more often than this, but for the end.
    static let tellMilliseconds: Int64 = 200

    var meter = SpeedMeter()
    private var toldAt: Instant?
    private(set) var hasNews = false

    mutating func changed() { self.hasNews = true }

    func mayTell(at now: Instant) -> Bool {
        guard self.hasNews else { return false }
        return self.toldAt.map { now.milliseconds(since: $0) >= Self.tellMilliseconds } ?? true
    }

    mutating func told(at now: Instant) {
        self.toldAt = now
        self.hasNews = false
    }
}

/// An upload that is in memory. Confined to the thread that owns the states.
final class LiveUpload {
    enum Flow: Equatable {
        case none
        case opening
        case open(number: Int)
    }

    var record: TransferRecord
    var file: FileRecord?
    let task: UploadTask
    var flow = Flow.none
    /// A request that goes on when the flow has ended in which it found a silent connection.
    var successor: ((TransferLoop) -> Void)?
    /// True once the disk was read: `task.offset` is known.
    var isLoaded = false
    /// Commands that have not been answered: it stays until they are.
    var commands = 0
    var isEnding = false
    var usedAt: Instant
    /// When something was last made durable, or was to be.
    var syncedAt: Instant
    /// Offset in the stored row, and the time of its writing.
    var notedOffset: Int64
    var notedAt: Instant?
    var report = TransferProgressReport()

    init(_ record: TransferRecord, _ task: UploadTask, at now: Instant) {
        self.record = record
        self.task = task
        self.usedAt = now
        self.syncedAt = now
        self.notedOffset = record.offset
    }

    var isIdle: Bool { self.flow == .none && self.commands == 0 && !self.isEnding && self.successor == nil }

    var view: TransferView {
        var record = self.record
        if !record.state.isOver && (self.isLoaded || self.flow != .none) { record.offset = self.task.offset }
        let isMoving = record.state == .progressing
        return TransferView(
            record: record, file: self.file, bytesPerSecond: isMoving ? self.report.meter.bytesPerSecond : 0,
            remainingSeconds: isMoving ? self.report.meter.remainingSeconds(from: record.offset, to: record.size) : nil,
            isLive: self.flow != .none)
    }
}

/// A download to which a connection is open. Confined to the thread that owns the states.
final class LiveDownload {
    var record: TransferRecord
    let task: DownloadTask
    /// There is a row for it, or one is being made.
    var isStored: Bool
    /// Its connection is gone, or it is over; it leaves when its row says so.
    var isClosing = false
    var notedAt: Instant
    var report = TransferProgressReport()

    init(_ record: TransferRecord, _ task: DownloadTask, isStored: Bool, at now: Instant) {
        self.record = record
        self.task = task
        self.isStored = isStored
        self.notedAt = now
    }

    var view: TransferView {
        var record = self.record
        if !record.state.isOver { record.offset = self.task.offset }
        let isMoving = record.state == .progressing
        let end = self.task.range.upperBound
        return TransferView(
            record: record, bytesPerSecond: isMoving ? self.report.meter.bytesPerSecond : 0,
            remainingSeconds: isMoving ? self.report.meter.remainingSeconds(from: record.offset, to: end) : nil,
            isLive: !record.state.isOver && !self.isClosing)
    }
}
