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

    func write(to fields: inout FieldWriter) {
        fields.text("key", self.key.text)
        fields.text("direction", Word.of(self.direction))
        fields.text("class", Word.of(self.transferClass))
        fields.text("state", Word.of(self.state))
        fields.text("owner", self.owner.text)
        fields.text("file", self.file.text)
        fields.text("fileName", self.fileName)
        fields.number("size", self.size)
        fields.number("offset", self.offset)
        fields.text("error", self.error)
        fields.flag("live", self.isLive)
        fields.number("bytesPerSecond", self.bytesPerSecond)
        fields.number("remainingSeconds", self.remainingSeconds)
        fields.number("createdAt", self.createdAtMilliseconds)
        fields.number("updatedAt", self.updatedAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.key = try fields.transferKey("key")
        self.direction = try Word.direction(fields.text("direction"))
        self.transferClass = try Word.transferClass(fields.text("class"))
        self.state = try Word.transferState(fields.text("state"))
        self.owner = try fields.userName("owner")
        self.file = try fields.fileKey("file")
        self.fileName = try fields.text("fileName")
        self.size = try fields.optionalNumber("size")
        self.offset = try fields.number("offset")
        self.error = try fields.optionalText("error")
        self.isLive = try fields.flag("live")
        self.bytesPerSecond = try fields.number("bytesPerSecond")
        self.remainingSeconds = try fields.optionalNumber("remainingSeconds")
        self.createdAtMilliseconds = try fields.number("createdAt")
        self.updatedAtMilliseconds = try fields.number("updatedAt")
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

    func write(to fields: inout FieldWriter) {
        fields.text("owner", self.owner.text)
        fields.text("name", self.name)
        fields.text("mediaType", self.mediaType)
        fields.number("size", self.size)
        fields.text("source", self.source)
        fields.text("resume", self.resumed?.text)
        fields.flag("avatar", self.isAvatar)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.owner = try fields.userName("owner")
        self.name = try fields.text("name")
        self.mediaType = try fields.text("mediaType")
        self.size = try fields.number("size")
        self.source = try fields.text("source")
        self.resumed = try fields.optionalText("resume") == nil ? nil : fields.transferKey("resume")
        self.isAvatar = try fields.flag("avatar")
        guard self.size >= 0 else { throw FieldReader.wrong("size") }
        let isHex = self.source.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        guard self.source.utf8.count == 16, isHex else { throw FieldReader.wrong("source") }
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

    func write(to fields: inout FieldWriter) {
        fields.number("offset", self.offset)
        fields.base64("bytes", self.bytes)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.offset = try fields.number("offset")
        self.bytes = try fields.base64("bytes")
        guard self.offset >= 0, (1...AdminProtocol.pieceBytes).contains(self.bytes.count) else {
            throw FieldReader.wrong("bytes")
        }
    }
}

/// What an operator does with a transfer.
package enum AdminTransferAction: String, Sendable, CaseIterable {
    case suspend
    case resume
    case cancel
}
