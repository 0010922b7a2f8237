import APIKit
import Broker
import ByteCodec
import ChatModel
import Store
import WuKongTranslation
import WuKongWire

/// Routes for changes of messages after they were sent.
enum MessageChangeRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/message/revoke", Self.revoke),
        Route("POST", "/v1/message/edit", Self.edit),
        Route("PUT", "/v1/message/extra", Self.replaceExtra),
        Route("PATCH", "/v1/message/extra", Self.mergeExtra),
        Route("DELETE", "/v1/message", Self.deleteForOneself),
        Route("DELETE", "/v1/message/mutual", Self.deleteForAll),
        Route("POST", "/v1/message/offset", Self.clear),
        Route("PUT", "/v1/message/voicereaded", Self.markHeard),
        Route("POST", "/v1/message/typing", Self.typing),
    ]

    // MARK: For everyone

    /// Takes a message back. It is named in the query, by its number or by the number its sender gave it.
    @Sendable static func revoke(_ call: BusinessCall) throws(APIFailure) {
        let channel = try call.queryChannel()
        let number = try call.request.queryInteger("message_id", otherwise: 0)
        let token = ClientToken(Array((call.request.query["client_msg_no"] ?? "").utf8))
        guard number > 0 || token != nil else { throw .bad("message_id and client_msg_no are missing in the query") }
        let actor = call.actor
        call.write { store throws(StoreError) in
            let conversation = try store.reading.knownConversation(channel, of: actor.user)
            let place = try store.reading.place(
                of: MessageID(rawValue: number), or: token, in: conversation, actor.user)
            _ = try store.messages.recall(place, by: actor)
        } answer: { _ in
            .ok
        }
    }

    /// Gives a message another payload, which comes as JSON text.
    @Sendable static func edit(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let id = try fields.messageID()
        let text = Array(try fields.text("content_edit").utf8)
        let edited: MessageContent
        do throws(PayloadRefusal) {
            edited = try Translation.accepted(
                payload: text, header: WuKongHeader(), setting: [], topic: nil, expire: 0, from: .user)
        } catch {
            throw APIFailure(error)
        }
        guard edited.flags.contains(.bodyIsJSONObject) else {
            throw .bad("content_edit must be the text of a JSON object")
        }
        // The word list is held against an edit as against a message.
        call.services.broker.screen(edited, from: .user) { screening in
            if let refusal = screening?.refusal { return call.reply(.failure(APIFailure(refusal))) }
            let (body, words) = (screening?.content.body ?? text, screening?.flagged ?? [])
            do throws(APIFailure) {
                try call.change(channel, id) { store, place, actor throws(StoreError) in
                    let change = try store.messages.edit(
                        place, newBody: body, isJSONObject: true, wire: .wuKong, by: actor)
                    if !words.isEmpty, change.revision > 0 {
                        try store.moderation.addFlagged(words, at: place, by: actor.user)
                    }
                    return change
                }
            } catch {
                call.reply(.failure(error))
            }
        }
    }

    /// Deletes a message for everyone.
    @Sendable static func deleteForAll(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        try call.change(channel, try fields.messageID()) { store, place, actor throws(StoreError) in
            try store.messages.deleteForAll(place, by: actor)
        }
    }

    // MARK: What the app keeps with a message

    /// Puts a dictionary of the app's own in the place of a message's.
    @Sendable static func replaceExtra(_ call: BusinessCall) throws(APIFailure) {
        try Self.setExtra(call, replacesAll: true)
    }

    /// Changes keys of a message's dictionary; `null` removes one.
    @Sendable static func mergeExtra(_ call: BusinessCall) throws(APIFailure) {
        try Self.setExtra(call, replacesAll: false)
    }

    /// Outcome of a change that was made for one version of a message.
    private enum ExtraChange: Sendable {
        case changed(MessageExtra)
        /// Somebody else was quicker: how it stands.
        case changedMeanwhile(MessageExtra?)
    }

    /// Writes `extra`, a JSON object; with `extra_version`, only if nobody has changed it since that version. Answers
    /// with the message's extras, also with 409 when somebody has. Source: WuKongIM iOS SDK, its provider for updating
    /// a message's extra hands the app the new one and the one that is known.
    private static func setExtra(_ call: BusinessCall, replacesAll: Bool) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let id = try fields.messageID()
        guard let value = fields.member("extra"), value.object != nil else { throw .bad("extra must be a JSON object") }
        let (patch, version) = (value.serialized(), try fields.optionalInteger("extra_version"))
        let actor = call.actor
        call.write { store throws(StoreError) -> ExtraChange in
            let place = try store.reading.place(id, channel, of: actor.user)
            var isLate = false
            do throws(StoreError) {
                try store.messages.setAttributes(
                    of: place, mergePatch: patch, replacesAll: replacesAll, ifRevision: version, by: actor)
            } catch {
                guard case .refused(.changedMeanwhile) = error else { throw error }
                isLate = true
            }
            let extras = try store.reading.messages.extras(
                of: [place.sequence], in: place.conversation, for: actor.user)
            guard !isLate, let extra = extras[place.sequence] else { return .changedMeanwhile(extras[place.sequence]) }
            return .changed(extra)
        } answer: { change in
            switch change {
            case .changed(let extra): return .json(extra.row)
            case .changedMeanwhile(let extra):
                let refusal = JSONValue.fields(
                    ("msg", .string(ActionRefusal.changedMeanwhile.description)), ("status", .integer(409)))
                let row = extra.map { JSONValue.fields(("message_extra", $0.row)) } ?? .object([])
                return .json(refusal.adding(row), status: 409)
            }
        }
    }

    // MARK: For oneself

    /// Hides messages, which are named in an array, from the person.
    @Sendable static func deleteForOneself(_ call: BusinessCall) throws(APIFailure) {
        let entries = try call.request.objects(most: MessageLimits.placesPerCall)
        var wanted: [(channel: BusinessChannel, id: MessageID)] = []
        for entry in entries { wanted.append((try call.channel(entry), try entry.messageID())) }
        let (user, messages) = (call.user, wanted)
        call.write { store throws(StoreError) in
            var places: [MessagePlace] = []
            for (channel, id) in messages { places.append(try store.reading.place(id, channel, of: user)) }
            return try store.messages.hide(places, for: user)
        } answer: { _ in
            .ok
        }
    }

    /// Empties a channel for the person, up to a message; what was unread there is read, and its reminders are done.
    @Sendable static func clear(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let sequence = try fields.integer("message_seq")
        let user = call.user
        call.write { store throws(StoreError) in
            let id = try store.reading.knownConversation(channel, of: user).id
            _ = try store.inbox.clearHistory(user, in: id, through: sequence > 0 ? sequence : .max)
            try store.inbox.clearUnread(user, in: id, upTo: sequence > 0 ? sequence : nil)
            try store.finishReminders(in: id, through: sequence > 0 ? sequence : .max, by: user)
        } answer: { _ in
            .ok
        }
    }

    @Sendable static func markHeard(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let id = try fields.messageID()
        let user = call.user
        call.write { store throws(StoreError) in
            try store.messages.markHeard(try store.reading.place(id, channel, of: user), by: user)
        } answer: { _ in
            .ok
        }
    }

    // MARK: Typing

    /// Shows the others that the person is typing. Nothing of it is kept.
    @Sendable static func typing(_ call: BusinessCall) throws(APIFailure) {
        let channel = try call.channel(try call.request.fields())
        let (services, person) = (call.services, call.person)
        call.read { store throws(StoreError) in
            let conversation = try store.knownConversation(channel, of: person.user)
            return (conversation: conversation, name: try store.displayName(of: person.user))
        } answer: { found in
            // Whoever is told knows the direct conversation by the name of who types.
            let channelID = channel.type == .person ? person.name.text : channel.id
            let typing = SyncCommand.typing(
                person.name, name: found.name, channelID: channelID, type: channel.typeNumber)
            services.sendTransient(typing, in: found.conversation, from: person.user)
            return .ok
        }
    }
}

