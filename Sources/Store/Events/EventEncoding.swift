import ByteCodec
import ChatModel

/// Reason why a row of the log of events cannot be read.
package enum EventRowFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The row is of a newer encoding.
    case unknownVersion(Int64)
    /// The encoding has no change of this kind.
    case unknownKind(Int64)
    /// A field is missing, or is not what it may be; `payload` for the whole.
    case damaged(field: String)

    package var description: String {
        switch self {
        case .unknownVersion(let version):
            "it has version \(version), and this teahouse knows version \(EventEncoding.version)"
        case .unknownKind(let kind): "there is no change of kind \(kind)"
        case .damaged(let field): "its \(field) is damaged"
        }
    }
}

/// Encoding of a change in its row of the log of events: a number for its kind, and a JSON object, whose `v` is the
/// version of the encoding.
///
/// Rows without `v` are of version 1, too: the first builds wrote none. A new version comes with a reader of the ones
/// before, for as long as the log goes back (`EventLogBounds.days`).
struct EventEncoding {
    static let version: Int64 = 1

    /// Kinds of logged changes; the numbers are stored.
    enum Kind: Int64 {
        case created = 1
        case joined = 2
        case left = 3
        case card = 4
        case role = 5
        case muted = 6
        case unmuted = 7
        case blocked = 8
        case unblocked = 9
        case receipt = 10
    }

    /// Ways of coming; without a word it is `invited`, in rows of before.
    private enum ArrivalWord: String {
        case invited
        case joined
        case application
        case invitation
    }

    /// Ways of going; without a word it is `removed`, in rows of before.
    private enum DepartureWord: String {
        case removed
        case left
    }

    /// Stored kind of the change.
    let kind: Int64
    /// JSON object with the rest.
    let payload: String

    // MARK: Writing

    /// - Returns: `nil` for what devices catch up with in another way: messages, edits and reading, and rows that have
    ///   a revision.
    init?(_ change: ChangeEvent.Change) {
        var json = JSONWriter()
        json.beginObject()
        json.key("v")
        json.integer(Self.version)
        guard let kind = Self.write(change, to: &json) else { return nil }
        json.endObject()
        self.kind = kind.rawValue
        self.payload = String(decoding: json.bytes, as: UTF8.self)
    }

    private static func write(_ change: ChangeEvent.Change, to json: inout JSONWriter) -> Kind? {
        switch change {
        case .created(let people, let asTeam):
            self.write(people, to: &json)
            if asTeam {
                json.key("team")
                json.boolean(true)
            }
            return .created
        case .joined(let people, let arrival):
            self.write(people, to: &json)
            self.write(arrival, to: &json)
            return .joined
        case .left(let people, let departure):
            self.write(people, to: &json)
            self.write(departure, to: &json)
            return .left
        case .card(let modified, let asked):
            json.key("modified")
            json.raw(modified)
            if let asked {
                json.key("asked")
                json.raw(asked)
            }
            return .card
        case .role(let person, let role, let was):
            self.write(person, role, was, to: &json)
            return .role
        case .muted(let people): return self.write(people, as: .muted, to: &json)
        case .unmuted(let people): return self.write(people, as: .unmuted, to: &json)
        case .blocked(let people): return self.write(people, as: .blocked, to: &json)
        case .unblocked(let people): return self.write(people, as: .unblocked, to: &json)
        case .receipt(let receipt):
            self.write(receipt, to: &json)
            return .receipt
        case .nickname, .settings, .edited, .recalled, .annotated, .read, .own, .ended, .person: return nil
        }
    }

    private static func write(_ people: [UserName], as kind: Kind, to json: inout JSONWriter) -> Kind {
        self.write(people, to: &json)
        return kind
    }

    private static func write(_ people: [UserName], to json: inout JSONWriter) {
        json.key("m")
        json.beginArray()
        for person in people { json.string(person.text) }
        json.endArray()
    }

    private static func write(_ arrival: MemberArrival, to json: inout JSONWriter) {
        let (word, inviter): (ArrivalWord, UserID?) =
            switch arrival {
            case .invited: (.invited, nil)
            case .joined: (.joined, nil)
            case .applicationAccepted: (.application, nil)
            case .invitationAccepted(let inviter): (.invitation, inviter)
            }
        json.key("as")
        json.string(word.rawValue)
        if let inviter {
            json.key("by")
            json.integer(inviter.rawValue)
        }
    }

