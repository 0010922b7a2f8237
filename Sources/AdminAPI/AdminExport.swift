package import ChatModel

/// Requests by which `ctl audit export-messages` and `ctl user export` make a copy, one at a time on a connection.
///
/// `begin` says what is read and is in the audit log; the other requests read that and nothing else.
package enum AdminExportRequest: AdminDefinitions {
    /// Needs a reason. What was begun before on the connection ends with it.
    case begin(AdminExportScope)
    /// Lists the conversations by number; `after` is the `next` of the page before.
    case conversations(after: Int64?)
    /// Lists messages of one conversation, by its number, oldest first, behind a sequence.
    case messages(conversation: Int64, after: Int64)
    /// Shows users by name, at most `AdminProtocol.pageRows`; unknown names are left out.
    case people([UserName])
    /// Lists the complete files of the one person, oldest first; `after` is the `next` of the page before.
    case files(after: Int64?)
    /// Reads a file from an offset on; an answer without bytes is its end.
    case read(AdminExportPlace)

    static let all: [Self] = [
        .begin(.sample), .conversations(after: .sample), .messages(conversation: .sample, after: .sample),
        .people(.sample), .files(after: .sample), .read(.sample),
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .begin(let scope):
            fields.look(
                "export.begin", scope.person?.text ?? scope.conversations.first ?? scope.people.first?.text,
                isAudited: true)
            return try .begin(fields.inline(scope))
        case .conversations(let after):
            fields.look("export.conversations")
            return try .conversations(after: fields("after", after))
        case .messages(let conversation, let after):
            fields.look("export.messages")
            return try .messages(
                conversation: fields("conversation", conversation), after: fields("after", after, in: 0...Int64.max))
        case .people(let names):
            fields.look("export.people")
            return try .people(fields("people", names, count: 1...AdminProtocol.pageRows))
        case .files(let after):
            fields.look("export.files")
            return try .files(after: fields("after", after))
        case .read(let place):
            fields.look("export.read")
            return try .read(fields.inline(place))
        }
    }
}

/// Answers about an export that was begun.
package enum AdminExportAnswer: AdminFamily {
    /// Time at which it was begun, UTC milliseconds, and version of the server.
    case begun(atMilliseconds: Int64, version: String)
    /// A page; `next` asks for the one after it, `nil` on the last.
    case conversations([AdminExportConversation], next: Int64?)
    case messages([AdminExportMessage], next: Int64?)
    case people([AdminUser])
    case files([AdminExportFile], next: Int64?)
    case piece(AdminBackupPiece)

    static let all: [Self] = [
        .begun(atMilliseconds: .sample, version: .sample), .conversations(.sample, next: .sample),
        .messages(.sample, next: .sample), .people(.sample), .files(.sample, next: .sample), .piece(.sample),
    ]

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .begun(let time, let version):
            try .begun(
                atMilliseconds: fields.named("export.begun")("at", time), version: fields("version", version))
        case .conversations(let rows, let next):
            try .conversations(
                fields.named("export.conversations")("conversations", rows), next: fields("next", next))
        case .messages(let rows, let next):
            try .messages(fields.named("export.messages")("messages", rows), next: fields("next", next))
        case .people(let people): try .people(fields.named("export.people")("people", people))
        case .files(let files, let next):
            try .files(fields.named("export.files")("files", files), next: fields("next", next))
        case .piece(let piece): try .piece(fields.named("export.piece").inline(piece))
        }
    }
}

/// Choice of what is exported.
package struct AdminExportScope: AdminRecord {
    /// The one person whose data it is, with messages as they see them; `nil` for an export for auditors, which has all
    /// messages with their former bodies.
    package var person: UserName?
    /// People whose conversations are in it, with those that they have left; at most `maximumNames`.
    package var people: [UserName] = []
    /// Conversations that are in it, named as in `AdminRequest.listMessages`; at most `maximumNames`. Without people
    /// and conversations all are.
    package var conversations: [String] = []
    /// Time of the earliest message, UTC milliseconds; `nil` for no bound.
    package var fromMilliseconds: Int64?
    /// Time before which messages were sent, UTC milliseconds; `nil` for no bound.
    package var untilMilliseconds: Int64?

    /// Maximum number of people, and of conversations, that one export names.
    package static let maximumNames = 200

    package init(person: UserName? = nil) { self.person = person }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.person = try fields("person", \.person)
        self.people = try fields("people", \.people, usually: [])
        self.conversations = try fields("conversations", \.conversations, usually: [])
        self.fromMilliseconds = try fields("from", \.fromMilliseconds)
        self.untilMilliseconds = try fields("until", \.untilMilliseconds)
        let (people, conversations) = (self.people, self.conversations)
        let (from, until) = (self.fromMilliseconds ?? .min, self.untilMilliseconds ?? .max)
        try fields.check(from <= until, "until")
        try fields.check(people.count <= Self.maximumNames, "people")
        try fields.check(conversations.count <= Self.maximumNames, "conversations")
    }
}

