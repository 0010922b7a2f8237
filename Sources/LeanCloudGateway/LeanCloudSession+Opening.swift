import Accounts
import Broker
import ChatModel
import LeanCloudTranslation
import LeanCloudWire
import Store
import Transport

/// How a client signs in, and how its session ends.
extension LeanCloudSession {
    // MARK: Signing in

    func signIn() {
        let peer = self.connection.connection.peer
        let credentials = self.state.credentials(self.services.accounts.app.policy.signIn)
        var requestedClass: DeviceClass? = self.state.requestedClass
        // A device token is of the class that it was issued for.
        if case .token = credentials { requestedClass = nil }
        let request = SignInRequest(
            user: self.client, credentials: credentials, requestedClass: requestedClass, address: peer.text,
            throttleKey: peer.throttleKey, isEncrypted: self.connection.connection.isEncrypted,
            origin: Self.origin(peer.scope), gateway: .leanCloud)
        let later = self.laterHere()
        self.services.accounts.authenticator.authenticate(request) { result in later { $0.authenticated(result) } }
    }

    /// Something that runs a body on this thread with this session, also before the gateway knows it.
    private func laterHere() -> @Sendable (@escaping @Sendable (LeanCloudSession) -> Void) -> Void {
        let (later, number) = (self.gateway.later(self.connection), self.number)
        return { body in later { connection in connection.session(number: number).map(body) } }
    }

    private static func origin(_ scope: PeerAddress.Scope) -> SignInOrigin {
        switch scope {
        case .loopback: .loopback
        case .privateNetwork: .privateNetwork
        case .publicNetwork: .publicNetwork
        }
    }

    private func authenticated(_ result: SignInResult) {
        var claims: SessionClaims?
        if case .signedIn = result, let token = self.state.shownToken,
            case .valid(let found) = self.services.accounts.app.readSessionToken(token, for: self.client)
        {
            claims = found
        }
        self.perform(self.state.authenticated(result, claims))
    }

    private func claimTag(_ tag: String, of user: UserID, device: String, insists: Bool) {
        let later = self.laterHere()
        self.services.store.write({ transaction throws(StoreError) in
            try transaction.tags.claimTag(tag, of: user, device: device, insists: insists)
        }) { result in
            later { session in session.perform(session.state.claimed(tag, result)) }
        }
    }

    private func register(_ identity: Identity, tag: SessionTag?, isReconnect: Bool) {
        let connection = self.connection.connection
        // Devices exclude each other by their tags: what one calls itself ends no other session.
        let device = "\(self.state.device ?? "connection")@\(connection.id.rawValue)"
        self.gateway.register(
            self,
            as: SessionDescription(
                id: SessionID(rawValue: 0), user: identity.user, userName: identity.name,
                deviceClass: SessionState.deviceClass(tag: tag?.name), deviceLevel: .secondary, deviceID: device,
                protocolName: self.connection.subprotocol.name,
                address: "\(connection.peer.text):\(connection.peer.port)",
                isEncrypted: connection.isEncrypted, openedAtMilliseconds: 0, tag: tag,
                isReconnect: isReconnect, endsAfterRefusals: false))
    }

    /// The broker knows the session: messages arrive for it from here on.
    func registered(_ id: SessionID) {
        guard case .registering = self.state.phase, let identity = self.state.identity else {
            return self.services.broker.closed(id, .closedByPeer)
        }
        self.sessionID = id
        let isValid = self.services.accounts.authenticator.isStillValid(identity)
        let token = isValid ? self.issueToken() : nil
        self.perform(self.state.registered(isStillValid: token != nil), token)
    }

    /// The same client once more on the same connection.
    func openAgain(_ command: GenericCommand) { self.perform(self.state.openAgain(command)) }

    /// Answers one more opening of a client that is signed in.
    private func renew(_ command: GenericCommand) {
        if let fault = self.excess(of: command) { return self.fail(command, fault) }
        guard let token = self.issueToken() else {
            return self.perform(self.state.end(.sessionTokenExpired, .signedOut))
        }
        self.sendOpened(command, token)
    }

    // MARK: Steps

    /// - Parameter token: answers openings.
    private func perform(_ steps: [SessionStep], _ token: IssuedSessionToken? = nil) {
        for step in steps { self.perform(step, token) }
    }

