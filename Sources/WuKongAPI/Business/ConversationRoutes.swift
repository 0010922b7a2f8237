import APIKit
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// A person's list of conversations: synchronising it, unread counts, drafts and reading places.
enum ConversationRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/conversation/sync", Self.sync),
        Route("POST", "/v1/conversation/syncack", Self.acknowledge),
        Route("PUT", "/v1/coversation/clearUnread", Self.clearUnread),
        Route("PUT", "/v1/conversation/clearUnread", Self.clearUnread),
        Route("DELETE", "/v1/conversations/{id}/{type}", Self.delete),
        Route("POST", "/v1/conversations/{id}/{type}/extra", Self.setExtra),
        Route("POST", "/v1/conversation/extra/sync", Self.syncExtras),
    ]

    // MARK: The list

    /// Changes in a person's list after a version, with the newest messages of each conversation, newest first, and the
    /// people and groups that they are with.
    @Sendable static func sync(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let version = max(0, try fields.integer("version"))
        let known = LastSequences(try fields.optionalText("last_msg_seqs") ?? "")
        let count = Int(max(0, min(try fields.integer("msg_count"), 100)))
        let person = call.person
        call.readThen { store throws(StoreError) in
            try ConversationSync(of: person, since: version, known: known, messages: count, in: store)
        } then: { list, reply in
            call.services.presence(of: list.people.map(\.profile.name)) { presence in
                reply(.json { writer in list.write(to: &writer, presence, call.services) })
            }
        }
    }

    /// Everything is kept for every device here, so that a device has nothing to acknowledge; commands that it has had
    /// are noted. Source: TangSengDaoDao server, which does nothing either when it keeps messages across devices.
    @Sendable static func acknowledge(_ call: BusinessCall) throws(APIFailure) {
        let version = try call.request.fields().integer("cmd_version")
        let user = call.user
        guard version > 0 else { return call.reply(.ok) }
        call.write { store throws(StoreError) in
            try store.commands.acknowledge(user, upTo: version, single: false)
        } answer: { _ in
            .ok
        }
    }

    // MARK: Unread

    /// Sets the number of unread messages, usually to 0; `message_seq` clears up to there only.
    @Sendable static func clearUnread(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let unread = try fields.integer("unread")
        let sequence = try fields.integer("message_seq")
        let user = call.user
        guard unread > 0 else {
            return call.mark { store throws(StoreError) in
                let id = try store.reading.knownConversation(channel, of: user).id
                try store.inbox.clearUnread(user, in: id, upTo: sequence > 0 ? sequence : nil)
            } answer: { _ in
                .ok
            }
        }
        call.write { store throws(StoreError) in
            let id = try store.reading.knownConversation(channel, of: user).id
            try store.inbox.setUnread(user, in: id, to: unread)
        } answer: { _ in
            .ok
        }
    }

    /// Takes a conversation off the list, until its next message.
    @Sendable static func delete(_ call: BusinessCall) throws(APIFailure) {
        let channel = try call.pathChannel()
        let user = call.user
        call.write { store throws(StoreError) in
            // Deleting what is not there is done already.
            guard let found = try store.reading.conversation(channel, of: user) else { return }
            try store.inbox.hideConversation(user, found.id)
        } answer: { _ in
            .ok
        }
    }

    // MARK: Drafts and reading places

    @Sendable static func setExtra(_ call: BusinessCall) throws(APIFailure) {
        let channel = try call.pathChannel()
        let fields = try call.request.fields()
        var patch = PreferencePatch()
        patch.browseTo = try fields.optionalInteger("browse_to")
        patch.keepSequence = try fields.optionalInteger("keep_message_seq")
        patch.keepOffset = try fields.optionalInteger("keep_offset_y")
        patch.draft = try fields.optionalText("draft")
        let (user, wanted) = (call.user, patch)
        call.write { store throws(StoreError) in
            let id = try store.ensureConversation(channel, of: user)
            _ = try store.inbox.setPreference(user, in: id, wanted)
            return try store.reading.inbox.preference(of: user, in: id).extraVersion
        } answer: { version in
            .json(.fields(("version", .integer(version))))
        }
    }

    /// Most extras in one answer; ask on with the largest version.
    private static let maximumExtras = 1_000

    @Sendable static func syncExtras(_ call: BusinessCall) throws(APIFailure) {
        let version = max(0, try call.request.fields().integer("version"))
        let user = call.user
        call.read { store throws(StoreError) in
            try store.inbox.conversationExtras(of: user, after: version, limit: Self.maximumExtras)
        } answer: { extras in
            .json(.array(extras.map(\.extraRow)))
        }
    }
}

extension PreferenceOfConversation {
    /// Source: TangSengDaoDao server, conversationExtraResp.
    var extraRow: JSONValue {
        self.preference.extraRow(
            channelID: Translation.channelID(channel: self.channel, other: self.peerName),
            type: Int(Translation.channelType(self.kind).rawValue))
    }
}

extension ConversationPreference {
    func extraRow(channelID: String, type: Int) -> JSONValue {
        .fields(
            ("channel_id", .string(channelID)), ("channel_type", .number(type)),
            ("browse_to", .integer(self.browseTo)), ("keep_message_seq", .integer(self.keepSequence)),
            ("keep_offset_y", .integer(self.keepOffset)), ("draft", .text(self.draft)),
            ("version", .integer(self.extraVersion)))
    }
}

/// The last sequences a device has: `id:type:sequence|id:type:sequence`. What is written in another way is left out.
struct LastSequences: Sendable {
    private struct Key: Hashable {
        var id: String
        var type: Int
    }

    private var known: [Key: Int64] = [:]

    init(_ text: String) {
        for entry in text.split(separator: "|") {
            // Ids of agents and topics may hold anything but the last two colons.
            let parts = entry.split(separator: ":")
            guard parts.count >= 3, let type = Int(parts[parts.count - 2]), let last = Int64(parts[parts.count - 1])
            else { continue }
            self.known[Key(id: parts.dropLast(2).joined(separator: ":"), type: type)] = last
        }
    }

    func sequence(_ id: String, _ type: Int) -> Int64? { self.known[Key(id: id, type: type)] }
}
