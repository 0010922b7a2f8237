import AdminAPI
import Broker
import CLinux
import ChatModel
import Diagnostics
import Execution
import Glibc
import Store

/// The admin thread: one `poll` over the listening socket, the connections and the mailbox. Confined to its thread.
final class AdminLoop {
    let options: AdminServiceOptions
    /// The socket of the data folder, and the one for other accounts where there is one.
    private let listeners: [Int32]
    let handler: AdminHandler
    let mailbox: Mailbox<LoopEvent>
    private(set) var clients: [Int: AdminConnection] = [:]
    private var lastClient = 0
    private var watch = Watch.none
    /// Requests to follow that are answered once the broker watches: nothing after the answer is missed.
    private var waitingToFollow: [(client: Int, request: Int64)] = []
    private var isStopping = false
    /// Refusals for a role that are kept in the audit log.
    private var refusals = RefusalBudget()
    /// Connections of strangers that are logged.
    private var strangers = RefusalBudget()
    var liveMetrics = MetricsHistory()
    var nextReading: Instant
    /// The broker was asked for its metrics and has not answered.
    var isReadingMetrics = false

    /// The one watch at the broker for all who follow.
    private enum Watch {
        case none
        case asked
        case on(WatchID)
    }

    init(_ options: AdminServiceOptions, listeners: [Int32], handler: AdminHandler, mailbox: Mailbox<LoopEvent>) {
        self.options = options
        self.listeners = listeners
        self.handler = handler
        self.mailbox = mailbox
        self.nextReading = options.clock.now()
    }

    func run() {
        while !self.isStopping { self.turn() }
        for client in self.clients.values { client.close() }
        if case .on(let id) = self.watch { self.handler.broker.unwatch(id) }
        for listener in self.listeners { close(listener) }
        AdminSocket.remove(in: self.options.folder)
        if let folder = self.options.operators.folder { AdminSocket.remove(in: folder) }
    }

    private func turn() {
        let order = Array(self.clients.keys)
        let own = [self.mailbox.descriptor] + self.listeners
        var entries = own.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        for key in order {
            guard let client = self.clients[key] else { continue }
            entries.append(pollfd(fd: client.descriptor, events: client.interest(self.options), revents: 0))
        }
        let ready = poll(&entries, nfds_t(entries.count), self.millisecondsUntilReading)
        self.readMetricsIfDue()
        guard ready > 0 else { return }
        for (key, entry) in zip(order, entries.dropFirst(own.count)) where entry.revents != 0 {
            self.serve(key, readable: entry.revents & Int16(POLLIN) != 0, events: entry.revents)
        }
        if entries[0].revents != 0 { self.readMailbox() }
        for entry in entries[1..<own.count] where entry.revents != 0 { self.accept(at: entry.fd) }
        self.watchWhenWanted()
        self.flush()
    }

    // MARK: Connections

    private func accept(at listener: Int32) {
        let descriptor = clinux_accept(listener, nil, nil)
        guard descriptor >= 0 else { return self.acceptFailed() }
        guard let peer = self.options.peer(descriptor) else {
            close(descriptor)
            return
        }
        let user = peer.user
        guard let role = self.options.operators.role(of: peer) else {
            if let leftOut = self.strangers.take(at: self.options.clock.now()) {
                self.options.log.warning(
                    "admin_refused",
                    [
                        "uid": .number(Int64(user)), "reason": .text("the account has no role"),
                        "left_out": .number(leftOut),
                    ])
            }
            return self.turnAway(
                descriptor, user, AdminError(.notAllowed, "the admin socket belongs to another user"))
        }
        let others = self.clients.values.count { !OperatorRules.isOwn($0.user) }
        guard self.clients.count < self.options.clients,
            OperatorRules.isOwn(user) || others < max(1, self.options.clients / 2)
        else {
            return self.turnAway(
                descriptor, user,
                AdminError(.busy, "\(self.options.clients) operators are connected already: close one of them"))
        }
        self.lastClient += 1
        self.clients[self.lastClient] = AdminConnection(descriptor, user: user, role: role)
        self.options.log.debug("admin_connected", ["uid": .number(Int64(user)), "role": .text(role.rawValue)])
    }

