import APIKit
import ByteCodec
import ChatModel
import Store

/// Reading messages back: pages of a channel, what changed on them, the log of commands.
enum HistoryRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/message/channel/sync", Self.page),
        Route("POST", "/v1/message/extra/sync", Self.extras),
        Route("POST", "/v1/message/sync", Self.commands),
        Route("POST", "/v1/message/syncack/{last}", Self.acknowledgeCommands),
    ]

    // MARK: Pages

    /// A page of a channel's messages, oldest first. A group the asker is not in has none.
    @Sendable static func page(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let start = max(0, try fields.integer("start_message_seq"))
        let end = max(0, try fields.integer("end_message_seq"))
        let pullsUp = try fields.integer("pull_mode") == 1
        let range = HistoryRange(start: start, end: end, pullsUp: pullsUp, limit: try fields.limit(otherwise: 100))
        let person = call.person
        call.read { store throws(StoreError) in
            guard let conversation = try store.conversation(channel, of: person.user) else {
                return (rows: [MessageRow](), more: false)
            }
            let cleared = try store.inbox.preference(of: person.user, in: conversation.id).clearedThrough
            let found = try store.messages(range, in: conversation.id, of: person.user)
            let rows = try store.rows(
                found.messages.filter { $0.sequence > cleared }, in: conversation.id, channelID: channel.id,
                channelType: channel.typeNumber, for: person.user, named: person.name)
            return (rows, found.more)
        } answer: { found in
            .json { writer in
                writer.beginObject()
                writer.key("start_message_seq")
                writer.integer(start)
                writer.key("end_message_seq")
                writer.integer(end)
                writer.key("pull_mode")
                writer.integer(pullsUp ? 1 : 0)
                writer.key("more")
                writer.integer(found.more ? 1 : 0)
                writer.key("messages")
                writer.beginArray()
                for row in found.rows { row.write(to: &writer) }
                writer.endArray()
                writer.endObject()
            }
        }
    }

    // MARK: What changed

    /// Changes of a channel's messages after a version.
    @Sendable static func extras(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let version = max(0, try fields.integer("extra_version"))
        let limit = try fields.limit(otherwise: 100)
        let user = call.user
        call.read { store throws(StoreError) in
            guard let conversation = try store.conversation(channel, of: user) else { return [MessageExtra]() }
            return try store.messages.extras(in: conversation.id, after: version, limit: limit, for: user)
        } answer: { extras in
            .json(.array(extras.map(\.row)))
        }
    }

    // MARK: Commands

    /// The commands kept for a person after a number, oldest first.
    @Sendable static func commands(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let after = max(0, try fields.integer("max_message_seq"))
        let limit = try fields.limit(otherwise: 200)
        let person = call.person
        call.read { store throws(StoreError) in
            try store.commands.page(for: person.user, after: after, limit: limit)
        } answer: { commands in
            .json { writer in
                writer.beginArray()
                for command in commands { CommandRow(command: command, asker: person.name).write(to: &writer) }
                writer.endArray()
            }
        }
    }

    @Sendable static func acknowledgeCommands(_ call: BusinessCall) throws(APIFailure) {
        guard let last = Int64(try call.request.parameter("last")), last >= 0 else {
            throw .bad("the last path segment must be the number of a command")
        }
        let user = call.user
        call.write { store throws(StoreError) in
            try store.commands.acknowledge(user, upTo: last, single: false)
        } answer: { _ in
            .ok
        }
    }
}
