package import ChatModel
package import Diagnostics
package import Execution
package import Store

/// Priority in a room where more is said than may be: lower ones are dropped first. Source: LeanCloud realtime,
/// priorities in chat rooms.
package enum PublishPriority: Sendable {
    case high
    case normal
    case low
}

/// Receivers of a message that no session sent.
package enum PublishReach: Hashable, Sendable {
    /// Everybody who receives messages of the conversation.
    case conversation
    /// The same without the sender's own devices.
    case others
    /// Everybody who is signed in, whether the conversation is theirs or not: for transient messages, of which nothing
    /// else is left.
    case everybodyOnline
}

/// One message from a session.
package struct PublishRequest: Sendable {
    /// Session that sends.
    package var session: SessionID
    /// The gateway's own mark, returned with the outcome.
    package var ticket: UInt64
    /// Conversation that the message goes to.
    package var address: ConversationAddress
    /// Sender's key for spotting a resend; `nil` for none.
    package var clientToken: ClientToken?
    /// Content of the message.
    package var content: MessageContent
    /// Priority; has an effect in rooms alone.
    package var priority = PublishPriority.normal

    package init(
        session: SessionID, ticket: UInt64, address: ConversationAddress, clientToken: ClientToken?,
        content: MessageContent
    ) {
        self.session = session
        self.ticket = ticket
        self.address = address
        self.clientToken = clientToken
        self.content = content
    }
}

