import ChatModel

/// Requests by which `ctl backup` makes a backup, one at a time on a connection, which writes it where the operator may.
package enum AdminBackupRequest: AdminDefinitions {
    /// Copies the database; events tell the progress. The copy is kept until `finish`, or until the connection ends.
    case begin
    /// Lists the files that belong into the backup; `after` is the `next` of the page before.
    case files(after: String?)
    /// Reads a file from an offset on; an answer without bytes is its end.
    case read(AdminBackupPlace)
    /// Says that the backup is whole and was verified, and lets the copy go.
    case finish(AdminBackupEnd)

    static let all: [Self] = [.begin, .files(after: .sample), .read(.sample), .finish(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        // Everything is read, keys included.
        case .begin:
            fields.look("backup.begin", isAudited: true)
            return self
        case .files(let after):
            fields.look("backup.files")
            return try .files(after: fields("after", after))
        case .read(let place):
            fields.look("backup.read")
            return try .read(fields.inline(place))
        case .finish(let end):
            fields.look("backup.finish", end.name, isAudited: true)
            return try .finish(fields.inline(end))
        }
    }
}

/// Answers about a backup that is being made.
package enum AdminBackupAnswer: AdminFamily {
    case begun(AdminBackupFacts)
    /// A page; `next` asks for the one after it, `nil` on the last.
    case files([AdminBackupFile], next: String?)
    case piece(AdminBackupPiece)
    case noted(AdminLastBackup)

    static let all: [Self] = [.begun(.sample), .files(.sample, next: .sample), .piece(.sample), .noted(.sample)]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .begun(let facts): try .begun(fields.named("backup.begun").inline(facts))
        case .files(let files, let next):
            try .files(fields.named("backup.files")("files", files), next: fields("next", next))
        case .piece(let piece): try .piece(fields.named("backup.piece").inline(piece))
        case .noted(let last): try .noted(fields.named("backup.noted").inline(last))
        }
    }
}

/// A place in a file of a backup.
package struct AdminBackupPlace: AdminRecord {
    /// Path in the backup.
    package var path: String
    /// Offset in the file, bytes.
    package var offset: Int64

    package init(path: String, offset: Int64) {
        self.path = path
        self.offset = offset
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.path = try fields("path", \.path)
        self.offset = try fields("offset", \.offset)
        let offset = self.offset
        try fields.check(offset >= 0, "offset")
    }
}

/// Bytes of a file of a backup.
package struct AdminBackupPiece: AdminRecord {
    /// At most `AdminProtocol.backupPieceBytes`; none at the end of the file. On the socket in base64.
    package var bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.bytes = try fields("bytes") { AdminBytes($0.bytes) }.bytes
    }
}

/// A file that belongs into a backup.
package struct AdminBackupFile: AdminRecord {
    /// Path in the backup.
    package var path: String
    /// Size of the file, bytes.
    package var bytes: Int64
    /// True for a file whose bytes never change under its name.
    package var isContent: Bool

    package init(path: String, bytes: Int64, isContent: Bool) {
        self.path = path
        self.bytes = bytes
        self.isContent = isContent
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.path = try fields("path", \.path)
        self.bytes = try fields("bytes", \.bytes)
        self.isContent = try fields("content", \.isContent)
    }
}

/// Facts about what a backup is made of.
package struct AdminBackupFacts: AdminRecord {
    /// Time of the copy of the database, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Version of the server.
    package var version: String
    /// Horizon inside which client tokens are checked, days.
    package var tokenDays: Int64
    /// Version of the database's schema.
    package var schema: Int64
    /// Epoch of the database.
    package var epoch: Int64
    /// Position of the newest change in the copy.
    package var position: Int64
    /// Size of the copy, bytes.
    package var databaseBytes: Int64
    /// Number of users.
    package var users: Int64
    /// Number of conversations.
    package var conversations: Int64
    /// Number of messages.
    package var messages: Int64
    /// Number of contents that are known to be damaged, and are not in the backup.
    package var damagedContents: Int64

    package init(
        atMilliseconds: Int64, version: String, tokenDays: Int64, schema: Int64, epoch: Int64, position: Int64,
        databaseBytes: Int64, users: Int64, conversations: Int64, messages: Int64, damagedContents: Int64
    ) {
        self.atMilliseconds = atMilliseconds
        self.version = version
        self.tokenDays = tokenDays
        self.schema = schema
        self.epoch = epoch
        self.position = position
        self.databaseBytes = databaseBytes
        self.users = users
        self.conversations = conversations
        self.messages = messages
        self.damagedContents = damagedContents
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.version = try fields("version", \.version)
        self.tokenDays = try fields("tokenDays", \.tokenDays)
        self.schema = try fields("schema", \.schema)
        self.epoch = try fields("epoch", \.epoch)
        self.position = try fields("position", \.position)
        self.databaseBytes = try fields("databaseBytes", \.databaseBytes)
        self.users = try fields("users", \.users)
        self.conversations = try fields("conversations", \.conversations)
        self.messages = try fields("messages", \.messages)
        self.damagedContents = try fields("damagedContents", \.damagedContents)
    }
}

/// A backup that is whole and was verified.
package struct AdminBackupEnd: AdminRecord {
    /// Name of its folder.
    package var name: String
    /// Size of all its files, bytes.
    package var bytes: Int64
    /// Hash of its list of files, in hexadecimal.
    package var proof: String

    package init(name: String, bytes: Int64, proof: String) {
        self.name = name
        self.bytes = bytes
        self.proof = proof
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.bytes = try fields("bytes", \.bytes)
        self.proof = try fields("proof", \.proof)
    }
}

/// The last backup that was verified.
package struct AdminLastBackup: AdminRecord {
    /// Time of the copy of the database in it, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Time at which it was verified, UTC milliseconds.
    package var verifiedAtMilliseconds: Int64
    /// Name of its folder.
    package var name: String
    /// Size of all its files, bytes.
    package var bytes: Int64
    /// Beginning of the hash of its list of files, in hexadecimal.
    package var proof: String

    package init(atMilliseconds: Int64, verifiedAtMilliseconds: Int64, name: String, bytes: Int64, proof: String) {
        self.atMilliseconds = atMilliseconds
        self.verifiedAtMilliseconds = verifiedAtMilliseconds
        self.name = name
        self.bytes = bytes
        self.proof = proof
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.verifiedAtMilliseconds = try fields("verified", \.verifiedAtMilliseconds)
        self.name = try fields("name", \.name)
        self.bytes = try fields("bytes", \.bytes)
        self.proof = try fields("proof", \.proof)
    }
}

/// Progress of copying the database for a backup.
package struct AdminBackupProgress: AdminRecord {
    /// Bytes that are copied.
    package var bytes: Int64
    /// Bytes of the database.
    package var allBytes: Int64

    package init(bytes: Int64, allBytes: Int64) {
        self.bytes = bytes
        self.allBytes = allBytes
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.bytes = try fields("bytes", \.bytes)
        self.allBytes = try fields("allBytes", \.allBytes)
    }
}