    private static func write(_ departure: MemberDeparture, to json: inout JSONWriter) {
        let word: DepartureWord =
            switch departure {
            case .removed: .removed
            case .left: .left
            }
        json.key("as")
        json.string(word.rawValue)
    }

    private static func write(
        _ person: UserName, _ role: MemberRole, _ was: MemberRole?, to json: inout JSONWriter
    ) {
        json.key("m")
        json.string(person.text)
        json.key("role")
        json.integer(role.rawValue)
        if let was {
            json.key("was")
            json.integer(was.rawValue)
        }
    }

    private static func write(_ receipt: MessageReceipt, to json: inout JSONWriter) {
        json.key("id")
        json.integer(receipt.message.rawValue)
        json.key("sequence")
        json.integer(receipt.sequence)
        json.key("m")
        json.string(receipt.receiver.text)
        json.key("read")
        json.boolean(receipt.isRead)
    }

    // MARK: Reading

    /// Reads the change of a row.
    ///
    /// - Parameter moment: when it happened, UTC milliseconds.
    static func change(
        ofKind number: Int64, _ payload: String, at moment: Int64
    ) throws(EventRowFault) -> ChangeEvent.Change {
        guard let fields = try? JSONValue(parsing: payload), fields.object != nil else {
            throw .damaged(field: "payload")
        }
        if let version = fields["v"], version.integer != Self.version {
            throw version.integer.map { .unknownVersion($0) } ?? .damaged(field: "v")
        }
        guard let kind = Kind(rawValue: number) else { throw .unknownKind(number) }
        return try self.change(of: kind, fields, at: moment)
    }

    private static func change(
        of kind: Kind, _ fields: JSONValue, at moment: Int64
    ) throws(EventRowFault) -> ChangeEvent.Change {
        switch kind {
        case .created: .created(try self.people(fields), asTeam: fields["team"]?.boolean == true)
        case .joined: .joined(try self.people(fields), as: try self.arrival(fields))
        case .left: .left(try self.people(fields), as: try self.departure(fields))
        case .card:
            .card(
                modified: try self.field("modified", fields) { $0.serialized() }, asked: fields["asked"]?.serialized())
        case .role:
            .role(
                try self.person(fields), try self.field("role", fields) { $0.integer.flatMap(MemberRole.init) },
                was: fields["was"]?.integer.flatMap(MemberRole.init))
        case .muted: .muted(try self.people(fields))
        case .unmuted: .unmuted(try self.people(fields))
        case .blocked: .blocked(try self.people(fields))
        case .unblocked: .unblocked(try self.people(fields))
        case .receipt: .receipt(try self.receipt(fields, at: moment))
        }
    }

    private static func field<Value>(
        _ name: String, _ fields: JSONValue, _ read: (JSONValue) -> Value?
    ) throws(EventRowFault) -> Value {
        guard let value = fields[name].flatMap(read) else { throw .damaged(field: name) }
        return value
    }

    private static func people(_ fields: JSONValue) throws(EventRowFault) -> [UserName] {
        let texts = try self.field("m", fields, \.array)
        let names = texts.compactMap { $0.string.flatMap(UserName.init) }
        guard names.count == texts.count else { throw .damaged(field: "m") }
        return names
    }

    private static func person(_ fields: JSONValue) throws(EventRowFault) -> UserName {
        try self.field("m", fields) { $0.string.flatMap(UserName.init) }
    }

    private static func arrival(_ fields: JSONValue) throws(EventRowFault) -> MemberArrival {
        guard fields["as"] != nil else { return .invited }
        switch try self.field("as", fields, { $0.string.flatMap(ArrivalWord.init) }) {
        case .invited: return .invited
        case .joined: return .joined
        case .application: return .applicationAccepted
        case .invitation: return .invitationAccepted(by: fields["by"]?.integer.map { UserID(rawValue: $0) })
        }
    }

    private static func departure(_ fields: JSONValue) throws(EventRowFault) -> MemberDeparture {
        guard fields["as"] != nil else { return .removed }
        switch try self.field("as", fields, { $0.string.flatMap(DepartureWord.init) }) {
        case .removed: return .removed
        case .left: return .left
        }
    }

    private static func receipt(_ fields: JSONValue, at moment: Int64) throws(EventRowFault) -> MessageReceipt {
        MessageReceipt(
            message: MessageID(rawValue: try self.field("id", fields, \.integer)),
            sequence: try self.field("sequence", fields, \.integer), receiver: try self.person(fields),
            isRead: try self.field("read", fields, \.boolean), atMilliseconds: moment)
    }
}
