package import ChatModel

/// A file, as the operator sees it.
package struct AdminFile: AdminRecord {
    package var key: FileKey
    /// As its uploader called it.
    package var name: String
    package var mediaType: String
    /// Bytes of the content; of a file that is still uploaded what was declared.
    package var size: Int64
    /// Bytes on the disk; `nil` until the file is complete. Other files may share them.
    package var storedSize: Int64?
    /// `nil` until the file is complete.
    package var hash: ContentHash?
    package var owner: UserName
    /// Messages and pictures that refer to it.
    package var references: Int64
    package var isComplete: Bool
    package var isDamaged: Bool
    package var createdAtMilliseconds: Int64

    package init(
        key: FileKey, name: String, mediaType: String, size: Int64, storedSize: Int64?, hash: ContentHash?,
        owner: UserName, references: Int64, isComplete: Bool, isDamaged: Bool, createdAtMilliseconds: Int64
    ) {
        self.key = key
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.storedSize = storedSize
        self.hash = hash
        self.owner = owner
        self.references = references
        self.isComplete = isComplete
        self.isDamaged = isDamaged
        self.createdAtMilliseconds = createdAtMilliseconds
    }

    package init(_ record: FileRecord) {
        self.init(
            key: record.key, name: record.name, mediaType: record.mediaType, size: record.size,
            storedSize: record.object?.storedSize, hash: record.object?.hash, owner: record.ownerName,
            references: record.references, isComplete: record.state == .complete, isDamaged: record.isDamaged,
            createdAtMilliseconds: record.createdAtMilliseconds)
    }

    func write(to fields: inout FieldWriter) {
        fields.text("key", self.key.text)
        fields.text("name", self.name)
        fields.text("mediaType", self.mediaType)
        fields.number("size", self.size)
        fields.number("storedSize", self.storedSize)
        fields.text("hash", self.hash?.hex)
        fields.text("owner", self.owner.text)
        fields.number("references", self.references)
        fields.flag("complete", self.isComplete)
        fields.flag("damaged", self.isDamaged)
        fields.number("createdAt", self.createdAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.key = try fields.fileKey("key")
        self.name = try fields.text("name")
        self.mediaType = try fields.text("mediaType")
        self.size = try fields.number("size")
        self.storedSize = try fields.optionalNumber("storedSize")
        self.hash = try fields.optionalHash("hash")
        self.owner = try fields.userName("owner")
        self.references = try fields.number("references")
        self.isComplete = try fields.flag("complete")
        self.isDamaged = try fields.flag("damaged")
        self.createdAtMilliseconds = try fields.number("createdAt")
    }
}

/// Something that refers to a file, so that it is kept.
package struct AdminFileReference: AdminRecord {
    package enum Kind: String, Sendable, CaseIterable {
        case message
        /// The picture of a person, in full size or for lists.
        case avatar
        case smallAvatar
        /// The picture of a group.
        case groupPicture
    }

    package var kind: Kind
    /// Name of the conversation or the person.
    package var name: String
    /// Number of the conversation; `nil` for the picture of a person.
    package var conversation: Int64?
    /// Of the message.
    package var sequence: Int64?

    package init(_ kind: Kind, name: String, conversation: Int64? = nil, sequence: Int64? = nil) {
        self.kind = kind
        self.name = name
        self.conversation = conversation
        self.sequence = sequence
    }

    func write(to fields: inout FieldWriter) {
        fields.text("kind", self.kind.rawValue)
        fields.text("name", self.name)
        fields.number("conversation", self.conversation)
        fields.number("sequence", self.sequence)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.kind = try Word.value("kind", fields)
        self.name = try fields.text("name")
        self.conversation = try fields.optionalNumber("conversation")
        self.sequence = try fields.optionalNumber("sequence")
    }
}

/// What gives whoever has it a file.
package struct AdminFileLink: AdminRecord {
    package var key: FileLinkKey
    /// Number of the conversation it was made for; `nil` for none.
    package var conversation: Int64?
    package var createdAtMilliseconds: Int64

    package init(key: FileLinkKey, conversation: Int64?, createdAtMilliseconds: Int64) {
        self.key = key
        self.conversation = conversation
        self.createdAtMilliseconds = createdAtMilliseconds
    }

    func write(to fields: inout FieldWriter) {
        fields.text("key", self.key.text)
        fields.number("conversation", self.conversation)
        fields.number("createdAt", self.createdAtMilliseconds)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        guard let key = FileLinkKey(try fields.text("key")) else { throw FieldReader.wrong("key") }
        self.key = key
        self.conversation = try fields.optionalNumber("conversation")
        self.createdAtMilliseconds = try fields.number("createdAt")
    }
}

/// Everything about one file.
package struct AdminFileDetail: AdminRecord {
    package var file: AdminFile
    /// Where the content is kept: the name of the provider.
    package var provider: String?
    /// How it is kept: `gzip` or `plain`.
    package var codec: String?
    /// The text of a JSON object that the uploader sent along.
    package var metadata: String?
    /// At most `AdminProtocol.pageRows`.
    package var references: [AdminFileReference]
    /// At most `AdminProtocol.pageRows`.
    package var links: [AdminFileLink]

    package init(
        file: AdminFile, provider: String?, codec: String?, metadata: String?, references: [AdminFileReference],
        links: [AdminFileLink]
    ) {
        self.file = file
        self.provider = provider
        self.codec = codec
        self.metadata = metadata
        self.references = references
        self.links = links
    }

    func write(to fields: inout FieldWriter) {
        fields.record("file", self.file)
        fields.text("provider", self.provider)
        fields.text("codec", self.codec)
        fields.text("metadata", self.metadata)
        fields.records("references", self.references)
        fields.records("links", self.links)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.file = try fields.record("file")
        self.provider = try fields.optionalText("provider")
        self.codec = try fields.optionalText("codec")
        self.metadata = try fields.optionalText("metadata")
        self.references = try fields.records("references")
        self.links = try fields.records("links")
    }
}

/// All files together.
package struct AdminFileTotals: AdminRecord {
    package var files: Int64
    /// Contents: one may belong to several files.
    package var objects: Int64
    /// Bytes of the files, each counted by itself.
    package var fileBytes: Int64
    /// Bytes of the contents.
    package var plainBytes: Int64
    /// Bytes of the contents on the disk.
    package var storedBytes: Int64
    /// Files that nothing refers to.
    package var orphans: Int64
    /// Contents that were found damaged.
    package var damaged: Int64

    package init(_ totals: FileTotals) {
        self.files = totals.files
        self.objects = totals.objects
        self.fileBytes = totals.fileBytes
        self.plainBytes = totals.plainBytes
        self.storedBytes = totals.storedBytes
        self.orphans = totals.unreferencedFiles
        self.damaged = totals.damagedObjects
    }

    func write(to fields: inout FieldWriter) {
        fields.number("files", self.files)
        fields.number("objects", self.objects)
        fields.number("fileBytes", self.fileBytes)
        fields.number("plainBytes", self.plainBytes)
        fields.number("storedBytes", self.storedBytes)
        fields.number("orphans", self.orphans)
        fields.number("damaged", self.damaged)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.files = try fields.number("files")
        self.objects = try fields.number("objects")
        self.fileBytes = try fields.number("fileBytes")
        self.plainBytes = try fields.number("plainBytes")
        self.storedBytes = try fields.number("storedBytes")
        self.orphans = try fields.number("orphans")
        self.damaged = try fields.number("damaged")
    }
}

/// Which files to list.
package struct AdminFileQuery: AdminRecord {
    package enum Order: String, Sendable, CaseIterable {
        /// The newest first.
        case time
        /// The largest first.
        case size
        /// The best compressed first.
        case ratio
    }

    package var owner: UserName?
    /// As in `AdminRequest.listMessages`.
    package var conversation: String?
    package var order: Order
    /// Only files that nothing refers to.
    package var onlyOrphans: Bool
    package var onlyDamaged: Bool
    /// 1...`AdminProtocol.fileRows`.
    package var limit: Int64

    package init(
        owner: UserName? = nil, conversation: String? = nil, order: Order = .time, onlyOrphans: Bool = false,
        onlyDamaged: Bool = false, limit: Int64 = 100
    ) {
        self.owner = owner
        self.conversation = conversation
        self.order = order
        self.onlyOrphans = onlyOrphans
        self.onlyDamaged = onlyDamaged
        self.limit = limit
    }

    func write(to fields: inout FieldWriter) {
        fields.text("owner", self.owner?.text)
        fields.text("conversation", self.conversation)
        fields.text("order", self.order.rawValue)
        fields.flag("orphans", self.onlyOrphans)
        fields.flag("damaged", self.onlyDamaged)
        fields.number("limit", self.limit)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.owner = try fields.optionalUserName("owner")
        self.conversation = try fields.optionalText("conversation")
        self.order = try Word.value("order", fields)
        self.onlyOrphans = try fields.flag("orphans")
        self.onlyDamaged = try fields.flag("damaged")
        self.limit = try fields.number("limit")
        guard (1...AdminProtocol.fileRows).contains(self.limit) else { throw FieldReader.wrong("limit") }
    }
}

/// A content that is not what was put on the disk.
package struct AdminDamage: AdminRecord {
    package var hash: ContentHash
    /// What is wrong, in words.
    package var problem: String

    package init(hash: ContentHash, problem: String) {
        self.hash = hash
        self.problem = problem
    }

    func write(to fields: inout FieldWriter) {
        fields.text("hash", self.hash.hex)
        fields.text("problem", self.problem)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        guard let hash = try fields.optionalHash("hash") else { throw FieldReader.wrong("hash") }
        self.hash = hash
        self.problem = try fields.text("problem")
    }
}

/// How far a check of contents is, or what it found.
package struct AdminFileCheck: AdminRecord {
    /// Contents and bytes on the disk that were read.
    package var objects: Int64
    package var bytes: Int64
    /// Contents and bytes that are to be read.
    package var allObjects: Int64
    package var allBytes: Int64
    /// How many were found damaged.
    package var damagedCount: Int64
    /// The first `AdminProtocol.damages` of them.
    package var damaged: [AdminDamage]

    package init(
        objects: Int64 = 0, bytes: Int64 = 0, allObjects: Int64 = 0, allBytes: Int64 = 0, damagedCount: Int64 = 0,
        damaged: [AdminDamage] = []
    ) {
        self.objects = objects
        self.bytes = bytes
        self.allObjects = allObjects
        self.allBytes = allBytes
        self.damagedCount = damagedCount
        self.damaged = damaged
    }

    func write(to fields: inout FieldWriter) {
        fields.number("objects", self.objects)
        fields.number("bytes", self.bytes)
        fields.number("allObjects", self.allObjects)
        fields.number("allBytes", self.allBytes)
        fields.number("damagedCount", self.damagedCount)
        fields.records("damaged", self.damaged)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.objects = try fields.number("objects")
        self.bytes = try fields.number("bytes")
        self.allObjects = try fields.number("allObjects")
        self.allBytes = try fields.number("allBytes")
        self.damagedCount = try fields.number("damagedCount")
        self.damaged = try fields.records("damaged")
    }
}

/// What the collection of files that nobody needs removed, or would remove.
package struct AdminCollection: AdminRecord {
    package var isDryRun: Bool
    package var files: Int64
    /// Contents that no file has any more.
    package var objects: Int64
    /// Bytes on the disk.
    package var bytes: Int64
    /// Unfinished uploads that were given up.
    package var uploads: Int64
    /// The first `AdminProtocol.pageRows` of the files that would go; empty when they went.
    package var names: [AdminFile]

    package init(
        isDryRun: Bool, files: Int64, objects: Int64, bytes: Int64, uploads: Int64, names: [AdminFile] = []
    ) {
        self.isDryRun = isDryRun
        self.files = files
        self.objects = objects
        self.bytes = bytes
        self.uploads = uploads
        self.names = names
    }

    func write(to fields: inout FieldWriter) {
        fields.flag("dryRun", self.isDryRun)
        fields.number("files", self.files)
        fields.number("objects", self.objects)
        fields.number("bytes", self.bytes)
        fields.number("uploads", self.uploads)
        fields.records("names", self.names)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.isDryRun = try fields.flag("dryRun")
        self.files = try fields.number("files")
        self.objects = try fields.number("objects")
        self.bytes = try fields.number("bytes")
        self.uploads = try fields.number("uploads")
        self.names = try fields.records("names")
    }
}

/// A message that refers to a file, sent by the operator's right.
package struct AdminFileSend: AdminRecord {
    package enum Target: Hashable, Sendable {
        case user(UserName)
        /// As in `AdminRequest.listMessages`.
        case conversation(String)
    }

    package var from: UserName
    package var to: Target
    package var file: FileKey

    package init(from: UserName, to target: Target, file: FileKey) {
        self.from = from
        self.to = target
        self.file = file
    }

    func write(to fields: inout FieldWriter) {
        fields.text("from", self.from.text)
        switch self.to {
        case .user(let name): fields.text("to", name.text)
        case .conversation(let conversation): fields.text("conversation", conversation)
        }
        fields.text("file", self.file.text)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.from = try fields.userName("from")
        if let name = try fields.optionalUserName("to") {
            self.to = .user(name)
        } else {
            self.to = .conversation(try fields.text("conversation"))
        }
        self.file = try fields.fileKey("file")
    }
}
