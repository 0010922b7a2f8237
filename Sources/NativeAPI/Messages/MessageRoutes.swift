import APIKit
import Broker
import ByteCodec
import ChatModel
import ContentTranslation
import Store

/// History and sending.
enum MessageRoutes {
    private static let value = Shape.reference("Message")
    private static let caption = Field.optional("text", .text(0...NativeBounds.textScalars))
    private static let mentions = Field.optional(
        "mentions", .either([.constant("all"), .list(NativeID.person, 0...Content.maximumMentions)]))
    private static let replyTo = Field.optional("replyTo", NativeID.message, "A message of the same conversation.")
    private static let attachment = Field.required(
        "attachment",
        .object([
            .required("file", .text(1...64, .plain), "Key of an uploaded file."),
            .optional("name", .text(1...255, .plain)),
            .optional("size", .count, "As the client knows it; what the server knows of the file counts."),
            .optional("mediaType", .text(0...MediaType.maximumBytes, .plain), "The same."),
            .optional("width", .integer(0...FileContent.maximumPixels)),
            .optional("height", .integer(0...FileContent.maximumPixels)),
            .optional("seconds", .number(0...86_399)),
        ]))

    private static func form(_ kind: String, _ own: Field...) -> [Field] {
        var fields: [Field] = [.clientToken, .required("kind", .constant(kind))]
        fields += own
        fields.append(self.mentions)
        fields.append(self.replyTo)
        return fields
    }

    private static let place = Field.required(
        "place",
        .object([
            .required("latitude", .number(-90...90)), .required("longitude", .number(-180...180)),
            .optional("title", .text(0...256, .plain)),
        ]))
    private static let card = Field.required(
        "card",
        .object([.required("name", NativeID.person), .optional("displayName", .text(0...100, .plain))]))

    private static let forms: [[Field]] = [
        Self.form("text", .required("text", .text(1...NativeBounds.textScalars))),
        Self.form("picture", Self.attachment, Self.caption), Self.form("voice", Self.attachment, Self.caption),
        Self.form("video", Self.attachment, Self.caption), Self.form("file", Self.attachment, Self.caption),
        Self.form("place", Self.place), Self.form("card", Self.card),
    ]

