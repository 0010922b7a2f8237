package import ChatModel

/// What an operator can ask about conversations and their messages, beyond `AdminRequest`'s own cases. A conversation is
/// named as in `listMessages`.
package enum AdminTalkRequest: Hashable, Sendable {
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
    case look(String, AdminTalkPlace, limit: Int64)
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
package enum AdminTalkPlace: Hashable, Sendable {
    /// Just before this sequence.
    case before(Int64)
    /// Just after this sequence.
    case after(Int64)
    /// This sequence with its neighbours.
    case around(Int64)
    /// From the first message at or after a time on, UTC milliseconds.
    case since(Int64)
}

extension AdminTalkRequest {
    var word: String {
        switch self {
        case .list: "conversation.of"
        case .createDirect: "conversation.direct"
        case .createRoom: "conversation.room"
        case .rename: "conversation.rename"
        case .setAttributes: "conversation.attributes"
        case .delete: "conversation.delete"
        case .look: "conversation.look"
        case .recall: "message.recall"
        case .trace: "message.trace"
        case .seeAs: "conversation.seeAs"
        case .export: "conversation.export"
        case .expiring: "conversation.expiring"
        }
    }

    var isChange: Bool {
        switch self {
        case .createDirect, .createRoom, .rename, .setAttributes, .delete, .recall: true
        case .list, .look, .trace, .seeAs, .export, .expiring: false
        }
    }

    /// Changes, and reading with another's eyes or wholesale.
    var isNoted: Bool {
        switch self {
        case .seeAs, .export: true
        default: self.isChange
        }
    }

    package var subject: String? {
        switch self {
        case .list(let member, _): member.text
        case .createDirect(let one, let other): "\(one.text),\(other.text)"
        case .createRoom(let name, _): name.text
        case .rename(let name, _), .setAttributes(let name, _), .delete(let name), .look(let name, _, _),
            .recall(let name, _, _), .trace(let name, _, _), .seeAs(let name, _, _, _), .export(let name, _, _):
            name
        case .expiring: nil
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let member, let after):
            fields.text("member", member.text)
            fields.number("after", after)
        case .createDirect(let one, let other):
            fields.text("one", one.text)
            fields.text("other", other.text)
        case .createRoom(let name, let title):
            fields.text("name", name.text)
            fields.text("title", title)
        case .rename(let name, let title):
            fields.text("conversation", name)
            fields.text("title", title)
        case .setAttributes(let name, let patch):
            fields.text("conversation", name)
            fields.text("patch", patch)
        case .delete(let name): fields.text("conversation", name)
        case .look(let name, let place, let limit):
            fields.text("conversation", name)
            switch place {
            case .before(let sequence): fields.number("before", sequence)
            case .after(let sequence): fields.number("after", sequence)
            case .around(let sequence): fields.number("around", sequence)
            case .since(let milliseconds): fields.number("since", milliseconds)
            }
            fields.number("limit", limit)
        case .recall(let name, let sequence, let forGood):
            fields.text("conversation", name)
            fields.number("sequence", sequence)
            fields.flag("forGood", forGood)
        case .trace(let name, let sequence, let after):
            fields.text("conversation", name)
            fields.number("sequence", sequence)
            fields.number("after", after)
        case .seeAs(let name, let member, let before, let limit):
            fields.text("conversation", name)
            fields.text("member", member.text)
            fields.number("before", before)
            fields.number("limit", limit)
        case .export(let name, let after, let member):
            fields.text("conversation", name)
            fields.number("after", after)
            fields.text("as", member?.text)
        case .expiring(let days): fields.number("days", days)
        }
    }

    /// - Returns: `nil` for a word that is none of these.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "conversation.of":
            self = .list(of: try with.userName("member"), after: try with.optionalNumber("after"))
        case "conversation.direct": self = .createDirect(try with.userName("one"), try with.userName("other"))
        case "conversation.room":
            self = .createRoom(try with.channelName("name"), title: try with.optionalText("title"))
        case "conversation.rename":
            self = .rename(try with.text("conversation"), title: try with.optionalText("title"))
        case "conversation.attributes":
            self = .setAttributes(try with.text("conversation"), patch: try with.text("patch"))
        case "conversation.delete": self = .delete(try with.text("conversation"))
        case "conversation.look":
            self = .look(try with.text("conversation"), try AdminTalkPlace(with), limit: try Self.limit(with))
        case "message.recall":
            self = .recall(
                try with.text("conversation"), sequence: try with.number("sequence"), forGood: try with.flag("forGood"))
        case "message.trace":
            self = .trace(
                try with.text("conversation"), sequence: try with.number("sequence"),
                after: try with.optionalNumber("after"))
        case "conversation.seeAs":
            self = .seeAs(
                try with.text("conversation"), try with.userName("member"), before: try with.optionalNumber("before"),
                limit: try Self.limit(with))
        case "conversation.export":
            self = .export(
                try with.text("conversation"), after: try with.number("after"), as: try with.optionalUserName("as"))
        case "conversation.expiring":
            let days = try with.optionalNumber("days")
            if let days, !(1...36_500).contains(days) { throw FieldReader.wrong("days") }
            self = .expiring(days: days)
        default: return nil
        }
    }

    private static func limit(_ with: FieldReader) throws(AdminError) -> Int64 {
        let limit = try with.number("limit")
        guard (1...Int64(AdminProtocol.pageMessages)).contains(limit) else { throw FieldReader.wrong("limit") }
        return limit
    }
}

