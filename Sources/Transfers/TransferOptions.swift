package import ChatModel

/// How fast the transfers of one class may be together.
package struct BandwidthCap: Hashable, Sendable {
    /// 0 is no cap.
    package var uploadBytesPerSecond: Int64
    /// 0 is no cap.
    package var downloadBytesPerSecond: Int64

    package init(uploadBytesPerSecond: Int64 = 0, downloadBytesPerSecond: Int64 = 0) {
        self.uploadBytesPerSecond = uploadBytesPerSecond
        self.downloadBytesPerSecond = downloadBytesPerSecond
    }

    func bytesPerSecond(_ direction: TransferDirection) -> Int64 {
        switch direction {
        case .upload: self.uploadBytesPerSecond
        case .download: self.downloadBytesPerSecond
        }
    }
}

/// Options of transfers. Every bound has its unit in the name or in its line.
package struct TransferOptions: Sendable {
    /// Bytes of one upload that wait in memory for the disk before its connection is told to stop reading.
    package var pendingBytes = 512 * 1024
    /// Threads that hash, compress, write and read contents.
    package var workers = 2
    /// Uploads to which a connection is open at one time, about 800 KiB of memory each; one more is refused as
    /// overloaded.
    package var liveUploads = 64
    /// Downloads at one time; one more is refused as overloaded.
    package var liveDownloads = 256
    /// Downloads of one person at one time; one more is refused as overloaded. Does not bound those without a person.
    package var liveDownloadsPerPerson = 32
    /// Uploads without a connection whose state stays in memory, so that going on costs nothing: about 300 KiB each.
    package var idleUploads = 32
    /// After how long without a connection that state is given up.
    package var idleMilliseconds: Int64 = 60_000
    /// After which a connection that brings nothing for its upload makes room for another request that goes on with it.
    package var silentMilliseconds: Int64 = 2_000
    /// Bytes after which an upload is made durable,
    package var syncBytes: Int64 = 8 * 1024 * 1024
    /// or after this time, so that a crash loses little.
    package var syncMilliseconds: Int64 = 2_000
    /// Uploads are refused while the disk has less free than this,
    package var stopUploadsFreeBytes: Int64 = 1 << 30
    /// or less than this share of its size.
    package var stopUploadsFreePercent: Int64 = 5
    /// Downloads of more bytes than this are remembered, so that they can be continued.
    package var storedDownloadBytes: Int64 = 1 << 20
    /// By class; a class that is missing has no caps.
    package var caps: [TransferClass: BandwidthCap] = [:]
    /// Bytes one upload may have when it did not declare its size; 0 is no bound.
    package var fileBytes: Int64 = 4 << 30
    /// How often uploads that nobody went on with, and contents that nothing refers to, are looked for.
    package var collectMilliseconds: Int64 = 60_000
    /// Age from which what no row knows of is removed from the disk.
    package var orphanMilliseconds: Int64 = 24 * 3_600_000
    /// How fast stored contents are read again to check them; 0 switches it off.
    package var scrubBytesPerSecond: Int64 = 4 * 1024 * 1024
    /// Age of the last check from which a content is checked again.
    package var scrubMilliseconds: Int64 = 30 * 24 * 3_600_000
    /// Keeps contents that nothing refers to while a backup is made.
    package var removal = RemovalHold()

    package init() {}
}

/// Metrics of transfers since the start, and of those under way.
package struct TransferMetrics: Hashable, Sendable {
    /// Uploads and downloads to which a connection is open.
    package var liveUploads: Int64 = 0
    /// Downloads under way.
    package var liveDownloads: Int64 = 0
    /// Bytes that were written, and sent.
    package var uploadedBytes: Int64 = 0
    /// Bytes sent since the start.
    package var downloadedBytes: Int64 = 0
    /// Transfers that succeeded since the start.
    package var succeeded: Int64 = 0
    /// Transfers that failed since the start.
    package var failed: Int64 = 0
    /// Transfers that were cancelled since the start.
    package var cancelled: Int64 = 0
    /// Uploads given up for their age since the start.
    package var expired: Int64 = 0
    /// Uploads and pieces that were refused for want of room.
    package var refusedFull: Int64 = 0
    /// True while the disk has too little room for uploads.
    package var isFull = false
    /// Contents that were removed because nothing refers to them, and their bytes on the disk.
    package var collectedObjects: Int64 = 0
    /// Bytes of removed contents since the start.
    package var collectedBytes: Int64 = 0
    /// Contents and beginnings of uploads that no row knew of and that were removed.
    package var orphans: Int64 = 0
    /// Contents that were read again, and those of them that were damaged or missing.
    package var checkedObjects: Int64 = 0
    /// Damaged contents found since the start.
    package var damagedObjects: Int64 = 0

    package init() {}
}
