package import ChatModel
package import Store

/// A transfer as it is now.
package struct TransferView: Hashable, Sendable {
    /// Row of the transfer.
    package var record: TransferRecord
    /// The file, once it is complete.
    package var file: FileRecord?
    /// Over the last seconds; 0 while nothing moves.
    package var bytesPerSecond: Int64
    /// `nil` while it cannot be told.
    package var remainingSeconds: Int64?
    /// Somebody is connected for it.
    package var isLive: Bool

    package init(
        record: TransferRecord, file: FileRecord? = nil, bytesPerSecond: Int64 = 0, remainingSeconds: Int64? = nil,
        isLive: Bool = false
    ) {
        self.record = record
        self.file = file
        self.bytesPerSecond = bytesPerSecond
        self.remainingSeconds = remainingSeconds
        self.isLive = isLive
    }
}

/// Why a transfer does not go on.
package enum TransferError: Error, Hashable, Sendable {
    /// Nothing by that name, or nothing that the asker may know of.
    case notFound
    /// Refusal by the store: quotas, rates, permission.
    case refused(StoreError)
    /// The upload is at another offset.
    case wrongOffset(Int64)
    /// Another request is uploading into it.
    case busy
    /// Too much is going on: ask again in a second.
    case overloaded
    /// More bytes than were declared, or than a file may have.
    case tooLong(limit: Int64)
    /// Checksum of the received bytes differs from the announced one; the bytes were dropped.
    case wrongChecksum
    case cancelled
    /// It is over: succeeded, failed, cancelled or expired.
    case over(TransferState)
    /// No room on the disk for more files.
    case full
    /// The content on the disk is damaged or missing.
    case damaged
    /// The disk failed; the reason is for the operator.
    case failed(String)
    /// The server stops.
    case stopping
}

extension TransferError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notFound: "there is no such transfer"
        case .refused(let error): error.description
        case .wrongOffset(let offset): "the upload is at byte \(offset): go on there"
        case .busy: "another request is uploading into it"
        case .overloaded: "too many transfers are going on: ask again in a second"
        case .tooLong(let limit): "more than the \(limit) bytes that it may have"
        case .wrongChecksum: "what came does not have the checksum that was announced: send it again"
        case .cancelled: "the transfer was cancelled"
        case .over(let state): "the transfer is over: \(state)"
        case .full: "no space left for files: free some room, uploads go on by themselves"
        case .damaged: "the content is damaged or missing on the disk: upload the file again, or restore a backup"
        case .failed(let reason): reason
        case .stopping: "the server is stopping: go on when it is back"
        }
    }
}

/// Part of a file that is sent.
package enum DownloadPart: Hashable, Sendable {
    /// Bytes of the plain content.
    case plain(Range<Int64>)
    /// All the bytes as they are kept, for who understands gzip.
    case stored
}
