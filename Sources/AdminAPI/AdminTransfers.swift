package import ChatModel

/// An upload or download, as the operator sees it.
package struct AdminTransfer: AdminRecord {
    /// Key of the transfer.
    package var key: TransferKey
    /// Direction: upload or download.
    package var direction: TransferDirection
    /// Purpose of the file.
    package var transferClass: TransferClass
    /// State of the transfer.
    package var state: TransferState
    /// User who transfers.
    package var owner: UserName
    /// Name that people see of the user; `nil` for none.
    package var ownerName: String?
    /// Key of the file.
    package var file: FileKey
    /// Name of the file.
    package var fileName: String
    /// Bytes of the whole file; `nil` while the uploader has not declared them.
    package var size: Int64?
    /// Bytes transferred so far.
    package var offset: Int64
    /// Reason for the failure; `nil` for none.
    package var error: String?
    /// True while a connection is open for it.
    package var isLive: Bool
    /// Speed now, bytes per second.
    package var bytesPerSecond: Int64
    /// Time left, seconds; `nil` when it is not known.
    package var remainingSeconds: Int64?
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Time of the last change, UTC milliseconds.
    package var updatedAtMilliseconds: Int64

    package init(
        _ record: TransferRecord, isLive: Bool = false, bytesPerSecond: Int64 = 0, remainingSeconds: Int64? = nil
    ) {
        self.key = record.key
        self.direction = record.direction
        self.transferClass = record.transferClass
        self.state = record.state
        self.owner = record.ownerName
        self.file = record.file
        self.fileName = record.fileName
        self.size = record.size
        self.offset = record.offset
        self.error = record.error
        self.isLive = isLive
        self.bytesPerSecond = bytesPerSecond
        self.remainingSeconds = remainingSeconds
        self.createdAtMilliseconds = record.createdAtMilliseconds
        self.updatedAtMilliseconds = record.updatedAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.key = try fields("key", \.key)
        self.direction = try fields("direction", \.direction)
        self.transferClass = try fields("class", \.transferClass)
        self.state = try fields("state", \.state)
        self.owner = try fields("owner", \.owner)
        self.ownerName = try fields("ownerName", \.ownerName)
        self.file = try fields("file", \.file)
        self.fileName = try fields("fileName", \.fileName)
        self.size = try fields("size", \.size)
        self.offset = try fields("offset", \.offset)
        self.error = try fields("error", \.error)
        self.isLive = try fields("live", \.isLive)
        self.bytesPerSecond = try fields("bytesPerSecond", \.bytesPerSecond)
        self.remainingSeconds = try fields("remainingSeconds", \.remainingSeconds)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
        self.updatedAtMilliseconds = try fields("updatedAt", \.updatedAtMilliseconds)
    }
}

/// An upload through the admin socket.
package struct AdminUpload: AdminRecord {
    /// User who will own the file.
    package var owner: UserName
    /// Name of the file.
    package var name: String
    /// Media type of the file.
    package var mediaType: String
    /// Bytes of the whole file.
    package var size: Int64
    /// Fingerprint of the file on the operator's disk, 16 hexadecimal digits. An unfinished upload of the same user
    /// with the same source and size is resumed.
    package var source: String
    /// Unfinished upload to resume, whatever its source; `nil` for the one that fits, or a new one.
    package var resumed: TransferKey?
    /// True for the picture of a user instead of a file for messages.
    package var isAvatar: Bool
    /// Number of the import that is under way, for a content of it: the server owns the file, and the import as a whole is in
    /// the audit log. `nil` for a file of a user.
    package var importing: Int64?

    package init(
        owner: UserName, name: String, mediaType: String, size: Int64, source: String, resumed: TransferKey? = nil,
        isAvatar: Bool = false, importing: Int64? = nil
    ) {
        self.owner = owner
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.source = source
        self.resumed = resumed
        self.isAvatar = isAvatar
        self.importing = importing
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.owner = try fields("owner", \.owner)
        self.name = try fields("name", \.name)
        self.mediaType = try fields("mediaType", \.mediaType)
        self.size = try fields("size", \.size)
        self.source = try fields("source", \.source)
        self.resumed = try fields("resume", \.resumed)
        self.isAvatar = try fields("avatar", \.isAvatar)
        self.importing = try fields("import", \.importing)
        let isHex = self.source.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        let (size, digits) = (self.size, self.source.utf8.count)
        try fields.check(size >= 0, "size")
        try fields.check(digits == 16 && isHex, "source")
    }
}

/// The next bytes of the upload that the connection has open.
package struct AdminPiece: AdminRecord {
    /// Offset of the bytes in the file.
    package var offset: Int64
    /// Bytes of the piece, 1...`AdminProtocol.pieceBytes`; on the socket in base64.
    package var bytes: [UInt8]

    package init(offset: Int64, bytes: [UInt8]) {
        self.offset = offset
        self.bytes = bytes
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.offset = try fields("offset", \.offset)
        self.bytes = try fields("bytes") { AdminBytes($0.bytes) }.bytes
        let isBounded = self.offset >= 0 && (1...AdminProtocol.pieceBytes).contains(self.bytes.count)
        try fields.check(isBounded, "bytes")
    }
}

/// Action of an operator on a transfer.
package enum AdminTransferAction: String, AdminWord, AdminText {
    case suspend
    case resume
    case cancel
}

extension AdminTransferAction {
    /// Action that restores the state before; `nil` when nothing does.
    package var inverse: AdminTransferAction? {
        switch self {
        case .suspend: .resume
        case .resume: .suspend
        case .cancel: nil
        }
    }
}
