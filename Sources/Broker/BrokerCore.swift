import ChatModel
import Diagnostics
import Execution
import Store

/// State of the broker thread: sessions, routing, rates. Everything here runs on that thread.
final class BrokerCore {
    /// Source of a message, which waits for the outcome.
    private enum Asker {
        case session(SessionID, ticket: UInt64)
        case callback(@Sendable (AppendResult) -> Void, PublishReach)
    }

    private let store: Store
    var limits: BrokerLimits
    /// Policy that decides which sessions of a person exclude each other.
    var policy = SignInPolicy.Preset.byLevel.policy
    let clock: Clock
    private let log: Log

    let table = SessionTable()
    private var fanOut = FanOut()
    private var channelBuckets: [ConversationAddress: TokenBucket] = [:]
    /// Conversations among them that are rooms, as far as an address that is the same for everybody names them.
    private var rooms: Set<ConversationAddress> = []
    /// Rates of kept commands. People who cause some need not be signed in.
    private var commandBuckets: [UserID: TokenBucket] = [:]
    private var askers: [Asker?] = []
    private var freeTickets: [Int] = []
    /// Asks for a channel that is not known here; `nil` when nobody can be asked.
    var channelSource: ((ConversationKind, ChannelName) -> Void)?
    var sourcing = ChannelSourcing()
    /// Checks of messages before the writer gets them; `nil` for none.
    var screening: ScreeningChain?
    /// Asks a business server about messages; `nil` when there is none.
    var hooks: (any HookHandler)?
    /// Brings its answers back to this thread.
    var onVerdict: @Sendable (HookLine.Lane, HookVerdict) -> Void = { _, _ in }
    var hookLine = HookLine()
    /// Messages of this turn, for the writer.
    private var appends: [Append] = []
    private var watchers: [WatchID: @Sendable ([WatchEvent]) -> Void] = [:]
    /// Watches that include messages. While there are none, a message costs nothing here.
    private var messageWatchers: Set<WatchID> = []
    private var watched: [WatchEvent] = []
    private var lastWatch: UInt64 = 0
    /// Services that hear what happens to conversations.
    var listeners: [@Sendable ([ChangeEvent]) -> Void] = []
    /// Run once at the end of this turn, when the gateways have been handed their events.
    var afterTurn: [@Sendable () -> Void] = []
    private(set) var ends = SessionEnds()
    private var metrics = BrokerMetrics()
    private var nextSweep: Instant
    private var waitingEvents = WaitingEvents()

    /// How often what is no longer needed is forgotten.
    private static let sweepMilliseconds: Int64 = 10_000

    init(store: Store, limits: BrokerLimits, clock: Clock, log: Log) {
        self.store = store
        self.limits = limits
        self.clock = clock
        self.log = log
        self.nextSweep = clock.now().advanced(byMilliseconds: Self.sweepMilliseconds)
    }

    // MARK: Sessions

    func open(_ opening: SessionOpening) {
        let session = self.table.add(opening, limit: self.limits.perUser, clock: self.clock)
        session.lane.events.append(.opened(handle: session.handle, session.description.id))
        self.endOthers(because: session)
        self.noteEvent(.opened(session.description))
        self.log.info(
            "session opened",
            [
                "user": .name(session.description.userName.text), "class": .text(session.description.deviceClass.name),
                "protocol": .text(session.description.protocolName), "address": .text(session.description.address),
                "session": .number(Int64(session.description.id.rawValue)),
            ])
    }

    /// Ends a session from our side and tells its gateway.
    ///
    /// - Returns: false when there is no such session.
    @discardableResult
    func end(_ id: SessionID, _ reason: SessionEndReason) -> Bool {
        guard let session = self.remove(id, reason) else { return false }
        session.lane.events.append(.ended(handle: session.handle, reason))
        return true
    }

    /// A session ended at its gateway.
    func closed(_ id: SessionID, _ reason: SessionEndReason) { _ = self.remove(id, reason) }

    private func remove(_ id: SessionID, _ reason: SessionEndReason) -> SessionTable.Session? {
        guard let session = self.table.remove(id) else { return nil }
        self.noteEvent(.ended(session.description, reason))
        self.ends.add(
            SessionEnd(
                session: session.description, endedAtMilliseconds: self.clock.wallMilliseconds(), reason: reason))
        self.log.info(
            "session ended",
            [
                "user": .name(session.description.userName.text), "reason": .text(reason.name),
                "session": .number(Int64(id.rawValue)),
            ])
        return session
    }

