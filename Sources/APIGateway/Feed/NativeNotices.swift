import ByteCodec
import ChatModel
import NativeAPI
import Store

/// Something for one native client, as it stands now.
enum NativeNotice: Hashable {
    /// A new message.
    case message(sequence: Int64)
    /// The newest state of a message that the client may know.
    case changedMessage(sequence: Int64)
    /// The person's own view of the conversation.
    case conversation
    /// The same, after the person came in, or came again: what they knew of it before counts no more.
    case joined
    /// The person has read so far, on any device.
    case read
    /// Somebody came into the conversation, or has another role, name or mute; the person too, but for coming.
    case member(UserID)
    /// Somebody is not in the conversation any more.
    case left(UserID)
    /// The conversation is not the person's any more.
    case gone
    /// Read the conversation anew.
    case gap
    /// A person is shown otherwise.
    case profile(UserID)
    /// Read anew who people are.
    case gapOfPeople
    /// How a request to join a team stands.
    case request(Int64)
    /// An announcement of the operator, as the person has it.
    case announcement(Int64)
}

extension FeedChange.Subject {
    /// Member whose row the wording needs; `nil` for none.
    var memberToRead: UserID? {
        switch self {
        case .member(let person), .memberState(let person): person
        case .message, .changedMessage, .receipt, .conversation, .own, .read, .history, .gap, .ended, .person,
            .gapOfPeople, .request, .announcement:
            nil
        }
    }
}

/// Wording of the store's changes for native clients, whichever way a change came: the third one beside those of
/// LeanCloud's and WuKongIM's protocols.
///
/// A change names rows; what is told is their newest state, by the person's rights of now. So two changes of one thing
/// may be told as one, what was recalled meanwhile is told as recalled, and of a conversation that the person has left
/// there is one word, that it is gone.
enum NativeNotices {
    /// Facts about a change and the person who is to be told, of the snapshot in which it is worded.
    struct Facts: Hashable {
        /// The person is in the conversation.
        var isMine: Bool
        /// The person themselves.
        var viewer: UserID
        /// For a change of a member: the member is in the conversation.
        var isMember = false
    }

    /// Wording of a change; `nil` for nothing to tell.
    static func notice(of change: FeedChange.Subject, _ facts: Facts) -> NativeNotice? {
        switch change {
        case .person(let person): return .profile(person)
        case .gapOfPeople: return .gapOfPeople
        case .ended: return .gone
        case .request(let number): return .request(number)
        case .announcement(let number): return .announcement(number)
        case .message, .changedMessage, .receipt, .member, .memberState, .conversation, .own, .read, .history, .gap:
            break
        }
        guard facts.isMine else { return change == .member(facts.viewer) ? .gone : nil }
        return switch change {
        case .message(let sequence): .message(sequence: sequence)
        case .changedMessage(let sequence), .receipt(let sequence): .changedMessage(sequence: sequence)
        case .member(facts.viewer): .joined
        case .member(let person): facts.isMember ? .member(person) : .left(person)
        // Who went since is told as such by the change that says so.
        case .memberState(let person): facts.isMember ? .member(person) : nil
        case .conversation, .own: .conversation
        case .read: .read
        case .history, .gap: .gap
        case .person, .gapOfPeople, .ended, .request, .announcement: nil
        }
    }

    // MARK: Frames

    /// An event about a conversation: `{"cursor":...,"type":...,...}`.
    ///
    /// - Parameter write: writes the members that belong to the type.
    static func event(
        _ type: StaticString, at cursor: FeedCursor?, _ write: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        if let cursor {
            writer.key("cursor")
            writer.string(cursor.text)
        }
        writer.key("type")
        writer.string("\(type)")
        write(&writer)
        writer.endObject()
        return writer.bytes
    }

    /// An event with the person's newest view of its conversation under `summary`, so that unread count and digest need
    /// no question.
    ///
    /// - Parameter value: JSON text of an object.
    static func event(_ event: [UInt8], summary value: [UInt8]) -> [UInt8] {
        precondition(event.last == UInt8(ascii: "}"))
        return event.dropLast() + Array(",\"summary\":".utf8) + value + [UInt8(ascii: "}")]
    }

    /// Everything has to be loaded again.
    static let gapOfAll = Self.event("gap", at: nil) { writer in
        writer.key("scope")
        writer.string("all")
    }

