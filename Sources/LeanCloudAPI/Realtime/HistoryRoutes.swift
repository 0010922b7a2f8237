import APIKit
import Accounts
package import ByteCodec
package import ChatModel
import LeanCloudTranslation
package import Store

/// Routes for the history. Source: LeanCloud realtime REST guide v2, "Query messages", and v1.
enum HistoryRoutes {
    static let routes: [Route] = [
        Route("GET", realtime: RealtimeResource.conversations.path("/{id}/messages"), .caller) {
            call throws(APIFailure) in try Self.read(call, .conversations)
        },
        Route("GET", realtime: RealtimeResource.chatrooms.path("/{id}/messages"), .caller) {
            call throws(APIFailure) in try Self.read(call, .chatrooms)
        },
        Route(
            "GET", realtime: RealtimeResource.services.path("/{id}/subscribers/{client}/messages"), .manager,
            Self.readOfService),
        Route("GET", realtime: "/1.2/rtm/clients/{client}/messages", .manager, Self.readOfClient),
        Route("GET", realtime: "/1.2/rtm/messages", .manager) { call throws(APIFailure) in
            try Self.readEverywhere(call, try HistoryRange(call), from: nil)
        },
        Route("GET", realtime: "/1.1/rtm/messages/history", .caller, Self.readOld),
    ]

    // MARK: One conversation

    private static func read(_ call: RealtimeCall, _ resource: RealtimeResource) throws(APIFailure) {
        let cid = try call.request.parameter("id")
        try Self.read(call, cid, resource, try HistoryRange(call))
    }

    private static func read(
        _ call: RealtimeCall, _ cid: String, _ resource: RealtimeResource?, _ range: HistoryRange
    ) throws(APIFailure) {
        let address = try RealtimeCall.address(cid)
        let reader = try Self.reader(call, of: cid)
        call.read { reading throws(StoreError) in
            let conversation = try reading.realtime(address, resource)
            var access = HistoryAccess.unrestricted
            if let reader {
                guard let user = try reading.people.user(named: reader) else { throw .refused(.noSuchConversation) }
                access = .member(user.id)
            }
            return (conversation, try reading.messages.history(in: conversation.id, range.query, as: access))
        } answer: { conversation, messages in
            let rows = messages.map { HistoryRow.json($0, in: conversation) }
            return .json(.array(range.query.isForward ? rows : rows.reversed()))
        }
    }

    /// Person whose view the history is: nobody's with the master key; with the app key, which every client has, that
    /// of the client for whom the app's server has signed, or whose session token is shown.
    private static func reader(_ call: RealtimeCall, of cid: String) throws(APIFailure) -> UserName? {
        guard !call.isMaster else { return nil }
        if call.request.headers["x-lc-im-session-token"] != nil { return try call.realtimeClaims().name }
        // Version 1.1 says `peerid`.
        let field = call.request.query["peerid"] == nil ? "client_id" : "peerid"
        let name = try RealtimeCall.client(try call.request.queryText(field))
        let action = SignedAction.history(client: name.text, conversation: cid)
        let app = call.services.accounts.app
        guard app.needsSignature(for: action) else { return name }
        var signature: ActionSignature?
        if let text = call.request.query["signature"] {
            signature = ActionSignature(
                signature: text, timestamp: try call.request.queryInteger("signature_ts", otherwise: 0),
                nonce: call.request.query["nonce"] ?? "")
        }
        guard app.verify(signature, for: action) == .valid else {
            throw APIFailure(401, "SIGNATURE_FAILED", code: LeanCloudFault.signatureFailed.code)
        }
        return name
    }

    /// Messages of a system conversation that a subscriber has received.
    @Sendable private static func readOfService(_ call: RealtimeCall) throws(APIFailure) {
        let name = try RealtimeCall.client(try call.request.parameter("client"))
        let address = try call.address()
        let range = try HistoryRange(call)
        call.read { reading throws(StoreError) in
            let conversation = try reading.realtime(address, .services)
            guard let user = try reading.people.user(named: name) else { throw .refused(.noSuchUser) }
            let messages = try reading.messages.history(in: conversation.id, range.query, as: .member(user.id))
            return (conversation, messages)
        } answer: { conversation, messages in
            let rows = messages.map { HistoryRow.json($0, in: conversation) }
            return .json(.array(range.query.isForward ? rows : rows.reversed()))
        }
    }

    // MARK: All conversations

    @Sendable private static func readOfClient(_ call: RealtimeCall) throws(APIFailure) {
        let name = try RealtimeCall.client(try call.request.parameter("client"))
        try Self.readEverywhere(call, try HistoryRange(call), from: name)
    }