    private func perform(_ step: SessionStep, _ token: IssuedSessionToken?) {
        switch step {
        case .claimTag(let tag, let user, let device, let insists):
            self.claimTag(tag, of: user, device: device, insists: insists)
        case .register(let identity, let tag, let isReconnect):
            self.register(identity, tag: tag, isReconnect: isReconnect)
        case .activate: self.connection.connection.authenticated()
        case .sendOpened(let request): if let token { self.sendOpened(request, token) }
        case .begin(let introduction): self.beginSession(introduction)
        case .renew(let request): self.renew(request)
        case .fail(let request, let fault): self.fail(request, fault)
        case .sendClosed(let fault, let request): self.send(self.closed(fault, answering: request))
        case .logRefusal(let fault): self.logRefusal(fault)
        case .logDelay: self.logDelay()
        case .leave(let reason): self.leave(reason)
        case .remove: self.connection.remove(self)
        case .closeLater: self.connection.closeLater()
        case .closeIfUnused(let fault): if self.connection.isEmpty { self.connection.close(fault) }
        }
    }

    private func beginSession(_ introduction: SessionCommand) {
        guard let user = self.identity?.user else { return }
        self.services.rooms.began(session: self.handle, of: user)
        self.began(introduction)
        self.bindInstallation(to: user)
    }

    private func logRefusal(_ fault: LeanCloudFault) {
        self.services.log.warning(
            "sign-in refused",
            [
                "user": .name(self.client.text), "address": .text(self.connection.connection.peer.text),
                "reason": .text(fault.detail ?? fault.reason),
            ])
    }

    private func logDelay() {
        self.services.log.info(
            "sign-in put off",
            ["user": .name(self.client.text), "address": .text(self.connection.connection.peer.text)])
    }

    /// The device that a push SDK registered is this person's from now on, and nobody else's. Source: LeanCloud
    /// realtime, bit 2 of the features.
    private func bindInstallation(to user: UserID) {
        guard let device = self.installation else { return }
        let client = self.client
        self.services.store.read(
            for: .person(user),
            { reading throws(StoreError) -> Bool in
                guard let known = try reading.apps.installation(device: device) else { return false }
                return known.person != client
            }
        ) { [store = self.services.store] result in
            // A device that never registered, or is theirs already, costs no write.
            guard case .success(true) = result else { return }
            store.write({ transaction throws(StoreError) in
                try transaction.apps.bindInstallation(device, to: user)
            }) { _ in }
        }
    }

    private func issueToken() -> IssuedSessionToken? {
        guard let identity = self.identity else { return nil }
        // Marks of marks are the same marks.
        return self.services.accounts.app.issueSessionToken(
            SessionClaims(identity, tag: self.tag?.name, deviceID: self.device), of: identity)
    }

    private func sendOpened(_ opening: GenericCommand, _ token: IssuedSessionToken) {
        var answer = self.answer(to: opening, .session, .opened)
        answer.sessionMessage = Self.message(with: token)
        self.send(answer)
    }

    private static func message(with token: IssuedSessionToken) -> SessionCommand {
        var message = SessionCommand()
        message.st = token.text
        message.stTtl = Int32(clamping: token.lifetimeSeconds)
        return message
    }

    // MARK: Session commands

    func sessionCommand(_ command: GenericCommand) {
        switch command.op {
        case .close?: self.close(command)
        case .refresh?: self.refresh(command)
        case .query?: self.queryPresence(command)
        default: self.fail(command, .unparseableMessage.saying("this session command is not served"))
        }
    }

    /// The token's time begins anew.
    private func refresh(_ command: GenericCommand) {
        guard let token = self.issueToken() else { return self.fail(command, .sessionTokenExpired) }
        var answer = self.answer(to: command, .session, .refreshed)
        answer.sessionMessage = Self.message(with: token)
        self.send(answer)
    }

    /// Without a code: the Java SDK takes one for a kick.
    private func close(_ command: GenericCommand) {
        if let tag = self.tag, let user = self.identity?.user {
            let device = self.device ?? SessionState.unnamedDevice
            self.services.store.write({ transaction throws(StoreError) in
                try transaction.tags.releaseTag(tag.name, of: user, device: device)
            }) { _ in }
        }
        if let device = self.installation, let user = self.identity?.user {
            self.services.store.write({ transaction throws(StoreError) in
                try transaction.apps.releaseInstallation(device, from: user)
            }) { _ in }
        }
        var answer = self.answer(to: command, .session, .closed)
        answer.sessionMessage = SessionCommand()
        self.send(answer)
        self.leave(.left)
        self.connection.remove(self)
    }

