import ByteCodec
package import ChatModel

/// What an operator can ask about conversations and their messages, beyond `AdminRequest`'s own cases. A conversation
/// is named as in `listMessages`.
package enum AdminConversationRequest: Hashable, Sendable {
    /// The conversations of a person by number; `after` is the `next` of the page before.
    case list(of: UserName, after: Int64?)
    /// The conversation of two people, made when they have none.
    case createDirect(UserName, UserName)
    /// A room has no members: people listen while they are there.
    case createRoom(ChannelName, title: String?)
    /// Another title; `nil` removes it.
    case rename(String, title: String?)
    /// Merges a JSON object, as text, into the attributes that apps keep with a conversation, as RFC 7396 says: `null`
    /// removes a key. At most `AdminProtocol.attributesPatchBytes`; what comes of it has the bound of the conversation.
    case setAttributes(String, patch: String)
    /// Nobody is in it or sends to it any more. Its history stays, for operators.
    case delete(String)
    /// A page of messages, 1...`AdminProtocol.pageMessages`.
    case look(String, AdminConversationPlace, limit: Int64)
    /// Takes a message back as its sender could, however old it is; `forGood`: as if it had never been.
    case recall(String, sequence: Int64, forGood: Bool)
    /// What became of a message for each who gets it, by the number of the person; `after` is the `next` of the page
    /// before.
    case trace(String, sequence: Int64, after: Int64?)
    /// The messages before a sequence exactly as this member gets them; asks for a reason, and is in the audit log.
    case seeAs(String, UserName, before: Int64?, limit: Int64)
    /// Whole messages after a sequence, oldest first, as many as fit; is in the audit log. `as` a member: what they are
    /// shown, as it stands, which asks for a reason.
    case export(String, after: Int64, as: UserName? = nil)
    /// What the end of quiet conversations would delete now, without deleting it: those in which nothing was said and
    /// nothing changed for so many days, 1...36500; `nil` for as many as the server is set to.
    case expiring(days: Int64?)
}

/// Where to look in a conversation.
package enum AdminConversationPlace: Hashable, Sendable {
    /// Just before this sequence.
    case before(Int64)
    /// Just after this sequence.
    case after(Int64)
    /// This sequence with its neighbours.
    case around(Int64)
    /// From the first message at or after a time on, UTC milliseconds.
    case since(Int64)
}

extension AdminConversationRequest: AdminOperations {
    static let all: [Self] = [
        .list(of: .sample, after: .sample), .createDirect(.sample, .sample), .createRoom(.sample, title: .sample),
        .rename(.sample, title: .sample), .setAttributes(.sample, patch: .sample), .delete(.sample),
        .look(.sample, .sample, limit: .sample), .recall(.sample, sequence: .sample, forGood: .sample),
        .trace(.sample, sequence: .sample, after: .sample), .seeAs(.sample, .sample, before: .sample, limit: .sample),
        .export(.sample, after: .sample, as: .sample), .expiring(days: .sample),
    ]