    private static func readEverywhere(
        _ call: RealtimeCall, _ range: HistoryRange, from sender: UserName?
    ) throws(APIFailure) {
        guard range.query.limit > 0 else { return call.reply(.json(.array([]))) }
        call.read(as: .long) { reading throws(StoreError) -> [PlacedMessage] in
            var query = range.everywhere
            if let sender {
                guard let user = try reading.people.user(named: sender) else { return [] }
                query.sender = user.id
            }
            return try reading.messages.everywhere(query)
        } answer: { messages in
            .json(.array(messages.map { HistoryRow.json($0.message, in: $0.conversation) }))
        }
    }

    // MARK: Version 1.1

    /// One conversation by `convid`, what one client has said by `from`, or everything.
    @Sendable private static func readOld(_ call: RealtimeCall) throws(APIFailure) {
        let range = try HistoryRange(old: call)
        if let cid = call.request.query["convid"], !cid.isEmpty { return try Self.read(call, cid, nil, range) }
        guard call.isMaster else { throw APIFailure(401, "this needs the master key", code: 119) }
        let sender = try call.request.query["from"].map { text throws(APIFailure) in try RealtimeCall.client(text) }
        try Self.readEverywhere(call, range, from: sender)
    }
}

/// Range of the history: from `timestamp` and `msgid`, which is the latest unless `reversed`, to `till_timestamp` and
/// `till_msgid`.
struct HistoryRange: Sendable {
    private(set) var query: HistoryQuery

    init(_ call: RealtimeCall) throws(APIFailure) {
        let request = call.request
        self.query = HistoryQuery(limit: try call.page().limit)
        self.query.isForward = try call.isOn("reversed")
        self.query.start = try Self.edge(request, "timestamp", "msgid", isIncluded: try call.isOn("include_start"))
        self.query.end = try Self.edge(
            request, "till_timestamp", "till_msgid", isIncluded: try call.isOn("include_stop"))
    }

    /// In the words of version 1.1.
    init(old call: RealtimeCall) throws(APIFailure) {
        self.query = HistoryQuery(limit: try call.page().limit)
        self.query.isForward = try call.isOn("reversed")
        self.query.start = try Self.edge(call.request, "max_ts", "msgid", isIncluded: false)
    }

    private static func edge(
        _ request: APIRequest, _ time: String, _ message: String, isIncluded: Bool
    ) throws(APIFailure) -> HistoryEdge {
        let moment = try request.queryInteger(time, otherwise: 0)
        let name = request.query[message] ?? ""
        guard name.isEmpty || moment > 0 else { throw .bad("\(message) needs the message's time as \(time)") }
        return LeanCloudContent.edge(moment, name, isIncluded: isIncluded)
    }

    /// The same for all conversations together.
    var everywhere: EverywhereQuery {
        var query = EverywhereQuery(limit: self.query.limit)
        query.isForward = self.query.isForward
        let (later, earlier) =
            self.query.isForward ? (self.query.end, self.query.start) : (self.query.start, self.query.end)
        if let time = later.atMilliseconds {
            let isIncluded = later.isIncluded || later.shownID != nil
            let id = later.message?.rawValue ?? (isIncluded ? Int64.max - 1 : 0)
            query.before = .init(atMilliseconds: time, id: isIncluded ? id + 1 : id)
        }
        if let time = earlier.atMilliseconds {
            let isIncluded = earlier.isIncluded || earlier.shownID != nil
            let id = earlier.message?.rawValue ?? (isIncluded ? 1 : Int64.max)
            query.after = .init(atMilliseconds: time, id: isIncluded ? id - 1 : id)
        }
        return query
    }
}

/// A message in the history. Where it came from is not known here: nobody's address is kept with what they said.
package enum HistoryRow {
    /// Row of a message.
    package static func json(_ standing: StandingMessage, in conversation: Conversation) -> JSONValue {
        let item = LeanCloudContent.logItem(standing, in: conversation.kind)
        let cid = LeanCloudNames.conversationID(conversation.objectID, conversation.kind)
        var members = [
            JSONValue.Member("timestamp", .integer(item.timestamp ?? 0)), JSONValue.Member("conv-id", .string(cid)),
            JSONValue.Member("data", .string(item.data ?? "")), JSONValue.Member("from", .string(item.from ?? "")),
            JSONValue.Member("msg-id", .string(item.msgId ?? "")), JSONValue.Member("is-conv", .boolean(true)),
            JSONValue.Member("is-room", .boolean(conversation.kind == .room)), JSONValue.Member("to", .string(cid)),
            JSONValue.Member("bin", .boolean(item.bin ?? false)),
        ]
        if let receivedAt = item.ackAt { members.append(JSONValue.Member("ack-at", .integer(receivedAt))) }
        if let patchedAt = item.patchTimestamp {
            members.append(JSONValue.Member("patch-timestamp", .integer(patchedAt)))
        }
        return .object(members)
    }
}
