package import Accounts
package import Broker
package import ChatModel
package import Diagnostics
package import Execution
package import Search
package import Store

/// Settings of the HTTP API, from the configuration.
package struct APISettings: Sendable {
    /// Requests of one person, over all connections. The manager has no rate. TangSengDaoDao's web app asks for each of its
    /// conversations when it starts; what its requests read takes turns with everybody's.
    package var perPerson = RateLimit(perSecond: 20, burst: 1_200)
    /// Requests from one address (IPv6: one /64 network) without the manager's token. Loopback is exempt: behind it
    /// there may be a proxy, and then everybody.
    package var perAddress = RateLimit(perSecond: 100, burst: 3_000)
    /// Requests of one reactor that wait for their answer; one more is answered with 503.
    package var waitingRequests = 512
    /// True when tokens are accepted without TLS from private networks. From loopback they always are, from public
    /// addresses never.
    package var takesPlainTokens = true
    /// Bytes of one message body.
    package var messageBytes = 32 * 1024
    /// `nil`: every request has to prove who asks.
    package var trial: TrialSettings?

    package init() {}
}

/// Facts about this server, for an operator's program.
package struct ServerFacts: Sendable {
    /// Version of teahouse.
    package var version: String
    /// True when TLS is served.
    package var servesTLS: Bool
    /// The operator has given certificates that clients can know; without them there is only the one made here.
    package var hasOwnCertificates: Bool
    /// Time of the start, UTC milliseconds.
    package var startedAtMilliseconds: Int64
    /// Limits with their bounds and peaks.
    package var limits: [Limit]
    /// Listeners of the server.
    package let transport = LateTransport()

    package init(
        version: String, servesTLS: Bool, hasOwnCertificates: Bool, startedAtMilliseconds: Int64, limits: [Limit]
    ) {
        self.version = version
        self.servesTLS = servesTLS
        self.hasOwnCertificates = hasOwnCertificates
        self.startedAtMilliseconds = startedAtMilliseconds
        self.limits = limits
    }
}

/// Profile fields from another user system; `nil` for fields that it leaves out.
package struct SaidElsewhere: Sendable {
    /// Name to show.
    package var displayName: String?
    /// Address of the picture.
    package var avatar: String?

    package init(displayName: String?, avatar: String?) {
        self.displayName = displayName
        self.avatar = avatar
    }
}

/// Finds the person a token belongs to; calls back once, on any thread.
package typealias SessionLookup = @Sendable (TokenHolder, @escaping @Sendable (PersonByToken) -> Void) -> Void

/// Services that the handlers of one server share.
package struct APIServices: Sendable {
    /// Broker of the server.
    package var broker: Broker
    /// Accounts of the server.
    package var accounts: Accounts
    /// Store of the server.
    package var store: Store
    /// Search over the messages.
    package var search: SearchIndex
    /// Manager's token.
    package var managerToken: ManagerToken
    /// Settings of the HTTP API.
    package var settings: APISettings
    /// Facts about this server.
    package var facts: ServerFacts
    /// Clock for rates and expiry.
    package var clock: Clock
    /// Log of the API.
    package var log: Log
    /// `nil` while no route asks for a session.
    package var findSession: SessionLookup?
    /// Somebody was shown to this person, who wants to hear when they are shown otherwise.
    package var didShow: @Sendable (UserName, _ to: UserID) -> Void = { _, _ in }
    /// Profile fields from another user system, at once; `nil` to use the user table, also while the system is asked.
    package var saidElsewhere: @Sendable (UserName) -> SaidElsewhere? = { _ in nil }
    /// True where people are told how those alone stand with whom they share a conversation or a friendship.
    package var showsOnlyAcquainted = false
    /// How apps reach this server, such as `https://chat.lan:7677`; `nil` for as they reached it when they asked.
    package var publicURL: String?

    package init(
        broker: Broker, accounts: Accounts, store: Store, search: SearchIndex, managerToken: ManagerToken,
        settings: APISettings, facts: ServerFacts, clock: Clock, log: Log, findSession: SessionLookup? = nil
    ) {
        self.broker = broker
        self.accounts = accounts
        self.store = store
        self.search = search
        self.managerToken = managerToken
        self.settings = settings
        self.facts = facts
        self.clock = clock
        self.log = log
        self.findSession = findSession
    }

    // MARK: For handlers

    /// A request's way to the store, whose failures are answered in numbers of HTTP.
    package func call(_ reply: @escaping APIReply, for asker: ReadAsker) -> PlainCall {
        PlainCall(self.store, for: asker, reply)
    }

    /// Reads, and answers with what `answer` makes of it.
    package func read<Value: Sendable>(
        _ reply: @escaping APIReply, as lane: ReadLane = .page, for asker: ReadAsker,
        _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value,
        answer: @escaping @Sendable (Value) throws(APIFailure) -> APIAnswer
    ) {
        self.call(reply, for: asker).read(as: lane, body, answer: answer)
    }

    /// Moves a position of a person, as `Store.mark` does, and answers once it is on disk.
    ///
    /// - Parameter gateway: the API that was asked.
    package func mark<Value: Sendable>(
        _ reply: @escaping APIReply, by gateway: EventGateway,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value,
        answer: @escaping @Sendable (Value) throws(APIFailure) -> APIAnswer
    ) {
        PlainCall(self.store, for: .server, by: EventOrigin(gateway), reply).mark(body, answer: answer)
    }

    /// Changes something, and answers once it is on disk.
    ///
    /// - Parameter gateway: the API that was asked.
    package func write<Value: Sendable>(
        _ reply: @escaping APIReply, by gateway: EventGateway,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Value,
        answer: @escaping @Sendable (Value) throws(APIFailure) -> APIAnswer
    ) {
        PlainCall(self.store, for: .server, by: EventOrigin(gateway), reply).write(body, answer: answer)
    }
}

/// Answers a request once. When everybody has let go of it without an answer, because the server stops, that is said.
final class OneReply: Sendable {
    private let isDone = Lock(false)
    private let send: APIReply

    init(_ send: @escaping APIReply) { self.send = send }

    deinit { self.give(.failure(APIFailure(503, "the server is stopping: ask again", retryAfterSeconds: 5))) }

    func give(_ answer: APIAnswer) {
        let isFirst = self.isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
        if isFirst { self.send(answer) }
    }
}