    package var operation: AdminOperation {
        switch self {
        case .list(let member, let after):
            .look(
                "conversation.of", member.text,
                ctl: after == nil ? ctl("conversation list", .option("member", member.text)) : nil)
        case .createDirect(let one, let other):
            .change(
                "conversation.direct", "\(one.text),\(other.text)",
                ctl: ctl("conversation direct", .word(one.text), .word(other.text)))
        case .createRoom(let name, let title):
            .change(
                "conversation.room", name.text, ctl: ctl("conversation room", .word(name.text), .option("title", title))
            )
        case .rename(let name, let title):
            .change("conversation.rename", name, ctl: ctl("conversation rename", .word(name), .word(title)))
        case .setAttributes(let name, let patch):
            .change(
                "conversation.attributes", name,
                ctl: Self.options(setting: patch).map { ctl("conversation attributes", [.word(name)] + $0) })
        case .delete(let name): .change("conversation.delete", name, ctl: ctl("conversation delete", .word(name)))
        case .look(let name, let place, let limit):
            .look(
                "conversation.look", name,
                ctl: place.option.map { ctl("conversation messages", .word(name), $0, .option("limit", limit)) })
        case .recall(let name, let sequence, let forGood):
            .change(
                "message.recall", name,
                ctl: ctl("message recall", .word(name), .word(String(sequence)), .flag("for-good", forGood)))
        case .trace(let name, let sequence, let after):
            .look(
                "message.trace", name,
                ctl: after == nil ? ctl("message trace", .word(name), .word(String(sequence))) : nil)
        case .seeAs(let name, let member, let before, let limit):
            .look(
                "conversation.seeAs", name, isAudited: true,
                ctl: ctl(
                    "conversation see-as", .word(name), .word(member.text), .option("before", before),
                    .option("limit", limit)))
        case .export(let name, let after, let member):
            .look(
                "conversation.export", name, isAudited: true,
                ctl: ctl("conversation export", .word(name), .option("after", after), .option("as", member?.text)))
        case .expiring(let days):
            .look("conversation.expiring", ctl: ctl("conversation expiring", .option("days", days)))
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .list(let member, let after): try .list(of: fields("member", member), after: fields("after", after))
        case .createDirect(let one, let other): try .createDirect(fields("one", one), fields("other", other))
        case .createRoom(let name, let title): try .createRoom(fields("name", name), title: fields("title", title))
        case .rename(let conversation, let title):
            try .rename(fields("conversation", conversation), title: fields("title", title))
        case .setAttributes(let conversation, let patch):
            try .setAttributes(fields("conversation", conversation), patch: fields("patch", patch))
        case .delete(let conversation): try .delete(fields("conversation", conversation))
        case .look(let conversation, let place, let limit):
            try .look(
                fields("conversation", conversation), fields.inline(place),
                limit: fields("limit", limit, in: 1...Int64(AdminProtocol.pageMessages)))
        case .recall(let conversation, let sequence, let forGood):
            try .recall(
                fields("conversation", conversation), sequence: fields("sequence", sequence),
                forGood: fields("forGood", forGood))
        case .trace(let conversation, let sequence, let after):
            try .trace(
                fields("conversation", conversation), sequence: fields("sequence", sequence),
                after: fields("after", after))
        case .seeAs(let conversation, let member, let before, let limit):
            try .seeAs(
                fields("conversation", conversation), fields("member", member), before: fields("before", before),
                limit: fields("limit", limit, in: 1...Int64(AdminProtocol.pageMessages)))
        case .export(let conversation, let after, let member):
            try .export(fields("conversation", conversation), after: fields("after", after), as: fields("as", member))
        case .expiring(let days): try .expiring(days: fields("days", days, in: 1...36_500))
        }
    }
}

extension AdminConversationRequest {
    /// A patch of attributes as options; `nil` for one that options cannot say: `ctl` sets first and removes then.
    private static func options(setting patch: String) -> [CommandPart]? {
        guard let members = (try? JSONValue(parsing: patch))?.object, !members.isEmpty else { return nil }
        let (set, removed) = (members.filter { !$0.value.isNull }, members.filter(\.value.isNull))
        let isSame = String(decoding: JSONValue.object(set + removed).serialized(), as: UTF8.self) == patch
        guard isSame, !set.contains(where: { $0.name.isEmpty || $0.name.contains("=") }) else { return nil }
        return set.map {
            .option("set", "\($0.name)=" + String(decoding: $0.value.serialized(), as: UTF8.self))
        } + removed.map { .option("remove", $0.name) }
    }
}

extension AdminConversationPlace {
    /// `nil` for a time, which operators write in their own time zone.
    fileprivate var option: CommandPart? {
        switch self {
        case .before(let sequence): .option("before", sequence)
        case .after(let sequence): .option("after", sequence)
        case .around(let sequence): .option("around", sequence)
        case .since: nil
        }
    }
}

extension AdminConversationPlace: AdminRecord {
    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let before: Int64? = try fields("before") { if case .before(let sequence) = $0 { sequence } else { nil } }
        let after: Int64? = try fields("after") { if case .after(let sequence) = $0 { sequence } else { nil } }
        let around: Int64? = try fields("around") { if case .around(let sequence) = $0 { sequence } else { nil } }
        let since: Int64? = try fields("since") { if case .since(let moment) = $0 { moment } else { nil } }
        if let before {
            self = .before(before)
        } else if let after {
            self = .after(after)
        } else if let around {
            self = .around(around)
        } else {
            guard let since else { throw .field("since") }
            self = .since(since)
        }
    }
}