    /// Reasons why a message is not taken.
    private static let refusals: [ProblemCode] = [
        .sendBanned, .conversationBanned, .disbanded, .blocked, .notAllowlisted, .notMember, .membersMuted, .muted,
        .inputDisabled, .textTooLong, .contentNotAllowed, .wordNotAllowed, .refusedByServer, .tokenConflict, .tooLarge,
        .noSuchFile, .fileIncomplete, .noSuchMessage, .notApplicable,
    ]

    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "/conversations/{conversation}/messages", "messages",
            "A page of history, oldest first: the newest, or before, after or around a sequence.",
            path: [.conversation],
            query: [
                .optional("before", .count), .optional("after", .count), .optional("around", .count), .limit,
            ],
            answer: .snapshot(
                .object([
                    .required("items", .list(Self.value, 0...Int(NativeBounds.page.upperBound))),
                    .required("hasBefore", .flag), .required("hasAfter", .flag),
                    .optional("first", .count, "First sequence that was looked at: ask before it next."),
                    .optional("last", .count, "Last sequence that was looked at: ask after it next."),
                ])), problems: [.noSuchConversation, .unusableField], Self.history),
        NativeRoute(
            "POST", "/conversations/{conversation}/messages", "send",
            "Sends a message. The same clientToken within 30 days is answered as the first time.",
            path: [.conversation], forms: Self.forms, answer: .made(Self.value),
            problems: [.noSuchConversation] + Self.refusals, Self.send),
        NativeRoute(
            "GET", "/messages/{message}", "message", "One message.", path: [.message], answer: .snapshot(Self.value),
            problems: [.noSuchMessage], Self.one),
        NativeRoute(
            "POST", "/messages/{message}/forward", "forward",
            "Sends what a message holds to other conversations; each has its own outcome.", path: [.message],
            body: [
                .clientToken, .required("to", .list(NativeID.conversation, 1...NativeBounds.forwardTargets)),
            ],
            answer: .ok(
                .object([
                    .required(
                        "items",
                        .list(
                            .object([
                                .required("conversation", NativeID.conversation), .optional("id", NativeID.message),
                                .optional("problem", .choice(ProblemCode.allCases.map(\.rawValue))),
                            ]), 1...NativeBounds.forwardTargets))
                ])), problems: [.noSuchMessage, .notApplicable, .alreadyGone, .unusableField], Self.forward),
    ]

    // MARK: History

    /// Page of a history: the messages before, after or around a sequence.
    private enum Page: Sendable {
        case before(Int64)
        case after(Int64)
        case around(Int64)
    }

    private static func page(_ input: NativeInput) throws(Problem) -> Page {
        let places = [input.integer("before"), input.integer("after"), input.integer("around")]
        guard places.compactMap({ $0 }).count < 2 else {
            throw Problem(.unusableField, "only one of before, after and around may be given", field: "before")
        }
        if let after = places[1] { return .after(after) }
        if let around = places[2] { return .around(around) }
        return .before(places[0] ?? .max)
    }

    private struct History: Sendable {
        var messages: [NativeMessage] = []
        var hasBefore = false
        var hasAfter = false
        var first: Int64?
        var last: Int64?
    }

    @Sendable private static func history(_ call: NativeCall) throws(Problem) {
        let (id, reader, limit) = (call.conversation, call.reader, call.limit)
        let page = try self.page(call.input)
        call.read { store throws(StoreError) in
            guard try store.conversations.member(reader.user, in: id) != nil else {
                throw .refused(.noSuchConversation)
            }
            return (
                history: try self.read(page, of: id, limit, reader, store), cursor: try NativeServices.cursor(of: store)
            )
        } answer: { found in
            .native(cursor: found.cursor) { writer in
                writer.beginObject()
                writer.key("items")
                writer.beginArray()
                for message in found.history.messages { message.write(to: &writer) }
                writer.endArray()
                writer.flag("hasBefore", found.history.hasBefore)
                writer.flag("hasAfter", found.history.hasAfter)
                writer.number("first", found.history.first)
                writer.number("last", found.history.last)
                writer.endObject()
            }
        }
    }

    private static func read(
        _ page: Page, of id: ConversationID, _ limit: Int, _ reader: NativeReader, _ store: ReadTransaction
    ) throws(StoreError) -> History {
        let access = HistoryAccess.member(reader.user)
        let found: [Message]
        switch page {
        case .before(let sequence):
            found = try store.messages.page(in: id, before: sequence, limit: limit, as: access, skippingUnseen: true)
        case .after(let sequence):
            found = try store.messages.page(in: id, after: sequence, limit: limit, as: access, skippingUnseen: true)
        case .around(let sequence):
            let earlier = max(1, (limit - 1) / 2)
            let before = try store.messages.page(
                in: id, before: sequence, limit: earlier, as: access, skippingUnseen: true)
            let rest = max(1, limit - before.count)
            found =
                before
                + (try store.messages.page(in: id, after: sequence - 1, limit: rest, as: access, skippingUnseen: true))
        }
        var history = History()
        guard let first = found.first?.sequence, let last = found.last?.sequence else { return history }
        history.messages = try reader.values(found, in: id, store).filter { !$0.isGone }
        history.first = first
        history.last = last
        history.hasBefore =
            try !store.messages.page(in: id, before: first, limit: 1, as: access, skippingUnseen: true).isEmpty
        history.hasAfter = try !store.messages.page(in: id, after: last, limit: 1, as: access, skippingUnseen: true)
            .isEmpty
        return history
    }

    @Sendable private static func one(_ call: NativeCall) throws(Problem) {
        let (place, reader) = (call.place, call.reader)
        call.read { store throws(StoreError) in
            (message: try reader.knownMessage(place, in: store), cursor: try NativeServices.cursor(of: store))
        } answer: { found in
            .native(cursor: found.cursor) { found.message.write(to: &$0) }
        }
    }

    // MARK: Sending

    /// Parts of a message that are read from the store before it is worded.
    private struct Parts: Sendable {
        var file: FileContent?
        var reply: ReplyContent?
    }

    @Sendable private static func send(_ call: NativeCall) throws(Problem) {
        let (id, reader) = (call.conversation, call.reader)
        let attachment = call.input["attachment"]
        let answered = call.input.text("replyTo").map(NativeID.place)
        if let answered, answered.conversation != id {
            throw Problem(.noSuchMessage, "replyTo is no message of this conversation", field: "replyTo")
        }
        // A link is made for a file, so that the apps of every protocol can read it.
        if let attachment {
            let base = call.base
            return call.write { store throws(StoreError) in
                guard try store.reading.conversations.member(reader.user, in: id) != nil else {
                    throw .refused(.noSuchConversation)
                }
                let reply = try answered.map { (place) throws(StoreError) in try reader.reply(to: place, store.reading)
                }
                return Parts(file: try self.file(attachment, for: reader.user, in: id, at: base, store), reply: reply)
            } then: { parts in
                self.send(parts, call)
            }
        }
        call.read { store throws(StoreError) in
            guard try store.conversations.member(reader.user, in: id) != nil else {
                throw .refused(.noSuchConversation)
            }
            return Parts(reply: try answered.map { (place) throws(StoreError) in try reader.reply(to: place, store) })
        } then: { parts in
            self.send(parts, call)
        }
    }

    /// The file of an attachment, by a link that is good for readers of the conversation.
    ///
    /// - Throws: `refused(.noSuchFile)` for one that the person cannot read.
    private static func file(
        _ attachment: JSONValue, for user: UserID, in id: ConversationID, at base: String?, _ store: WriteTransaction
    ) throws(StoreError) -> FileContent {
        guard let key = attachment["file"]?.string.flatMap({ FileKey($0) }),
            let file = try store.reading.files.file(key),
            try store.reading.files.canRead(file, Actor(user))
        else { throw .refused(.noSuchFile) }
        guard file.state == .complete else { throw .refused(.fileIncomplete) }
        let name = attachment["name"]?.string ?? file.name
        var url = APIPaths.file(key)
        do throws(StoreError) {
            let link: FileLinkKey
            if let known = try store.reading.files.link(to: file.id) {
                link = known
            } else {
                link = FileLinkKey(random: (0..<26).map { _ in UInt8.random(in: 0...255) })
                try store.files.makeLink(link, to: key, for: id)
            }
            url = APIPaths.preview(link, name: name, base: base)
        } catch .refused(.switchedOff) {
            // Without links only those with a session of ours can read it.
        }
        return FileContent(
            url: url, name: name, bytes: file.size, width: attachment["width"]?.whole,
            height: attachment["height"]?.whole,
            seconds: attachment["seconds"]?.double ?? attachment["seconds"]?.integer.map(Double.init))
    }

    private static func send(_ parts: Parts, _ call: NativeCall) {
        let names = ["kind", "text", "mentions", "place", "card"]
        let members = names.compactMap { name in call.input[name].map { JSONValue.Member(name, $0) } }
        guard let content = NativeContentCodec.decode(.object(members), file: parts.file, reply: parts.reply),
            let token = ClientToken(Array(call.input.known("clientToken").utf8))
        else { return call.fail(Problem(.notApplicable, "the message says nothing")) }
        self.publish(NativeContentCodec.stored(content), to: call.conversation, token, call) { result in
            switch result {
            case .failure(let problem): call.fail(problem)
            case .success(let place): call.answerMessage(place, status: 201)
            }
        }
    }

    /// Sends by the right of the person who asks; the writer decides.
    private static func publish(
        _ content: MessageContent, to id: ConversationID, _ token: ClientToken, _ call: NativeCall,
        then: @escaping @Sendable (Result<MessagePlace, Problem>) -> Void
    ) {
        guard content.body.count <= call.services.settings.messageBytes else {
            return then(.failure(Problem(.tooLarge, "the message is longer than the server takes")))
        }
        call.services.broker.publish(as: call.user, authority: .user, to: .id(id), token: token, content: content) {
            result in
            switch result {
            case .accepted(let accepted):
                then(.success(MessagePlace(accepted.message.conversation, accepted.message.sequence)))
            // To who is not in it a conversation does not exist.
            case .refused(.notMember): then(.failure(Problem(PublishRefusal.noSuchConversation)))
            case .refused(let refusal): then(.failure(Problem(refusal)))
            case .failed(let error): then(.failure(Problem(error)))
            }
        }
    }

    // MARK: Forwarding

    @Sendable private static func forward(_ call: NativeCall) throws(Problem) {
        let (place, reader) = (call.place, call.reader)
        var seen: Set<String> = []
        let targets = (call.input.texts("to") ?? []).filter { seen.insert($0).inserted }.map(NativeID.conversation)
        guard let token = ClientToken(Array(call.input.known("clientToken").utf8)) else {
            throw Problem(.unusableField, "clientToken is too long", field: "clientToken")
        }
        call.read { store throws(StoreError) in
            try reader.knownMessage(place, in: store).forwarded
        } then: { content in
            guard let content else {
                return call.fail(Problem(.notApplicable, "a message of this kind cannot be forwarded"))
            }
            self.forward(content, to: targets[...], token, call, [])
        }
    }

    /// One after the other, so that one request never fills the queue.
    private static func forward(
        _ content: MessageContent, to targets: ArraySlice<ConversationID>, _ token: ClientToken, _ call: NativeCall,
        _ outcomes: [(ConversationID, Result<MessagePlace, Problem>)]
    ) {
        guard let target = targets.first else { return self.answerOutcomes(outcomes, call) }
        self.publish(content, to: target, token, call) { result in
            self.forward(content, to: targets.dropFirst(), token, call, outcomes + [(target, result)])
        }
    }

    private static func answerOutcomes(
        _ outcomes: [(ConversationID, Result<MessagePlace, Problem>)], _ call: NativeCall
    ) {
        call.answer { writer in
            writer.beginObject()
            writer.key("items")
            writer.beginArray()
            for (target, result) in outcomes {
                writer.beginObject()
                writer.text("conversation", NativeID.text(target))
                switch result {
                case .success(let place): writer.text("id", NativeID.text(place))
                case .failure(let problem): writer.text("problem", problem.code.rawValue)
                }
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }
}

extension NativeCall {
    /// Answers with a message as it stands now.
    func answerMessage(_ place: MessagePlace, status: Int = 200) {
        let reader = self.reader
        self.read { store throws(StoreError) in
            try reader.knownMessage(place, in: store)
        } answer: { message in
            .native(status) { message.write(to: &$0) }
        }
    }
}

extension NativeReader {
    /// A message that the person can see.
    ///
    /// - Throws: `refused(.noSuchMessage)` for any other.
    func knownMessage(_ place: MessagePlace, in store: ReadTransaction) throws(StoreError) -> NativeMessage {
        do throws(StoreError) {
            guard let message = try self.messages([place.sequence], in: place.conversation, store).first,
                !message.isGone
            else { throw .refused(.noSuchMessage) }
            return message
        } catch .notFound {
            throw .refused(.noSuchMessage)
        }
    }

    /// True when the person may know that there is a message, whatever is shown of it.
    func knows(_ place: MessagePlace, in store: ReadTransaction) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try !self.messages([place.sequence], in: place.conversation, store).isEmpty
        } catch .notFound {
            return false
        }
    }

    /// Reads what an answer says of the message that it answers.
    ///
    /// - Throws: `refused(.noSuchMessage)`.
    func reply(to place: MessagePlace, _ store: ReadTransaction) throws(StoreError) -> ReplyContent {
        let message = try self.knownMessage(place, in: store)
        let sender = try store.people.user(message.message.sender)
        return ReplyContent(
            message: message.message.id, sender: message.message.senderName.text,
            senderName: sender?.displayName ?? message.message.senderName.text, form: message.content.shownForm,
            words: message.content.words)
    }
}

extension NativeMessage {
    /// Content that is sent when the message is forwarded: without mentions and without the message that it answers;
    /// `nil` for one that cannot be forwarded.
    var forwarded: MessageContent? {
        switch self.content.form {
        case .custom:
            var content = self.message.content
            content.flags = content.flags.intersection([.bodyIsJSONObject, .binary])
                .union([.countsAsUnread, .receiptRequested])
            content.envelope = nil
            return content
        case .text, .richText, .picture, .animation, .voice, .video, .file, .sticker, .place, .card, .forwarded:
            return NativeContentCodec.stored(Content(self.content.form, text: self.content.text))
        case .call, .systemMessage, .command, .withdrawn, .encrypted, .unreadable: return nil
        }
    }
}
