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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.key = try fields("key", \.key)
        self.name = try fields("name", \.name)
        self.mediaType = try fields("mediaType", \.mediaType)
        self.size = try fields("size", \.size)
        self.storedSize = try fields("storedSize", \.storedSize)
        self.hash = try fields("hash", \.hash)
        self.owner = try fields("owner", \.owner)
        self.references = try fields("references", \.references)
        self.isComplete = try fields("complete", \.isComplete)
        self.isDamaged = try fields("damaged", \.isDamaged)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
    }
}

/// Something that refers to a file, so that it is kept.
package struct AdminFileReference: AdminRecord {
    package enum Kind: String, AdminWord, AdminText {
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.kind = try fields("kind", \.kind)
        self.name = try fields("name", \.name)
        self.conversation = try fields("conversation", \.conversation)
        self.sequence = try fields("sequence", \.sequence)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.key = try fields("key", \.key)
        self.conversation = try fields("conversation", \.conversation)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.file = try fields("file", \.file)
        self.provider = try fields("provider", \.provider)
        self.codec = try fields("codec", \.codec)
        self.metadata = try fields("metadata", \.metadata)
        self.references = try fields("references", \.references)
        self.links = try fields("links", \.links)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.files = try fields("files", \.files)
        self.objects = try fields("objects", \.objects)
        self.fileBytes = try fields("fileBytes", \.fileBytes)
        self.plainBytes = try fields("plainBytes", \.plainBytes)
        self.storedBytes = try fields("storedBytes", \.storedBytes)
        self.orphans = try fields("orphans", \.orphans)
        self.damaged = try fields("damaged", \.damaged)
    }
}

/// Which files to list.
package struct AdminFileQuery: AdminRecord {
    package enum Order: String, AdminWord, AdminText {
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.owner = try fields("owner", \.owner)
        self.conversation = try fields("conversation", \.conversation)
        self.order = try fields("order", \.order)
        self.onlyOrphans = try fields("orphans", \.onlyOrphans)
        self.onlyDamaged = try fields("damaged", \.onlyDamaged)
        self.limit = try fields("limit", \.limit)
        let isBounded = (1...AdminProtocol.fileRows).contains(self.limit)
        try fields.check(isBounded, "limit")
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.hash = try fields("hash", \.hash)
        self.problem = try fields("problem", \.problem)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.objects = try fields("objects", \.objects)
        self.bytes = try fields("bytes", \.bytes)
        self.allObjects = try fields("allObjects", \.allObjects)
        self.allBytes = try fields("allBytes", \.allBytes)
        self.damagedCount = try fields("damagedCount", \.damagedCount)
        self.damaged = try fields("damaged", \.damaged)
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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.isDryRun = try fields("dryRun", \.isDryRun)
        self.files = try fields("files", \.files)
        self.objects = try fields("objects", \.objects)
        self.bytes = try fields("bytes", \.bytes)
        self.uploads = try fields("uploads", \.uploads)
        self.names = try fields("names", \.names)
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
        if let user {
            self = .user(user)
        } else {
            guard let conversation else { throw .field("conversation") }
            self = .conversation(conversation)
        }
    }
}
