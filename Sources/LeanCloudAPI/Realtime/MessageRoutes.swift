import APIKit
import Broker
import ByteCodec
import ChatModel
import LeanCloudTranslation
import Store

/// Messages that the app's own server sends, changes and takes back. It may send in anybody's name, to any
/// conversation.
///
/// Source: LeanCloud realtime REST guide v2, and v1 for the paths under `/1.1`.
enum MessageRoutes {
    static let routes: [Route] =
        RealtimeResource.allCases.flatMap(Self.routes(of:)) + [
            Route("POST", realtime: RealtimeResource.services.path("/{id}/broadcasts")) { call throws(APIFailure) in
                try Self.send(call, try MessageDraft(call, "from_client"), .services, wrapped: false)
            },
            Route(
                "DELETE",
                realtime: RealtimeResource.services.path("/{id}/subscribers/{client}/messages/{message}")
            ) { call throws(APIFailure) in try Self.delete(call, .services) },
            Route("POST", realtime: "/1.2/rtm/broadcasts") { call throws(APIFailure) in
                try Self.broadcast(call, from: "from_client", wrapped: false)
            },
            Route("GET", realtime: "/1.2/rtm/broadcasts") { call throws(APIFailure) in try Self.broadcasts(call) },
            Route("POST", realtime: "/1.1/rtm/broadcast") { call throws(APIFailure) in
                try Self.broadcast(call, from: "from_peer", wrapped: true)
            },
            Route("GET", realtime: "/1.1/rtm/broadcast") { call throws(APIFailure) in try Self.broadcasts(call) },
            Route("POST", realtime: "/1.1/rtm/messages", .manager, Self.sendOld),
            Route("POST", realtime: "/1.1/rtm/broadcast/subscriber", .manager, Self.broadcastOld),
            Route("PUT", realtime: "/1.1/rtm/patch/message", .manager, Self.patchOld),
            Route("DELETE", realtime: "/1.1/rtm/messages/logs", .manager, Self.deleteOld),
        ]

    private static func routes(of resource: RealtimeResource) -> [Route] {
        let one = resource.path("/{id}/messages/{message}")
        return [
            Route("POST", realtime: resource.path("/{id}/messages")) { call throws(APIFailure) in
                var draft = try MessageDraft(call, "from_client")
                if resource == .services { try draft.address(to: call.clients("to_clients", most: 20)) }
                try Self.send(call, draft, resource, wrapped: false)
            },
            Route("PUT", realtime: one) { call throws(APIFailure) in
                try Self.edit(call, try Target(call, "from_client"), resource, answer: .nothing)
            },
            Route("PUT", realtime: one + "/recall") { call throws(APIFailure) in
                try Self.recall(call, try Target(call, "from_client"), resource, answer: .nothing)
            },
            Route("DELETE", realtime: one) { call throws(APIFailure) in try Self.delete(call, resource) },
        ]
    }

    // MARK: Sending

    private static func send(
        _ call: RealtimeCall, _ draft: MessageDraft, _ resource: RealtimeResource?, wrapped: Bool
    ) throws(APIFailure) {
        try Self.send(call, draft, to: try call.address(), resource, wrapped: wrapped)
    }

