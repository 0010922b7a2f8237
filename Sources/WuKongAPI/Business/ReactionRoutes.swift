import APIKit
import ByteCodec
import ChatModel
import Store

/// Reactions to messages, and messages that are pinned for everyone.
enum ReactionRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/reactions", Self.toggle),
        Route("POST", "/v1/reaction/sync", Self.sync),
    ]

    /// Adds a reaction, or cancels it: the same one again.
    @Sendable static func toggle(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let id = try fields.messageID()
        let emoji = try fields.text("emoji")
        let user = call.user
        call.write { store throws(StoreError) in
            try store.messages.toggleReaction(try store.reading.place(id, channel, of: user), name: emoji, by: user)
        } answer: { reaction in
            .json(reaction.row(channel: channel).adding(.fields(("status", .integer(200)))))
        }
    }

    /// The reactions of a channel that were added or cancelled after a number.
    @Sendable static func sync(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let seq = max(0, try fields.integer("seq"))
        let limit = try fields.limit(otherwise: 100)
        let user = call.user
        call.read { store throws(StoreError) in
            guard let conversation = try store.conversation(channel, of: user) else { return [Reaction]() }
            return try store.messages.reactions(in: conversation.id, after: seq, limit: limit, as: .member(user))
        } answer: { reactions in
            .json(.array(reactions.map { $0.row(channel: channel) }))
        }
    }
}

/// Messages pinned for everyone in a conversation.
enum PinRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/message/pinned", Self.toggle),
        Route("POST", "/v1/message/pinned/sync", Self.sync),
        Route("POST", "/v1/message/pinned/clear", Self.clear),
    ]

    /// Pins a message, or unpins it: the same one again.
    @Sendable static func toggle(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        try call.change(channel, try fields.messageID()) { store, place, actor throws(StoreError) in
            let known = try store.reading.messages.extras(of: [place.sequence], in: place.conversation, for: actor.user)
            return try store.messages.setPinned(place, known[place.sequence]?.isPinned != true, by: actor)
        }
    }

    /// Pins after a version, with their messages.
    @Sendable static func sync(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let version = max(0, try fields.integer("version"))
        let person = call.person
        call.read { store throws(StoreError) in
            guard let conversation = try store.conversation(channel, of: person.user) else {
                return (pins: [PinnedMessage](), rows: [MessageRow]())
            }
            let pins = try store.messages.pinned(
                in: conversation.id, after: version, limit: 1_000, as: .member(person.user))
            var messages: [Message] = []
            for pin in pins where pin.isPinned {
                let message = try store.messages.one(
                    in: conversation.id, sequence: pin.place.sequence, as: .member(person.user))
                if let message { messages.append(message) }
            }
            let rows = try store.rows(
                messages, in: conversation.id, channelID: channel.id, channelType: channel.typeNumber,
                for: person.user, named: person.name)
            return (pins, rows)
        } answer: { found in
            .json { writer in
                writer.beginObject()
                writer.key("pinned_messages")
                JSONValue.array(found.pins.map { $0.row(channel) }).write(to: &writer)
                writer.key("messages")
                writer.beginArray()
                for row in found.rows { row.write(to: &writer) }
                writer.endArray()
                writer.endObject()
            }
        }
    }

    /// Unpins all messages of a channel.
    @Sendable static func clear(_ call: BusinessCall) throws(APIFailure) {
        let channel = try call.channel(try call.request.fields())
        let actor = call.actor
        call.write { store throws(StoreError) in
            let conversation = try store.reading.knownConversation(channel, of: actor.user)
            let pins = try store.reading.messages.pinned(
                in: conversation.id, limit: 1_000, as: .member(actor.user))
            for pin in pins where pin.isPinned { _ = try store.messages.setPinned(pin.place, false, by: actor) }
        } answer: { _ in
            .ok
        }
    }
}

extension PinnedMessage {
    /// Source: TangSengDaoDao server, pinnedMessageResp.
    fileprivate func row(_ channel: BusinessChannel) -> JSONValue {
        let changed = BusinessTime.text(milliseconds: self.changedAtMilliseconds)
        return .fields(
            ("message_id", .string("\(self.id.rawValue)")), ("message_seq", .integer(self.place.sequence)),
            ("channel_id", .string(channel.id)), ("channel_type", .number(channel.typeNumber)),
            ("is_deleted", .flag(!self.isPinned)), ("version", .integer(self.revision)),
            ("created_at", .string(changed)), ("updated_at", .string(changed)))
    }
}
