package import APIKit
import Broker
import ChatModel
import Diagnostics
import Execution
import Store
import WuKongTranslation

/// Tells people who of their friends comes online and goes, on a thread of its own.
///
/// A change is told once it has held for a while, to those friends who are online, and kept for nobody: who comes
/// online asks for the state of all (`GET /v1/user/online`). One person's friends are read at a time, on a reader, so
/// that a crowd that comes back at once delays news of it and nothing else.
package final class FriendPresence: Sendable {
    fileprivate enum Event: Sendable {
        case watching(WatchID)
        case happened([WatchEvent])
        case friends(PresenceChange, Result<[UserID], StoreError>)
        case stop
    }

    private let mailbox: Mailbox<Event>
    private let thread: Thread

    /// Starts the thread. Before the gateways open: who came online earlier is not known.
    package init(_ services: APIServices, settleMilliseconds: Int64) {
        let mailbox = Mailbox<Event>()
        self.mailbox = mailbox
        services.broker.watch(sessionsOnly: true) { events in
            let sessions = events.filter(\.isAboutSession)
            if !sessions.isEmpty { mailbox.post(.happened(sessions)) }
        } then: { id in
            mailbox.post(.watching(id))
        }
        self.thread = Thread(name: "friends") {
            Loop(services, PresenceChanges(settleMilliseconds: settleMilliseconds), mailbox).run()
        }
    }

    /// Tells nobody any more, and ends the thread. Before the broker and the store stop; once only.
    package func stop() {
        self.mailbox.post(.stop)
        self.thread.join()
    }
}

/// State of the thread.
private final class Loop {
    private let services: APIServices
    private let mailbox: Mailbox<FriendPresence.Event>
    private var changes: PresenceChanges
    private var watch: WatchID?
    private var isReading = false
    private var isStopped = false
    private var isDropping = false

    init(_ services: APIServices, _ changes: PresenceChanges, _ mailbox: Mailbox<FriendPresence.Event>) {
        self.services = services
        self.changes = changes
        self.mailbox = mailbox
    }

    func run() {
        var batch: [FriendPresence.Event] = []
        while !self.isStopped {
            self.readNext()
            let now = self.services.clock.now()
            _ = self.mailbox.wait(milliseconds: self.isReading ? nil : self.changes.millisecondsUntilNext(from: now))
            self.mailbox.takeMessages(into: &batch)
            for event in batch { self.handle(event) }
            batch.removeAll(keepingCapacity: true)
        }
        if let watch = self.watch { self.services.broker.unwatch(watch) }
    }

    private func handle(_ event: FriendPresence.Event) {
        switch event {
        case .watching(let id): self.watch = id
        case .happened(let events):
            for event in events { self.noteEvent(event) }
            self.reportDrops()
        case .friends(let change, let result):
            self.isReading = false
            self.tellChange(change, result)
        case .stop: self.isStopped = true
        }
    }

    private func noteEvent(_ event: WatchEvent) {
        let now = self.services.clock.now()
        switch event {
        case .accepted: return
        case .opened(let session):
            guard let flag = Translation.deviceFlag(session.deviceClass) else { return }
            self.changes.opened(session.user, session.userName, flag: flag, at: now)
        case .ended(let session, _):
            guard let flag = Translation.deviceFlag(session.deviceClass) else { return }
            self.changes.ended(session.user, flag: flag, at: now)
        }
    }

    /// Once for as long as it goes on.
    private func reportDrops() {
        let dropped = self.changes.takeDropped()
        if dropped > 0, !self.isDropping {
            self.services.log.warning(
                "presence_not_told", ["why": .text("too many came and went at once; apps see it when they ask")])
        }
        self.isDropping = dropped > 0
    }

    private func readNext() {
        guard !self.isReading, let change = self.changes.takeDue(at: self.services.clock.now()) else { return }
        self.isReading = true
        self.services.store.read(for: .server) { transaction throws(StoreError) in
            try transaction.friends.ids(of: change.user)
        } then: { [mailbox] result in
            mailbox.post(.friends(change, result))
        }
    }

    /// The friends who are online are told. Of a computer the person's own devices are told too, so that the app shows
    /// that it is signed in there. Source: TangSengDaoDao server, its handling of online states.
    private func tellChange(_ change: PresenceChange, _ result: Result<[UserID], StoreError>) {
        switch result {
        case .failure(let error):
            self.services.log.warning("presence_not_told", ["why": .text("\(error)")])
        case .success(let friends):
            guard !friends.isEmpty else { return }
            var receivers = friends.filter { self.changes.isOnline($0) }
            if change.deviceFlag != Translation.deviceFlag(.app), self.changes.isOnline(change.user) {
                receivers.append(change.user)
            }
            self.services.sendTransient(.onlineStatus(change), to: receivers)
        }
    }
}

extension WatchEvent {
    fileprivate var isAboutSession: Bool {
        switch self {
        case .accepted: false
        case .opened, .ended: true
        }
    }
}