    /// - Parameter wrapped: whether the answer is one level deeper, as in version 1.1.
    private static func send(
        _ call: RealtimeCall, _ draft: MessageDraft, to address: ConversationAddress, _ resource: RealtimeResource?,
        wrapped: Bool
    ) throws(APIFailure) {
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, resource)
            guard draft.receivers == nil || conversation.kind == .service else {
                throw .invalid("only messages of system conversations are for some people alone")
            }
            // Nothing is lost in silence.
            let strangers = try draft.receivers.map { names throws(StoreError) in
                try transaction.reading.strangers(names, to: conversation.id)
            }
            return (try transaction.people.ensureUser(draft.sender).id, conversation, strangers ?? [])
        } then: { sender, conversation, strangers in
            guard strangers.isEmpty else { return call.reply(.failure(.notSubscribed(strangers))) }
            // In a room nobody gets what they have said themselves.
            let isForOthers = draft.skipsSender || conversation.kind == .room
            Self.publish(
                call, draft, by: sender, to: conversation.id, reach: isForOthers ? .others : .conversation,
                wrapped: wrapped)
        }
    }

    private static func publish(
        _ call: RealtimeCall, _ draft: MessageDraft, by sender: UserID, to id: ConversationID, reach: PublishReach,
        wrapped: Bool
    ) {
        let (reply, cid) = (call.reply, call.cid)
        call.services.broker.publish(
            as: sender, authority: .application, to: .id(id), token: nil, content: draft.content, reach: reach
        ) { result in
            switch result {
            case .accepted(let accepted): reply(Self.sent(accepted.message, wrapped: wrapped))
            case .refused(let refusal): reply(.failure(APIFailure(LeanCloudFault(refusal, in: cid))))
            case .failed(let error): reply(.failure(APIFailure(realtime: error)))
            }
        }
    }

    /// To everybody: a transient message reaches who is signed in now. One that waits for those who are away is
    /// refused: nobody gets, or reads later, what they did not subscribe to.
    private static func broadcast(_ call: RealtimeCall, from: String, wrapped: Bool) throws(APIFailure) {
        let (draft, fields) = (try MessageDraft(call, from), try call.request.fields())
        let address = try RealtimeCall.address(try fields.text("conv_id"))
        guard try fields.isOn("transient") else {
            throw APIFailure(
                LeanCloudFault.invalidMessagingTarget.saying(
                    "to everybody go transient messages only: send others to the subscribers of a system conversation"))
        }
        call.write { transaction throws(StoreError) in
            let conversation = try transaction.reading.realtime(address, .services)
            return (try transaction.people.ensureUser(draft.sender).id, conversation.id)
        } then: { sender, id in
            Self.publish(call, draft, by: sender, to: id, reach: .everybodyOnline, wrapped: wrapped)
        }
    }

    /// Transient messages leave nothing behind to list.
    private static func broadcasts(_ call: RealtimeCall) throws(APIFailure) {
        let address = try RealtimeCall.address(try call.request.queryText("conv_id"))
        call.read { reading throws(StoreError) in
            try reading.realtime(address, .services)
        } answer: { _ in
            .json(.array([]))
        }
    }

    private static func sent(_ message: Message, wrapped: Bool) -> APIAnswer {
        let value = JSONValue.fields(
            ("msg-id", .string(LeanCloudContent.id(of: message.id, message.content))),
            ("timestamp", .integer(message.sentAtMilliseconds)))
        return .json(wrapped ? .fields(("result", value)) : value)
    }

    @Sendable private static func sendOld(_ call: RealtimeCall) throws(APIFailure) {
        // Source: LeanCloud realtime REST guide v1: transient unless said otherwise.
        var draft = try MessageDraft(call, "from_peer", isTransientUnlessSaid: true)
        let fields = try call.request.fields()
        if fields.member("to_peers") != nil { try draft.address(to: call.clients("to_peers", most: 20)) }
        let address = try RealtimeCall.address(try fields.text("conv_id"))
        try Self.send(call, draft, to: address, nil, wrapped: true)
    }

    @Sendable private static func broadcastOld(_ call: RealtimeCall) throws(APIFailure) {
        let address = try RealtimeCall.address(try call.request.fields().text("conv_id"))
        try Self.send(call, try MessageDraft(call, "from_peer"), to: address, .services, wrapped: true)
    }

    // MARK: Changing

    /// The message that a request is about.
    private struct Target: Sendable {
        let address: ConversationAddress
        let edge: HistoryEdge
        let sender: UserName

        init(_ call: RealtimeCall, _ from: String) throws(APIFailure) {
            let fields = try call.request.fields()
            try self.init(
                cid: call.request.parameter("id"), message: call.request.parameter("message"),
                sender: try call.client(from), time: try fields.integer("timestamp"))
        }

        init(
            cid: String, message: String, sender: UserName, time: Int64
        ) throws(APIFailure) {
            self.address = try RealtimeCall.address(cid)
            guard time > 0 else { throw .bad("timestamp is missing: it is the message's time") }
            self.edge = LeanCloudContent.edge(time, message)
            self.sender = sender
        }

        /// - Throws: `refused` when there is no such message, or somebody else has sent it.
        func find(
            _ resource: RealtimeResource?, in reading: ReadTransaction
        ) throws(StoreError) -> (place: MessagePlace, content: MessageContent) {
            let conversation = try reading.realtime(self.address, resource)
            guard let place = try reading.messages.place(of: self.edge, in: conversation.id),
                let message = try reading.messages.standing(place, as: .unrestricted)?.message
            else { throw .refused(.noSuchMessage) }
            guard message.senderName == self.sender else { throw .refused(.notAuthor) }
            return (place, message.content)
        }

        /// The place of the message, also of one that was deleted: who asks again had no answer.
        ///
        /// - Throws: `refused` when there never was such a message, or somebody else has sent it.
        func place(_ resource: RealtimeResource?, in reading: ReadTransaction) throws(StoreError) -> MessagePlace {
            let conversation = try reading.realtime(self.address, resource)
            guard let place = try reading.messages.place(of: self.edge, in: conversation.id),
                let sender = try reading.messages.sender(of: place)
            else { throw .refused(.noSuchMessage) }
            guard sender == self.sender else { throw .refused(.notAuthor) }
            return place
        }
    }

    /// Changes a message, and answers once it is on disk.
    private static func change(
        _ call: RealtimeCall, isRecall: Bool, answer: APIAnswer,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) {
        var call = call
        call.refused = { LeanCloudFault(message: $0, isRecall: isRecall) }
        call.write(body, answer: { answer })
    }

    private static func edit(
        _ call: RealtimeCall, _ target: Target, _ resource: RealtimeResource?, answer: APIAnswer
    ) throws(APIFailure) {
        let text = try MessageDraft.text(try call.request.fields(), call.services)
        let content = LeanCloudContent.content(.text(text))
        Self.change(call, isRecall: false, answer: answer) { transaction throws(StoreError) in
            let (place, before) = try target.find(resource, in: transaction.reading)
            try transaction.messages.edit(
                place, newBody: content.body, isJSONObject: content.flags.contains(.bodyIsJSONObject), wire: .leanCloud,
                envelope: LeanCloudContent.envelope(of: content, after: before.envelope), by: .application)
        }
    }

    private static func recall(
        _ call: RealtimeCall, _ target: Target, _ resource: RealtimeResource?, answer: APIAnswer
    ) throws(APIFailure) {
        Self.change(call, isRecall: true, answer: answer) { transaction throws(StoreError) in
            let place = try target.find(resource, in: transaction.reading).place
            try transaction.messages.recall(place, by: .application)
        }
    }

    private static func delete(_ call: RealtimeCall, _ resource: RealtimeResource) throws(APIFailure) {
        let target = try Target(
            cid: call.request.parameter("id"), message: call.request.parameter("message"),
            sender: try RealtimeCall.client(try call.request.queryText("from_client")),
            time: try call.request.queryInteger("timestamp", otherwise: 0))
        Self.delete(call, target, resource)
    }

    /// Source: LeanCloud realtime REST guide v1.
    @Sendable private static func deleteOld(_ call: RealtimeCall) throws(APIFailure) {
        let target = try Target(
            cid: try call.request.queryText("convid"), message: try call.request.queryText("msgid"),
            sender: try RealtimeCall.client(try call.request.queryText("from")),
            time: try call.request.queryInteger("timestamp", otherwise: 0))
        Self.delete(call, target, nil)
    }

    private static func delete(_ call: RealtimeCall, _ target: Target, _ resource: RealtimeResource?) {
        Self.change(call, isRecall: true, answer: .nothing) { transaction throws(StoreError) in
            try transaction.messages.deleteForAll(try target.place(resource, in: transaction.reading), by: .application)
        }
    }

    /// An edit, or a recall with `recall`. Source: LeanCloud realtime REST guide v1.
    @Sendable private static func patchOld(_ call: RealtimeCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let target = try Target(
            cid: try fields.text("conv_id"), message: try fields.text("msg_id"),
            sender: try call.client("from_peer"), time: try fields.integer("timestamp"))
        let answer = APIAnswer.json(.fields(("result", .object([]))))
        guard try fields.isOn("recall") else { return try Self.edit(call, target, nil, answer: answer) }
        try Self.recall(call, target, nil, answer: answer)
    }
}