    /// Out of descriptors, for example: without a pause the loop would spin, for the connection still waits.
    private func acceptFailed() {
        let reason = clinux_errno()
        guard reason != EAGAIN && reason != ECONNABORTED && reason != EINTR else { return }
        self.options.log.warning("admin_accept_failed", ["errno": .number(Int64(reason))])
        poll(nil, 0, 100)
    }

    private func turnAway(_ descriptor: Int32, _ user: UInt32, _ error: AdminError) {
        let connection = AdminConnection(descriptor, user: user)
        connection.queue(.answer(id: 0, .failure(error)))
        _ = connection.flush()
        connection.close()
    }

    private func serve(_ key: Int, readable: Bool, events: Int16) {
        guard let client = self.clients[key] else { return }
        do throws(AdminError) {
            guard readable else {
                if events & Int16(POLLERR | POLLHUP) != 0 { self.drop(key) }
                return
            }
            guard client.read() else { return self.drop(key) }
            try self.work(key, client)
        } catch {
            client.queue(.answer(id: 0, .failure(error)))
            _ = client.flush()
            self.options.log.warning("admin_protocol", ["problem": .text(error.message)])
            self.drop(key)
        }
    }

    /// Works on the lines that came, as many as may be under way.
    private func work(_ key: Int, _ client: AdminConnection) throws(AdminError) {
        while client.underWay < self.options.requestsUnderWay, let line = try client.nextLine() {
            guard client.saidHello else {
                try AdminProtocol.check(hello: line)
                client.greet()
                continue
            }
            let (id, who, request) = try AdminRequest.read(line)
            client.underWay += 1
            switch request {
            case .success(let request):
                let actor = AuditActor(
                    uid: client.user, name: who.name, source: who.source, reason: who.reason)
                guard request.role <= client.role else {
                    self.refuse(request, for: client.role, by: actor, key, id)
                    continue
                }
                self.noteRequest(request, actor)
                self.start(request, by: actor, key, id)
            case .failure(let error): self.answered(key, id, .failure(error))
            }
        }
    }

    private func drop(_ key: Int) {
        guard let client = self.clients.removeValue(forKey: key) else { return }
        if let ticket = client.backup { self.options.backups?.abandon(ticket) }
        client.close()
    }

    private func flush() {
        for (key, client) in self.clients {
            client.tellOfTransfers(self.options)
            if !client.flush() { self.drop(key) }
        }
    }

    // MARK: Requests

    /// The journal of what operators changed.
    private func noteRequest(_ request: AdminRequest, _ actor: AuditActor) {
        guard request.isAudited else { return }
        self.options.log.info(
            "admin_request",
            [
                "ask": .text(request.word), "subject": .name(request.subject ?? ""), "uid": .number(Int64(actor.uid)),
                "operator": .name(actor.name ?? ""), "source": .text(actor.source.rawValue),
            ])
    }

    /// Refuses what the role of an operator does not allow. The audit log keeps it, as many in a minute as an operator
    /// who tries things out; the next entry has the number of those between.
    private func refuse(
        _ request: AdminRequest, for role: OperatorRole, by actor: AuditActor, _ key: Int, _ id: Int64
    ) {
        let (word, least) = (request.word, request.role)
        let error = role.refusal(of: word, needing: least)
        guard let leftOut = self.refusals.take(at: self.options.clock.now()) else {
            return self.answered(key, id, .failure(error))
        }
        self.options.log.warning(
            "admin_role_refused",
            [
                "ask": .text(word), "uid": .number(Int64(actor.uid)), "role": .text(role.rawValue),
                "left_out": .number(leftOut),
            ])
        let asked = AdminHandler.object { json in
            json.text("role", role.rawValue)
            json.text("needed", least.rawValue)
            json.number("leftOut", leftOut)
        }
        let note = AuditNote(actor: actor, word: "operator.refused", subject: word, asked: asked)
        let mailbox = self.mailbox
        self.handler.noteAsked(note) { mailbox.post(.answer(client: key, request: id, .failure(error))) }
    }

