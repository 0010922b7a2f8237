/// SHA-256 of the plain content of a file: what it is kept under.
package struct ContentHash: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    package let bytes: [UInt8]

    /// - Returns: `nil` for anything but 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// - Returns: `nil` for anything but 64 hexadecimal digits in lower case.
    package init?(hex: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        var high: UInt8?
        for digit in hex.utf8 {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        guard high == nil else { return nil }
        self.init(bytes)
    }

    /// 64 hexadecimal digits.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: self.bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    package var description: String { self.hex }
}

/// The random name of a file, a link or a transfer: `th-`, a letter for what it is, and 26 characters of `a-z2-7`, which
/// are 130 random bits.
package struct RandomKey: Hashable, Sendable, CustomStringConvertible {
    /// Kind of what the key names.
    package enum Kind: UInt8, Sendable {
        /// `th-f`: a file.
        case file = 0x66
        /// `th-l`: a link to a file, or to a place for one.
        case link = 0x6C
        /// `th-t`: an upload or download.
        case transfer = 0x74
    }

    /// Text of the key.
    package let text: String

    /// `th-`.
    package static let marker: [UInt8] = Array("th-".utf8)
    /// Characters of a whole key.
    package static let length = 30

    /// - Returns: `nil` for what is no key of this kind.
    package init?(_ text: String, _ kind: Kind) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.length, bytes.starts(with: Self.marker), bytes[3] == kind.rawValue,
            bytes[4...].allSatisfy(Self.isDigit)
        else { return nil }
        self.text = text
    }

    /// - Parameter random: 26 random bytes or more, of which five bits each are used.
    package init(_ kind: Kind, random: [UInt8]) {
        precondition(random.count >= 26)
        let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        let key = Self.marker + [kind.rawValue] + random.prefix(26).map { digits[Int($0 & 31)] }
        self.text = String(decoding: key, as: UTF8.self)
    }

    /// Kind.
    package var kind: Kind { Kind(rawValue: Array(self.text.utf8)[3]) ?? .file }

    package var description: String { self.text }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(byte)
    }
}

/// Public key of a file: `RandomKey` of kind `file`.
package struct FileKey: Hashable, Sendable, CustomStringConvertible {
    /// Key itself.
    package let key: RandomKey
    /// Text of the key.
    package var text: String { self.key.text }
    package var description: String { self.key.text }

    /// Reads a key; `nil` for text that is none.
    package init?(_ text: String) {
        guard let key = RandomKey(text, .file) else { return nil }
        self.key = key
    }

    package init(random: [UInt8]) { self.key = RandomKey(.file, random: random) }
}

/// Key that gives everybody who has it one file, or the right to upload one.
package struct FileLinkKey: Hashable, Sendable, CustomStringConvertible {
    /// Key itself.
    package let key: RandomKey
    /// Text of the key.
    package var text: String { self.key.text }
    package var description: String { self.key.text }

    /// Reads a key; `nil` for text that is none.
    package init?(_ text: String) {
        guard let key = RandomKey(text, .link) else { return nil }
        self.key = key
    }

    package init(random: [UInt8]) { self.key = RandomKey(.link, random: random) }
}

/// Public key of an upload or download.
package struct TransferKey: Hashable, Sendable, CustomStringConvertible {
    /// Key itself.
    package let key: RandomKey
    /// Text of the key.
    package var text: String { self.key.text }
    package var description: String { self.key.text }

    /// Reads a key; `nil` for text that is none.
    package init?(_ text: String) {
        guard let key = RandomKey(text, .transfer) else { return nil }
        self.key = key
    }

    package init(random: [UInt8]) { self.key = RandomKey(.transfer, random: random) }
}

/// A file in the store: small, never reused, never shown outside.
package struct FileID: Hashable, Sendable, Comparable {
    package var rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: FileID, right: FileID) -> Bool { left.rawValue < right.rawValue }
}

/// An upload or download in the store.
package struct TransferID: Hashable, Sendable, Comparable {
    package var rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: TransferID, right: TransferID) -> Bool { left.rawValue < right.rawValue }
}