extension BusinessCall {
    /// Changes one message that everyone sees.
    func change(
        _ channel: BusinessChannel, _ id: MessageID,
        _ body: @escaping @Sendable (WriteTransaction, MessagePlace, Actor) throws(StoreError) -> MessageChange
    ) throws(APIFailure) {
        let actor = self.actor
        self.write { store throws(StoreError) in
            _ = try body(store, try store.reading.place(id, channel, of: actor.user), actor)
        } answer: { _ in
            .ok
        }
    }
}

extension APIRequest {
    /// The body as an array of objects, at least one.
    func objects(most limit: Int) throws(APIFailure) -> [APIFields] {
        guard let elements = self.body.array, (1...limit).contains(elements.count) else {
            throw .bad("expected an array of 1 to \(limit) objects as the body")
        }
        var objects: [APIFields] = []
        for (index, element) in elements.enumerated() {
            guard element.object != nil else { throw .bad("element \(index) is no object") }
            objects.append(APIFields(element, at: "[\(index)]."))
        }
        return objects
    }
}

extension ReadTransaction {
    /// How many of a channel's newest messages are looked through for a number of their sender's.
    private static let tokenSearch = 500

    /// The place of a message that is named by its number, or else by the number its sender gave it; that one is looked
    /// for among the newest messages only, where messages are taken back.
    ///
    /// - Throws: `refused(.noSuchMessage)`.
    func place(
        of id: MessageID, or token: ClientToken?, in conversation: Conversation, _ user: UserID
    ) throws(StoreError) -> MessagePlace {
        if id.rawValue > 0, let place = try self.messages.place(of: id, in: conversation.id) { return place }
        if let token {
            let newest = try self.messages.latest(
                in: conversation.id, limit: Self.tokenSearch, as: .member(user), maximumBytes: .max)
            if let found = newest.last(where: { $0.clientToken == token }) {
                return MessagePlace(conversation.id, found.sequence)
            }
        }
        throw .refused(.noSuchMessage)
    }
}

extension WriteTransaction {
    /// Ends a person's reminders of messages up to one.
    func finishReminders(
        in id: ConversationID, through sequence: Int64, by user: UserID
    ) throws(StoreError) {
        var change: Int64 = 0
        while true {
            let page = try self.reading.messages.reminders(of: user, after: change, conversations: [id], limit: 500)
            let open = page.filter { !$0.isDone && $0.sequence <= sequence }.map(\.id)
            for start in stride(from: 0, to: open.count, by: MessageLimits.placesPerCall) {
                try self.messages.finishReminders(
                    Array(open[start..<min(start + MessageLimits.placesPerCall, open.count)]), by: user)
            }
            guard page.count == 500, let last = page.last else { return }
            change = last.change
        }
    }
}