/// What the server answers about conversations and their messages.
package enum AdminConversationAnswer: Hashable, Sendable {
    case trace(AdminTrace)
    case seen(AdminSeen)
    /// `next` asks for the page after it, `nil` on the last.
    case exported([AdminExportedMessage], next: Int64?)
    case expiring(AdminExpiring)
}

extension AdminConversationAnswer: AdminFamily {
    static let all: [Self] = [
        .trace(.sample), .seen(.sample), .exported(.sample, next: .sample), .expiring(.sample),
    ]

    var word: String {
        switch self {
        case .trace: "trace"
        case .seen: "seen"
        case .exported: "exported"
        case .expiring: "expiring"
        }
    }

    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self {
        switch self {
        case .trace(let trace): try .trace(fields.inline(trace))
        case .seen(let seen): try .seen(fields.inline(seen))
        case .exported(let messages, let next): try .exported(fields("messages", messages), next: fields("next", next))
        case .expiring(let expiring): try .expiring(fields.inline(expiring))
        }
    }
}

/// What the end of quiet conversations would delete.
package struct AdminExpiring: AdminRecord {
    /// How long nothing happened in them.
    package var days: Int64
    /// After how many days the server deletes such a conversation; 0 for never.
    package var settingDays: Int64
    /// The longest quiet first of each kind, at most `AdminProtocol.pageRows`.
    package var conversations: [AdminConversation]
    /// There are more.
    package var isCut: Bool

    package init(days: Int64, settingDays: Int64, conversations: [AdminConversation], isCut: Bool) {
        self.days = days
        self.settingDays = settingDays
        self.conversations = conversations
        self.isCut = isCut
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.days = try fields("days", \.days)
        self.settingDays = try fields("settingDays", \.settingDays)
        self.conversations = try fields("conversations", \.conversations)
        self.isCut = try fields("cut", \.isCut)
    }
}

/// Why somebody does not see a message that is in their conversation.
package enum AdminWithholding: String, AdminWord, AdminText {
    /// They emptied the conversation for themselves.
    case cleared
    /// They deleted the message for themselves.
    case deletedBySelf
    /// It was deleted for everyone.
    case deletedForAll
    /// It says itself who is to see it, and they are not among them.
    case notForThem
    /// They came later, and the operator has set that nobody sees what was before.
    case beforeJoining
}

extension Collection {
    /// The first, and as many of the last ones as fit: what a message was at first and lately.
    fileprivate func firstAndLast(bytes: Int, size: (Element) -> Int) -> [Element] {
        guard let first = self.first else { return [] }
        var left = bytes - size(first)
        var kept: [Element] = []
        for element in self.dropFirst().reversed() {
            left -= size(element)
            if left < 0 { break }
            kept.append(element)
        }
        return [first] + kept.reversed()
    }
}

/// What became of one message.
package struct AdminTrace: AdminRecord {
    package var message: AdminMessage
    package var isRecalled: Bool
    package var isDeletedForAll: Bool
    package var editCount: Int64
    /// Bodies that it had before: as it was stored, and its edits but the last; of one that was taken back, all of
    /// them. Only on the first page. Where they are too long together, the oldest edits are missing.
    package var former: [AdminMessageVersion] = []
    package var people: [AdminTraceRow]
    /// The number of the last person of the page; `nil` when there is nobody more.
    package var next: Int64?

    /// Most bytes of former texts: escaped, they fit a line.
    package static let maximumFormerBytes = 64 * 1024

    /// Leaves out former texts that are too much.
    package mutating func boundFormer() {
        self.former = self.former.firstAndLast(bytes: Self.maximumFormerBytes) { $0.text.utf8.count }
    }

    package init(
        message: AdminMessage, isRecalled: Bool, isDeletedForAll: Bool, editCount: Int64, people: [AdminTraceRow],
        next: Int64?
    ) {
        self.message = message
        self.isRecalled = isRecalled
        self.isDeletedForAll = isDeletedForAll
        self.editCount = editCount
        self.people = people
        self.next = next
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.message = try fields("message", \.message)
        self.isRecalled = try fields("recalled", \.isRecalled)
        self.isDeletedForAll = try fields("deletedForAll", \.isDeletedForAll)
        self.editCount = try fields("edits", \.editCount)
        self.former = try fields("former", \.former, usually: [])
        self.people = try fields("people", \.people)
        self.next = try fields("next", \.next)
    }
}

