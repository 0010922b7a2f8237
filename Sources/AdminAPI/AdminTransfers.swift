package import ChatModel

/// An upload or download, as the operator sees it.
package struct AdminTransfer: AdminRecord {
    package var key: TransferKey
    package var direction: TransferDirection
    package var transferClass: TransferClass
    package var state: TransferState
    package var owner: UserName
    package var file: FileKey
    package var fileName: String
    /// Bytes in all; `nil` while the uploader has not said.
    package var size: Int64?
    /// Bytes that are done.
    package var offset: Int64
    /// Why it failed, in words.
    package var error: String?
    /// Somebody is connected for it.
    package var isLive: Bool
    package var bytesPerSecond: Int64
    /// `nil` while it cannot be told.
    package var remainingSeconds: Int64?
    package var createdAtMilliseconds: Int64
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
    /// Whose file it is to be.
    package var owner: UserName
    package var name: String
    package var mediaType: String
    /// Bytes of the whole file.
    package var size: Int64
    /// What the file was when it was read, as 16 hexadecimal digits: an unfinished upload of the same person with the
    /// same source and size is gone on with.
    package var source: String
    /// The unfinished upload to go on with, whatever its source; `nil` for the one that fits, or a new one.
    package var resumed: TransferKey?
    /// A picture of a person instead of a file for messages.
    package var isAvatar: Bool

    package init(
        owner: UserName, name: String, mediaType: String, size: Int64, source: String, resumed: TransferKey? = nil,
        isAvatar: Bool = false
    ) {
        self.owner = owner
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.source = source
        self.resumed = resumed
        self.isAvatar = isAvatar
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.owner = try fields("owner", \.owner)
        self.name = try fields("name", \.name)
        self.mediaType = try fields("mediaType", \.mediaType)
        self.size = try fields("size", \.size)
        self.source = try fields("source", \.source)
        self.resumed = try fields("resume", \.resumed)
        self.isAvatar = try fields("avatar", \.isAvatar)
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
    /// Where in the file they belong.
    package var offset: Int64
    /// 1...`AdminProtocol.pieceBytes`; on the socket in base64.
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

/// What an operator does with a transfer.
package enum AdminTransferAction: String, AdminWord, AdminText {
    case suspend
    case resume
    case cancel
}

extension AdminTransferAction {
    /// What goes back to the state before; `nil` for what cannot be taken back.
    package var inverse: AdminTransferAction? {
        switch self {
        case .suspend: .resume
        case .resume: .suspend
        case .cancel: nil
        }
    }
}
