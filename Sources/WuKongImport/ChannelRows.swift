import ByteCodec
package import ChatModel
package import Store
import WuKongTranslation
import WuKongWire

/// Why a row of a folder that `wukongim pull` wrote cannot be here.
package enum ChannelRowProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case noJSON
    /// A member is missing, or of another type than it must be.
    case badMember(String)
    /// A name that nobody, or no channel, can have here.
    case badName(String)
    /// A person channel with no two people.
    case noPair
    case badSequence
    case badPayload(String)

    package var description: String {
        switch self {
        case .noJSON: "it is no JSON object"
        case .badMember(let name): "its \(name) is missing, or of another type than it must be"
        case .badName(let name): "its \(name) cannot be a name here: it is empty, too long, or has @, # or &"
        case .noPair: "its id does not say which two people it is of"
        case .badSequence: "its message_seq is not one of 1 to \(ImportedMessage.maximumSequence)"
        case .badPayload(let why): "its payload cannot be taken: \(why)"
        }
    }
}

/// One row, read once.
struct ChannelSourceRow {
    let value: JSONValue

    init(_ line: [UInt8]) throws(ChannelRowProblem) {
        guard let value = try? JSONValue(parsing: line), value.object != nil else { throw .noJSON }
        self.value = value
    }

    func text(_ name: String) throws(ChannelRowProblem) -> String {
        guard let text = self.value[name]?.string else { throw .badMember(name) }
        return text
    }

    func integer(_ name: String) throws(ChannelRowProblem) -> Int64 {
        guard let number = self.value[name]?.integer else { throw .badMember(name) }
        return number
    }

    /// Person that a member names.
    func user(_ name: String) throws(ChannelRowProblem) -> UserName {
        guard let user = Translation.userName(try self.text(name)) else { throw .badName(name) }
        return user
    }

    /// Channel that the row is about.
    func channel() throws(ChannelRowProblem) -> ImportedChannel {
        let (id, number) = (try self.text("channel_id"), try self.integer("channel_type"))
        guard let type = Translation.channelType(Int(clamping: number)) else { throw .badMember("channel_type") }
        if type == .person {
            guard let pair = Translation.people(ofPersonChannel: id) else { throw .noPair }
            return .pair(pair.first, pair.second)
        }
        guard let name = Translation.channelName(id, type) else { throw .badName("channel_id") }
        return .channel(Translation.conversationKind(type), name)
    }
}

/// Rows of `users.jsonl`.
package struct UserRow: Hashable, Sendable {
    /// Name of the person.
    package var name: UserName

    /// - Parameter line: a line of the file.
    package init(parsing line: [UInt8]) throws(ChannelRowProblem) {
        self.name = try ChannelSourceRow(line).user("uid")
    }
}

/// Rows of `channels.jsonl`. Pure.
package enum ChannelRow {
    /// A channel of a row, with what had to be left out of it.
    package struct Reading: Hashable, Sendable {
        /// Conversation as the store takes it.
        package var conversation: ImportedConversation
        /// Sentences about members of the row that were left out.
        package var left: [String] = []
    }

    /// Latest time of a row, the end of the year 9999, UTC milliseconds.
    private static let latest: Int64 = 253_402_300_799_999

    /// Reads a row.
    ///
    /// - Parameter line: a line of the file.
    package static func read(_ line: [UInt8]) throws(ChannelRowProblem) -> Reading {
        let row = try ChannelSourceRow(line)
        let created = try row.integer("created_at")
        guard (0...Self.latest).contains(created) else { throw .badMember("created_at") }
        let channel = try row.channel()
        let form: ImportedConversation.Form
        var members: [UserName] = []
        var left: [String] = []
        switch channel {
        case .pair(let one, let other):
            form = .channel(.direct, nil)
            members = one == other ? [one] : [one, other]
        case .channel(let kind, let name):
            form = .channel(kind, name)
            var seen: Set<UserName> = []
            for uid in row.value["subscribers"]?.array ?? [] {
                guard let text = uid.string, let user = Translation.userName(text) else {
                    left.append("subscriber \((uid.string ?? "").prefix(100)): no name that somebody can have here")
                    continue
                }
                if seen.insert(user).inserted { members.append(user) }
            }
        }
        var conversation = ImportedConversation(
            form, objectID: nil, createdAtMilliseconds: created, updatedAtMilliseconds: created,
            digest: Int64(bitPattern: StableHash.xxh64(line)))
        conversation.members = members
        // A name that cannot be here stays outside and takes nobody with it.
        conversation.membersAreWhole = row.value["whole"]?.boolean ?? false
        if let last = row.value["last_message_at"]?.integer, (0...Self.latest).contains(last) {
            conversation.lastMessageAtMilliseconds = last
        }
        if row.value["ban"]?.boolean == true { conversation.flags.insert(.banned) }
        if row.value["disband"]?.boolean == true { conversation.flags.insert(.disbanded) }
        return Reading(conversation: conversation, left: left)
    }
}