/// How a content is kept; the numbers are stored.
package enum FileCodec: Int64, Sendable, CaseIterable {
    case plain = 0
    /// One standard gzip member.
    case gzip = 1
}

/// A content that is kept once, however often it was uploaded.
package struct StoredObject: Hashable, Sendable {
    /// Hash of the plain content.
    package var hash: ContentHash
    /// Bytes of the plain content.
    package var size: Int64
    /// Bytes on the disk.
    package var storedSize: Int64
    /// Form of the stored content.
    package var codec: FileCodec
    /// The name of the `FileProvider` that keeps it.
    package var provider: String

    package init(hash: ContentHash, size: Int64, storedSize: Int64, codec: FileCodec, provider: String) {
        self.hash = hash
        self.size = size
        self.storedSize = storedSize
        self.codec = codec
        self.provider = provider
    }
}

/// State of a file's content; the numbers are stored.
package enum FileState: Int64, Sendable, CaseIterable {
    case uploading = 0
    case complete = 1
}

/// A file: a content with a name, an owner and a type.
package struct FileRecord: Hashable, Sendable {
    /// Identifies the file in the store.
    package var id: FileID
    /// Public key of the file.
    package var key: FileKey
    /// Owner.
    package var owner: UserID
    /// Name of the owner.
    package var ownerName: UserName
    /// As the uploader called it: data for people, never a path.
    package var name: String
    /// As the uploader said; what a browser is told is decided when it is served.
    package var mediaType: String
    /// Bytes; of a file that is still uploaded what was declared, or 0.
    package var size: Int64
    /// The text of a JSON object with what the client knows (width, height, seconds); `nil` for nothing.
    package var metadata: [UInt8]?
    /// State of the content.
    package var state: FileState
    /// `nil` until the file is complete.
    package var object: StoredObject?
    /// True when the content on the disk is damaged.
    package var isDamaged: Bool
    /// Messages and pictures that refer to it.
    package var references: Int64
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    package init(
        id: FileID, key: FileKey, owner: UserID, ownerName: UserName, name: String, mediaType: String, size: Int64,
        metadata: [UInt8]?, state: FileState, object: StoredObject?, isDamaged: Bool, references: Int64,
        createdAtMilliseconds: Int64
    ) {
        self.id = id
        self.key = key
        self.owner = owner
        self.ownerName = ownerName
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.metadata = metadata
        self.state = state
        self.object = object
        self.isDamaged = isDamaged
        self.references = references
        self.createdAtMilliseconds = createdAtMilliseconds
    }
}

/// The numbers are stored.
package enum TransferDirection: Int64, Sendable, CaseIterable {
    case upload = 0
    case download = 1

    /// For answers and lists.
    package var word: String {
        switch self {
        case .upload: "upload"
        case .download: "download"
        }
    }
}

/// Purpose of a transfer: each class has bandwidth caps of its own. The numbers are stored.
package enum TransferClass: Int64, Sendable, CaseIterable {
    /// File of a message.
    case attachment = 0
    /// A picture of a person or group.
    case avatar = 1
    /// File that the operator sends or reads.
    case `operator` = 2

    /// For answers and lists.
    package var word: String {
        switch self {
        case .attachment: "attachment"
        case .avatar: "avatar"
        case .operator: "operator"
        }
    }
}