    func sessions(of user: UserID?) -> [SessionDescription] {
        if let user { return self.table.people[user]?.sessions.map(\.description) ?? [] }
        return self.table.sessions.values.map(\.description).sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// `then` is called on the thread of the last gateway that answers.
    func measure(_ sessions: [SessionID], then: @escaping @Sendable ([SessionID: SessionMeasure]) -> Void) {
        var byOutlet: [ObjectIdentifier: (outlet: any Outlet, ids: [UInt64: SessionID])] = [:]
        for session in sessions.compactMap({ self.table.sessions[$0] }) {
            let outlet = session.lane.outlet
            byOutlet[ObjectIdentifier(outlet), default: (outlet, [:])].ids[session.handle] = session.description.id
        }
        guard !byOutlet.isEmpty else { return then([:]) }
        let gathered = Lock((awaited: byOutlet.count, found: [SessionID: SessionMeasure]()))
        for (outlet, ids) in byOutlet.values {
            outlet.measure(Array(ids.keys)) { measures in
                let all = gathered.withLock { gathered -> [SessionID: SessionMeasure]? in
                    for (handle, measure) in measures {
                        if let id = ids[handle] { gathered.found[id] = measure }
                    }
                    gathered.awaited -= 1
                    return gathered.awaited == 0 ? gathered.found : nil
                }
                if let all { then(all) }
            }
        }
    }

    func currentMetrics() -> BrokerMetrics {
        var metrics = self.metrics
        metrics.sessions = self.table.sessions.count
        metrics.protocols = self.table.protocols
        metrics.usersOnline = self.table.usersOnline
        return metrics
    }

    // MARK: Publishing

    func publish(_ request: PublishRequest) {
        guard let session = self.table.sessions[request.session] else { return }
        let now = self.clock.now()
        if let outcome = self.refusal(
            of: request.content, to: request.address, request.priority, from: session.person, at: now)
        {
            session.lane.events.append(
                .published(handle: session.handle, ticket: request.ticket, outcome))
            self.countRefusal(session, at: now)
            return
        }
        let ticket = self.ticket(for: .session(request.session, ticket: request.ticket))
        let append = Append(
            sender: session.person.id, authority: .user, address: request.address, clientToken: request.clientToken,
            content: request.content, ticket: ticket)
        self.consultAndPass(self.screening?.screened(append) ?? append)
    }

    func send(_ append: Append) { self.appends.append(append) }

    /// Address of the device that sent a message without an answer yet; `nil` when no session sent it, or the session
    /// is over.
    func address(ofSender append: Append) -> String? {
        guard case .session(let id, _)? = self.askers[Int(append.ticket)] else { return nil }
        return self.table.sessions[id]?.description.address
    }

    /// Refusal without asking the writer: size and rate. Permission is checked by the writer.
    private func refusal(
        of content: MessageContent, to address: ConversationAddress, _ priority: PublishPriority = .normal,
        from person: SessionTable.Person, at now: Instant
    ) -> PublishOutcome? {
        if content.body.count > self.limits.bodyBytes {
            self.metrics.refused += 1
            return .refused(.bodyTooLarge)
        }
        var isWithinRate = person.bucket.takeToken(self.limits.perUser, at: now)
        if isWithinRate, address.hasRate {
            let isRoom = self.rooms.contains(address)
            isWithinRate = self.channelBuckets[
                address, default: TokenBucket(full: self.limits.perConversation, at: now)
            ].takeToken(self.limits.perConversation, leaving: isRoom ? priority.share : 0, at: now)
        }
        guard !isWithinRate else { return nil }
        self.metrics.rateLimited += 1
        return .rateLimited
    }

    private func countRefusal(_ session: SessionTable.Session, at now: Instant) {
        guard session.description.endsAfterRefusals else { return }
        if now.milliseconds(since: session.refusalsSince) > self.limits.refusalWindowSeconds * 1000 {
            session.refusals = 0
            session.refusalsSince = now
        }
        session.refusals += 1
        if session.refusals >= self.limits.refusalsBeforeClose {
            self.end(session.description.id, .tooManyRequests)
        }
    }

    /// A message that no session sent: of `ctl`, of a business server or the system, or of a person over HTTP, who has
    /// the same rates there as on a session.
    func publish(
        _ append: Append, reach: PublishReach = .conversation, then: @escaping @Sendable (AppendResult) -> Void
    ) {
        if append.authority == .user {
            let now = self.clock.now()
            let person = self.table.person(append.sender, limit: self.limits.perUser, now: now)
            switch self.refusal(of: append.content, to: append.address, from: person, at: now) {
            case nil: break
            case .refused(let refusal)?: return then(.refused(refusal))
            case .accepted?, .rateLimited?, .busy?, .full?: return then(.failed(.busy))
            }
        }
        var append = append
        append.ticket = self.ticket(for: .callback(then, reach))
        self.consultAndPass(self.screening?.screened(append) ?? append)
    }

    private func ticket(for asker: Asker) -> UInt64 {
        if let free = self.freeTickets.popLast() {
            self.askers[free] = asker
            return UInt64(free)
        }
        self.askers.append(asker)
        return UInt64(self.askers.count - 1)
    }

    // MARK: Outcomes

    /// A message has its answer.
    func settle(_ outcome: AppendOutcome) {
        // What the system says about a change: the store made it, and nobody waits for an answer.
        if outcome.ticket == Append.unasked {
            guard case .accepted(let accepted) = outcome.result else { return }
            return self.route(accepted, origin: 0, from: nil, reach: .conversation)
        }
        let index = Int(outcome.ticket)
        guard let asker = self.askers[index] else { return }
        self.askers[index] = nil
        self.freeTickets.append(index)
        var origin: UInt64 = 0
        var address: String?
        if case .session(let id, let ticket) = asker, let session = self.table.sessions[id] {
            origin = session.handle
            if !self.messageWatchers.isEmpty { address = session.description.address }
            session.lane.events.append(
                .published(handle: session.handle, ticket: ticket, Self.outcome(of: outcome.result)))
            if case .refused = outcome.result { self.countRefusal(session, at: self.clock.now()) }
        }
        var reach = PublishReach.conversation
        if case .callback(let then, let asked) = asker {
            reach = asked
            then(outcome.result)
        }
        switch outcome.result {
        case .accepted(let accepted):
            self.route(accepted, origin: origin, from: address, reach: reach)
        case .refused: self.metrics.refused += 1
        case .failed: self.metrics.busy += 1
        }
    }

    private static func outcome(of result: AppendResult) -> PublishOutcome {
        switch result {
        case .accepted(let accepted):
            .accepted(
                id: accepted.message.id, conversation: accepted.message.conversation,
                sequence: accepted.message.sequence, sentAtMilliseconds: accepted.message.sentAtMilliseconds,
                isDuplicate: accepted.isDuplicate,
                isMasked: accepted.message.content.flags.contains(.masked))
        case .refused(let refusal): .refused(refusal)
        case .failed(.full): .full
        case .failed: .busy
        }
    }

    /// True when one more command caused by this person may be kept.
    func mayKeepCommand(of person: UserID) -> Bool {
        let (limit, now) = (self.limits.keptCommands, self.clock.now())
        if self.commandBuckets[person, default: TokenBucket(full: limit, at: now)].takeToken(limit, at: now) {
            return true
        }
        self.metrics.commandsNotKept += 1
        return false
    }

    /// Sends a command to everybody who is online.
    func route(_ command: Delivery, to people: [UserID]) {
        self.metrics.published += 1
        for (lane, handles) in FanOut.compute(people, in: self.table) {
            lane.events.append(.message(command, handles: handles))
            self.metrics.delivered += Int64(handles.count)
        }
    }

    /// - Returns: whether `sendEvents` must be called.
    func queue(_ event: StreamEvent, in conversation: ConversationID, only user: UserID?) -> Bool {
        self.waitingEvents.add(event, in: conversation, only: user)
    }

    /// Sends the events of a conversation that wait to those of its people who are online.
    func sendEvents(of conversation: ConversationID, to people: [UserID]) {
        let everybody = FanOut.compute(people, in: self.table)
        for (event, only) in self.waitingEvents.takeEvents(conversation) {
            let targets: FanOut.Targets
            if let only {
                targets = people.contains(only) ? FanOut.compute([only], in: self.table) : []
            } else {
                targets = everybody
            }
            for (lane, handles) in targets { lane.events.append(.event(event, handles: handles)) }
        }
    }

    /// Person for whom this session's acknowledgements count on all devices: it is a primary device, or the person has
    /// none online; else `nil`.
    func speaksForPerson(_ id: SessionID) -> UserID? {
        guard let session = self.table.sessions[id] else { return nil }
        let counts =
            session.description.deviceLevel == .primary
            || !session.person.sessions.contains { $0.description.deviceLevel == .primary }
        return counts ? session.person.id : nil
    }

    private func route(_ accepted: Accepted, origin: UInt64, from address: String?, reach: PublishReach) {
        var accepted = accepted
        if reach == .everybodyOnline {
            accepted.members = self.table.people.values.filter { !$0.sessions.isEmpty }.map(\.id)
        }
        let skipsSender = reach == .others
        if accepted.kind == .room, self.channelBuckets[.object(accepted.objectID)] != nil {
            self.rooms.insert(.object(accepted.objectID))
        }
        guard !accepted.isDuplicate else {
            self.metrics.duplicates += 1
            return
        }
        self.metrics.published += 1
        let delivery = Delivery(
            message: accepted.message, kind: accepted.kind, channel: accepted.channel, objectID: accepted.objectID,
            peerName: accepted.peerName, origin: origin, address: address)
        if let visibilities = VisibleForms(accepted, self.store.filter) {
            for (message, people) in visibilities.told {
                let delivery = message === delivery.message ? delivery : delivery.saying(message)
                let people = skipsSender ? people.filter { $0 != accepted.message.sender } : people
                self.deliver(delivery, to: FanOut.compute(people, in: self.table))
            }
        } else if reach != .conversation {
            let people = skipsSender ? accepted.members.filter { $0 != accepted.message.sender } : accepted.members
            self.deliver(delivery, to: FanOut.compute(people, in: self.table))
        } else {
            self.deliver(
                delivery,
                to: self.fanOut.targets(of: accepted.message.conversation, members: accepted.members, in: self.table))
        }
        if origin != 0 { self.metrics.delivered -= 1 }
        if !accepted.reminded.isEmpty {
            self.happened([ChangeEvent(reminding: accepted.reminded, of: accepted.message)])
        }
        if !self.messageWatchers.isEmpty { self.noteEvent(.accepted(delivery)) }
    }

    private func deliver(_ delivery: Delivery, to targets: FanOut.Targets) {
        for (lane, handles) in targets {
            lane.events.append(.message(delivery, handles: handles))
            self.metrics.delivered += Int64(handles.count)
        }
    }

    /// Every gateway is told: copies may wait anywhere, also for sessions that have just been opened.
    func withdrawn(_ messages: [MessageID]) {
        for lane in self.table.allLanes { lane.events.append(.withdrawn(messages)) }
    }

    /// Told to those of the people concerned who are online.
    func happened(_ events: [ChangeEvent]) {
        let filter = self.store.filter
        for event in events {
            for (event, people) in event.seen(filter) {
                for (lane, handles) in FanOut.compute(people, in: self.table) {
                    lane.events.append(.happened(event, handles: handles))
                }
            }
            guard event.isForWatchers else { continue }
            for lane in self.table.allLanes where lane.outlet.hearsPositions {
                lane.events.append(.happened(event, handles: []))
            }
        }
        for listener in self.listeners { listener(events) }
    }

    /// Shows those of the people who are online that somebody is writing.
    func showTyping(_ name: UserName, in conversation: ConversationID, to people: [UserID]) {
        for (lane, handles) in FanOut.compute(people, in: self.table) {
            lane.events.append(.typing(name, conversation, handles: handles))
        }
    }

    /// The store has told everything up to this position.
    func told(_ position: StorePosition) {
        for lane in self.table.allLanes where lane.outlet.hearsPositions {
            guard lane.awaitsPosition || !lane.events.isEmpty else { continue }
            lane.events.append(.position(position))
            lane.awaitsPosition = false
        }
    }

    // MARK: Watching

    func watch(sessionsOnly: Bool, _ sink: @escaping @Sendable ([WatchEvent]) -> Void) -> WatchID {
        self.lastWatch += 1
        let id = WatchID(rawValue: self.lastWatch)
        self.watchers[id] = sink
        if !sessionsOnly { self.messageWatchers.insert(id) }
        return id
    }

    func unwatch(_ id: WatchID) {
        self.watchers[id] = nil
        self.messageWatchers.remove(id)
    }

    private func noteEvent(_ event: WatchEvent) {
        if !self.watchers.isEmpty { self.watched.append(event) }
    }

    // MARK: Turns

    /// Hands out what this turn produced: to the writer, to the gateways, to those who watch.
    func endTurn() {
        if !self.appends.isEmpty {
            let appends = self.appends
            self.appends.removeAll(keepingCapacity: true)
            self.store.append(appends)
        }
        for lane in self.table.allLanes where !lane.events.isEmpty {
            let events = lane.events
            lane.events = []
            if case .position? = events.last {} else { lane.awaitsPosition = true }
            lane.outlet.deliver(events)
        }
        if !self.afterTurn.isEmpty {
            let waiting = self.afterTurn
            self.afterTurn = []
            for then in waiting { then() }
        }
        if !self.watched.isEmpty {
            let events = self.watched
            self.watched = []
            for sink in self.watchers.values { sink(events) }
        }
        self.sweepIfDue()
    }

    private func sweepIfDue() {
        let now = self.clock.now()
        guard now >= self.nextSweep else { return }
        self.nextSweep = now.advanced(byMilliseconds: Self.sweepMilliseconds)
        self.table.forgetAbsent(limit: self.limits.perUser, now: now)
        for (address, bucket) in self.channelBuckets {
            var bucket = bucket
            if bucket.isFull(self.limits.perConversation, at: now) {
                self.channelBuckets[address] = nil
                self.rooms.remove(address)
            }
        }
        for (person, bucket) in self.commandBuckets {
            var bucket = bucket
            if bucket.isFull(self.limits.keptCommands, at: now) { self.commandBuckets[person] = nil }
        }
    }
}