extension APIFailure {
    fileprivate static func notSubscribed(_ names: [UserName]) -> APIFailure {
        let list = names.map(\.text).joined(separator: ", ")
        return APIFailure(
            LeanCloudFault.invalidMessagingTarget.saying(
                "\(list): not subscribed to the system conversation, and only subscribers get what is said there"))
    }
}

extension ReadTransaction {
    /// Members of `names` who do not receive a conversation's messages.
    fileprivate func strangers(_ names: [UserName], to id: ConversationID) throws(StoreError) -> [UserName] {
        var strangers: [UserName] = []
        for name in names {
            let user = try self.people.user(named: name)?.id
            let hears = try user.map { user throws(StoreError) in try self.conversations.hears(user, in: id) }
            if hears != true { strangers.append(name) }
        }
        return strangers
    }
}

/// Message that a request asks to send.
struct MessageDraft: Sendable {
    let sender: UserName
    private(set) var content: MessageContent
    /// The sender's own devices do not get it.
    let skipsSender: Bool
    /// Receivers of the message; `nil` for everybody.
    private(set) var receivers: [UserName]?

    /// People that a message may call by name. Source: LeanCloud realtime REST guide v2.
    private static let mostMentions = 20
    private static let priorities: Set<String> = ["high", "normal", "low"]

