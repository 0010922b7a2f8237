import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import Execution
import NativeAPI
import Store
import Transport

/// Client of a session, which carries its events: a WebSocket or a request that waits.
protocol FeedListener: AnyObject {
    /// Connection on which it listens.
    var connectionID: ConnectionID { get }
    /// The feed begins, or goes on, at this cursor.
    ///
    /// - Parameters:
    ///   - user: the person as a value of the API, JSON text.
    ///   - isGap: the client's own cursor is of no use: it has to load everything.
    func feedBegan(at cursor: FeedCursor, _ user: [UInt8], isGap: Bool)
    /// Events, in order.
    ///
    /// - Parameter isGap: more happened than can be told: the client has to load everything.
    func feedSent(_ frames: [FeedFrame], isGap: Bool)
    /// Everything that happened until now has been sent.
    func feedRested()
    /// An event without a cursor, told now or never.
    func feedSaid(_ json: [UInt8])
    /// The session is over, and not because the listener said so.
    func feedEnded(_ reason: SessionEndReason)
    /// Bytes that wait to be sent to the client, and when it was last heard of.
    var measure: SessionMeasure { get }
}

/// Session of a native client: carries out between broker, store and listener what its feed decides. Confined to its
/// reactor.
final class FeedSession {
    /// Milliseconds after which a read that the store refused is tried again.
    private static let retryMilliseconds: Int64 = 200
    /// Longest wait for the profile service to say who people are, milliseconds: a source outside may be slow. Who is not
    /// known by then is shown by the name alone. Only this session's events wait for it.
    private static let profileWaitMilliseconds: Int64 = 5_000

    let identity: Identity
    private let start: FeedStart
    /// The header field `Accept-Language` of the client; `nil` for none.
    private let language: String?
    private unowned let gateway: FeedGateway
    private let context: FeedContext
    /// Connection of the listener.
    let connectionID: ConnectionID
    private(set) weak var listener: (any FeedListener)?
    private(set) var handle: UInt64 = 0
    /// Number at the broker, as long as that has the session.
    private var sessionID: SessionID?
    private var feed = NativeFeed()

    init(
        _ identity: Identity, from start: FeedStart, language: String?, listener: any FeedListener,
        gateway: FeedGateway
    ) {
        self.identity = identity
        self.language = language
        self.start = start
        self.connectionID = listener.connectionID
        self.listener = listener
        self.gateway = gateway
        self.context = gateway.context
        self.handle = gateway.enter(self)
    }

    /// Cursor of the last event, or one behind it with which the client misses nothing.
    var cursor: FeedCursor { self.feed.cursor }

    var measure: SessionMeasure? { self.listener?.measure }

    // MARK: Beginning

    /// Signs in at the broker and begins when it has answered: what happens from then on is heard of.
    func register(deviceID: String, address: String, isEncrypted: Bool, as protocolName: String) {
        self.gateway.register(
            self,
            as: SessionDescription(
                id: SessionID(rawValue: 0), user: self.identity.user, userName: self.identity.name,
                deviceClass: self.identity.deviceClass, deviceLevel: self.identity.level, deviceID: deviceID,
                protocolName: protocolName, address: address, isEncrypted: isEncrypted, openedAtMilliseconds: 0))
    }

    func registered(_ id: SessionID) {
        self.sessionID = id
        guard self.context.isStillValid(self.identity) else { return self.endFromHere(.signedOut) }
        self.begin()
    }

    /// Begins; without the broker for a client that asks what there is and does not wait.
    func begin() { self.perform(self.feed.begin()) }

    private func readFacts() {
        let later = self.gateway.later(self)
        self.context.store.read(for: .person(self.identity.user)) { store throws(StoreError) in
            FeedFacts(
                epoch: try store.feed.epoch, newest: try store.feed.position.rawValue,
                oldest: try store.feed.start.rawValue)
        } then: { result in
            later { $0.received(facts: result) }
        }
    }