/// Where a transfer stands; the numbers are stored. Source: the states of NIMKit's and WuKongIM's tasks.
package enum TransferState: Int64, Sendable, CaseIterable {
    /// Nothing moves: nobody is connected for it.
    case waiting = 0
    case progressing = 1
    /// Held by its owner or the operator.
    case suspended = 2
    case succeeded = 3
    case failed = 4
    case cancelled = 5

    /// For answers and lists.
    package var word: String {
        switch self {
        case .waiting: "waiting"
        case .progressing: "progressing"
        case .suspended: "suspended"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    /// Nothing will change any more.
    package var isOver: Bool { self.rawValue >= TransferState.succeeded.rawValue }
}

/// An upload or download.
package struct TransferRecord: Hashable, Sendable {
    /// Identifies the transfer in the store.
    package var id: TransferID
    /// Public key of the transfer.
    package var key: TransferKey
    /// Upload or download.
    package var direction: TransferDirection
    /// Class, which has bandwidth caps of its own.
    package var transferClass: TransferClass
    /// State of the transfer.
    package var state: TransferState
    /// Owner.
    package var owner: UserID
    /// Name of the owner.
    package var ownerName: UserName
    /// Public key of the file.
    package var file: FileKey
    /// Name of the file.
    package var fileName: String
    /// Media type, such as `image/png`.
    package var mediaType: String
    /// Bytes in all; `nil` while the uploader has not said.
    package var size: Int64?
    /// Bytes that are done, from the beginning of the file.
    package var offset: Int64
    /// The name of the `FileProvider` that it goes to or comes from.
    package var provider: String
    /// Why it failed, for people.
    package var error: String?
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Time of the last change, UTC milliseconds.
    package var updatedAtMilliseconds: Int64
    /// When an unfinished upload is given up; `nil` for one that is over.
    package var expiresAtMilliseconds: Int64?

    package init(
        id: TransferID, key: TransferKey, direction: TransferDirection, transferClass: TransferClass,
        state: TransferState, owner: UserID, ownerName: UserName, file: FileKey, fileName: String, mediaType: String,
        size: Int64?, offset: Int64, provider: String, error: String? = nil, createdAtMilliseconds: Int64,
        updatedAtMilliseconds: Int64, expiresAtMilliseconds: Int64?
    ) {
        self.id = id
        self.key = key
        self.direction = direction
        self.transferClass = transferClass
        self.state = state
        self.owner = owner
        self.ownerName = ownerName
        self.file = file
        self.fileName = fileName
        self.mediaType = mediaType
        self.size = size
        self.offset = offset
        self.provider = provider
        self.error = error
        self.createdAtMilliseconds = createdAtMilliseconds
        self.updatedAtMilliseconds = updatedAtMilliseconds
        self.expiresAtMilliseconds = expiresAtMilliseconds
    }
}

/// Request for an upload.
package struct UploadDraft: Sendable {
    /// Actor.
    package var actor: Actor
    /// Owner of the file: the actor, or the person whom the operator uploads for.
    package var owner: UserID
    /// Name of the file.
    package var name: String
    /// Media type, such as `image/png`.
    package var mediaType: String
    /// Bytes; `nil` when the uploader will say later.
    package var size: Int64?
    /// The text of a JSON object; `nil` for nothing.
    package var metadata: [UInt8]?
    /// Class, which has bandwidth caps of its own.
    package var transferClass: TransferClass
    /// The conversation it is meant for: a link for readers without a session is made when it is complete.
    package var conversation: ConversationID?
    /// Provider that takes the file.
    package var provider: String
    /// Public key of the transfer.
    package var key: TransferKey
    /// Public key of the file.
    package var file: FileKey

    package init(
        actor: Actor, owner: UserID, name: String, mediaType: String, size: Int64?, metadata: [UInt8]? = nil,
        transferClass: TransferClass = .attachment, conversation: ConversationID? = nil, provider: String,
        key: TransferKey, file: FileKey
    ) {
        self.actor = actor
        self.owner = owner
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.metadata = metadata
        self.transferClass = transferClass
        self.conversation = conversation
        self.provider = provider
        self.key = key
        self.file = file
    }
}

/// The bounds of files. 0 is no bound, unless said otherwise.
package struct FileLimits: Hashable, Sendable {
    /// Bytes of one file.
    package var fileBytes: Int64 = 4 << 30
    /// Bytes of one person's files, with what their open uploads have declared.
    package var personBytes: Int64 = 10 << 30
    /// Bytes of all files.
    package var allBytes: Int64 = 0
    /// Bytes that one person may upload within a day, with what their open uploads have declared.
    package var dayBytes: Int64 = 4 << 30
    /// Uploads that one person may begin within an hour.
    package var hourUploads: Int64 = 200
    /// Unfinished uploads of one person.
    package var openUploads: Int64 = 8
    /// After how long an upload on which nothing moves is given up; never 0.
    package var idleHours: Int64 = 24
    /// After how long a file that nothing refers to is removed; never 0.
    package var unreferencedHours: Int64 = 24
    /// True when readers without a session get links.
    package var makesLinks = true

    package init() {}
}

/// How much of their bounds somebody uses.
package struct QuotaUse: Hashable, Sendable {
    /// Bytes of complete files.
    package var bytes: Int64
    /// Bytes that open uploads have declared.
    package var reservedBytes: Int64
    /// Maximum number of unfinished uploads of the owner.
    package var openUploads: Int64

    package init(bytes: Int64 = 0, reservedBytes: Int64 = 0, openUploads: Int64 = 0) {
        self.bytes = bytes
        self.reservedBytes = reservedBytes
        self.openUploads = openUploads
    }
}

/// Query of transfers, newest first.
package struct TransferQuery: Hashable, Sendable {
    /// Owner.
    package var owner: UserID?
    /// Upload or download.
    package var direction: TransferDirection?
    /// True to include finished transfers.
    package var includesOver = false
    /// 1...1,000.
    package var limit = 100

    package init() {}
}

/// Query of files.
package struct FileQuery: Hashable, Sendable {
    /// Order of a list.
    package enum Order: Hashable, Sendable {
        case newest
        case largest
        /// The best compressed first.
        case ratio
    }

    /// Owner.
    package var owner: UserID?
    /// Conversation.
    package var conversation: ConversationID?
    /// Order of the list.
    package var order = Order.newest
    /// Only those that nothing refers to.
    package var onlyUnreferenced = false
    /// True for damaged files alone.
    package var onlyDamaged = false
    /// 1...1,000.
    package var limit = 100

    package init() {}
}

/// All files together.
package struct FileTotals: Hashable, Sendable {
    /// Number of files.
    package var files: Int64 = 0
    /// Number of objects.
    package var objects: Int64 = 0
    /// Bytes of the files, each counted by itself.
    package var fileBytes: Int64 = 0
    /// Bytes of the objects' plain contents.
    package var plainBytes: Int64 = 0
    /// Bytes of the objects on the disk.
    package var storedBytes: Int64 = 0
    /// Files that nothing refers to.
    package var unreferencedFiles: Int64 = 0
    /// Objects whose content is damaged.
    package var damagedObjects: Int64 = 0

    package init() {}
}

/// A place for a file, given to whoever has its key.
package struct UploadLink: Hashable, Sendable {
    /// Key that the link ends with.
    package var key: FileLinkKey
    /// Owner.
    package var owner: UserID
    /// Class, which has bandwidth caps of its own.
    package var transferClass: TransferClass
    /// Conversation.
    package var conversation: ConversationID?
    /// Text that the gateway which made it stored for itself; `nil` for nothing.
    package var purpose: String?
    /// Announced file of an app: the link gives its content once it has arrived. `nil` for other uploads.
    package var announced: Announced?

    /// File that an app announces.
    package struct Announced: Hashable, Sendable {
        /// Name of the file.
        package var name: String
        /// Empty for what the upload says.
        package var mediaType: String
        /// The text of a JSON object; `nil` for nothing.
        package var metadata: [UInt8]?

        package init(name: String, mediaType: String, metadata: [UInt8]?) {
            self.name = name
            self.mediaType = mediaType
            self.metadata = metadata
        }
    }

    package init(
        key: FileLinkKey, owner: UserID, transferClass: TransferClass, conversation: ConversationID?, purpose: String?
    ) {
        self.key = key
        self.owner = owner
        self.transferClass = transferClass
        self.conversation = conversation
        self.purpose = purpose
    }
}

/// Holder of a picture; the numbers are stored.
package enum PictureHolder: Hashable, Sendable {
    case person(UserID, isSmall: Bool)
    case conversation(ConversationID, isSmall: Bool)
}

/// A message that names a file.
package struct FileReference: Hashable, Sendable {
    /// Place of the message.
    package var place: MessagePlace
    /// It names a link, not the file's own key.
    package var isLink: Bool

    package init(place: MessagePlace, isLink: Bool) {
        self.place = place
        self.isLink = isLink
    }
}