/// What became of one message for one person.
package struct AdminTraceRow: AdminRecord {
    package var name: UserName
    package var isSender: Bool
    /// They were a member when it was sent and their reading position is at it or after it, or they reported that they
    /// have read it.
    package var isRead: Bool
    /// When their reading position reached it.
    package var read: AdminTraceTime?
    /// They became a member after it was sent: whether they have read it cannot be told.
    package var cameLater = false
    /// When the first of their devices acknowledged it.
    package var delivered: AdminTraceTime?
    /// They reported having read it, UTC milliseconds; senders ask for that.
    package var reportedReadAtMilliseconds: Int64?
    /// Classes of devices that acknowledged the message or a later one.
    package var deliveredTo: [DeviceClass]
    /// Classes of devices that acknowledged earlier messages only.
    package var waitingFor: [DeviceClass]
    /// Devices that are signed in now: number of the session and class.
    package var sessions: [AdminTraceSession]
    /// `nil` for who sees it.
    package var withheld: AdminWithholding?

    package init(
        name: UserName, isSender: Bool, isRead: Bool, reportedReadAtMilliseconds: Int64?, deliveredTo: [DeviceClass],
        waitingFor: [DeviceClass], sessions: [AdminTraceSession], withheld: AdminWithholding?
    ) {
        self.name = name
        self.isSender = isSender
        self.isRead = isRead
        self.reportedReadAtMilliseconds = reportedReadAtMilliseconds
        self.deliveredTo = deliveredTo
        self.waitingFor = waitingFor
        self.sessions = sessions
        self.withheld = withheld
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.isSender = try fields("sender", \.isSender)
        self.isRead = try fields("read", \.isRead)
        self.read = try fields("readAt", \.read)
        self.cameLater = try fields("cameLater", \.cameLater, usually: false)
        self.reportedReadAtMilliseconds = try fields("reportedReadAt", \.reportedReadAtMilliseconds)
        self.delivered = try fields("deliveredAt", \.delivered)
        self.deliveredTo = try fields("deliveredTo", \.deliveredTo)
        self.waitingFor = try fields("waitingFor", \.waitingFor)
        self.sessions = try fields("sessions", \.sessions)
        self.withheld = try fields("withheld", \.withheld)
    }
}

/// When something happened, as far as it is known.
package struct AdminTraceTime: AdminRecord {
    package var atMilliseconds: Int64
    /// At that time; else then or before. Only the last step of a position is kept with its time.
    package var isExact: Bool

    package init(atMilliseconds: Int64, isExact: Bool) {
        self.atMilliseconds = atMilliseconds
        self.isExact = isExact
    }

    /// - Parameter time: the time in words.
    package func text(_ time: (Int64) -> String) -> String {
        (self.isExact ? "" : "≤ ") + time(self.atMilliseconds)
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.isExact = try fields("exact", \.isExact)
    }
}

/// A body that a message had before.
package struct AdminMessageVersion: AdminRecord {
    /// 0 for the one it was stored with; edits from 1.
    package var number: Int64
    package var editor: String
    package var atMilliseconds: Int64
    /// As in `AdminMessage`.
    package var text: String
    package var isCut: Bool

    package init(number: Int64, editor: String, atMilliseconds: Int64, text: String, isCut: Bool) {
        self.number = number
        self.editor = editor
        self.atMilliseconds = atMilliseconds
        self.text = text
        self.isCut = isCut
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.editor = try fields("editor", \.editor)
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.text = try fields("text", \.text)
        self.isCut = try fields("cut", \.isCut)
    }
}

/// A device of somebody who gets a message.
package struct AdminTraceSession: AdminRecord {
    package var id: Int64
    package var device: DeviceClass

    package init(id: Int64, device: DeviceClass) {
        self.id = id
        self.device = device
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.id = try fields("id", \.id)
        self.device = try fields("device", \.device)
    }
}

/// A page of a conversation as one member gets it.
package struct AdminSeen: AdminRecord {
    /// Oldest first. Of a recalled message the words are empty; of an edited one they are the new ones.
    package var messages: [AdminSeenMessage]
    /// What is in the conversation between them and is not shown to them, with the reason.
    package var withheld: [AdminWithheld]
    /// Everything before this sequence is left for the next page; `nil` when this was all.
    package var next: Int64?

    package init(messages: [AdminSeenMessage], withheld: [AdminWithheld], next: Int64?) {
        self.messages = messages
        self.withheld = withheld
        self.next = next
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.messages = try fields("messages", \.messages)
        self.withheld = try fields("withheld", \.withheld)
        self.next = try fields("next", \.next)
    }
}

