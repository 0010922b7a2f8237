import APIKit
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Messages of channels, as clients fetch them and as a business server looks them up.
///
/// The manager sees every channel. A person sees those they are in, without what they cleared; one that does not exist
/// and one that is not theirs get the same answer.
enum History {
    /// Source: WuKongIM v2.2.5, /channel/messagesync.
    private static let maximumMessages: Int64 = 10_000
    private static let usualMessages: Int64 = 100
    /// Most messages of /messages, by each of its three lists.
    private static let maximumPicked = 1000

    /// Person who reads.
    struct Reader: Sendable {
        var name: UserName?
        var caller: APICaller
        var asker: ReadAsker

        func user(_ transaction: ReadTransaction) throws(StoreError) -> UserID? {
            if case .person(let identity) = self.caller { return identity.user }
            guard let name = self.name else { return nil }
            return try transaction.people.user(named: name)?.id
        }

        func access(_ user: UserID?) -> HistoryAccess {
            if case .person(let identity) = self.caller { return .member(identity.user) }
            return user.map(HistoryAccess.onBehalf) ?? .unrestricted
        }
    }

    // MARK: A page

    /// A page of a channel, ascending: `start_message_seq` is in it, `end_message_seq` is not; `pull_mode` 0 goes from
    /// the start to older ones, 1 to newer ones.
    @Sendable static func sync(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let channel = try fields.channel()
        let reader = try Self.reader(request, fields)
        let asked = try fields.integer("limit")
        let range = MessageRange(
            start: try fields.largeInteger("start_message_seq") ?? 0,
            end: try fields.largeInteger("end_message_seq") ?? 0, goesUp: try fields.integer("pull_mode") == 1,
            limit: Int(min(asked > 0 ? asked : Self.usualMessages, Self.maximumMessages)))
        let isBasic = try fields.optionalText("event_summary_mode") == "basic"
        services.read(reply, for: request.asker) {
            transaction throws(StoreError) -> (messages: [MessageAnswer], more: Bool) in
            let user = try reader.user(transaction)
            guard let found = try Self.find(channel, user, reader, transaction) else { return ([], false) }
            let place = try MessageAnswer.Place(found, transaction)
            var room = PageRoom()
            let page = try range.read(found, transaction, as: reader.access(user), &room)
            var messages = page.messages.map { MessageAnswer($0, in: place, asker: user) }
            try messages.addStreams(
                in: found.id, asker: user, isManager: reader.caller == .manager, isBasic: isBasic, transaction)
            return (messages, page.more)
        } answer: { page in
            .json { json in
                json.beginObject()
                json.key("start_message_seq")
                json.integer(range.start)
                json.key("end_message_seq")
                json.integer(range.end)
                json.key("more")
                json.integer(page.more ? 1 : 0)
                json.key("messages")
                MessageAnswer.write(page.messages, to: &json)
                json.endObject()
            }
        }
    }

    static func reader(_ request: APIRequest, _ fields: APIFields) throws(APIFailure) -> Reader {
        let login = try fields.optionalText("login_uid") ?? ""
        return Reader(
            name: login.isEmpty ? nil : try fields.uid("login_uid"), caller: request.caller, asker: request.asker)
    }

    static func queryReader(_ request: APIRequest) -> Reader {
        Reader(
            name: request.query["login_uid"].flatMap { Translation.userName($0) }, caller: request.caller,
            asker: request.asker)
    }

    /// The conversation that may be read; `nil` when there is none.
    ///
    /// - Throws: `notFound` for a person who is not in it, and for a group that does not exist.
    static func find(
        _ channel: ChannelReference, _ user: UserID?, _ reader: Reader, _ transaction: ReadTransaction
    ) throws(StoreError) -> Conversation? {
        let found = try channel.conversation(seenBy: user, transaction)
        if case .person(let identity) = reader.caller {
            if let found {
                guard try transaction.conversations.hears(identity.user, in: found.id) else {
                    throw .notFound("the channel")
                }
            } else if channel.person == nil || channel.people != nil {
                throw .notFound("the channel")
            }
        }
        return found
    }

    // MARK: Single messages

