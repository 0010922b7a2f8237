package import ChatModel

/// A file, as the operator sees it.
package struct AdminFile: AdminRecord {
    /// Key of the file.
    package var key: FileKey
    /// Name that the uploader gave.
    package var name: String
    /// Media type that the uploader gave.
    package var mediaType: String
    /// Bytes of the content; for an unfinished upload the declared size.
    package var size: Int64
    /// Bytes on the disk; `nil` until the file is complete. Several files may share them.
    package var storedSize: Int64?
    /// Hash of the content; `nil` until the file is complete.
    package var hash: ContentHash?
    /// User who uploaded it.
    package var owner: UserName
    /// Name that people see of the user; `nil` for none.
    package var ownerName: String?
    /// Number of messages and pictures that refer to it.
    package var references: Int64
    /// True when the upload is complete.
    package var isComplete: Bool
    /// True when a check found the content damaged.
    package var isDamaged: Bool
    /// Time of creation, UTC milliseconds.
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.key = try fields("key", \.key)
        self.name = try fields("name", \.name)
        self.mediaType = try fields("mediaType", \.mediaType)
        self.size = try fields("size", \.size)
        self.storedSize = try fields("storedSize", \.storedSize)
        self.hash = try fields("hash", \.hash)
        self.owner = try fields("owner", \.owner)
        self.ownerName = try fields("ownerName", \.ownerName)
        self.references = try fields("references", \.references)
        self.isComplete = try fields("complete", \.isComplete)
        self.isDamaged = try fields("damaged", \.isDamaged)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
    }
}

/// A reference that keeps a file from removal.
package struct AdminFileReference: AdminRecord {
    /// Kind of a reference.
    package enum Kind: String, AdminWord, AdminText {
        case message
        /// Picture of a user, full size.
        case avatar
        case smallAvatar
        /// Picture of a group.
        case groupPicture
    }

    /// Kind of the reference.
    package var kind: Kind
    /// Name of the conversation or the user.
    package var name: String
    /// Number of the conversation; `nil` for the picture of a user.
    package var conversation: Int64?
    /// Sequence of the message; `nil` for a picture.
    package var sequence: Int64?

    package init(_ kind: Kind, name: String, conversation: Int64? = nil, sequence: Int64? = nil) {
        self.kind = kind
        self.name = name
        self.conversation = conversation
        self.sequence = sequence
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.kind = try fields("kind", \.kind)
        self.name = try fields("name", \.name)
        self.conversation = try fields("conversation", \.conversation)
        self.sequence = try fields("sequence", \.sequence)
    }
}

/// A link through which anybody who has it can read a file.
package struct AdminFileLink: AdminRecord {
    /// Key of the link.
    package var key: FileLinkKey
    /// Number of the conversation for which it was made; `nil` for none.
    package var conversation: Int64?
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    package init(key: FileLinkKey, conversation: Int64?, createdAtMilliseconds: Int64) {
        self.key = key
        self.conversation = conversation
        self.createdAtMilliseconds = createdAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.key = try fields("key", \.key)
        self.conversation = try fields("conversation", \.conversation)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
    }
}

/// Everything about one file.
package struct AdminFileDetail: AdminRecord {
    /// File.
    package var file: AdminFile
    /// Name of the storage provider that keeps the content; `nil` until the file is complete.
    package var provider: String?
    /// Storage format: `gzip` or `plain`; `nil` until the file is complete.
    package var codec: String?
    /// Metadata of the uploader: a JSON object as text; `nil` for none.
    package var metadata: String?
    /// References, at most `AdminProtocol.pageRows`.
    package var references: [AdminFileReference]
    /// Links, at most `AdminProtocol.pageRows`.
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.file = try fields("file", \.file)
        self.provider = try fields("provider", \.provider)
        self.codec = try fields("codec", \.codec)
        self.metadata = try fields("metadata", \.metadata)
        self.references = try fields("references", \.references)
        self.links = try fields("links", \.links)
    }
}

extension FileTotals: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.init()
        self.files = try fields("files", \.files)
        self.objects = try fields("objects", \.objects)
        self.fileBytes = try fields("fileBytes", \.fileBytes)
        self.plainBytes = try fields("plainBytes", \.plainBytes)
        self.storedBytes = try fields("storedBytes", \.storedBytes)
        self.unreferencedFiles = try fields("orphans", \.unreferencedFiles)
        self.damagedObjects = try fields("damaged", \.damagedObjects)
    }
}