    /// Answers which of some people are signed in, in the order of the question.
    private func queryPresence(_ command: GenericCommand) {
        let asked = command.sessionMessage?.sessionPeerIds ?? []
        guard asked.count <= Self.mostAsked else {
            return self.fail(command, .appQuotaExceeded.saying("at most \(Self.mostAsked) people at a time"))
        }
        let names = asked.compactMap { UserName($0) }
        guard self.services.showsOnlyAcquainted, let user = self.identity?.user else {
            return self.answerPresence(command, names, of: Set(names))
        }
        let later = self.later()
        self.services.store.read(for: .person(user)) { store throws(StoreError) in
            try store.profiles.acquaintances(of: user, among: Set(names))
        } then: { result in
            // When the store is too busy to say whom they know, they know nobody.
            let known = (try? result.get()) ?? []
            later { $0.answerPresence(command, names, of: known) }
        }
    }

    private func answerPresence(_ command: GenericCommand, _ names: [UserName], of known: Set<UserName>) {
        let later = self.later()
        self.services.broker.online(known) { online in
            later { session in
                var answer = session.answer(to: command, .session, .queryResult)
                var message = SessionCommand()
                message.onlineSessionPeerIds = names.filter(online.contains).map(\.text)
                answer.sessionMessage = message
                session.send(answer)
            }
        }
    }

    /// Source: LeanCloud realtime guide.
    private static let mostAsked = 20

    /// The device has another name from now on; it keeps its tag. Source: ObjC SDK, which signs in with a name of its
    /// own making, reports the real one later and would be in conflict with itself.
    func report(_ command: GenericCommand) {
        guard command.op == .upload else {
            return self.fail(command, .unparseableMessage.saying("this report is not served"))
        }
        if let named = command.reportMessage?.data, !named.isEmpty, let user = self.identity?.user {
            let (old, new) = (self.device ?? SessionState.unnamedDevice, SessionClaims.deviceMark(named))
            self.state.device = new
            if self.tag != nil, old != new {
                self.services.store.write({ transaction throws(StoreError) in
                    try transaction.tags.renameDevice(old, to: new, of: user)
                }) { _ in }
            }
        }
        self.send(self.answer(to: command, .report, .uploaded))
    }

    // MARK: Ends

    private func closed(_ fault: LeanCloudFault, answering request: GenericCommand? = nil) -> GenericCommand {
        var command = request.map { self.answer(to: $0, .session, .closed) } ?? self.push(.session, .closed)
        var message = SessionCommand()
        message.code = fault.code
        message.reason = fault.reason
        message.detail = fault.detail
        command.sessionMessage = message
        return command
    }

    /// The broker and the gateway forget the session.
    private func leave(_ reason: SessionEndReason) {
        self.state.left()
        self.will = .none
        if let user = self.identity?.user { self.services.rooms.ended(session: self.handle, of: user) }
        if let sessionID = self.sessionID {
            self.gateway.flushPublishes()
            self.services.broker.closed(sessionID, reason)
            self.sessionID = nil
        }
        if self.handle != 0 { self.gateway.forget(self) }
    }

    /// The broker ended the session.
    func endedByBroker(_ reason: SessionEndReason) {
        self.sessionID = nil
        self.perform(self.state.endedByBroker(reason))
    }

    /// The connection is over.
    func connectionEnded(_ reason: ConnectionEnd) {
        guard self.state.phase != .over else { return }
        if case .kept(let will) = self.will, self.sessionID != nil, reason != .drained { self.gateway.publish(will) }
        self.leave(Self.endReason(reason))
    }

    private static func endReason(_ reason: ConnectionEnd) -> SessionEndReason {
        switch reason {
        case .peerClosed, .closed: .closedByPeer
        case .idle, .timedOut: .idle
        case .stalled: .stalled
        case .drained: .serverStopping
        case .aborted: .failed("aborted")
        case .protocolError(let code): .failed("protocol error \(code.rawValue)")
        case .failed(let code): .failed("errno \(code)")
        }
    }
}