    /// One conversation has to be loaded again.
    static func gap(of conversation: ConversationID) -> [UInt8] {
        self.event("gap", at: nil) { writer in
            writer.key("scope")
            writer.string("conversation")
            self.write(conversation, to: &writer)
        }
    }

    /// The values of people have to be loaded again.
    static let gapOfPeople = Self.event("gap", at: nil) { writer in
        writer.key("scope")
        writer.string("people")
    }

    /// - Parameter user: how the person is shown to the client now.
    static func profile(_ user: NativeUser, at cursor: FeedCursor) -> [UInt8] {
        self.event("profile", at: cursor) { writer in
            writer.key("user")
            user.write(to: &writer)
        }
    }

    /// - Parameter shown: how a person is shown to the client now.
    static func request(
        _ request: NativeTeamRequest, at cursor: FeedCursor, _ shown: (UserName) -> NativeUser
    ) -> [UInt8] {
        self.event("request", at: cursor) { writer in
            writer.key("request")
            request.write(to: &writer, shown)
        }
    }

    static func announcement(_ announcement: NativeAPI.NativeNotice, at cursor: FeedCursor) -> [UInt8] {
        self.event("notice", at: cursor) { writer in
            writer.key("notice")
            announcement.write(to: &writer)
        }
    }

    static func gone(_ conversation: ConversationID, at cursor: FeedCursor) -> [UInt8] {
        self.event("gone", at: cursor) { writer in self.write(conversation, to: &writer) }
    }

    /// - Parameters:
    ///   - value: JSON text of the conversation.
    ///   - isNew: the person came in, or came again.
    static func conversation(_ value: [UInt8], isNew: Bool, at cursor: FeedCursor) -> [UInt8] {
        self.event("conversation", at: cursor) { writer in
            writer.key("conversation")
            writer.raw(value)
            guard isNew else { return }
            writer.key("isNew")
            writer.boolean(true)
        }
    }

    static func read(
        _ conversation: ConversationID, by name: UserName, upTo sequence: Int64, at cursor: FeedCursor
    ) -> [UInt8] {
        self.event("read", at: cursor) { writer in
            self.write(conversation, to: &writer)
            writer.key("user")
            writer.string(name.text)
            writer.key("sequence")
            writer.integer(sequence)
        }
    }

    /// - Parameter member: `nil` for somebody who is not in the conversation any more.
    static func member(
        _ name: UserName, _ member: Member?, in conversation: ConversationID, at cursor: FeedCursor
    ) -> [UInt8] {
        self.event("member", at: cursor) { writer in
            self.write(conversation, to: &writer)
            writer.key("user")
            writer.string(name.text)
            writer.key("change")
            writer.string(member == nil ? "left" : "changed")
            guard let member else { return }
            writer.key("role")
            writer.string(Self.word(for: member.role))
            if let nickname = member.nickname {
                writer.key("nickname")
                writer.string(nickname)
            }
            if member.mutedUntilMilliseconds > 0 {
                writer.key("mutedUntil")
                writer.integer(min(member.mutedUntilMilliseconds, NativeMessage.always))
            }
        }
    }

    /// Without a cursor: somebody is writing.
    static func typing(_ name: UserName, in conversation: ConversationID) -> [UInt8] {
        self.event("typing", at: nil) { writer in
            self.write(conversation, to: &writer)
            writer.key("user")
            writer.string(name.text)
        }
    }

    /// Without a cursor: somebody came online or went.
    static func online(_ name: UserName, _ isOnline: Bool) -> [UInt8] {
        self.event("online", at: nil) { writer in
            writer.key("user")
            writer.string(name.text)
            writer.key("isOnline")
            writer.boolean(isOnline)
        }
    }

    /// Without a cursor: an upload or download of the person's own has moved.
    ///
    /// - Parameter value: JSON text of the transfer.
    static func transfer(_ value: [UInt8]) -> [UInt8] {
        self.event("transfer", at: nil) { writer in
            writer.key("transfer")
            writer.raw(value)
        }
    }

    private static func write(_ conversation: ConversationID, to writer: inout JSONWriter) {
        writer.key("conversation")
        writer.decimalString(conversation.rawValue)
    }

    private static func word(for role: MemberRole) -> String {
        switch role {
        case .member: "member"
        case .manager: "manager"
        case .owner: "owner"
        }
    }
}
