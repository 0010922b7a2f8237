import APIKit
import Broker
import ByteCodec
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// Messages that are written while people watch: /message/event and /message/eventsync.
///
/// A step is on the disk before it is shown. What has come together in each lane is kept, not every step: who comes
/// later gets the whole at once.
enum Streams {
    private static let usualEvents: Int64 = 200
    private static let maximumEvents: Int64 = 2000

    // MARK: Steps

    private struct Found: Sendable {
        var message: Message
        var place: MessageAnswer.Place
        /// Audience of a message for some only.
        var audience: [UserID]?
    }

    /// Takes a step in a message of `from_uid`; the manager may in any.
    @Sendable static func append(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let step = try StreamStep(fields, now: services.clock.wallMilliseconds())
        guard step.payload.serialized().count <= services.settings.messageBytes else {
            throw .bad("the payload is longer than \(services.settings.messageBytes) bytes")
        }
        let channel = try fields.channel()
        let look = try Self.look(fields, channel, request)
        services.call(reply, for: request.asker).read(
            look,
            then: { found in
                guard let found else { return reply(.failure(404, "there is no such message: send it first")) }
                Self.takeStep(step, in: found, channel, services, reply)
            })
    }

    /// Finds the message that a request names.
    private static func look(
        _ fields: APIFields, _ channel: ChannelReference, _ request: APIRequest
    ) throws(APIFailure) -> @Sendable (ReadTransaction) throws(StoreError) -> Found? {
        let id = try fields.largeInteger("message_id") ?? 0
        let number = try fields.optionalText("client_msg_no") ?? ""
        let token = ClientToken(Array(number.utf8))
        guard id != 0 || token != nil else { throw .bad("client_msg_no is missing") }
        let from = try fields.optionalText("from_uid") ?? ""
        let sender = from.isEmpty ? nil : try fields.uid("from_uid")
        let (caller, asker) = (request.caller, request.asker)
        return { transaction throws(StoreError) in
            let user = try sender.map { name throws(StoreError) in try transaction.people.user(named: name)?.id } ?? nil
            let reader = History.Reader(name: sender, caller: caller, asker: asker)
            guard let known = try History.find(channel, user, reader, transaction) else { return nil }
            let access = reader.access(user)
            let message =
                if let token {
                    try transaction.messages.one(withToken: token, in: known.id, as: access)
                } else {
                    try transaction.messages.one(MessageID(rawValue: id), in: known.id, as: access)
                }
            guard let message, sender == nil || message.sender == user else { return nil }
            var found = Found(message: message, place: try MessageAnswer.Place(known, transaction))
            if message.isRestricted {
                var audience = [message.sender]
                for name in message.content.envelope?.visibleTo ?? [] {
                    if let user = try transaction.people.user(named: name)?.id, !audience.contains(user) {
                        audience.append(user)
                    }
                }
                found.audience = audience
            }
            return found
        }
    }

    private static func takeStep(
        _ step: StreamStep, in found: Found, _ channel: ChannelReference, _ services: APIServices,
        _ reply: @escaping APIReply
    ) {
        let place = MessagePlace(found.message.conversation, found.message.sequence)
        let broker = services.broker
        services.write(reply, by: .business) { transaction throws(StoreError) -> (state: StreamState?, isNew: Bool) in
            let changed = try transaction.streams.changeStream(of: place) { lanes throws(StoreError) in
                try step.next(after: lanes)
            }
            if let changed { return (changed, true) }
            let lanes = try transaction.reading.streams.streams(of: [place.sequence], in: place.conversation)
            let all = lanes[place.sequence] ?? []
            let end = all.first { $0.key == StreamStep.finishKey }
            return (end ?? all.first { $0.key == step.key }, false)
        } answer: { changed in
            if changed.isNew, let state = changed.state { Self.show(step, state, found, broker) }
            return Self.answer(step, changed.state, found.message, channel)
        }
    }

    private static func answer(
        _ step: StreamStep, _ state: StreamState?, _ message: Message, _ channel: ChannelReference
    ) -> APIAnswer {
        let number = message.clientToken.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        return .ok(
            .object([
                JSONValue.Member("client_msg_no", .string(number)),
                JSONValue.Member("event_key", .string(state?.key ?? step.key)),
                JSONValue.Member("event_id", .string(state?.lastEventID ?? step.eventID)),
                JSONValue.Member("msg_event_seq", .integer(state?.lastNumber ?? 0)),
                JSONValue.Member("stream_status", .string((state?.status ?? .open).word)),
                JSONValue.Member("channel_id", .string(channel.id)),
                JSONValue.Member("channel_type", .integer(Int64(channel.type.rawValue))),
                JSONValue.Member("from_uid", .string(Translation.senderUID(message.senderName))),
            ]))
    }

    // MARK: Showing

