import APIKit
import Broker
import ByteCodec
import ChatModel
import Execution
import Store
import WuKongTranslation
import WuKongWire

/// /message/send and /message/sendbatch.
///
/// The manager sends by the application's authority: no membership is needed, but somebody who may not send and a
/// channel that is banned or disbanded are refused, as in the original. A person sends by their own right, to channels
/// of theirs, and gives commands to nobody.
enum Sending {
    /// Most receivers of one /message/sendbatch.
    private static let maximumReceivers = 1000

    @Sendable static func send(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let isStream = try fields.isOn("is_stream")
        let draft = try Draft(fields, services, request.caller, isStream: isStream)
        let subscribers = try fields.uids("subscribers", most: ConversationBounds.commandReceivers)
        if isStream, draft.header.noPersist || draft.header.syncOnce || !subscribers.isEmpty {
            throw .bad("a message that is written step by step must be kept, and go to a channel")
        }
        if !subscribers.isEmpty {
            try Self.demandManager(request)
            guard try fields.optionalText("channel_id").map(\.isEmpty) ?? true else {
                throw .bad("channel_id must be empty when subscribers are given")
            }
            guard draft.header.syncOnce else { throw .bad("sync_once must be 1 when subscribers are given") }
            return Self.sendCommand(draft, to: subscribers, services, reply)
        }
        let channel = try fields.channel()
        guard channel.people == nil else { throw .bad("channel_id must be the other person's uid") }
        if draft.header.syncOnce && !draft.header.noPersist {
            try Self.demandManager(request)
            return Self.sendCommand(draft, to: channel, services, reply)
        }
        if case .person(let identity) = request.caller {
            return Self.publish(draft, as: identity.user, .user, to: channel.address, services, reply)
        }
        let peer = channel.person
        services.call(reply, for: request.asker).write { transaction throws(StoreError) in
            if let peer { _ = try transaction.people.ensureUser(peer) }
            return try transaction.people.ensureUser(draft.sender).id
        } then: { sender in
            Self.publish(draft, as: sender, .application, to: channel.address, services, reply)
        }
    }

    private static func demandManager(_ request: APIRequest) throws(APIFailure) {
        guard request.caller == .manager else {
            throw APIFailure(.command)
        }
    }

    private static func publish(
        _ draft: Draft, as sender: UserID, _ authority: Authority, to address: ConversationAddress,
        _ services: APIServices, _ reply: @escaping APIReply
    ) {
        services.broker.publish(
            as: sender, authority: authority, to: address, token: draft.token, content: draft.content
        ) { result in
            switch result {
            case .accepted(let accepted): reply(draft.sent(accepted.message.id, sequence: accepted.message.sequence))
            case .refused(let refusal): reply(.failure(APIFailure(refusal)))
            case .failed(let error): reply(.failure(APIFailure(error)))
            }
        }
    }

    // MARK: Commands

    /// To people: kept in the log of commands, or with no_persist shown to those who are online.
    private static func sendCommand(
        _ draft: Draft, to people: [UserName], _ services: APIServices, _ reply: @escaping APIReply
    ) {
        Self.prepare(draft, services, reply) { transaction, sender throws(StoreError) in
            NewCommand(
                target: .people(try transaction.ensureUsers(people)), sender: sender, channel: "", kind: .direct,
                clientToken: draft.token, content: draft.content)
        } answer: { _ in
            .ok
        }
    }

    /// To everybody of a channel, kept in the log of commands.
    private static func sendCommand(
        _ draft: Draft, to channel: ChannelReference, _ services: APIServices, _ reply: @escaping APIReply
    ) {
        Self.prepare(draft, services, reply) { transaction, sender throws(StoreError) in
            let id: ConversationID
            if let person = channel.person {
                id = try transaction.conversations.ensureDirect(sender, try transaction.people.ensureUser(person).id)
            } else if let known = try transaction.reading.conversations.one(channel.address, seenBy: sender) {
                id = known.id
            } else {
                throw .notFound("channel \(channel.id)")
            }
            return NewCommand(
                target: .conversation(id), sender: sender, channel: channel.person == nil ? channel.id : "",
                kind: channel.kind, clientToken: draft.token, content: draft.content)
        } answer: { command in
            draft.sent(command.id, sequence: command.sequence)
        }
    }