/// Filter and order of a list of files.
package struct AdminFileQuery: AdminRecord {
    /// Order of the list.
    package enum Order: String, AdminWord, AdminText {
        /// The newest first.
        case time
        /// The largest first.
        case size
        /// The best compressed first.
        case ratio
    }

    /// Owner of the files; `nil` for everybody.
    package var owner: UserName?
    /// Conversation in which they were sent, named as in `AdminRequest.listMessages`; `nil` for any.
    package var conversation: String?
    /// Order of the list.
    package var order: Order
    /// True for only files without a reference.
    package var onlyOrphans: Bool
    /// True for only files whose content is damaged.
    package var onlyDamaged: Bool
    /// Maximum number of rows, 1...`AdminProtocol.fileRows`.
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.owner = try fields("owner", \.owner, .option("of", "NAME", "option.fileOwner"))
        self.conversation = try fields(
            "conversation", \.conversation, .option("conversation", "CONVERSATION", "option.conversation"))
        self.order = try fields("order", \.order, .choice("sort", "option.fileSort", hasUsual: true))
        self.onlyOrphans = try fields("orphans", \.onlyOrphans, .flag("orphans", "option.orphans"))
        self.onlyDamaged = try fields("damaged", \.onlyDamaged, .flag("damaged", "option.damaged"))
        let rows = 1...AdminProtocol.fileRows
        self.limit = try fields("limit", \.limit, .number("limit", rows, "option.limit", hasUsual: true))
        let isBounded = rows.contains(self.limit)
        try fields.check(isBounded, "limit")
    }
}

/// A content that differs from the one that was stored.
package struct AdminDamage: AdminRecord {
    /// Hash of the content as it was stored.
    package var hash: ContentHash
    /// Description of the damage.
    package var problem: String

    package init(hash: ContentHash, problem: String) {
        self.hash = hash
        self.problem = problem
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.hash = try fields("hash", \.hash)
        self.problem = try fields("problem", \.problem)
    }
}

/// Progress of a check of contents, or its result.
package struct AdminFileCheck: AdminRecord {
    /// Contents read so far.
    package var objects: Int64
    /// Bytes on the disk read so far.
    package var bytes: Int64
    /// Contents to read in all.
    package var allObjects: Int64
    /// Bytes on the disk to read in all.
    package var allBytes: Int64
    /// Number of contents found damaged.
    package var damagedCount: Int64
    /// The first 100 of them.
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.objects = try fields("objects", \.objects)
        self.bytes = try fields("bytes", \.bytes)
        self.allObjects = try fields("allObjects", \.allObjects)
        self.allBytes = try fields("allBytes", \.allBytes)
        self.damagedCount = try fields("damagedCount", \.damagedCount)
        self.damaged = try fields("damaged", \.damaged)
    }
}

/// Result of the removal of unneeded files, or of its dry run.
package struct AdminCollection: AdminRecord {
    /// True for a dry run, which removes nothing.
    package var isDryRun: Bool
    /// Number of files.
    package var files: Int64
    /// Number of contents that no file has any more.
    package var objects: Int64
    /// Bytes on the disk.
    package var bytes: Int64
    /// Number of unfinished uploads that were given up.
    package var uploads: Int64
    /// Files that a dry run would remove, the first `AdminProtocol.pageRows`; empty for a removal.
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.isDryRun = try fields("dryRun", \.isDryRun)
        self.files = try fields("files", \.files)
        self.objects = try fields("objects", \.objects)
        self.bytes = try fields("bytes", \.bytes)
        self.uploads = try fields("uploads", \.uploads)
        self.names = try fields("names", \.names)
    }
}

/// A message with a file that the operator sends in the name of a user.
package struct AdminFileSend: AdminRecord {
    /// Receiver of a file that the operator sends.
    package enum Target: Equatable, Sendable {
        case user(UserName)
        /// Any conversation, named as in `AdminRequest.listMessages`.
        case conversation(String)
    }

    /// Name of the sender.
    package var from: UserName
    /// Receiver of the message.
    package var to: Target
    /// File to send.
    package var file: FileKey

    package init(from: UserName, to target: Target, file: FileKey) {
        self.from = from
        self.to = target
        self.file = file
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.from = try fields("from", \.from)
        self.to = try fields.inline(\.to)
        self.file = try fields("file", \.file)
    }
}

extension AdminFileSend.Target: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let user: UserName? = try fields("to") { if case .user(let name) = $0 { name } else { nil } }
        let conversation: String? = try fields("conversation") {
            if case .conversation(let name) = $0 { name } else { nil }
        }
        self = try fields.one(of: user.map(Self.user), conversation.map(Self.conversation), or: "conversation")
    }
}