    /// Messages by sequence, id and client number; those that do not exist are left out.
    @Sendable static func pick(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let channel = try fields.channel()
        let reader = try Self.reader(request, fields)
        let sequences = try fields.integers("message_seqs", most: Self.maximumPicked)
        let ids = try fields.integers("message_ids", most: Self.maximumPicked)
        let tokens = try fields.texts("client_msg_nos", most: Self.maximumPicked)
        services.read(reply, for: request.asker) { transaction throws(StoreError) -> [MessageAnswer] in
            let user = try reader.user(transaction)
            guard let found = try Self.find(channel, user, reader, transaction) else { return [] }
            let place = try MessageAnswer.Place(found, transaction)
            let access = reader.access(user)
            var messages: [Int64: Message] = [:]
            for sequence in sequences {
                messages[sequence] = try transaction.messages.one(in: found.id, sequence: sequence, as: access)
            }
            for id in ids {
                let message = try transaction.messages.one(MessageID(rawValue: id), in: found.id, as: access)
                if let message { messages[message.sequence] = message }
            }
            for text in tokens {
                guard let token = ClientToken(Array(text.utf8)),
                    let message = try transaction.messages.one(withToken: token, in: found.id, as: access)
                else { continue }
                messages[message.sequence] = message
            }
            var answers = messages.values.sorted { $0.sequence < $1.sequence }.map {
                MessageAnswer($0, in: place, asker: user)
            }
            try answers.addStreams(in: found.id, asker: user, isManager: reader.caller == .manager, transaction)
            return answers
        } answer: { messages in
            .json { json in
                json.beginObject()
                json.key("messages")
                MessageAnswer.write(messages, to: &json)
                json.endObject()
            }
        }
    }

    /// One message by its id or client number.
    @Sendable static func one(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let channel = try fields.channel()
        let reader = try Self.reader(request, fields)
        let id = try fields.largeInteger("message_id") ?? 0
        let number = try fields.optionalText("client_msg_no") ?? ""
        guard id != 0 || !number.isEmpty else { throw .bad("message_id or client_msg_no is missing") }
        Self.answerOne(channel, reader, services, reply) { transaction, found, access throws(StoreError) in
            if id != 0 { return try transaction.messages.one(MessageID(rawValue: id), in: found.id, as: access) }
            guard let token = ClientToken(Array(number.utf8)) else { return nil }
            return try transaction.messages.one(withToken: token, in: found.id, as: access)
        }
    }

    @Sendable static func byClientNumber(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let channel = try request.queryChannel()
        guard let token = ClientToken(Array(try request.queryText("client_msg_no").utf8)) else {
            throw .bad("client_msg_no is longer than \(ClientToken.maximumBytes) bytes")
        }
        Self.answerOne(channel, Self.queryReader(request), services, reply) {
            transaction, found, access throws(StoreError) in
            try transaction.messages.one(withToken: token, in: found.id, as: access)
        }
    }

    @Sendable static func last(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let channel = try request.queryChannel()
        Self.answerOne(channel, Self.queryReader(request), services, reply) {
            transaction, found, access throws(StoreError) in
            try transaction.messages.one(in: found.id, sequence: found.head, as: access)
        }
    }

    private static func answerOne(
        _ channel: ChannelReference, _ reader: Reader, _ services: APIServices, _ reply: @escaping APIReply,
        _ look: @escaping @Sendable (ReadTransaction, Conversation, HistoryAccess) throws(StoreError) -> Message?
    ) {
        services.read(reply, for: reader.asker) { transaction throws(StoreError) -> MessageAnswer? in
            let user = try reader.user(transaction)
            guard let found = try Self.find(channel, user, reader, transaction),
                let message = try look(transaction, found, reader.access(user))
            else { return nil }
            var answers = [MessageAnswer(message, in: try MessageAnswer.Place(found, transaction), asker: user)]
            try answers.addStreams(in: found.id, asker: user, isManager: reader.caller == .manager, transaction)
            return answers.first
        } answer: { message in
            guard let message else { return MessageAnswer.none }
            return .json { message.write(to: &$0) }
        }
    }

    /// The sequence of the newest message; 0 without any.
    @Sendable static func maximumSequence(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let channel = try request.queryChannel()
        let reader = Self.queryReader(request)
        services.read(reply, for: request.asker) { transaction throws(StoreError) -> Int64 in
            let user = try reader.user(transaction)
            return try Self.find(channel, user, reader, transaction)?.head ?? 0
        } answer: { head in
            .json(.object([JSONValue.Member("message_seq", .integer(head))]))
        }
    }
}