    /// Tells everybody who watches. In a person channel each side sees the other as the channel.
    private static func show(_ step: StreamStep, _ state: StreamState, _ found: Found, _ broker: Broker) {
        let message = found.message
        func publish(to user: UserID?) {
            let other = found.place.other(than: user ?? message.sender)
            let channelID = Translation.channelID(channel: found.place.conversation.channel, other: other)
            let data = Self.data(step, state, message, channelID, found.place.conversation.kind)
            let event = StreamEvent(
                id: step.eventID, type: step.kind.rawValue, timestampMilliseconds: step.occurredAtMilliseconds,
                data: data)
            if let event { broker.publishEvent(event, in: message.conversation, only: user) }
        }
        if state.visibility != .everyone {
            publish(to: message.sender)
        } else if let pair = found.place.pair {
            for user in Set([pair.low, pair.high]) { publish(to: user) }
        } else if let audience = found.audience {
            for user in audience { publish(to: user) }
        } else {
            publish(to: nil)
        }
    }

    private static func data(
        _ step: StreamStep, _ state: StreamState, _ message: Message, _ channelID: String, _ kind: ConversationKind
    ) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("client_msg_no")
        json.string(message.clientToken?.bytes ?? [])
        json.key("channel_id")
        json.string(channelID)
        json.key("channel_type")
        json.integer(Int64(Translation.channelType(kind).rawValue))
        json.key("from_uid")
        json.string(Translation.senderUID(message.senderName))
        json.key("message_id")
        json.decimalString(message.id.rawValue)
        json.key("event_key")
        json.string(state.key)
        json.key("msg_event_seq")
        json.integer(state.lastNumber)
        json.key("stream_status")
        json.string(state.status.word)
        json.key("visibility")
        json.string(state.visibility.word)
        json.key("payload")
        step.payload.write(to: &json)
        json.endObject()
        return json.bytes
    }

    // MARK: Catching up

    /// Where the lanes of a message stand, after a number.
    @Sendable static func sync(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let channel = try fields.channel()
        let login = try fields.optionalText("login_uid") ?? ""
        let reader = History.Reader(
            name: login.isEmpty ? nil : try fields.uid("login_uid"), caller: request.caller, asker: request.asker)
        let number = try fields.text("client_msg_no")
        guard let token = ClientToken(Array(number.utf8)) else { throw .bad("client_msg_no is too long") }
        let key = try fields.optionalText("event_key") ?? ""
        let from = try fields.largeInteger("from_msg_event_seq") ?? 0
        let asked = try fields.integer("limit")
        let limit = Int(min(asked > 0 ? asked : Self.usualEvents, Self.maximumEvents))
        let wantsPrivate = try fields.isOn("include_private")
        services.read(reply, for: request.asker) { transaction throws(StoreError) -> [StreamState]? in
            let user = try reader.user(transaction)
            guard let known = try History.find(channel, user, reader, transaction),
                let message = try transaction.messages.one(withToken: token, in: known.id, as: reader.access(user)),
                !message.content.flags.contains(.withdrawn), !message.isStandIn
            else { return nil }
            let mayPrivate = wantsPrivate && (reader.caller == .manager || message.sender == user)
            let lanes = try transaction.streams.streams(of: [message.sequence], in: known.id)[message.sequence] ?? []
            return lanes.filter { lane in
                lane.lastNumber > from && (key.isEmpty || lane.key == key)
                    && (mayPrivate || lane.visibility == .everyone)
            }
        } answer: { lanes in
            guard let lanes else { return MessageAnswer.none }
            let page = lanes.prefix(limit)
            return .ok(
                .object([
                    JSONValue.Member("client_msg_no", .string(number)),
                    JSONValue.Member("from_msg_event_seq", .integer(from)),
                    JSONValue.Member("next_msg_event_seq", .integer(page.last?.lastNumber ?? from)),
                    JSONValue.Member("more", .integer(lanes.count > page.count ? 1 : 0)),
                    JSONValue.Member("events", .array(page.map(Self.event))),
                    JSONValue.Member("filtered_by_event_key", .boolean(!key.isEmpty)),
                ]))
        }
    }

    private static func event(_ lane: StreamState) -> JSONValue {
        let payload = lane.snapshot.flatMap { try? JSONValue(parsing: $0) } ?? .object([])
        return .object([
            JSONValue.Member("msg_event_seq", .integer(lane.lastNumber)),
            JSONValue.Member("event_id", .string(lane.lastEventID)),
            JSONValue.Member("event_key", .string(lane.key)),
            JSONValue.Member("event_type", .string(lane.lastEventType)),
            JSONValue.Member("stream_status", .string(lane.status.word)),
            JSONValue.Member("visibility", .string(lane.visibility.word)),
            JSONValue.Member("occurred_at", .integer(lane.occurredAtMilliseconds)),
            JSONValue.Member("payload", payload),
        ])
    }
}