    /// Finds out whom a command is for, in the store, and sends it.
    private static func prepare(
        _ draft: Draft, _ services: APIServices, _ reply: @escaping APIReply,
        _ make: @escaping @Sendable (WriteTransaction, UserID) throws(StoreError) -> NewCommand,
        answer: @escaping @Sendable (StoredCommand) -> APIAnswer
    ) {
        let broker = services.broker
        let finish: @Sendable (Result<StoredCommand, StoreError>) -> Void = { result in
            switch result {
            case .success(let command): reply(answer(command))
            case .failure(let error): reply(.failure(APIFailure(error)))
            }
        }
        services.call(reply, for: .application).write { transaction throws(StoreError) in
            try make(transaction, try transaction.people.ensureUser(draft.sender).id)
        } then: { command in
            broker.publishCommand(command, isKept: !draft.header.noPersist, then: finish)
        }
    }

    // MARK: Many

    /// The same content to each of many people, as a message of its own. Who could not be reached is listed.
    @Sendable static func sendBatch(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let draft = try Draft(fields, services, request.caller)
        let receivers = try fields.uids("subscribers", most: Self.maximumReceivers)
        guard !receivers.isEmpty else { throw .bad("subscribers is missing") }
        let broker = services.broker
        services.call(reply, for: request.asker).write { transaction throws(StoreError) in
            _ = try transaction.ensureUsers(receivers)
            return try transaction.people.ensureUser(draft.sender).id
        } then: { sender in
            let batch = Batch(receivers.count, reply)
            for (index, receiver) in receivers.enumerated() {
                broker.publish(
                    as: sender, authority: .application, to: .direct(receiver), token: nil, content: draft.content
                ) { result in
                    batch.add(index, receiver, result)
                }
            }
        }
    }

    /// Collects the outcomes of many messages.
    private final class Batch: Sendable {
        private struct State {
            var missing: Int
            var failures: [(index: Int, uid: String, reason: String)] = []
        }

        private let state: Lock<State>
        private let reply: APIReply

        init(_ count: Int, _ reply: @escaping APIReply) {
            self.state = Lock(State(missing: count))
            self.reply = reply
        }

        func add(_ index: Int, _ receiver: UserName, _ result: AppendResult) {
            let reason: String? =
                switch result {
                case .accepted: nil
                case .refused(let refusal): APIFailure(refusal).message
                case .failed(let error): "\(error)"
                }
            let failures: [(index: Int, uid: String, reason: String)]? = self.state.withLock { state in
                state.missing -= 1
                if let reason { state.failures.append((index, receiver.text, reason)) }
                return state.missing == 0 ? state.failures : nil
            }
            guard let failures = failures?.sorted(by: { $0.index < $1.index }) else { return }
            self.reply(
                .ok(
                    .object([
                        JSONValue.Member("fail_uids", .array(failures.map { .string($0.uid) })),
                        JSONValue.Member("reason", .array(failures.map { .string($0.reason) })),
                    ])))
        }
    }
}

/// Message that a request asks to send.
struct Draft: Sendable {
    let header: WuKongHeader
    /// The system, when nobody is named.
    let sender: UserName
    let token: ClientToken
    let content: MessageContent