    /// - Parameter from: the name of the member with the sender.
    init(_ call: RealtimeCall, _ from: String, isTransientUnlessSaid: Bool = false) throws(APIFailure) {
        let fields = try call.request.fields()
        self.sender = try call.client(from)
        let mentions = try fields.texts("mention_client_ids", most: Self.mostMentions)
        var content = LeanCloudContent.content(
            .text(try Self.text(fields, call.services)), mentionsAll: try fields.isOn("mention_all"),
            mentions: mentions,
            pushData: try Self.pushData(fields, call.services))
        if try fields.optionalSwitch("transient") ?? isTransientUnlessSaid { LeanCloudContent.makeTransient(&content) }
        // Rates are for people; what the app's own server sends is never dropped, whatever its priority.
        if let priority = try fields.optionalText("priority") {
            guard Self.priorities.contains(priority.lowercased()) else {
                throw .bad("priority is high, normal or low")
            }
        }
        self.content = content
        self.skipsSender = try fields.isOn("no_sync")
    }

    /// The message is for these people, and the sender, alone.
    mutating func address(to names: [String]) {
        let receivers = names.compactMap { UserName($0) }
        let before = self.content.envelope
        self.receivers = receivers
        self.content.envelope = MessageEnvelope(
            mentionsAll: before?.mentionsAll ?? false, mentions: before?.mentions ?? [], visibleTo: receivers,
            pushData: before?.pushData, shownID: before?.shownID)
    }

    /// The message: text, or what some servers send instead, the object that belongs into it.
    static func text(_ fields: APIFields, _ services: APIServices) throws(APIFailure) -> String {
        guard let value = fields.member("message") else { throw .bad("message is missing") }
        guard value.string != nil || value.object != nil else { throw .bad("message must be a text") }
        let text = value.string ?? String(decoding: value.serialized(), as: UTF8.self)
        guard text.utf8.count <= services.settings.messageBytes else {
            throw APIFailure(
                LeanCloudFault.frameTooLong.saying("a message has at most \(services.settings.messageBytes) bytes"))
        }
        return text
    }

    private static func pushData(_ fields: APIFields, _ services: APIServices) throws(APIFailure) -> String? {
        guard let value = fields.member("push_data") ?? fields.member("push") else { return nil }
        let text = value.string ?? String(decoding: value.serialized(), as: UTF8.self)
        guard text.utf8.count <= services.settings.messageBytes else {
            throw APIFailure(LeanCloudFault.frameTooLong.saying("push_data is too long"))
        }
        return text
    }
}
