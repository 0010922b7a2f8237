import APIKit
import Accounts
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// The answer to a synchronisation of conversations. Source: TangSengDaoDao server, SyncUserConversationRespWrap.
struct ConversationSync: Sendable {
    /// Most conversations in one answer: to a device that has nothing the newest ones, to others the first that
    /// changed; ask on with the largest version.
    static let maximumConversations = 1_000

    private struct Line: Sendable {
        var recent: RecentConversation
        var channelID: String
        var type: Int
        /// Newest first.
        var messages: [MessageRow]
        var offset: Int64
    }

    private let asker: UserName
    private let lines: [Line]
    let people: [PersonView]
    private let groups: [GroupView]

    /// - Parameters:
    ///   - known: a conversation that has nothing newer than what the device knows of it is told with one message.
    ///   - messages: of each conversation, 0...100; 0 is WuKongIM's for "none", and then nothing is listed at all.
    init(
        of person: Identity, since version: Int64, known: LastSequences, messages count: Int, in store: ReadTransaction
    ) throws(StoreError) {
        var lines: [Line] = []
        var people: [PersonView] = []
        var groups: [GroupView] = []
        // Beyond it there is the newest message of each alone: apps fetch the others when a conversation is opened.
        var room = ReadBounds.pageBytes
        let found =
            count == 0
            ? []
            : try store.inbox.recent(
                of: person.user, since: version, order: version == 0 ? .forDisplay : .byChange,
                limit: Self.maximumConversations)
        for recent in found {
            let conversation = recent.conversation
            let channelID = Translation.channelID(channel: conversation.channel, other: recent.peerName)
            let type = Int(Translation.channelType(conversation.kind).rawValue)
            let cleared = recent.preference.clearedThrough
            let from = max(known.sequence(channelID, type) ?? 0, cleared)
            // A device that has everything gets the newest again: apps show no conversation without a message.
            let isNew = conversation.head > from
            let newest = try store.messages.latest(
                in: conversation.id, limit: isNew ? count : 1, as: .member(person.user), maximumBytes: max(1, room))
            room -= newest.reduce(0) { $0 + $1.content.body.count }
            let shown = newest.filter { $0.sequence > (isNew ? from : cleared) }.reversed()
            guard !shown.isEmpty else { continue }
            let rows = try store.rows(
                Array(shown), in: conversation.id, channelID: channelID, channelType: type, for: person.user,
                named: person.name)
            lines.append(
                Line(
                    recent: recent, channelID: channelID, type: type, messages: rows,
                    offset: cleared))
            if let peer = recent.peerName, let view = try store.view(of: peer, for: person.user) {
                people.append(view)
            } else if conversation.kind != .direct {
                groups.append(try store.view(of: conversation, for: person.user))
            }
        }
        self.asker = person.name
        self.lines = lines
        self.people = people
        self.groups = groups
    }

    func write(to writer: inout JSONWriter, _ presence: PresenceTable, _ services: APIServices) {
        writer.beginObject()
        writer.key("uid")
        writer.string(self.asker.text)
        writer.key("conversations")
        writer.beginArray()
        for line in self.lines { Self.write(line, to: &writer) }
        writer.endArray()
        writer.key("users")
        JSONValue.array(self.people.map { $0.dressed(services).row(presence) }).write(to: &writer)
        writer.key("groups")
        JSONValue.array(self.groups.map(\.row)).write(to: &writer)
        writer.key("channel_status")
        JSONValue.array([]).write(to: &writer)
        writer.endObject()
    }

    private static func write(_ line: Line, to writer: inout JSONWriter) {
        let (conversation, preference) = (line.recent.conversation, line.recent.preference)
        writer.beginObject()
        writer.key("channel_id")
        writer.string(line.channelID)
        writer.key("channel_type")
        writer.integer(Int64(line.type))
        writer.key("unread")
        writer.integer(line.recent.badge)
        writer.key("mute")
        writer.integer(preference.isSilenced ? 1 : 0)
        writer.key("stick")
        writer.integer(preference.isPinned ? 1 : 0)
        writer.key("timestamp")
        writer.integer(conversation.activeAtMilliseconds / 1_000)
        writer.key("last_msg_seq")
        writer.integer(conversation.head)
        writer.key("last_client_msg_no")
        writer.string(line.messages.first.flatMap { Translation.clientToken(of: $0.message) }?.bytes ?? [])
        writer.key("offset_msg_seq")
        writer.integer(line.offset)
        writer.key("version")
        writer.integer(line.recent.change)
        writer.key("recents")
        writer.beginArray()
        for message in line.messages { message.write(to: &writer) }
        writer.endArray()
        writer.key("extra")
        preference.extraRow(channelID: line.channelID, type: line.type).write(to: &writer)
        writer.endObject()
    }
}