    private func received(facts result: Result<FeedFacts, StoreError>) {
        guard case .success(let facts) = result else { return self.retryLater() }
        let (greeting, next) = self.feed.opened(facts, at: self.start)
        switch greeting {
        case .hello: self.greet(isGap: false)
        case .gap: self.greet(isGap: true)
        case nil: break
        }
        self.perform(next)
    }

    private func greet(isGap: Bool) {
        var user = JSONWriter()
        NativeUser(self.context.profiles.info(user: self.identity.name)).write(to: &user)
        self.listener?.feedBegan(at: self.cursor, user.bytes, isGap: isGap)
    }

    private func retryLater() {
        self.feed.readFailed()
        self.gateway.after(milliseconds: Self.retryMilliseconds, self) { $0.perform($0.feed.retry()) }
    }

    // MARK: Events

    /// - Returns: true when it is the first one since the last position.
    func touch(_ conversation: ConversationID) -> Bool { self.feed.touch(conversation) }

    /// Somebody is shown otherwise, or something about them that is the session's person's own.
    ///
    /// - Returns: as `touch`.
    func touchPeople() -> Bool { self.feed.touchPeople() }

    /// Reads now what was touched by `touchPeople`.
    func readPeople() { self.perform(self.feed.readPeople()) }

    /// An event without a cursor. Before the greeting nothing is said.
    func say(_ json: [UInt8]) { if self.feed.isOpen { self.listener?.feedSaid(json) } }

    func told(_ position: StorePosition) { self.perform(self.feed.told(position.rawValue)) }

    func outboxRose() { self.feed.outboxRose() }

    func outboxDrained() { self.perform(self.feed.outboxDrained()) }

    private func perform(_ action: NativeFeed.Action) {
        // What was sent before may have made the listener leave.
        guard !self.feed.isOver else { return }
        switch action {
        case .none: if self.feed.isResting { self.listener?.feedRested() }
        case .readFacts: self.readFacts()
        case .read(let round): self.read(round)
        }
    }

    private func read(_ round: FeedRound) {
        let reader = self.context.reader(for: self.identity, epoch: self.cursor.epoch, language: self.language)
        let later = self.gateway.later(self)
        self.context.store.read(for: .person(self.identity.user)) { store throws(StoreError) in
            try reader.read(round, store)
        } then: { result in
            later { $0.received(result) }
        }
    }

    private func received(_ result: Result<FeedResult, StoreError>) {
        switch result {
        case .success(let result):
            let people = result.people
            guard !people.isEmpty else { return self.send(result) }
            let later = self.gateway.later(self)
            self.context.profiles.lookUp(
                people, by: self.identity.user, in: nil, waitMilliseconds: Self.profileWaitMilliseconds
            ) { infos in
                later { session in
                    // Strangers who ask, or are asked, are shown as in the list of requests.
                    let (profiles, user) = (session.context.profiles, session.identity.user)
                    session.send(
                        result.showing(infos, epoch: session.cursor.epoch) { profiles.info(user: $0, by: user) })
                }
            }
        case .failure: self.retryLater()
        }
    }

    private func send(_ result: FeedResult) {
        let (frames, isGap, next) = self.feed.received(result)
        if isGap || !frames.isEmpty { self.listener?.feedSent(frames, isGap: isGap) }
        self.perform(next)
    }

    // MARK: The end

    /// Ends it when the account has lost a right since it signed in: it may come back with what it still has.
    func checkRight() {
        if !self.feed.isOver, !self.context.isStillValid(self.identity) { self.endFromHere(.signedOut) }
    }

    private func endFromHere(_ reason: SessionEndReason) {
        self.leave(reason)
        self.listener?.feedEnded(reason)
    }

    func endedByBroker(_ reason: SessionEndReason) {
        self.sessionID = nil
        self.endFromHere(reason)
    }

    /// The listener has gone, or wants no more.
    func leave(_ reason: SessionEndReason) {
        guard self.feed.end() else { return }
        if let id = self.sessionID { self.context.broker.closed(id, reason) }
        self.sessionID = nil
        self.gateway.forget(self)
    }
}