    private func start(_ request: AdminRequest, by actor: AuditActor, _ key: Int, _ id: Int64) {
        let mailbox = self.mailbox
        let handler = self.handler.auditing(request, by: actor)
        switch request {
        case .follow(let conversation, let withSessions):
            self.handler.resolve(conversation) { found in
                switch found {
                case .success(let number):
                    mailbox.post(.follow(client: key, request: id, number, withSessions: withSessions))
                case .failure(let error): mailbox.post(.answer(client: key, request: id, .failure(error)))
                }
            }
        case .stopFollowing(let follow):
            self.clients[key]?.follows[follow] = nil
            self.clients[key]?.watches[follow] = nil
            self.clients[key]?.pulses.remove(follow)
            self.answered(key, id, .success(.done))
        case .files(.verify(let file)): self.verify(file, key, id)
        case .transfers(let request): self.start(request, at: handler, key, id)
        case .live(let request): self.start(request, key, id)
        case .backups(let request): self.start(request, at: handler, key, id)
        case .exports(let request): self.start(request, at: handler, key, id)
        case .status, .setupToken, .managerToken, .addUser, .listUsers, .showUser, .issueToken, .revoke, .setDisabled,
            .setSendBanned, .setPassword, .setListed, .setAllowlistOnly, .importUsers, .listConversations,
            .showConversation,
            .listMessages, .listSessions, .endSessions, .send, .files, .profiles, .teams, .audit, .conversationDetails,
            .people, .words, .filters, .kinds, .hooks, .settings, .policy, .announcements, .app, .search, .imports,
            .retention:
            handler.answerRequest(request) { mailbox.post(.answer(client: key, request: id, $0)) }
        }
    }

    func answered(_ key: Int, _ id: Int64, _ answer: Result<AdminAnswer, AdminError>) {
        guard let client = self.clients[key] else { return }
        client.checks[id] = nil
        client.underWay -= 1
        client.queue(.answer(id: id, answer))
    }

    private func readMailbox() {
        var batch: [LoopEvent] = []
        self.mailbox.takeMessages(into: &batch)
        for event in batch {
            switch event {
            case .answer(let key, let id, let answer): self.answered(key, id, answer)
            case .follow(let key, let id, let conversation, let withSessions):
                self.clients[key]?.follows[id] = Follow(conversation: conversation, withSessions: withSessions)
                self.waitingToFollow.append((key, id))
            case .watching(let id): self.watch = .on(id)
            case .happened(let events): self.tellEvents(events)
            case .progress(let key, let id, let event): self.clients[key]?.report(id, event, self.options)
            case .watchTransfers(let key, let id, let owner): self.watchTransfers(of: owner, key, id)
            case .moved(let key, let id, let news): self.clients[key]?.tellTransfers(id, news, self.options)
            case .uploadOpened(let key, let id, let opened): self.opened(opened, key, id)
            case .uploadRoom(let key, let upload): self.uploadHasRoom(upload, key)
            case .liveMetrics(let metrics): self.tookMetrics(metrics)
            case .backup(let key, let id): self.beginBackup(key, id)
            case .backupBegun(let key, let id, let facts): self.backupBegun(facts, key, id)
            case .exportBegun(let key, let id, let export): self.exportBegun(export, key, id)
            case .stop: self.isStopping = true
            }
        }
        // An answer makes room for requests that were read already and waited.
        for (key, client) in self.clients where client.hasWaitingLines {
            self.serveWaiting(key, client)
        }
    }

    private func serveWaiting(_ key: Int, _ client: AdminConnection) {
        do throws(AdminError) {
            try self.work(key, client)
        } catch {
            client.queue(.answer(id: 0, .failure(error)))
            _ = client.flush()
            self.drop(key)
        }
    }

    // MARK: Following

    private func tellEvents(_ events: [WatchEvent]) {
        let followers = self.clients.values.filter { !$0.follows.isEmpty }
        guard !followers.isEmpty else { return }
        let kinds = self.handler.moderation.kinds
        for event in events {
            let notice = Announcement(event, kinds: kinds, profiles: self.handler.profiles)
            for client in followers { client.tellAnnouncement(notice, self.options) }
        }
    }

    private func watchWhenWanted() {
        let isWanted = self.clients.values.contains { !$0.follows.isEmpty }
        switch (self.watch, isWanted) {
        case (.none, true):
            self.watch = .asked
            let mailbox = self.mailbox
            self.handler.broker.watch({ mailbox.post(.happened($0)) }, then: { mailbox.post(.watching($0)) })
        case (.on(let id), false):
            self.handler.broker.unwatch(id)
            self.watch = .none
        case (.none, false), (.asked, _), (.on, true): break
        }
        guard case .on = self.watch else { return }
        for (client, request) in self.waitingToFollow { self.answered(client, request, .success(.following)) }
        self.waitingToFollow.removeAll()
    }
}