/// Rows of `members.jsonl`.
package struct ChannelMemberRow: Hashable, Sendable {
    /// Channel that is subscribed to.
    package var channel: ImportedChannel
    /// Subscriber's name.
    package var name: UserName

    /// - Parameter line: a line of the file.
    package init(parsing line: [UInt8]) throws(ChannelRowProblem) {
        let row = try ChannelSourceRow(line)
        self.channel = try row.channel()
        self.name = try row.user("uid")
    }
}

/// Rows of `lists.jsonl`.
package struct ChannelListRow: Hashable, Sendable {
    /// Owner of a list.
    package enum Owner: Hashable, Sendable {
        case channel(ImportedChannel)
        /// A list of this person's own, which WuKongIM keeps under the uid with the type of person channels.
        case person(UserName)
    }

    /// Owner of the list.
    package var owner: Owner
    /// True for the deny list, false for the allow list.
    package var isDenied: Bool
    /// Person on the list.
    package var name: UserName

    /// - Parameter line: a line of the file.
    package init(parsing line: [UInt8]) throws(ChannelRowProblem) {
        let row = try ChannelSourceRow(line)
        switch try row.text("list") {
        case "denylist": self.isDenied = true
        case "allowlist": self.isDenied = false
        default: throw .badMember("list")
        }
        if try row.integer("channel_type") == Int64(WuKongChannelType.person.rawValue) {
            self.owner = .person(try row.user("channel_id"))
        } else {
            self.owner = .channel(try row.channel())
        }
        self.name = try row.user("uid")
    }
}

/// Rows of `positions.jsonl`.
package struct PositionRow: Hashable, Sendable {
    /// Channel that was read.
    package var channel: ImportedChannel
    /// Reader's name.
    package var name: UserName
    /// Sequence of the last message that they had read.
    package var sequence: Int64
    /// Number that they were shown.
    package var unread: Int64

    /// - Parameter line: a line of the file.
    package init(parsing line: [UInt8]) throws(ChannelRowProblem) {
        let row = try ChannelSourceRow(line)
        self.channel = try row.channel()
        self.name = try row.user("uid")
        self.sequence = try row.integer("read")
        self.unread = try row.integer("unread")
    }
}

/// Rows of `messages.jsonl`. Pure.
package struct ChannelMessageRow: Hashable, Sendable {
    /// Channel that the message was said in.
    package var channel: ImportedChannel
    /// Message as the store takes it.
    package var message: ImportedMessage

    /// Reads a row.
    ///
    /// Source: WuKongIM v2.2.5, `internal/types`, `MessageResp`: `timestamp` in seconds, `payload` base64, `from_uid` empty
    /// for the system.
    ///
    /// - Parameter line: a line of the file.
    package init(parsing line: [UInt8]) throws(ChannelRowProblem) {
        let row = try ChannelSourceRow(line)
        self.channel = try row.channel()
        guard let message = row.value["message"], message.object != nil else { throw .badMember("message") }
        guard let sequence = message["message_seq"]?.integer, (1...ImportedMessage.maximumSequence).contains(sequence)
        else { throw .badSequence }
        guard let id = Self.id(of: message) else { throw .badMember("message_id") }
        guard let seconds = message["timestamp"]?.integer, (1...253_402_300_799).contains(seconds) else {
            throw .badMember("timestamp")
        }
        let from = message["from_uid"]?.string ?? ""
        guard let sender = from.isEmpty ? systemUserName : Translation.userName(from) else {
            throw .badName("from_uid")
        }
        self.message = ImportedMessage(
            foreignID: String(id), sender: sender, sentAtMilliseconds: seconds * 1_000,
            content: try Self.content(message))
        self.message.sequence = sequence
        if let number = message["client_msg_no"]?.string, !number.isEmpty,
            number.utf8.count <= ClientToken.maximumBytes
        {
            self.message.clientNumber = number
        }
    }

    /// Number of a message; `message_idstr` repeats it for JavaScript, through which a folder may have gone.
    private static func id(of message: JSONValue) -> Int64? {
        let id = message["message_idstr"]?.string.flatMap { Int64($0) } ?? message["message_id"]?.integer
        return id.flatMap { $0 > 0 ? $0 : nil }
    }

    private static func content(_ message: JSONValue) throws(ChannelRowProblem) -> MessageContent {
        guard let text = message["payload"]?.string, let payload = Base64.decode(Array(text.utf8)) else {
            throw .badMember("payload")
        }
        let flags = message["header"]
        let header = WuKongHeader(
            noPersist: false, redDot: flags?["red_dot"]?.integer == 1, syncOnce: flags?["sync_once"]?.integer == 1)
        // A message that was written step by step is whole here.
        let setting = WuKongSetting(rawValue: UInt8(truncatingIfNeeded: message["setting"]?.integer ?? 0))
            .subtracting(.stream)
        let topic = message["topic"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        do throws(PayloadRefusal) {
            return try Translation.accepted(
                payload: payload, header: header, setting: setting,
                topic: topic.flatMap { $0.utf8.count <= Translation.maximumTopicBytes ? $0 : nil },
                expire: UInt32(clamping: message["expire"]?.integer ?? 0), from: .application)
        } catch {
            throw .badPayload("\(error)")
        }
    }
}