extension AdminTalkPlace {
    fileprivate init(_ with: FieldReader) throws(AdminError) {
        if let before = try with.optionalNumber("before") {
            self = .before(before)
        } else if let after = try with.optionalNumber("after") {
            self = .after(after)
        } else if let around = try with.optionalNumber("around") {
            self = .around(around)
        } else {
            self = .since(try with.number("since"))
        }
    }
}

/// What the server answers about conversations and their messages.
package enum AdminTalkAnswer: Hashable, Sendable {
    case trace(AdminTrace)
    case seen(AdminSeen)
    /// `next` asks for the page after it, `nil` on the last.
    case exported([AdminExportedMessage], next: Int64?)
    case expiring(AdminExpiring)
}

extension AdminTalkAnswer {
    var word: String {
        switch self {
        case .trace: "trace"
        case .seen: "seen"
        case .exported: "exported"
        case .expiring: "expiring"
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .trace(let trace): trace.write(to: &fields)
        case .seen(let seen): seen.write(to: &fields)
        case .exported(let messages, let next):
            fields.records("messages", messages)
            fields.number("next", next)
        case .expiring(let expiring): expiring.write(to: &fields)
        }
    }

    /// - Returns: `nil` for a word that is none of these.
    init?(word: String, _ with: FieldReader) throws(AdminError) {
        switch word {
        case "trace": self = .trace(try AdminTrace(with))
        case "seen": self = .seen(try AdminSeen(with))
        case "exported": self = .exported(try with.records("messages"), next: try with.optionalNumber("next"))
        case "expiring": self = .expiring(try AdminExpiring(with))
        default: return nil
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

    func write(to fields: inout FieldWriter) {
        fields.number("days", self.days)
        fields.number("settingDays", self.settingDays)
        fields.records("conversations", self.conversations)
        fields.flag("cut", self.isCut)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.days = try fields.number("days")
        self.settingDays = try fields.number("settingDays")
        self.conversations = try fields.records("conversations")
        self.isCut = try fields.flag("cut")
    }
}

/// Why somebody does not see a message that is in their conversation.
package enum AdminWithholding: String, CaseIterable, Hashable, Sendable {
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
    /// Bodies that it had before: as it was stored, and its edits but the last; of one that was taken back, all of them.
    /// Only on the first page. Where they are too long together, the oldest edits are missing.
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

    func write(to fields: inout FieldWriter) {
        fields.record("message", self.message)
        fields.flag("recalled", self.isRecalled)
        fields.flag("deletedForAll", self.isDeletedForAll)
        fields.number("edits", self.editCount)
        if !self.former.isEmpty { fields.records("former", self.former) }
        fields.records("people", self.people)
        fields.number("next", self.next)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.message = try fields.record("message")
        self.isRecalled = try fields.flag("recalled")
        self.isDeletedForAll = try fields.flag("deletedForAll")
        self.editCount = try fields.number("edits")
        self.former = try fields.has("former") ? fields.records("former") : []
        self.people = try fields.records("people")
        self.next = try fields.optionalNumber("next")
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name.text)
        fields.flag("sender", self.isSender)
        fields.flag("read", self.isRead)
        if let read = self.read { fields.record("readAt", read) }
        if self.cameLater { fields.flag("cameLater", true) }
        fields.number("reportedReadAt", self.reportedReadAtMilliseconds)
        if let delivered = self.delivered { fields.record("deliveredAt", delivered) }
        fields.texts("deliveredTo", self.deliveredTo.map(\.name))
        fields.texts("waitingFor", self.waitingFor.map(\.name))
        fields.records("sessions", self.sessions)
        fields.text("withheld", self.withheld?.rawValue)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.userName("name")
        self.isSender = try fields.flag("sender")
        self.isRead = try fields.flag("read")
        self.read = try fields.has("readAt") ? fields.record("readAt") : nil
        self.cameLater = try fields.has("cameLater") ? fields.flag("cameLater") : false
        self.delivered = try fields.has("deliveredAt") ? fields.record("deliveredAt") : nil
        self.reportedReadAtMilliseconds = try fields.optionalNumber("reportedReadAt")
        self.deliveredTo = try fields.someDevices("deliveredTo")
        self.waitingFor = try fields.someDevices("waitingFor")
        self.sessions = try fields.records("sessions")
        self.withheld = try fields.has("withheld") ? Word.value("withheld", fields) : nil
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

    func write(to fields: inout FieldWriter) {
        fields.number("at", self.atMilliseconds)
        fields.flag("exact", self.isExact)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.atMilliseconds = try fields.number("at")
        self.isExact = try fields.flag("exact")
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

    func write(to fields: inout FieldWriter) {
        fields.number("number", self.number)
        fields.text("editor", self.editor)
        fields.number("at", self.atMilliseconds)
        fields.text("text", self.text)
        fields.flag("cut", self.isCut)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.number = try fields.number("number")
        self.editor = try fields.text("editor")
        self.atMilliseconds = try fields.number("at")
        self.text = try fields.text("text")
        self.isCut = try fields.flag("cut")
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

    func write(to fields: inout FieldWriter) {
        fields.number("id", self.id)
        fields.text("device", self.device.name)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.id = try fields.number("id")
        self.device = try fields.device("device")
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

    func write(to fields: inout FieldWriter) {
        fields.records("messages", self.messages)
        fields.records("withheld", self.withheld)
        fields.number("next", self.next)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.messages = try fields.records("messages")
        self.withheld = try fields.records("withheld")
        self.next = try fields.optionalNumber("next")
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

    func write(to fields: inout FieldWriter) {
        fields.record("message", self.message)
        fields.flag("recalled", self.isRecalled)
        fields.flag("edited", self.isEdited)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.message = try fields.record("message")
        self.isRecalled = try fields.flag("recalled")
        self.isEdited = try fields.flag("edited")
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

    func write(to fields: inout FieldWriter) {
        fields.number("sequence", self.sequence)
        fields.text("reason", self.reason.rawValue)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.sequence = try fields.number("sequence")
        self.reason = try Word.value("reason", fields)
    }
}

/// A message with all of its body.
package struct AdminExportedMessage: AdminRecord {
    package var sequence: Int64
    package var id: MessageID
    package var sender: String
    package var sentAtMilliseconds: Int64
    package var kind: MessageKind
    /// What people see now: the last edit, else as it was stored; of a message that was taken back, empty. As text when it
    /// is UTF-8, else in base64.
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
    package var json: [UInt8] { FieldWriter.object(self.write) }

    func write(to fields: inout FieldWriter) {
        fields.number("sequence", self.sequence)
        // As text: many readers keep only 53 bits of a JSON number.
        fields.text("id", String(self.id.rawValue))
        fields.text("sender", self.sender)
        fields.number("sentAt", self.sentAtMilliseconds)
        fields.number("kind", Int64(self.kind.rawValue))
        if let text = String(validating: self.body, as: UTF8.self) {
            fields.text("body", text)
        } else {
            fields.base64("bodyBase64", self.body)
        }
        fields.flag("recalled", self.isRecalled)
        fields.flag("deletedForAll", self.isDeletedForAll)
        fields.number("edits", self.editCount > 0 ? self.editCount : nil)
        if !self.former.isEmpty { fields.records("former", self.former) }
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.sequence = try fields.number("sequence")
        guard let id = Int64(try fields.text("id")) else { throw FieldReader.wrong("id") }
        self.id = MessageID(rawValue: id)
        self.sender = try fields.text("sender")
        self.sentAtMilliseconds = try fields.number("sentAt")
        self.kind = MessageKind(rawValue: Int32(truncatingIfNeeded: try fields.number("kind")))
        if let text = try fields.optionalText("body") {
            self.body = Array(text.utf8)
        } else {
            self.body = try fields.base64("bodyBase64")
        }
        self.isRecalled = try fields.flag("recalled")
        self.isDeletedForAll = try fields.flag("deletedForAll")
        self.editCount = try fields.optionalNumber("edits") ?? 0
        self.former = try fields.has("former") ? fields.records("former") : []
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

    func write(to fields: inout FieldWriter) {
        fields.number("number", self.number)
        fields.text("editor", self.editor)
        fields.number("at", self.atMilliseconds)
        if let text = String(validating: self.body, as: UTF8.self) {
            fields.text("body", text)
        } else {
            fields.base64("bodyBase64", self.body)
        }
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.number = try fields.number("number")
        self.editor = try fields.text("editor")
        self.atMilliseconds = try fields.number("at")
        if let text = try fields.optionalText("body") {
            self.body = Array(text.utf8)
        } else {
            self.body = try fields.base64("bodyBase64")
        }
    }
}

extension FieldReader {
    /// Classes of devices; there may be none.
    fileprivate func someDevices(_ key: String) throws(AdminError) -> [DeviceClass] {
        let devices = try self.texts(key).map { DeviceClass($0) }
        guard !devices.contains(nil) else { throw Self.wrong(key) }
        return devices.compactMap { $0 }
    }
}