    /// - Parameter isStream: the message is written step by step.
    init(
        _ fields: APIFields, _ services: APIServices, _ caller: APICaller, isStream: Bool = false
    ) throws(APIFailure) {
        let header = try fields.object("header")
        self.header = WuKongHeader(
            noPersist: try header?.isOn("no_persist") ?? false, redDot: try header?.isOn("red_dot") ?? false,
            syncOnce: try header?.isOn("sync_once") ?? false)
        let sender = try fields.optionalText("from_uid") ?? ""
        if sender.isEmpty || sender == systemUserName.text {
            self.sender = systemUserName
        } else {
            self.sender = try fields.uid("from_uid")
        }
        self.token = try Self.token(fields)
        let expire = try fields.integer("expire")
        guard let expireSeconds = UInt32(exactly: expire) else {
            throw .bad("expire must be 0 to \(UInt32.max) seconds")
        }
        let payload = try fields.base64("payload")
        guard payload.count <= services.settings.messageBytes else {
            throw .bad("the payload is longer than \(services.settings.messageBytes) bytes")
        }
        do throws(PayloadRefusal) {
            self.content = try Translation.accepted(
                payload: payload, header: self.header, setting: isStream ? .stream : [], topic: nil,
                expire: expireSeconds, from: caller == .manager ? .application : .user)
        } catch {
            throw APIFailure(error)
        }
    }

    /// The client's own number for it, or one that is made, as the original does.
    private static func token(_ fields: APIFields) throws(APIFailure) -> ClientToken {
        if let text = try fields.optionalText("client_msg_no"), !text.isEmpty {
            guard let token = ClientToken(Array(text.utf8)) else {
                throw .bad("client_msg_no is longer than \(ClientToken.maximumBytes) bytes")
            }
            return token
        }
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        guard let token = ClientToken(Array(Hex.encode(bytes).utf8)) else {
            preconditionFailure("32 bytes are a token")
        }
        return token
    }

    /// The answer once it is sent.
    func sent(_ id: MessageID, sequence: Int64) -> APIAnswer {
        .ok(
            .object([
                JSONValue.Member("message_id", .integer(id.rawValue)),
                JSONValue.Member("message_idstr", .string(String(id.rawValue))),
                JSONValue.Member("message_seq", .integer(sequence)),
                JSONValue.Member("client_msg_no", .string(String(decoding: self.token.bytes, as: UTF8.self))),
            ]))
    }
}

extension APIFailure {
    init(_ refusal: PayloadRefusal) {
        switch refusal {
        case .unclear: self.init(400, refusal.description)
        case .command: self.init(403, refusal.description)
        }
    }

    /// Why a message was not taken, with the reason code a socket would have been given.
    init(_ refusal: PublishRefusal) {
        let reason = Translation.reason(refusal)
        self.init(400, "not sent: \(Self.words(refusal)) (reason \(reason.rawValue))")
    }

    private static func words(_ refusal: PublishRefusal) -> String {
        switch refusal {
        case .senderDisabled: "the sender's account is disabled"
        case .senderSendBanned: "the sender may not send anything"
        case .conversationBanned: "the channel is banned"
        case .conversationSendBanned: "nobody may send in the channel"
        case .conversationDisbanded: "the channel was disbanded"
        case .noSuchConversation: "there is no such channel"
        case .noSuchUser: "there is no such person"
        case .blocked: "the receiver has blocked the sender"
        case .notAllowlisted: "the receiver takes messages from a list only"
        case .notMember: "the sender is no subscriber of the channel"
        case .membersMuted: "only managers may send there"
        case .muted: "the sender was muted there"
        case .tokenConflict: "the same client_msg_no came before with another payload"
        case .noSuchFile: "the payload names a file that the sender cannot see"
        case .fileIncomplete: "the payload names a file that is still on its way"
        case .wordNotAllowed: "the payload has a word that is not allowed here"
        case .commandNotAllowed: "people give no commands"
        case .bodyTooLarge: "the payload is too long"
        case .inputDisabled: "the sender may only read there"
        case .textTooLong: "the text has more characters than are allowed there"
        case .contentNotAllowed: "messages of this kind are not allowed there"
        case .kindNotServed: "channels of this type take no messages"
        case .byHook(_, let detail): detail ?? "the app's server refused it"
        }
    }
}