/// A message that a member sees.
package struct AdminSeenMessage: AdminRecord {
    package var message: AdminMessage
    package var isRecalled: Bool
    package var isEdited: Bool

    package init(message: AdminMessage, isRecalled: Bool, isEdited: Bool) {
        self.message = message
        self.isRecalled = isRecalled
        self.isEdited = isEdited
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.message = try fields("message", \.message)
        self.isRecalled = try fields("recalled", \.isRecalled)
        self.isEdited = try fields("edited", \.isEdited)
    }
}

/// A message that a member does not see.
package struct AdminWithheld: AdminRecord {
    package var sequence: Int64
    package var reason: AdminWithholding

    package init(sequence: Int64, reason: AdminWithholding) {
        self.sequence = sequence
        self.reason = reason
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.sequence = try fields("sequence", \.sequence)
        self.reason = try fields("reason", \.reason)
    }
}

/// A message with all of its body.
package struct AdminExportedMessage: AdminRecord {
    package var sequence: Int64
    package var id: MessageID
    package var sender: String
    package var sentAtMilliseconds: Int64
    package var kind: MessageKind
    /// What people see now: the last edit, else as it was stored; of a message that was taken back, empty. As text when
    /// it is UTF-8, else in base64.
    package var body: [UInt8]
    package var isRecalled: Bool
    package var isDeletedForAll: Bool
    package var editCount: Int64
    /// What it was before its edits, the oldest first. Where they are too long together, the oldest edits are missing.
    package var former: [AdminFormerBody] = []

    /// Most bytes of former bodies of one message: escaped, they fit a line beside its own.
    package static let maximumFormerBytes = 64 * 1024

    package init(
        sequence: Int64, id: MessageID, sender: String, sentAtMilliseconds: Int64, kind: MessageKind, body: [UInt8],
        isRecalled: Bool, isDeletedForAll: Bool, editCount: Int64
    ) {
        self.sequence = sequence
        self.id = id
        self.sender = sender
        self.sentAtMilliseconds = sentAtMilliseconds
        self.kind = kind
        self.body = body
        self.isRecalled = isRecalled
        self.isDeletedForAll = isDeletedForAll
        self.editCount = editCount
    }

    /// Leaves out former bodies that are too much.
    package mutating func boundFormer() {
        self.former = self.former.firstAndLast(bytes: Self.maximumFormerBytes) { $0.body.count }
    }

    /// The message as one JSON object, for scripts.
    package var json: [UInt8] { self.object }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.sequence = try fields("sequence", \.sequence)
        self.id = try fields("id", \.id)
        self.sender = try fields("sender", \.sender)
        self.sentAtMilliseconds = try fields("sentAt", \.sentAtMilliseconds)
        self.kind = try fields("kind", \.kind)
        self.body = try fields.inline { AdminBody(bytes: $0.body) }.bytes
        self.isRecalled = try fields("recalled", \.isRecalled)
        self.isDeletedForAll = try fields("deletedForAll", \.isDeletedForAll)
        self.editCount = try fields("edits", \.editCount, usually: 0)
        self.former = try fields("former", \.former, usually: [])
    }
}

/// All of a body that a message had before an edit.
package struct AdminFormerBody: AdminRecord {
    /// 0 for the one it was stored with; edits from 1.
    package var number: Int64
    package var editor: String
    package var atMilliseconds: Int64
    /// As text when it is UTF-8, else in base64.
    package var body: [UInt8]

    package init(number: Int64, editor: String, atMilliseconds: Int64, body: [UInt8]) {
        self.number = number
        self.editor = editor
        self.atMilliseconds = atMilliseconds
        self.body = body
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.editor = try fields("editor", \.editor)
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.body = try fields.inline { AdminBody(bytes: $0.body) }.bytes
    }
}

/// All of a body: as text when it is UTF-8, else in base64.
private struct AdminBody: AdminRecord {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        let text: String? = try fields("body") { String(validating: $0.bytes, as: UTF8.self) }
        if let text {
            self.bytes = Array(text.utf8)
        } else {
            self.bytes = try fields("bodyBase64") { AdminBytes($0.bytes) }.bytes
        }
    }
}