/// A conversation of an export.
package struct AdminExportConversation: AdminRecord {
    /// Conversation with its members, at most `AdminProtocol.pageRows` of them.
    package var detail: AdminConversationDetail
    /// True when there is a message in it that belongs into the export, or may be.
    package var hasMessages: Bool

    package init(detail: AdminConversationDetail, hasMessages: Bool) {
        self.detail = detail
        self.hasMessages = hasMessages
    }

    /// The conversation as one JSON object.
    package var json: [UInt8] { self.detail.object }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.detail = try fields.inline(\.detail)
        self.hasMessages = try fields("hasMessages", \.hasMessages)
    }
}

/// A message of an export.
package struct AdminExportMessage: AdminRecord {
    /// Message without its former bodies.
    package var message: AdminExportedMessage
    /// Name that people see of the sender; `nil` for none.
    package var senderName: String?
    /// Line of a kind that an app has registered; `nil` for other kinds.
    package var line: String?
    /// Form of the body.
    package var form: AdminBodyForm
    /// Former bodies, oldest first; of a recalled message the recalled one as well. None for the export of a person.
    package var former: [AdminExportVersion] = []
    /// Number of former bodies that are left out of `former`, because together they do not fit.
    package var formerLeftOut: Int64 = 0
    /// Files that the bodies name.
    package var files: [AdminExportFile] = []

    package init(_ message: AdminExportedMessage, form: AdminBodyForm, senderName: String?, line: String? = nil) {
        self.message = message
        self.form = form
        self.senderName = senderName
        self.line = line
    }

    /// Leaves out former bodies beyond `AdminExportedMessage.maximumFormerBytes`: the oldest edits first.
    package mutating func boundFormer() {
        let all = self.former.count
        self.former = self.former.firstAndLast(bytes: AdminExportedMessage.maximumFormerBytes) { $0.version.body.count }
        self.formerLeftOut = Int64(all - self.former.count)
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.message = try fields.inline(\.message)
        self.senderName = try fields("senderName", \.senderName)
        self.line = try fields("line", \.line)
        self.form = try fields("form", \.form)
        self.former = try fields("versions", \.former, usually: [])
        self.formerLeftOut = try fields("versionsLeftOut", \.formerLeftOut, usually: 0)
        self.files = try fields("files", \.files, usually: [])
    }
}

/// A former body of a message of an export.
package struct AdminExportVersion: AdminRecord {
    /// Number, editor, time and body.
    package var version: AdminFormerBody
    /// Form of the body.
    package var form: AdminBodyForm

    package init(_ version: AdminFormerBody, form: AdminBodyForm) {
        self.version = version
        self.form = form
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.version = try fields.inline(\.version)
        self.form = try fields("form", \.form)
    }
}

/// Form of a body: what has to be known beside its bytes to read it.
package struct AdminBodyForm: AdminRecord {
    /// Protocol that it came by.
    package var wire: WireFormat
    /// Flags of the message.
    package var flags: MessageFlags

    package init(_ content: MessageContent) {
        self.wire = content.wire
        self.flags = content.flags
    }

    /// The content that a body of this form is.
    package func content(_ body: [UInt8], kind: MessageKind) -> MessageContent {
        MessageContent(kind: kind, flags: self.flags, wire: self.wire, body: body)
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let wire: Int64 = try fields("wire", \.wire.rawValue)
        self.flags = MessageFlags(rawValue: try fields("flags", \.flags.rawValue))
        self.wire = WireFormat(rawValue: wire) ?? .native
        try fields.check(WireFormat(rawValue: wire) != nil, "wire")
    }
}

/// A file of an export.
package struct AdminExportFile: AdminRecord {
    /// Key of the file.
    package var key: FileKey
    /// Name as the uploader gave it.
    package var name: String
    /// Media type; empty for none.
    package var mediaType: String
    /// Size, bytes.
    package var bytes: Int64
    /// SHA-256 of the content, in hexadecimal.
    package var hash: String

    package init(key: FileKey, name: String, mediaType: String, bytes: Int64, hash: String) {
        self.key = key
        self.name = name
        self.mediaType = mediaType
        self.bytes = bytes
        self.hash = hash
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.key = try fields("key", \.key)
        self.name = try fields("name", \.name)
        self.mediaType = try fields("mediaType", \.mediaType)
        self.bytes = try fields("bytes", \.bytes)
        self.hash = try fields("sha256", \.hash)
    }
}

/// A place in a file of an export.
package struct AdminExportPlace: AdminRecord {
    /// Key of the file.
    package var file: FileKey
    /// Number of the conversation of a message that names the file; 0 for a file of the one person.
    package var conversation: Int64
    /// Sequence of that message; 0 for a file of the one person.
    package var sequence: Int64
    /// Offset in the file, bytes.
    package var offset: Int64

    package init(file: FileKey, conversation: Int64 = 0, sequence: Int64 = 0, offset: Int64 = 0) {
        self.file = file
        self.conversation = conversation
        self.sequence = sequence
        self.offset = offset
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.file = try fields("file", \.file)
        self.conversation = try fields("conversation", \.conversation, usually: 0)
        self.sequence = try fields("sequence", \.sequence, usually: 0)
        self.offset = try fields("offset", \.offset)
        let offset = self.offset
        try fields.check(offset >= 0, "offset")
    }
}

extension AdminUser {
    /// The person as one JSON object.
    package var json: [UInt8] { self.object }
}