/// Takes messages from sessions to the writer and from the writer to sessions, on one thread of its own.
///
/// All methods may be called from any thread. A `then` runs on the broker's thread, unless its line says otherwise, and
/// must only post to a mailbox. When the broker has stopped, requests are dropped and their `then` does not run.
package final class Broker: Sendable {
    private enum Event: Sendable {
        case open(SessionOpening)
        case closed(SessionID, SessionEndReason)
        case publish([PublishRequest])
        case outcomes([AppendOutcome])
        case withdrawn([MessageID])
        case happened([ChangeEvent])
        case position(StorePosition)
        case ask(@Sendable (BrokerCore) -> Void)
        case stop
    }

    private let mailbox: Mailbox<Event>
    let store: Store
    /// For questions that are about no message: those of any thread.
    let consulted = Lock<(any HookHandler)?>(nil)
    private let thread: Thread

    /// Starts the thread. The store's outcomes go to this broker from now on.
    package init(store: Store, limits: BrokerLimits, clock: Clock, log: Log) {
        let mailbox = Mailbox<Event>()
        self.mailbox = mailbox
        self.store = store
        store.onOutcomes = { mailbox.post(.outcomes($0)) }
        store.onWithdrawn = { mailbox.post(.withdrawn($0)) }
        store.onEvents = { mailbox.post(.happened($0)) }
        store.onPosition = { mailbox.post(.position($0)) }
        self.thread = Thread(name: "broker") {
            let core = BrokerCore(store: store, limits: limits, clock: clock, log: log)
            Self.run(core, mailbox)
        }
    }

    private static func run(_ core: BrokerCore, _ mailbox: Mailbox<Event>) {
        var batch: [Event] = []
        while true {
            _ = mailbox.wait(milliseconds: 10_000)
            mailbox.takeMessages(into: &batch)
            for event in batch {
                switch event {
                case .open(let opening): core.open(opening)
                case .closed(let id, let reason): core.closed(id, reason)
                case .publish(let requests): for request in requests { core.publish(request) }
                case .outcomes(let outcomes): for outcome in outcomes { core.received(outcome) }
                case .withdrawn(let messages): core.withdrawn(messages)
                case .happened(let events): core.happened(events)
                case .position(let position): core.told(position)
                case .ask(let question): question(core)
                case .stop:
                    core.endTurn()
                    return
                }
            }
            batch.removeAll(keepingCapacity: true)
            core.endTurn()
        }
    }

    /// Ends the thread after what waits has been worked off. Gateways and store may go on posting; nobody listens.
    package func stop() {
        self.mailbox.post(.stop)
        self.thread.join()
    }

    // MARK: For doors

    /// Registers a session; the outlet hears `.opened`. Sessions it excludes end.
    package func open(_ opening: SessionOpening) { self.mailbox.post(.open(opening)) }

    /// A session's connection is gone.
    package func closed(_ session: SessionID, _ reason: SessionEndReason) {
        self.mailbox.post(.closed(session, reason))
    }

    /// Messages in the order they came. Each gets one `.published` event, unless its session ends before.
    package func publish(_ requests: [PublishRequest]) { self.mailbox.post(.publish(requests)) }

    // MARK: For operators and services

    /// Sends a message that no session sent. Rates apply to what people send by their own right: too fast is `busy`.
    ///
    /// - Parameters:
    ///   - note: what the audit log keeps of it when it is taken; in the transaction of the message.
    package func publish(
        as user: UserID, authority: Authority, to address: ConversationAddress, token: ClientToken?,
        content: MessageContent, reach: PublishReach = .conversation, auditing note: AuditNote? = nil,
        then: @escaping @Sendable (AppendResult) -> Void
    ) {
        var append = Append(
            sender: user, authority: authority, address: address, clientToken: token, content: content, ticket: 0)
        append.note = note.map { AppendNote($0) }
        let noted = append
        self.ask { core in core.publish(noted, reach: reach, then: then) }
    }

    /// Runs `then` once the sessions have been handed everything that the store has told until now. Who has changed
    /// something is answered after what others changed before.
    package func afterEvents(_ then: @escaping @Sendable () -> Void) {
        self.ask { core in core.afterTurn.append(then) }
    }

    /// The sessions of one person, or all.
    package func sessions(of user: UserID?, then: @escaping @Sendable ([SessionDescription]) -> Void) {
        self.ask { core in then(core.sessions(of: user)) }
    }

    /// Passes on the gateways' measures of these sessions now; sessions that ended meanwhile are missing. Nothing is
    /// kept for it: each reactor concerned is asked once.
    package func measure(
        _ sessions: [SessionID], then: @escaping @Sendable ([SessionID: SessionMeasure]) -> Void
    ) {
        self.ask { core in core.measure(sessions, then: then) }
    }

    /// Ends sessions. `then` gets how many there were.
    package func end(
        sessions: [SessionID], reason: SessionEndReason, then: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.ask { core in
            then(Set(sessions).count { core.end($0, reason) })
        }
    }

    /// Ends the sessions of a person, of one device class or of all. `then` gets how many there were.
    package func end(
        allOf user: UserID, deviceClass: DeviceClass?, reason: SessionEndReason,
        then: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.ask { core in
            let sessions = core.sessions(of: user).filter { deviceClass == nil || $0.deviceClass == deviceClass }
            then(sessions.count { core.end($0.id, reason) })
        }
    }

    /// Has `sink` called with everything that happens, in order, once per turn, on the broker's thread.
    ///
    /// - Parameter sessionsOnly: messages are not of interest; they come only while somebody else watches them.
    package func watch(
        sessionsOnly: Bool = false, _ sink: @escaping @Sendable ([WatchEvent]) -> Void,
        then: @escaping @Sendable (WatchID) -> Void
    ) {
        self.ask { core in then(core.watch(sessionsOnly: sessionsOnly, sink)) }
    }

    /// Has `sink` called with what happens to conversations, in order, on the broker's thread: it must be short.
    package func listen(_ sink: @escaping @Sendable ([ChangeEvent]) -> Void) {
        self.ask { core in core.listeners.append(sink) }
    }

    /// Ends a watch.
    package func unwatch(_ id: WatchID) { self.ask { core in core.unwatch(id) } }

    /// Passes on the broker's metrics.
    package func metrics(then: @escaping @Sendable (BrokerMetrics) -> Void) {
        self.ask { core in then(core.currentMetrics()) }
    }

    func ask(_ question: @escaping @Sendable (BrokerCore) -> Void) { self.mailbox.post(.ask(question)) }
}
